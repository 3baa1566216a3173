"""Log-odds scaled up and down, with the Pólya-Gamma variables integrated out.

Given these variables, log-odds far from 0 hardly move from sweep to sweep: their size is what a
chain of a nearly separable matrix learns last. Three Metropolis steps move sizes by the likelihood
itself: of all log-odds at once, of those of a row, of those of a column. They come at the end of
a sweep; the next one draws the variables anew before it uses them.
"""

import math

from nbmf.families.buffet.kernels.conditionals import HUGE
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, ROW_EFFECT, SLAB
from nbmf.families.buffet.kernels.shared import sum_of_squares
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

ALL, LINE = (-3.5, -1.0), (-3.0, 0.0)  # logarithms of the least and the largest step, of t below


@inner_kernel
def step(widths, generator):
    """Return t = log of a factor, N(0, s²) with log s uniform: t and -t are as probable."""
    s = math.exp(widths[0] + (widths[1] - widths[0]) * uniform(generator))
    return s * standard_normal(generator)


@inner_kernel
def likelihood_gain(signal, observed, shift, along, size, factor):
    """Return by how much log p(v) of a line grows if `along`, a part of its log-odds, is scaled.

    The log-odds are shift + along, and become shift + factor along: float arrays, one number for
    each cell. Cells that are not observed say nothing.
    """
    total, before, after = 0.0, 1.0, 1.0
    for i in range(size):
        if observed[i]:
            was, now = shift[i] + along[i], shift[i] + factor * along[i]
            if signal[i] < 0.0:
                was, now = -was, -now
            total += min(now, 0.0) - min(was, 0.0)
            before *= 1.0 + math.exp(-abs(was))
            after *= 1.0 + math.exp(-abs(now))
            if max(before, after) > HUGE:
                total += math.log(before) - math.log(after)
                before = after = 1.0
    return total + math.log(before) - math.log(after)


@inner_kernel
def prior_gain(t, count, squares):
    """Return what the prior and the Jacobian say of e^t times `count` numbers that are N(0, 1).

    `squares` is the sum of their squares before.
    """
    return count * t - 0.5 * math.expm1(2.0 * t) * squares


@inner_kernel
def family_gain(t, number, count, squares, numbers, priors):
    """Return the same of `count` numbers that are N(0, variance): a learned variance gets e^2t.

    Their own densities and Jacobian then cancel, and the inverse Gamma law of the variance is left.
    """
    if priors[number, 0] > 0.0:
        shape, rate = priors[number, 0], priors[number, 1]
        return -2.0 * shape * t - rate / numbers[number] * math.expm1(-2.0 * t)
    return prior_gain(t, count, squares / numbers[number])


@inner_kernel
def set_log_odds(p, n, K, B, Z, effects, psi):
    """Set psi to μ + ν + BZ."""
    rows, columns = effects
    for j in range(p):
        for i in range(n):
            psi[j, i] = rows[j] + columns[i]
        for k in range(K):
            if B[j, k] != 0.0:
                for i in range(n):
                    psi[j, i] += B[j, k] * Z[k, i]


@inner_kernel
def scale_numbers(j, n, K, rows, B, psi, factor):
    """Scale the effect and the loadings of a row, and what psi has of it."""
    rows[j] *= factor
    for k in range(K):
        B[j, k] *= factor
    for i in range(n):
        psi[j, i] *= factor


@inner_kernel
def scale_all(p, n, K, signal, observed, B, takers, effects, numbers, priors, psi, nothing, generator):
    """Scale loadings and effects by one factor, learned variances of these by its square."""
    rows, columns = effects
    t = step(ALL, generator)
    factor = math.exp(t)
    gain = family_gain(t, ROW_EFFECT, p, sum_of_squares(rows, p), numbers, priors)
    gain += family_gain(t, COLUMN_EFFECT, n, sum_of_squares(columns, n), numbers, priors)
    taken, squares = 0, 0.0
    for k in range(K):
        taken += takers[k]
    for j in range(p):
        squares += sum_of_squares(B[j], K)
        gain += likelihood_gain(signal[j], observed[j], nothing, psi[j], n, factor)
    gain += family_gain(t, SLAB, taken, squares, numbers, priors)
    if math.log(1.0 - uniform(generator)) >= gain:
        return
    for j in range(p):
        scale_numbers(j, n, K, rows, B, psi, factor)
    for i in range(n):
        columns[i] *= factor
    for number in (SLAB, ROW_EFFECT, COLUMN_EFFECT):
        if priors[number, 0] > 0.0:
            numbers[number] *= factor * factor


@inner_kernel
def scale_row(j, n, K, signal, observed, B, effects, numbers, psi, generator):
    """Scale the loadings and the effect of a row; psi[j] is ν + B_j Z afterwards."""
    rows, columns = effects
    t = step(LINE, generator)
    factor, count, squares = math.exp(t), 1, rows[j] * rows[j] / numbers[ROW_EFFECT]
    for k in range(K):
        if B[j, k] != 0.0:
            count += 1
            squares += B[j, k] * B[j, k] / numbers[SLAB]
    for i in range(n):
        psi[j, i] -= columns[i]
    gain = likelihood_gain(signal[j], observed[j], columns, psi[j], n, factor)
    if math.log(1.0 - uniform(generator)) < gain + prior_gain(t, count, squares):
        scale_numbers(j, n, K, rows, B, psi, factor)
    for i in range(n):
        psi[j, i] += columns[i] - rows[j]


@inner_kernel
def scale_column(i, p, K, signal, observed, Z, effects, numbers, psi, generator):
    """Scale the scores and the effect of a column, of which psi is ν + BZ."""
    rows, columns = effects
    t = step(LINE, generator)
    factor, squares = math.exp(t), columns[i] * columns[i] / numbers[COLUMN_EFFECT]
    for k in range(K):
        squares += Z[k, i] * Z[k, i]
    gain = likelihood_gain(signal[:, i], observed[:, i], rows, psi[:, i], p, factor)
    if math.log(1.0 - uniform(generator)) < gain + prior_gain(t, K + 1, squares):
        columns[i] *= factor
        for k in range(K):
            Z[k, i] *= factor


@kernel
def scale_log_odds(K, signal, observed, B, Z, takers, effects, numbers, priors, work, generator):
    """Do the three steps once: all log-odds, each row, each column.

    signal, observed : float and bool arrays (p, n), v - ½ of a binary matrix, and whether it is
        there
    work : float arrays (p, n), overwritten, and (n,), zeros
    """
    (p, n), (psi, nothing) = signal.shape, work
    set_log_odds(p, n, K, B, Z, effects, psi)
    scale_all(p, n, K, signal, observed, B, takers, effects, numbers, priors, psi, nothing, generator)
    for j in range(p):
        scale_row(j, n, K, signal, observed, B, effects, numbers, psi, generator)
    for i in range(n):
        scale_column(i, p, K, signal, observed, Z, effects, numbers, psi, generator)
