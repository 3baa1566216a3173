"""The files of the components of a fit."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nbmf.cli import effects
from nbmf.cli.output import LARGEST_CSV, OutputFolder
from nbmf.cli.plot import COLUMN_GROUPS
from nbmf.posterior.components import Components
from nbmf.posterior.groups import by_group

if TYPE_CHECKING:
    from nbmf.cli.fit import Fitted, Result

FACTORS = ("W", "H")
INTERVALS = tuple(f"{name}_{end}.csv" for name in FACTORS for end in ("lower", "upper"))
FILES = (
    *("components.csv", "groups.csv", COLUMN_GROUPS, *effects.FILES.values(), *INTERVALS),
    *(f"{name}.{kind}" for name in FACTORS for kind in ("csv", "npz")),
)


def write_components(folder: OutputFolder, result: "Result") -> None:
    """Write the factors, the most important components first, and what is said of groups."""
    matrix, fitted, components = result.matrix, result.fitted, result.components
    model, order, names = fitted.model, components.order, components.names()
    folder.write_table("components.csv", _table(components, fitted))
    written = {
        "W": (model.W_, lambda W: ("row", W[:, order], matrix.row_names, names)),
        "H": (model.H_, lambda H: ("component", H[order], names, matrix.column_names)),
    }
    for name, (mean, as_written) in written.items():
        _write_factor(folder, name, *as_written(mean))
        for end, values in zip(("lower", "upper"), fitted.intervals.get(name, ()), strict=False):
            folder.write_matrix(f"{name}_{end}.csv", *as_written(values))
    for file, table in effects.tables(matrix, fitted):
        folder.write_table(file, table)
    if matrix.row_groups is not None:
        folder.write_table("groups.csv", by_group(model, matrix.row_groups, order))
    if (groups := result.column_groups) is not None:
        folder.write_table("groups.csv", by_group(model, groups, order, axis=1))
        table = pd.DataFrame({"column": matrix.column_names, "group": groups})
        folder.write_table(COLUMN_GROUPS, table)


def _write_factor(
    folder: OutputFolder, name: str, corner: str, values: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> None:
    """Write a factor as CSV, one with more than LARGEST_CSV numbers as NPZ."""
    if values.size <= LARGEST_CSV:
        folder.write_matrix(f"{name}.csv", corner, values, rows, columns)
        return

    def save(path: Path) -> None:
        names = {"row_names": np.asarray(rows, str), "column_names": np.asarray(columns, str)}
        np.savez_compressed(path, **{name: values.astype(np.float32)}, **names)

    folder.write(f"{name}.npz", save)


def _table(components: Components, fitted: "Fitted") -> pd.DataFrame:
    """Return number, share and place in model.npz of each component."""
    K = len(components.order)
    table: dict[str, Any] = {
        "component": np.arange(1, K + 1),
        "share": components.shares,
        "active": np.arange(K) < components.active,
        "place_in_model": components.order,
    }
    if "W" in fitted.intervals:
        table["overlap"] = fitted.draws.alignment.overlap[components.order]
    return pd.DataFrame(table)
