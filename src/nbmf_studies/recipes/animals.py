"""animals: which of 85 attributes each of 50 animals has (Animals with Attributes)."""

from pathlib import Path

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError, naming_file
from nbmf_studies.recipes.raw_text import binary_codes, read_text


def build(*, matrix: Path, animals: Path, attributes: Path) -> BinaryMatrix:
    """Build attributes x animals, both sorted by name.

    Parameters
    ----------
    matrix : path
        One line of blank-separated 0 and 1 per animal.
    animals, attributes : path
        Their names in the order of the matrix, one "<number> <name>" a line.
    """
    animal_names, attribute_names = _read_names(animals), _read_names(attributes)
    codes = _read_codes(matrix, width=attribute_names.size)
    if len(codes) != animal_names.size:
        raise DataError(f"{matrix}: {len(codes)} lines, but {animals} names {animal_names.size} animals")
    rows, columns = np.argsort(attribute_names), np.argsort(animal_names)
    with naming_file(matrix):
        return BinaryMatrix(codes.T[np.ix_(rows, columns)], attribute_names[rows], animal_names[columns])


def _read_names(path: Path) -> np.ndarray:
    names = []
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        fields = text.split()
        if len(fields) != 2:
            raise DataError(f"{path}, line {line}: {text!r}; needed is a number and a name")
        names.append(fields[1])
    return np.array(names)


def _read_codes(path: Path, width: int) -> np.ndarray:
    """Return the codes (int8, animals x attributes)."""
    codes = []
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        fields = text.split()
        if len(fields) != width:
            raise DataError(f"{path}, line {line}: {len(fields)} values; needed are {width}")
        codes.append(binary_codes(path, line, fields))
    return np.array(codes, dtype=np.int8)
