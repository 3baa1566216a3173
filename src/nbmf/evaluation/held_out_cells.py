"""Cells of a table, or tokens of documents, to hold out, every one once."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.data.table_parts import take_cells
from nbmf.errors import DataError

FOLDS = 5
CELLS_HELD_OUT = 50_000  # cells (of documents tokens) that are held out in all folds together


class Fold(NamedTuple):
    """Two tables with the same rows: the cells that are known, and those that are held out."""

    known: FeatureTable
    held_out: FeatureTable


def folds(table: FeatureTable, rng: np.random.Generator) -> Iterator[Fold]:
    """Yield tables with the same rows: the cells that are known, and those that are held out.

    Of each column about a fifth of the cells is held out in a fold, of documents about a fifth of
    the tokens; of a column with fewer than FOLDS cells none.

    Raises
    ------
    DataError
        If no column has as many, or the tokens do not suffice.
    """
    of_words = WORD in table.kinds
    total = table.cells.sum() if of_words else table.cells.size
    count = int(min(FOLDS, math.ceil(CELLS_HELD_OUT * FOLDS / max(total, 1))))
    if of_words:
        counts = rng.multinomial(table.cells.astype(np.int64), [1 / FOLDS] * FOLDS)  # (n, FOLDS)
    else:
        fold = np.full(table.cells.size, -1)
        order = np.lexsort((rng.random(table.cells.size), table.columns))
        sizes = np.bincount(table.columns, minlength=table.shape[1])
        ranks = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)  # in the column
        fold[order] = (ranks + rng.integers(FOLDS)) % FOLDS
        fold[sizes[table.columns] < FOLDS] = -1
        counts = (fold[:, None] == np.arange(FOLDS)).astype(int)
    if not counts[:, :count].any(axis=0).all():
        parts = f"so that none are held out in one of {FOLDS} parts"
        if of_words:
            raise DataError(f"{total:g} tokens are too few, {parts}")
        raise DataError(f"no column has {FOLDS} observed cells, {parts}; {total} are there in all")
    for held_out in counts.T[:count]:
        if of_words:
            yield Fold(_take_counts(table, table.cells - held_out), _take_counts(table, held_out))
        else:
            yield Fold(take_cells(table, held_out == 0), take_cells(table, held_out == 1))


def _take_counts(table: FeatureTable, counts: np.ndarray) -> FeatureTable:
    return take_cells(replace(table, cells=np.maximum(counts, 1)), counts > 0)
