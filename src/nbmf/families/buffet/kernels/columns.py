"""Whole columns that are born and die, where a birth of singletons, or a death, would not pay.

A column that several rows share can come or go one row at a time only, through states that are
much less probable where λ is tiny. So a birth picks a row and lets the residuals say what column
there could be with this row in it: a few rounds of mean field, whose q(z), with either sign, draws
the scores; each row then takes the column, and its loading is drawn, by its exact distribution given these
scores. A death picks a column and one of its rows. Both are Metropolis-Hastings steps that reverse
each other: the residuals without the column, and the row, are the same in both.
"""

import math
from typing import NamedTuple

import numpy as np

from nbmf.families.buffet.kernels.conditionals import loading_mean, loading_variance, product
from nbmf.families.buffet.kernels.numbers import MASS, NOISE, SLAB
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

ROUNDS = 2  # of mean field
FAINT = 1e-4  # probability of a row that has no part in the next round


class ColumnWork(NamedTuple):
    """Room to work in; P holds the Pólya-Gamma variables of a binary matrix, the rest is overwritten.

    P, E : float arrays (p, n), precisions of the cells and P r, residuals without the column
    z, precision : float arrays (2 n,), of q(z) = Π N(z_i, 1 / precision_i) the first n numbers
    squares : float array (n,), E[z²] or z²
    scores, loadings : float arrays (n,), (p,), of the column that is born or dies
    """

    P: np.ndarray
    E: np.ndarray
    z: np.ndarray
    precision: np.ndarray
    squares: np.ndarray
    scores: np.ndarray
    loadings: np.ndarray


@inner_kernel
def log_one_plus_exp(x):
    """Return log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@inner_kernel
def set_residuals(K, matrix, state, P, E):
    """Set E = P r of all cells; P of a Gaussian matrix is set, too."""
    logit, signal, observed = matrix
    (p, n), B, Z, rows, columns = signal.shape, state.B, state.Z, state.row_effects, state.column_effects
    for j in range(p):
        for i in range(n):
            E[j, i] = 0.0
        for k in range(K):
            if B[j, k] != 0.0:
                for i in range(n):
                    E[j, i] += B[j, k] * Z[k, i]
        for i in range(n):
            if not observed[j, i]:
                P[j, i] = E[j, i] = 0.0
            elif logit:
                E[j, i] = signal[j, i] - P[j, i] * (rows[j] + columns[i] + E[j, i])
            else:
                P[j, i] = 1.0 / state.numbers[NOISE]
                E[j, i] = P[j, i] * (signal[j, i] - E[j, i])


@inner_kernel
def log_evidence(P, E, z, squares, n, slab):
    """Return mean and variance of a row's loading, and the log Bayes factor of its being there.

    P, E, z and `squares`, which stands for z², have n numbers.
    """
    variance, half_log = loading_variance(product(P, squares, n), slab)
    mean, evidence = loading_mean(product(E, z, n), variance, half_log)
    return mean, variance, evidence


@inner_kernel
def count_odds(count, p, a, kappa):
    """Return the log odds of a row to have a column that `count` others have, about."""
    return math.log((count + a) / (kappa + p - min(count, p - 0.5)))


@inner_kernel
def fit_column(row, slab, shape, work):
    """Fit a column that `row` has to the residuals; return the log odds that rows have it.

    work.z and work.precision are then those of q(z). shape : float array (2,), a and κ of the prior.
    """
    P, E, z, precision, squares = work.P, work.E, work.z, work.precision, work.squares
    (p, n), a, kappa = P.shape, shape[0], shape[1]
    for i in range(n):
        precision[i] = 1.0 + P[row, i] * slab
        z[i] = math.sqrt(slab) * E[row, i] / precision[i]
        squares[i] = z[i] * z[i] + 1.0 / precision[i]
    odds = count_odds(1.0, p, a, kappa)
    for _ in range(ROUNDS):
        count = 0.0
        # Behind the first n numbers: z itself is needed until the last row.
        for i in range(n):
            precision[n + i], z[n + i] = 1.0, 0.0
        for j in range(p):
            mean, variance, evidence = log_evidence(P[j], E[j], z, squares, n, slab)
            taken = 1.0 if j == row else math.exp(-log_one_plus_exp(-odds - evidence))
            count += taken
            if taken > FAINT:
                first, second = taken * mean, taken * (mean * mean + variance)
                for i in range(n):
                    precision[n + i] += P[j, i] * second
                    z[n + i] += E[j, i] * first
        for i in range(n):
            precision[i] = precision[n + i]
            z[i] = z[n + i] / precision[i]
            squares[i] = z[i] * z[i] + 1.0 / precision[i]
        odds = count_odds(count, p, a, kappa)
    return odds


@inner_kernel
def scores_log_ratio(scores, n, z, precision):
    """Return log of N(scores; 0, 1) over ½ q(scores) + ½ q(-scores)."""
    prior = plus = minus = 0.0
    for i in range(n):
        prior -= 0.5 * scores[i] * scores[i]
        log_sd = 0.5 * math.log(precision[i])
        plus += log_sd - 0.5 * precision[i] * (scores[i] - z[i]) ** 2
        minus += log_sd - 0.5 * precision[i] * (scores[i] + z[i]) ** 2
    return prior - plus - log_one_plus_exp(minus - plus) + math.log(2.0)


@inner_kernel
def draw_column(row, slab, odds, work, generator):
    """Draw the loadings of a column given its scores; `row` has it for sure."""
    P, E, scores, squares, loadings = work.P, work.E, work.scores, work.squares, work.loadings
    p, n = P.shape
    for i in range(n):
        squares[i] = scores[i] * scores[i]
    for j in range(p):
        mean, variance, evidence = log_evidence(P[j], E[j], scores, squares, n, slab)
        taken = 1.0 if j == row else math.exp(-log_one_plus_exp(-odds - evidence))
        loadings[j] = 0.0
        if uniform(generator) < taken:
            loadings[j] = mean + math.sqrt(variance) * standard_normal(generator)


@inner_kernel
def birth_log_ratio(row, K, odds, numbers, log_weights, work):
    """Return log A of the birth of a column next to K others; that of its death is the negative.

    Of loadings, proposed from their exact distribution, Bayes factors are left.
    """
    P, E, scores, squares, loadings = work.P, work.E, work.scores, work.squares, work.loadings
    p, n = P.shape
    total, count = scores_log_ratio(scores, n, work.z, work.precision), 0
    for i in range(n):
        squares[i] = scores[i] * scores[i]
    for j in range(p):
        _, _, evidence = log_evidence(P[j], E[j], scores, squares, n, numbers[SLAB])
        if loadings[j] != 0.0:
            count += 1
            total += evidence
            if j != row:
                total += log_one_plus_exp(-odds - evidence)
        else:
            total += log_one_plus_exp(odds + evidence)
    total += math.log(numbers[MASS]) + log_weights[count]
    return total + math.log(p / (count * (K + 1.0)))


@inner_kernel
def pick_row(k, state, generator):
    """Return one of the rows that have column k, all with the same probability."""
    left = int(state.feature_counts[k] * uniform(generator))
    for j in range(state.B.shape[0]):
        if state.B[j, k] != 0.0:
            if left == 0:
                return j
            left -= 1
    return -1


@inner_kernel
def propose_birth(K, state, shape, log_weights, work, generator):
    """Propose a column; return K afterwards. The state has room for one more."""
    (p, n), numbers, scores, loadings = work.P.shape, state.numbers, work.scores, work.loadings
    row = int(p * uniform(generator))
    odds = fit_column(row, numbers[SLAB], shape, work)
    sign = 1.0 if uniform(generator) < 0.5 else -1.0
    for i in range(n):
        scores[i] = sign * work.z[i] + standard_normal(generator) / math.sqrt(work.precision[i])
    draw_column(row, numbers[SLAB], odds, work, generator)
    log_A = birth_log_ratio(row, K, odds, numbers, log_weights, work)
    if math.log(1.0 - uniform(generator)) >= log_A:
        return K
    state.feature_counts[K] = 0
    for j in range(p):
        state.B[j, K] = loadings[j]
        state.feature_counts[K] += 1 if loadings[j] != 0.0 else 0
    for i in range(n):
        state.Z[K, i] = scores[i]
    return K + 1


@inner_kernel
def propose_death(K, state, shape, log_weights, work, generator):
    """Propose that a column dies; return K afterwards."""
    B, Z, P, scores, loadings = state.B, state.Z, work.P, work.scores, work.loadings
    p, n = P.shape
    k = int(K * uniform(generator))
    row = pick_row(k, state, generator)
    for i in range(n):
        scores[i] = Z[k, i]
    for j in range(p):
        loadings[j] = B[j, k]
        if loadings[j] != 0.0:
            for i in range(n):
                work.E[j, i] += P[j, i] * loadings[j] * scores[i]
    odds = fit_column(row, state.numbers[SLAB], shape, work)
    log_A = -birth_log_ratio(row, K - 1, odds, state.numbers, log_weights, work)
    if math.log(1.0 - uniform(generator)) >= log_A:
        return K
    state.feature_counts[k] = state.feature_counts[K - 1]
    for j in range(p):
        B[j, k] = B[j, K - 1]
        B[j, K - 1] = 0.0
    for i in range(n):
        Z[k, i] = Z[K - 1, i]
    return K - 1


@kernel
def move_column(K, matrix, state, shape, log_weights, work, generator):
    """Propose a birth or, as probably, a death; return K afterwards.

    Parameters
    ----------
    K : int
    matrix : Matrix
    state : StateArrays
        With room for one more column.
    shape : float array (2,)
        a and κ of the prior.
    log_weights : float array (p + 1,)
        See PriorTables.
    work : ColumnWork
    generator : uint64 array (8,)
    """
    is_birth = uniform(generator) < 0.5
    if K == 0 and not is_birth:
        return K
    set_residuals(K, matrix, state, work.P, work.E)
    if is_birth:
        return propose_birth(K, state, shape, log_weights, work, generator)
    return propose_death(K, state, shape, log_weights, work, generator)
