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
LETTER = 0.55  # of the size of a label: the width of a letter, about

Edge = Literal["left", "right", "top", "bottom"]


class Run(NamedTuple):
    """Neighbouring rows or columns of one group: the first, and the one after the last."""

    group: str
    start: int
    stop: int


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
    """Draw a strip left of the first panel and right of the last, and name the groups there.

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
    label(axes[-1], runs, groups, row_height)


def draw_components(axis: Axes, components: np.ndarray, edge: Edge, place: int = 0) -> None:
    """Draw a strip of the colours of components, one per row or column; numbers count from 0."""
    runs = runs_of(components)
    draw(axis, runs, {run.group: style.colour_of_component(int(run.group)) for run in runs}, edge, place)


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
    transform, across = _at(axis, edge, 0)
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
        centre = (run.start + run.stop - 1) / 2
        axis.annotate(
            f"{int(run.group) + 1}",
            (centre, 0) if is_below else (0, centre),
            (0, away) if is_below else (away, 0),
            xycoords=axis.get_xaxis_transform() if is_below else axis.get_yaxis_transform(),
            textcoords="offset points",
            fontsize=LABEL_SIZE,
            ha="center" if is_below else "right",
            va="top" if is_below else "center",
        )
    return LABEL_GAP


def name_groups(axis: Axes, factor: LabelledFactor, edge: Edge) -> float:
    """Draw the groups of rows or columns, sorted by them, along an edge of a panel, and name them there.

    At the bottom, where there are no groups, components are numbered.

    Returns
    -------
    float
        How far the texts reach beyond the strips of components, about, in points.
    """
    if factor.groups is None:
        return number_components(axis, factor) if edge == "bottom" else 0.0
    runs = runs_of(factor.groups)
    if edge == "right":
        draw(axis, runs, style.colours_of_groups(factor.groups), edge)
    extent = axis.get_window_extent()
    inches = (extent.width if edge == "bottom" else extent.height) / axis.figure.dpi
    return label(axis, runs, factor.groups, inches / len(factor.groups), edge)


def label(axis: Axes, runs: Sequence[Run], groups: Sequence[str], row_size: float, edge: Edge = "right") -> float:
    """Name groups next to the strips at an edge, with the number of members of each.

    Returns
    -------
    float
        The length of the longest name, about, in points.
    """
    sizes = dict(zip(*np.unique(np.asarray(groups, str), return_counts=True), strict=True))
    gap = LABEL_GAP / (72 * row_size)  # in rows or columns
    places = spread(np.array([(run.start + run.stop - 1) / 2 for run in runs]), gap)
    names = [f"{run.group} ({sizes[run.group]})" for run in runs]
    for name, place in zip(names, places, strict=True):
        if edge == "right":
            at = {"xy": (1, place), "xycoords": axis.get_yaxis_transform(), "va": "center", "xytext": (WIDTH + 3.5, 0)}
        else:
            at = {
                "xy": (place, 0),
                "xycoords": axis.get_xaxis_transform(),
                "va": "top",
                "xytext": (0, -2 * WIDTH - 3.5),
                "ha": "center",
                "rotation": 90,
            }
        axis.annotate(name, textcoords="offset points", fontsize=LABEL_SIZE, **at)
    return WIDTH + LETTER * LABEL_SIZE * max(map(len, names))


def draw(axis: Axes, runs: Sequence[Run], colours: dict[str, str], edge: Edge, place: int = 0) -> None:
    """Draw a strip along an edge of a panel; `place` 1 is outside of the strip at 0."""
    transform, across = _at(axis, edge, place)
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


def _at(axis: Axes, edge: Edge, place: int) -> tuple[Transform, float]:
    """Return the transform of a strip, rows or columns along the edge, and where the edge is across them."""
    is_upright, is_far = edge in ("left", "right"), edge in ("right", "top")
    shift = ((0.5 + place) * WIDTH + 1.5) / 72 * (1 if is_far else -1)
    along = axis.get_yaxis_transform() if is_upright else axis.get_xaxis_transform()
    moved = ScaledTranslation(*((shift, 0) if is_upright else (0, shift)), axis.figure.dpi_scale_trans)
    return along + moved, float(is_far)
