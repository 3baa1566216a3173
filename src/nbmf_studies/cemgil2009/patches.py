"""Photographs with a patch missing in half of them, and how well it is filled (section 4)."""

import math
from typing import Any

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.seeds import seed_sequence
from nbmf_studies.cemgil2009.olivetti import IMAGES, PERSONS

UNITS = 16  # of a side, in which patches are given
PATCHES = ((4, 3, 3, 10), (10, 4, 4, 8), (6, 8, 5, 6))  # eyes, mouth, a cheek: top, left, height, width
_HELD_OUT = (
    sum(height * width for _, _, height, width in PATCHES) / len(PATCHES) / UNITS**2 / 2
)  # proportion of all pixels
TEST_RATIO = _HELD_OUT / (1 - _HELD_OUT)  # held-out pixels per pixel that is seen
PER_PERSON = IMAGES // PERSONS
DIGITS = 5  # of a predicted pixel


def half_with_patch(matrix: CountMatrix, number: int, **options) -> np.ndarray:
    """Hide the same patch in half of each person's images.

    Parameters
    ----------
    matrix : CountMatrix
        Pixels x images, see `olivetti`.
    number : int
        Of the mask: the patches in turn, each with another half. The same at every resolution.

    Returns
    -------
    bool array (F, N)
        True where the pixel is missing.
    """
    pixels, images = matrix.shape
    side = math.isqrt(pixels)
    top, left, height, width = (part * side // UNITS for part in PATCHES[number % len(PATCHES)])
    inside = np.zeros((side, side), bool)
    inside[top : top + height, left : left + width] = True
    rng = np.random.default_rng(seed_sequence("cemgil2009", "half", number))
    chosen = np.zeros(images, bool)
    for first in range(0, images, PER_PERSON):
        of_person = np.arange(first, min(first + PER_PERSON, images))
        chosen[rng.permutation(of_person)[: len(of_person) // 2]] = True
    return np.outer(inside.ravel(), chosen)


def measure(estimator: Any, matrix: CountMatrix, mask: np.ndarray, **options) -> dict[str, Any]:
    """Return how well a fit fills the patches.

    snr, snr_of_pixel_mean : float, the ratio in dB, and that of the mean of each pixel
    sparseness_W, sparseness_H : float
    pixels : of each of `shown_images` what is predicted of its missing pixels
    """
    mean = estimator.expectation_
    return {
        "snr": signal_to_noise(matrix.tallies, mask, mean),
        "snr_of_pixel_mean": signal_to_noise(matrix.tallies, mask, mean_of_pixels(matrix.tallies, mask)),
        "sparseness_W": sparseness(estimator.W_),
        "sparseness_H": sparseness(estimator.H_),
        "pixels": [[float(f"{x:.{DIGITS}g}") for x in mean[mask[:, n], n]] for n in shown_images(mask)],
    }


def shown_images(hidden: np.ndarray) -> list[int]:
    """Return the first image of each person with the patch missing."""
    with_patch = hidden.any(axis=0)
    firsts = [first + np.argmax(with_patch[first:][:PER_PERSON]) for first in range(0, with_patch.size, PER_PERSON)]
    return [int(n) for n in firsts]


def signal_to_noise(counts: np.ndarray, hidden: np.ndarray, expectation: np.ndarray) -> float:
    """Return 10 log10(Σ x² / Σ (x - x^)²) over the hidden pixels, in dB; arrays are (F, N)."""
    x = counts[hidden].astype(float)
    return float(10 * np.log10((x**2).sum() / ((x - expectation[hidden]) ** 2).sum()))


def sparseness(table: np.ndarray) -> float:
    """Return Hoyer's measure: 1 of a table with one entry above zero, 0 where all are equal."""
    root = math.sqrt(table.size)
    return float((root - np.abs(table).sum() / np.linalg.norm(table)) / (root - 1))


def mean_of_pixels(counts: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Return the mean of each pixel over the images that have it, for every image, (F, N)."""
    mean = np.where(hidden, 0, counts).sum(axis=1) / (~hidden).sum(axis=1)
    return np.broadcast_to(mean[:, None], counts.shape)
