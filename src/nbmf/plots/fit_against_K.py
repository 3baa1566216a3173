"""A loss against K: of fits to whole matrices, a panel per dataset, and of held-out entries."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from nbmf.plots import style

COLUMNS = 3
SIZE = (5.6, 3.0)  # inches, of held-out scores
RING = {
    "marker": "o",
    "markersize": 8,
    "markerfacecolor": "none",
    "markeredgecolor": "black",
    "linestyle": "none",
}
BASELINE = {"color": "0.3", "linewidth": 0.8, "linestyle": "--", "zorder": 0}
LEVEL = {"linewidth": 1.1, "linestyle": ":"}


@style.in_style
def draw(
    scores: pd.DataFrame,
    labels: dict[str, str],
    colours: dict[str, str],
    shown_K: dict[str, dict[str, int]],
) -> Figure:
    """Draw a dot per fit and a line through the best fit of each K.

    Parameters
    ----------
    scores : DataFrame
        Columns dataset, method, K, seed, loss (D(V|V^) in nats, eq. (66), of fits to whole
        matrices); methods without a label are left out. Panels are in the order in which
        datasets first appear.
    labels : dict
        From each method that is drawn to its name.
    colours : dict
        From method to colour, as `nbmf.catalogue.colours_of` makes it.
    shown_K : dict of dict
        shown_K[dataset][method] is the K whose fit the figures of dictionaries show; it is ringed.
    """
    scores = scores[scores["method"].isin(list(labels))]
    datasets = list(scores["dataset"].unique())
    figure, axes = style.panel_grid(len(datasets), COLUMNS, 2.3, 0.5)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        of_dataset = scores[scores["dataset"] == dataset]
        for method in labels:
            fits = of_dataset[of_dataset["method"] == method]
            best = _draw_method(axis, fits, "loss", "min", colours[method])
            shown = shown_K.get(dataset, {}).get(method)
            if shown in best.index:
                axis.plot(shown, best[shown], **RING)
        _finish_panel(axis)
        axis.set_title(dataset)
        axis.yaxis.set_major_formatter("{x:,.0f}")
        axis.set_ylim(bottom=0)  # so that shares of the loss can be seen
    for axis in axes[:, 0]:
        axis.set_ylabel(r"$D(V|\hat{V})$ (nats)")
    _draw_legend(figure, labels, colours, has_shown=any(shown_K.values()))
    return figure


@style.in_style
def draw_held_out(
    scores: pd.DataFrame,
    labels: dict[str, str],
    colours: dict[str, str],
    baselines: dict[str, float] | None = None,
    score: str = "perplexity",
    label: str = "held-out perplexity (nats per entry)",
    ax: Axes | None = None,
) -> Axes:
    """Draw a dot per fit and a line through the means over masks, of one dataset.

    A method with a single K among others with several is a dotted line at its mean.

    Parameters
    ----------
    scores : DataFrame
        Columns method, K and the score.
    labels : dict
        From each method that is drawn to its name.
    colours : dict
        From method to colour, as `nbmf.catalogue.colours_of` makes it.
    baselines : dict, optional
        From the name of a prediction without components to its mean score: a dashed line.
    score, label : str
        The column, and what it is.
    ax : axis, optional
        Of Matplotlib; by default a figure is made.
    """
    if ax is None:
        axis = plt.subplots(figsize=SIZE, layout="constrained")[1]
    else:
        (axis,) = style.given_axes(ax, 1)
    own = {method: scores[scores["method"] == method] for method in labels}
    curves = [method for method in labels if own[method]["K"].nunique() > 1] or list(labels)
    handles = _handles({method: labels[method] for method in curves}, colours)
    for method in curves:
        _draw_method(axis, own[method], score, "mean", colours[method])
    for method in [name for name in labels if name not in curves]:
        level = {"color": colours[method], **LEVEL}
        axis.axhline(own[method][score].mean(), **level)
        name = f"{labels[method]}, K = {own[method]['K'].iloc[0]}"
        handles.append(Line2D([], [], label=name, **level))
    for value in (baselines or {}).values():
        axis.axhline(value, **BASELINE)
    _finish_panel(axis)
    axis.set_ylabel(label)
    handles += [Line2D([], [], label=name, **BASELINE) for name in baselines or {}]
    axis.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return axis


def _draw_method(
    axis: Axes, fits: pd.DataFrame, score: str, through: str, colour: str
) -> pd.Series:
    """Draw a dot per fit and a line through the "min" or "mean" of each K; return the latter."""
    line = fits.groupby("K")[score].agg(through)  # sorted by K
    axis.plot(fits["K"], fits[score], ".", color=colour, markersize=3.5, alpha=0.6)
    axis.plot(line.index, line, color=colour, linewidth=1.1)
    return line


def _finish_panel(axis: Axes) -> None:
    axis.set_xlabel("K")
    axis.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    axis.set_axisbelow(True)


def _handles(labels: dict[str, str], colours: dict[str, str], note: str = "") -> list[Line2D]:
    return [
        Line2D([], [], color=colours[method], marker=".", label=label + note)
        for method, label in labels.items()
    ]


def _draw_legend(figure: Figure, labels: dict, colours: dict, has_shown: bool) -> None:
    handles = _handles(labels, colours, " (line: best of seeds)")
    if has_shown:
        handles.append(Line2D([], [], label="K of the dictionaries shown", **RING))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
