"""Reliability diagram: predictions for held-out entries, and the share of ones among these."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plots import style

LEGEND_COLUMNS, LEGEND_LINE = 3, 0.18  # inches
COLUMNS = 3
LIMITS, TICKS = (-0.03, 1.03), (0, 0.25, 0.5, 0.75, 1)
DIAGONAL = {"color": "0.3", "linewidth": 0.8, "linestyle": "--", "zorder": 0}
SMALLEST, LARGEST = 1.0, 60.0  # square points: areas of no entry and of all entries
SHOWN_SHARES = (0.01, 0.1, 0.5)  # of the entries, in the legend


@style.in_style
def draw(
    reliability: pd.DataFrame,
    datasets: list[str],
    labels: dict[str, str],
    colours: dict[str, str],
) -> Figure:
    """Draw a line per method through its bins: their mean probability and their share of ones.

    The area of a point grows with the square root of the share of the entries that are in its bin:
    of few ones nearly all are in the first, and the others would be too small to be seen.

    Parameters
    ----------
    reliability : DataFrame
        As `nbmf.comparison.calibration.pool` makes it: one K of each dataset and method.
    datasets : list of str
        One panel each, in this order.
    labels : dict
        The methods that are drawn, in the order of the legend, and their names.
    colours : dict
        From method to colour, as `nbmf.catalogue.colours_of` makes it.
    """
    lines = -(-(len(labels) + 1 + len(SHOWN_SHARES)) // LEGEND_COLUMNS)
    figure, axes = style.panel_grid(len(datasets), COLUMNS, 2.5, 0.6 + LEGEND_LINE * lines)
    figure.set_layout_engine("compressed")  # square panels side by side, in the middle
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        of_dataset = reliability[reliability["dataset"] == dataset]
        for method in labels:
            _draw_method(axis, of_dataset[of_dataset["method"] == method], colours[method])
        _finish_panel(axis, dataset)
    for axis in axes[:, 0]:
        axis.set_ylabel("share of ones")
    _draw_legend(figure, labels, colours)
    return figure


def _area(share):
    """Return the area of the point of a bin with such a share of the entries, square points."""
    return SMALLEST + (LARGEST - SMALLEST) * share**0.5


def _draw_method(axis: Axes, bins: pd.DataFrame, colour: str) -> None:
    if bins.empty:
        return
    x, y, areas = (
        bins["mean_p"],
        bins["share_of_ones"],
        _area(bins["entries"] / bins["entries"].sum()),
    )
    axis.plot(x, y, color=colour, linewidth=0.9)
    axis.scatter(x, y, s=areas, color=colour, linewidths=0, zorder=2)


def _finish_panel(axis: Axes, dataset: str) -> None:
    axis.plot([0, 1], [0, 1], **DIAGONAL)
    axis.set_title(dataset)
    axis.set_xlabel("predicted probability of a one")
    axis.set(xlim=LIMITS, ylim=LIMITS, xticks=TICKS, yticks=TICKS)
    axis.set_aspect("equal")
    axis.grid(linewidth=0.4, alpha=0.5)
    axis.set_axisbelow(True)


def _draw_legend(figure: Figure, labels: dict, colours: dict) -> None:
    handles = [Line2D([], [], color=colours[method], label=labels[method]) for method in labels]
    handles.append(Line2D([], [], label="as predicted", **DIAGONAL))
    point = {"color": "0.3", "linestyle": "none", "marker": "o", "markeredgewidth": 0}
    for share in SHOWN_SHARES:
        label = f"{100 * share:g} % of the entries"
        handles.append(Line2D([], [], label=label, markersize=_area(share) ** 0.5, **point))
    figure.legend(handles=handles, loc="outside lower center", ncols=LEGEND_COLUMNS, frameon=False)
