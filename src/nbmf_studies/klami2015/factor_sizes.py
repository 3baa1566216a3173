"""How large the factors of a fit are and how far it is from the truth: the basis for any cut."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf_studies.klami2015 import errors

PREFIX = "v² "  # of the names of mean squares, which are numbered from 1, the largest


def observe(matrix: NamedMatrix, **options) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state: what `errors.observe` finds, and the mean v² of each factor, decreasing."""
    look = errors.observe(matrix, **options)

    def with_sizes(state: Any) -> dict[str, float]:
        squares = np.sort((state.factors().H ** 2).mean(axis=1))[::-1]
        return look(state) | {f"{PREFIX}{number}": square for number, square in enumerate(squares, start=1)}

    return with_sizes
