"""Held-out log loss against the time of a fit, one panel per dataset."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plotting import style

BEYOND = 1.6  # times the distance of the median method from the best, where the axis ends
MARGIN = 0.06  # of the height of a panel
DOT = {"marker": "o", "markersize": 4, "linestyle": "none"}
ARROW = {"marker": "^", "markersize": 4, "linestyle": "none", "clip_on": False}
BASELINE = {"color": "0.6", "linewidth": 0.7, "linestyle": "--", "zorder": 0}
FRONT = {"color": "0.75", "linewidth": 0.8, "zorder": 0, "drawstyle": "steps-post"}
NUMBER = {  # where no method is: none is faster and better
    **{"fontsize": 6, "ha": "right", "va": "top"},
    **{"textcoords": "offset points", "xytext": (-1.5, -1.5)},
}
NO_BREAK = "\N{NO-BREAK SPACE}"
LINE_LENGTH = 62  # letters of the names below a panel


@style.in_style
def draw(ranking: pd.DataFrame, datasets: list[str], colours: dict[str, str]) -> Figure:
    """Draw the figure from the ranking; those on the Pareto front that are inside have a number.

    Parameters
    ----------
    ranking : DataFrame
        As `nbmf.evaluation.ranking.rank` makes it.
    datasets : list of str
        One panel each, in this order.
    colours : dict
        From method to colour.
    """
    timed = ranking[ranking["seconds"].notna()]
    figure, axes = style.panel_grid(len(datasets), 2, 2.4, 0.4 + 0.04 * len(colours))
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        of_dataset = ranking[ranking["dataset"] == dataset].rename(columns={"mean": "perplexity"})
        methods = of_dataset[of_dataset["seconds"].notna()]
        _draw_panel(axis, methods, of_dataset[of_dataset["seconds"].isna()], colours)
        axis.set_xlim(timed["seconds"].min() / 1.5, timed["seconds"].max() * 1.5)
        axis.set_title(dataset)
    for axis in axes[:, 0]:
        axis.set_ylabel("held-out log loss\n(nats per entry)")
    shown = timed.drop_duplicates("method").set_index("method")
    handles = [
        Line2D([], [], color=colour, label=shown.at[method, "label"], **DOT)
        for method, colour in colours.items()
        if method in shown.index
    ]
    style.legend_below(figure, handles, 4)
    return figure


def front_of(methods: pd.DataFrame) -> pd.DataFrame:
    """Return the methods that no other one is both faster and better than, the fastest first."""
    by_time = methods.sort_values(["seconds", "perplexity"])
    faster = by_time["perplexity"].cummin().shift(fill_value=float("inf"))
    return by_time[by_time["perplexity"] < faster]


def _draw_panel(axis: Axes, methods: pd.DataFrame, baselines: pd.DataFrame, colours: dict[str, str]) -> None:
    best, worst = methods["perplexity"].min(), methods["perplexity"].max()
    end = worst
    if len(methods) > 2:  # of two, neither is far behind most others
        end = min(worst, best + BEYOND * (methods["perplexity"].median() - best))
    margin = MARGIN * (end - best) or MARGIN
    for mean in baselines["perplexity"]:
        axis.axhline(mean, **BASELINE)
    front = front_of(methods)
    axis.plot(front["seconds"], front["perplexity"], **FRONT)
    for row in methods.itertuples():
        inside = row.perplexity <= end
        height = row.perplexity if inside else end + margin
        axis.plot(row.seconds, height, color=colours[row.method], **(DOT if inside else ARROW))
    named = front[front["perplexity"] <= end]
    for number, row in enumerate(named.itertuples(), 1):
        axis.annotate(f"{number}", (row.seconds, row.perplexity), **NUMBER)
    names = [f"{number} {label}".replace(" ", NO_BREAK) for number, label in enumerate(named["label"], 1)]
    lines = textwrap.fill("; ".join(names), LINE_LENGTH, break_on_hyphens=False)
    axis.set_xlabel(f"seconds of a fit (median)\n{lines}", fontsize=6.5)
    axis.set_ylim(best - 2 * margin, end + margin)  # room for numbers
    axis.set_xscale("log")
    style.plain_log_ticks(axis.xaxis)
