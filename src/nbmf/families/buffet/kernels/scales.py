"""Log-odds scaled up and down, with the Pólya-Gamma variables integrated out.

Given these variables, log-odds far from 0 hardly move from sweep to sweep: their size is what a
chain of a nearly separable matrix learns last. Three Metropolis steps move sizes by the likelihood
itself: of all log-odds at once, of those of a row, of those of a column. They come at the end of
a sweep; the next one draws the variables anew before it uses them.
"""

import math

from nbmf.families.buffet.kernels.conditionals import HUGE
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, ROW_EFFECT, SLAB
from nbmf.families.buffet.kernels.shared import sum_of_squares
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.normal_effects import COLUMNS, ROWS, center_of, squares_around
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

ALL, LINE = (-3.5, -1.0), (-3.0, 0.0)  # logarithms of the least and the largest step, of t below


@inner_kernel
def draw_log_factor(widths, generator):
    """Return t = log of a factor, N(0, s²) with log s uniform: t and -t are as probable."""
    s = math.exp(widths[0] + (widths[1] - widths[0]) * uniform(generator))
    return s * standard_normal(generator)


@inner_kernel
def likelihood_gain(signal, observed, shift, along, size, factor):
    """Return by how much log p(v) of a row or column grows if `along`, a part of its log-odds, is scaled.

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
    """Return what the prior and the Jacobian say about e^t times `count` numbers that are N(0, 1).

    `squares` is the sum of their squares before.
    """
    return count * t - 0.5 * math.expm1(2.0 * t) * squares


@inner_kernel
def family_gain(t, number, count, squares, numbers, priors):
    """Return the `prior_gain` of `count` numbers that are N(0, variance): a learned variance gets e^2t.

    Their own densities and Jacobian then cancel, and the inverse Gamma distribution of the variance is left.
    """
    if priors[number, 0] > 0.0:
        shape, rate = priors[number, 0], priors[number, 1]
        return -2.0 * shape * t - rate / numbers[number] * math.expm1(-2.0 * t)
    return prior_gain(t, count, squares / numbers[number])


@inner_kernel
def centered_gain(factor, x, center, variance):
    """Return what the prior of a number N(center, variance) says about `factor` x, more than that of one around 0."""
    return center * x * (factor - 1.0) / variance


@inner_kernel
def set_log_odds(K, state, psi):
    """Set psi to μ + ν + BZ."""
    p, n = psi.shape
    for j in range(p):
        for i in range(n):
            psi[j, i] = state.row_effects[j] + state.column_effects[i]
        for k in range(K):
            if state.B[j, k] != 0.0:
                for i in range(n):
                    psi[j, i] += state.B[j, k] * state.Z[k, i]


@inner_kernel
def scale_numbers(j, K, state, psi, factor):
    """Scale the effect and the loadings of a row, and what psi has of it."""
    state.row_effects[j] *= factor
    for k in range(K):
        state.B[j, k] *= factor
    for i in range(psi.shape[1]):
        psi[j, i] *= factor


@kernel(_nrt=False)
def scale_all(K, matrix, state, number_priors, psi, nothing, generator):
    """Scale loadings, effects and the intercept by one factor, learned variances of these by its square."""
    (p, n), numbers, rows, columns = psi.shape, state.numbers, state.row_effects, state.column_effects
    t = draw_log_factor(ALL, generator)
    factor, values, gain = math.exp(t), numbers[ROW_EFFECT:], 0.0
    if numbers[ROW_EFFECT] > 0.0:
        gain += family_gain(t, ROW_EFFECT, p, squares_around(rows, center_of(values, ROWS)), numbers, number_priors)
    if numbers[COLUMN_EFFECT] > 0.0:
        squares = squares_around(columns, center_of(values, COLUMNS))
        gain += family_gain(t, COLUMN_EFFECT, n, squares, numbers, number_priors)
    if number_priors[INTERCEPT, 0] > 0.0:
        gain += prior_gain(t, 1, numbers[INTERCEPT] * numbers[INTERCEPT] / number_priors[INTERCEPT, 0])
    count, squares = 0, 0.0
    for k in range(K):
        count += state.feature_counts[k]
    for j in range(p):
        squares += sum_of_squares(state.B[j], K)
        gain += likelihood_gain(matrix.signal[j], matrix.observed[j], nothing, psi[j], n, factor)
    gain += family_gain(t, SLAB, count, squares, numbers, number_priors)
    if math.log(1.0 - uniform(generator)) >= gain:
        return
    for j in range(p):
        scale_numbers(j, K, state, psi, factor)
    for i in range(n):
        columns[i] *= factor
    numbers[INTERCEPT] *= factor
    for number in (SLAB, ROW_EFFECT, COLUMN_EFFECT):
        if number_priors[number, 0] > 0.0:
            numbers[number] *= factor * factor


@kernel(_nrt=False)
def scale_row(j, K, matrix, state, psi, generator):
    """Scale the loadings and the effect of a row; psi[j] is ν + B_j Z afterwards."""
    n, B, numbers, rows, columns = psi.shape[1], state.B, state.numbers, state.row_effects, state.column_effects
    t = draw_log_factor(LINE, generator)
    factor, count, squares, center_gain = math.exp(t), 0, 0.0, 0.0
    if numbers[ROW_EFFECT] > 0.0:
        count, squares = 1, rows[j] * rows[j] / numbers[ROW_EFFECT]
        center_gain = centered_gain(factor, rows[j], center_of(numbers[ROW_EFFECT:], ROWS), numbers[ROW_EFFECT])
    for k in range(K):
        if B[j, k] != 0.0:
            count += 1
            squares += B[j, k] * B[j, k] / numbers[SLAB]
    for i in range(n):
        psi[j, i] -= columns[i]
    gain = likelihood_gain(matrix.signal[j], matrix.observed[j], columns, psi[j], n, factor) + center_gain
    if math.log(1.0 - uniform(generator)) < gain + prior_gain(t, count, squares):
        scale_numbers(j, K, state, psi, factor)
    for i in range(n):
        psi[j, i] += columns[i] - rows[j]


@kernel(_nrt=False)
def scale_column(i, K, matrix, state, psi, generator):
    """Scale the scores and the effect of a column, of which psi is ν + BZ."""
    p, Z, rows, columns = psi.shape[0], state.Z, state.row_effects, state.column_effects
    t = draw_log_factor(LINE, generator)
    factor, count, squares, center_gain, variance = math.exp(t), K, 0.0, 0.0, state.numbers[COLUMN_EFFECT]
    if variance > 0.0:
        count, squares = K + 1, columns[i] * columns[i] / variance
        center_gain = centered_gain(factor, columns[i], center_of(state.numbers[ROW_EFFECT:], COLUMNS), variance)
    for k in range(K):
        squares += Z[k, i] * Z[k, i]
    gain = likelihood_gain(matrix.signal[:, i], matrix.observed[:, i], rows, psi[:, i], p, factor) + center_gain
    if math.log(1.0 - uniform(generator)) < gain + prior_gain(t, count, squares):
        columns[i] *= factor
        for k in range(K):
            Z[k, i] *= factor


@kernel
def scale_log_odds(K, matrix, state, number_priors, psi, nothing, generator):
    """Do the three steps once: all log-odds, each row, each column.

    Parameters
    ----------
    K : int
    matrix : Matrix
        A binary one.
    state : StateArrays
    number_priors : float array (6, 2)
        See PriorTables.
    psi, nothing : float arrays (p, n), overwritten, and (n,), zeros
    generator : uint64 array (8,)
    """
    set_log_odds(K, state, psi)
    scale_all(K, matrix, state, number_priors, psi, nothing, generator)
    for j in range(psi.shape[0]):
        scale_row(j, K, matrix, state, psi, generator)
    for i in range(psi.shape[1]):
        scale_column(i, K, matrix, state, psi, generator)
