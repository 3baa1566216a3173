"""Positions of the rows of one fit in the units of another: where 0 and 1 are depends on all rows of a fit."""

import math
from collections.abc import Iterator

import numpy as np
from scipy.stats import siegelslopes

LINKED = 1000  # rows at most that say how positions of one fit are read in the other
FEWEST = 3  # rows or columns in common, from which on a correlation says something


def rescale_positions(first: np.ndarray, second: np.ndarray, *ends: np.ndarray) -> Iterator[np.ndarray]:
    """Yield positions of the rows of a second fit, and their ends, by the line to those of the first.

    Its slope is the geometric mean of those of repeated medians (Siegel 1982) in both directions, which rows that moved
    do not turn as long as most did not, and of which neither fit's noise makes the other's positions smaller.
    """
    some = np.unique(np.linspace(0, len(first) - 1, min(len(first), LINKED)).astype(int))
    is_line = len(some) >= FEWEST and min(np.ptp(first[some]), np.ptp(second[some])) > 0
    slope, shift = _line(first[some], second[some]) if is_line else (1.0, 0.0)
    for values in (second, *ends):
        yield shift + slope * values


def _line(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return slope and shift by which second positions are read as first ones; none if they have nothing in common."""
    there, back = siegelslopes(first, second).slope, siegelslopes(second, first).slope
    if min(there, back) <= 0:
        return 1.0, 0.0
    slope = math.sqrt(there / back)
    return slope, float(np.median(first - slope * second))
