"""What the report says about two fits: matched components, rows that moved, and which predicts better."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from nbmf.evaluation.fit_comparison import FitComparison
from nbmf.io.cells import count_phrase
from nbmf.numerics.clustered_errors import format_error, format_p
from nbmf.numerics.percent import percent
from nbmf.reporting.model import Lines, Report, Section, Table

SURE = 0.05  # the level of which predicts better
SHOWN = 15  # rows that moved


def fit_comparison_report(comparison: FitComparison, names: tuple[str, str], command: str = "") -> Report:
    """Return the report of two fits, called by `names`."""
    sections = [
        Section("What they have in common", [Lines([*_common_facts(comparison, names)])]),
        Section("Components", [_matching_table(comparison, names)]),
        Section("Rows", [*_moved_rows(comparison, names)]),
        Section("Which predicts better", [Lines([_prediction_sentence(comparison, names)])], leads=True),
    ]
    return Report(f"{names[0]} and {names[1]}", sections, [command])


def _common_facts(comparison: FitComparison, names: tuple[str, str]) -> Iterator[str]:
    for kind, number, only in (
        ("row", len(comparison.first.row_names), comparison.only[:2]),
        ("column", len(comparison.first.column_names), comparison.only[2:]),
    ):
        alone = [
            f"{count_phrase(count, kind)} only in {name}" for count, name in zip(only, names, strict=True) if count
        ]
        yield f"{count_phrase(number, kind)} in common, by name" + "".join(f"; {words}" for words in alone)
    if comparison.differing:
        yield f"{count_phrase(comparison.differing, 'value')} of these differ"


def _matching_table(comparison: FitComparison, names: tuple[str, str]) -> Table:
    cells = [
        [row.first or "-", row.second or "-", *("" if np.isnan(r) else f"{r:z.2f}" for r in (row.rows, row.columns))]
        for row in comparison.matched.itertuples()
    ]
    note = "correlations of what the two say about rows and about columns; - has no partner"
    if "-" not in {cell for row in cells for cell in row[:2]}:
        note = note.partition(";")[0]
    return Table([*names, "rows", "columns"], cells, "<<>>", ["components, matched one to one"], note)


def _moved_rows(comparison: FitComparison, names: tuple[str, str]) -> Iterator[Lines | Table]:
    if comparison.rows is None:
        yield Lines([comparison.how_moved])
        return
    moved = comparison.rows[comparison.rows["moved"]]
    yield Lines([f"rows with {comparison.how_moved}: {len(moved)} of {len(comparison.rows)}"])
    if len(moved):
        note = f"all rows are in rows.csv; {len(moved) - SHOWN} more moved" if len(moved) > SHOWN else ""
        yield Table(
            ["row", *names],
            [*_moved_row_cells(moved.head(SHOWN))],
            "<>>" if comparison.first.is_scale else "<<<",
            [],
            note,
        )


def _moved_row_cells(moved: pd.DataFrame) -> Iterator[list[str]]:
    for row in moved.to_dict("records"):
        yield [str(row["row"]), *(_format_place(row, end) for end in ("first", "second"))]


def _format_place(row: dict[str, Any], end: str) -> str:
    """Return a position, or a main component with the row's share of it, or its weight in it."""
    if (share := f"share in {end}") in row:
        return f"{row[end]} {percent(row[share])}"
    if (weight := f"weight in {end}") in row:
        return f"{row[end]} {row[weight]:.2g}"
    return f"{row[end]:z.2f}"


def _prediction_sentence(comparison: FitComparison, names: tuple[str, str]) -> str:
    tested = comparison.prediction
    if tested is None:
        return f"which predicts better was not tested: {comparison.not_predicted}"
    better, worse = names if tested.lead > 0 else names[::-1]
    measured = f"{format_error(abs(tested.lead), tested.error)} nats per held-out entry, {format_p(tested.p)}"
    losses = f"{names[0]} {tested.first:.4f}, {names[1]} {tested.second:.4f}; {tested.entries} entries held out of both"
    if tested.p < SURE:
        return f"{better} predicts better than {worse}: by {measured} ({losses})"
    return f"neither predicts significantly better: they differ by {measured} ({losses})"
