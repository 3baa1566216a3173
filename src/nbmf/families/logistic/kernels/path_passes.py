"""Draws of step variances, signs and the mean of columns given paths, and what these say about cells.

kernels.paths has the paths, and the words for them.
"""

import math

import numba
import numpy as np

from nbmf.families.logistic.kernels.paths import CURVATURE, SLOPE, SQUARES
from nbmf.families.logistic.kernels.relevance import draw_scales
from nbmf.families.logistic.kernels.tilting import tilted_mean
from nbmf.numerics.compilation import kernel, serial_and_parallel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma, standard_normal


@kernel
def draw_variances(generator, sums, steps, shape, rate, variances, scales):
    """Draw s ~ inverse gamma(shape, rate) given paths: twice, so that neither way of writing a path holds it fast.

    First with the steps over √s as they are, which makes the steps longer or shorter, then given the steps (Yu and Meng
    2011). One s after another.

    Parameters
    ----------
    generator : uint64 array (8,)
    sums : float array (S, 3)
        Of the rows that have the same s, their sum.
    steps : float array (S,)
        How many numbers ~ N(0, s) there are.
    shape, rate : float
    variances : float array (S,)
        Read and overwritten.
    scales : float array (S,)
        Overwritten: what the steps are to be multiplied by.
    """
    slope, curvature, precision = np.empty(1), np.empty((1, 1)), np.empty(1)
    for s in range(variances.size):
        slope[0], curvature[0, 0], precision[0] = sums[s, SLOPE], sums[s, CURVATURE], 1.0 / variances[s]
        draw_scales(generator, slope, curvature, shape, rate, precision, scales[s : s + 1])
        squares = sums[s, SQUARES] * scales[s] * scales[s]
        variances[s] = (rate + 0.5 * squares) / standard_gamma(generator, shape + 0.5 * steps[s])


@kernel
def draw_means(generator, V, alpha, mean):
    """Draw µ_k given v_nk ~ N(µ_k, 1/α_k), µ_k ~ N(0, 1/α_k).

    Parameters
    ----------
    generator : uint64 array (8,)
    V : float array (N, K and more)
    alpha : float array (K,)
    mean : float array (K,)
        Overwritten.
    """
    parts = V.shape[0] + 1
    for k in range(mean.size):
        total = 0.0
        for n in range(V.shape[0]):
            total += V[n, k]
        mean[k] = total / parts + standard_normal(generator) / math.sqrt(alpha[k] * parts)


@kernel
def draw_flips(generator, spans, gaps, variances, column_periods, alpha, u, V):
    """Turn the sign of a coordinate from a period on, for every coordinate and period, or not: a Metropolis step.

    ψ stays, and so does the prior but for the step that rows with cells on both sides make, and for what columns of
    both sides say of their mean, which is integrated out and has to be drawn next. Without this step a chain in which
    the sides of a period have opposite signs would keep them. Of a row whose cells all come later all periods turn, of
    one whose cells all come before none does.

    Parameters
    ----------
    generator : uint64 array (8,)
    spans, gaps, variances, u
        As of `update_paths`.
    column_periods : int64 array (N,)
    alpha : float array (K,)
    V : float array (N, K and more)
        The first K of each column turn with the rows.
    """
    F, T, K = spans.shape[0], gaps.size + 1, u.shape[1]
    for t in range(T - 1):
        for k in range(K):
            total = 0.0
            for i in range(F):
                if spans[i, 0] <= t < spans[i, 1]:
                    total += u[i * T + t, k] * u[i * T + t + 1, k] / (variances[i] * gaps[t])
            earlier, later = 0.0, 0.0
            for n in range(V.shape[0]):
                if column_periods[n] > t:
                    later += V[n, k]
                else:
                    earlier += V[n, k]
            total += alpha[k] * earlier * later / (V.shape[0] + 1)
            if math.log(1.0 - uniform(generator)) >= -2.0 * total:
                continue
            for i in range(F):
                if spans[i, 1] > t:
                    for period in range(t + 1 if spans[i, 0] <= t else 0, T):
                        u[i * T + period, k] = -u[i * T + period, k]
            for n in range(V.shape[0]):
                if column_periods[n] > t:
                    V[n, k] = -V[n, k]


@kernel
def log_odds(start, index, place, u, design, offset, psi):
    """Write ψ = offset + x u of every cell; lists of nodes, as of kernels.gibbs.update_rows."""
    for node in range(start.size - 1):
        for cell in range(start[node], start[node + 1]):
            j = np.uint64(index[cell])
            total = offset[j]
            for k in range(u.shape[1]):
                total += u[node, k] * design[j, k]
            psi[place[cell]] = total


@kernel(_nrt=False, fastmath={"contract"})
def _add_row(first_node, u, H, column_effects, column_periods, psi, mean_sum):
    for n in range(psi.size):
        psi[n] = column_effects[n]
    for k in range(H.shape[0]):
        for n in range(psi.size):
            psi[n] += u[first_node + column_periods[n], k] * H[k, n]
    for n in range(psi.size):
        mean_sum[n] += 0.5 + psi[n] * tilted_mean(psi[n] * psi[n])


def add_means(u, H, column_effects, column_periods, n_periods, psi, mean_sum):
    """Write ψ (F, N), and add σ(ψ) to `mean_sum`; see kernels.gibbs.add_means."""
    for f in numba.prange(psi.shape[0]):
        _add_row(np.int64(f) * n_periods, u, H, column_effects, column_periods, psi[f], mean_sum[f])


add_means_serial, add_means_parallel = serial_and_parallel(add_means)
