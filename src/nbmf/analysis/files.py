"""The files of an analysis: model, data, mixture, and every table as CSV, or as NPZ where it is large."""

import functools

import numpy as np

from nbmf.analysis.tables import ENDS, EXPECTATION, FACTORS, TABLES, Tables
from nbmf.output.folder import LARGEST_CSV, MATRIX, MODEL, STACK, OutputFolder
from nbmf.output.reports import PAGE, SUMMARY
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.pictures import FIT_FILES

SUFFIX = ".nbmf"  # of the folder
EXPECTATION_TABLES = (EXPECTATION, *(f"{EXPECTATION}_{end}" for end in ENDS))
FILES = (
    *(SUMMARY, PAGE, MODEL, MATRIX, STACK, *FIT_FILES),
    *(f"{name}.csv" for name in TABLES),
    *(f"{name}.npz" for name in (*FACTORS, EXPECTATION)),
)


def write_files(folder: OutputFolder, result: ReportedFit, tables: Tables) -> None:
    """Write all but the report and its pictures."""
    folder.write(MODEL, result.model.save)
    folder.write(MATRIX, result.matrix.save)
    if result.stack is not None:
        folder.write(STACK, result.stack.save)
    is_large = result.expectation is not None and result.expectation.size > LARGEST_CSV
    if is_large:
        _write_expectation(folder, tables)
    for name in tables:
        if is_large and name in EXPECTATION_TABLES:
            continue
        table = tables[name]
        if name in FACTORS and table.size > LARGEST_CSV:
            names = {"row_names": np.asarray(table.index, str), "column_names": np.asarray(table.columns, str)}
            _write_arrays(folder, f"{name}.npz", **{name: _single(table)}, **names)
        elif table.index.name is not None:
            folder.write_table(f"{name}.csv", table, index=True, index_label=table.index.name)
        else:
            folder.write_table(f"{name}.csv", table)


def _write_expectation(folder: OutputFolder, tables: Tables) -> None:
    _write_arrays(
        folder, f"{EXPECTATION}.npz", **{name: _single(tables[name]) for name in EXPECTATION_TABLES if name in tables}
    )


def _single(table) -> np.ndarray:
    return table.to_numpy().astype(np.float32)


def _write_arrays(folder: OutputFolder, file: str, **arrays: np.ndarray) -> None:
    folder.write(file, functools.partial(np.savez_compressed, **arrays))
