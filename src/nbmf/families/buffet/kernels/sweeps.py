"""Whole sweeps of a matrix whose cells have precisions of their own."""

import numpy as np

from nbmf.families.buffet.kernels.entry_updates import draw_scores, visit_rows
from nbmf.families.buffet.kernels.keeping import add_predictions, keep_if_best, log_joint
from nbmf.families.buffet.kernels.shared import draw_numbers, move_scales
from nbmf.numerics.compilation import inner_kernel, kernel


@inner_kernel
def squared_residuals(p, n, K, signal, observed, B, Z, fit):
    """Return the sum of squared residuals of the observed values of a Gaussian matrix."""
    total = 0.0
    for j in range(p):
        for i in range(n):
            fit[i] = signal[j, i]
        for k in range(K):
            if B[j, k] != 0.0:
                for i in range(n):
                    fit[i] -= B[j, k] * Z[k, i]
        for i in range(n):
            total += fit[i] * fit[i] if observed[j, i] else 0.0
    return total


@kernel
def run(
    steps,
    first,
    share,
    is_kept,
    logit,
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
    """Do so many sweeps, the first from row `first` on, unless newborns do not find room.

    Return the sweeps done, and the row at which the next one has to go on once there is room, -1
    if all are done. All arrays change.

    logit : whether the matrix is binary; data : its signals, float (p, n), and whether observed
    features : int array (1,), K+; B, Z, takers have room for more
    prior : log odds (p,), log weights (p + 1,), log λ_p and E[K+] per unit of mass, and the shapes
        and rates of the numbers (5, 2)
    kept : sums of predictions and their squares (p, n), of numbers (5,), K+ of each kept sweep, and
        how many are kept; they change if `is_kept`, as `best` does, see keep_if_best
    """
    signal, observed = data
    p, n = signal.shape
    log_odds, log_weights, log_rate, reach, priors = prior
    mean, square, number_sums, sizes, count = kept
    P, e, born, order, taken, value, norms, A, c = work
    for step in range(steps):
        row = visit_rows(
            first,
            share,
            p,
            n,
            features,
            logit,
            signal,
            observed,
            B,
            Z,
            takers,
            effects,
            log_odds,
            log_rate,
            numbers,
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
        draw_scores(p, n, K, logit, signal, B, Z, effects, numbers, P, taken, value, A, c, generator)
        move_scales(p, n, K, B, Z, takers, numbers, norms, generator)
        squares = 0.0 if logit else squared_residuals(p, n, K, signal, observed, B, Z, e)
        draw_numbers(p, n, K, logit, norms, takers, effects, squares, cells, reach, numbers, priors, generator)
        if is_kept:
            likelihood = add_predictions(p, n, K, logit, signal, observed, B, Z, effects, mean, square, e)
            now = log_joint(
                p, n, K, logit, likelihood, squares, cells, B, Z, takers, effects, log_weights, reach, numbers, priors
            )
            keep_if_best(now, p, n, K, B, Z, effects, numbers, best)
            for number in range(numbers.size):
                number_sums[number] += numbers[number]
            sizes[count[0]] = K
            count[0] += 1
    return steps, -1


@kernel
def log_joint_of(logit, cells, signal, observed, K, B, Z, takers, effects, log_weights, reach, numbers, priors):
    """Return the log joint density of data and state."""
    p, n = signal.shape
    fit, nothing = np.empty(n), np.empty((0, 0))
    squares = likelihood = 0.0
    if logit:
        likelihood = add_predictions(p, n, K, logit, signal, observed, B, Z, effects, nothing, nothing, fit)
    else:
        squares = squared_residuals(p, n, K, signal, observed, B, Z, fit)
    return log_joint(
        p, n, K, logit, likelihood, squares, cells, B, Z, takers, effects, log_weights, reach, numbers, priors
    )
