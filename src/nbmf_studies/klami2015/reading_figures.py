"""Figures of the second reading: set-up 3 by start and step, patterns along iterations, cost of missing entries."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from nbmf.evaluation.replications import interval
from nbmf.plotting import style
from nbmf_studies.klami2015.engines import BOHNING, PG_F
from nbmf_studies.klami2015.reading_tables import discovery_times

SHOWN = {"high_error": "error above .95", "log_likelihood": "log-likelihood, nats per entry"}
PAPER = {"high_error": {PG_F: 0.32, BOHNING: 0.49}, "log_likelihood": {PG_F: -0.129, BOHNING: -0.185}}
HEIGHT = 2.3


def draw_starts(ends: pd.DataFrame, set_ups: dict[str, str], series: dict[str, list]) -> Figure:
    """Draw what fits to set-up 3 end with along the scale of V's start, a column per reading.

    Parameters
    ----------
    ends : DataFrame
        As `traces.gather_ends` makes it.
    set_ups : dict
        From set-up to the title of its column.
    series : dict
        From "method|update" to [label, colour, dash].
    """
    figure, axes = style.panel_grid(2 * len(set_ups), len(set_ups), HEIGHT, 0.7, sharex=True, sharey="row")
    for row, (column, label) in zip(axes, SHOWN.items(), strict=True):
        row[0].set_ylabel(label)
        for axis, set_up in zip(row, set_ups, strict=True):
            for method, value in PAPER[column].items():
                colour = next(c for key, (_, c, _) in series.items() if key.split("|")[0] == method)
                axis.axhline(value, color=colour, linewidth=3.0, alpha=0.2, zorder=0)
            _draw_lines(axis, ends[ends["set_up"] == set_up], column, series)
    for axis, title in zip(axes[0], set_ups.values(), strict=True):
        axis.set_title(title)
    for axis in axes[-1]:
        axis.set_xlabel("standard deviation of V at the start")
    handles = [
        Line2D([], [], color=colour, linestyle=dash, linewidth=1.4, label=label)
        for label, colour, dash in series.values()
    ]
    handles.append(Line2D([], [], color="0.5", linewidth=3.0, alpha=0.4, label="printed in the paper"))
    style.legend_below(figure, handles, 3, handlelength=3.0)
    return figure


def _label_plainly(axis: Axis, ticks: Iterable[float] | None = None) -> None:
    """Write the numbers of a logarithmic axis as they are, at `ticks` or at 1 and 3 of each decade."""
    axis.set_major_locator(LogLocator(subs=(1.0, 3.0)) if ticks is None else FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _draw_lines(axis: Axes, ends: pd.DataFrame, column: str, series: dict[str, list]) -> None:
    """Draw means over seeds with their intervals, side by side."""
    for place, (key, (_, colour, dash)) in enumerate(series.items()):
        method, update = key.split("|")
        of_method = ends[(ends["method"] == method) & (ends["update"] == update)]
        estimates = {scale: interval(of[column].dropna()) for scale, of in of_method.groupby("scale")}
        if estimates:
            x = np.array(list(estimates)) * 10 ** (0.03 * (place - (len(series) - 1) / 2))
            means, half = [one.mean for one in estimates.values()], [one.high - one.mean for one in estimates.values()]
            axis.errorbar(x, means, yerr=half, color=colour, linestyle=dash, marker="o", markersize=3, linewidth=1.0)
    axis.set_xscale("log")
    _label_plainly(axis.xaxis, ends["scale"].unique())
    style.draw_grid(axis)


def draw_patterns(patterns: pd.DataFrame, series: dict[str, list], few: int) -> Figure:
    """Draw the share of seeds whose patterns are found along iterations.

    Parameters
    ----------
    patterns : DataFrame
        As `gathering.traces` makes it.
    series : dict
        From method to [label, colour, dash].
    few : int
        Iterations of the claim, a dotted line.
    """
    figure, axes = style.panel_grid(1, 1, 2.8, 0.5)
    axis, table, end = axes[0, 0], discovery_times(patterns), int(patterns["iteration"].max())
    for method, (_, colour, dash) in series.items():
        at = np.sort(table.loc[table["method"] == method, "iteration"])
        if at.size:
            reached = at[np.isfinite(at)]
            share = np.arange(1, reached.size + 1) / at.size
            x, y = np.r_[1, reached, end], np.r_[0, share, share[-1] if share.size else 0]
            axis.step(x, y, where="post", color=colour, linestyle=dash, linewidth=1.3)
    axis.axvline(few, color="0.5", linestyle=":", linewidth=1.0, zorder=0)
    axis.set_xscale("log")
    _label_plainly(axis.xaxis)
    axis.set(xlim=(1, end), ylim=(0, 1.02), xlabel="iteration", ylabel="proportion of seeds\nthat found the patterns")
    style.draw_grid(axis)
    handles = [Line2D([], [], color=colour, linestyle=dash, label=label) for label, colour, dash in series.values()]
    style.legend_below(figure, handles, 4)
    return figure


def draw_observed(observed: pd.DataFrame, series: dict[str, list]) -> Figure:
    """Draw the CPU time per iteration along the share of observed entries, of one size and of one number of entries.

    Parameters
    ----------
    observed : DataFrame
        As `traces.gather_ends` makes it of partly observed matrices.
    series : dict
        From method to [label, colour, dash].
    """
    table = observed.assign(
        ms=1e3 * observed["seconds"] / observed["iteration"],
        entries=(observed["N"] * observed["D"] * observed["share"]).round(),
    )
    complete = table[table["share"] == 1].iloc[0]
    panels = {
        f"matrices of {complete['N']:g} x {complete['D']:g}": table[table["N"] == complete["N"]],
        f"{complete['entries']:,.0f} observed entries": table[table["entries"] == complete["entries"]],
    }
    figure, axes = style.panel_grid(2, 2, 2.5, 0.5, sharey=True)
    for axis, (title, own) in zip(axes.flat, panels.items(), strict=True):
        for method, (_, colour, dash) in series.items():
            ms = own[own["method"] == method].groupby("share")["ms"].agg(["mean", "min", "max"])
            if len(ms):
                axis.fill_between(ms.index, ms["min"], ms["max"], color=colour, alpha=0.15, linewidth=0)
                axis.plot(ms.index, ms["mean"], color=colour, linestyle=dash, marker="o", markersize=3, linewidth=1.2)
        axis.set(xscale="log", yscale="log", title=title, xlabel="proportion of observed entries")
        _label_plainly(axis.xaxis, own["share"].unique())
        _label_plainly(axis.yaxis)
        axis.invert_xaxis()
        style.draw_grid(axis)
    axes[0, 0].set_ylabel("CPU ms per iteration")
    handles = [Line2D([], [], color=colour, linestyle=dash, label=label) for label, colour, dash in series.values()]
    style.legend_below(figure, handles, 3)
    return figure
