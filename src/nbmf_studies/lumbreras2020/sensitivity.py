"""Section 6.2: held-out log loss of toy data against the concentrations an estimator assumes."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from nbmf.plotting import style

COLUMNS = 4


def draw(scores: pd.DataFrame, labels: dict[str, str], colours: dict[str, str]) -> Figure:
    """Draw the figure: one panel per size, one line per method.

    Points are means over masks (each with a matrix of its own), bars one standard deviation to
    either side; the best possible score, that of the true WH, is dashed. The title of a panel
    states the largest difference between two means of one method in it.

    Parameters
    ----------
    scores : DataFrame
        A row per fit: size, method, concentration, mask, perplexity, and truth: that of the true WH.
    labels, colours : dict
        Of each method that is drawn, in the order of the legend.
    """
    sizes = sorted(scores["size"].unique())
    figure, axes = style.panel_grid(len(sizes), COLUMNS, 2.3, 0.4, sharey=True)
    for axis, size in zip(axes.flat, sizes, strict=False):
        drawn = (scores["size"] == size) & scores["method"].isin(labels)
        _draw_panel(axis, size, scores[drawn], labels, colours)
    for axis in axes[:, 0]:
        axis.set_ylabel("held-out log loss\n(nats per entry)")
    _draw_legend(figure, labels, colours)
    return figure


def largest_change(scores: pd.DataFrame) -> tuple[float, str]:
    """Return the largest difference between means of one method over concentrations, and whose."""
    means = scores.groupby(["method", "concentration"])["perplexity"].mean().unstack()
    changes = means.max(axis=1) - means.min(axis=1)
    return float(changes.max()), str(changes.idxmax())


def _draw_legend(figure: Figure, labels: dict, colours: dict) -> None:
    handles = [
        Line2D([], [], color=colours[method], marker="o", markersize=3, label=label) for method, label in labels.items()
    ]
    label = "the true WH, in the colour of the method"
    handles.append(Line2D([], [], color="black", linestyle=(0, (3, 2)), linewidth=0.9, label=label))
    style.legend_below(figure, handles, 4)


def _draw_panel(axis: Axes, size: int, scores: pd.DataFrame, labels: dict, colours: dict) -> None:
    for place, method in enumerate(labels):
        of_method = scores[scores["method"] == method]
        _draw_method(axis, of_method, colours[method], place, len(labels))
    change, method = largest_change(scores)
    statement = f"largest change {change:.3f}\n({labels[method]})"
    axis.set_title(f"{size} × {size}\n{statement}", fontsize=8)
    concentrations = sorted(scores["concentration"].unique())
    axis.set_xscale("log")
    axis.set_xticks(concentrations, [f"{value:g}" for value in concentrations])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("assumed concentration")
    style.draw_grid(axis)


def _draw_method(axis: Axes, scores: pd.DataFrame, colour: str, place: int, count: int) -> None:
    """Draw one of `count` methods; bars stand side by side, dashes of equal height alternate."""
    over_masks = scores.groupby("concentration")["perplexity"].agg(["mean", "std"])
    aside = 1.04 ** (place - (count - 1) / 2)
    axis.errorbar(
        over_masks.index * aside,
        over_masks["mean"],
        over_masks["std"].fillna(0),
        color=colour,
        marker="o",
        markersize=2.5,
        linewidth=1.0,
        elinewidth=0.6,
    )
    dashes = (3 * place, (3, 3 * count - 3 if count > 1 else 2))
    axis.axhline(scores["truth"].mean(), color=colour, linewidth=0.9, linestyle=dashes)
