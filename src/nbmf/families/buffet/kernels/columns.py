"""Whole columns that are born and die, where a birth of singletons, or a death, would not pay.

A column that several rows share can come or go one row at a time only, through states that are
much less probable where λ is tiny. So a birth picks a row and lets the residuals say what column
there could be with this row in it: a few rounds of mean field, whose q(z), with either sign, draws
the scores; each row then takes the column, and its loading is drawn, by its exact law given these
scores. A death picks a column and one of its rows. Both are Metropolis-Hastings steps that reverse
each other: the residuals without the column, and the row, are the same in both.
"""

import math

from nbmf.families.buffet.kernels.conditionals import place, product, width
from nbmf.families.buffet.kernels.numbers import MASS, NOISE, SLAB
from nbmf.numerics.compilation import inner_kernel, kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_normal

ROUNDS = 2  # of mean field
FAINT = 1e-4  # probability of a row that has no part in the next round


@inner_kernel
def log_one_plus_exp(x):
    """Return log(1 + e^x)."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@inner_kernel
def set_residuals(p, n, K, logit, signal, observed, B, Z, effects, numbers, P, E):
    """Set E = P r of all cells; P of a Gaussian matrix is set, too."""
    rows, columns = effects
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
                P[j, i] = 1.0 / numbers[NOISE]
                E[j, i] = P[j, i] * (signal[j, i] - E[j, i])


@inner_kernel
def log_evidence(P, E, z, squares, n, slab):
    """Return mean and variance of a row's loading, and the log Bayes factor of its being there.

    P, E, z and `squares`, which stands for z², have n numbers.
    """
    variance, half_log = width(product(P, squares, n), slab)
    mean, evidence = place(product(E, z, n), variance, half_log)
    return mean, variance, evidence


@inner_kernel
def count_odds(count, p, a, kappa):
    """Return the log odds of a row that takes a column with `count` takers, about."""
    return math.log((count + a) / (kappa + p - min(count, p - 0.5)))


@inner_kernel
def fit_column(row, p, n, P, E, slab, a, kappa, z, squares, precision):
    """Fit a column that `row` has to the residuals; return the log odds that rows take it.

    z and `precision` (n,) are then those of q(z) = Π N(z_i, 1 / precision_i).
    """
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
def draw_column(row, p, n, P, E, slab, odds, scores, squares, born, generator):
    """Draw the loadings `born` (p,) of a column given its scores; `row` has it for sure."""
    for i in range(n):
        squares[i] = scores[i] * scores[i]
    for j in range(p):
        mean, variance, evidence = log_evidence(P[j], E[j], scores, squares, n, slab)
        taken = 1.0 if j == row else math.exp(-log_one_plus_exp(-odds - evidence))
        born[j] = 0.0
        if uniform(generator) < taken:
            born[j] = mean + math.sqrt(variance) * standard_normal(generator)


@inner_kernel
def birth_log_ratio(row, p, n, K, P, E, numbers, log_weights, odds, scores, squares, born, z, precision):
    """Return log A of the birth of a column beside K others; that of its death is the negative.

    E is without the column. Of loadings, proposed by their exact law, Bayes factors are left.
    """
    total, takers = scores_log_ratio(scores, n, z, precision), 0
    for i in range(n):
        squares[i] = scores[i] * scores[i]
    for j in range(p):
        _, _, evidence = log_evidence(P[j], E[j], scores, squares, n, numbers[SLAB])
        if born[j] != 0.0:
            takers += 1
            total += evidence
            if j != row:
                total += log_one_plus_exp(-odds - evidence)
        else:
            total += log_one_plus_exp(odds + evidence)
    total += math.log(numbers[MASS]) + log_weights[takers]
    return total + math.log(p / (takers * (K + 1.0)))


@inner_kernel
def pick_taker(k, p, B, takers, generator):
    """Return one of the rows that have column k, all with the same probability."""
    left = int(takers[k] * uniform(generator))
    for j in range(p):
        if B[j, k] != 0.0:
            if left == 0:
                return j
            left -= 1
    return -1


@inner_kernel
def give_birth(p, n, K, shape, B, Z, takers, numbers, log_weights, P, E, work, generator):
    """Propose a column; return K afterwards. Z has room for one more."""
    z, squares, precision, scores, born = work
    row = int(p * uniform(generator))
    odds = fit_column(row, p, n, P, E, numbers[SLAB], shape[0], shape[1], z, squares, precision)
    sign = 1.0 if uniform(generator) < 0.5 else -1.0
    for i in range(n):
        scores[i] = sign * z[i] + standard_normal(generator) / math.sqrt(precision[i])
    draw_column(row, p, n, P, E, numbers[SLAB], odds, scores, squares, born, generator)
    log_A = birth_log_ratio(row, p, n, K, P, E, numbers, log_weights, odds, scores, squares, born, z, precision)
    if math.log(1.0 - uniform(generator)) >= log_A:
        return K
    takers[K] = 0
    for j in range(p):
        B[j, K] = born[j]
        takers[K] += 1 if born[j] != 0.0 else 0
    for i in range(n):
        Z[K, i] = scores[i]
    return K + 1


@inner_kernel
def let_die(p, n, K, shape, B, Z, takers, numbers, log_weights, P, E, work, generator):
    """Propose that a column dies; return K afterwards."""
    z, squares, precision, scores, born = work
    k = int(K * uniform(generator))
    row = pick_taker(k, p, B, takers, generator)
    for i in range(n):
        scores[i] = Z[k, i]
    for j in range(p):
        born[j] = B[j, k]
        if born[j] != 0.0:
            for i in range(n):
                E[j, i] += P[j, i] * born[j] * scores[i]
    odds = fit_column(row, p, n, P, E, numbers[SLAB], shape[0], shape[1], z, squares, precision)
    log_A = -birth_log_ratio(row, p, n, K - 1, P, E, numbers, log_weights, odds, scores, squares, born, z, precision)
    if math.log(1.0 - uniform(generator)) >= log_A:
        return K
    takers[k] = takers[K - 1]
    for j in range(p):
        B[j, k] = B[j, K - 1]
        B[j, K - 1] = 0.0
    for i in range(n):
        Z[k, i] = Z[K - 1, i]
    return K - 1


@kernel
def move_column(K, logit, signal, observed, B, Z, takers, effects, numbers, log_weights, shape, P, E, work, generator):
    """Propose a birth or, as probably, a death; return K afterwards.

    B, Z, takers : with room for one more column
    shape : float array (2,), a and κ of the prior
    P, E : float arrays (p, n); P holds the Pólya-Gamma variables of a binary matrix
    work : float arrays (2 n,), (n,), (2 n,), (n,) and (p,), overwritten
    """
    p, n = signal.shape
    is_birth = uniform(generator) < 0.5
    if K == 0 and not is_birth:
        return K
    set_residuals(p, n, K, logit, signal, observed, B, Z, effects, numbers, P, E)
    if is_birth:
        return give_birth(p, n, K, shape, B, Z, takers, numbers, log_weights, P, E, work, generator)
    return let_die(p, n, K, shape, B, Z, takers, numbers, log_weights, P, E, work, generator)
