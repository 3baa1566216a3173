"""nbmf plot: draw a fit again."""

import argparse
from pathlib import Path

import numpy as np

import nbmf
from nbmf.catalogue import METHODS
from nbmf.cli.output import OutputFolder
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.inference.estimator import Factorization

MODEL, DATA = "model.npz", "matrix.npz"
DICTIONARY, RECONSTRUCTION = "dictionary.png", "reconstruction.png"
FORMATS = (".png", ".pdf")


def run(options: argparse.Namespace) -> None:
    """Draw and write the pictures."""
    for name in ("rows", "components"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise ConfigError(f"--{name} {value}: allowed is an integer of at least 1")
    folder, model, matrix = _fitted(Path(options.model))
    out = Path(options.out) if options.out else folder
    names = [DICTIONARY] if matrix is None else [DICTIONARY, RECONSTRUCTION]
    is_file = out.suffix in FORMATS
    target = None if is_file else OutputFolder(out, names, force=options.force)

    from nbmf.cli import pictures
    from nbmf.plots import style

    title = title_of(model)
    figures = [
        pictures.dictionary(model, title, matrix, count=options.components, max_lines=options.rows)
    ]
    if is_file:  # it was named, so it may be overwritten
        style.save(figures[0], out)
        print(f"written: {out}")
        return
    if matrix is not None:
        figures.append(pictures.reconstruction(model, matrix, title))
    for name, figure in zip(names, figures, strict=True):
        target.write(name, lambda path, figure=figure: style.save(figure, path))
    print("written: " + ", ".join(str(out / name) for name in names))


def title_of(model: Factorization) -> str:
    """Return the label of the model's method and its K.

    Of several methods of a class it is the one with most settings of the model, if in doubt the
    first: the number of iterations is often another.
    """
    name, given = type(model).__name__, model.get_params()
    own = [entry for entry in METHODS.values() if entry["class"].rpartition(":")[2] == name]

    def agreement(entry) -> int:
        return sum(
            np.array_equal(given.get(key), value) for key, value in entry["settings"].items()
        )

    label = max(own, key=agreement)["label"] if own else name
    # Where K is found, what was found.
    return f"{label}, K = {getattr(model, 'n_components_', model.n_components)}"


def _fitted(path: Path) -> tuple[Path, Factorization, BinaryMatrix | None]:
    """Return the folder of a model, the model, and the data if they lie beside it."""
    if not path.exists():
        raise DataError(f"{path}: there is no such folder or file; nbmf fit FILE makes one")
    if path.is_dir() and not (path / MODEL).exists():
        raise DataError(f"{path}: no {MODEL} in this folder; nbmf fit FILE makes one")
    folder = path if path.is_dir() else path.parent
    model = nbmf.load(path / MODEL if path.is_dir() else path)
    data = folder / DATA
    matrix = BinaryMatrix.load(data) if path.is_dir() and data.exists() else None
    return folder, model, matrix
