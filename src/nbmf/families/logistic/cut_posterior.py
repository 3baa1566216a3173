"""q of cut points: θ_0 and the logarithms of the distances are normal together, so that cuts stay in order."""

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic.ordered_cells import CUT_SCALE, first_cuts

START = 0.1  # the standard deviation of each coordinate to begin with
HALVINGS = 30  # of a step, until the bound does not fall
ROUNDING = 1e-12  # of an objective


class CutPosterior:
    """q(θ) of S sets of J cut points.

        t = (θ_0, log(θ_1 - θ_0), ..., log(θ_(J-1) - θ_(J-2))) ~ N(mean, covariance)

    With x = (t_0, e^t_1, ..., e^t_(J-1)), θ_c = x_0 + ... + x_c, and all moments of x have a closed form. For the
    logarithms of 1 - e^-d of the n cells of a category between two cuts at a distance d it has a lower bound,

        <log(1 - e^-d)> >= <log d> - log <d> + log(1 - e^-<d>),

    since log((1 - e^-d) / d) is convex in d.

    Parameters
    ----------
    counts : int array (S, C)
        How many cells are in each category.

    Attributes
    ----------
    mean, covariance : float arrays (S, J), (S, J, J)
    """

    def __init__(self, counts: np.ndarray):
        cuts = first_cuts(counts)
        S, J = cuts.shape
        self._counts = counts[:, 1:-1].astype(float)
        self.mean = np.hstack([cuts[:, :1], np.log(np.diff(cuts, axis=1))])
        self.covariance = np.tile(START**2 * np.eye(J), (S, 1, 1))

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return <θ> and <θ²>, float arrays (S, J)."""
        x, pairs = _moments(self.mean, self.covariance)
        upto = np.cumsum(np.cumsum(pairs, axis=1), axis=2)
        return np.cumsum(x, axis=1), np.diagonal(upto, axis1=1, axis2=2)

    def bound(self) -> float:
        """Return Σ n <log(1 - e^-d)>, or that lower bound of it, and -KL(q || p), in nats."""
        S, J = self.mean.shape
        of_prior = -0.5 * self.moments()[1].sum() / CUT_SCALE**2 + S * (gammaln(J + 1.0) - J * np.log(CUT_SCALE))
        of_q = 0.5 * (S * J + np.linalg.slogdet(self.covariance)[1].sum())  # log(2π) / 2 of p and of q are the same
        x, _ = _moments(self.mean, self.covariance)
        return float(of_prior + of_q + _distance_terms(self._counts, self.mean, x).sum())

    def learn(self, linear: np.ndarray, precision: np.ndarray) -> None:
        """Take a step along the natural gradient, as long as the bound does not fall.

        With F what depends on q in the bound, but for the entropy log|S| / 2 of the covariance S, a step of length ρ is

            S⁻¹ <- (1 - ρ) S⁻¹ - 2 ρ dF/dS,   mean <- mean + ρ S dF/dmean   (with the new S)

        where ρ is 1, halved where the bound would fall. With one cut ρ = 1 is exact.

        Parameters
        ----------
        linear, precision : float arrays (S, J)
            Of the cells' forms linear θ - precision θ² / 2.
        """
        b, Q = _increment_form(linear, precision + CUT_SCALE**-2)
        slope, curvature = self._derivatives(b, Q)
        before, P = self._objective(b, Q, self.mean, self.covariance), np.linalg.inv(self.covariance)
        left, rate = np.arange(len(P)), 1.0
        for _ in range(HALVINGS):
            of_step = P[left] + rate * (curvature[left] - P[left])
            is_proper = np.linalg.eigvalsh(of_step)[:, 0] > 0
            of_step[~is_proper] = P[left[~is_proper]]
            covariance = np.linalg.inv(of_step)
            mean = self.mean[left] + rate * np.einsum("sij,sj->si", covariance, slope[left])
            gained = self._objective(b[left], Q[left], mean, covariance, left) - before[left]
            is_good = is_proper & (gained >= -ROUNDING * (1.0 + np.abs(before[left])))
            self.mean[left[is_good]], self.covariance[left[is_good]] = mean[is_good], covariance[is_good]
            left, rate = left[~is_good], 0.5 * rate
            if not left.size:
                break

    def _objective(self, b, Q, mean, covariance, sets=slice(None)):
        """Return what q adds to the bound, but for constants: float array (S,); NaN or -∞ where it is out of range."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            x, pairs = _moments(mean, covariance)
            fit = (b * x).sum(axis=1) - 0.5 * (Q * pairs).sum(axis=(1, 2))
            return fit + _distance_terms(self._counts[sets], mean, x) + 0.5 * np.linalg.slogdet(covariance)[1]

    def _derivatives(self, b, Q):
        """Return the mean slope and minus the mean Hessian of the log joint in t: float arrays (S, J), (S, J, J)."""
        x, pairs = _moments(self.mean, self.covariance)
        curvature, k = Q * pairs, np.arange(1, x.shape[1])
        slope = b * x - curvature.sum(axis=2)
        slope[:, 0] = b[:, 0] - (Q[:, 0] * x).sum(axis=1)
        with np.errstate(over="ignore"):
            ratio = x[:, 1:] / np.expm1(x[:, 1:])
        curvature[:, k, k] += self._counts * (1.0 - ratio) - slope[:, 1:]
        curvature[:, 0, 1:] = curvature[:, 1:, 0] = (Q[:, 0] * x)[:, 1:]
        curvature[:, 0, 0] = Q[:, 0, 0]
        slope[:, 1:] += 1.0 + self._counts * ratio
        return slope, curvature

    def shift(self, by: float) -> None:
        """Move all cuts."""
        self.mean[:, 0] += by

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw the cuts, float array (S, J), each set increasing."""
        L = np.linalg.cholesky(self.covariance)
        return _cuts_from_increments(self.mean + np.einsum("sij,sj->si", L, rng.standard_normal(self.mean.shape)))

    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a few sets of cuts that stand for q, (M, S, J), and the variance of a common shift of each, (S,).

        Given the distances θ_0 is normal. The logarithms of distances are replaced by the 2 (J - 1) points of equal
        weight that have their means, covariances and third moments (a cubature rule of degree three).
        """
        S, J = self.mean.shape
        P = np.linalg.inv(self.covariance)
        L = np.sqrt(J - 1.0) * np.linalg.cholesky(self.covariance[:, 1:, 1:])
        away = np.moveaxis(np.concatenate([L, -L], axis=2), 2, 0) if J > 1 else np.zeros((1, S, 0))
        t = np.concatenate([np.zeros((len(away), S, 1)), away], axis=2)
        t[:, :, 0] = -np.einsum("sj,msj->ms", P[:, 0, 1:] / P[:, :1, 0], away)
        return _cuts_from_increments(self.mean + t), 1.0 / P[:, 0, 0]


def _moments(mean: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return <x> and <x x'>, float arrays (S, J), (S, J, J)."""
    x = np.exp(mean + 0.5 * np.diagonal(covariance, axis1=1, axis2=2))
    x[:, 0] = mean[:, 0]
    pairs = x[:, :, None] * x[:, None] * np.exp(covariance)
    pairs[:, 0] = (mean[:, :1] + covariance[:, 0]) * x
    pairs[:, 0, 0] = mean[:, 0] ** 2 + covariance[:, 0, 0]
    pairs[:, :, 0] = pairs[:, 0]
    return x, pairs


def _distance_terms(counts: np.ndarray, mean: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return Σ n <log(1 - e^-d)>, or its lower bound, and the logarithm of dθ/dt: float array (S,)."""
    each = (counts + 1.0) * mean[:, 1:] + counts * np.log(-np.expm1(-x[:, 1:]) / x[:, 1:])
    return each.sum(axis=1)


def _increment_form(linear: np.ndarray, precision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return b and Q of Σ linear θ - precision θ² / 2 = b·x - x' Q x / 2: float arrays (S, J), (S, J, J)."""
    b, R = (np.cumsum(part[:, ::-1], axis=1)[:, ::-1] for part in (linear, precision))
    later = np.maximum(*np.indices((b.shape[1], b.shape[1])))
    return b, R[:, later]


def _cuts_from_increments(t: np.ndarray) -> np.ndarray:
    """Return θ of t, float array (..., J)."""
    return np.cumsum(np.concatenate([t[..., :1], np.exp(t[..., 1:])], axis=-1), axis=-1)
