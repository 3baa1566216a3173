"""Scales of rows and columns: how large the numbers of a row are as a whole (Gopalan, Hofman and Blei 2015).

    w_fk ~ Gamma(shape a, rate x_f a / b),   x_f ~ Gamma(shape c, mean 1),

and likewise for columns: b / x_f is the mean of a row's numbers, whose popularity the prior need not explain by
components then. Given the factor x_f ~ Gamma(c + Σ_k a, rate c + Σ_k w_fk a / b), which with E[w_fk] instead of
w_fk is q(x_f) as well. Everything else that is learned is as without scales, of w_fk x_f instead of w_fk.
"""

import numpy as np
from scipy.special import digamma

from nbmf.errors import ConfigError, Setting
from nbmf.families.poisson_gamma.gamma_priors import ALL, FIXED, LINE, NONE, GammaPrior, Ties
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.inference.parameters import Rule, is_number, one_of

NEITHER, ROWS, COLUMNS, BOTH = SCALED = "none", "rows", "columns", "both"
SIDES = {NEITHER: "", ROWS: "W", COLUMNS: "H", BOTH: "WH"}  # factors that have scales
START = 1.0  # of c, where it is learned
LEAST, MOST = 0.01, 1e6  # of c where it is given
RULES = {
    "scales": one_of(*SCALED),
    "shape_scales": Rule(
        lambda value: value is None or (is_number(value) and LEAST <= value <= MOST),
        f"a number from {LEAST:g} to {MOST:g}, or None: learned",
    ),
}


def check_scales(scales: str, means: dict[str, str]) -> None:
    """Raise ConfigError if a factor has scales and, by the tie of its means, means of each row or column as well."""
    for factor in SIDES[scales]:
        if means[factor] in (LINE, NONE):
            raise ConfigError(
                Setting(f"tie_mean_{factor}", means[factor]),
                " next to ",
                Setting("scales", scales),
                ": either says how large a row or column is; allowed: fixed, all and source",
            )


class Scales:
    """x_f of all rows of a factor (or columns), as numbers of a chain or as gamma distributions.

    Parameters
    ----------
    rows : int
    shape : float or None
        c; None: learned.

    Attributes
    ----------
    prior : GammaPrior
        Of x, (rows, 1): its shape is c, its mean 1.
    value, log : float arrays (rows, 1)
        x and log x of a chain; E[x] and E[log x] of distributions.
    """

    def __init__(self, rows: int, shape: float | None):
        ties = Ties(FIXED if shape else ALL, FIXED)
        self.prior = GammaPrior(shape or START, 1.0, ties, (rows, 1))
        self.value, self.log = np.ones((rows, 1)), np.zeros((rows, 1))

    def posterior(self, of: GammaPrior, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return shapes and scales, (rows, 1), of x given a factor (rows, K), or its means, and its prior."""
        return self.prior.posterior(*_sums(of, table))

    def update(self, of: GammaPrior, table: np.ndarray) -> None:
        """Set q(x) given the means of a factor and its prior."""
        self._sums = _sums(of, table)
        self._set_q()

    def _set_q(self) -> None:
        self._q = alpha, scale = self.prior.posterior(*self._sums)
        self.value[:] = alpha * scale
        is_one = (alpha == alpha[0]).all()  # so it is unless rows have priors of their own
        self.log[:] = digamma(alpha[:1] if is_one else alpha) + np.log(scale)

    def draw(self, of: GammaPrior, table: np.ndarray, rng: np.random.Generator) -> None:
        """Draw x given a factor and its prior."""
        alpha, scale = self.posterior(of, table)
        self.set(np.maximum(rng.standard_gamma(alpha) * scale, FLOOR))

    def set(self, value: np.ndarray) -> None:
        """Take over x."""
        self.value[:] = value
        self.log[:] = np.log(value)

    def renew(self) -> None:
        """Maximise the bound in c, then set q(x) given it."""
        self.prior.renew(self.value, self.log)
        self._set_q()

    def divergence(self) -> float:
        """Return KL(q(x) || p(x)) in nats, of the q(x) that `update` has set."""
        return self.prior.divergence(*self._q)

    def log_density(self) -> float:
        """Return log p(x) of a chain, in nats."""
        return self.prior.log_density(self.value)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what changes, by name; writing to the arrays sets it."""
        return {"scales": self.value, "logarithm of scales": self.log, "shape of scales": self.prior.shape}


def _sums(of: GammaPrior, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what q(x) depends on besides c: Σ_k a and Σ_k w a / b of each row, (rows, 1)."""
    return _along_rows(of, of.shape), _along_rows(of, table * (of.shape / of.mean))


def _along_rows(of: GammaPrior, table: np.ndarray) -> np.ndarray:
    """Return the sums over a row's K numbers, (rows, 1)."""
    return np.broadcast_to(table, of.size).sum(axis=1, keepdims=True)
