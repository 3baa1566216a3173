"""What the observed cells of a Gibbs chain have besides ω: sizes of counts, and explicit noise.

Cells lie row by row. Columns list theirs in an order of their own, with the place of each.
"""

import math

import numba
import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.polya_gamma import polya_gamma
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma, standard_normal


@kernel
def log_odds(start, index, u, design, offset, psi):
    """Write ψ = offset + x u of every cell, row by row; see kernels.gibbs.update_rows."""
    for i in range(start.size - 1):
        for cell in range(start[i], start[i + 1]):
            j = np.uint64(index[cell])
            total = offset[j]
            for k in range(u.shape[1]):
                total += u[i, k] * design[j, k]
            psi[cell] = total


@inner_kernel
def log_1p_exp(psi):
    """Return log(1 + e^ψ)."""
    return max(psi, 0.0) + math.log1p(math.exp(-abs(psi)))


@inner_kernel
def draw_tables(generator, x, r):
    """Return how many tables x customers of a Chinese restaurant with concentration r sit at."""
    if x == 0:
        return 0
    tables = 1
    for seated in range(1, x):
        if uniform(generator) * (r + seated) < r:
            tables += 1
    return tables


@kernel(_nrt=False)
def _draw_size(first, end, place, counts, psi, shape, rate, r, generator):
    """Return a draw of the size of a column given ψ, by way of tables; ω is integrated out."""
    tables = 0
    for cell in range(first, end):
        at = np.uint64(place[cell])
        tables += draw_tables(generator, counts[at], r)
        rate += log_1p_exp(psi[at])
    return standard_gamma(generator, shape + tables) / rate


def draw_sizes(start, place, counts, psi, shape, rate, sizes, trials, kappa, generators):
    """Draw the size r of each column and set what depends on it.

        x ~ NB(r, σ(ψ)),   r ~ Gamma(shape, rate):
        l ~ CRT(x, r),   r ~ Gamma(shape + Σ l, rate + Σ log(1 + e^ψ)).

    Parameters
    ----------
    start, place : int64 array (N + 1,), uint32 array (cells,)
        Column n has the cells place[start[n]]..place[start[n + 1] - 1].
    counts, psi : int64, float arrays (cells,)
    shape, rate : float
        Of the prior.
    sizes : float array (N,)
        r, read and overwritten.
    trials, kappa : float arrays (cells,)
        Overwritten by x + r and (x - r) / 2.
    generators : uint64 array (N, 8)
    """
    for n in numba.prange(sizes.size):
        sizes[n] = _draw_size(start[n], start[n + 1], place, counts, psi, shape, rate, sizes[n], generators[n])
        for cell in range(start[n], start[n + 1]):
            at = np.uint64(place[cell])
            trials[at] = counts[at] + sizes[n]
            kappa[at] = 0.5 * (counts[at] - sizes[n])


draw_sizes_serial, draw_sizes_parallel = serial_and_parallel(draw_sizes)


@kernel(_nrt=False)
def _draw_noisy_block(first, end, trials, kappa, mean, tau, psi, generator):
    """Draw ψ of the cells first..end-1; return the sum of their (ψ - mean)²."""
    squares = 0.0
    for cell in range(first, end):
        precision = tau + polya_gamma(generator, trials[cell], psi[cell])
        center = (tau * mean[cell] + kappa[cell]) / precision
        psi[cell] = center + standard_normal(generator) / math.sqrt(precision)
        squares += (psi[cell] - mean[cell]) ** 2
    return squares


def draw_noisy(block_start, trials, kappa, mean, tau, psi, squares, generators):
    """Draw ω ~ PG(trials, ψ), and ψ ~ N((τ mean + κ) / (ω + τ), 1 / (ω + τ)), of every cell.

    Parameters
    ----------
    block_start : int64 array (B + 1,)
        Block k has the cells block_start[k]..block_start[k + 1] - 1 and a stream of its own.
    trials, kappa, mean : float arrays (cells,)
        b of the weights, κ, and ψ without noise.
    tau : float
        Precision of the noise.
    psi : float array (cells,)
        Read and overwritten.
    squares : float array (B,)
        Sums of (ψ - mean)² over the blocks.
    generators : uint64 array (B, 8)
    """
    for k in numba.prange(block_start.size - 1):
        squares[k] = _draw_noisy_block(block_start[k], block_start[k + 1], trials, kappa, mean, tau, psi, generators[k])


draw_noisy_serial, draw_noisy_parallel = serial_and_parallel(draw_noisy)


@kernel
def draw_gamma(generator, shape):
    """Return a draw from the gamma distribution of a shape and scale 1."""
    return standard_gamma(generator, shape)
