"""Figures 7, 8 and 9: the dictionaries W of several methods side by side, every row named."""

import math
import textwrap
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle

from nbmf.errors import DataError
from nbmf.plotting import strips, style
from nbmf.plotting.ordering import order_by_group

ROWS_PER_PART = 130  # what fits on a page with names of 4 points; longer dictionaries are split
ROW_HEIGHT = 0.0635  # inches
MARGINS = 1.05  # inches: titles, notes and the colour bar
NAME_SIZE = 3.9  # points
NOTE_SIZE = 4.6


class Dictionary(NamedTuple):
    """One panel.

    label : str, the method and, where it was chosen, its K
    W : float array (F, K); if a value is outside [0, 1], W is mapped and its range stated
    note : str, printed below the panel
    """

    label: str
    W: np.ndarray
    note: str = ""


def columns_by_norm(W: np.ndarray) -> np.ndarray:
    """Return the columns of W, those of largest Euclidean norm first (ties: lower index first)."""
    return np.argsort(-np.linalg.norm(W, axis=0), kind="stable")


def to_unit_range(W: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return W mapped linearly to [0, 1], its smallest and its largest value.

    A constant W has no range to map and becomes 0.5.
    """
    low, high = float(W.min()), float(W.max())
    if low == high:
        return np.full(W.shape, 0.5), low, high
    return (W - low) / (high - low), low, high


def meaningful_row_order(W: np.ndarray, row_names: np.ndarray, row_groups: np.ndarray | None = None) -> np.ndarray:
    """Return an order of the rows in which blocks can be seen.

    With groups: by group, the largest first, then by name. Without: by the component with the
    largest weight in the row (components by their norm), then by that weight, heaviest first.

    Parameters
    ----------
    W : float array (F, K)
        The dictionary that sets the order where there are no groups.
    row_names : str array (F,)
        The names of the rows.
    row_groups : str array (F,), optional
        The group of each row.

    Returns
    -------
    int array (F,)
    """
    if row_groups is not None:
        return order_by_group(row_names, row_groups)
    W = W[:, columns_by_norm(W)]
    return np.lexsort((-W.max(axis=1), W.argmax(axis=1)))


@style.in_style
def draw(
    W_by_method: list[Dictionary],
    row_names: np.ndarray,
    row_groups: np.ndarray | None,
    n_columns: int,
    row_order: np.ndarray,
) -> Figure:
    """Draw the dictionaries side by side; black is 1, white is 0.

    Columns are sorted by norm, the first `n_columns` of each W are shown, and columns that a W
    does not have are hatched. More than 130 rows are split into parts side by side.

    Parameters
    ----------
    W_by_method : list of Dictionary
        The panels from left to right.
    row_names : str array (F,)
        The names of the rows.
    row_groups : str array (F,) or None
        Shown as a coloured stripe with a label.
    n_columns : int
        The columns of each panel.
    row_order : int array (F,)
        From top to bottom, for example of `meaningful_row_order`.

    Raises
    ------
    DataError
        If a W or `row_order` does not have one entry per row name.
    """
    _check(W_by_method, row_names, row_order)
    parts = np.array_split(row_order, math.ceil(len(row_order) / ROWS_PER_PART))
    n_panels = len(W_by_method)
    figure, axes = plt.subplots(
        1,
        len(parts) * n_panels,
        figsize=(style.PAGE_WIDTH, len(parts[0]) * ROW_HEIGHT + MARGINS),
        squeeze=False,
        layout="constrained",
    )
    figure.get_layout_engine().set(wspace=0.01, w_pad=0.02)
    for rows, part_axes in zip(parts, np.split(axes[0], len(parts)), strict=True):
        runs = strips.runs_of(row_groups[rows]) if row_groups is not None else []
        for axis, dictionary in zip(part_axes, W_by_method, strict=True):
            image = _draw_panel(axis, dictionary, rows, n_columns, narrow=len(parts) > 1)
            for run in runs[1:]:
                axis.axhline(run.start - 0.5, color=style.COLOURS[0], linewidth=0.4)
            axis.set_ylim(len(parts[0]) - 0.5, -0.5)  # the same height of rows in every part
        _name_rows(part_axes[0], row_names[rows], pad=strips.WIDTH + 3 if runs else 1.5)
        if runs:
            strips.draw_groups(part_axes, runs, row_groups, ROW_HEIGHT, style.COLOURS)
    bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.3, aspect=40, pad=0.01, ticks=[0, 0.5, 1])
    is_mapped = any(_leaves_unit_range(dictionary.W) for dictionary in W_by_method)
    bar.set_label("entry of W (mapped, where the note says so)" if is_mapped else "entry of W", fontsize=6)
    bar.ax.tick_params(labelsize=5, length=2, pad=1)
    return figure


def _check(W_by_method: list[Dictionary], row_names: np.ndarray, row_order: np.ndarray) -> None:
    F = len(row_names)
    if not np.array_equal(np.sort(row_order), np.arange(F)):
        raise DataError(f"row_order: every row from 0 to {F - 1} is needed once")
    for dictionary in W_by_method:
        if len(dictionary.W) != F:
            raise DataError(f"{dictionary.label}: W has {len(dictionary.W)} rows, {F} are named")


def _draw_panel(axis: Axes, dictionary: Dictionary, rows: np.ndarray, n_columns: int, *, narrow: bool) -> AxesImage:
    """Draw some rows of a dictionary and return the image."""
    W, notes = dictionary.W, [dictionary.note]
    if _leaves_unit_range(W):
        W, low, high = to_unit_range(W)
        notes = [f"W in [{low:.1f},\u00a0{high:.1f}] mapped to [0,\u00a01]", dictionary.note]
    shown = W[:, columns_by_norm(dictionary.W)[:n_columns]]
    image = axis.imshow(shown[rows], cmap="gray_r", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    if shown.shape[1] < n_columns:
        _hatch_missing(axis, shown.shape[1], n_columns)
        notes.append(f"K = {shown.shape[1]}: no more columns")
    axis.set_xlim(-0.5, n_columns - 0.5)
    axis.set_xticks(np.arange(n_columns), np.arange(1, n_columns + 1))
    axis.set_yticks([])
    axis.tick_params(length=0, pad=1, labelsize=NOTE_SIZE)
    axis.spines[["top", "right"]].set_visible(True)
    axis.spines[:].set_linewidth(0.4)
    axis.set_title(dictionary.label, fontsize=5.6 if narrow else 7, pad=3)
    axis.set_xlabel(_wrapped(notes, 16 if narrow else 28), fontsize=NOTE_SIZE, labelpad=2)
    return image


def _leaves_unit_range(W: np.ndarray) -> bool:
    return W.min() < 0 or W.max() > 1


def _hatch_missing(axis: Axes, first: int, n_columns: int) -> None:
    bottom, top = axis.get_ylim()
    axis.add_patch(
        Rectangle(
            (first - 0.5, top),
            n_columns - first,
            bottom - top,
            facecolor="#EAF3FA",
            edgecolor=style.COLOURS[4],
            hatch="////",
            linewidth=0,
        )
    )


def _wrapped(notes: list[str], width: int) -> str:
    """Return the notes one below the other, wrapped at blanks but not inside intervals."""
    lines = [line for note in notes for line in note.splitlines()]
    return "\n".join(textwrap.fill(line, width) for line in lines)


def _name_rows(axis: Axes, names: np.ndarray, pad: float) -> None:
    axis.set_yticks(np.arange(len(names)), names, fontsize=NAME_SIZE)
    axis.tick_params(axis="y", length=0, pad=pad)
