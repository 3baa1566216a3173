"""The components of a fit as pictures show them: which, in which order, and what is written above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.plotting.inputs import factor_of
from nbmf.plotting.labelled_factor import LabelledFactor
from nbmf.posterior.components import Components, components_of

MOST_COMPONENTS = 15  # beyond which columns are too narrow for their headings
ON_ONE_SIDE = 0.95  # of the rows of an intercept, at least
OF_COLUMNS, OF_ROWS, OF_BOTH = (
    "how common\neach column is",
    "how common\neach row is",
    "how common rows\nand columns are",
)
ALIKE = 2.0  # times the variation of the columns of an intercept, up to which that of its rows is alike


class Shown(NamedTuple):
    """Both factors with the components that are drawn.

    factors : tuple of LabelledFactor, of the rows and of the columns
    headings : list of str, of the components
    active : int, how many active ones there are, drawn or not
    """

    factors: tuple[LabelledFactor, LabelledFactor]
    headings: list[str]
    active: int


def has_axes(model: Factorization) -> bool:
    """Return whether components are axes with two ends, known up to a rotation, rather than groups."""
    return model.alignment is Alignment.ROTATION


def shown_of(
    model: Factorization,
    matrix: NamedMatrix | None,
    groups: Sequence[Sequence[str] | None] = (None, None),
    count: int | None = None,
) -> Shown:
    """Return the first components of a fit, by default the active ones, as they are drawn.

    Parameters
    ----------
    model : Factorization
        Fitted.
    matrix : NamedMatrix, optional
        What it was fitted to.
    groups : pair of str arrays or None
        Of rows and of columns.
    count : int, optional
        How many components.

    Raises
    ------
    DataError
        If there is not one group per row or column.
    """
    ranked = components_of(model, matrix)
    places = ranked.order[: ranked.active if count is None else count]
    if not has_axes(model):
        rows, columns = (factor_of(model, axis, places, groups[axis], matrix) for axis in (0, 1))
        return Shown((rows, columns), ranked.labels(len(places)), ranked.active)
    is_common = is_intercept(model.W_[:, places])
    order = np.argsort(is_common, kind="stable")
    places, n_axes = places[order], int(np.count_nonzero(~is_common))
    rows, columns = (factor_of(model, axis, places, groups[axis], matrix) for axis in (0, 1))
    W, H = balanced(rows.weights, columns.weights)
    factors = rows._replace(weights=W, axes=n_axes), columns._replace(weights=H, axes=n_axes)
    return Shown(factors, _headings(ranked, order, is_common, W, H), ranked.active)


def is_intercept(W: np.ndarray) -> np.ndarray:
    """Return on which axes (nearly) all rows are on one side, bool array (K,).

    Such an axis has no two ends: it says how common ones are.
    """
    return abs(np.sign(W).sum(axis=0)) >= (2 * ON_ONE_SIDE - 1) * max(len(W), 1)


def balanced(W: np.ndarray, H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return W (F, K) and H transposed (N, K), on each axis of the same size; their product stays.

    A fit is free to have large coordinates of rows and small ones of columns, or the other way round; their
    product is what counts. The size is the root of the mean square: where coordinates have the mean 0, as those of
    rows have next to column effects, it is their standard deviation.
    """
    of_rows, of_columns = (np.sqrt(np.square(X).mean(axis=0)) for X in (W, H))
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.sqrt(of_columns / of_rows)
    factor = np.where(np.isfinite(factor) & (factor > 0), factor, 1.0)
    return W * factor, H / factor


def what_is_common(w: np.ndarray, h: np.ndarray) -> str:
    """Return the heading of an intercept: it speaks of the columns if these vary on it, of the rows if they do."""
    if not is_intercept(h[:, None])[0]:
        return OF_COLUMNS
    of_rows, of_columns = (x.std() / abs(x.mean()) for x in (w, h))
    if of_rows > ALIKE * of_columns:
        return OF_ROWS
    return OF_COLUMNS if of_columns > ALIKE * of_rows else OF_BOTH


def _headings(ranked: Components, order: np.ndarray, is_common: np.ndarray, W: np.ndarray, H: np.ndarray) -> list[str]:
    """Return what is written above axes: number, and share of the weight that is in no intercept."""
    shares = ranked.shares / (1 - ranked.shares[: len(order)][is_common].sum())
    numbers = [f"{k + 1}" if np.isnan(shares[k]) else f"{k + 1}\n{shares[k]:.0%}" for k in order]
    return [
        what_is_common(w, h) if is_common[k] else number
        for k, number, w, h in zip(order, numbers, W.T, H.T, strict=True)
    ]
