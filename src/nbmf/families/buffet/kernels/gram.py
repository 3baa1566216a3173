"""The same sweep for a complete Gaussian matrix, by the sums G = Z Z' and H' = V Z'.

A row then costs O(K²), whatever n is, and a birth that is not accepted nothing more: n enters in
H', in the scores and in what new features bring along.
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
    gain_by_sums,
    loading_mean,
    loading_variance,
    make_room,
    product,
    propose_loadings,
)
from nbmf.families.buffet.kernels.keeping import keep_sweep
from nbmf.families.buffet.kernels.numbers import MASS, NOISE, SLAB
from nbmf.families.buffet.kernels.shared import draw_numbers, move_scales
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal


class SumWork(NamedTuple):
    """The sums, and room to work in.

    squares : float array (p,), ‖v_j‖²
    G, H : float arrays (room, room), (p, room), Z Z' and V Z'
    A : float array (room, room)
    widths : float array (2, room), variance and ½ log(τ^/τ) of the loadings of each column
    g, norms : float arrays (room,), G β of a row, and ‖b_k‖²
    order : int64 array (room,)
    P, e : float arrays (n,)
    new_loadings : float array (MOST_PROPOSED,)
    """

    squares: np.ndarray
    G: np.ndarray
    H: np.ndarray
    A: np.ndarray
    widths: np.ndarray
    g: np.ndarray
    norms: np.ndarray
    order: np.ndarray
    P: np.ndarray
    e: np.ndarray
    new_loadings: np.ndarray

    @classmethod
    def of(cls, squares: np.ndarray, n: int, room: int) -> "SumWork":
        """Return room for so many features of a matrix with n columns; `squares` itself is kept."""
        (g, norms), (P, e) = np.zeros((2, room)), np.zeros((2, n))
        return cls(
            squares=squares,
            G=np.zeros((room, room)),
            H=np.zeros((squares.size, room)),
            A=np.zeros((room, room)),
            widths=np.zeros((2, room)),
            g=g,
            norms=norms,
            order=np.zeros(room, np.int64),
            P=P,
            e=e,
            new_loadings=np.zeros(MOST_PROPOSED),
        )


@kernel
def set_sums(K, V, Z, G, H):
    """Set G (K, K) = Z Z' and H (p, K), the transposed Z V'."""
    if K > 0:
        G[:K, :K] = np.dot(Z[:K], Z[:K].T)
        H[:, :K] = np.dot(V, Z[:K].T)


@inner_kernel
def set_widths(K, numbers, work):
    """Set variance and ½ log(τ^/τ) of the loadings of all columns."""
    for k in range(K):
        work.widths[0, k], work.widths[1, k] = loading_variance(work.G[k, k] / numbers[NOISE], numbers[SLAB])


@inner_kernel
def draw_row(j, K, precision, state, log_odds, work, generator):
    """Draw each (ξ_jk, β_jk) given the others; of a singleton β alone. Leave g = G β."""
    B, feature_counts, G, H, widths, g = state.B, state.feature_counts, work.G, work.H, work.widths, work.g
    for k in range(K):
        g[k] = 0.0
    for k in range(K):
        if B[j, k] != 0.0:
            for other in range(K):
                g[other] += B[j, k] * G[k, other]
    for k in range(K):
        before = B[j, k]
        others = feature_counts[k] - (1 if before != 0.0 else 0)
        odds = log_odds[others] if others > 0 else math.inf
        s1 = precision * (H[j, k] - g[k] + before * G[k, k])
        mean, evidence = loading_mean(s1, widths[0, k], widths[1, k])
        now = draw_loading(mean, widths[0, k], odds + evidence, generator)
        if now == before:
            continue
        B[j, k] = now
        feature_counts[k] = others + (1 if now != 0.0 else 0)
        for other in range(K):
            g[other] += (now - before) * G[k, other]


@inner_kernel
def residual_without_singletons(j, K, state, work):
    """Take the singletons of row j out of g = G β; return R = ‖v_j - β Z‖², their number and v."""
    B, feature_counts, G, g = state.B, state.feature_counts, work.G, work.g
    v, singletons = 0.0, 0
    for k in range(K):
        if B[j, k] != 0.0 and feature_counts[k] == 1:
            singletons += 1
            v += B[j, k] * B[j, k]
            for other in range(K):
                g[other] -= B[j, k] * G[k, other]
    R = work.squares[j]
    for k in range(K):
        if B[j, k] != 0.0 and feature_counts[k] > 1:
            R -= B[j, k] * (2.0 * work.H[j, k] - g[k])
    return max(R, 0.0), singletons, v


@inner_kernel
def add_new_features(j, K, proposed, v, V, state, work, generator):
    """Append the new features of row j, with their scores, and the sums that later rows need.

    v is the sum of their squared loadings.
    """
    B, Z, G, H, P, e, noise = state.B, state.Z, work.G, work.H, work.P, work.e, state.numbers[NOISE]
    p, n = V.shape
    for i in range(n):
        e[i] = V[j, i]
        P[i] = 1.0 / noise
    for k in range(K):
        if B[j, k] != 0.0:
            for i in range(n):
                e[i] -= B[j, k] * Z[k, i]
    for i in range(n):
        e[i] /= noise
    draw_new_scores(e, P, n, work.new_loadings, v, K, K + proposed, Z, generator)
    for k in range(K, K + proposed):
        B[j, k] = work.new_loadings[k - K]
        state.feature_counts[k] = 1
        for other in range(k + 1):
            G[k, other] = G[other, k] = product(Z[k], Z[other], n)
        for row in range(j + 1, p):
            H[row, k] = product(Z[k], V[row], n)


@inner_kernel
def reorder_sums(j, K, order, G, H):
    """Leave the sums of the columns that make_room has left, order[k] >= k, in their new places.

    Of H the rows after j: the others are not needed before set_sums.
    """
    for k in range(K):
        for other in range(K):
            G[k, other] = G[order[k], order[other]]
        if order[k] != k:
            for row in range(j + 1, H.shape[0]):
                H[row, k] = H[row, order[k]]


@inner_kernel
def replace_singletons(j, K, proposed, log_rate, V, state, work, generator):
    """Propose `proposed` new singletons for those of row j; return K and whether they came."""
    R, singletons, v = residual_without_singletons(j, K, state, work)
    if proposed == 0 and singletons == 0:
        return K, False
    v_new = propose_loadings(proposed, state.numbers[SLAB], work.new_loadings, generator)
    gain = gain_by_sums(R, V.shape[1], state.numbers[NOISE], v, v_new)
    if math.log(1.0 - uniform(generator)) >= acceptance(gain, singletons, proposed, log_rate):
        return K, False
    K = make_room(work.order, K, j, state)
    reorder_sums(j, K, work.order, work.G, work.H)
    if proposed > 0:
        add_new_features(j, K, proposed, v_new, V, state, work, generator)
    return K + proposed, True


@inner_kernel
def visit_rows(first, share, V, state, prior, work, births, generator):
    """Draw loadings, births and deaths of the rows from `first` on; see entry_updates.visit_rows."""
    p, room, precision = V.shape[0], state.Z.shape[0], 1.0 / state.numbers[NOISE]
    set_widths(state.size[0], state.numbers, work)
    for j in range(first, p):
        K = state.size[0]
        asked, proposed = ask_row(share, room - K, generator)
        if proposed < 0:
            return j
        draw_row(j, K, precision, state, prior.log_odds, work, generator)
        if asked:
            log_rate = prior.log_rate + math.log(state.numbers[MASS])
            K, came = replace_singletons(j, K, proposed, log_rate, V, state, work, generator)
            if came:
                state.size[0] = K
                set_widths(K, state.numbers, work)
            births[0] += 1
            births[1] += 1 if came else 0
    return p


@inner_kernel
def set_products(K, B, A):
    """Set A (K, K), its lower half, to B'B."""
    for k in range(K):
        for other in range(k + 1):
            A[k, other] = 0.0
    for j in range(B.shape[0]):
        for k in range(K):
            if B[j, k] != 0.0:
                for other in range(k + 1):
                    A[k, other] += B[j, k] * B[j, other]


@inner_kernel
def draw_scores(K, V, state, A, generator):
    """Draw all scores: they share their precision I + B'B/σ², so one Cholesky factor serves all."""
    (p, n), B, Z, noise = V.shape, state.B, state.Z, state.numbers[NOISE]
    set_products(K, B, A)
    for k in range(K):
        for i in range(n):
            Z[k, i] = 0.0
        for other in range(k + 1):
            A[k, other] = A[k, other] / noise + (1.0 if other == k else 0.0)
    for j in range(p):
        for k in range(K):
            if B[j, k] != 0.0:
                b = B[j, k] / noise
                for i in range(n):
                    Z[k, i] += b * V[j, i]
    for a in range(K):
        for b in range(a + 1):
            total = A[a, b]
            for q in range(b):
                total -= A[a, q] * A[b, q]
            A[a, b] = math.sqrt(total) if a == b else total / A[b, b]
        for q in range(a):
            for i in range(n):
                Z[a, i] -= A[a, q] * Z[q, i]
        for i in range(n):
            Z[a, i] /= A[a, a]
    for k in range(K):
        for i in range(n):
            Z[k, i] += standard_normal(generator)
    for a in range(K - 1, -1, -1):
        for i in range(n):
            Z[a, i] /= A[a, a]
        for q in range(a):
            for i in range(n):
                Z[q, i] -= A[a, q] * Z[a, i]


@inner_kernel
def squared_residuals(K, B, work):
    """Return ‖V - BZ‖² from the sums; work.A is overwritten by B'B."""
    G, H, A = work.G, work.H, work.A
    total = 0.0
    for j in range(B.shape[0]):
        total += work.squares[j]
        for k in range(K):
            total -= 2.0 * B[j, k] * H[j, k]
    set_products(K, B, A)
    for k in range(K):
        total += A[k, k] * G[k, k]
        for other in range(k):
            total += 2.0 * A[k, other] * G[k, other]
    return max(total, 0.0)


@kernel
def run(cells, matrix, work, steps, first, share, is_kept, state, prior, kept, best, births, generator):
    """Do so many sweeps: arguments and results are those of sweeps.run, with a SumWork for `work`."""
    V = matrix.signal
    for step in range(steps):
        row = visit_rows(first, share, V, state, prior, work, births, generator)
        if row < V.shape[0]:
            return step, row
        first = 0
        K = state.size[0]
        draw_scores(K, V, state, work.A, generator)
        move_scales(K, state, work.norms, generator)
        set_sums(K, V, state.Z, work.G, work.H)
        squares = squared_residuals(K, state.B, work)
        draw_numbers(K, False, squares, cells, work.norms, state, prior, generator)
        if is_kept:
            keep_sweep(K, squares, cells, matrix, state, prior, kept, best, work.e)
    return steps, -1
