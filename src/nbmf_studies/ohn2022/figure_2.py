"""Figure 2: the posterior mean of the number of factors, over replications, for each p."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from nbmf.evaluation.replications import LEVEL, interval
from nbmf.plotting import style
from nbmf_studies.ohn2022.estimates import posterior_means

HEIGHT = 3.4  # inches
WIDTH = 0.3  # of a box, where p is one step from the next
TRUTH = {"color": "#D62728", "linestyle": "--", "linewidth": 1.0}
MEAN = {"color": "black", "marker": "D", "markersize": 3.0, "linewidth": 1.0, "capsize": 0}


def draw(chains: pd.DataFrame, labels: dict[str, str], colours: dict[str, str], factors: int) -> Figure:
    """Draw a box per prior and p over replications, with the mean and its interval next to it.

    Parameters
    ----------
    chains : DataFrame
        As `chains.tabulate` makes it.
    labels, colours : dict
        Of each prior, in the order of the boxes.
    factors : int
        The true number, a dashed line.
    """
    figure, axes = style.panel_grid(1, 1, HEIGHT, 0.0)
    _draw_panel(axes[0, 0], posterior_means(chains), list(labels), colours, factors)
    axes[0, 0].set_ylabel("posterior mean of K+")
    _draw_legend(figure, labels, colours)
    return figure


def draw_settings(
    chains: pd.DataFrame, labels: dict[str, str], colours: dict[str, str], factors: int, settings: dict[str, str]
) -> Figure:
    """Draw the same of several settings, a panel each; arguments as for `draw`.

    settings : dict
        What each setting is called.
    """
    figure, axes = style.panel_grid(len(settings), len(settings), HEIGHT - 0.4, 0.4, sharey=True)
    means = posterior_means(chains)
    for axis, (setting, title) in zip(axes.flat, settings.items(), strict=True):
        _draw_panel(axis, means[means["setting"] == setting], list(labels), colours, factors)
        axis.set_title(title)
    axes[0, 0].set_ylabel("posterior mean of K+")
    _draw_legend(figure, labels, colours)
    return figure


def _draw_panel(axis: Axes, means: pd.DataFrame, methods: list[str], colours: dict[str, str], factors: int) -> None:
    sizes = sorted(means["p"].unique())
    axis.axhline(factors, zorder=0, **TRUTH)
    step = 1.0 / len(methods)
    for place, method in enumerate(methods):
        shift = step * (place - (len(methods) - 1) / 2)
        for i, p in enumerate(sizes):
            of_method = means.loc[(means["method"] == method) & (means["p"] == p), "mean"]
            if len(of_method):
                _draw_cell(axis, i + shift, of_method, colours[method])
    axis.set_xticks(range(len(sizes)), [str(p) for p in sizes])
    axis.set_xlim(-0.6, len(sizes) - 0.4)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("p, number of variables")
    style.draw_grid(axis)


def _draw_legend(figure: Figure, labels: dict[str, str], colours: dict[str, str]) -> None:
    handles = [Patch(facecolor=colours[method], alpha=0.5, label=label) for method, label in labels.items()]
    handles += [
        Line2D([], [], label="true number", **TRUTH),
        Line2D([], [], color="black", marker="D", markersize=3.0, label=f"mean and its {LEVEL:.0%} interval"),
    ]
    style.legend_below(figure, handles, 4)


def _draw_cell(axis, x: float, means: pd.Series, colour: str) -> None:
    """Draw one box, and left of it the mean with its interval."""
    boxes = axis.boxplot(
        [means],
        positions=[x + 0.04],
        widths=WIDTH,
        manage_ticks=False,
        patch_artist=True,
        medianprops={"color": colour, "linewidth": 1.4},
        flierprops={"marker": ".", "markersize": 3, "markerfacecolor": colour, "markeredgecolor": "none"},
    )
    for part in ("boxes", "whiskers", "caps"):
        for line in boxes[part]:
            line.set(color=colour, linewidth=0.8)
    boxes["boxes"][0].set(facecolor=colour, alpha=0.5)
    estimate = interval(means)
    error = [[estimate.mean - estimate.low], [estimate.high - estimate.mean]]
    axis.errorbar([x - 0.6 * WIDTH], [estimate.mean], yerr=error, **MEAN)
