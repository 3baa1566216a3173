"""Real-valued tables of the UCI repository from one text file: a point and its class per line."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, DataError, choices
from nbmf_studies.recipes.raw_text import read_text


class Layout(NamedTuple):
    """How a file is laid out: columns are counted from 0, of the last from -1.

    separator : regular expression between fields
    features : slice, the columns that are features
    label : int, the column with the class
    skip : int, lines before the data
    """

    separator: str
    features: slice
    label: int = -1
    skip: int = 0


COMMA, BLANKS = r"\s*,\s*", r"\s+"
# The paper counts 32 features of Ionosphere, whose first two are binary and constant, and 11 of
# Vowel: ten and, as we infer, the sex of the speaker (the third column).
LAYOUTS = {
    "ecoli": Layout(BLANKS, slice(1, -1)),
    "glass": Layout(COMMA, slice(1, -1)),
    "ionosphere": Layout(COMMA, slice(2, -1)),
    "segmentation": Layout(COMMA, slice(1, None), label=0, skip=5),
    "sonar": Layout(COMMA, slice(0, -1)),
    "vowel": Layout(COMMA, slice(2, -1)),
    "wine": Layout(COMMA, slice(0, -1)),
}


def build(*, points: Path, layout: str) -> FeatureTable:
    """Build points x Gaussian features in the order of the file; row groups are classes.

    Parameters
    ----------
    points : path
    layout : str
        One of LAYOUTS.
    """
    if layout not in LAYOUTS:
        raise ConfigError(f"layout is {layout!r}; {choices(layout, LAYOUTS)}")
    return as_table(*read_points(points, LAYOUTS[layout]))


def read_points(path: Path, layout: Layout) -> tuple[np.ndarray, list[str]]:
    """Return the features (n, N) and the classes of the points of a file."""
    values, labels, width = [], [], 0
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        if line <= layout.skip or not text.strip():
            continue
        fields = re.split(layout.separator, text.strip())
        if width and len(fields) != width:
            raise DataError(f"{path}, line {line}: {len(fields)} fields; there were {width} before")
        width = len(fields)
        try:
            values.append([float(field) for field in fields[layout.features]])
        except ValueError as error:
            raise DataError(f"{path}, line {line}: {error}") from error
        labels.append(fields[layout.label])
    if not values:
        raise DataError(f"{path}: there is no point in it")
    return np.array(values), labels


def as_table(values: np.ndarray, labels: list[str]) -> FeatureTable:
    """Return points x Gaussian features with numbered names."""
    names = [f"point {i + 1}" for i in range(len(values))]
    features = [f"feature {j + 1}" for j in range(values.shape[1])]
    return FeatureTable.from_array(values, names, features, labels)
