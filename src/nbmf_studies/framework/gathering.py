"""What the cases of a study's experiments have found, as one table."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nbmf.inference.starts import Starts

Fits = list[tuple[dict[str, Any], str]]  # the columns of each case or key, and the path of its report


def results(fits: Fits) -> pd.DataFrame:
    """Return a row per case: its columns, perplexity (nats), seconds, and what was measured."""
    rows = []
    for columns, report in reports(fits):
        scores = {name: report[name] for name in ("perplexity", "seconds")}
        rows.append({**columns, **scores, **report.get("measures", {})})
    return pd.DataFrame(rows)


def traces(fits: Fits) -> pd.DataFrame:
    """Return a row per case and point of its trace: its columns, iteration, seconds (CPU), what was observed."""
    parts = []
    for columns, report in reports(fits):
        trace = pd.DataFrame(report["trace"], dtype=float).dropna(subset="cpu_seconds")
        trace = trace.drop(columns=["perplexity", "objective", "active_components"])
        trace = trace.astype({"iteration": int}).rename(columns={"cpu_seconds": "seconds"})
        parts.append(pd.DataFrame({**columns, **trace}))
    return pd.concat(parts, ignore_index=True)


def best_of_starts(
    table: pd.DataFrame, by: list[str], count: int | None = None, objective: str = "objective"
) -> pd.DataFrame:
    """Return of each group of starts the one that is kept, by the rule of fits with several (nbmf.inference.starts).

    With smaller counts the same fits show what fewer starts would have found: the first 5 are among the first 20.

    Parameters
    ----------
    table : DataFrame
        A row per start: the columns `by`, which identify the fit; `start`, its number from 0; and the objective in
        nats.
    by : list of str
    count : int, optional
        Only the first so many starts; without, all.
    objective : str
        The column of the objective.

    Returns
    -------
    DataFrame
        A row per group, in the order of their first rows: the columns of `table`, starts (how many there were) and
        spread (how far their objectives are apart, in nats).
    """
    group = table.groupby(by, sort=False, dropna=False).ngroup().to_numpy()
    in_order = np.lexsort([table["start"], group])
    groups = np.split(in_order, np.flatnonzero(np.diff(group[in_order])) + 1)
    objectives = table[objective].to_numpy()
    found = [(places[:count], Starts.of(objectives[places[:count]].tolist())) for places in groups]
    best = table.iloc[[places[starts.kept] for places, starts in found]].reset_index(drop=True)
    return best.assign(starts=[len(places) for places, _ in found], spread=[starts.spread for _, starts in found])


def rows_of(table: pd.DataFrame, **of: Any) -> pd.DataFrame:
    """Return the rows whose columns have the values of `of`."""
    for name, value in of.items():
        table = table[table[name] == value]
    return table


def column_by(index: str, table: pd.DataFrame, column: str, **of: Any) -> pd.Series:
    """Return a column of the rows whose other columns have the values of `of`, sorted by the column `index`.

    Two of them, of the same masks, folds or seeds, are compared a pair at a time.
    """
    return rows_of(table, **of).set_index(index)[column].sort_index()


def reports(fits: Iterable[tuple[dict[str, Any], str]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the columns of each case, and the report of its fit."""
    for columns, path in fits:
        yield columns, read_report(path)


def read_report(path: str) -> dict[str, Any]:
    """Return the report of a fit."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
