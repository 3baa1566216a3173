"""Traces of chains, and whether these have converged: of one method, of one run of several chains."""

from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from nbmf.errors import DataError
from nbmf.plotting import style

# The first iterations, far from where a chain ends, would flatten all that matters: the vertical
# range is that of the values from this share of the iterations on.
RANGE_FROM = 0.1
MARGIN = 0.08  # of the range, above and below
ALARM = "#B2182B"
BURN_IN = {"facecolor": "0.9", "edgecolor": "none"}
LINE = 7.5  # points, of a line of what stands above a panel


class Quantity(NamedTuple):
    """One row of panels: a column of the traces, its name, and the unit it is divided by."""

    column: str
    label: str
    unit: float = 1.0


class Panel(NamedTuple):
    """One quantity of a run of several chains, or of several starts.

    label : str
    values : float array (chains, recorded)
    notes : list of str, printed above the panel: R-hat and the effective sample size, or the spread
    converged : bool
    """

    label: str
    values: np.ndarray
    notes: list[str]
    converged: bool


QUANTITIES = [
    Quantity("objective", "log joint\n(1000 nats)", 1000.0),
    Quantity("perplexity", "in-sample log loss\n(nats per entry)"),
    Quantity("active_components", "active components"),
]


@style.in_style
def draw(traces: pd.DataFrame, diagnostics: pd.DataFrame, labels: dict[str, str], burn_in: int) -> Figure:
    """Draw the traces of one method, a column of panels per dataset, a line per seed.

    Parameters
    ----------
    traces : DataFrame
        Columns dataset, method, K, seed, iteration, perplexity (in sample, nats per entry; NaN
        where it was not computed), objective (log joint in nats), active_components; one method,
        one K per dataset. Columns of panels are in the order in which datasets first appear.
    diagnostics : DataFrame
        Columns dataset, method, r_hat, ess_bulk, converged: of the log joint over the kept sweeps,
        as `nbmf.posterior.diagnostics` makes them; printed above its panel.
    labels : dict
        From method to its name.
    burn_in : int
        The iterations that are shaded; 0 for none.

    Raises
    ------
    DataError
        If the traces are of several methods, or of several K for a dataset.
    """
    method = _only_method(traces)
    datasets = list(traces["dataset"].unique())
    seeds = sorted(traces["seed"].unique())
    colours = {seed: style.COLOURS[i % len(style.COLOURS)] for i, seed in enumerate(seeds)}
    figure, axes = plt.subplots(
        len(QUANTITIES),
        len(datasets),
        figsize=(style.PAGE_WIDTH, 1.35 * len(QUANTITIES) + 0.7),
        squeeze=False,
        sharex="col",
        layout="constrained",
    )
    figure.get_layout_engine().set(w_pad=0.02, wspace=0.02)
    figure.suptitle(labels[method], fontsize=9)
    lines_above = 3 if diagnostics[["r_hat", "ess_bulk"]].isna().any(axis=None) else 2
    for column, dataset in zip(axes.T, datasets, strict=True):
        of_dataset = traces[traces["dataset"] == dataset]
        for axis, quantity in zip(column, QUANTITIES, strict=True):
            _draw_panel(axis, of_dataset, quantity, colours, burn_in)
        column[0].set_title(f"{dataset}\nK = {of_dataset['K'].iloc[0]}", fontsize=7, pad=lines_above * LINE + 4)
        column[-1].set_xlabel("iteration", fontsize=7)
        of_method = diagnostics[(diagnostics["dataset"] == dataset) & (diagnostics["method"] == method)]
        for row in of_method.itertuples():
            _print_diagnostics(column, row)
    for axis, quantity in zip(axes[:, 0], QUANTITIES, strict=True):
        axis.set_ylabel(quantity.label, fontsize=7)
    _draw_legend(figure, colours, burn_in)
    return figure


def draw_method(traces: pd.DataFrame, diagnostics: pd.DataFrame, method: str, label: str, burn_in: int) -> Figure:
    """Draw the traces of one of several methods; arguments as for `draw`."""
    return draw(traces[traces["method"] == method], diagnostics, {method: label}, burn_in)


def _only_method(traces: pd.DataFrame) -> str:
    methods = traces["method"].unique()
    if len(methods) != 1:
        raise DataError(f"traces: one method per figure, not {', '.join(methods) or 'none'}")
    several = traces.groupby("dataset")["K"].nunique().gt(1)
    if several.any():
        raise DataError(f"traces: several K for {', '.join(several.index[several])}")
    return methods[0]


@style.in_style
def draw_chains(panels: Sequence[Panel], kind: str, ax=None) -> list[Axes]:
    """Draw a panel per quantity, a line per chain; starts, which have one value each, are points.

    Parameters
    ----------
    panels : list of Panel
    kind : str
        "chain" or "start".
    ax : axes, optional
        Of Matplotlib, one for each panel; by default a figure with a legend is made.

    Returns
    -------
    list of Axes, one for each panel
    """
    count = len(panels)
    if ax is None:
        size = style.PAGE_WIDTH * 0.75, 1.35 * count + 0.7
        figure, grid = plt.subplots(count, 1, figsize=size, squeeze=False, sharex=True, layout="constrained")
        axes = list(grid[:, 0])
    else:
        axes = style.given_axes(ax, count)
    n_chains, recorded = panels[0].values.shape
    colours = [style.COLOURS[i % len(style.COLOURS)] for i in range(n_chains)]
    names = [f"{kind} {i + 1}" for i in range(n_chains)]
    for axis, panel in zip(axes, panels, strict=True):
        for i, (values, colour, name) in enumerate(zip(panel.values, colours, names, strict=True)):
            if recorded > 1:
                axis.plot(range(1, recorded + 1), values, color=colour, linewidth=0.6, label=name)
            else:
                axis.plot(i + 1, values, "o", color=colour, markersize=4, label=name, clip_on=False)
        are_counts = (panel.values == np.rint(panel.values)).all()
        _finish(axis, panel.values.ravel(), are_counts)
        if are_counts:  # two whole numbers may be all that there are
            axis.yaxis.get_major_locator().set_params(min_n_ticks=1)
        axis.set_ylabel(panel.label)
        alarm = "NOT CONVERGED" if recorded > 1 else "THE STARTS DIFFER"
        notes = [*panel.notes, *([] if panel.converged else [alarm])]
        colour = "black" if panel.converged else ALARM
        axis.set_title(", ".join(notes), loc="right", fontsize=7, pad=2, color=colour)
        if not panel.converged:
            _alarm([axis])
    axes[-1].set_xlabel("recorded sweep, after burn-in" if recorded > 1 else kind)
    axes[-1].xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    if recorded == 1:
        axes[-1].set_xlim(0.5, n_chains + 0.5)
    elif ax is None:
        handles, _ = axes[0].get_legend_handles_labels()
        style.legend_below(figure, handles, 8)
    return axes


def _draw_panel(axis: Axes, traces: pd.DataFrame, quantity: Quantity, colours: dict, burn_in: int) -> None:
    for seed, trace in traces.groupby("seed"):
        trace = trace.sort_values("iteration")
        trace = trace.dropna(subset=quantity.column)  # not every point is scored
        values = trace[quantity.column].astype(float) / quantity.unit
        axis.plot(trace["iteration"], values, color=colours[seed], linewidth=0.6)
    last = traces["iteration"].max()
    if burn_in:
        axis.axvspan(0, burn_in, zorder=0, **BURN_IN)
    axis.set_xlim(0, last)
    later = traces.loc[traces["iteration"] >= RANGE_FROM * last, quantity.column].astype(float)
    _finish(axis, later.to_numpy() / quantity.unit, quantity.column == "active_components")
    axis.xaxis.set_major_locator(MaxNLocator(nbins=2, integer=True))
    axis.tick_params(labelsize=5, length=2, pad=1.5)


def _finish(axis: Axes, values: np.ndarray, are_counts: bool) -> None:
    """Let the vertical axis show these values; counts have whole ticks."""
    _set_range(axis, values)
    axis.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=bool(are_counts), min_n_ticks=1))  # 1 alone, of one
    axis.ticklabel_format(axis="y", useOffset=False)


def _set_range(axis: Axes, values: np.ndarray) -> None:
    values = values[np.isfinite(values)]
    if not values.size:
        axis.annotate("not recorded", (0.5, 0.5), xycoords="axes fraction", ha="center", fontsize=6)
        return
    low, high = values.min(), values.max()
    margin = MARGIN * (high - low) or max(0.5, 0.01 * abs(high))
    axis.set_ylim(low - margin, high + margin)


def notes_of(r_hat: float, ess: float) -> list[str]:
    """Return what a panel says about its chains."""
    return [f"R̂ {_format_or_undefined(r_hat, '.3f')}", f"ESS {_format_or_undefined(ess, ',.0f')}"]


def _print_diagnostics(column: np.ndarray, row) -> None:
    """Print R-hat and ESS above the first panel, below its title; say in red that chains have not converged."""
    are_defined = np.isfinite([row.r_hat, row.ess_bulk]).all()
    notes = notes_of(row.r_hat, row.ess_bulk)
    lines = [", ".join(notes)] if are_defined else notes
    style_of_text = {"color": "black"}
    if not row.converged:
        lines.append("NOT CONVERGED")
        style_of_text = {"color": ALARM, "weight": "bold"}
        _alarm(column)
    place = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "va": "bottom"}
    column[0].annotate("\n".join(lines), (0.5, 1), xycoords="axes fraction", fontsize=5.5, **place, **style_of_text)


def _alarm(axes: Sequence[Axes]) -> None:
    for axis in axes:
        axis.spines[:].set(color=ALARM, linewidth=1.2)


def _format_or_undefined(number: float, form: str) -> str:
    return "not defined" if np.isnan(number) else format(number, form)


def _draw_legend(figure: Figure, colours: dict, burn_in: int) -> None:
    handles = [Line2D([], [], color=colour, label=f"seed {s}") for s, colour in colours.items()]
    if burn_in:
        handles.append(Patch(label="burn-in", **BURN_IN))
    style.legend_below(figure, handles, 8)
