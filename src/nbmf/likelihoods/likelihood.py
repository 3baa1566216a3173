"""What every likelihood does: check values, hide entries, weigh predictions.

A likelihood is a module of this package with one instance of a subclass; families name those they
take. Values of a matrix are an array (F, N) in the likelihood's own coding, which says where
entries are missing; predictions are scored in nats per held-out entry or token.
"""

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nbmf.data.given import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.errors import DataError


class Loss(NamedTuple):
    """The loss of some entries.

    total : float, negative log-likelihood in nats, eq. (66) if all observed entries are scored
    entries : int, how many entries (or tokens) were scored
    saturated : int, how many of them had observed what was predicted to be impossible
    """

    total: float
    entries: int
    saturated: int

    @property
    def perplexity(self) -> float:
        """The mean loss in nats per entry, eq. (67)."""
        return self.total / self.entries


class LossAt(ABC):
    """The loss of predictions at some entries, as often as asked: a trace does.

    Attributes
    ----------
    rows, columns : int arrays (n,)
        The entries that are scored.
    unit : str
        What the mean loss is per: "entry" or "token".
    """

    rows: np.ndarray
    columns: np.ndarray
    unit: str = "entry"

    def _take(self, values: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Take over the places of the entries to score, row by row, and return their values, (n,); see `loss_at`."""
        self.rows, self.columns = places(values, entries)
        if self.rows.size == 0:
            raise DataError("there is nothing to score: no entry is held out")
        scored = values[self.rows, self.columns]
        is_missing = np.isnan(scored) if scored.dtype.kind == "f" else scored == MISSING
        if is_missing.any():
            raise DataError(f"entries: {np.count_nonzero(is_missing)} of those to score are missing in the matrix")
        return scored

    @abstractmethod
    def __call__(self, prediction: Any) -> Loss:
        """Return the loss of a prediction for `rows` and `columns`."""

    def further_scores(self, prediction: Any) -> dict[str, Any]:
        """Return further measures of a prediction by name, as JSON can hold them.

        The names are those of `Likelihood.further_scores`; a likelihood that has none gives {}.

        - brier : float, the mean of (v - p)^2 over the entries, p the predicted probability of a
          one
        - calibration : dict of lists, an item per bin of p, of equal width from 0 to 1: `entries`
          (int, how many have their p there), `sum_p` (float, of these p) and `ones` (int, of v)
        """
        return {}

    def of(self, predict: Callable[[np.ndarray, np.ndarray], Any]) -> Loss:
        """Return the loss of what a state or an estimator predicts: `predict(rows, columns)`."""
        return self(predict(self.rows, self.columns))


class Likelihood(ABC):
    """One likelihood; its subclasses have no parameters.

    Attributes
    ----------
    name : str
    unit : str
        What a loss is per, "entry" or "token". Losses of different units are not comparable.
    matrix : class
        The kind of named matrix that holds such values.
    limits : tuple of float
        The smallest and the largest value that E[v] can have.
    loss : class
        The LossAt of its predictions, made of values and the entries to score.
    further_scores : tuple of str
        What its predictions are scored by besides the loss; see `LossAt.further_scores`.
    """

    name: ClassVar[str]
    unit: ClassVar[str] = "entry"
    matrix: ClassVar[type[NamedMatrix]]
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    loss: ClassVar[Callable[[np.ndarray, np.ndarray], LossAt]]
    further_scores: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def values_of(self, V: Any) -> np.ndarray:
        """Return the values of a matrix, array or DataFrame in the likelihood's own coding.

        Raises
        ------
        DataError
            If a value is not allowed or none is observed; the message names the place.
        """

    def sparse_values_of(self, V: Any) -> Any:
        """Return the values of a matrix of scipy.sparse, as a SparseCounts.

        Raises
        ------
        DataError
            If a stored value is not allowed, or the likelihood is not one of counts.
        """
        raise DataError(f"V is sparse, and values of the likelihood {self.name} are no counts")

    def is_observed(self, values: np.ndarray) -> np.ndarray:
        """Return a bool array (F, N): where `values` are not missing, which is coded by -1 unless a class says else."""
        return values != MISSING

    def hide(self, values: np.ndarray, entries: np.ndarray) -> np.ndarray:
        """Return a copy of `values` in which `entries`, bool array (F, N), are missing."""
        return np.where(entries, values.dtype.type(MISSING), values)

    def loss_at(self, values: np.ndarray, entries: np.ndarray) -> LossAt:
        """Return the loss of predictions at `entries`, bool array (F, N), all observed.

        Raises
        ------
        DataError
            If shapes differ, one of the entries is missing, or there is none.
        """
        return self.loss(values, entries)

    def losses(self, values: np.ndarray, prediction: Any) -> np.ndarray:
        """Return minus the log probability of each value, in nats, float array (n,): what `loss_at` adds up.

        For errors that know rows and columns. `values`, (n,), are none of them missing; the prediction is what the
        likelihood scores, of each of them.

        Raises
        ------
        DataError
            If the likelihood is not one of single entries.
        """
        raise DataError(f"values of the likelihood {self.name} have no loss of a single entry")

    def __repr__(self) -> str:
        return f"<likelihood {self.name}>"


def places(values: np.ndarray, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the entries to score, row by row.

    Raises
    ------
    DataError
        If `entries` is of another shape than `values`.
    """
    if np.shape(entries) != values.shape:
        raise DataError(f"entries: shape {np.shape(entries)}; allowed: that of the values, {values.shape}")
    return np.nonzero(entries)


def refuse_other_forms(V: Any, allowed: str) -> None:
    """Raise DataError, in scikit-learn's words, if V has not the form of a matrix of real numbers.

    `allowed` says what its values may be.
    """
    if isinstance(V, str | os.PathLike):
        raise DataError(f"V is a path, {str(V)!r}: nbmf.read({str(V)!r}) gives the matrix that is in a file")
    shape, kind = getattr(V, "shape", ()), getattr(getattr(V, "dtype", None), "kind", None)
    if kind == "c":
        raise DataError(f"Complex data not supported; allowed: {allowed}")
    if len(shape) == 1:
        raise DataError(
            "V has one dimension and a matrix has two. Reshape your data: V.reshape(1, -1) is a matrix of one row"
        )
    if len(shape) == 2 and shape[1] == 0:
        raise DataError(f"V has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
