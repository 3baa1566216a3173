"""The posterior mode of logistic factors: Newton's method for all rows, then for all columns, in turn.

With the columns fixed the penalised log-likelihood is a sum over rows, and concave in the coefficients of each one, so
that a step of Newton that is halved where it goes too far can only raise it; likewise with the rows fixed.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.families.logistic import factors as form
from nbmf.inference.blocks import in_blocks, refine
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State

START = 0.3  # standard deviation of W and H to begin with
HALVINGS = 20
MAX_ROUNDS, TOLERANCE = 200, 1e-7  # of the coefficients of a new row, in log-odds


class Regression(NamedTuple):
    """What rows are regressed on: ψ = offset + coefficients · design, coefficients ~ N(0, 1/precisions).

    design : float array (n, D)
    offset : float array (n,)
    precisions : float array (D,)
    """

    design: np.ndarray
    offset: np.ndarray
    precisions: np.ndarray


def signs_of(codes: np.ndarray) -> np.ndarray:
    """Return 1 and -1 for ones and zeros, and 0 for missing values, which then have no pull on a fit."""
    return np.where(codes < 0, 0.0, 2.0 * codes - 1.0)


def losses_of(signs: np.ndarray, psi: np.ndarray) -> np.ndarray:
    """Return -log p(v | ψ) of cells with signs 1 and -1, float array of their shape; 0 of missing ones, with sign 0."""
    return np.where(signs == 0, 0.0, np.logaddexp(0.0, -signs * psi))


def improve(signs: np.ndarray, coefficients: np.ndarray, given: Regression) -> np.ndarray:
    """Take one step of Newton's method in each row that does not lower its penalised log-likelihood.

    Parameters
    ----------
    signs : float array (rows, n)
        1 for a one, -1 for a zero, 0 for a missing value.
    coefficients : float array (rows, D)
        They change.
    given : Regression

    Returns
    -------
    float array (rows,)
        The largest change of a coefficient of each row.
    """
    moved = np.zeros(len(signs))
    for block in in_blocks(len(signs), max(signs.shape[1], len(given.precisions) ** 2)):
        moved[block] = _improve_block(signs[block], coefficients[block], given)
    return moved


def _improve_block(signs: np.ndarray, coefficients: np.ndarray, given: Regression) -> np.ndarray:
    design, offset, precisions = given
    first, second = np.triu_indices(len(precisions))
    psi = offset + coefficients @ design.T
    wrong = expit(-signs * psi)  # the probability of the other value
    P = np.zeros((len(signs), len(precisions), len(precisions)))
    P[:, first, second] = P[:, second, first] = (signs**2 * wrong * (1 - wrong)) @ (
        design[:, first] * design[:, second]
    )
    P[:, range(len(precisions)), range(len(precisions))] += precisions
    gradient = (signs * wrong) @ design - precisions * coefficients
    step = np.linalg.solve(P, gradient[:, :, None])[:, :, 0]
    before = _penalised(signs, psi, coefficients, precisions)
    for _ in range(HALVINGS):
        at = coefficients + step
        too_far = _penalised(signs, offset + at @ design.T, at, precisions) > before
        if not too_far.any():
            break
        step[too_far] /= 2.0
    else:
        step[too_far] = 0.0
    coefficients += step
    return np.abs(step).max(axis=1, initial=0.0)


def _penalised(signs, psi, coefficients, precisions) -> np.ndarray:
    """Return what a row has to be as small as possible, float array (rows,), in nats."""
    return losses_of(signs, psi).sum(axis=1) + 0.5 * (coefficients**2) @ precisions


def fit_rows(signs: np.ndarray, given: Regression) -> np.ndarray:
    """Return the coefficients (rows, D) with the largest penalised log-likelihood; arguments as of `improve`."""
    coefficients = np.zeros((len(signs), len(given.precisions)))

    def renew(rows):
        now = coefficients[rows]
        moved = improve(signs[rows], now, given)
        coefficients[rows] = now
        return moved > TOLERANCE

    refine(len(signs), renew, MAX_ROUNDS)
    return coefficients


class ModeState(State):
    """W, H and effects on their way to the posterior mode.

    Parameters
    ----------
    signs : float array (F, N)
        1 for a one, -1 for a zero, 0 for a missing value.
    K : int
    effects : Effects
    penalty : float
        The precision of W and H a priori.
    rng : Generator
        Of the start.

    Attributes
    ----------
    rows, columns : float arrays (F, K + 1) or (F, K), (N, K + 1) or (N, K)
        W and H', next to them the effects if there are any.
    """

    def __init__(self, signs: np.ndarray, K: int, effects: form.Effects, penalty: float, rng: np.random.Generator):
        self._signs, self._K, self._effects, self.penalty = signs, K, effects, penalty
        self._signs_by_column = np.ascontiguousarray(signs.T)
        self.rows, self.columns = (
            np.column_stack([START * rng.standard_normal((n, K)), np.zeros((n, int(has_effects)))])
            for n, has_effects in zip(signs.shape, effects, strict=True)
        )
        improve(self._signs_by_column, self.columns, self._given_rows())

    def _given_rows(self) -> Regression:
        """Return what columns are regressed on."""
        return self._given(self.rows, *self._effects)

    def _given_columns(self) -> Regression:
        """Return what rows are regressed on."""
        return self._given(self.columns, *reversed(self._effects))

    def _given(self, side: np.ndarray, has_effects: bool, other_has_effects: bool) -> Regression:
        K, n = self._K, len(side)
        design = np.column_stack([side[:, :K], np.ones((n, int(other_has_effects)))])
        offset = side[:, K] if has_effects else np.zeros(n)
        return Regression(design, offset, prior_precisions(np.full(K, self.penalty), other_has_effects))

    def advance(self, steps):
        """Improve all rows, then all columns, so many times."""
        for _ in range(steps):
            improve(self._signs, self.rows, self._given_columns())
            improve(self._signs_by_column, self.columns, self._given_rows())

    def objective(self):
        """Return the log-likelihood minus the penalties, in nats."""
        given = self._given_columns()
        psi = given.offset + self.rows @ given.design.T
        of_columns = 0.5 * (self.columns**2 @ self._given_rows().precisions).sum()
        return float(-_penalised(self._signs, psi, self.rows, given.precisions).sum() - of_columns)

    def factors(self):
        """Return W, H and effects in the form that FactorModel describes."""
        K, others = self._K, {}
        for name, side, is_used in zip(
            (form.ROWS, form.COLUMNS), (self.rows, self.columns), self._effects, strict=True
        ):
            if is_used:
                others[name] = side[:, K].copy()
        return form.canonical(Factors(self.rows[:, :K].copy(), self.columns[:, :K].T.copy(), others))

    def expectation(self):
        """Return σ(ψ)."""
        given = self._given_columns()
        return expit(given.offset + self.rows @ given.design.T)

    def active_components(self):
        """Return how many components hold at least 1 % of W H, however it is rotated."""
        return int(np.count_nonzero(form.shares(self.factors()) >= ACTIVE_SHARE))


def prior_precisions(of_factors: np.ndarray, has_effects: bool) -> np.ndarray:
    """Return the precisions of a row's or column's coefficients: of its factors, then of its effect if there is one."""
    return np.append(of_factors, np.full(int(has_effects), 1.0 / form.EFFECT_SCALE**2))
