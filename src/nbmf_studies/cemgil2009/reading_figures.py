"""Figures 3, 4 and 7 of the second reading."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nbmf.evaluation.replications import interval
from nbmf.plotting import style
from nbmf_studies.cemgil2009.averages import averages
from nbmf_studies.cemgil2009.criteria import ENOUGH
from nbmf_studies.cemgil2009.figures import APART, GREY, MARKERS, draw_choices
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, KINDS, PIXEL_MEAN
from nbmf_studies.cemgil2009.patches import TEST_RATIO
from nbmf_studies.cemgil2009.reading_names import (
    ANNEALED_BACK,
    COLOURS,
    ICM_TIED,
    LABELS,
    MATCHING,
    ML,
    ML_FROM_IMAGES,
    PRIORS,
    STARTS,
    VB_TIED,
)
from nbmf_studies.framework.gathering import best_of_starts

BACK_COLOUR = "#CC79A7"
SHOWN = {  # in the panel of one matrix: label, colour, marker
    **{kind: (*KINDS[kind], MARKERS[kind]) for kind in (BOUND, ADAPTED)},
    ANNEALED: ("annealing, there", KINDS[ANNEALED][1], MARKERS[ANNEALED]),
    ANNEALED_BACK: ("annealing, back", BACK_COLOUR, "v"),
    CHIB: ("Chib, near a mode", KINDS[CHIB][1], MARKERS[CHIB]),
}


# --- Figure 3 --------------------------------------------------------------------------------


@style.in_style
def draw_scale(estimates: pd.DataFrame, K: int) -> Figure:
    """Draw Figure 3 under both priors: estimates of the first matrix, and the orders that bounds choose on all.

    Parameters
    ----------
    estimates : DataFrame
        As `reading_tables.evidence_again` makes it.
    K : int
        The true number of sources.
    """
    figure, axes = style.panel_grid(6, 3, 2.2, 0.5)
    table = pd.concat([averages(of_prior).assign(prior=prior) for prior, of_prior in estimates.groupby("prior")])
    for row, (prior, title) in zip(axes, PRIORS.items(), strict=True):
        of_prior = table[table["prior"] == prior]
        first = of_prior[of_prior["seed"] == of_prior["seed"].min()]
        _estimates(row[0], first, (BOUND, ADAPTED, ANNEALED, ANNEALED_BACK), title)
        draw_choices(row[1], of_prior, (BOUND, ADAPTED))
    matching = table[table["prior"] == MATCHING]
    _estimates(axes[0, 2], matching[matching["seed"] == matching["seed"].min()], (BOUND, CHIB), "Chib's estimate")
    _sizes(axes[1, 2], matching)
    for axis in (axes[0, 0], axes[1, 0], axes[0, 2], axes[1, 2]):
        axis.axvline(K, color=GREY, linewidth=0.7, linestyle=":", zorder=0)
        axis.set_xlabel("sources I")
        axis.xaxis.get_major_locator().set_params(integer=True)
    for axis in (axes[0, 0], axes[1, 0], axes[0, 2]):
        axis.set_ylabel("nats")
    drawn = {line.get_label(): line for axis in (axes[0, 0], axes[0, 2], axes[1, 0]) for line in axis.lines}
    handles = [drawn[label] for label, _, _ in SHOWN.values() if label in drawn]
    style.legend_below(figure, handles, 3)
    return figure


def _estimates(axis: Axes, table: pd.DataFrame, kinds, title: str) -> None:
    for kind in kinds:
        of_kind = table[table["kind"] == kind].sort_values("order")
        if len(of_kind):
            label, colour, marker = SHOWN[kind]
            line = {"color": colour, "label": label, "markersize": 3, "linewidth": 0.9}
            axis.plot(of_kind["order"], of_kind["value"], marker + "-", **line)
    axis.set_title(title)


def _sizes(axis: Axes, table: pd.DataFrame) -> None:
    for kind in (CHIB, ANNEALED, ANNEALED_BACK):
        of_kind = table[table["kind"] == kind]
        _, colour, marker = SHOWN[kind]
        axis.plot(of_kind["order"], of_kind["effective_size"], marker, color=colour, markersize=3)
    axis.axhline(ENOUGH, color=GREY, linewidth=0.7, linestyle="--")
    axis.set_yscale("log")
    style.plain_log_ticks(axis.yaxis)
    axis.set_title("effective size, every matrix")


# --- Figure 4 --------------------------------------------------------------------------------


@style.in_style
def draw_stopped(orders: pd.DataFrame, printed: dict[str, int], titles: dict[str, str]) -> Figure:
    """Draw Figure 4 at a stop: the bound from every start above, what the best one has learned below.

    Parameters
    ----------
    orders : DataFrame
        As `reading_tables.stopped_orders` makes it.
    printed : dict
        From dataset to the order that the paper has.
    titles : dict
        From dataset to the title of its panels.
    """
    figure, axes = style.panel_grid(2 * len(titles), len(titles), 2.1, 0.4)
    for (upper, lower), (dataset, title) in zip(axes.T, titles.items(), strict=True):
        of_dataset = orders[orders["dataset"] == dataset].assign(objective=lambda table: table["bound"])
        for name, fits in of_dataset.groupby("from", sort=False):
            label, colour = STARTS[name]
            best = best_of_starts(fits, ["order"]).sort_values("order")
            line = {"color": colour, "linewidth": 0.8, "markersize": 3}
            upper.plot(best["order"], best["bound"] / 1000, ".-", label=label, **line)
            upper.plot(best["order"], best["after_1000"] / 1000, ":", color=colour, linewidth=0.8)
        best = best_of_starts(of_dataset, ["order"]).sort_values("order")
        for factor, mark, label in (("W", "s-", "shape of templates"), ("H", "o--", "shape of excitations")):
            line = {"color": "#333333", "linewidth": 0.8, "markersize": 3}
            lower.plot(best["order"], best[f"shape_{factor}"], mark, label=label, **line)
        lower.set_yscale("log")
        style.plain_log_ticks(lower.yaxis)
        lower.set_title("shapes of the best fit")
        top = int(best.loc[best["bound"].idxmax(), "order"])
        upper.set_title(f"{title} pixels: best with {top} templates")
        _look_above(upper, best)
        for axis in (upper, lower):
            axis.axvline(printed[dataset], color=GREY, linewidth=0.8, linestyle=":", zorder=0)
            axis.set_xlabel("templates I")
    axes[0, 0].set_ylabel("bound (1000 nats)")
    axes[1, 0].set_ylabel("shape a")
    handles = [line for line in axes[0, 0].lines if not line.get_label().startswith("_")]
    style.legend_below(figure, [*handles, *axes[1, 0].lines[:2]], 3)
    return figure


def _look_above(axis: Axes, best: pd.DataFrame) -> None:
    """Leave out of sight what is far below: the smallest orders."""
    bounds = best["bound"] / 1000
    spread = max(bounds.max() - bounds.median(), 1e-3)
    axis.set_ylim(bounds.max() - 6 * spread, bounds.max() + 0.5 * spread)


# --- Figure 7 --------------------------------------------------------------------------------


@style.in_style
def draw_ties(scores: pd.DataFrame) -> Figure:
    """Draw Figure 7 with every tie: means over runs of the best start, and of differences to ML-NMF 1.

    Parameters
    ----------
    scores : DataFrame
        As `reading_tables.filled_again` makes it.
    """
    best = best_of_starts(scores[scores["order"] > 0], ["order", "run", "way"])
    table = best.pivot(index=["order", "run"], columns="way", values="snr")
    figure, axes = style.panel_grid(2, 2, 2.6, 0.6)
    left, right = axes[0]
    orders = sorted(best["order"].unique())
    ways = [way for way in (*VB_TIED, *ICM_TIED, ML, ML_FROM_IMAGES) if way in table]
    span = max(orders[-1] - orders[0], 1)
    for place, way in enumerate(ways):
        shift = APART * span * (place - (len(ways) - 1) / 2)
        line = {"color": COLOURS[way], "linewidth": 0.9, "linestyle": "--" if way in ICM_TIED else "-"}
        of_way = table[way].dropna()
        _draw_intervals(left, of_way, shift, LABELS[way], line)
        if way != ML and ML in table:
            _draw_intervals(right, (of_way - table[ML]).dropna(), shift, LABELS[way], line)
    mean = scores.loc[scores["way"] == PIXEL_MEAN, "snr"].mean()
    left.axhline(mean, color=GREY, linewidth=0.8, linestyle="--", label="mean of the pixel")
    right.axhline(0.0, color=GREY, linewidth=0.8)
    left.set(title=f"{scores['run'].nunique()} runs", ylabel="SNR (dB)")
    right.set_title("difference from ML-NMF 1")
    for axis in (left, right):
        axis.set(xticks=orders, xlabel="templates I")
    handles, _ = left.get_legend_handles_labels()
    style.legend_below(figure, handles, 3)
    return figure


def _draw_intervals(axis: Axes, values: pd.Series, shift: float, label: str, line: dict) -> None:
    """Draw means over runs with their 95 % intervals."""
    estimates = {order: interval(own, test_ratio=TEST_RATIO) for order, own in values.groupby(level="order")}
    places = [order + shift for order in estimates]
    means = [one.mean for one in estimates.values()]
    halves = [one.high - one.mean for one in estimates.values()]
    axis.errorbar(places, means, halves, fmt="none", ecolor=line["color"], linewidth=0.7)
    axis.plot(places, means, marker="o", markersize=3, label=label, **line)
