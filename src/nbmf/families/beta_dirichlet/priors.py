"""The priors of one fit as it goes: what is fixed, and what is learned (docs/priors.md)."""

from typing import Any

import numpy as np

from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.parameters import ASYMMETRIC, LEARN, PER_COLUMN, per_component
from nbmf.inference.parameters import is_number

PSEUDO_OBSERVATIONS = 2.0  # with which the share of a column is shrunk towards that of all
STRENGTH = 2.0  # α + β where learning starts, as with the paper's α = β = 1


def column_means(codes: np.ndarray, common: float | None = None) -> np.ndarray:
    """Return the prior means of columns, float array (N,): their shares of ones, shrunk.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    common : float, optional
        The share that they are shrunk to; by default that of all observed entries.
    """
    ones, observed = (codes == 1).sum(axis=0), (codes >= 0).sum(axis=0)
    if common is None:  # shrunk to a half, so that it is never 0 or 1
        common = (ones.sum() + 1.0) / (observed.sum() + 2.0)
    return (ones + PSEUDO_OBSERVATIONS * common) / (observed + PSEUDO_OBSERVATIONS)


class BetaPrior:
    """h_kn ~ Beta(α, β), fixed; or with learned numbers, the same for all k.

    Parameters
    ----------
    alpha, beta : float, array (K,), "learn", or both "learn-columns"
        With "learn-columns" α_n = s m_n, β_n = s (1 - m_n): m_n are the `column_means`, and the
        strength s is learned.
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
        if PER_COLUMN in (_text(alpha), _text(beta)):
            if _text(alpha) != _text(beta):
                raise ConfigError(
                    f"alpha = {alpha!r}, beta = {beta!r}: {PER_COLUMN} is for both or for neither"
                )
            self.means = column_means(codes)
            self.learned = {"strength": np.array(STRENGTH)}
            return
        names = [name for name, value in given.items() if _text(value) == LEARN]
        self.learned = {name: np.array(STRENGTH / 2.0) for name in names}
        self._fixed = {name: value for name, value in given.items() if name not in names}
        for name, value in self._fixed.items():
            if names and not is_number(value):
                raise ConfigError(
                    f"{name} = {value!r} beside {names[0]} = {LEARN!r}: allowed is one number, "
                    f"or {LEARN}"
                )
            self._fixed[name] = per_component(name, value, K)

    def of_columns(self, **changes: float) -> tuple[np.ndarray, np.ndarray]:
        """Return α and β of each column, arrays (N,), with some of the learned numbers changed."""
        numbers = self.learned | changes
        if self.means is not None:
            return numbers["strength"] * self.means, numbers["strength"] * (1.0 - self.means)
        numbers = {name: value[0] for name, value in self._fixed.items()} | numbers
        return np.full(self._N, numbers["alpha"]), np.full(self._N, numbers["beta"])

    def tables(self) -> dict[str, np.ndarray]:
        """Return alpha and beta: arrays (K,) where both are fixed, (1, N) otherwise."""
        if not self.learned:
            return dict(self._fixed)
        return {name: x[None] for name, x in zip(("alpha", "beta"), self.of_columns(), strict=True)}


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
        self.is_learned = _text(value) in (LEARN, ASYMMETRIC)
        self.is_symmetric = _text(value) != ASYMMETRIC


def _text(value: Any) -> str | None:
    """Return a value if it is a text: arrays are not compared with texts."""
    return value if isinstance(value, str) else None
