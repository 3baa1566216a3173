"""Rows, or columns, that do not depend on each other: some at once, or each until it stands still."""

from collections.abc import Callable, Iterator

import numpy as np

NUMBERS_AT_ONCE = 2**22  # 32 MB, of each of the few arrays that a fold-in needs


def in_blocks(n_rows: int, numbers_per_row: int, numbers_at_once: int | None = None) -> Iterator[slice]:
    """Yield slices of consecutive rows, so many that arrays stay small: the rows do not depend on each other."""
    at_once = max(1, (numbers_at_once or NUMBERS_AT_ONCE) // max(numbers_per_row, 1))
    for first in range(0, n_rows, at_once):
        yield slice(first, min(first + at_once, n_rows))


def means_in_blocks(values: np.ndarray, means_of: Callable[[np.ndarray, slice], np.ndarray]) -> np.ndarray:
    """Return E[V] of rows (m, N): `means_of` takes values and places of some of them, and needs a few arrays."""
    means = np.empty(values.shape)
    for block in in_blocks(*values.shape):
        means[block] = means_of(values[block], block)
    return means


def refine(n_rows: int, renew: Callable[[np.ndarray], np.ndarray], rounds: int) -> None:
    """Renew rows in rounds, each time only those that still moved in the round before.

    `renew` takes the indices of rows, int array (m,), and returns whether each moved, bool array (m,).
    """
    moving = np.arange(n_rows)
    for _ in range(rounds):
        if moving.size == 0:
            break
        moving = moving[renew(moving)]
