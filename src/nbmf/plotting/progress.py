"""Figure 11: held-out log loss along the iterations of the variational methods."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plotting import style

COLUMNS = 3


@style.in_style
def draw(traces: pd.DataFrame, series: list[tuple[str, int, str, str]], datasets: list[str]) -> Figure:
    """Draw the figure: lines are means over masks, bands one standard deviation to either side.

    The axis of iterations is logarithmic: most of the change is in the first ones.

    Parameters
    ----------
    traces : DataFrame
        Columns dataset, method, K, mask, iteration and perplexity (nats per entry).
    series : list of (method, K, label, colour)
        The lines, in the order of the legend.
    datasets : list of str
        One panel each, in this order.
    """
    figure, axes = style.panel_grid(len(datasets), COLUMNS, 2.0, 0.4)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        _draw_panel(axis, traces[traces["dataset"] == dataset], series)
        axis.set_title(dataset)
    for axis in axes[:, 0]:
        axis.set_ylabel("held-out log loss\n(nats per entry)")
    handles = [Line2D([], [], color=colour, label=label) for _, _, label, colour in series]
    style.legend_below(figure, handles, 4)
    return figure


def _draw_panel(axis: Axes, traces: pd.DataFrame, series: list) -> None:
    absent = []
    for method, K, label, colour in series:
        of_line = traces[(traces["method"] == method) & (traces["K"] == K)]
        if of_line.empty:
            absent.append(label)
            continue
        over_masks = of_line.groupby("iteration")["perplexity"].agg(["mean", "std"])
        iterations, mean, std = over_masks.index, over_masks["mean"], over_masks["std"].fillna(0)
        axis.fill_between(iterations, mean - std, mean + std, color=colour, alpha=0.2, linewidth=0)
        axis.plot(iterations, mean, color=colour, linewidth=1.2)
    if absent:
        text = "no fit: " + ", ".join(absent)
        axis.text(
            0.98,
            0.96,
            text,
            transform=axis.transAxes,
            ha="right",
            va="top",
            fontsize=6,
            color="0.4",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    axis.set_xscale("log")
    style.plain_log_ticks(axis.xaxis)
    axis.set_xlabel("iteration")
    style.draw_grid(axis)
