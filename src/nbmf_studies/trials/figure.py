"""Excess loss of every method over the best of the library: a dot per matrix."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plotting import style
from nbmf_studies.trials.outcome import BASELINE, KINDS, WORSE, tabulate

ROW_HEIGHT, MARGINS = 0.17, 1.1  # inches
NEAR = 2.0  # percent: up to there the axis is linear, beyond logarithmic
TICKS = (-10, -2, 0, 2, 10, 50, 300)
NO_COLOUR = "0.45"  # of what uses no component


def draw(
    scores: pd.DataFrame,
    labels: dict[str, str],
    library: list[str],
    default: str,
    colours: dict[str, str],
    title: str,
    baselines: pd.DataFrame | None = None,
    **_,
) -> Figure:
    """Draw the matrices of one list.

    Parameters
    ----------
    scores : DataFrame
        As `score_table.gather_scores` makes it; fits that are not there are left out.
    labels, library, default
        As for `nbmf_studies.trials.outcome`.
    colours : dict
        From method to colour.
    title : str
        Of the panel.
    baselines : DataFrame, optional
        As `nbmf.evaluation.baselines.tabulate` makes it.
    """
    losses = tabulate(scores, baselines, labels, library)
    return _panels({title: losses}, default, colours)


def draw_both(
    scores: pd.DataFrame,
    baselines: pd.DataFrame,
    confirm_scores: pd.DataFrame,
    confirm_baselines: pd.DataFrame,
    titles: list[str],
    **shown,
) -> Figure:
    """Draw both lists side by side, methods in the order of the first; arguments as for `draw`."""
    methods = shown["labels"], shown["library"]
    lists = ((scores, baselines), (confirm_scores, confirm_baselines))
    losses = [tabulate(*each, *methods) for each in lists]
    return _panels(dict(zip(titles, losses, strict=True)), shown["default"], shown["colours"])


def _panels(lists: dict[str, pd.DataFrame], default: str, colours: dict[str, str]) -> Figure:
    """Draw a panel per list; its losses are as `tabulate` makes them."""
    rows = _rows(pd.concat(lists.values()), next(iter(lists.values())))
    figure, axes = plt.subplots(
        1,
        len(lists),
        figsize=(style.PAGE_WIDTH, ROW_HEIGHT * len(rows) + MARGINS),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for axis, (title, losses) in zip(axes.flat, lists.items(), strict=True):
        _draw_panel(axis, losses, rows, colours)
        count = losses["dataset"].nunique()
        axis.set_title(f"{title}: {count} {'matrix' if count == 1 else 'matrices'}")
    _scale(axes[0, 0], 100 * pd.concat(lists.values())["excess"])
    first = axes[0, 0]
    first.set_yticks(range(len(rows)), list(rows["label"]))
    for name, label in zip(rows["method"], first.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if name == default else "normal")
    first.set_ylim(len(rows) - 0.4, -0.6)
    figure.supxlabel("held-out loss above that of the library's best method (%)", fontsize=8)
    _draw_legend(figure)
    return figure


def _rows(losses: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    """Return the methods in the order of kinds and, within one, of their mean excess at first."""
    methods = losses.drop_duplicates("method")[["kind", "method", "label"]]
    mean = methods["method"].map(first.groupby("method")["excess"].mean())
    kind_rank = methods["kind"].map(KINDS.index)
    return methods.assign(place=kind_rank, mean=mean).sort_values(["place", "mean"], ignore_index=True)


def _draw_panel(axis: Axes, losses: pd.DataFrame, rows: pd.DataFrame, colours: dict) -> None:
    for at in (0.0, 100 * WORSE):
        axis.axvline(at, color="0.6", linewidth=0.6, linestyle="-" if at == 0 else "--", zorder=0)
    for boundary in np.flatnonzero(np.diff(rows["place"])) + 0.5:
        axis.axhline(boundary, color="0.8", linewidth=0.6, zorder=0)
    for y, row in rows.iterrows():
        excess = 100 * losses.loc[losses["method"] == row["method"], "excess"]
        colour = NO_COLOUR if row["kind"] == BASELINE else colours[row["method"]]
        axis.plot(excess, [y] * len(excess), "o", color=colour, markersize=3.2, alpha=0.75)
        if len(excess):
            axis.plot(excess.mean(), y, "|", color="black", markersize=9, markeredgewidth=1.3)


def _scale(axis: Axes, excess: pd.Series) -> None:
    """Make the axis, which all panels share, linear where differences are small."""
    known = [*excess[np.isfinite(excess)], 0.0]  # none of a run that has hardly begun
    axis.set_xscale("symlog", linthresh=NEAR, linscale=1.0)
    axis.set_xlim(min(1.3 * min(known), -NEAR / 4), 1.3 * max(*known, NEAR))
    inside = [tick for tick in TICKS if axis.get_xlim()[0] <= tick <= axis.get_xlim()[1]]
    axis.set_xticks(inside, [f"{tick}" for tick in inside])
    axis.minorticks_off()


def _draw_legend(figure: Figure) -> None:
    dot = Line2D([], [], color="0.3", marker="o", markersize=3.2, linestyle="none")
    mean = Line2D([], [], color="black", marker="|", markersize=9, linestyle="none")
    limit = Line2D([], [], color="0.6", linestyle="--", linewidth=0.6)
    words = ["a matrix", "mean", f"{100 * WORSE:g} % worse; bold: the default"]
    figure.legend([dot, mean, limit], words, loc="outside upper center", ncols=3)
