"""Positions on one or two scales, with intervals: ideal points, abilities, coordinates of lines."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from nbmf.errors import DataError
from nbmf.plots import style

POINT = {"marker": "o", "markersize": 3.0, "linestyle": "none"}
INTERVAL = {"linewidth": 0.8, "alpha": 0.6}
NAME_SIZE = 6


def draw(
    axis: Axes,
    positions: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    names: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
) -> Axes:
    """Draw positions and their intervals into `axis`, and return it.

    On one scale there is a row for each, in the order of their positions, the largest on top. On
    two, a point each with an interval along either.

    Parameters
    ----------
    axis : Axes
        Of Matplotlib.
    positions, lower, upper : float arrays (n,), or (n, 2)
    names : n texts, optional
        An empty one is not shown.
    groups : n texts, optional
        Each has a colour of its own, named in a legend; the largest groups have the first ones.

    Raises
    ------
    DataError
        If the arrays or the lists are of different lengths, or there are more than two scales.
    """
    positions, lower, upper = (np.asarray(array, float) for array in (positions, lower, upper))
    is_map = positions.ndim == 2 and positions.shape[1] == 2
    if not (is_map or positions.ndim == 1) or not positions.shape == lower.shape == upper.shape:
        raise DataError(
            f"positions, lower and upper have the shapes {positions.shape}, {lower.shape} and "
            f"{upper.shape}: allowed is (n,) or (n, 2) for all three"
        )
    n = len(positions)
    names = [""] * n if names is None else list(names)
    groups = [""] * n if groups is None else list(groups)
    if len(names) != n or len(groups) != n:
        raise DataError(f"{len(names)} names and {len(groups)} groups of {n} positions")
    place = np.argsort(np.argsort(positions, kind="stable")) if not is_map else None
    ends = np.stack([lower, upper])
    for group, colour in _colours(groups).items():
        here = np.flatnonzero([each == group for each in groups])
        if is_map:
            x, y = positions[here].T
            axis.hlines(y, *ends[:, here, 0], color=colour, **INTERVAL)
            axis.vlines(x, *ends[:, here, 1], color=colour, **INTERVAL)
        else:
            x, y = positions[here], place[here]
            axis.hlines(y, *ends[:, here], color=colour, **INTERVAL)
        axis.plot(x, y, color=colour, label=group or None, **POINT)
    _name(axis, positions, upper, names, place)
    if len(set(groups)) > 1:
        axis.legend(frameon=False)
    return axis


def _colours(groups: Sequence[str]) -> dict[str, str]:
    """Return a colour for each group, the largest first."""
    found, sizes = np.unique(np.asarray(groups, str), return_counts=True)
    by_size = found[np.argsort(-sizes, kind="stable")]
    return {str(group): style.COLOURS[i % len(style.COLOURS)] for i, group in enumerate(by_size)}


def _name(axis: Axes, positions, upper, names, place) -> None:
    """Write names: on one scale at the right end of each interval, else above each point."""
    if place is not None:
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
        axis.set_ylim(-1, len(names))
    for i, name in enumerate(names):
        if place is None:
            spot, shift = positions[i], (2, 2)
        else:
            spot, shift = (upper[i], place[i]), (3, 0)
        axis.annotate(
            name, spot, shift, textcoords="offset points", fontsize=NAME_SIZE,
            va="bottom" if place is None else "center",
        )  # fmt: skip
