"""New columns whose likelihood has something of its own to learn: by variational Bayes given the rows."""

from collections.abc import Callable

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.factor_posteriors import FullPosterior
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.learned_prior import Coordinates
from nbmf.families.logistic.logistic_estimator import FactorModel
from nbmf.families.logistic.matrices import Matrix
from nbmf.families.logistic.quadratic import ExplicitNoise, Quadratic

KNOWN = 0.01  # standard deviation of coefficients where it is known where they begin
ROUNDS = 200  # of ψ and what the likelihood learns in turns
UNUSED = Gamma(1.0, 1.0)  # a prior of precisions, none of which is learned


def regress_columns(
    model: FactorModel,
    likelihood: Quadratic,
    settle: Callable[[], None] = lambda: None,
    W: np.ndarray | None = None,
    offset: np.ndarray | None = None,
    start: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors of new columns, (N', K), and their effects, (N',); the likelihood learns what is its own.

    Parameters
    ----------
    model : FactorModel
        Fitted.
    likelihood : Quadratic
        Of the new columns' values, (F, N').
    settle : function
        Called after each round.
    W : float array (F, K), optional
        Where rows are, by default W_.
    offset : float array (F,), optional
        Of ψ, by default the effects of rows.
    start : float array (N', J), optional
        Where coefficients begin: those of the factors, and effects if columns have them.
    """
    K, used = model.n_components_, model.effects_in_use
    F, n_new = likelihood.seen.shape
    offset = model.row_effects_ if offset is None and used.rows else offset
    design = [model.W_ if W is None else W, *([] if offset is None else [offset])]
    rows = np.column_stack([*design, np.ones((F, int(used.columns)))])
    R = rows.shape[1]
    of_effects, center = model._effect_prior(rows=False) or (1.0 / form.EFFECT_SCALE**2, 0.0)
    precision = np.r_[model.precisions_, np.full(R - K, of_effects)]
    none, free = np.arange(0), np.ones(R, bool)
    free[K : K + (offset is not None)] = False
    centers = np.r_[np.zeros(R - used.columns), np.full(int(used.columns), center)]
    columns = np.tile(np.where(free, centers, 1.0), (n_new, 1))
    if start is not None:
        columns[:, free] = start
    matrix = Matrix(
        likelihood,
        FullPosterior(rows, Coordinates(precision, np.zeros(R, bool), none, UNUSED), 0.0),
        FullPosterior(columns, Coordinates(precision, free, none, UNUSED), 1.0 if start is None else KNOWN),
    )
    matrix.columns.center[:] = centers
    for _ in range(ROUNDS):
        seen = matrix.seen_by(matrix.columns, True)
        if isinstance(likelihood, ExplicitNoise):  # with ψ^ as known, steps get as small as the noise
            h, w = likelihood.form_of_psi()
            seen = seen._replace(h=h.T, w=w.T)
        matrix.columns.update([seen], 0.0)
        likelihood.learn(*matrix.moments())
        settle()
    means = matrix.columns.mean
    return means[:, :K], means[:, -1] if used.columns else np.zeros(n_new)
