"""A figure of learned priors next to those that the data were drawn from."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.plotting import style


def draw(recovery: pd.DataFrame, labels: dict[str, str], colours: dict[str, str]) -> Figure:
    """Draw learned against true hyperparameters: a panel each, a point per matrix.

    Parameters
    ----------
    recovery : DataFrame
        As `recovery.tabulate` makes it.
    labels, colours : dict
        Of each method.
    """
    names = list(recovery["hyperparameter"].unique())
    figure, axes = style.panel_grid(len(names), len(names), 2.4, 0.4, sharey=True)
    for axis, name in zip(axes.flat, names, strict=True):
        _draw_panel(axis, recovery[recovery["hyperparameter"] == name], labels, colours)
        axis.set(title={"alpha": "α", "beta": "β", "gamma": "γ"}[name], xlabel="drawn from")
    axes.flat[0].set_ylabel("learned")
    handles = [
        Line2D([], [], color=colours[name], marker="o", linestyle="none", label=label) for name, label in labels.items()
    ]
    style.legend_below(figure, handles, 4)
    return figure


def _draw_panel(axis: Axes, recovery: pd.DataFrame, labels: dict, colours: dict) -> None:
    truths = np.sort(recovery["truth"].unique())
    axis.plot(truths, truths, color="0.6", linewidth=0.8, zorder=0)
    for place, name in enumerate(labels):
        of_method = recovery[recovery["method"] == name]
        shifted = of_method["truth"] * 1.12 ** (place - (len(labels) - 1) / 2)
        axis.scatter(shifted, of_method["learned"], s=9, color=colours[name], alpha=0.7, linewidths=0)
    axis.set(xscale="log", yscale="log")
    style.plain_log_ticks(axis.yaxis)
    axis.set_xticks(truths, [f"{truth:g}" for truth in truths])
    axis.minorticks_off()
