"""The same sweep for a complete Gaussian matrix, by the sums G = Z Z' and H' = V Z'.

A row then costs O(K²), whatever n is, and a birth that is not accepted nothing more: n enters in
H', in the scores and in what newborns bring along.
"""

import math

import numpy as np

from nbmf.families.buffet.kernels.conditionals import (
    acceptance,
    draw_loading,
    draw_newborn_scores,
    gain_by_sums,
    make_room,
    place,
    product,
    proposed_singletons,
    width,
)
from nbmf.families.buffet.kernels.keeping import add_predictions, keep_if_best, log_joint
from nbmf.families.buffet.kernels.numbers import MASS, NOISE, SLAB
from nbmf.families.buffet.kernels.shared import draw_numbers, move_scales
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal


@kernel
def set_sums(K, V, Z, G, H):
    """Set G (K, K) = Z Z' and H (p, K), the transposed Z V'."""
    if K > 0:
        G[:K, :K] = np.dot(Z[:K], Z[:K].T)
        H[:, :K] = np.dot(V, Z[:K].T)


@inner_kernel
def set_widths(first, K, numbers, G, widths):
    """Set variance and ½ log(τ^/τ) of the loadings of the columns from `first` on."""
    for k in range(first, K):
        widths[0, k], widths[1, k] = width(G[k, k] / numbers[NOISE], numbers[SLAB])


@inner_kernel
def draw_row(j, K, B, takers, log_odds, precision, G, H, widths, g, generator):
    """Draw each (ξ_jk, β_jk) given the others; of a singleton β alone. Leave g = G β."""
    for k in range(K):
        g[k] = 0.0
    for k in range(K):
        if B[j, k] != 0.0:
            for other in range(K):
                g[other] += B[j, k] * G[k, other]
    for k in range(K):
        before = B[j, k]
        others = takers[k] - (1 if before != 0.0 else 0)
        odds = log_odds[others] if others > 0 else math.inf
        s1 = precision * (H[j, k] - g[k] + before * G[k, k])
        mean, evidence = place(s1, widths[0, k], widths[1, k])
        now = draw_loading(mean, widths[0, k], odds + evidence, generator)
        if now == before:
            continue
        B[j, k] = now
        takers[k] = others + (1 if now != 0.0 else 0)
        for other in range(K):
            g[other] += (now - before) * G[k, other]


@inner_kernel
def residual_without_singletons(j, K, B, takers, G, H, g, square):
    """Take the singletons of row j out of g = G β; return R = ‖v_j - β Z‖², their number and v.

    `square` is ‖v_j‖².
    """
    v, singletons = 0.0, 0
    for k in range(K):
        if B[j, k] != 0.0 and takers[k] == 1:
            singletons += 1
            v += B[j, k] * B[j, k]
            for other in range(K):
                g[other] -= B[j, k] * G[k, other]
    R = square
    for k in range(K):
        if B[j, k] != 0.0 and takers[k] > 1:
            R -= B[j, k] * (2.0 * H[j, k] - g[k])
    return max(R, 0.0), singletons, v


@inner_kernel
def bring_newborns(j, p, n, K, proposed, born, v, V, B, Z, takers, noise, G, H, P, e, generator):
    """Append the newborns of row j, with their scores, and the sums that later rows need."""
    for i in range(n):
        e[i] = V[j, i]
        P[i] = 1.0 / noise
    for k in range(K):
        if B[j, k] != 0.0:
            for i in range(n):
                e[i] -= B[j, k] * Z[k, i]
    for i in range(n):
        e[i] /= noise
    draw_newborn_scores(e, P, n, born, v, K, K + proposed, Z, generator)
    for k in range(K, K + proposed):
        B[j, k] = born[k - K]
        takers[k] = 1
        for other in range(k + 1):
            G[k, other] = G[other, k] = product(Z[k], Z[other], n)
        for row in range(j + 1, p):
            H[row, k] = product(Z[k], V[row], n)


@inner_kernel
def reorder_sums(j, K, p, kept, G, H):
    """Leave the sums of the columns that make_room has kept, kept[k] >= k, in their new places.

    Of H the rows after j: the others are not needed before set_sums.
    """
    for k in range(K):
        for other in range(K):
            G[k, other] = G[kept[k], kept[other]]
        if kept[k] != k:
            for row in range(j + 1, p):
                H[row, k] = H[row, kept[k]]


@inner_kernel
def replace_singletons(
    j, p, n, K, proposed, born, kept, V, B, Z, takers, log_rate, numbers, G, H, g, squares, P, e, generator
):
    """Propose `proposed` new singletons for those of row j; return K and whether they came."""
    noise, slab = numbers[NOISE], numbers[SLAB]
    R, singletons, v = residual_without_singletons(j, K, B, takers, G, H, g, squares[j])
    if proposed == 0 and singletons == 0:
        return K, False
    v_born = 0.0
    for s in range(proposed):
        born[s] = math.sqrt(slab) * standard_normal(generator)
        v_born += born[s] * born[s]
    gain = gain_by_sums(R, n, noise, v, v_born)
    if math.log(1.0 - uniform(generator)) >= acceptance(gain, singletons, proposed, log_rate):
        return K, False
    K = make_room(kept, K, p, n, j, B, Z, takers)
    reorder_sums(j, K, p, kept, G, H)
    if proposed > 0:
        bring_newborns(j, p, n, K, proposed, born, v_born, V, B, Z, takers, noise, G, H, P, e, generator)
    return K + proposed, True


@inner_kernel
def visit_rows(
    first,
    share,
    V,
    features,
    B,
    Z,
    takers,
    log_odds,
    log_rate,
    numbers,
    squares,
    G,
    H,
    widths,
    g,
    P,
    e,
    born,
    kept,
    births,
    generator,
):
    """Draw loadings, births and deaths of the rows from `first` on; see cells.visit_rows."""
    (p, n), capacity, precision = V.shape, Z.shape[0], 1.0 / numbers[NOISE]
    set_widths(0, features[0], numbers, G, widths)
    for j in range(first, p):
        s0, s1, s2, s3 = generator[0], generator[1], generator[2], generator[3]
        asked = share >= 1.0 or uniform(generator) < share
        proposed = proposed_singletons(generator) if asked else 0
        if features[0] + proposed > capacity:
            generator[0], generator[1], generator[2], generator[3] = s0, s1, s2, s3
            return j
        K = features[0]
        draw_row(j, K, B, takers, log_odds, precision, G, H, widths, g, generator)
        if asked:
            rate = log_rate + math.log(numbers[MASS])
            K, came = replace_singletons(
                j, p, n, K, proposed, born, kept, V, B, Z, takers, rate, numbers, G, H, g, squares, P, e, generator
            )
            if came:
                features[0] = K
                set_widths(0, K, numbers, G, widths)
            births[0] += 1
            births[1] += 1 if came else 0
    return p


@inner_kernel
def set_products(K, p, B, A):
    """Set A (K, K), its lower half, to B'B."""
    for k in range(K):
        for other in range(k + 1):
            A[k, other] = 0.0
    for j in range(p):
        for k in range(K):
            if B[j, k] != 0.0:
                for other in range(k + 1):
                    A[k, other] += B[j, k] * B[j, other]


@inner_kernel
def draw_scores(p, n, K, V, B, Z, noise, A, generator):
    """Draw all scores: they share their precision I + B'B/σ², so one Cholesky factor serves all."""
    set_products(K, p, B, A)
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
def squared_residuals(p, K, B, G, H, A, squares):
    """Return ‖V - BZ‖² from the sums; A is overwritten by B'B."""
    total = 0.0
    for j in range(p):
        total += squares[j]
        for k in range(K):
            total -= 2.0 * B[j, k] * H[j, k]
    set_products(K, p, B, A)
    for k in range(K):
        total += A[k, k] * G[k, k]
        for other in range(k):
            total += 2.0 * A[k, other] * G[k, other]
    return max(total, 0.0)


@kernel
def run(
    steps,
    first,
    share,
    is_kept,
    cells,
    data,
    features,
    B,
    Z,
    takers,
    effects,
    numbers,
    prior,
    kept,
    best,
    work,
    births,
    generator,
):
    """Do so many sweeps; see sweeps.run. data: V and ‖v_j‖² of its rows; work: G and H first."""
    V, squares, observed = data
    p, n = V.shape
    log_odds, log_weights, log_rate, reach, priors = prior
    mean, square, number_sums, sizes, count = kept
    G, H, A, widths, g, norms, P, e, born, order = work
    for step in range(steps):
        row = visit_rows(
            first,
            share,
            V,
            features,
            B,
            Z,
            takers,
            log_odds,
            log_rate,
            numbers,
            squares,
            G,
            H,
            widths,
            g,
            P,
            e,
            born,
            order,
            births,
            generator,
        )
        if row < p:
            return step, row
        first = 0
        K = features[0]
        draw_scores(p, n, K, V, B, Z, numbers[NOISE], A, generator)
        move_scales(p, n, K, B, Z, takers, numbers, norms, generator)
        set_sums(K, V, Z, G, H)
        residuals = squared_residuals(p, K, B, G, H, A, squares)
        draw_numbers(p, n, K, False, norms, takers, effects, residuals, cells, reach, numbers, priors, generator)
        if is_kept:
            add_predictions(p, n, K, False, V, observed, B, Z, effects, mean, square, e)
            now = log_joint(
                p, n, K, False, 0.0, residuals, cells, B, Z, takers, effects, log_weights, reach, numbers, priors
            )
            keep_if_best(now, p, n, K, B, Z, effects, numbers, best)
            for number in range(numbers.size):
                number_sums[number] += numbers[number]
            sizes[count[0]] = K
            count[0] += 1
    return steps, -1
