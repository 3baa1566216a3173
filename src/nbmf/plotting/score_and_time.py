"""Held-out log loss against the time of a fit, one panel per dataset."""

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
NAME = {
    **{"fontsize": 5.5, "rotation": 30, "rotation_mode": "anchor"},
    **{"textcoords": "offset points", "xytext": (3, 3)},
}


@style.in_style
def draw(ranking: pd.DataFrame, datasets: list[str], colours: dict[str, str]) -> Figure:
    """Draw the figure from the ranking.

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
        axis.set_xlim(timed["seconds"].min() / 1.5, timed["seconds"].max() * 4)  # room for names
        axis.set_title(dataset)
        axis.set_xlabel("seconds of a fit (median)")
    for axis in axes[:, 0]:
        axis.set_ylabel("held-out log loss\n(nats per entry)")
    shown = timed.drop_duplicates("method").set_index("method")
    handles = [
        Line2D([], [], color=colour, label=shown.at[method, "label"], **DOT)
        for method, colour in colours.items()
        if method in shown.index
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
    return figure


def front_of(methods: pd.DataFrame) -> pd.DataFrame:
    """Return the methods that no other one is both faster and better than, the fastest first."""
    by_time = methods.sort_values(["seconds", "perplexity"])
    faster = by_time["perplexity"].cummin().shift(fill_value=float("inf"))
    return by_time[by_time["perplexity"] < faster]


def _draw_panel(axis: Axes, methods: pd.DataFrame, baselines: pd.DataFrame, colours: dict[str, str]) -> None:
    best, worst = methods["perplexity"].min(), methods["perplexity"].max()
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
    for row in front[front["perplexity"] <= end].itertuples():
        axis.annotate(row.label, (row.seconds, row.perplexity), **NAME)
    axis.set_ylim(best - margin, end + margin)
    axis.set_xscale("log")
    style.plain_log_ticks(axis.xaxis)
