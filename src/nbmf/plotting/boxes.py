"""Held-out log loss of every method, one panel per dataset, box plots over masks (Figure 10)."""

import textwrap
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from nbmf.plotting import score_units, style

COLUMNS = 2
MARGINS = 0.6  # inches of titles and baselines
SATURATED = {"marker": "v", "color": "black", "markersize": 3.5, "linestyle": "none"}
NOT_CONVERGED = "†"  # below the box
GAP_COLOUR = "#B2182B"
GAP = {"color": GAP_COLOUR, "fontsize": 6, "rotation": 90, "ha": "center", "va": "bottom"}
SHOWN_REASONS, REASON_LENGTH = 3, 90  # of gaps, in the legend
LINE_LENGTH = 130  # letters below the panels of a page's width
BASELINE = {"color": "0.3", "linewidth": 0.8, "linestyle": "--", "zorder": 0}
CROWDED = 36  # boxes in a panel, above which it takes the page's width
MOST = 12  # methods; of more, `nbmf.plotting.dots` has names in full
UPRIGHT = 12  # boxes in a panel, above which their labels stand upright
FARTHEST = 4.0  # times the distance of the typical box from the best entry, where the axis ends
BEYOND = {**{"xycoords": ("data", "axes fraction"), "fontsize": 6}, **{"rotation": 90, "ha": "center", "va": "top"}}
MARK = {"color": "black", "markersize": 5, "linestyle": "none"}


class Box(NamedTuple):
    """One box of a panel: a method with one K, and the label below it."""

    method: str
    K: int
    label: str


@style.in_style
def draw(
    scores: pd.DataFrame,
    methods: dict[str, dict],
    datasets: list[str],
    colours: dict[str, str],
    diagnostics: pd.DataFrame | None = None,
    baselines: pd.DataFrame | None = None,
) -> Figure:
    """Draw the figure from the tidy scores.

    Parameters
    ----------
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it. Fits that are not there
        (`with_gaps`) are counted where their box is, or would be, and the legend says why.
    methods : dict
        The method entries of the configuration that are drawn, in the order of the boxes.
    datasets : list of str
        One panel each, in this order.
    colours : dict
        From method to colour, as `nbmf.catalogue.colours_of` makes it.
    diagnostics : DataFrame, optional
        As `nbmf.posterior.diagnostics.diagnose` makes it: samplers whose chains have not converged
        on a dataset are marked.
    baselines : DataFrame, optional
        Columns dataset, label, perplexity: baselines, named below their
        panel and drawn as dashed lines where they lie among the boxes.
    """
    not_converged = _not_converged(diagnostics)
    boxes = [Box(method, K, str(K)) for method, entry in methods.items() for K in entry["K"]]
    columns = COLUMNS if len(boxes) <= CROWDED else 1
    figure, axes = style.panel_grid(len(datasets), columns, 2.2, MARGINS)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        marked = {method for where, method in not_converged if where == dataset}
        _draw_panel(axis, scores[scores["dataset"] == dataset], boxes, colours, marked)
        axis.set_title(dataset)
        _end_axis(axis, scores[scores["dataset"] == dataset], boxes)
        _mark_saturated(axis, scores[scores["dataset"] == dataset], boxes)
        if baselines is not None:
            of_dataset = baselines[baselines["dataset"] == dataset]
            _draw_baselines(axis, of_dataset, LINE_LENGTH // axes.shape[1])
    for axis in axes[:, 0]:
        axis.set_ylabel(f"held-out log loss\n(nats per {score_units.unit_of(scores)})")
    _draw_legend(figure, methods, colours, scores, any(m in methods for _, m in not_converged))
    return figure


def _not_converged(diagnostics: pd.DataFrame | None) -> set[tuple[str, str]]:
    """Return the (dataset, method) whose chains have not converged."""
    if diagnostics is None:
        return set()
    flagged = diagnostics[~diagnostics["converged"].astype(bool)]  # no chain, no type
    return set(zip(flagged["dataset"], flagged["method"], strict=True))


def _end_axis(axis: Axes, scores: pd.DataFrame, boxes: list[Box]) -> None:
    """End the axis where most boxes do; those beyond it are named by their medians.

    One method that predicts badly would flatten all others.
    """
    by_box = scores.groupby(["method", "K"])["perplexity"]
    medians = by_box.median().dropna()
    if len(medians) < 3:
        return
    low = scores["perplexity"].min()
    end = low + FARTHEST * (medians.median() - low)
    highest = by_box.max()[medians.index[medians <= end]].max()
    beyond = medians[medians > max(end, highest)]  # a box among the highest is no farther away
    if beyond.empty:
        return
    highest = by_box.max()[medians.index.difference(beyond.index)].max()
    margin = 0.06 * (highest - low)
    axis.set_ylim(low - margin, highest + margin)
    for i, box in enumerate(boxes):
        if (box.method, box.K) in beyond.index:
            text = f"↑ {beyond[box.method, box.K]:.3g}"
            axis.annotate(text, (i, 0.96), **BEYOND)


def _mark_saturated(axis: Axes, scores: pd.DataFrame, boxes: list[Box]) -> None:
    """Mark boxes with saturated fits at their top, or where the axis ends below that."""
    low, high = axis.get_ylim()
    for i, box in enumerate(boxes):
        fits = scores[(scores["method"] == box.method) & (scores["K"] == box.K)].dropna(subset="perplexity")
        if (fits["saturated"] > 0).any():
            axis.plot(i, min(fits["perplexity"].max(), high), clip_on=False, **SATURATED)
    axis.set_ylim(low, high)  # a mark at the end is not to move it


def _draw_baselines(axis: Axes, baselines: pd.DataFrame, width: int) -> None:
    """Name the baselines below the axis, `width` letters a line, and draw those that lie within it."""
    means = baselines.groupby("label", sort=False)["perplexity"].mean()
    low, high = axis.get_ylim()
    is_within = means.between(low, high)
    for mean in means[is_within]:
        axis.axhline(mean, **BASELINE)
    drawn, others = (
        ", ".join(f"{label} {mean:.3f}" for label, mean in part.items())
        for part in (means[is_within], means[~is_within])
    )
    parts = [f"to beat (dashed): {drawn}"] * bool(drawn) + [f"{'not drawn' if drawn else 'to beat'}: {others}"] * bool(
        others
    )
    axis.set_xlabel(textwrap.fill("; ".join(parts), width), fontsize=6.5)


def _draw_legend(figure: Figure, methods: dict, colours: dict, scores: pd.DataFrame, any_not_converged: bool) -> None:
    handles = [Patch(facecolor=colours[method], label=entry["label"]) for method, entry in methods.items()]
    drawn = scores[scores["method"].isin(methods)]
    if (drawn["saturated"] > 0).any():
        label = "held-out entries predicted impossible (36.7 nats each)"
        handles.append(Line2D([], [], label=label, **SATURATED))
    if any_not_converged:
        label = "chains have not converged (R-hat, ESS)"
        handles.append(Line2D([], [], label=label, marker=_dagger(), **MARK))
    handles += handles_of_gaps(drawn)
    for columns in (3, 2, 1):  # of methods with long names fewer fit next to each other
        legend = style.legend_below(figure, handles, columns, title="below each box: K", title_fontsize=7.5)
        extent = legend.get_window_extent()
        if columns == 1 or extent.width <= figure.bbox.width:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + extent.height / figure.dpi)  # panels keep theirs


def handles_of_gaps(scores: pd.DataFrame) -> list[Line2D]:
    """Return entries of a legend that say why fits have no score."""
    gaps = scores[scores["perplexity"].isna()]
    reasons = gaps["status"].unique()[:SHOWN_REASONS] if len(gaps) else []
    labels = [textwrap.shorten(reason, REASON_LENGTH, placeholder=" ...") for reason in reasons]
    return [Line2D([], [], label=label, marker="x", **{**MARK, "color": GAP_COLOUR}) for label in labels]


def _draw_panel(axis: Axes, scores: pd.DataFrame, boxes: list[Box], colours: dict, not_converged: set[str]) -> None:
    for i, box in enumerate(boxes):
        fits = scores[(scores["method"] == box.method) & (scores["K"] == box.K)]
        if fits.empty:
            axis.annotate(
                "no fit",
                (i, 0.5),
                xycoords=("data", "axes fraction"),
                rotation=90,
                ha="center",
                va="center",
                fontsize=6,
                color="0.4",
            )
            continue
        gaps = int(fits["perplexity"].isna().sum())
        if gaps:
            text = f"{gaps} of {len(fits)} missing"
            axis.annotate(text, (i, 0.02), xycoords=("data", "axes fraction"), **GAP)
        if gaps == len(fits):
            continue
        _draw_box(axis, i, fits["perplexity"].dropna(), colours[box.method])
    labels = [box.label + NOT_CONVERGED * (box.method in not_converged) for box in boxes]
    is_full = len(boxes) > UPRIGHT
    options = {"rotation": 90, "fontsize": 4.7} if is_full else {}
    axis.set_xticks(np.arange(len(boxes)), labels, **options)
    axis.tick_params(axis="x", length=0)
    axis.set_xlim(-0.7, len(boxes) - 0.3)
    style.draw_grid(axis)


def _dagger() -> Path:
    """Return NOT_CONVERGED as a marker of the legend: "$...$" would be drawn as it stands, no text is mathematics."""
    glyph = TextPath((0, 0), NOT_CONVERGED)
    (left, bottom), (right, top) = glyph.get_extents().get_points()
    return Affine2D().translate(-(left + right) / 2, -(bottom + top) / 2).transform_path(glyph)


def _draw_box(axis: Axes, position: int, values: pd.Series, colour: str) -> None:
    """Draw one box plot; its edge is thick, so that a flat box still shows its colour."""
    line = {"color": colour, "linewidth": 1.0}
    axis.boxplot(
        values,
        positions=[position],
        widths=0.7,
        patch_artist=True,
        boxprops={"facecolor": colour, "edgecolor": colour, "linewidth": 2.4},
        medianprops={"color": "black", "linewidth": 0.9},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": colour},
        whiskerprops=line,
        capprops=line,
    )
