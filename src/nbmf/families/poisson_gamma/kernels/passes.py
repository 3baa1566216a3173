"""Passes over the entries above zero: what they expect of each component.

An entry (f, n) with value x has the rate r = Σ_k w_fk h_nk of two tables, W (F, K) and H' (N, K).
Its share of component k is ratio * w_fk * h_nk, with the ratio x / r of a Poisson count, and
1 / (1 - e^-r) of a Bernoulli-Poisson one, whose expected count given that it is not zero is
r / (1 - e^-r). Entries of zero have no shares and are not visited; nor are missing ones.

Tables have K padded to whole lanes by zeros; all of a call are float64, or all float32. Rates and ratios are float64
in either case, and sums of the type of their table. Rows are divided into blocks, whatever the number of threads, and
sums of a block are added entry by entry, in the order of the entries, so that the same tables give the same bits.
"""

import math

import numpy as np
from numba import prange

from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.lanes import LANES, load, spread, store, total

SMALL, LARGE = 1e-2, 30.0  # rates between which the Bernoulli-Poisson link needs its full formula


@inner_kernel
def product(A, i, B, j):
    """Return Σ_k a_ik b_jk of two tables."""
    zero, step, K = np.uint64(0), np.uint64(LANES), np.uint64(A.shape[1])
    lanes = load(A, i, zero) * load(B, j, zero)
    k = step
    while k < K:
        lanes = lanes + load(A, i, k) * load(B, j, k)
        k += step
    return total(lanes)


@inner_kernel
def add_multiple(target, i, factor, source, j):
    """Add factor * source[j] to target[i]."""
    step, K = np.uint64(LANES), np.uint64(target.shape[1])
    lanes = spread(target.dtype.type(factor))
    k = np.uint64(0)
    while k < K:
        store(target, i, k, load(target, i, k) + lanes * load(source, j, k))
        k += step


@inner_kernel
def ratio_of(x, r, is_binary):
    """Return E[count] / r given the rate r > 0 and the value x > 0."""
    if not is_binary:
        return x / r
    if r < SMALL:  # 1 / (1 - e^-r) loses digits; the next term is r^5 / 30240
        return 1.0 / r + 0.5 + r * (1.0 / 12.0 - r * r * (1.0 / 720.0))
    return 1.0 / (1.0 - math.exp(-r))


def pass_both(blocks, start, index, value, W, H, is_binary, S_W, parts):
    """Set S_W to Σ ratio h_n over entries of each row, and a part per block to Σ ratio w_f of each column.

    Parameters
    ----------
    blocks : int64 (B + 1,)
        Block b has the rows blocks[b]..blocks[b + 1] - 1.
    start, index, value : int64 (F + 1,), uint32 and float64 (entries,)
        Entries above zero row by row.
    W, H : float64 or float32 (F, K), (N, K)
    is_binary : bool
        The link.
    S_W, parts : as W (F, K), and as H (B, N, K)
        Written to.
    """
    for b in prange(blocks.size - 1):
        _pass_block(blocks[b], blocks[b + 1], start, index, value, W, H, is_binary, S_W, parts[b])


@kernel(_nrt=False)
def _pass_block(first, end, start, index, value, W, H, is_binary, S_W, S_H):
    S_W[first:end] = 0.0
    S_H[:] = 0.0
    for row in range(first, end):
        f = np.uint64(row)
        for e in range(start[f], start[f + np.uint64(1)]):
            n = np.uint64(index[e])
            ratio = ratio_of(value[e], np.float64(product(W, f, H, n)), is_binary)
            add_multiple(S_W, f, ratio, H, n)
            add_multiple(S_H, n, ratio, W, f)


pass_both_serial, pass_both_parallel = serial_and_parallel(pass_both)


def add_parts(parts, S):
    """Set S (N, K) to the sum of the parts (B, N, K), from the first."""
    for n in prange(S.shape[0]):
        for k in range(S.shape[1]):
            S[n, k] = parts[0, n, k]
        for b in range(1, parts.shape[0]):
            for k in range(S.shape[1]):
                S[n, k] += parts[b, n, k]


add_parts_serial, add_parts_parallel = serial_and_parallel(add_parts)


def pass_one(blocks, start, index, value, A, B, is_binary, S):
    """Set S to Σ ratio b_j over the entries of each row; rows have A, what they meet has B."""
    for b in prange(blocks.size - 1):
        _pass_one_block(blocks[b], blocks[b + 1], start, index, value, A, B, is_binary, S)


@kernel(_nrt=False)
def _pass_one_block(first, end, start, index, value, A, B, is_binary, S):
    S[first:end] = 0.0
    for row in range(first, end):
        i = np.uint64(row)
        for e in range(start[i], start[i + np.uint64(1)]):
            j = np.uint64(index[e])
            ratio = ratio_of(value[e], np.float64(product(A, i, B, j)), is_binary)
            add_multiple(S, i, ratio, B, j)


pass_one_serial, pass_one_parallel = serial_and_parallel(pass_one)


def log_terms(blocks, start, index, value, W, H, is_binary, sums):
    """Set the sum of each block to Σ x log r, or Σ log(e^r - 1) of the Bernoulli-Poisson link, over its entries."""
    for b in prange(blocks.size - 1):
        sums[b] = _log_terms_of_block(blocks[b], blocks[b + 1], start, index, value, W, H, is_binary)


@kernel(_nrt=False)
def _log_terms_of_block(first, end, start, index, value, W, H, is_binary):
    result = 0.0
    for row in range(first, end):
        f = np.uint64(row)
        for e in range(start[f], start[f + np.uint64(1)]):
            r = np.float64(product(W, f, H, np.uint64(index[e])))
            if not is_binary:
                result += value[e] * math.log(r)
            elif r > LARGE:
                result += r  # e^-r is below the last digit
            else:
                result += math.log(math.expm1(r))
    return result


log_terms_serial, log_terms_parallel = serial_and_parallel(log_terms)


@kernel
def ratios(values, is_binary, rates):
    """Turn rates, (F, N), into ratios in place: 0 where values are 0, else as `ratio_of`.

    A rate that is too small for its precision is taken for the least that is not.
    """
    rate, x = rates.reshape(-1), values.reshape(-1)
    least = rates.dtype.type(1e-30 if rates.itemsize == 4 else 1e-300)
    if not is_binary:
        for e in range(rate.size):
            rate[e] = x[e] / max(rate[e], least)
        return
    for e in range(rate.size):
        rate[e] = ratio_of(1.0, np.float64(max(rate[e], least)), True) if x[e] > 0 else 0.0
