"""What η decides: held-out perplexity on every dataset, and D(V|V^) of the matrix for which the paper prints it."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from nbmf.plotting import style
from nbmf_studies.lumbreras2020.eta_names import COLUMNS, ROWS

PANEL_COLUMNS = 3
SIDES = {  # label, colour, marker
    COLUMNS: ("Dir-Dir GS, γ = 1/K and η as shown", "#009E73", "o"),
    ROWS: ("V transposed: η = 1/K and γ as shown", "#D55E00", "s"),
}
OTHER = {"linestyle": "--", "linewidth": 0.9}
OTHER_COLOURS = {COLUMNS: "0.35", ROWS: SIDES[ROWS][1]}


def draw(
    eta: pd.DataFrame,
    losses: pd.DataFrame,
    scores: pd.DataFrame,
    others: dict[str, str],
    printed: float,
    one_side: pd.DataFrame | None = None,
) -> Figure:
    """Draw a panel per dataset, and one of D(V|V^).

    Parameters
    ----------
    eta : DataFrame
        A row per fit to a mask: dataset, side, eta, mask, perplexity.
    losses : DataFrame
        A row per fit to the whole matrix: dataset, side, eta, seed, loss.
    scores : DataFrame
        The study's scores, of which the best other method is drawn as a line.
    others : dict
        From the other mean-parameterised methods to what they are called.
    printed : float
        D(V|V^) in the paper, in nats.
    one_side : DataFrame, optional
        The other methods on the transposed matrix of some datasets, with columns as of `scores`: a line of the colour
        of Dir-Dir on it. Transposed, others may predict better too.
    """
    datasets = list(eta["dataset"].unique())
    panels = len(datasets) + (not losses.empty)
    figure, axes = style.panel_grid(panels, PANEL_COLUMNS, 2.2, 0.5)
    for axis, dataset in zip(axes.flat, datasets, strict=False):
        _draw_sides(axis, eta[eta["dataset"] == dataset], "perplexity")
        name, best = best_other(scores[scores["dataset"] == dataset], others)
        axis.axhline(best, color=OTHER_COLOURS[COLUMNS], **OTHER)
        title = f"{dataset}\nbest other: {name}"
        transposed = _of(dataset, one_side)
        if not transposed.empty:
            name, best = best_other(transposed, others)
            axis.axhline(best, color=OTHER_COLOURS[ROWS], **OTHER)
            title += f"\nV transposed: {name}"
        axis.set_title(title, fontsize=8)
        if axis in axes[:, 0]:
            axis.set_ylabel("held-out log loss\n(nats per entry)")
    if not losses.empty:
        axis = axes.flat[len(datasets)]
        _draw_sides(axis, losses, "loss")
        axis.axhline(printed, color="black", linewidth=0.9, linestyle=":")
        axis.set_title(f"D(V|V̂) on {losses['dataset'].iloc[0]}\nprinted: {printed:g}", fontsize=8)
        axis.set_ylabel("nats")
    any_transposed = any(not _of(dataset, one_side).empty for dataset in datasets)
    style.legend_below(figure, _handles(any_transposed), 2)
    return figure


def _of(dataset: str, table: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of a dataset; none without a table."""
    return pd.DataFrame() if table is None else table[table["dataset"] == dataset]


def best_other(scores: pd.DataFrame, others: dict[str, str]) -> tuple[str, float]:
    """Return the label of the other method with the smallest median over masks at its best K, and that median."""
    of_others = scores[scores["method"].isin(others)]
    medians = of_others.groupby(["method", "K"])["perplexity"].median()
    method, _ = medians.idxmin()
    return others[method], float(medians.min())


def _draw_sides(axis: Axes, table: pd.DataFrame, value: str) -> None:
    """Draw the median of each side along η, and what each mask or seed gave."""
    values = sorted(table["eta"].unique())
    for aside, (side, (_, colour, marker)) in zip((0.97, 1.03), SIDES.items(), strict=True):
        of_side = table[table["side"] == side]
        axis.plot(of_side["eta"] * aside, of_side[value], ".", color=colour, markersize=2.5, alpha=0.45)
        medians = of_side.groupby("eta")[value].median()
        axis.plot(medians.index * aside, medians, color=colour, marker=marker, markersize=3.5, linewidth=1.0)
    axis.set_xscale("log")
    axis.set_xticks(values, [f"{one:g}" for one in values])
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("concentration")
    style.draw_grid(axis)


def _handles(any_transposed: bool) -> list[Line2D]:
    sides = [
        Line2D([], [], color=colour, marker=marker, markersize=3.5, linewidth=1.0, label=label)
        for label, colour, marker in SIDES.values()
    ]
    others = [Line2D([], [], color=OTHER_COLOURS[COLUMNS], label="best other mean-parameterised method", **OTHER)]
    if any_transposed:
        others.append(Line2D([], [], color=OTHER_COLOURS[ROWS], label="best other method, V transposed", **OTHER))
    return [*sides, *others, Line2D([], [], color="black", linestyle=":", linewidth=0.9, label="the paper's number")]
