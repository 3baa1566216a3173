"""What an estimator has only after a fit: learned attributes, and entries of the matrix that it was fitted to."""

from typing import Any

import numpy as np

from nbmf.errors import DataError, NbmfError, NotFittedError, UndeclaredError
from nbmf.inference.declarations import REQUIRED, Alignment, Inference
from nbmf.inference.model_file import is_within
from nbmf.likelihoods.likelihood import Likelihood


class Fitted:
    """The part of an estimator that says whether it is fitted, and checks places in the fitted matrix."""

    def __getattr__(self, name: str) -> Any:
        """Raise NotFittedError for what only a fit learns, also where a property depends on it; otherwise as ever.

        A declaration that the class lacks is named, so that no property which depends on it passes for not fitted.
        Python asks this for what it has not found, and where a property raises an AttributeError.
        """
        if name in REQUIRED:
            raise UndeclaredError(f"{type(self).__name__} does not declare {name}; allowed: {REQUIRED[name]}")
        try:
            return object.__getattribute__(self, name)  # once more: it raises what a property has to say
        except NbmfError:
            raise
        except AttributeError as error:  # perhaps of what a property asks for: a slip in it is no missing fit
            if name.endswith("_") or self._is_learned(error.name or name):
                self._require_fit()
            raise

    def _is_learned(self, name: str) -> bool:
        return not name.startswith("_") and (name.endswith("_") or hasattr(type(self), name))

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(V) first")

    def _require_declarations(self) -> None:
        """Raise UndeclaredError unless the class has all declarations, and as what they have to be."""
        are_kinds = (
            isinstance(self.inference, Inference),  # a text that equals one is none
            isinstance(self.likelihoods, tuple)
            and bool(self.likelihoods)
            and all(isinstance(each, Likelihood) for each in self.likelihoods),
            isinstance(self.alignment, Alignment),
        )
        for name, is_kind in zip(REQUIRED, are_kinds, strict=True):
            if not is_kind:
                given = getattr(self, name)
                raise UndeclaredError(f"{type(self).__name__} declares {name} as {given!r}; allowed: {REQUIRED[name]}")

    def _require_shapes(self, shape: tuple[int, int]) -> None:
        """Raise UndeclaredError unless a fit to a matrix (F, N) has learned arrays of the axes in `shapes`."""
        sizes = dict(zip("FN", shape, strict=True))
        for name, axes in self.shapes.items():
            given = np.shape(vars(self).get(name))
            lengths = list(zip(axes, given, strict=False))
            if len(given) != len(axes) or any(sizes.setdefault(axis, length) != length for axis, length in lengths):
                expected = ", ".join(f"{axis} = {sizes[axis]}" if axis in sizes else axis for axis in axes)
                what = f"has learned {name} of shape {given}" if name in vars(self) else f"has not learned {name}"
                raise UndeclaredError(f"{type(self).__name__} {what}; declared by `shapes`: ({expected})")
        self._require_means(shape)

    def _require_means(self, shape: tuple[int, int]) -> None:
        """Raise UndeclaredError if E[V] of a fit, where it is kept, has another shape or impossible numbers."""
        means = self._expectation
        if means is None:
            return
        where = f"{type(self).__name__}: `expectation()` of its state"
        if np.shape(means) != shape:
            raise UndeclaredError(f"{where} is of shape {np.shape(means)}; allowed: (F, N) = {shape}")
        low, high = self.likelihood.limits
        if not is_within(means, low, high):
            given = f"{means.min():.6g} to {means.max():.6g}"
            raise UndeclaredError(f"{where} has numbers from {given}; allowed: from {low:g} to {high:g}")

    def __sklearn_is_fitted__(self) -> bool:
        return "H_" in vars(self)

    def checked_places(self, rows: Any, columns: Any) -> list[np.ndarray]:
        """Return indices of rows and columns of the fitted matrix, int arrays of their broadcast shape.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If an index is no integer, or outside the fitted matrix.
        """
        self._require_fit()
        places = []
        for index, size, kind in zip(
            (rows, columns), (self.W_.shape[0], self.H_.shape[1]), ("row", "column"), strict=True
        ):
            index = as_indices(index)
            if index.dtype.kind not in "iu":
                raise DataError(f"{kind}s: must be integers from 0 to {size - 1}")
            if (wrong := index[(index < 0) | (index >= size)]).size:
                raise DataError(f"{kind} {wrong[0]}: must be 0 to {size - 1}")
            places.append(index)
        return np.broadcast_arrays(*places)


def as_indices(given: Any) -> np.ndarray:
    """Return indices as an array; an empty list, which NumPy takes for one of floats, has no index that is none."""
    index = np.asarray(given)
    return index.astype(np.int64) if index.size == 0 else index
