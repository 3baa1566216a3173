"""The pictures of a fit."""

from typing import TYPE_CHECKING

import numpy as np

from nbmf.cli.components import components_of
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.estimator import Factorization
from nbmf.plots import overview

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COMPONENTS = 15  # beyond which columns are too narrow for their labels


def dictionary(
    model: Factorization,
    title: str,
    matrix: BinaryMatrix | None = None,
    *,
    count: int | None = None,
    max_lines: int = 60,
) -> "Figure":
    """Draw W and H of the active components, or of the first `count`."""
    found = components_of(model, matrix)
    groups = None if matrix is None else matrix.row_groups
    count = min(count or found.active, len(found.order), MOST_COMPONENTS)
    if count < found.active:
        title += f": the first {count} of {found.active} active components"
    sides = _sides(model, found.order[:count], groups)
    return overview.draw_factors(sides, found.labels(count), max_lines, title)


def reconstruction(model: Factorization, matrix: BinaryMatrix, title: str) -> "Figure":
    """Draw V beside E[V], rows and columns by the component they are most typical of."""
    sides = _sides(model, components_of(model, matrix).shown, matrix.row_groups)
    sides = [sides[0]._replace(title="rows"), sides[1]._replace(title="columns")]
    return overview.draw_reconstruction(matrix.codes, model.expectation_, sides, title)


def _sides(model: Factorization, places: np.ndarray, groups) -> list[overview.Side]:
    F, N = model.W_.shape[0], model.H_.shape[1]
    rows = _names(model.row_names_, "row", F)
    columns = _names(model.column_names_, "column", N)
    of_W, of_H = model.meanings
    return [
        overview.Side(model.W_[:, places], rows, f"rows (W): {of_W}", groups),
        overview.Side(model.H_[places].T, columns, f"columns (H): {of_H}"),
    ]


def _names(names: np.ndarray | None, kind: str, count: int) -> np.ndarray:
    return np.array([f"{kind} {i}" for i in range(count)]) if names is None else names
