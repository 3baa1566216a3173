"""Where countries stood, session after session: the paths of two chains and their bands."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nbmf.errors import DataError, choices
from nbmf.plotting import path_lines, style
from nbmf.posterior.path_values import Paths
from nbmf_studies.framework.gathering import Fits, reports

HEIGHT = 4.6  # inches
ENDS = ("lower", "upper")


def tabulate(fits: Fits, below: str) -> pd.DataFrame:
    """Return a row per country and session from its first to its last vote.

    Parameters
    ----------
    fits : Fits
        The chains.
    below : str
        A country whose positions are negative on average: signs are free, and those of all chains follow from it.

    Returns
    -------
    DataFrame
        country, session (the year in which it opened); mean, lower and upper (of the first chain, a 90 % interval);
        votes, 0 in a pause; apart, how far the mean of any other chain is from that of the first, in widths of its
        interval.
    """
    first, *others = [_signed_arrays(report["measures"], below) for _, report in reports(fits)]
    width = first["upper"] - first["lower"]
    away = [np.abs(chain["mean"] - first["mean"]) / width for chain in others]
    apart = np.max(away, axis=0) if away else np.full_like(width, np.nan)
    t = np.arange(len(first["sessions"]))
    in_span = (first["spans"][:, :1] <= t) & (t <= first["spans"][:, 1:])
    rows, columns = np.nonzero(in_span)
    values = {name: first[name][rows, columns] for name in ("mean", *ENDS, "votes")}
    names = {"country": np.array(first["countries"])[rows], "session": first["sessions"][columns]}
    return pd.DataFrame({**names, **values, "apart": apart[rows, columns]})


def _signed_arrays(measures: dict[str, Any], below: str) -> dict[str, np.ndarray]:
    """Return what was measured of a chain as arrays, with signs by which `below` is negative."""
    if below not in measures["countries"]:
        raise DataError(f"there is no {below!r}; {choices(below, measures['countries'])}")
    arrays = {name: np.array(values) for name, values in measures.items()}
    first, last = arrays["spans"][measures["countries"].index(below)]
    if arrays["mean"][measures["countries"].index(below), first : last + 1].mean() > 0:
        ends = {"lower": -arrays["upper"], "upper": -arrays["lower"]}
        arrays |= {"mean": -arrays["mean"], **ends}
    return arrays


def positions(paths: pd.DataFrame, names: list[str], sessions: list[int]) -> pd.DataFrame:
    """Return the rows of some countries in some sessions, as far as they voted."""
    chosen = paths["country"].isin(names) & paths["session"].isin(sessions) & (paths["votes"] > 0)
    order = {name: place for place, name in enumerate(names)}
    rows = paths[chosen].sort_values("country", key=lambda column: column.map(order), kind="stable")
    return rows.reset_index(drop=True)


def draw(paths: pd.DataFrame, names: list[str]) -> Figure:
    """Draw the paths of all countries, those with names in colours and with bands.

    Parameters
    ----------
    paths : DataFrame
        As `tabulate` makes it.
    names : list of str
        Countries; those that have no votes in these sessions are not drawn.
    """
    shown = _as_paths(paths)
    rows = [list(shown.row_names).index(name) for name in names if name in shown.row_names]
    figure, axes = style.panel_grid(1, 1, HEIGHT, 0.0)
    path_lines.draw(shown, 0, rows, ax=axes[0, 0])
    axes[0, 0].xaxis.set_major_locator(MaxNLocator(integer=True))
    axes[0, 0].set(xlabel="session, by the year in which it opened", ylabel="position")
    return figure


def _as_paths(paths: pd.DataFrame) -> Paths:
    """Return the table as Paths; outside of spans, which are not drawn, there is NaN."""
    table = paths.pivot(index="country", columns="session")
    mean, *ends = (table[name].to_numpy()[..., None] for name in ("mean", *ENDS))
    there = np.isfinite(mean[..., 0])
    spans = np.stack([there.argmax(axis=1), there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)], axis=1)
    sessions = np.array(table["mean"].columns)
    names = np.array(table.index, str), sessions.astype(str), sessions.astype(float)
    return Paths(*names, mean, *ends, np.nan_to_num(table["votes"].to_numpy()).astype(int), spans)
