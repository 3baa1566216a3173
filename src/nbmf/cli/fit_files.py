"""The files of a fit: model, data, E[V], chains, factors, effects and groups."""

import functools
from collections.abc import Iterator

import numpy as np
import pandas as pd

from nbmf.cli.output import COLUMN_GROUPS, LARGEST_CSV, MATRIX, MODEL, STACK, OutputFolder
from nbmf.cli.publishing import PAGE, SUMMARY
from nbmf.posterior.groups import by_group
from nbmf.posterior.scale import Scale
from nbmf.reporting.fit_result import DRAWN_EFFECTS, EFFECTS, FitResult
from nbmf.reporting.pictures import FIT_FILES

FACTORS, ENDS = ("W", "H"), ("lower", "upper")
COMPONENTS = "components.csv"
POSITIONS, COLUMNS = "positions.csv", "columns.csv"  # of a scale
MISSING = "missing.csv"  # entries, and what the mixture and the model predict of them
FILES = (
    *(SUMMARY, PAGE, MODEL, MATRIX, STACK, MISSING, "chains.csv", COMPONENTS, "groups.csv", COLUMN_GROUPS, *FIT_FILES),
    *(POSITIONS, COLUMNS),
    *(f"{axis}_effects.csv" for axis in EFFECTS),
    *(f"{name}.{kind}" for name in (*FACTORS, "expectation") for kind in ("csv", "npz")),
    *(f"{name}_{end}.csv" for name in (*FACTORS, "expectation") for end in ENDS),
)


def write_fit(folder: OutputFolder, result: FitResult) -> None:
    """Write what every fit has, and its components if they are worth showing."""
    folder.write(MODEL, result.model.save)
    folder.write(MATRIX, result.matrix.save)
    if result.expectation is not None:
        _write_expectation(folder, result)
        if result.chains is not None:
            folder.write_table("chains.csv", result.chains.diagnostics)
    if result.stack is not None:
        _write_stack(folder, result)
    if result.shows_components:
        _write_components(folder, result)


def _write_stack(folder: OutputFolder, result: FitResult) -> None:
    """Write the mixture, and what it and the model predict of missing entries."""
    folder.write(STACK, result.stack.save)
    matrix = result.matrix
    rows, columns = np.nonzero(~matrix.observed)
    if rows.size:
        entries = {"row": matrix.row_names[rows], "column": matrix.column_names[columns]}
        predicted = {"probability": result.stack.predict(rows, columns), "by_model": result.expectation[rows, columns]}
        folder.write_table(MISSING, pd.DataFrame(entries | predicted))


def _write_scale(folder: OutputFolder, scale: Scale) -> None:
    """Write the positions of rows and the discriminations and difficulties of columns, on all axes."""
    folder.write_table(POSITIONS, scale.rows_table())
    folder.write_table(COLUMNS, scale.columns_table())


def _write_expectation(folder: OutputFolder, result: FitResult) -> None:
    matrix, intervals = result.matrix, result.intervals.get("expectation", ())
    arrays = {"expectation": result.expectation}
    arrays |= {f"expectation_{end}": values for end, values in zip(ENDS, intervals, strict=False)}
    if matrix.observed.size > LARGEST_CSV:
        _write_arrays(folder, "expectation.npz", **{name: values.astype(np.float32) for name, values in arrays.items()})
        return
    for name, values in arrays.items():
        folder.write_matrix(f"{name}.csv", "row", values, matrix.row_names, matrix.column_names)


def _write_components(folder: OutputFolder, result: FitResult) -> None:
    """Write the factors as the report has them, effects, and what is said of groups."""
    matrix, components = result.matrix, result.components
    model, names, shown = components.model, components.names(), np.arange(components.informative)
    folder.write_table(COMPONENTS, _components(result))
    written = {
        "W": (model.W_, lambda W: ("row", W, matrix.row_names, names)),
        "H": (model.H_, lambda H: ("component", H, names, matrix.column_names)),
    }
    for name, (mean, as_written) in written.items():
        _write_factor(folder, name, *as_written(mean))
        if name in result.intervals:
            for end, values in zip(ENDS, _interval(result, name), strict=True):
                folder.write_matrix(f"{name}_{end}.csv", *as_written(values))
    for fit in (result, result.other_view):
        if fit is not None and fit.scale is not None:
            _write_scale(folder, fit.scale)
    for file, table in _effects(result):
        folder.write_table(file, table)
    if matrix.row_groups is not None:
        folder.write_table("groups.csv", by_group(model, matrix.row_groups, shown))
    if (groups := result.column_groups) is not None:
        folder.write_table("groups.csv", by_group(model, groups, shown, axis=1))
        table = pd.DataFrame({"column": matrix.column_names, "group": groups})
        folder.write_table(COLUMN_GROUPS, table)


def _interval(result: FitResult, factor: str) -> Iterator[np.ndarray]:
    """Yield lower and upper ends of the interval of W (F, k) or H (k, N), NaN of components that are merged."""
    place, members = result.components.order, result.components.members
    is_merged = np.array([len(places) > 1 for places in members], bool)
    for end in result.intervals[factor]:
        if factor == "W":
            yield np.where(is_merged, np.nan, end[:, place])
        else:
            yield np.where(is_merged[:, None], np.nan, end[place])


def _write_factor(
    folder: OutputFolder, name: str, corner: str, values: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> None:
    """Write a factor as CSV, one with more than LARGEST_CSV numbers as NPZ."""
    if values.size <= LARGEST_CSV:
        folder.write_matrix(f"{name}.csv", corner, values, rows, columns)
        return
    names = {"row_names": np.asarray(rows, str), "column_names": np.asarray(columns, str)}
    _write_arrays(folder, f"{name}.npz", **{name: values.astype(np.float32)}, **names)


def _write_arrays(folder: OutputFolder, file: str, **arrays: np.ndarray) -> None:
    folder.write(file, functools.partial(np.savez_compressed, **arrays))


def _components(result: FitResult) -> pd.DataFrame:
    """Return a row per component of the model: its number in the report, that one's share, and the place in model.npz.

    Components that are merged have the same number.
    """
    components = result.components
    number = np.repeat(np.arange(len(components.members)), [len(places) for places in components.members])
    place = np.concatenate([np.empty(0, int), *components.members])
    table = pd.DataFrame(
        {
            "component": number + 1,
            "share": components.shares[number],
            "active": number < components.active,
            "place_in_model": place,
        }
    )
    if "W" in result.intervals:
        table["overlap"] = result.draws.alignment.overlap[place]
    return table


def _effects(result: FitResult) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the file and the table of the effects of rows, and of columns."""
    for axis, values in result.effects().items():
        table = pd.DataFrame({axis: result.names(axis), "effect": values})
        if (interval := result.intervals.get(DRAWN_EFFECTS[axis])) is not None:
            table["lower"], table["upper"] = interval
        yield f"{axis}_effects.csv", table
