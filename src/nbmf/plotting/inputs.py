"""From what a user gives to the functions of nbmf.plot to arrays with names and groups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.named import NamedMatrix
from nbmf.data.names import align_labels, default_names, texts_of_labels
from nbmf.errors import ConfigError, DataError, Setting, choices
from nbmf.inference.estimator import Factorization
from nbmf.inference.model_file import Saved
from nbmf.plotting.labelled_factor import LabelledFactor
from nbmf.posterior.chains import Chains
from nbmf.posterior.co_clustering import AXIS_NAMES
from nbmf.posterior.draws import Draws
from nbmf.posterior.groups import main_components_of

Fit = Factorization | Draws | Chains


class Oriented(NamedTuple):
    """A fit with rows at the high ends of the first axes of its scale, as a person has chosen them for a report."""

    fit: Fit
    high: Sequence[str] = ()


def oriented(fit: Any) -> Oriented:
    """Return a fit with such rows, by default none."""
    return fit if isinstance(fit, Oriented) else Oriented(fit)


def model_of(fit: Any) -> Factorization:
    """Return the fitted estimator that `fit` is or has: of chains the best one.

    Raises
    ------
    ConfigError
        If it is something else.
    NotFittedError
        If it is not fitted.
    """
    model = fit.estimator if isinstance(fit, Draws) else fit
    model = model.best if isinstance(model, Chains) else model
    if not isinstance(model, Factorization):
        of_table = isinstance(model, Saved)  # has components, but no W and H
        hint = "; nbmf.plot.profile, topics and memberships draw it" if of_table else ""
        given = f"not a {type(fit).__name__}{hint}"
        raise ConfigError(Setting("fit"), f": a fitted estimator, Draws or Chains are needed, {given}")
    _ = model.n_components_  # of a fitted one
    return model


def is_best_of_chains(fit: Any) -> bool:
    """Return whether `model_of` is one chain of several, whose mean is what is reported as E[V]."""
    return isinstance(fit, Chains) and fit.sampled and len(fit.estimators) > 1


def draws_of(fit: Fit) -> Draws | None:
    """Return the draws that `fit` is or has; None where there are none."""
    if isinstance(fit, Chains):
        return fit.draws
    return fit if isinstance(fit, Draws) else None


def matrix_of(model: Factorization, V: Any) -> NamedMatrix | None:
    """Return V as the kind of matrix that a model takes.

    Raises
    ------
    DataError
        If it is not the matrix of the fit, by its shape. A fit may have rows and columns without an observed entry,
        which no such matrix has.
    """
    if V is None:
        return None
    kind, fitted = model.likelihood.matrix, (model.W_.shape[0], model.H_.shape[1])
    is_taken = model.takes_sparse and isinstance(V, NamedMatrix) and is_sparse(V)
    matrix = V if is_taken else kind.of(V)
    if matrix.shape != fitted:
        is_same = np.shape(V) == fitted
        hint = f": fit nbmf.{kind.__name__}.of(V), without what has no observed entry, and draw that" * is_same
        raise DataError(f"V has the shape {matrix.shape}, that of the fit is {fitted}{hint}")
    return matrix


def checked_groups(groups: Sequence[str] | None, count: int, kind: str) -> np.ndarray | None:
    """Return groups as an array, None if there are none; DataError unless there is one per row."""
    if groups is None:
        return None
    groups = texts_of_labels(groups)
    if groups.shape != (count,):
        raise DataError(f"groups: {groups.size} given for {count} {kind}")
    return groups


def refuse_unknown_names(names: Iterable[str], known: Collection[str]) -> None:
    """Raise DataError if a row or column to be named in a picture is not there."""
    for name in names:
        if name not in known:
            raise DataError(f"names: there is no {name!r}; {choices(name, known)}")


def factor_of(
    model: Factorization,
    axis: int,
    indices: np.ndarray,
    groups: Sequence[str] | None = None,
    matrix: NamedMatrix | None = None,
) -> LabelledFactor:
    """Return the rows (axis 0) or the columns of a fit, with the components at `indices`.

    Their names are those of the fit or else of the matrix; the title is "rows" or "columns".

    Raises
    ------
    DataError
        If there is not one group per row or column.
    """
    kind = AXIS_NAMES[axis]
    weights = model.W_[:, indices] if axis == 0 else model.H_[indices].T
    names = (model.row_names_, model.column_names_)[axis]
    if names is None and matrix is not None:
        names = (matrix.row_names, matrix.column_names)[axis]
    if names is None:
        names = default_names(kind.removesuffix("s"), len(weights))
    groups = checked_groups(align_labels(groups, names), len(weights), kind)
    main = main_components_of(model, indices, axis)
    return LabelledFactor(weights, names, kind, groups, main, kind=kind.removesuffix("s"))
