"""Reliability diagram: predictions for held-out entries, and the proportion of ones among these."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plotting import style

COLUMNS, PANEL = 5, 1.35  # inches
LINE_LENGTH = 22  # letters over a panel
LEGEND_COLUMNS, LEGEND = 5, 1.06  # inches
LIMITS, TICKS = (-0.05, 1.05), (0, 0.5, 1)
DIAGONAL = {"color": "0.3", "linewidth": 0.8, "linestyle": "--", "zorder": 0}
FEWEST = 20  # entries of a bin that is drawn
SMALLEST, LARGEST = 1.0, 40.0  # square points: areas of no entry and of all entries
SHOWN_SHARES = (0.01, 0.1, 0.5)  # of the entries, in the legend


@style.in_style
def draw(reliability: pd.DataFrame, datasets: list[str], labels: dict[str, str]) -> Figure:
    """Draw a panel per method: a line per dataset through mean probability and proportion of ones.

    The area of a point grows with the square root of the share of the entries that are in its bin:
    of few ones nearly all are in the first, and the others would be too small to be seen. Bins of fewer than FEWEST
    entries have no point.

    Parameters
    ----------
    reliability : DataFrame
        As `nbmf.evaluation.calibration.pool` makes it: one K of each dataset and method.
    datasets : list of str
        A colour each, in this order.
    labels : dict
        The methods that are drawn, one panel each in this order, and their names.
    """
    figure, axes = style.panel_grid(len(labels), COLUMNS, PANEL, LEGEND)
    figure.set_layout_engine("compressed")  # square panels side by side, in the middle
    colours = {dataset: style.colour_of_line(i) for i, dataset in enumerate(datasets)}
    for number, (axis, method) in enumerate(zip(axes.flat, labels, strict=False)):
        of_method = reliability[reliability["method"] == method]
        for dataset, colour in colours.items():
            _draw_line(axis, of_method[of_method["dataset"] == dataset], colour)
        _finish_panel(axis, labels[method])
        if number % COLUMNS == 0:
            axis.set_ylabel("proportion of ones", fontsize=6.5)
        else:
            axis.set_yticklabels([])
        if number + COLUMNS >= len(labels):
            axis.set_xlabel("predicted probability", fontsize=6.5)
        else:
            axis.set_xticklabels([])
    _draw_legend(figure, colours)
    return figure


def _area(share):
    """Return the area of the point of a bin with such a share of the entries, square points."""
    return SMALLEST + (LARGEST - SMALLEST) * share**0.5


def _draw_line(axis: Axes, bins: pd.DataFrame, colour: str) -> None:
    areas = _area(bins["entries"] / bins["entries"].sum())
    is_drawn = bins["entries"] >= FEWEST  # of a handful the proportion is anything
    if not is_drawn.any():
        return
    x, y, areas = (of_bin[is_drawn] for of_bin in (bins["mean_p"], bins["share_of_ones"], areas))
    axis.plot(x, y, color=colour, linewidth=0.9)
    axis.scatter(x, y, s=areas, color=colour, linewidths=0, zorder=2)


def _finish_panel(axis: Axes, title: str) -> None:
    axis.plot([0, 1], [0, 1], **DIAGONAL)
    axis.set_title(textwrap.fill(title, LINE_LENGTH), fontsize=6.5)
    axis.set(xlim=LIMITS, ylim=LIMITS, xticks=TICKS, yticks=TICKS)
    axis.set_aspect("equal")
    axis.grid(linewidth=0.4, alpha=0.5)
    axis.set_axisbelow(True)


def _draw_legend(figure: Figure, colours: dict[str, str]) -> None:
    handles = [Line2D([], [], color=colour, label=name) for name, colour in colours.items()]
    handles.append(Line2D([], [], label="as predicted", **DIAGONAL))
    point = {"color": "0.3", "linestyle": "none", "marker": "o", "markeredgewidth": 0}
    for share in SHOWN_SHARES:
        label = f"{100 * share:g} % of the entries"
        handles.append(Line2D([], [], label=label, markersize=_area(share) ** 0.5, **point))
    style.legend_below(figure, handles, LEGEND_COLUMNS)
