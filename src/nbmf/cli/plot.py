"""nbmf plot: draw a fit again."""

import argparse
from pathlib import Path

import numpy as np

import nbmf
from nbmf.cli.output import OutputFolder
from nbmf.data.loading import load_matrix
from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.inference.estimator import Factorization

MODEL, DATA, COLUMN_GROUPS = "model.npz", "matrix.npz", "column_groups.csv"
DICTIONARY, RECONSTRUCTION, TRACES = "dictionary.png", "reconstruction.png", "chains.png"
FORMATS = (".png", ".pdf")


def run(options: argparse.Namespace) -> None:
    """Draw and write the pictures."""
    for name in ("rows", "components"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ConfigError(f"--{name} {value}: allowed is an integer of at least 1")
    folder, model, matrix, column_groups = _fitted(Path(options.model))
    out = Path(options.out) if options.out else folder
    names = [DICTIONARY] if matrix is None else [DICTIONARY, RECONSTRUCTION]
    is_file = out.suffix in FORMATS
    target = None if is_file else OutputFolder(out, names, force=options.force)

    from nbmf.plots import style

    shown = {"components": options.components, "lines": options.rows}
    axes = [nbmf.plot.dictionary(model, matrix, column_groups=column_groups, **shown)]
    if is_file:  # it was named, so it may be overwritten
        style.save(axes[0][0].figure, out)
        print(f"written: {out}")
        return
    if matrix is not None:
        axes.append(nbmf.plot.reconstruction(model, matrix, column_groups=column_groups))
    for name, (axis, _) in zip(names, axes, strict=True):
        target.write(name, lambda path, axis=axis: style.save(axis.figure, path))
    print("written: " + ", ".join(str(out / name) for name in names))


def _fitted(
    path: Path,
) -> tuple[Path, Factorization, NamedMatrix | None, np.ndarray | None]:
    """Return the folder of a model, the model, and data and column groups if they are beside it."""
    if not path.exists():
        raise DataError(f"{path}: there is no such folder or file; nbmf fit FILE makes one")
    if path.is_dir() and not (path / MODEL).exists():
        raise DataError(f"{path}: no {MODEL} in this folder; nbmf fit FILE makes one")
    folder = path if path.is_dir() else path.parent
    model = nbmf.load(path / MODEL if path.is_dir() else path)
    data = folder / DATA
    if not (path.is_dir() and data.exists()):
        return folder, model, None, None
    return folder, model, load_matrix(data), _column_groups(folder / COLUMN_GROUPS)


def _column_groups(path: Path) -> np.ndarray | None:
    if not path.exists():
        return None
    import pandas as pd

    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False)["group"].to_numpy(str)
    except (ValueError, KeyError) as error:
        raise DataError(f"{path}: no table of nbmf with a column group ({error!r})") from error
