"""Held-out log loss of many methods, a row for each and a panel for each dataset: a dot per mask, the best first."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nbmf.best_K import best_K, mean_by_mask
from nbmf.plotting import score_units, style
from nbmf.plotting.boxes import GAP_COLOUR, SATURATED, handles_of_gaps

PANELS = 5  # in a line, which share the names of the methods
ROW_HEIGHT, MARGINS, LEGEND = 0.13, 0.7, 0.4  # inches; margins above and below the rows of a line of panels
DOT = {"marker": "o", "markersize": 2.6, "linestyle": "none", "alpha": 0.75}
MEAN = {"color": "black", "marker": "|", "markersize": 7, "markeredgewidth": 1.1, "linestyle": "none"}
BASELINE = {"color": "0.5", "linewidth": 0.7, "linestyle": "--", "zorder": 0}
OF_BASELINES = "0.45"  # their colour
SMALL = {"fontsize": 5, "va": "center", "xycoords": ("axes fraction", "data")}
GROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
FARTHEST = 3.0  # times the distance of the median method from the smallest loss, where the axis ends
MARGIN = 0.05  # of the width of a panel


class Row(NamedTuple):
    """A method on a dataset with the K that represents it, or a baseline.

    - fits : DataFrame, theirs, with those that are missing
    - losses : Series, one for each mask
    - K : str, if there was a choice
    - candidates : DataFrame, the fits of every K among which that choice was, with those that are missing
    """

    fits: pd.DataFrame
    losses: pd.Series
    colour: str
    K: str = ""
    candidates: pd.DataFrame | None = None

    @property
    def is_saturated(self) -> bool:
        """Whether a fit predicted an entry impossible; no baseline does."""
        return "saturated" in self.fits and bool((self.fits["saturated"] > 0).any())

    @property
    def gaps(self) -> str:
        """How many fits are missing, "" if none is; the best K is not known until all have been tried."""
        fits = self.fits if self.candidates is None else self.candidates
        missing = int(fits["perplexity"].isna().sum())
        return f"{missing} of {len(fits)} missing" if missing else ""


@style.in_style
def draw(
    scores: pd.DataFrame,
    methods: dict[str, dict],
    datasets: list[str],
    colours: dict[str, str],
    baselines: pd.DataFrame | None = None,
) -> Figure:
    """Draw the figure from the tidy scores.

    Rows are in the order of the mean over datasets of the rank of the mean loss; baselines stand below.

    Parameters
    ----------
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it. Fits that are not there (`with_gaps`) are counted in
        their row, and the legend says why.
    methods : dict
        The method entries of the configuration that are drawn: label, K.
    datasets : list of str
        One panel each, in this order.
    colours : dict
        From method to colour.
    baselines : DataFrame, optional
        Columns dataset, label, perplexity. The best of a dataset is also a dashed line.
    """
    scores = scores[scores["method"].isin(methods)]
    of_methods = {dataset: _rows_of(scores[scores["dataset"] == dataset], methods, colours) for dataset in datasets}
    names = _best_first(of_methods, list(methods))
    labels = [] if baselines is None else [*baselines.groupby("label")["perplexity"].mean().sort_values().index]
    count = len(names) + len(labels)
    options = {"sharey": True, "gridspec_kw": {"wspace": 0.02}}
    figure, axes = style.panel_grid(len(datasets), PANELS, ROW_HEIGHT * count + MARGINS, LEGEND, **options)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        below = {} if baselines is None else _rows_of_baselines(baselines[baselines["dataset"] == dataset])
        rows = [of_methods[dataset][name] for name in names] + [below.get(label) for label in labels]
        _draw_panel(axis, rows, len(names))
        axis.set(title=dataset, xlabel=f"nats per {score_units.unit_of(scores)}")
    for axis in axes[:, 0]:
        axis.set_yticks(range(count), [*(methods[name]["label"] for name in names), *labels])
    axes[0, 0].set_ylim(count - 0.4, -0.6)
    has_lines = any(
        line.get_linestyle() == "--" and _is_within(axis, line) for axis in axes.flat for line in axis.lines
    )
    _draw_legend(figure, [row for of_dataset in of_methods.values() for row in of_dataset.values() if row], has_lines)
    return figure


def _rows_of(scores: pd.DataFrame, methods: dict[str, dict], colours: dict[str, str]) -> dict[str, Row | None]:
    """Return the rows of a dataset; None of a method without fits."""
    fits = {name: scores[scores["method"] == name] for name in methods}
    return {
        name: None if fits[name].empty else _row_of(fits[name], len(entry["K"]) > 1, colours[name])
        for name, entry in methods.items()
    }


def _row_of(fits: pd.DataFrame, has_grid: bool, colour: str) -> Row:
    """Return the row of a method; where no K has all masks, that with most of them."""
    K = best_K(fits) or int(fits.groupby("K")["perplexity"].count().idxmax())
    shown = fits[fits["K"] == K]
    return Row(shown, mean_by_mask(shown, "perplexity").dropna(), colour, str(K) if has_grid else "", fits)


def _rows_of_baselines(baselines: pd.DataFrame) -> dict[str, Row]:
    return {
        label: Row(of_label, of_label["perplexity"], OF_BASELINES) for label, of_label in baselines.groupby("label")
    }


def _best_first(rows: dict[str, dict[str, Row | None]], names: list[str]) -> list[str]:
    """Return the methods by the mean over datasets of the rank of their mean loss."""
    means = {
        dataset: {name: np.nan if row is None else row.losses.mean() for name, row in of_dataset.items()}
        for dataset, of_dataset in rows.items()
    }
    ranks = pd.DataFrame(means, index=names).rank(na_option="bottom").mean(axis=1)
    return [*ranks.sort_values(kind="stable").index]


def _draw_panel(axis: Axes, rows: list[Row | None], count: int) -> None:
    """Draw rows, of which the first `count` are of methods."""
    low, end = _ends([row for row in rows if row is not None and len(row.losses)])
    margin = MARGIN * (end - low) or MARGIN
    axis.set_xlim(low - margin, end + margin)
    baselines = [row.losses.mean() for row in rows[count:] if row is not None]
    if baselines:
        axis.axhline(count - 0.5, color="0.8", linewidth=0.6, zorder=0)
        axis.axvline(min(baselines), **BASELINE)
    for y, row in enumerate(rows):
        if row is None:
            axis.annotate("no fit", (0.02, y), color=GAP_COLOUR, ha="left", **SMALL)
            continue
        axis.annotate(row.gaps, (0.02, y), color=GAP_COLOUR, ha="left", **SMALL)
        axis.annotate(row.K, (1.01, y), color="0.3", ha="left", **SMALL)
        if row.losses.mean() > end:
            axis.annotate(f"{row.losses.mean():.3f} →", (0.99, y), ha="right", bbox=GROUND, **SMALL)
            continue
        axis.plot(row.losses, [y] * len(row.losses), color=row.colour, **DOT)
        axis.plot(row.losses.mean(), y, **MEAN)
        if row.is_saturated:
            axis.plot(row.losses.max(), y, **SATURATED)


def _ends(rows: list[Row]) -> tuple[float, float]:
    """Return where an axis begins, and where it ends: one method that predicts badly would flatten all others."""
    if not rows:
        return 0.0, 1.0
    low, means = min(row.losses.min() for row in rows), [row.losses.mean() for row in rows]
    median = np.median([row.losses.mean() for row in rows if row.colour != OF_BASELINES] or means)
    end = max(low + FARTHEST * (median - low), min(means))
    shown = [row for row, mean in zip(rows, means, strict=True) if mean <= end]
    while True:  # the axis ends after the last of their losses, and the means of others may be before that
        end = max(row.losses.max() for row in shown)
        within = [row for row, mean in zip(rows, means, strict=True) if mean <= end + MARGIN * (end - low)]
        if len(within) == len(shown):
            return low, end
        shown = within


def _is_within(axis: Axes, line: Line2D) -> bool:
    """Whether a vertical line is not beyond the end of the axis."""
    return line.get_xdata()[0] <= axis.get_xlim()[1]


def _draw_legend(figure: Figure, rows: list[Row], has_baselines: bool) -> None:
    handles = [Line2D([], [], color="0.3", label="a mask", **DOT), Line2D([], [], label="mean", **MEAN)]
    if has_baselines:
        handles.append(Line2D([], [], label="the best baseline", **BASELINE))
    if any(row.is_saturated for row in rows):
        handles.append(Line2D([], [], label="entries predicted impossible (36.7 nats each)", **SATURATED))
    handles += handles_of_gaps(pd.concat([row.fits if row.candidates is None else row.candidates for row in rows]))
    title = "number: the best K of several" if any(row.K for row in rows) else None
    style.legend_below(figure, handles, 4, title=title, title_fontsize=7.5)
