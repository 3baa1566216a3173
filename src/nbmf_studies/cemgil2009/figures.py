"""Figures 3, 4 and 7: evidence and bounds against the order, and what patches are filled like."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nbmf.plotting import style
from nbmf_studies.cemgil2009.averages import averages
from nbmf_studies.cemgil2009.criteria import ENOUGH
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, KINDS, PIXEL_MEAN, WAY_COLOURS, WAYS

MARKERS = {BOUND: "s", ADAPTED: "s", CHIB: "o", ANNEALED: "^"}
GREY = "#7F7F7F"
APART = 0.008  # of the axis, so that error bars of different ways are side by side


# --- Figure 3 --------------------------------------------------------------------------------


@style.in_style
def draw_evidence(estimates: pd.DataFrame, K: int) -> Figure:
    """Draw Figure 3 of the first matrix, with annealing, and the choices on all matrices.

    Parameters
    ----------
    estimates : DataFrame
        As `order_evidence.tabulate` makes it.
    K : int
        The true number of sources.
    """
    figure, axes = style.panel_grid(6, 3, 2.2, 0.3)
    table = averages(estimates)
    first = table[table["seed"] == table["seed"].min()]
    _compare(axes[0, 0], first, (BOUND, CHIB), "(a) priors known")
    runs = estimates[(estimates["seed"] == table["seed"].min()) & (estimates["kind"] == CHIB)]
    _boxes(axes[0, 1], runs)
    _compare(axes[0, 2], first, (BOUND, ANNEALED), "annealing (ours)")
    _compare(axes[1, 0], first, (ADAPTED,), "(c) priors learned")
    kinds = [kind for kind in KINDS if (table["kind"] == kind).any()]
    draw_choices(axes[1, 1], table, kinds)
    _sizes(axes[1, 2], first)
    for axis in (axes[0, 0], axes[0, 1], axes[0, 2], axes[1, 0], axes[1, 2]):
        axis.axvline(K, color=GREY, linewidth=0.7, linestyle=":", zorder=0)
        axis.set_xlabel("sources I")
    for axis in (*axes[0], axes[1, 0]):
        axis.set_ylabel("nats")
    shown = {kind: axis for kind in KINDS for axis in axes.flat if _is_drawn_as_line(axis, kind)}
    handles = [
        next(line for line in shown[kind].lines if line.get_label() == KINDS[kind][0])
        for kind in KINDS
        if kind in shown
    ]
    style.legend_below(figure, handles, 4)
    return figure


def _is_drawn_as_line(axis: Axes, kind: str) -> bool:
    return any(line.get_label() == KINDS[kind][0] for line in axis.lines)


def _compare(axis: Axes, table: pd.DataFrame, kinds, title: str) -> None:
    for kind in kinds:
        of_kind = table[table["kind"] == kind].sort_values("order")
        if of_kind.empty:
            continue
        label, colour = KINDS[kind]
        error = of_kind["error"].fillna(0.0) if kind == ANNEALED else of_kind["spread"].fillna(0.0)
        axis.errorbar(of_kind["order"], of_kind["value"], error, fmt="none", ecolor=colour, linewidth=0.8)
        axis.plot(
            of_kind["order"],
            of_kind["value"],
            MARKERS[kind] + "-",
            color=colour,
            label=label,
            markersize=3,
            linewidth=0.9,
        )
    axis.set_title(title)
    axis.xaxis.get_major_locator().set_params(integer=True)


def _boxes(axis: Axes, runs: pd.DataFrame) -> None:
    groups = dict(iter(runs.groupby("order")["value"]))
    if groups:
        axis.boxplot(
            list(groups.values()),
            positions=list(groups),
            widths=0.6,
            manage_ticks=False,
            boxprops={"color": KINDS[CHIB][1]},
            medianprops={"color": KINDS[CHIB][1]},
            flierprops={"marker": "x", "markersize": 3},
        )
    count = runs["run"].nunique()
    axis.set_title(f"(b) Chib, {count} runs")
    axis.xaxis.get_major_locator().set_params(integer=True)


def draw_choices(axis: Axes, table: pd.DataFrame, kinds: Sequence[str]) -> None:
    """Draw how often each order is chosen by each kind of evidence.

    table : DataFrame, as `averages` makes it
    """
    for place, kind in enumerate(kinds):
        of_kind = table[table["kind"] == kind]
        chosen = Counter(of_kind.loc[of_kind.groupby("seed")["value"].idxmax(), "order"])
        shift = 0.8 * ((place + 0.5) / len(kinds) - 0.5)
        axis.bar([order + shift for order in chosen], list(chosen.values()), 0.8 / len(kinds), color=KINDS[kind][1])
    orders = sorted(table["order"].unique())
    axis.set_xlim(orders[0] - 0.6, orders[-1] + 0.6)
    axis.set(xlabel="order chosen", ylabel="matrices", title=f"all {table['seed'].nunique()} matrices")
    for one in (axis.xaxis, axis.yaxis):
        one.get_major_locator().set_params(integer=True)


def _sizes(axis: Axes, table: pd.DataFrame) -> None:
    for kind in (CHIB, ANNEALED):
        of_kind = table[table["kind"] == kind].sort_values("order")
        axis.plot(
            of_kind["order"],
            of_kind["effective_size"],
            MARKERS[kind] + "-",
            color=KINDS[kind][1],
            markersize=3,
            linewidth=0.9,
        )
    axis.axhline(ENOUGH, color=GREY, linewidth=0.7, linestyle="--")
    axis.set_yscale("log")
    style.plain_log_ticks(axis.yaxis)
    axis.set_title("effective size")
    axis.xaxis.get_major_locator().set_params(integer=True)


# --- Figure 4 --------------------------------------------------------------------------------


@style.in_style
def draw_orders(orders: pd.DataFrame, printed: dict[str, int], titles: dict[str, str]) -> Figure:
    """Draw Figure 4: the bound against the order, all of it above and its top below.

    Parameters
    ----------
    orders : DataFrame
        As `order_bounds.tabulate` makes it.
    printed : dict
        From dataset to the order that the paper has.
    titles : dict
        From dataset to the title of its panels.
    """
    figure, axes = style.panel_grid(2 * len(titles), len(titles), 2.1, 0.3)
    for (upper, lower), (dataset, title) in zip(axes.T, titles.items(), strict=True):
        of_dataset = orders[orders["dataset"] == dataset]
        best = of_dataset.loc[of_dataset["bound"].idxmax()]
        for axis in (upper, lower):
            for (start, one), colour in zip(of_dataset.groupby("start"), style.COLOURS, strict=False):
                one = one.sort_values("order")
                label = f"start {start}"
                axis.plot(
                    one["order"], one["bound"] / 1000, ".-", color=colour, label=label, linewidth=0.8, markersize=3
                )
            axis.axvline(printed[dataset], color=GREY, linewidth=0.8, linestyle=":", label="paper")
            axis.set_xlabel("templates I")
        upper.set_title(f"{title} pixels: best with {best['order']:.0f} templates")
        _look_at_top(lower, of_dataset, int(best["order"]), printed[dataset])
    for axis in axes[:, 0]:
        axis.set_ylabel("bound (1000 nats)")
    handles, _ = axes[0, 0].get_legend_handles_labels()
    style.legend_below(figure, handles, 5)
    return figure


def _look_at_top(axis: Axes, table: pd.DataFrame, best: int, printed: int) -> None:
    low, high = 0.6 * min(best, printed), 1.6 * max(best, printed)
    near = table.loc[table["order"].between(low, high), "bound"] / 1000
    spread = max(near.max() - near.min(), 1e-3)
    axis.set_xlim(low, high)
    axis.set_ylim(near.min() - 0.1 * spread, near.max() + 0.1 * spread)
    axis.set_title("near the top")


# --- Figure 7 --------------------------------------------------------------------------------


@style.in_style
def draw_scores(scores: pd.DataFrame, titles: dict[str, str]) -> Figure:
    """Draw Figure 7: signal-to-noise ratios against the order, averages over runs.

    Parameters
    ----------
    scores : DataFrame
        As `filling.tabulate` makes it.
    titles : dict
        From dataset to the title of its panel.
    """
    figure, axes = style.panel_grid(len(titles), 3, 2.4, 0.5, sharey=True)
    for axis, (dataset, title) in zip(axes.flat, titles.items(), strict=False):
        of_dataset = scores[scores["dataset"] == dataset]
        orders = sorted(set(of_dataset["order"]) - {0})
        span = orders[-1] - orders[0]
        for place, (way, label) in enumerate(WAYS.items()):
            groups = of_dataset[of_dataset["way"] == way].groupby("order")["snr"]
            mean, error = groups.mean(), groups.sem().fillna(0.0)
            mean.index = mean.index + APART * span * (place - (len(WAYS) - 1) / 2)
            style_of = {"color": WAY_COLOURS[way], "linewidth": 1.0}
            axis.errorbar(mean.index, mean, error, fmt="none", ecolor=WAY_COLOURS[way], linewidth=0.7)
            axis.plot(mean.index, mean, "o-", markersize=3, label=label, **style_of)
        baseline = of_dataset.loc[of_dataset["way"] == PIXEL_MEAN, "snr"].mean()
        axis.axhline(baseline, color=GREY, linewidth=0.8, linestyle="--", label="mean of the pixel")
        axis.set(xticks=_spaced_orders(orders, 0.1 * span), title=f"{title} pixels", xlabel="templates I")
    axes[0, 0].set_ylabel("SNR (dB)")
    handles, _ = axes[0, 0].get_legend_handles_labels()
    style.legend_below(figure, handles, 3)
    return figure


def _spaced_orders(orders: list[int], least: float) -> list[int]:
    """Return those orders that are at least so far from the one before."""
    shown = orders[:1]
    for order in orders[1:]:
        if order - shown[-1] >= least:
            shown.append(order)
    return shown
