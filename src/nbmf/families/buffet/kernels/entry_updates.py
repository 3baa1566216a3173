"""Rows and scores of a matrix whose cells have precisions of their own: any link, missing cells.

A cell has a signal S and a precision P, 0 where it is missing. Gaussian: S is the value and P the
noise precision. Logit: S = v - ½, and P = ω ~ PG(1, ψ) given ψ = μ + ν + BZ. What the other terms
leave over of a row then is e = P D - P (BZ), with the pseudo-data D never formed.
"""

import math

from nbmf.families.buffet.kernels.conditionals import (
    acceptance,
    draw_loading,
    draw_newborn_scores,
    make_room,
    place,
    proposed_singletons,
    singletons_log_likelihood,
    width,
)
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.polya_gamma import polya_gamma_1
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

LANES = 16  # columns whose scores are drawn together


@inner_kernel
def weigh_row(j, n, K, logit, signal, observed, B, Z, effects, numbers, P, e, generator):
    """Set the precisions P[j] of a row and e = P r; Pólya-Gamma ones are drawn."""
    rows, columns = effects
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
        precision = 1.0 / numbers[NOISE]
        for i in range(n):
            P[j, i] = precision if observed[j, i] else 0.0
            e[i] = P[j, i] * (signal[j, i] - e[i])


@inner_kernel
def draw_row_effect(j, n, rows, numbers, P, e, generator):
    """Draw the effect μ_j of a row from its normal law."""
    weight, sum_e = 0.0, 0.0
    for i in range(n):
        weight += P[j, i]
        sum_e += e[i]
    precision = weight + 1.0 / numbers[ROW_EFFECT]
    mean = (sum_e + rows[j] * weight) / precision
    change = mean + standard_normal(generator) / math.sqrt(precision) - rows[j]
    rows[j] += change
    for i in range(n):
        e[i] -= change * P[j, i]


@inner_kernel
def score_sums(j, k, n, Z, P, e):
    """Return Σ P z² and Σ z e of a row and a component: four sums at once are faster than one."""
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = 0.0
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
def draw_loadings(j, n, K, B, Z, takers, log_odds, numbers, P, e, generator):
    """Draw each (ξ_jk, β_jk) given the others; of a singleton β alone, which is there for sure."""
    slab = numbers[SLAB]
    for k in range(K):
        before = B[j, k]
        others = takers[k] - (1 if before != 0.0 else 0)
        odds = log_odds[others] if others > 0 else math.inf
        s2, s1 = score_sums(j, k, n, Z, P, e)
        variance, half_log = width(s2, slab)
        mean, evidence = place(s1 + before * s2, variance, half_log)
        now = draw_loading(mean, variance, odds + evidence, generator)
        if now == before:  # it was and is not there
            continue
        B[j, k] = now
        takers[k] = others + (1 if now != 0.0 else 0)
        for i in range(n):
            e[i] -= (now - before) * P[j, i] * Z[k, i]


@inner_kernel
def replace_singletons(j, p, n, K, proposed, born, kept, B, Z, takers, log_rate, slab, P, e, generator):
    """Propose `proposed` new singletons for those of row j; return K and whether they came."""
    v, singletons = 0.0, 0
    for k in range(K):
        if B[j, k] != 0.0 and takers[k] == 1:
            singletons += 1
            v += B[j, k] * B[j, k]
            for i in range(n):
                e[i] += B[j, k] * P[j, i] * Z[k, i]
    if proposed == 0 and singletons == 0:
        return K, False
    v_born = 0.0
    for s in range(proposed):
        born[s] = math.sqrt(slab) * standard_normal(generator)
        v_born += born[s] * born[s]
    row = P[j]
    gain = singletons_log_likelihood(e, row, n, v_born) - singletons_log_likelihood(e, row, n, v)
    if math.log(1.0 - uniform(generator)) >= acceptance(gain, singletons, proposed, log_rate):
        return K, False
    K = make_room(kept, K, p, n, j, B, Z, takers)
    for s in range(proposed):
        B[j, K + s] = born[s]
        takers[K + s] = 1
    if proposed > 0:
        draw_newborn_scores(e, row, n, born, v_born, K, K + proposed, Z, generator)
    return K + proposed, True


@inner_kernel
def visit_rows(
    first,
    share,
    p,
    n,
    features,
    logit,
    signal,
    observed,
    B,
    Z,
    takers,
    effects,
    log_odds,
    log_rate,
    numbers,
    P,
    e,
    born,
    kept,
    births,
    generator,
):
    """Draw all that belongs to the rows from `first` on; return the next row, p after the last.

    Births and deaths are asked for in a `share` of the rows. A row whose newborns would not find
    room is not begun: its number is returned, with the generator as before it.
    """
    capacity = Z.shape[0]
    for j in range(first, p):
        s0, s1, s2, s3 = generator[0], generator[1], generator[2], generator[3]
        asked = share >= 1.0 or uniform(generator) < share
        proposed = proposed_singletons(generator) if asked else 0
        if features[0] + proposed > capacity:
            generator[0], generator[1], generator[2], generator[3] = s0, s1, s2, s3
            return j
        K = features[0]
        weigh_row(j, n, K, logit, signal, observed, B, Z, effects, numbers, P, e, generator)
        if logit:
            draw_row_effect(j, n, effects[0], numbers, P, e, generator)
        draw_loadings(j, n, K, B, Z, takers, log_odds, numbers, P, e, generator)
        if asked:
            rate = log_rate + math.log(numbers[MASS])
            K, came = replace_singletons(
                j, p, n, K, proposed, born, kept, B, Z, takers, rate, numbers[SLAB], P, e, generator
            )
            features[0] = K
            births[0] += 1
            births[1] += 1 if came else 0
    return p


@inner_kernel
def add_row_to_block(j, i0, width, count, taken, value, logit, signal, numbers, row, P, A, c):
    """Add what row j says of the scores of columns i0 up to i0 + width to A and c."""
    gain = 1.0 if logit else 1.0 / numbers[NOISE]
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
def draw_scores(p, n, K, logit, signal, B, Z, effects, numbers, P, taken, value, A, c, generator):
    """Draw the scores of every column, with the effect ν of the column as one more of them."""
    rows, columns = effects
    size = K + 1 if logit else K
    for i0 in range(0, n, LANES):
        width = min(LANES, n - i0)
        for t in range(size * (size + 1) // 2):
            for i in range(LANES):
                A[t, i] = 0.0
        for k in range(size):
            prior = 1.0 if k < K else 1.0 / numbers[COLUMN_EFFECT]
            for i in range(LANES):
                A[k * (k + 1) // 2 + k, i] = prior
                c[k, i] = 0.0
        for j in range(p):
            count = 0
            for k in range(K):
                if B[j, k] != 0.0:
                    taken[count], value[count] = k, B[j, k]
                    count += 1
            if logit:
                taken[count], value[count] = K, 1.0
                count += 1
            add_row_to_block(j, i0, width, count, taken, value, logit, signal, numbers, rows[j], P, A, c)
        solve_block(size, A, c)
        for k in range(size):
            for i in range(width):
                c[k, i] += standard_normal(generator)
        back_substitute(size, A, c)
        for k in range(K):
            for i in range(width):
                Z[k, i0 + i] = c[k, i]
        if logit:
            for i in range(width):
                columns[i0 + i] = c[K, i]
