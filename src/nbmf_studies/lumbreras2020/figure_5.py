"""Figure 5: the datasets as pictures, one panel each."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.errors import DataError
from nbmf.plotting import style
from nbmf.plotting.ordering import clustered, complete_linkage_order

CHRONOLOGICAL = ("unvotes", "unvotes_coldwar")  # their columns stay as they are
WITH_ABSTENTIONS = "unvotes"
ABSTAINED = 2  # besides the codes 1, 0 and -1, in this figure only
COLOURS = {  # of each code, and its name in the legend
    1: ("#000000", "1"),
    0: ("#FFFFFF", "0"),
    ABSTAINED: ("#0072B2", "abstention"),
    MISSING: ("#D55E00", "missing"),
}
BORDER = "#009E73"  # between groups; the colour of no code

WIDE = 2.0  # columns per row from which a panel takes the whole width
TALL = 0.5  # columns per row below which a panel is stretched to this
PER_ROW = 3  # of the panels that are not wide
HEIGHT, WIDE_HEIGHT = 2.8, 1.45  # inches


class Groups(NamedTuple):
    """The groups of the displayed rows.

    names : list of str
    starts : int array, where each group starts; the end comes last
    of_columns : bool, whether the columns are the same things in the same order
    """

    names: list[str]
    starts: np.ndarray
    of_columns: bool


def draw(
    matrices: dict[str, BinaryMatrix], labels: dict[str, tuple[str, str]], abstentions: BinaryMatrix | None = None
) -> Figure:
    """Draw the figure.

    A matrix with row groups is sorted by group, then by name, and its columns likewise where they
    are the same things as the rows. The columns of votes stay as they are. All else is clustered.

    Parameters
    ----------
    matrices : dict
        Name of a dataset to its matrix; those that are not wide come first and share rows of
        panels, then one panel each takes the whole width.
    labels : dict
        Name of a dataset to what its rows and its columns are, for example
        ("animals", "attributes"); plainly rows and columns where it is not in there.
    abstentions : BinaryMatrix, optional
        Of the same rows and columns as unvotes: 1 where a country abstained.

    Raises
    ------
    DataError
        If `abstentions` has other rows or columns than unvotes, or an abstention was a yes.
    """
    rows = _rows_of_panels(matrices)
    heights = [WIDE_HEIGHT if _is_wide(matrices[names[0]].shape) else HEIGHT for names in rows]
    figure = plt.figure(figsize=(style.PAGE_WIDTH, sum(heights) + 0.45 * len(rows) + 0.3), layout="constrained")
    grid = figure.add_gridspec(len(rows), 1, height_ratios=heights)
    drawn = set()
    for place, names in zip(grid, rows, strict=True):
        widths = [max(TALL, _columns_per_row(matrices[name].shape)) for name in names]
        row = place.subgridspec(1, len(names), width_ratios=widths)
        for cell, name in zip(row, names, strict=True):
            given = abstentions if name == WITH_ABSTENTIONS else None
            codes, groups = displayed(name, matrices[name], given)
            drawn |= set(np.unique(codes).tolist())
            axes_labels = labels.get(name, ("rows", "columns"))
            _draw_panel(figure.add_subplot(cell), name, codes, groups, axes_labels)
    _draw_legend(figure, drawn)
    return figure


def _draw_legend(figure: Figure, drawn: set[int]) -> None:
    handles = [
        Patch(facecolor=colour, edgecolor="black", linewidth=0.5, label=label)
        for code, (colour, label) in COLOURS.items()
        if code in drawn
    ]
    style.legend_below(figure, handles, len(handles))


def displayed(name: str, matrix: BinaryMatrix, abstentions: BinaryMatrix | None) -> tuple[np.ndarray, Groups | None]:
    """Return the codes (int8, F x N; 2 is an abstention) in display order, and the row groups."""
    codes = matrix.codes if abstentions is None else _with_abstentions(matrix, abstentions)
    if matrix.row_groups is not None:
        return _sorted_by_group(matrix, codes)
    if name in CHRONOLOGICAL:
        return codes[complete_linkage_order(matrix.codes, 0)], None
    return clustered(codes), None


def _with_abstentions(matrix: BinaryMatrix, abstentions: BinaryMatrix) -> np.ndarray:
    for field in ("row_names", "column_names"):
        if not np.array_equal(getattr(matrix, field), getattr(abstentions, field)):
            raise DataError(f"{field} of the abstentions are not those of the votes")
    abstained = abstentions.codes == 1
    if (matrix.codes[abstained] == 1).any():
        raise DataError("some of the abstentions are ones in the matrix of votes")
    return np.where(abstained, np.int8(ABSTAINED), matrix.codes)


def _sorted_by_group(matrix: BinaryMatrix, codes: np.ndarray) -> tuple[np.ndarray, Groups]:
    order = np.lexsort((matrix.row_names, matrix.row_groups))
    same = np.array_equal(matrix.row_names, matrix.column_names)
    columns = order if same else complete_linkage_order(matrix.codes, 1)
    names, starts = np.unique(matrix.row_groups[order], return_index=True)
    groups = Groups(names.tolist(), np.append(starts, len(order)), of_columns=same)
    return codes[np.ix_(order, columns)], groups


def _columns_per_row(shape: tuple[int, int]) -> float:
    return shape[1] / shape[0]


def _is_wide(shape: tuple[int, int]) -> bool:
    return _columns_per_row(shape) > WIDE


def _rows_of_panels(matrices: dict[str, BinaryMatrix]) -> list[list[str]]:
    wide = [name for name, matrix in matrices.items() if _is_wide(matrix.shape)]
    others = [name for name in matrices if name not in wide]
    shared = [others[i : i + PER_ROW] for i in range(0, len(others), PER_ROW)]
    return shared + [[name] for name in wide]


def _draw_panel(axis: Axes, name: str, codes: np.ndarray, groups: Groups | None, labels: tuple[str, str]) -> None:
    """Draw one matrix; cells smaller than a pixel are averaged, so that thin ones stay visible."""
    is_stretched = not TALL <= _columns_per_row(codes.shape) <= WIDE
    aspect = "auto" if is_stretched else "equal"
    axis.imshow(_picture(codes), interpolation="auto", aspect=aspect)
    axis.set(title=name, ylabel=f"{codes.shape[0]} {labels[0]}", xlabel=f"{codes.shape[1]} {labels[1]}")
    axis.set(xticks=[], yticks=[])
    axis.spines[:].set_visible(True)
    if groups is not None:
        _draw_groups(axis, groups)


def _picture(codes: np.ndarray) -> np.ndarray:
    """Return the colour of each cell, uint8 array (F, N, 3)."""
    picture = np.empty((*codes.shape, 3), dtype=np.uint8)
    for code, (colour, _) in COLOURS.items():
        picture[codes == code] = list(bytes.fromhex(colour[1:]))
    return picture


def _draw_groups(axis: Axes, groups: Groups) -> None:
    borders = groups.starts[1:-1] - 0.5
    middles = (groups.starts[:-1] + groups.starts[1:] - 1) / 2
    line = {"color": BORDER, "linewidth": 0.6}
    for border in borders:
        axis.axhline(border, **line)
    axis.set_yticks(middles, groups.names, fontsize=6)
    if groups.of_columns:
        for border in borders:
            axis.axvline(border, **line)
        axis.set_xticks(middles, groups.names, fontsize=6, rotation=90)
    axis.tick_params(length=0)
