"""How probably two lines of a matrix go together: a square picture, sorted into blocks."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from nbmf.errors import DataError
from nbmf.plotting import strips, style
from nbmf.plotting.overview import NAME_SIZE, ROW_HEIGHT, cut
from nbmf.plotting.sides import Side, order_of

NAMED = 60  # lines at most, whose names are written
SMALLEST, UNNAMED, MARGINS = 3.4, 5.6, 1.6  # inches


@style.in_style
def draw(together: np.ndarray, side: Side, label: str = "", ax: Axes | None = None) -> Axes:
    """Draw probabilities of going together; black is 1, white is 0.

    Lines are sorted by group, by main component, and by how typical they are of it; strips at the
    left and below are the components, at the right the groups. The diagonal is not shown: it is of
    two entries of the same line.

    Parameters
    ----------
    together : float array (n, n)
        As `Draws.co_clustering` makes it.
    side : Side
        The n lines.
    label : str
        Of the colour bar, where this makes the figure.
    ax : axis, optional
        Of Matplotlib; by default a figure with a colour bar is made.

    Raises
    ------
    DataError
        If shapes differ.
    """
    n = len(side.names)
    if together.shape != (n, n):
        raise DataError(f"probabilities of shape {together.shape} of {n} {side.title}")
    if ax is None:
        width = max(SMALLEST, n * ROW_HEIGHT) if n <= NAMED else UNNAMED
        size = width + MARGINS, width + 0.8
        axis = plt.subplots(figsize=size, layout="constrained")[1]
    else:
        (axis,) = style.given_axes(ax, 1)
    order = order_of(side)
    shown = together[np.ix_(order, order)].astype(float)
    np.fill_diagonal(shown, np.nan)
    image = axis.imshow(shown, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
    axis.spines[:].set_visible(True)
    lines = side.at(order)
    for edge in ("left", "bottom"):
        strips.draw_lines(axis, lines, edge)
    strips.name_groups(axis, lines, "right")
    if side.groups is None:
        strips.number_components(axis, lines)
    pad = 2 * strips.WIDTH + 3
    axis.set(xticks=[], yticks=[])
    if n <= NAMED:
        axis.set_yticks(range(n), [cut(name) for name in lines.names], fontsize=NAME_SIZE)
        axis.tick_params(axis="y", length=0, pad=pad)
    else:
        axis.set_ylabel(f"{n} {side.title}", labelpad=pad)
    if ax is None:
        bar = axis.figure.colorbar(
            image, ax=axis, location="bottom", shrink=0.5, aspect=40, pad=0.03, ticks=[0, 0.5, 1]
        )
        bar.ax.tick_params(labelsize=6, length=2, pad=1)
        bar.set_label(label, fontsize=7)
    return axis
