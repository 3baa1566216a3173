"""Coloured strips along the edges of a picture: groups of its rows or columns, and main components."""

from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, Transform

from nbmf.plotting import style
from nbmf.plotting.labelled_factor import LabelledFactor

WIDTH = 3.5  # points
LABEL_SIZE, LABEL_GAP = 5.5, 6.5  # points: of labels, and between their centres at least

Edge = Literal["left", "right", "top", "bottom"]


class Run(NamedTuple):
    """Neighbouring rows or columns of one group: the first, and the one after the last."""

    group: str
    start: int
    stop: int

    @property
    def centre(self) -> float:
        """Where its middle is, in rows or columns."""
        return (self.start + self.stop - 1) / 2


def runs_of(groups: Sequence) -> list[Run]:
    """Return the runs of equal neighbours."""
    runs, start = [], 0
    for group, members in groupby(groups):
        stop = start + len(list(members))
        runs.append(Run(str(group), start, stop))
        start = stop
    return runs


def spread(centres: np.ndarray, gap: float) -> np.ndarray:
    """Return ascending places at least `gap` apart, each at or after its own centre."""
    places = np.array(centres, dtype=np.float64)
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + gap)
    return places


def draw_groups(
    axes: Sequence[Axes],
    runs: Sequence[Run],
    groups: Sequence[str],
    row_height: float,
    palette: Sequence[str] = style.GROUPS,
) -> None:
    """Draw a strip left of the first panel and right of the last, and name the groups there, as in Figures 7 to 9.

    Parameters
    ----------
    axes : list of Axes
        Panels with the same rows, from left to right.
    runs : list of Run
        Of the rows that are drawn, from top to bottom.
    groups : str array (F,)
        Of all rows, drawn or not: they set the colours and are counted.
    row_height : float
        Of a row, in inches.
    palette : list of str
        The colours of groups, the largest first.
    """
    colours = style.colours_of_groups(groups, palette)
    draw(axes[0], runs, colours, "left")
    draw(axes[-1], runs, colours, "right")
    _label(axes[-1], runs, groups, row_height)


def draw_components(axis: Axes, components: np.ndarray, edge: Edge) -> None:
    """Draw a strip of the colours of components, one per row or column; numbers count from 0."""
    runs = runs_of(components)
    draw(axis, runs, {run.group: style.colour_of_component(int(run.group)) for run in runs}, edge)


def draw_strips(axis: Axes, factor: LabelledFactor, edge: Edge, limit: float = 1.0) -> None:
    """Draw the main components of rows or columns along an edge, and outside of them their groups.

    A single component has no strip. Axes have one that goes from blue, below 0, to red, where coordinates reach
    `limit`: the position on the first axis.
    """
    if factor.axes is not None:
        draw_positions(axis, factor.along / limit, edge)
    elif factor.weights.shape[1] > 1:
        draw_components(axis, factor.typical_of, edge)
    if factor.groups is not None:
        draw(axis, runs_of(factor.groups), style.colours_of_groups(factor.groups), edge, 1)


def draw_positions(axis: Axes, along: np.ndarray, edge: Edge) -> None:
    """Draw a strip of the colours of signs, one per row or column; -1 is blue, 1 is red."""
    transform, across = _strip_transform(axis, edge, 0)
    places = np.arange(len(along))
    ends = np.stack([places - 0.5, places + 0.5], axis=1)
    beyond = np.full_like(ends, across)
    pairs = (beyond, ends) if edge in ("left", "right") else (ends, beyond)
    colours = mpl.colormaps[style.SIGNED]((along + 1) / 2)
    strip = LineCollection(
        np.stack(pairs, axis=2),
        colors=colours,
        linewidths=WIDTH,
        capstyle="butt",
        transform=transform,
        antialiaseds=False,
    )
    strip.set_clip_on(False)
    axis.add_collection(strip, autolim=False)


def number_components(axis: Axes, factor: LabelledFactor, edge: Edge = "bottom") -> float:
    """Write the numbers of main components outside of the strip at an edge, where there is room.

    Returns
    -------
    float
        How far they reach beyond the strip, in points.
    """
    if factor.weights.shape[1] < 2 or factor.axes is not None:
        return 0.0
    is_below = edge == "bottom"
    extent = axis.get_window_extent()
    inches = (extent.width if is_below else extent.height) / axis.figure.dpi
    least = LABEL_GAP / 72 / inches * len(factor.names)  # rows or columns
    away = -WIDTH - 2.5
    for run in runs_of(factor.typical_of):
        if run.stop - run.start < least:
            continue
        axis.annotate(
            f"{int(run.group) + 1}",
            (run.centre, 0) if is_below else (0, run.centre),
            (0, away) if is_below else (away, 0),
            xycoords=axis.get_xaxis_transform() if is_below else axis.get_yaxis_transform(),
            textcoords="offset points",
            fontsize=LABEL_SIZE,
            ha="center" if is_below else "right",
            va="top" if is_below else "center",
        )
    return LABEL_GAP


def _label(axis: Axes, runs: Sequence[Run], groups: Sequence[str], row_height: float) -> None:
    """Name groups right of a panel, with the number of members of each, those that are too near moved down."""
    sizes = dict(zip(*np.unique(np.asarray(groups, str), return_counts=True), strict=True))
    gap = LABEL_GAP / (72 * row_height)  # in rows
    places = spread(np.array([run.centre for run in runs]), gap)
    for run, place in zip(runs, places, strict=True):
        axis.annotate(
            f"{run.group} ({sizes[run.group]})",
            (1, place),
            (WIDTH + 3.5, 0),
            xycoords=axis.get_yaxis_transform(),
            textcoords="offset points",
            fontsize=LABEL_SIZE,
            va="center",
        )


def draw(axis: Axes, runs: Sequence[Run], colours: dict[str, str], edge: Edge, place: int = 0) -> None:
    """Draw a strip along an edge of a panel; `place` 1 is outside of the strip at 0."""
    transform, across = _strip_transform(axis, edge, place)
    beyond = [across] * 2
    for run in runs:
        ends = [run.start - 0.5, run.stop - 0.5]
        x, y = (beyond, ends) if edge in ("left", "right") else (ends, beyond)
        axis.add_artist(
            Line2D(
                x,
                y,
                color=colours[run.group],
                linewidth=WIDTH,
                solid_capstyle="butt",
                clip_on=False,
                transform=transform,
            )
        )


def _strip_transform(axis: Axes, edge: Edge, place: int) -> tuple[Transform, float]:
    """Return the transform of a strip, rows or columns along the edge, and where the edge is across them."""
    is_upright, is_far = edge in ("left", "right"), edge in ("right", "top")
    shift = ((0.5 + place) * WIDTH + 1.5) / 72 * (1 if is_far else -1)
    along = axis.get_yaxis_transform() if is_upright else axis.get_xaxis_transform()
    moved = ScaledTranslation(*((shift, 0) if is_upright else (0, shift)), axis.figure.dpi_scale_trans)
    return along + moved, float(is_far)
