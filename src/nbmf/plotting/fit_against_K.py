"""A loss against K: of fits to whole matrices, a panel per dataset, and of held-out entries."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from nbmf.plotting import style

COLUMNS = 3
SIZE = (5.6, 3.0)  # inches, of held-out scores
RING = {"marker": "o", "markersize": 8, "markerfacecolor": "none", "markeredgecolor": "black", "linestyle": "none"}
BASELINE = {"color": "0.3", "linewidth": 0.8, "linestyle": "--", "zorder": 0}
FARTHEST, MARGIN = 4.0, 0.15  # of the distance of the typical mean from the best; of the range
LEVEL = {"linewidth": 1.1, "linestyle": ":"}


@style.in_style
def draw(
    scores: pd.DataFrame, labels: dict[str, str], colours: dict[str, str], shown_K: dict[str, dict[str, int]]
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
        axis.set_ylabel("D(V|V̂) (nats)")
    _draw_legend(figure, labels, colours, has_shown=any(shown_K.values()))
    return figure


@style.in_style
def draw_held_out(
    scores: pd.DataFrame,
    labels: dict[str, str],
    colours: dict[str, str],
    baselines: dict[str, float] | None = None,
    score: str = "perplexity",
    label: str = "held-out log loss (nats per entry)",
    ax: Axes | None = None,
) -> Axes:
    """Draw a dot per fit and a line through the means over masks, of one dataset.

    A method with a single K among others with several is a dotted line at its mean. What lies far
    above most means is cut off, and the legend says where it is.

    Parameters
    ----------
    scores : DataFrame
        Columns method, K and the score.
    labels : dict
        From each method that is drawn to its name.
    colours : dict
        From method to colour, as `nbmf.catalogue.colours_of` makes it.
    baselines : dict, optional
        From the name of a baseline to its mean score: a dashed line.
    score, label : str
        The column, and what it is.
    ax : axis, optional
        Of Matplotlib; by default a figure is made.
    """
    axis = style.given_or_new_axis(ax, SIZE)
    fits_of = {method: scores[scores["method"] == method] for method in labels}
    curves = [method for method in labels if fits_of[method]["K"].nunique() > 1] or list(labels)
    means, handles = {}, {}
    for method in labels:
        if method in curves:
            means[method] = _draw_method(axis, fits_of[method], score, "mean", colours[method])
            handles[method] = {"color": colours[method], "marker": "."}
        else:
            means[method] = fits_of[method].groupby("K")[score].mean()
            handles[method] = {"color": colours[method], **LEVEL}
            axis.axhline(means[method].iloc[0], **handles[method])
    for value in (baselines or {}).values():
        axis.axhline(value, **BASELINE)
    _finish_panel(axis)
    axis.set_ylabel(label)
    drawn = scores[scores["method"].isin(labels)].set_index(["method", "K"])[score]
    _end_axis(axis, drawn, list((baselines or {}).values()))
    names = {
        method: labels[method]
        + ("" if method in curves else f", K = {line.index[0]}")
        + (f" (above, from {line.min():.3g})" if line.min() > axis.get_ylim()[1] else "")
        for method, line in means.items()
    }
    shown = [Line2D([], [], label=names[method], **handles[method]) for method in labels]
    shown += [Line2D([], [], label=name, **BASELINE) for name in baselines or {}]
    axis.legend(handles=shown, loc="upper left", bbox_to_anchor=(1, 1))
    return axis


def _end_axis(axis: Axes, scores: pd.Series, baselines: list[float]) -> None:
    """End the axis where the fits of most means do: one method that predicts badly would flatten all others.

    scores : of fits, by method and K
    """
    fits = scores.groupby(level=[0, 1])
    means = fits.mean()
    end = means.min() + FARTHEST * (means.median() - means.min())
    if end > means.min() and means.max() > end:
        near = means.index[means <= end]
        low, highest = fits.min()[near].min(), max([fits.max()[near].max(), *baselines])
        margin = MARGIN * (highest - low)
        axis.set_ylim(low - margin, highest + margin)


def _draw_method(axis: Axes, fits: pd.DataFrame, score: str, through: str, colour: str) -> pd.Series:
    """Draw a dot per fit and a line through the "min" or "mean" of each K; return the latter."""
    line = fits.groupby("K")[score].agg(through)  # sorted by K
    axis.plot(fits["K"], fits[score], ".", color=colour, markersize=3.5, alpha=0.6)
    axis.plot(line.index, line, color=colour, linewidth=1.1)
    return line


def _finish_panel(axis: Axes) -> None:
    axis.set_xlabel("K")
    axis.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    style.draw_grid(axis)


def _draw_legend(figure: Figure, labels: dict, colours: dict, has_shown: bool) -> None:
    handles = [
        Line2D([], [], color=colours[method], marker=".", label=f"{label} (line: best of seeds)")
        for method, label in labels.items()
    ]
    if has_shown:
        handles.append(Line2D([], [], label="K of the dictionaries shown", **RING))
    style.legend_below(figure, handles, 3)
