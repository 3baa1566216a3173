"""The names of groups next to a picture, each as near to its rows or columns as the others allow."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation, Transform

from nbmf.plotting import strips, style
from nbmf.plotting.labelled_factor import LabelledFactor
from nbmf.plotting.names import shortened
from nbmf.plotting.spreading import spread
from nbmf.plotting.strips import LABEL_GAP, LABEL_SIZE, WIDTH, Edge, Run

LONGEST = 26  # characters of a name
LETTER = 0.55  # of the size of a name: the width of a letter, about
LEADER = 9.0  # points across which a line leads from a strip to a name that is not next to its rows
FARTHEST = 4  # heights of names, from a group to its name: of more that are so near to each other the largest are named
LEADS = {"arrowstyle": "-", "linewidth": 0.4, "color": "#7F7F7F", "shrinkA": 0, "shrinkB": 0}


class Name(NamedTuple):
    """A text, and the middle of the rows or columns that it names."""

    text: str
    centre: float


def draw(axis: Axes, runs: Sequence[Run], groups: Sequence[str], row_height: float) -> None:
    """Draw a strip left and right of a panel, and name the groups at the right.

    Parameters
    ----------
    axis : Axes
    runs : list of Run
        Of the rows that are drawn, from top to bottom.
    groups : str array (F,)
        Of all rows, drawn or not: they set the colours and are counted.
    row_height : float
        Of a row, in inches.
    """
    colours = style.colours_of_groups(groups)
    strips.draw(axis, runs, colours, "left")
    strips.draw(axis, runs, colours, "right")
    write(axis, runs, groups, row_height)


def draw_factor_groups(axis: Axes, factor: LabelledFactor, edge: Edge) -> float:
    """Draw the groups of rows or columns, sorted by them, along an edge of a panel, and name them there.

    At the bottom, where there are no groups, components are numbered.

    Returns
    -------
    float
        How far the texts reach beyond the strips of components, about, in points.
    """
    if factor.groups is None:
        return strips.number_components(axis, factor) if edge == "bottom" else 0.0
    runs = strips.runs_of(factor.groups)
    if edge == "right":
        strips.draw(axis, runs, style.colours_of_groups(factor.groups), edge)
    extent = axis.get_window_extent()
    inches = (extent.width if edge == "bottom" else extent.height) / axis.figure.dpi
    return write(axis, runs, factor.groups, inches / len(factor.groups), edge)


def write(axis: Axes, runs: Sequence[Run], groups: Sequence[str], row_size: float, edge: Edge = "right") -> float:
    """Name groups next to the strips at an edge, with the sizes of all; where there is no room the largest.

    A line leads to a name that is not next to its group.

    Returns
    -------
    float
        How far they reach beyond the strips of components, about, in points.
    """
    gap = LABEL_GAP / (72 * row_size)  # in rows or columns
    low, high = -0.5 + gap / 2, _end(axis, edge) - gap / 2
    for most in range(max(1, int((high - low) / gap) + 1), 0, -1):
        names = _named(runs, groups, most)
        places = spread([name.centre for name in names], gap, low, high)
        moves = np.abs(places - [name.centre for name in names]) / gap
        if moves.max() <= FARTHEST:
            break
    are_moved = moves > 0.5
    away = WIDTH + 3.5 + LEADER * are_moved.any() + WIDTH * (edge == "bottom")
    for name, place, is_moved in zip(names, places, are_moved, strict=True):
        _write(axis, name, place, edge, away, leads=is_moved)
    return away + LETTER * LABEL_SIZE * max(len(name.text) for name in names)


def _end(axis: Axes, edge: Edge) -> float:
    """Return where a panel ends, in rows or columns."""
    return max(axis.get_xlim() if edge == "bottom" else axis.get_ylim())


def _named(runs: Sequence[Run], groups: Sequence[str], most: int) -> list[Name]:
    """Return at most so many names, in the order of the rows; the last one may be of the groups that have none."""
    sizes = dict(zip(*np.unique(np.asarray(groups, str), return_counts=True), strict=True))
    texts = shortened([run.group for run in runs], LONGEST)
    names = [Name(f"{text} ({sizes[run.group]})", run.centre) for text, run in zip(texts, runs, strict=True)]
    if len(names) <= most:
        return names
    largest = np.argsort([-sizes[run.group] for run in runs], kind="stable")
    shown, others = np.sort(largest[: most - 1]), largest[most - 1 :]
    rest = Name(f"and {len(others)} other groups", float(np.mean([names[i].centre for i in others])))
    return sorted([*(names[i] for i in shown), rest], key=lambda name: name.centre)


def _write(axis: Axes, name: Name, place: float, edge: Edge, away: float, *, leads: bool) -> None:
    """Write a name `away` points from a panel."""
    is_below = edge == "bottom"
    start = away - LEADER + 1
    at = {"ha": "center", "va": "top", "rotation": 90} if is_below else {"ha": "left", "va": "center"}
    axis.annotate(
        name.text,
        (name.centre, 0) if is_below else (1, name.centre),
        (place, 0) if is_below else (1, place),
        xycoords=_shifted(axis, start, is_below),
        textcoords=_shifted(axis, away, is_below),
        fontsize=LABEL_SIZE,
        arrowprops={**LEADS, "relpos": (0.5, 1) if is_below else (0, 0.5)} if leads else None,
        annotation_clip=False,
        **at,
    )


def _shifted(axis: Axes, points: float, is_below: bool) -> Transform:
    """Return the transform of places so many points right of a panel, or below it."""
    along = axis.get_xaxis_transform() if is_below else axis.get_yaxis_transform()
    shift = (0, -points / 72) if is_below else (points / 72, 0)
    return along + ScaledTranslation(*shift, axis.figure.dpi_scale_trans)
