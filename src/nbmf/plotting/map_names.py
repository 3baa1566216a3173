"""A map of two axes: its limits, and names that are moved apart."""

import numpy as np
from matplotlib.axes import Axes

from nbmf.plotting.names import shortened

MOST_ON_MAP, EXTREMES = 100, 40  # names on a map; of more rows those far from the middle, in all directions
SECTORS = 8  # directions, of which each has names: the farthest points may all be in one group
FAR_OUT = 0.5  # of the largest distance, from which on a point stands for its direction
MOST_AVOIDED = 100  # points that names keep away from
LONGEST = 34  # characters of a name
NAME_SIZE = 6
FAINT = "#9A9A9A"
ROUNDS = 50  # of moving names apart, two seconds for the most names
FAR = 5  # points, from which on a line leads from a name to its point


def set_limits(axis: Axes, points: np.ndarray) -> None:
    """Leave room for names around the points, with the same unit along both axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2, 0.5 * 1.24 * max((high - low).max(), 1e-9)
    axis.set(xlim=(middle[0] - half, middle[0] + half), ylim=(middle[1] - half, middle[1] + half))
    axis.set_aspect("equal")


def rows_to_name(positions: np.ndarray) -> np.ndarray:
    """Return the rows that are named: all, those farthest from the middle first, or those far out in all directions."""
    if len(positions) <= MOST_ON_MAP:
        return _farthest(positions)
    return far_out(positions - positions.mean(axis=0), EXTREMES)


def far_out(points: np.ndarray, number: int) -> np.ndarray:
    """Return the indices of points that are far from 0, the farthest of each direction in turn.

    Parameters
    ----------
    points : float array (n, 2)
    number : int
        How many; where directions have fewer that are far out, the farthest of the others.
    """
    order = np.argsort(-np.square(points).sum(axis=1), kind="stable")
    distance = np.linalg.norm(points[order], axis=1)
    sector = np.floor(np.arctan2(*points[order].T) / (2 * np.pi / SECTORS) + 0.5) % SECTORS
    turn = np.zeros(len(points), int)  # the place in its direction of each point, from the farthest on
    for each in np.unique(sector):
        turn[sector == each] = np.arange(np.count_nonzero(sector == each))
    is_near = distance < FAR_OUT * distance.max(initial=0)
    turn[is_near] = len(points)
    return order[np.argsort(turn, kind="stable")][:number]


def _farthest(points: np.ndarray) -> np.ndarray:
    """Return the indices of points, those farthest from their middle first."""
    return np.argsort(-np.square(points - points.mean(axis=0)).sum(axis=1), kind="stable")


def write_names(axis: Axes, points: np.ndarray, names: np.ndarray, chosen: np.ndarray) -> None:
    """Write names next to their points, moved apart, with lines to their points.

    Of two that still cover each other the first alone is shown. Where some have no name, it is said how many have one.
    """
    from adjustText import adjust_text  # a map alone needs it

    texts = [
        axis.text(*points[i], name, fontsize=NAME_SIZE)
        for i, name in zip(chosen, shortened(names[chosen], LONGEST), strict=True)
    ]
    avoided = points[_farthest(points)[:MOST_AVOIDED]]
    adjust_text(texts, *avoided.T, ax=axis, iter_lim=ROUNDS, avoid_self=False, expand=(1.05, 1.15), min_arrow_len=1e9)
    shown = []
    for text, point in zip(texts, axis.transData.transform(points[chosen]), strict=True):
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in shown):
            text.set_visible(False)
            continue
        shown.append(box)
        end = np.clip(point, box.min, box.max)  # where the box is nearest
        if np.hypot(*(point - end)) > FAR * axis.figure.dpi / 72:
            axis.plot(*axis.transData.inverted().transform([point, end]).T, color=FAINT, linewidth=0.4, zorder=1)
    if len(shown) < len(points):
        note = f"{len(shown)} of {len(points)} are named"
        axis.text(0.01, 0.99, note, transform=axis.transAxes, va="top", fontsize=NAME_SIZE, color=FAINT)
