"""What tests of the benchmarks share: a tiny matrix, short rounds, and columns of their tables."""

from pathlib import Path

import numpy as np

import common
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.seeds import seed_sequence

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
BRIEF = common.Rounds(count=2, seconds=0.0, warm_up=3)
MATRIX = BinaryMatrix.from_array(np.random.default_rng(5).integers(0, 2, (12, 10)))
MASK = draw_mask(MATRIX, 0.25, seed_sequence("mask"))
CODES = training_codes(MATRIX, MASK)


def column(table, name):
    return [row[list(table.columns).index(name)] for row in table.rows]


def numbers(table, name):
    return np.array([float(text) for text in column(table, name)])
