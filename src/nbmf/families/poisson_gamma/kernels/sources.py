"""Draws of how many events of each count come from each component.

The sources of an entry with x events are multinomial, with chances in proportion to w_fk h_nk.
Only their sums over rows and over columns are kept. A Bernoulli-Poisson one has x ~ Poisson(r)
given x > 0, r = Σ_k w_fk h_nk, which is drawn first.

Few events draw their components one by one; many are shared out along the components by binomial
draws. Weights are summed by blocks of LANES components, so that a search looks at one block.

Rows are divided into blocks with a random stream and sums of their own, whatever the number of threads.
"""

import math

import numpy as np
from numba import prange

from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.lanes import LANES, count_at_most, load, running, total
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma

FLOOR = 1e-150  # of a factor: the product of two is still a number
FEW = 16  # events per component, up to which components are drawn one by one
LONGEST = 10.0  # mean up to which numbers are drawn by search from below
INVERSE = np.concatenate([[0.0], 1.0 / np.arange(1, 129)])  # divisions, made once


@inner_kernel
def weigh(W, f, H, n, sums):
    """Write the sums of w_fk h_nk by blocks of components to sums; return the sum of all.

    The weights themselves are not kept: a search multiplies those of its one block again, which is
    faster than to write all.
    """
    step, K = np.uint64(LANES), np.uint64(W.shape[1])
    k, block = np.uint64(0), np.uint64(0)
    everything = 0.0
    while k < K:
        sums[block] = total(load(W, f, k) * load(H, n, k))
        everything += sums[block]
        k += step
        block += np.uint64(1)
    return everything


@inner_kernel
def component(place, W, f, H, n, sums, K):
    """Return the component at `place`, from 0 up to the sum of all weights; K is not padded."""
    zero, one, step, last = np.uint64(0), np.uint64(1), np.uint64(LANES), np.uint64(K - 1)
    block, blocks = zero, np.uint64(sums.size - 1)
    so_far = before = 0.0
    i = zero
    while i < blocks:  # without a branch that nobody could foresee
        so_far += sums[i]
        is_behind = so_far <= place
        block += np.uint64(is_behind)
        before = so_far if is_behind else before
        i += one
    first = block * step
    run = running(load(W, f, first) * load(H, n, first))
    return min(first + count_at_most(run, place - before), last)


@inner_kernel
def positive_poisson(r, generator):
    """Return a draw from Poisson(r) given that it is above 0, r > 0."""
    if r < LONGEST:
        u = uniform(generator)
        if u < 1.0 - 0.5 * r:  # P(1) = r / (e^r - 1) is larger: no need to compute it
            return 1
        chance = r / math.expm1(r)
        x = 1
        while u >= chance and chance > 0.0:
            u -= chance
            x += 1
            chance *= r / x
        return x
    while True:
        x = large_poisson(r, generator)
        if x > 0:
            return x


@inner_kernel
def large_poisson(mean, generator):
    """Return a draw from Poisson(mean), mean at least LONGEST: Hörmann's PTRS (1993)."""
    root = math.sqrt(mean)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    inside = 0.9277 - 3.6224 / (b - 2.0)
    log_mean = math.log(mean)
    while True:
        u, v = uniform(generator) - 0.5, 1.0 - uniform(generator)
        margin = 0.5 - abs(u)
        x = math.floor((2.0 * a / margin + b) * u + mean + 0.43)
        if margin >= 0.07 and v <= inside:
            return int(x)
        if x < 0 or (margin < 0.013 and v > margin):
            continue
        height = math.log(v * inverse_alpha / (a / (margin * margin) + b))
        if height <= x * log_mean - mean - math.lgamma(x + 1.0):
            return int(x)


@inner_kernel
def binomial(n, p, generator):
    """Return a draw from Binomial(n, p), 0 <= p <= 1."""
    flipped = p > 0.5
    if flipped:
        p = 1.0 - p
    if n * p >= LONGEST:
        drawn = large_binomial(n, p, generator)
    elif p == 0.0:
        drawn = 0
    else:
        chance, u, drawn = math.exp(n * math.log1p(-p)), uniform(generator), 0
        odds = p / (1.0 - p)
        while u >= chance and drawn < n:
            u -= chance
            drawn += 1
            inverse = INVERSE[drawn] if drawn < INVERSE.size else 1.0 / drawn
            chance *= odds * (n - drawn + 1) * inverse
    return n - drawn if flipped else drawn


@inner_kernel
def large_binomial(n, p, generator):
    """Return a draw from Binomial(n, p), p <= 1/2, n p at least LONGEST: Hörmann's BTRS (1993)."""
    root = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * root
    a = -0.0873 + 0.0248 * b + 0.01 * p
    inside = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * root
    log_odds = math.log(p / (1.0 - p))
    mode = math.floor((n + 1) * p)
    at_mode = math.lgamma(mode + 1.0) + math.lgamma(n - mode + 1.0)
    while True:
        u, v = uniform(generator) - 0.5, 1.0 - uniform(generator)
        margin = 0.5 - abs(u)
        x = math.floor((2.0 * a / margin + b) * u + n * p + 0.5)
        if margin >= 0.07 and v <= inside:
            return int(x)
        if x < 0 or x > n:
            continue
        height = math.log(v * alpha / (a / (margin * margin) + b))
        at_x = math.lgamma(x + 1.0) + math.lgamma(n - x + 1.0)
        if height <= at_mode - at_x + (x - mode) * log_odds:
            return int(x)


def draw_sources(blocks, start, index, value, W, H, K, is_binary, generators, S_W, parts):
    """Draw the sources of all entries; write their sums to S_W, and to a part per block those of columns.

    Parameters
    ----------
    blocks : int64 (B + 1,)
        Block b has the rows blocks[b]..blocks[b + 1] - 1.
    start, index, value : int64 (F + 1,), uint32 and float64 (entries,)
        Entries above zero row by row: their columns and counts. With `is_binary` counts are drawn.
    W, H : float64 (F, padded), (N, padded)
    K : int
        Components.
    is_binary : bool
    generators : uint64 (B, 8)
        Of numerics.random; advanced.
    S_W, parts : float64 (F, padded), (B, N, padded)
        Written to.
    """
    for b in prange(blocks.size - 1):
        _draw_block(blocks[b], blocks[b + 1], start, index, value, W, H, K, is_binary, generators[b], S_W, parts[b])


@kernel
def _draw_block(first, end, start, index, value, W, H, K, is_binary, generator, S_W, S_H):
    S_W[first:end] = 0.0
    S_H[:] = 0.0
    sums = np.zeros(W.shape[1] // LANES)
    for row in range(first, end):
        f = np.uint64(row)
        for e in range(start[f], start[f + np.uint64(1)]):
            n = np.uint64(index[e])
            r = weigh(W, f, H, n, sums)
            x = positive_poisson(r, generator) if is_binary else int(value[e])
            if x <= FEW * K:
                for _ in range(x):
                    k = component(uniform(generator) * r, W, f, H, n, sums, K)
                    S_W[f, k] += 1.0
                    S_H[n, k] += 1.0
                continue
            for place in range(K - 1):
                k = np.uint64(place)
                if x == 0:
                    break
                share = W[f, k] * H[n, k]
                drawn = binomial(x, min(share / r, 1.0) if r > 0.0 else 1.0, generator)
                r -= share
                x -= drawn
                S_W[f, k] += drawn
                S_H[n, k] += drawn
            S_W[f, np.uint64(K - 1)] += x
            S_H[n, np.uint64(K - 1)] += x


draw_sources_serial, draw_sources_parallel = serial_and_parallel(draw_sources)


@inner_kernel
def shared_index(table, axis, i):
    """Return i, or 0 where the table has a single row along the axis, which all share."""
    return i if table.shape[axis] > 1 else np.uint64(0)


def draw_factor(blocks, sums, exposure, shape, rate, generators, mean, table):
    """Draw a factor from Gamma(shape + sums, rate + exposure), entry by entry.

    Parameters
    ----------
    blocks : int64 (B + 1,)
        Block b has the rows blocks[b]..blocks[b + 1] - 1.
    sums : float64 (rows, padded)
    exposure : float64 (rows or 1, padded)
    shape, rate : float64 (rows or 1, K or 1)
    generators : uint64 (B, 8)
        Of numerics.random; advanced.
    mean : float64 (rows, K)
        The means of these distributions; written to.
    table : float64 (rows, padded)
        The draws, at least FLOOR; written to.
    """
    for b in prange(blocks.size - 1):
        _draw_rows(blocks[b], blocks[b + 1], sums, exposure, shape, rate, generators[b], mean, table)


@kernel(_nrt=False)
def _draw_rows(first, end, sums, exposure, shape, rate, generator, mean, table):
    K = np.uint64(mean.shape[1])
    for row in range(first, end):
        i = np.uint64(row)
        e, s, r = shared_index(exposure, 0, i), shared_index(shape, 0, i), shared_index(rate, 0, i)
        for place in range(K):
            k = np.uint64(place)
            alpha = shape[s, shared_index(shape, 1, k)] + sums[i, k]
            scale = 1.0 / (rate[r, shared_index(rate, 1, k)] + exposure[e, k])
            mean[i, k] = alpha * scale
            table[i, k] = max(standard_gamma(generator, alpha) * scale, FLOOR)


draw_factor_serial, draw_factor_parallel = serial_and_parallel(draw_factor)
