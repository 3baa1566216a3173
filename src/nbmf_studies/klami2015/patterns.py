"""Repeated patterns with flipped bits (section 6.1), and how many entries a fit has wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.seeds import seed_sequence

# Mohamed, Heller and Ghahramani (2008): 16-bit prototypes, 200 copies of each, flips of 10 %.
FLIPS, COPIES, BITS = 0.1, 200, 16


def build(*, prototypes: int, seed: int) -> BinaryMatrix:
    """Draw random prototypes and copies of them with flipped bits."""
    return BinaryMatrix.from_array(_drawn(prototypes, seed)[0])


def observe(matrix: BinaryMatrix, **options) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state.

    wrong : the share of entries in which E x is on the other side of 1/2 than the clean pattern
    flipped : that of the data
    """
    clean = _drawn(**options)[1]
    flipped = float((clean != matrix.codes).mean())
    return lambda state: {"wrong": float(((state.expectation() > 0.5) != clean).mean()), "flipped": flipped}


def _drawn(prototypes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix and the clean copies, arrays (200 prototypes, 16)."""
    rng = np.random.default_rng(seed_sequence("klami2015", "patterns", prototypes, seed))
    clean = np.repeat(rng.integers(0, 2, (prototypes, BITS)), COPIES, axis=0)
    flipped = rng.random(clean.shape) < FLIPS
    return np.where(flipped, 1 - clean, clean).astype(np.int8), clean
