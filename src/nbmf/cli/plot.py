"""nbmf plot: draw a fit again, of a matrix, of a table or of documents."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import nbmf
from nbmf.cli.output import OutputFolder, record_of
from nbmf.data.feature_table import FeatureTable
from nbmf.data.loading import load_matrix
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nbmf.families.mixed_membership.feature_model import FeatureModel

MODEL, DATA, TABLE, COLUMN_GROUPS = "model.npz", "matrix.npz", "table.npz", "column_groups.csv"
DICTIONARY, RECONSTRUCTION, TRACES = "dictionary.png", "reconstruction.png", "chains.png"
FORMATS = (".png", ".pdf")
OF_DATA = ("fit", "cluster", "topics")  # commands that may find nothing


def run(options: argparse.Namespace) -> None:
    """Draw and write the pictures."""
    path = Path(options.model)
    model = _fitted(path)
    of_kind = _of_matrix if isinstance(model, Factorization) else _of_table
    pictures = of_kind(path, model, options)
    folder = path if path.is_dir() else path.parent
    out = Path(options.out) if options.out else folder
    is_file = out.suffix in FORMATS
    target = None if is_file else OutputFolder(out, pictures, force=options.force)

    from nbmf.plotting import style

    if is_file:  # it was named, so it may be overwritten
        style.save(next(iter(pictures.values()))().figure, out)
        print(f"written: {out}")
        return
    axes = {name: draw() for name, draw in pictures.items()}
    for name, axis in axes.items():
        target.write(name, lambda path, axis=axis: style.save(axis.figure, path))
    print("written: " + ", ".join(str(out / name) for name in axes))


def _fitted(path: Path) -> Any:
    """Return the model in a folder or a file."""
    if not path.exists():
        raise DataError(f"{path}: there is no such folder or file; nbmf fit FILE makes one")
    if path.is_dir() and not (path / MODEL).exists():
        command = record_of(path).get("command")
        if command in OF_DATA:
            raise DataError(
                f"{path}: nothing was found there, so there are no components to draw; "
                f"nbmf {command} --no-check shows some whatever they are worth"
            )
        raise DataError(f"{path}: no {MODEL} in this folder; nbmf fit FILE makes one")
    return nbmf.load(path / MODEL if path.is_dir() else path)


def _of_matrix(path: Path, model: Factorization, options: argparse.Namespace) -> dict[str, Callable[[], "Axes"]]:
    """Return what draws each picture by its name; without the matrix the first alone."""
    is_there = path.is_dir() and (path / DATA).exists()
    matrix = load_matrix(path / DATA) if is_there else None
    groups = _column_groups(path / COLUMN_GROUPS) if is_there else None
    shown = {"components": options.components, "column_groups": groups}
    if options.rows is not None:
        shown["lines"] = options.rows
    drawn = {DICTIONARY: lambda: nbmf.plot.dictionary(model, matrix, **shown)[0]}
    if is_there and matrix.dense is None:  # it has all its entries
        drawn[RECONSTRUCTION] = lambda: nbmf.plot.reconstruction(model, matrix, column_groups=groups)[0]
    return drawn


def _of_table(path: Path, model: "FeatureModel", options: argparse.Namespace) -> dict[str, Callable[[], "Axes"]]:
    """Return what draws each picture by its name; without the table the last alone."""
    from nbmf.cli.table_pictures import pictures_of

    is_there = path.is_dir() and (path / TABLE).exists()
    table = _table(path / TABLE, model) if is_there else None
    pictures = pictures_of(model, table, options.rows, options.components)
    return {name: picture.draw for name, picture in pictures.items()}


def _table(path: Path, model: "FeatureModel") -> FeatureTable:
    """Return the table of a fit."""
    table, rows = FeatureTable.load(path), len(model.memberships_)
    try:
        model.table_of(table)
    except DataError as error:
        raise DataError(f"{path}: ", error) from error
    if table.shape[0] != rows:
        raise DataError(f"{path}: {table.shape[0]} rows; those of the fit are {rows}")
    return table


def _column_groups(path: Path) -> np.ndarray | None:
    if not path.exists():
        return None
    import pandas as pd

    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)["group"].to_numpy(str)
    except (ValueError, KeyError) as error:
        raise DataError(f"{path}: no table of nbmf with a column group ({error!r})") from error
