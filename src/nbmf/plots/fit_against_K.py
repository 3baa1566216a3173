"""The loss D(V|V^) against K for the methods whose K is chosen, one panel per dataset."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from nbmf.plots import style

COLUMNS = 3
RING = {
    "marker": "o",
    "markersize": 8,
    "markerfacecolor": "none",
    "markeredgecolor": "black",
    "linestyle": "none",
}


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
            _draw_method(axis, fits, colours[method], shown_K.get(dataset, {}).get(method))
        _finish_panel(axis, dataset)
    for axis in axes[:, 0]:
        axis.set_ylabel(r"$D(V|\hat{V})$ (nats)")
    _draw_legend(figure, labels, colours, has_shown=any(shown_K.values()))
    return figure


def _draw_method(axis: Axes, fits: pd.DataFrame, colour: str, shown: int | None) -> None:
    best = fits.groupby("K")["loss"].min()  # sorted by K
    axis.plot(fits["K"], fits["loss"], ".", color=colour, markersize=3.5, alpha=0.6)
    axis.plot(best.index, best, color=colour, linewidth=1.1)
    if shown in best.index:
        axis.plot(shown, best[shown], **RING)


def _finish_panel(axis: Axes, dataset: str) -> None:
    axis.set_title(dataset)
    axis.set_xlabel("K")
    axis.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axis.yaxis.set_major_formatter("{x:,.0f}")
    axis.set_ylim(bottom=0)  # so that shares of the loss can be seen
    axis.grid(axis="y", linewidth=0.4, alpha=0.5)
    axis.set_axisbelow(True)


def _draw_legend(figure: Figure, labels: dict, colours: dict, has_shown: bool) -> None:
    handles = [
        Line2D([], [], color=colours[method], marker=".", label=f"{label} (line: best of seeds)")
        for method, label in labels.items()
    ]
    if has_shown:
        handles.append(Line2D([], [], label="K of the dictionaries shown", **RING))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
