"""Masks as jobs: their random streams, and masks that a study draws itself.

`held_out` of a dataset's entry may be a function, "module:function". It is called with the matrix,
the number of the mask, and the options of the entry, and returns the mask, bool array (F, N). Its
random stream is its own affair: masks of several datasets may have to agree.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.fit_key import folds_stream, mask_stream
from nbmf.fits import import_function


def stream(dataset: str, number: int, entry: Mapping[str, Any]) -> list[str | int]:
    """Return the name of a random stream: masks of their own have one each, folds of a dataset one together."""
    return folds_stream(dataset) if "folds" in entry else mask_stream(dataset, number)


def is_drawn_by_study(held_out: str) -> bool:
    """Whether what `held_out` says is a function."""
    return ":" in held_out


def modules(entry: Mapping[str, Any]) -> list[str]:
    """Return the modules that draw the masks of a dataset besides the library's."""
    held_out = entry.get("held_out", "")
    return [held_out.partition(":")[0]] if is_drawn_by_study(held_out) else []


def options(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides a mask besides the matrix, its number, and the function."""
    return entry["options"] if is_drawn_by_study(entry.get("held_out", "")) else {}


def draw(matrix: NamedMatrix, number: int, held_out: str, options: Mapping[str, Any]) -> np.ndarray:
    """Draw a mask by the function that `held_out` names."""
    return import_function(held_out)(matrix, number, **options)
