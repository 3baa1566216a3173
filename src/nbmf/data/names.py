"""The names of rows and columns: as many as there are, unique, and each with an entry."""

from typing import Any

import numpy as np

from nbmf.errors import DataError


def checked_names(names: Any, length: int, field: str) -> np.ndarray:
    """Return names as an array of texts; DataError if they are more or fewer than `length`."""
    names = np.array(names, dtype=str)  # a copy: the caller's own stays writeable
    if names.shape != (length,):
        raise DataError(f"{field}: {length} names are needed, {names.size} were given")
    names.setflags(write=False)
    return names


def refuse_duplicates(names: np.ndarray, field: str) -> None:
    """Raise DataError if a name is there twice."""
    unique, counts = np.unique(names, return_counts=True)
    if (counts > 1).any():
        name = str(unique[counts > 1][0])
        places = ", ".join(str(place) for place in np.flatnonzero(names == name)[:5])
        raise DataError(f"{field}: {name!r} names more than one (places {places}, from 0)")


def refuse_unobserved(observed: np.ndarray, kind: str, names: np.ndarray) -> None:
    """Raise DataError if a row or column has none of its entries observed; `observed` says how many."""
    empty = np.flatnonzero(observed == 0)
    if empty.size:
        raise DataError(
            f"{kind} {str(names[empty[0]])!r} has no observed entry ({empty.size} such {kind}(s)); leave it out"
        )
