"""Draw how probably two rows, or two columns, go together: a square picture, sorted into blocks."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from nbmf.inference.estimator import Factorization
from nbmf.plotting import group_names, strips, style
from nbmf.plotting.inputs import Fit, factor_of, model_of
from nbmf.plotting.labelled_factor import LabelledFactor, order_of
from nbmf.plotting.names import shortened
from nbmf.plotting.overview import NAME_SIZE, ROW_HEIGHT
from nbmf.posterior import co_clustering as of_draws
from nbmf.posterior.components import components_of

NAMED = 60  # rows or columns at most, whose names are written
SMALLEST, UNNAMED, MARGINS = 3.4, 5.6, 1.6  # inches


def co_clustering(fit: Fit, *, axis: int = 0, groups: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """Draw how probably two rows, or two columns, go together in components; black is 1.

    See `Draws.co_clustering`. Rows or columns are sorted by group and by component; strips are components
    at the left and below, and groups.

    Parameters
    ----------
    fit : Draws, Chains or estimator
        Fitted. Draws and chains say how sure it is; an estimator alone knows its means.
    axis : int
        0 for rows, 1 for columns.
    groups : str array (F,) or (N,), optional
        For example `V.row_groups`.
    ax : axis, optional

    Raises
    ------
    ConfigError
        If there is no such axis.
    NotSupportedError
        If these are no distributions over components and no probabilities of a one.
    DataError
        If there is not one group per row or column.
    """
    of_draws.check_axis(axis)
    model = model_of(fit)
    if isinstance(fit, Factorization):
        together = of_draws.co_clustering(model, [model.factors_], axis)
    else:
        together = fit.co_clustering(axis)
    components = components_of(model)
    factor = factor_of(components.model, axis, components.sorted_by, groups)
    label = f"probability that two {of_draws.AXIS_NAMES[axis]} go together"
    return draw(together, factor, label, ax)


@style.in_style
def draw(together: np.ndarray, factor: LabelledFactor, label: str = "", ax: Axes | None = None) -> Axes:
    """Draw probabilities of going together; black is 1, white is 0.

    Rows or columns are sorted by group, by main component, and by how typical they are of it; strips at the
    left and below are the components, at the right the groups. The diagonal is not shown: it is of
    two entries of the same row or column.

    Parameters
    ----------
    together : float array (n, n)
        As `Draws.co_clustering` makes it.
    factor : LabelledFactor
        The n rows or columns.
    label : str
        Of the colour bar, where this makes the figure.
    ax : axis, optional
        Of Matplotlib; by default a figure with a colour bar is made.
    """
    n = len(factor.names)
    width = max(SMALLEST, n * ROW_HEIGHT) if n <= NAMED else UNNAMED
    axis = style.given_or_new_axis(ax, (width + MARGINS, width + 0.8))
    order = order_of(factor)
    shown = together[np.ix_(order, order)].astype(float)
    np.fill_diagonal(shown, np.nan)
    image = axis.imshow(shown, cmap="gray_r", vmin=0, vmax=1, interpolation="nearest")
    axis.spines[:].set_visible(True)
    shown = factor.at(order)
    for edge in ("left", "bottom"):
        strips.draw_strips(axis, shown, edge)
    group_names.draw_factor_groups(axis, shown, "right")
    if factor.groups is None:
        strips.number_components(axis, shown)
    pad = 2 * strips.WIDTH + 3
    axis.set(xticks=[], yticks=[])
    if n <= NAMED:
        axis.set_yticks(range(n), shortened(shown.names), fontsize=NAME_SIZE)
        axis.tick_params(axis="y", length=0, pad=pad)
    else:
        axis.set_ylabel(f"{n} {factor.title}", labelpad=pad)
    if ax is None:
        bar = axis.figure.colorbar(
            image, ax=axis, location="bottom", shrink=0.5, aspect=40, pad=0.03, ticks=[0, 0.5, 1]
        )
        bar.ax.tick_params(labelsize=6, length=2, pad=1)
        bar.set_label(label, fontsize=7)
    return axis
