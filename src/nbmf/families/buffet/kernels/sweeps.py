"""Whole sweeps of a matrix whose cells have precisions of their own."""

import numpy as np

from nbmf.families.buffet.kernels.entry_updates import draw_scores, visit_rows
from nbmf.families.buffet.kernels.keeping import add_predictions, keep_sweep, log_joint
from nbmf.families.buffet.kernels.shared import draw_numbers, move_scales
from nbmf.numerics.compilation import inner_kernel, kernel


@inner_kernel
def squared_residuals(K, matrix, state, fit):
    """Return the sum of squared residuals of the observed values of a Gaussian matrix."""
    _, signal, observed = matrix
    (p, n), B, Z = signal.shape, state.B, state.Z
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
def run(cells, matrix, work, steps, first, share, is_kept, state, prior, kept, best, births, generator):
    """Do so many sweeps, unless new features do not find room.

    Parameters
    ----------
    cells : int
        How many are observed.
    matrix : Matrix
    work : CellWork
    steps, first : int
        How many sweeps, and the row at which the first one begins.
    share : float
        Of the rows that are asked for births and deaths.
    is_kept : bool
        Whether `kept` and `best` change.
    state : StateArrays
        It changes, as all arrays below do but those of `prior`.
    prior : PriorTables
    kept, best : KeptSums, BestState
    births : int64 array (2,)
        How often rows were asked for births and deaths, and how often something changed.
    generator : uint64 array (8,)

    Returns
    -------
    int, int
        The sweeps done, and the row at which the next one has to go on once there is room, -1 if all
        are done.
    """
    for step in range(steps):
        row = visit_rows(first, share, matrix, state, prior, work, births, generator)
        if row < matrix.signal.shape[0]:
            return step, row
        first = 0
        K = state.size[0]
        draw_scores(K, matrix, state, work, generator)
        move_scales(K, state, work.norms, generator)
        squares = 0.0 if matrix.logit else squared_residuals(K, matrix, state, work.e)
        draw_numbers(K, matrix.logit, squares, cells, work.norms, state, prior, generator)
        if is_kept:
            keep_sweep(K, squares, cells, matrix, state, prior, kept, best, work.e)
    return steps, -1


@kernel
def log_joint_of(cells, matrix, state, prior):
    """Return the log joint density of data and state; arguments are those of `run`."""
    K, fit, nothing = state.size[0], np.empty(matrix.signal.shape[1]), np.empty((0, 0))
    squares = likelihood = 0.0
    if matrix.logit:
        likelihood = add_predictions(K, matrix, state, nothing, nothing, fit)
    else:
        squares = squared_residuals(K, matrix, state, fit)
    return log_joint(K, likelihood, squares, cells, matrix, state, prior)
