"""What the report says about rows that move: which moved farthest, and how far all of them go."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from nbmf.io.cells import count_phrase
from nbmf.posterior.advice import times_longer, what_differs
from nbmf.posterior.chains import Chains
from nbmf.reporting.model import Figure, Lines, Report, Section, Table

SHOWN, LISTED = 10, 20  # rows that moved farthest; groups


def paths_report(
    name: str,
    chains: Chains,
    table: pd.DataFrame,
    figures: Sequence[Figure],
    command: str,
    groups: pd.DataFrame | None = None,
) -> Report:
    """Return the report of a fit whose rows move.

    Parameters
    ----------
    name : str
        What was fitted.
    chains : Chains
        With draws.
    table : DataFrame
        As `nbmf.posterior.paths.path_table` makes it of them.
    figures : sequence of Figure
    command : str
    groups : DataFrame, optional
        As `nbmf.posterior.paths.group_path_table` makes it.
    """
    sections = [Section("Rows that move", [Lines([*_path_facts(chains, table)]), *figures])]
    if groups is not None:
        sections.append(Section("Groups", [_group_table(of_axis, k) for k, of_axis in groups.groupby("component")]))
    sections.append(Section("Farthest", [_farthest_table(of_axis, k) for k, of_axis in table.groupby("component")]))
    return Report(name, sections, [command])


def _path_facts(chains: Chains, table: pd.DataFrame) -> Iterator[str]:
    model = chains.best
    rows, columns, names = len(model.W_), model.H_.shape[1], model.period_names_
    yield (
        f"{model.title}: {count_phrase(rows, 'row')}, {count_phrase(columns, 'column')} of {len(names)} periods, "
        f"{names[0]} to {names[-1]}"
    )
    steps = np.sqrt(np.diagonal(model.walk_covariance_.mean(axis=0)))
    sizes = " and ".join(f"{step:.2f}" for step in steps)
    gaps = np.diff(model.period_times_)
    step = "a step of one period" if (gaps == 1).all() else "a step over a time of 1, in the numbers of the periods"
    yield (
        f"standard deviation of {step}: {sizes}, where positions have mean square 1; all rows share it: the path "
        "of a row that jumps is a slope, with intervals that are too narrow"
    )
    pauses = table.loc[(table["entries"] == 0) & (table["component"] == 1), "row"].nunique()
    if pauses:
        yield f"{count_phrase(pauses, 'row')} with pauses: only the periods around a pause say where a row was"
    yield (
        "the data do not determine the signs of axes, nor show a move that all rows make together: levels of columns "
        "take it up, and positions are relative to those of the other rows"
    )
    if len(chains.estimators) > 1 and not chains.converged:
        yield _convergence_warning(chains)


def _convergence_warning(chains: Chains) -> str:
    """Return what differs between the chains, in the words of `nbmf paths`: `Chains.advice` is in Python's."""
    times = times_longer(chains)
    return (
        f"NOT CONVERGED: {what_differs(chains)}. Intervals are of the draws of all chains; "
        f"--iterations {times * chains.best.n_iterations} makes chains {times} times as long"
    )


def _farthest_table(axis_rows: pd.DataFrame, k: int) -> Table:
    """Return the rows whose positions differ most between their first and their last period."""
    ends = axis_rows.groupby("row", sort=False).agg(["first", "last"])
    far = (ends["mean", "last"] - ends["mean", "first"]).abs().sort_values(ascending=False, kind="stable")
    are_apart = ends["lower"].max(axis=1) > ends["upper"].min(axis=1)
    cells = [
        [
            str(row),
            *(f"{ends.loc[row, ('period', end)]}: {_interval(ends.loc[row], end)}" for end in ("first", "last")),
            "yes" if are_apart[row] else "no",
        ]
        for row in far.index[:SHOWN]
    ]
    note = (
        f"positions with 90 % intervals; {count_phrase(int(are_apart.sum()), 'row')} of {len(ends)} moved so far that "
        "the two do not overlap; all rows and periods are in paths.csv"
    )
    return Table(["row", "first period", "last period", "apart"], cells, "<<<<", [f"component {k}"], note)


def _group_table(axis_rows: pd.DataFrame, k: int) -> Table:
    """Return where groups were on average in their first and their last period, and how far they went."""
    sizes, cells = axis_rows.groupby("group", sort=False)["rows"].max(), []
    largest = set(sizes.nlargest(LISTED).index)
    for group, of_group in axis_rows[axis_rows["group"].isin(largest)].groupby("group", sort=False):
        first, last = of_group.iloc[0], of_group.iloc[-1]
        at = [f"{end['period']}: {_with_ends(end['mean'], end['lower'], end['upper'])}" for end in (first, last)]
        change = _with_ends(last["change"], last["change_lower"], last["change_upper"])
        cells.append([str(group), str(sizes[group]), *at, change])
    left_out = len(sizes) - len(cells)
    note = f"{count_phrase(left_out, 'smaller group')} left out; " * (left_out > 0) + (
        "means of the rows that are there, with 90 % intervals; rows that come and go change them too; all periods are "
        "in groups.csv"
    )
    head = ["group", "rows", "first period", "last period", "change"]
    return Table(head, cells, "<><<<", [f"component {k}, means of groups"], note)


def _interval(row: pd.Series, end: str) -> str:
    return _with_ends(*(row[name, end] for name in ("mean", "lower", "upper")))


def _with_ends(mean: float, lower: float, upper: float) -> str:
    return f"{mean:z.2f} [{lower:z.2f}, {upper:z.2f}]"
