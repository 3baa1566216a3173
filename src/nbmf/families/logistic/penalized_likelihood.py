"""The posterior mode of logistic factors: Newton's method for all rows, then for all columns, in turn.

With the columns fixed the penalised log-likelihood is a sum over rows, and concave in the coefficients of each one, so
that a step of Newton that is halved where it goes too far can only raise it; likewise with the rows fixed.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from nbmf.families.logistic import factors as form
from nbmf.inference.blocks import in_blocks
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State

START = 0.3  # standard deviation of W and H to begin with
FADED = 1e-3  # root mean square of a component in ψ, below which it is dropped if that does not lower the objective
HALVINGS = 20


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


def improve(signs: np.ndarray, coefficients: np.ndarray, given: Regression) -> None:
    """Take one step of Newton's method in each row that does not lower its penalised log-likelihood.

    Parameters
    ----------
    signs : float array (rows, n)
        1 for a one, -1 for a zero, 0 for a missing value.
    coefficients : float array (rows, D)
        They change.
    given : Regression
    """
    for block in in_blocks(len(signs), max(signs.shape[1], len(given.precisions) ** 2)):
        _improve_block(signs[block], coefficients[block], given)


def _improve_block(signs: np.ndarray, coefficients: np.ndarray, given: Regression) -> None:
    design, offset, precisions = given
    psi = offset + coefficients @ design.T
    wrong = expit(-signs * psi)  # the probability of the other value
    P = _curvatures(signs**2 * wrong * (1 - wrong), design)
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


def _curvatures(weights: np.ndarray, design: np.ndarray) -> np.ndarray:
    """Return Σ_n w_n x_n x_n' of each row of weights (rows, n), float array (rows, D, D)."""
    D = design.shape[1]
    first, second = np.triu_indices(D)
    sums = np.zeros((len(weights), len(first)))
    for block in in_blocks(len(design), len(first)):
        sums += weights[:, block] @ (design[block][:, first] * design[block][:, second])
    P = np.empty((len(weights), D, D))
    P[:, first, second] = P[:, second, first] = sums
    return P


def _penalised(signs, psi, coefficients, precisions) -> np.ndarray:
    """Return what a row has to be as small as possible, float array (rows,), in nats."""
    return losses_of(signs, psi).sum(axis=1) + 0.5 * (coefficients**2) @ precisions


class ModeState(State):
    """W, H and effects on their way to the posterior mode.

    Parameters
    ----------
    signs : float array (F, N)
        1 for a one, -1 for a zero, 0 for a missing value.
    K : int
        The largest rank of W H.
    effects : Effects
    penalty : float
        The precision of W and H a priori.
    rng : Generator
        Of the start.

    Attributes
    ----------
    W, H : float arrays (F, k), (k, N)
        Of the components that are left, at most min(K, F, N). Both have the same squares in each component.
    rows, columns : float arrays (F,), (N,)
        Effects, 0 where there are none.
    """

    def __init__(self, signs: np.ndarray, K: int, effects: form.Effects, penalty: float, rng: np.random.Generator):
        self._signs, self._effects, self.penalty = signs, effects, penalty
        self._signs_by_column = np.ascontiguousarray(signs.T)
        self.rows, self.columns = (np.zeros(n) for n in signs.shape)
        self.W, self.H = (START * rng.standard_normal(shape) for shape in ((signs.shape[0], K), (K, signs.shape[1])))
        self._improve_columns()
        self._share_out()

    def _improve_rows(self):
        self.W, self.rows = self._improved(self._signs, self.W, self.rows, self._effects.rows, self.H.T, self.columns)

    def _improve_columns(self):
        H, self.columns = self._improved(
            self._signs_by_column, self.H.T, self.columns, self._effects.columns, self.W, self.rows
        )
        self.H = H.T

    def _improved(self, signs, factors, effects, has_effects, others, offset):
        """Return factors (n, k) and effects (n,) of one side after a step, given those of the other."""
        coefficients = np.column_stack([factors, effects]) if has_effects else factors.copy()
        design = np.column_stack([others, np.ones(len(others))]) if has_effects else others
        of_effects = np.full(int(has_effects), 1.0 / form.EFFECT_SCALE**2)
        precisions = np.append(np.full(factors.shape[1], self.penalty), of_effects)
        improve(signs, coefficients, Regression(design, offset, precisions))
        return (coefficients[:, :-1], coefficients[:, -1]) if has_effects else (coefficients, effects)

    def _share_out(self):
        """Give W and H the same squares, which has the smallest penalty for W H, and drop components that fade."""
        Q, R = np.linalg.qr(self.W)
        P, S = np.linalg.qr(self.H.T)
        left, sizes, right = np.linalg.svd(R @ S.T, full_matrices=False)
        self.W, self.H = Q @ (left * np.sqrt(sizes)), ((P @ right.T) * np.sqrt(sizes)).T
        is_left = sizes > FADED * np.sqrt(self._signs.size)
        if not is_left.all():
            W, H, before = self.W, self.H, self.objective()
            self.W, self.H = W[:, is_left], H[is_left]
            if self.objective() < before:
                self.W, self.H = W, H

    def advance(self, steps):
        """Improve all rows, then all columns, so many times."""
        for _ in range(steps):
            self._improve_rows()
            self._improve_columns()
            self._share_out()

    def _psi(self) -> np.ndarray:
        return self.rows[:, None] + self.columns + self.W @ self.H

    def objective(self):
        """Return the log-likelihood minus the penalties, in nats."""
        of_factors = self.penalty * ((self.W**2).sum() + (self.H**2).sum())
        of_effects = ((self.rows**2).sum() + (self.columns**2).sum()) / form.EFFECT_SCALE**2
        return float(-losses_of(self._signs, self._psi()).sum() - 0.5 * (of_factors + of_effects))

    def factors(self):
        """Return W, H and effects in the form that FactorModel describes, with the components that are left."""
        others = {}
        for name, values, is_used in zip(
            (form.ROWS, form.COLUMNS), (self.rows, self.columns), self._effects, strict=True
        ):
            if is_used:
                others[name] = values.copy()
        W, H, others = form.canonical(Factors(self.W.copy(), self.H.copy(), others))
        is_left = (H**2).mean(axis=1) > form.PRUNED**2  # others are effects alone
        return Factors(W[:, is_left], H[is_left], others)

    def expectation(self):
        """Return σ(ψ)."""
        return expit(self._psi())

    def active_components(self):
        """Return how many components hold at least 1 % of W H, however it is rotated."""
        return int(np.count_nonzero(form.shares(self.factors()) >= ACTIVE_SHARE))
