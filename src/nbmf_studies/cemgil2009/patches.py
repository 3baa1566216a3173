"""Photographs with a patch missing in half of them, and how well it is filled (section 4)."""

import math
from typing import NamedTuple

import numpy as np

from nbmf.data.count_matrix import MISSING, CountMatrix
from nbmf.seeds import seed_sequence

UNITS = 16  # of a side, in which patches are given


class Task(NamedTuple):
    """What is to be filled.

    counts : int array (F, N), all of them
    hidden : bool array (F, N), True where a pixel is missing
    """

    counts: np.ndarray
    hidden: np.ndarray

    @property
    def given(self) -> np.ndarray:
        """The counts with -1 where they are hidden, int array (F, N)."""
        return np.where(self.hidden, MISSING, self.counts)


def take_out(matrix: CountMatrix, patch: list[int], run: int, images: int, per_person: int) -> Task:
    """Hide the same patch in half of the first images, half of each person's.

    Parameters
    ----------
    matrix : CountMatrix
        Pixels x images, see `olivetti`.
    patch : list
        Top, left, height and width in sixteenths of a side.
    run : int
        Which half: the same images at every resolution.
    images, per_person : int
        How many there are, and how many of them in a row are one person's.
    """
    counts = matrix.tallies[:, :images]
    side = math.isqrt(len(counts))
    top, left, height, width = (part * side // UNITS for part in patch)
    inside = np.zeros((side, side), bool)
    inside[top : top + height, left : left + width] = True
    rng = np.random.default_rng(seed_sequence("cemgil2009", "half", run))
    chosen = np.zeros(images, bool)
    for first in range(0, images, per_person):
        own = np.arange(first, min(first + per_person, images))
        chosen[rng.permutation(own)[: len(own) // 2]] = True
    return Task(counts, np.outer(inside.ravel(), chosen))


def signal_to_noise(task: Task, expectation: np.ndarray) -> float:
    """Return 10 log10(Σ x² / Σ (x - x^)²) over the hidden pixels, in dB."""
    x = task.counts[task.hidden].astype(float)
    return float(10 * np.log10((x**2).sum() / ((x - expectation[task.hidden]) ** 2).sum()))


def sparseness(table: np.ndarray) -> float:
    """Return Hoyer's measure: 1 of a table with one entry above zero, 0 where all are equal."""
    root = math.sqrt(table.size)
    return float((root - np.abs(table).sum() / np.linalg.norm(table)) / (root - 1))


def mean_of_pixels(task: Task) -> np.ndarray:
    """Return the mean of each pixel over the images that have it, for every image, (F, N)."""
    seen = ~task.hidden
    mean = np.where(seen, task.counts, 0).sum(axis=1) / seen.sum(axis=1)
    return np.broadcast_to(mean[:, None], task.counts.shape)
