"""nbmf plot: draw a fit again, of a matrix, of a table or of documents."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nbmf.cli.options import Options
from nbmf.cli.saved_fits import load_model, saved_scale
from nbmf.data.feature_table import FeatureTable
from nbmf.data.loading import load_matrix
from nbmf.errors import ConfigError, DataError, Setting, naming_file
from nbmf.inference.estimator import Factorization
from nbmf.output.folder import COLUMN_GROUPS, MATRIX, TABLE, OutputFolder, text_of_cell
from nbmf.reporting.pictures import DICTIONARY, FIT_FILES, Picture, picture_of_paths, pictures_of_fit, pictures_of_table

if TYPE_CHECKING:
    from nbmf.families.mixed_membership.feature_model import FeatureModel

FORMATS = (".png", ".pdf")
OTHER_FORMATS = (".svg", ".jpg", ".jpeg", ".tif", ".tiff", ".gif", ".eps", ".ps", ".webp")


def run(options: Options) -> None:
    """Draw and write the pictures."""
    path = Path(options.model)
    model = load_model(path)
    of_kind = _matrix_pictures if isinstance(model, Factorization) else _table_pictures
    pictures = of_kind(path, model, options)
    out = Path(options.out or (path if path.is_dir() else path.parent))
    if out.suffix.lower() in OTHER_FORMATS:
        raise DataError(f"{out}: must be a folder, or end with {' or '.join(FORMATS)}")
    if out.suffix.lower() in FORMATS:  # it was named, so it may be overwritten
        from nbmf.plotting import style  # loads Matplotlib

        style.save(_choose_picture(pictures, out.stem).draw(), out)
        print(f"written: {out}")
        return
    files = [picture.file for picture in pictures]
    OutputFolder(out, files, force=options.force, adds=True).write_pictures(pictures)
    print("written: " + ", ".join(str(out / file) for file in files))
    others = [file for file in FIT_FILES if file not in files and path.is_dir() and (path / file).exists()]
    if others:
        print(f"not drawn again, for lack of the chains or of the other fit: {', '.join(others)}")


def _choose_picture(pictures: list[Picture], name: str) -> Picture:
    """Return the picture of this name; else the dictionary, or of what has none the first."""
    by_name = {Path(picture.file).stem: picture for picture in pictures}
    return by_name.get(name) or by_name.get(Path(DICTIONARY).stem) or pictures[0]


def _matrix_pictures(path: Path, model: Factorization, options: Options) -> list[Picture]:
    """Return the pictures of a fit; without the matrix the dictionary. Of rows that move it is that of their paths."""
    is_there = path.is_dir() and (path / MATRIX).exists()
    matrix = load_matrix(path / MATRIX) if is_there else None
    if hasattr(model, "paths_"):
        for name in ("rows", "components"):
            if getattr(options, name) is not None:
                raise ConfigError(Setting(name), ": has no meaning for rows that move; nbmf paths --show names them")
        return [picture_of_paths(model, groups=None if matrix is None else matrix.row_groups)]
    return pictures_of_fit(
        model,
        matrix,
        column_groups=_column_groups(path / COLUMN_GROUPS) if is_there else None,
        scale=saved_scale(path, model, matrix) if is_there else None,
        lines=options.rows,
        components=options.components,
    )


def _table_pictures(path: Path, model: "FeatureModel", options: Options) -> list[Picture]:
    """Return the pictures of clusters or topics; without the table the last alone."""
    is_there = path.is_dir() and (path / TABLE).exists()
    table = _load_table(path / TABLE, model) if is_there else None
    return pictures_of_table(model, table, lines=options.rows, components=options.components)


def _load_table(path: Path, model: "FeatureModel") -> FeatureTable:
    """Return the table of a fit."""
    table, rows = FeatureTable.load(path), len(model.memberships_)
    with naming_file(path):
        model.table_of(table)
    if table.shape[0] != rows:
        raise DataError(f"{path}: {table.shape[0]} rows; those of the fit are {rows}")
    return table


def _column_groups(path: Path) -> np.ndarray | None:
    if not path.exists():
        return None
    try:
        groups = pd.read_csv(path, dtype=str, keep_default_na=False)["group"]
        return groups.map(text_of_cell).to_numpy(str)
    except (ValueError, KeyError) as error:
        raise DataError(f"{path}: no table of nbmf with a column group ({error!r})") from error
