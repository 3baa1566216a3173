"""How many factors are found, for every cut of their mean v² that separates them from pruned ones."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from nbmf.plotting import style
from nbmf_studies.framework.gathering import rows_of
from nbmf_studies.klami2015.factor_sizes import PREFIX

CUTS = np.logspace(-5, 1, 121)  # twenty per decade
PER_DECADE = 20
HEIGHT, COLUMNS = 2.2, 2


def count_factors(ends: pd.DataFrame) -> pd.DataFrame:
    """Return how many factors are above each cut, a row per cut and a column per fit.

    Parameters
    ----------
    ends : DataFrame
        As `traces.gather_ends` makes it of fits that `factor_sizes.observe` looked at.
    """
    squares = ends[[name for name in ends if name.startswith(PREFIX)]].to_numpy(float)
    return pd.DataFrame((squares[None] > CUTS[:, None, None]).sum(axis=2), index=CUTS)


def first_decade(holds: pd.Series) -> float | None:
    """Return the first cut from which on something holds for a decade of cuts; None if there is none.

    Parameters
    ----------
    holds : Series of bool, indexed by CUTS
    """
    run = 0
    for place, one in enumerate(holds):
        run = run + 1 if one else 0
        if run > PER_DECADE:
            return float(CUTS[place - PER_DECADE])
    return None


def draw(ends: pd.DataFrame, set_ups: dict[str, str], series: dict[str, list], factors: int, usual: float) -> Figure:
    """Draw the mean number of factors over seeds along the cut, and its range, a panel per set-up.

    Parameters
    ----------
    ends : DataFrame
        As for `count_factors`.
    set_ups : dict
        From set-up to the panel's title.
    series : dict
        From [method, update] as text, "method|update", to [label, colour].
    factors : int
        The true number, a dashed line.
    usual : float
        The cut of the claim as first judged, a dotted line.
    """
    figure, axes = style.panel_grid(len(set_ups), COLUMNS, HEIGHT, 0.6, sharex=True, sharey=True)
    for axis, (set_up, title) in zip(axes.flat, set_ups.items(), strict=False):
        axis.axhline(factors, color="#D62728", linestyle="--", linewidth=1.0, zorder=0)
        axis.axvline(usual, color="0.5", linestyle=":", linewidth=1.0, zorder=0)
        for key, (_, colour) in series.items():
            method, update = key.split("|")
            of_set_up = rows_of(ends, set_up=set_up, method=method, update=update)
            if len(of_set_up):
                counts = count_factors(of_set_up)
                axis.fill_between(CUTS, counts.min(axis=1), counts.max(axis=1), color=colour, alpha=0.15, linewidth=0)
                axis.plot(CUTS, counts.mean(axis=1), color=colour, linewidth=1.2)
        axis.set_xscale("log")
        style.plain_log_ticks(axis.xaxis)
        axis.yaxis.set_major_locator(MaxNLocator(integer=True))
        axis.set_title(title)
        style.draw_grid(axis)
    for axis in axes[-1]:
        axis.set_xlabel("threshold of the mean v²")
    for axis in axes[:, 0]:
        axis.set_ylabel("factors above the threshold")
    handles = [Line2D([], [], color=colour, label=label) for label, colour in series.values()]
    handles += [
        Line2D([], [], color="#D62728", linestyle="--", label="true number"),
        Line2D([], [], color="0.5", linestyle=":", label=f"{usual:g}, as first judged"),
    ]
    style.legend_below(figure, handles, 4)
    return figure
