"""paleo: at which localities each genus of fossil mammals was found (the NOW database).

The paper follows the selection of Bingham et al. (2009): longitudes from 0 to 60 degrees east, no
small mammals, no rare genera, no locality with one genus. What is below gives the authors'
matrix cell for cell and differs from these words: longitude has no lower bound, and what is
counted are rows of the file, so that a genus found twice at a locality counts twice. The file is
taken literally: "indet.", "gen." and "cf. X" are genera.
"""

import math
from pathlib import Path

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError, naming_file
from nbmf_studies.recipes.raw_text import read_records

LONGITUDE_BELOW = 60.0
ORDERS_LEFT_OUT = ("Insectivora", "Lagomorpha", "Chiroptera")
ROWS_PER_GENUS = 10
ROWS_PER_LOCALITY = 2


def build(*, finds: Path) -> BinaryMatrix:
    """Build genera x localities, both sorted by name.

    Parameters
    ----------
    finds : path
        One find a row, separated by "|": columns GENUS, NAME (of the locality), ORDER, LONG.
    """
    genera, localities = _read_finds(finds)
    common = _in_enough_rows(genera, ROWS_PER_GENUS)
    genera, localities = genera[common], localities[common]
    rich = _in_enough_rows(localities, ROWS_PER_LOCALITY)
    row_names, rows = np.unique(genera[rich], return_inverse=True)
    column_names, columns = np.unique(localities[rich], return_inverse=True)
    codes = np.zeros((row_names.size, column_names.size), dtype=np.int8)
    codes[rows, columns] = 1
    with naming_file(finds):
        return BinaryMatrix(codes, row_names, column_names)


def _read_finds(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return genus and locality of each find inside the longitudes and orders that are kept."""
    wanted = ("GENUS", "NAME", "ORDER", "LONG")
    header, records = read_records(path, "|", columns=wanted)
    places = [header.index(column) for column in wanted]
    kept = []
    for line, fields in records:
        genus, locality, order, longitude = (fields[place] for place in places)
        if not genus or not locality:
            raise DataError(f"{path}, line {line}: GENUS or NAME is empty")
        if _longitude(path, line, longitude) < LONGITUDE_BELOW and order not in ORDERS_LEFT_OUT:
            kept.append((genus, locality))
    return tuple(np.array(kept, dtype=str).reshape(-1, 2).T)


def _longitude(path: Path, line: int, text: str) -> float:
    try:
        longitude = float(text)
    except ValueError:
        longitude = math.nan
    if not -180 <= longitude <= 180:
        raise DataError(f"{path}, line {line}: LONG is {text!r}; allowed: -180 to 180")
    return longitude


def _in_enough_rows(names: np.ndarray, minimum: int) -> np.ndarray:
    """Return a boolean array: True where the name occurs at least `minimum` times."""
    _, places, counts = np.unique(names, return_inverse=True, return_counts=True)
    return counts[places] >= minimum
