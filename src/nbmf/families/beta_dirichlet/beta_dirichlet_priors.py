"""The priors of one fit as it goes: what is fixed, and what is learned (docs/priors.md)."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from nbmf.errors import ConfigError, Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import (
    ASYMMETRIC,
    LARGEST,
    LEARN,
    PER_COLUMN,
    is_text,
    per_component,
)
from nbmf.inference.parameters import is_number

STRENGTH = 2.0  # α + β where learning starts, as with the paper's α = β = 1


class Shrinkage(NamedTuple):
    """How the means of columns are shrunk towards the proportion of ones.

    common : float, the proportion of ones
    observations : float, how many observations it counts for
    """

    common: float
    observations: float

    @classmethod
    def of(cls, codes: np.ndarray) -> "Shrinkage":
        """Return the one with which means of columns of `codes` (int8 array (F, N)) are drawn.

        Their counts are beta-binomial; the number of observations maximises their likelihood.
        """
        from scipy.optimize import minimize_scalar  # 0.1 s, which fits with fixed priors spare

        ones, observed = _counts_of_columns(codes)
        common = (ones.sum() + 1.0) / (observed.sum() + 2.0)  # never 0 or 1

        def loss(log_observations):
            a = math.exp(log_observations) * np.array([common, 1.0 - common])
            return (betaln(*a) - betaln(a[0] + ones, a[1] + observed - ones)).sum()

        bounds = math.log(SMALLEST_SHRINKAGE), math.log(LARGEST)
        optimum = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3})
        return cls(float(common), math.exp(optimum.x))

    def means(self, codes: np.ndarray) -> np.ndarray:
        """Return the shrunken means of columns, float array (N,)."""
        ones, observed = _counts_of_columns(codes)
        return (ones + self.observations * self.common) / (observed + self.observations)


SMALLEST_SHRINKAGE = 0.1  # observations


def _counts_of_columns(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (codes == 1).sum(axis=0), (codes >= 0).sum(axis=0)


class BetaPrior:
    """h_kn ~ Beta(α, β), fixed; or with learned numbers, the same for all k.

    Parameters
    ----------
    alpha, beta : float, array (K,), "learn", or both "learn-columns"
        With "learn-columns" α_n = s m_n, β_n = s (1 - m_n): m_n is the mean of a column,
        shrunk, and the strength s is learned, if there are several components.
    codes : int8 array (F, N)
    K : int

    Attributes
    ----------
    learned : dict
        The numbers that are learned, 0-d arrays by name: of "alpha", "beta" and "strength".
    means : float array (N,), or None without "learn-columns"
    """

    def __init__(self, alpha, beta, codes: np.ndarray, K: int):
        given = {"alpha": alpha, "beta": beta}
        self.means, self.learned, self._N = None, {}, codes.shape[1]
        if is_text(alpha, PER_COLUMN) or is_text(beta, PER_COLUMN):
            if not (is_text(alpha, PER_COLUMN) and is_text(beta, PER_COLUMN)):
                both = Setting("alpha", alpha), ", ", Setting("beta", beta)
                raise ConfigError(*both, f": {PER_COLUMN} is for both or for neither")
            self.means = Shrinkage.of(codes).means(codes)
            if K == 1:  # it is at the shrunken shares, with nothing left to learn
                of_one = LARGEST * self.means, LARGEST * (1.0 - self.means)
                self._fixed = dict(zip(("alpha", "beta"), of_one, strict=True))
                self._fixed = {name: value[None] for name, value in self._fixed.items()}
            else:
                self.learned = {"strength": np.array(STRENGTH)}
            return
        names = [name for name, value in given.items() if is_text(value, LEARN)]
        self.learned = {name: np.array(STRENGTH / 2.0) for name in names}
        self._fixed = {name: value for name, value in given.items() if name not in names}
        for name, value in self._fixed.items():
            if names and not is_number(value):
                given = Setting(name, value), " with ", Setting(names[0], LEARN)
                raise ConfigError(*given, f": must be one number, or {LEARN}")
            self._fixed[name] = per_component(name, value, K)

    def column_values(self, **changes: float) -> tuple[np.ndarray, np.ndarray]:
        """Return α and β of each column, arrays (N,), with some of the learned numbers changed."""
        numbers = self.learned | changes
        if self.means is not None:
            return numbers["strength"] * self.means, numbers["strength"] * (1.0 - self.means)
        numbers = {name: value[0] for name, value in self._fixed.items()} | numbers
        return np.full(self._N, numbers["alpha"]), np.full(self._N, numbers["beta"])

    def tables(self) -> dict[str, np.ndarray]:
        """Return alpha and beta: arrays (K,) where both are given, (1, N) otherwise."""
        if not self.learned:
            return dict(self._fixed)
        return {name: x[None] for name, x in zip(("alpha", "beta"), self.column_values(), strict=True)}


class DirichletPrior:
    """The prior of weights: fixed, or learned as one number or as one per component.

    Parameters
    ----------
    name : {"gamma", "eta"}
    value : float, array (K,), "1/K", "learn" or "learn-asymmetric"
    K : int

    Attributes
    ----------
    value : float array (K,)
        Learning starts at 1/K.
    is_learned, is_symmetric : bool
    """

    def __init__(self, name: str, value, K: int):
        self.name, self.value = name, per_component(name, value, K)
        self.is_learned = is_text(value, LEARN, ASYMMETRIC)
        self.is_symmetric = not is_text(value, ASYMMETRIC)
