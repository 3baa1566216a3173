"""Figures 1 and 2: errors along the CPU time."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from nbmf.plotting import style

COLUMNS = 2
ABOVE, BELOW = 1.15, 0.9  # of the largest and the smallest last error, where the axis ends


def draw(traces: pd.DataFrame, set_ups: dict[str, str], series: dict[str, list], unit: str) -> Figure:
    """Draw a panel per set-up and a line per engine: the mean over seeds, and their range.

    Parameters
    ----------
    traces : DataFrame
        As `traces.gather` makes it.
    set_ups : dict
        From set-up to the panel's title.
    series : dict
        From method to [label, colour, dash], in the order of the legend.
    unit : str
        Of the error.
    """
    figure, axes = style.panel_grid(len(set_ups), COLUMNS, 2.3, 0.6)
    for axis, (set_up, title) in zip(axes.flat, set_ups.items(), strict=False):
        _draw_panel(axis, traces[traces["set_up"] == set_up], series)
        axis.set(title=title, xlabel="CPU seconds")
    for axis in axes[:, 0]:
        axis.set_ylabel(f"mean absolute error\n({unit})")
    handles = [Line2D([], [], color=colour, linestyle=dash, label=label) for label, colour, dash in series.values()]
    style.legend_below(figure, handles, 3)
    return figure


def _draw_panel(axis: Axes, traces: pd.DataFrame, series: dict[str, list]) -> None:
    last = []
    for method, (_, colour, dash) in series.items():
        of_method = traces[traces["method"] == method]
        if of_method.empty:
            continue
        points = of_method.groupby("iteration")
        seconds, error = points["seconds"].mean(), points["error"].agg(["mean", "min", "max"])
        axis.fill_between(seconds, error["min"], error["max"], color=colour, alpha=0.15, linewidth=0)
        axis.plot(seconds, error["mean"], color=colour, linestyle=dash, linewidth=1.2)
        axis.plot(seconds.iloc[-1], error["mean"].iloc[-1], "o", color=colour, markersize=3)
        last.append(error["mean"].iloc[-1])
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    style.plain_log_ticks(axis.xaxis)
    last = [error for error in last if np.isfinite(error)]  # E e^ψ may overflow
    if last:
        axis.set_ylim(BELOW * min(last), ABOVE * max(last))
    style.draw_grid(axis)
