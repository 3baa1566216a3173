"""Rows and scores of a matrix whose cells have precisions of their own: any link, missing cells.

A cell has a signal S and a precision P, 0 where it is missing. Gaussian: S is the value and P the
noise precision. Logit: S = v - ½, and P = ω ~ PG(1, ψ) given ψ = μ + ν + BZ. What the other terms
leave over of a row then is e = P D - P (BZ), with the pseudo-data D never formed.
"""

import math
from typing import NamedTuple

import numpy as np

from nbmf.families.buffet.kernels.conditionals import (
    MOST_PROPOSED,
    acceptance,
    ask_row,
    draw_loading,
    draw_new_scores,
    loading_mean,
    loading_variance,
    make_room,
    propose_loadings,
    singletons_log_likelihood,
)
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.normal_effects import COLUMNS, ROWS, center_of
from nbmf.numerics.polya_gamma import polya_gamma_1
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

LANES = 16  # columns whose scores are drawn together


class CellWork(NamedTuple):
    """Room to work in, for `size` features with the column effect as one more of them.

    P : float array (p, n), precisions of the cells in this sweep
    e : float array (n,), P r of a row
    new_loadings : float array (MOST_PROPOSED,)
    order, taken, value, norms : int64, int64, float and float arrays (size,)
    A, c : float arrays (size (size + 1) / 2, LANES), (size, LANES)
    """

    P: np.ndarray
    e: np.ndarray
    new_loadings: np.ndarray
    order: np.ndarray
    taken: np.ndarray
    value: np.ndarray
    norms: np.ndarray
    A: np.ndarray
    c: np.ndarray

    @classmethod
    def of(cls, P: np.ndarray, size: int) -> "CellWork":
        """Return room for so many features; P itself is kept."""
        places, numbers = np.zeros((2, size), np.int64), np.zeros((2, size))
        A, c = np.zeros((size * (size + 1) // 2, LANES)), np.zeros((size, LANES))
        return cls(P, np.zeros(P.shape[1]), np.zeros(MOST_PROPOSED), *places, *numbers, A, c)


@inner_kernel
def weigh_row(j, K, matrix, state, P, e, generator):
    """Set the precisions P[j] of a row and e = P r; Pólya-Gamma ones are drawn."""
    logit, signal, observed = matrix
    B, Z, rows, columns = state.B, state.Z, state.row_effects, state.column_effects
    n = signal.shape[1]
    for i in range(n):
        e[i] = 0.0
    for k in range(K):
        if B[j, k] != 0.0:
            for i in range(n):
                e[i] += B[j, k] * Z[k, i]
    if logit:
        for i in range(n):
            if observed[j, i]:
                psi = rows[j] + columns[i] + e[i]
                P[j, i] = polya_gamma_1(generator, psi)
                e[i] = signal[j, i] - P[j, i] * psi
            else:
                P[j, i] = e[i] = 0.0
    else:
        precision = 1.0 / state.numbers[NOISE]
        for i in range(n):
            P[j, i] = precision if observed[j, i] else 0.0
            e[i] = P[j, i] * (signal[j, i] - e[i])


@inner_kernel
def draw_row_effect(j, rows, variance, center, P, e, generator):
    """Draw the effect μ_j of a row from its normal distribution; a priori it is N(center, variance)."""
    n = P.shape[1]
    weight, sum_e = 0.0, 0.0
    for i in range(n):
        weight += P[j, i]
        sum_e += e[i]
    precision = weight + 1.0 / variance
    mean = (sum_e + rows[j] * weight + center / variance) / precision
    change = mean + standard_normal(generator) / math.sqrt(precision) - rows[j]
    rows[j] += change
    for i in range(n):
        e[i] -= change * P[j, i]


@inner_kernel
def score_sums(j, k, Z, P, e):
    """Return Σ P z² and Σ z e of a row and a component: four sums at once are faster than one."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
    n = Z.shape[1]
    whole = n - n % 4
    for i in range(0, whole, 4):
        a0 += P[j, i] * Z[k, i] * Z[k, i]
        a1 += P[j, i + 1] * Z[k, i + 1] * Z[k, i + 1]
        a2 += P[j, i + 2] * Z[k, i + 2] * Z[k, i + 2]
        a3 += P[j, i + 3] * Z[k, i + 3] * Z[k, i + 3]
        b0 += Z[k, i] * e[i]
        b1 += Z[k, i + 1] * e[i + 1]
        b2 += Z[k, i + 2] * e[i + 2]
        b3 += Z[k, i + 3] * e[i + 3]
    for i in range(whole, n):
        a0 += P[j, i] * Z[k, i] * Z[k, i]
        b0 += Z[k, i] * e[i]
    return (a0 + a1) + (a2 + a3), (b0 + b1) + (b2 + b3)


@inner_kernel
def draw_loadings(j, K, state, log_odds, P, e, generator):
    """Draw each (ξ_jk, β_jk) given the others; of a singleton β alone, which is there for sure."""
    B, Z, feature_counts, slab = state.B, state.Z, state.feature_counts, state.numbers[SLAB]
    for k in range(K):
        before = B[j, k]
        others = feature_counts[k] - (1 if before != 0.0 else 0)
        odds = log_odds[others] if others > 0 else math.inf
        s2, s1 = score_sums(j, k, Z, P, e)
        variance, half_log = loading_variance(s2, slab)
        mean, evidence = loading_mean(s1 + before * s2, variance, half_log)
        now = draw_loading(mean, variance, odds + evidence, generator)
        if now == before:  # it was and is not there
            continue
        B[j, k] = now
        feature_counts[k] = others + (1 if now != 0.0 else 0)
        for i in range(Z.shape[1]):
            e[i] -= (now - before) * P[j, i] * Z[k, i]


@inner_kernel
def replace_singletons(j, K, proposed, log_rate, state, work, generator):
    """Propose `proposed` new singletons for those of row j; return K and whether they came."""
    B, Z, feature_counts = state.B, state.Z, state.feature_counts
    P, e, new_loadings, n = work.P, work.e, work.new_loadings, Z.shape[1]
    v, singletons = 0.0, 0
    for k in range(K):
        if B[j, k] != 0.0 and feature_counts[k] == 1:
            singletons += 1
            v += B[j, k] * B[j, k]
            for i in range(n):
                e[i] += B[j, k] * P[j, i] * Z[k, i]
    if proposed == 0 and singletons == 0:
        return K, False
    v_new = propose_loadings(proposed, state.numbers[SLAB], new_loadings, generator)
    row = P[j]
    gain = singletons_log_likelihood(e, row, n, v_new) - singletons_log_likelihood(e, row, n, v)
    if math.log(1.0 - uniform(generator)) >= acceptance(gain, singletons, proposed, log_rate):
        return K, False
    K = make_room(work.order, K, j, state)
    for s in range(proposed):
        B[j, K + s] = new_loadings[s]
        feature_counts[K + s] = 1
    if proposed > 0:
        draw_new_scores(e, row, n, new_loadings, v_new, K, K + proposed, Z, generator)
    return K + proposed, True


@inner_kernel
def visit_rows(first, share, matrix, state, prior, work, births, generator):
    """Draw all that belongs to the rows from `first` on; return the next row, p after the last.

    Births and deaths are asked for in a `share` of the rows; `births` (2,) counts how often, and how
    often they came. A row whose new features would not find room is not begun: its number is
    returned, with the generator as before it.
    """
    p, room = matrix.signal.shape[0], state.Z.shape[0]
    for j in range(first, p):
        K = state.size[0]
        asked, proposed = ask_row(share, room - K, generator)
        if proposed < 0:
            return j
        weigh_row(j, K, matrix, state, work.P, work.e, generator)
        if matrix.logit and state.numbers[ROW_EFFECT] > 0.0:
            center = center_of(state.numbers[ROW_EFFECT:], ROWS)
            draw_row_effect(j, state.row_effects, state.numbers[ROW_EFFECT], center, work.P, work.e, generator)
        draw_loadings(j, K, state, prior.log_odds, work.P, work.e, generator)
        if asked:
            log_rate = prior.log_rate + math.log(state.numbers[MASS])
            K, came = replace_singletons(j, K, proposed, log_rate, state, work, generator)
            state.size[0] = K
            births[0] += 1
            births[1] += 1 if came else 0
    return p


@inner_kernel
def add_row_to_block(j, i0, width, count, matrix, state, work):
    """Add what row j says about the scores of columns i0 up to i0 + width to work.A and work.c.

    work.taken and work.value have the `count` features of the row, and its loadings.
    """
    signal, P, taken, value, A, c = matrix.signal, work.P, work.taken, work.value, work.A, work.c
    row, gain = state.row_effects[j], 1.0 if matrix.logit else 1.0 / state.numbers[NOISE]
    for a in range(count):
        k, b = taken[a], value[a]
        for i in range(width):
            c[k, i] += b * (gain * signal[j, i0 + i] - P[j, i0 + i] * row)
        for other in range(a + 1):
            t = k * (k + 1) // 2 + taken[other]
            product = b * value[other]
            for i in range(width):
                A[t, i] += product * P[j, i0 + i]


@inner_kernel
def solve_block(size, A, c):
    """Replace A by its Cholesky factor L and c by L⁻¹ c, for all lanes at once."""
    for a in range(size):
        for b in range(a + 1):
            t, ta, tb = a * (a + 1) // 2 + b, a * (a + 1) // 2, b * (b + 1) // 2
            for q in range(b):
                for i in range(LANES):
                    A[t, i] -= A[ta + q, i] * A[tb + q, i]
            if a == b:
                for i in range(LANES):
                    A[t, i] = math.sqrt(A[t, i])
            else:
                for i in range(LANES):
                    A[t, i] /= A[tb + b, i]
        for q in range(a):
            for i in range(LANES):
                c[a, i] -= A[a * (a + 1) // 2 + q, i] * c[q, i]
        for i in range(LANES):
            c[a, i] /= A[a * (a + 1) // 2 + a, i]


@inner_kernel
def back_substitute(size, A, c):
    """Replace c by L⁻ᵀ c, for all lanes at once."""
    for a in range(size - 1, -1, -1):
        for i in range(LANES):
            c[a, i] /= A[a * (a + 1) // 2 + a, i]
        for q in range(a):
            for i in range(LANES):
                c[q, i] -= A[a * (a + 1) // 2 + q, i] * c[a, i]


@inner_kernel
def draw_scores(K, matrix, state, work, generator):
    """Draw the scores of every column, with the effect ν of the column, if it has one, as one more of them."""
    B, Z, columns, variance = state.B, state.Z, state.column_effects, state.numbers[COLUMN_EFFECT]
    has_effects, center = matrix.logit and variance > 0.0, center_of(state.numbers[ROW_EFFECT:], COLUMNS)
    taken, value, A, c = work.taken, work.value, work.A, work.c
    p, n = matrix.signal.shape
    size = K + 1 if has_effects else K
    for i0 in range(0, n, LANES):
        width = min(LANES, n - i0)
        for t in range(size * (size + 1) // 2):
            for i in range(LANES):
                A[t, i] = 0.0
        for k in range(size):
            prior = 1.0 if k < K else 1.0 / variance
            for i in range(LANES):
                A[k * (k + 1) // 2 + k, i] = prior
                c[k, i] = 0.0 if k < K else prior * center
        for j in range(p):
            count = 0
            for k in range(K):
                if B[j, k] != 0.0:
                    taken[count], value[count] = k, B[j, k]
                    count += 1
            if has_effects:
                taken[count], value[count] = K, 1.0
                count += 1
            add_row_to_block(j, i0, width, count, matrix, state, work)
        solve_block(size, A, c)
        for k in range(size):
            for i in range(width):
                c[k, i] += standard_normal(generator)
        back_substitute(size, A, c)
        for k in range(K):
            for i in range(width):
                Z[k, i0 + i] = c[k, i]
        if has_effects:
            for i in range(width):
                columns[i0 + i] = c[K, i]
