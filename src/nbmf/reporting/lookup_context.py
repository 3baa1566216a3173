"""A `Lookup` as a page has it: a table to read without scripts, and the numbers that scripts show."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbmf.numerics.percent import percent
from nbmf.reporting.model import Lookup, Measure
from nbmf.reporting.words import printable, quote_if_ambiguous

TABLE_ROWS = 1000  # of the table
MEASURES, COMPONENTS = 7, 3  # columns of the table: of more components the largest ones
DECIMALS = 3  # of a number for scripts


def lookup_context(lookup: Lookup) -> dict[str, Any]:
    """Return title and table of a lookup, and its data for scripts, with names that turn no writing."""
    n = len(lookup.names)
    head, align = _head(lookup)
    return {
        "title": f"{_count(lookup)} in a table",
        "more": _omission_note(lookup),
        "head": head,
        "align": align,
        "rows": [_row(lookup, i) for i in range(min(n, TABLE_ROWS))],
        "data": _data(lookup),
    }


def _count(lookup: Lookup) -> str:
    shown, n = min(len(lookup.names), TABLE_ROWS), lookup.total
    if n == 1:
        return f"The {lookup.noun}"
    return f"All {n:,} {lookup.noun}s" if shown == n else f"The first {shown:,} of {n:,} {lookup.noun}s"


def _omission_note(lookup: Lookup) -> str:
    """Return what is left out of the table, and of the page."""
    n, total = len(lookup.names), lookup.total
    if n < total:
        return (
            f"Of the {total:,} {lookup.noun}s {n:,} can be looked up here, those with the largest values; nearest ones "
            "are the nearest of these. The files next to this page have all."
        )
    if n > TABLE_ROWS:
        return f"The search knows all {total:,} {lookup.noun}s; so do the files next to this page."
    return ""


def _has_few(lookup: Lookup) -> bool:
    """Whether each measure has a column of its own."""
    return not lookup.components or len(lookup.measures) <= COMPONENTS


def _head(lookup: Lookup) -> tuple[list[str], str]:
    head, align = [lookup.noun], "<"
    if lookup.groups is not None:
        head, align = [*head, "group"], align + "<"
    if _has_few(lookup):
        names = [measure.name for measure in lookup.measures[:MEASURES]]
        head, align = [*head, *names], align + ">" * len(names)
    else:
        head, align = [*head, "largest", "value", "then"], align + "<><"
    if lookup.nearest.shape[1]:
        head, align = [*head, f"nearest ({lookup.distance})"], align + "<"
    return head, align


def _row(lookup: Lookup, i: int) -> list[str]:
    cells = [str(lookup.names[i])]
    if lookup.groups is not None:
        cells.append(str(lookup.groups[i]))
    if _has_few(lookup):
        cells += [format_measure(measure, i) for measure in lookup.measures[:MEASURES]]
    else:
        largest = sorted(lookup.measures, key=lambda measure: -abs(measure.values[i]))[:COMPONENTS]
        cells += [largest[0].name, format_measure(largest[0], i)]
        cells.append("; ".join(f"{measure.name} {format_measure(measure, i)}" for measure in largest[1:]))
    if lookup.nearest.shape[1]:
        near = zip(lookup.nearest[i], lookup.distances[i], strict=True)
        cells.append(
            "; ".join(f"{quote_if_ambiguous(lookup.names[j])} {distance:.3f}" for j, distance in near if j >= 0)
        )
    return cells


def format_measure(measure: Measure, i: int) -> str:
    """Return a value with its interval."""
    value, *ends = (values[i] for values in (measure.values, measure.lower, measure.upper) if values is not None)
    if np.isnan(value):
        return ""
    write = percent if measure.is_share else "{:z.2f}".format
    has_ends = len(ends) == 2 and not np.isnan(ends).any()
    return f"{write(value)} [{', '.join(map(write, ends))}]" if has_ends else write(value)


def _data(lookup: Lookup) -> dict[str, Any]:
    return {
        "kind": lookup.noun,
        "names": _texts(lookup.names),
        "total": lookup.total,
        "groups": None if lookup.groups is None else _texts(lookup.groups),
        "at": lookup.places.tolist(),
        "components": lookup.components,
        "measures": [*map(_measure, lookup.measures)],
        "near": lookup.nearest.tolist(),
        "distances": [_numbers(row) for row in lookup.distances],
        "distance": lookup.distance,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    record = {"name": printable(measure.name), "share": measure.is_share, "v": _numbers(measure.values)}
    if measure.lower is not None and measure.upper is not None:
        record |= {"lo": _numbers(measure.lower), "hi": _numbers(measure.upper)}
    return record


def _texts(names: Sequence[str]) -> list[str]:
    return [printable(str(name)) for name in names]


def _numbers(values: np.ndarray) -> list[float | None]:
    return [*_round_values(values)]


def _round_values(values: np.ndarray) -> Iterator[float | None]:
    """Yield numbers in few digits, None for NaN, which JSON does not have; whole ones as integers, for short."""
    for value in np.round(np.asarray(values, float), DECIMALS).tolist():
        yield None if value != value else int(value) if value == int(value) else value
