"""Draws of how many events of each count come from each component.

The sources of an entry with x events are multinomial, with chances in proportion to w_fk h_nk.
Only their sums over rows and over columns are kept. A Bernoulli-Poisson one has x ~ Poisson(r)
given x > 0, r = Σ_k w_fk h_nk, which is drawn first.

Few events draw their components one by one; many are shared out along the components by binomial
draws. Weights are summed by blocks of LANES components, so that a search looks at one block.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.lanes import LANES, count_at_most, load, running, store, total
from nbmf.numerics.random import uniform

FEW = 16  # events per component, up to which components are drawn one by one
LONGEST = 10.0  # mean of what is drawn by search from below
INVERSE = np.concatenate([[0.0], 1.0 / np.arange(1, 129)])  # divisions, made once


@inner_kernel
def weigh(W, f, H, n, weight, sums):
    """Write w_fk h_nk to weight (1, K) and their sums by blocks to sums; return the sum of all."""
    zero, step, K = np.uint64(0), np.uint64(LANES), np.uint64(W.shape[1])
    k, block = np.uint64(0), np.uint64(0)
    everything = 0.0
    while k < K:
        lanes = load(W, f, k) * load(H, n, k)
        store(weight, zero, k, lanes)
        sums[block] = total(lanes)
        everything += sums[block]
        k += step
        block += np.uint64(1)
    return everything


@inner_kernel
def component(place, weight, sums, K):
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
    run = running(load(weight, zero, block * step))
    return min(block * step + count_at_most(run, place - before), last)


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
    while True:  # a sum of draws with smaller means
        parts = int(r / LONGEST) + 1
        limit = math.exp(-r / parts)
        x = 0
        for _ in range(parts):
            chance, u = limit, uniform(generator)
            y = 0
            while u >= chance and chance > 0.0:
                u -= chance
                y += 1
                chance *= r / (parts * y)
            x += y
        if x > 0:
            return x


@inner_kernel
def binomial(n, p, generator):
    """Return a draw from Binomial(n, p), 0 <= p <= 1."""
    flipped = p > 0.5
    if flipped:
        p = 1.0 - p
    drawn, left = 0, n
    odds = p / (1.0 - p)
    while left > 0 and p > 0.0:  # parts with means of at most LONGEST
        part = left if left * p <= LONGEST else int(LONGEST / p)
        left -= part
        chance, u, y = math.exp(part * math.log1p(-p)), uniform(generator), 0
        while u >= chance and y < part:
            u -= chance
            y += 1
            inverse = INVERSE[y] if y < INVERSE.size else 1.0 / y
            chance *= odds * (part - y + 1) * inverse
        drawn += y
    return n - drawn if flipped else drawn


@kernel
def draw_sources(start, index, value, W, H, K, is_binary, generator, S_W, S_H):
    """Draw the sources of all entries; write their sums to S_W and S_H.

    Parameters
    ----------
    start, index, value : int64 (F + 1,), uint32 and float64 (entries,)
        Entries above zero row by row: their columns and counts. With `is_binary` counts are drawn.
    W, H : float64 (F, padded), (N, padded)
    K : int
        Components.
    is_binary : bool
    generator : uint64 (8,)
        Of numerics.random; advanced.
    S_W, S_H : float64 (F, padded), (N, padded)
        Written to.
    """
    S_W[:] = 0.0
    S_H[:] = 0.0
    weight, sums = np.zeros((1, W.shape[1])), np.zeros(W.shape[1] // LANES)
    row = np.uint64(0)
    for line in range(start.size - 1):
        f = np.uint64(line)
        for e in range(start[f], start[f + np.uint64(1)]):
            n = np.uint64(index[e])
            r = weigh(W, f, H, n, weight, sums)
            x = positive_poisson(r, generator) if is_binary else int(value[e])
            if x <= FEW * K:
                for _ in range(x):
                    k = component(uniform(generator) * r, weight, sums, K)
                    S_W[f, k] += 1.0
                    S_H[n, k] += 1.0
                continue
            for place in range(K - 1):
                k = np.uint64(place)
                if x == 0:
                    break
                share = weight[row, k]
                drawn = binomial(x, min(share / r, 1.0) if r > 0.0 else 1.0, generator)
                r -= share
                x -= drawn
                S_W[f, k] += drawn
                S_H[n, k] += drawn
            S_W[f, np.uint64(K - 1)] += x
            S_H[n, np.uint64(K - 1)] += x
