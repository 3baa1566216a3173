"""What a chain says about K+, in the few numbers from which tables and R-hat follow."""

from typing import Any

import numpy as np

HALVES = ("first half", "second half")


def measure(estimator: Any, matrix: Any, mask: Any, **options) -> dict[str, list[int]]:
    """Return how many kept sweeps of either half of a chain have 0, 1, 2, ... factors."""
    sizes = estimator.sizes_
    half = sizes.size // 2
    return {name: np.bincount(own).tolist() for name, own in zip(HALVES, (sizes[:half], sizes[half:]), strict=True)}


def sizes_of(measures: dict[str, list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return K+ of the sweeps of both halves, each sorted: means and R-hat do not see the order."""
    first, second = (np.repeat(np.arange(len(measures[half])), measures[half]) for half in HALVES)
    return first, second
