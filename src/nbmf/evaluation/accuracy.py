"""How many held-out entries are predicted right, in words that need no nats."""

import math
from typing import NamedTuple

import numpy as np

RIGHT = math.log(2)  # the loss of an entry whose value was given the probability 1/2


class Accuracy(NamedTuple):
    """Proportions of held-out entries whose value was given more than half of the probability.

    overall : float, of all entries
    by_column : tuple of float, of each column; None where none of its entries was held out
    entries : tuple of int, how many of each column were
    """

    overall: float
    by_column: tuple[float | None, ...]
    entries: tuple[int, ...]


def accuracy(losses: np.ndarray, in_pairs: bool = False) -> Accuracy:
    """Return how many entries were predicted right; one with the probability 1/2 counts half.

    Parameters
    ----------
    losses : float array (F, N)
        Minus the log of the probability of what each entry is, in nats; NaN where none was held out.
    in_pairs : bool
        Whether there are those above the diagonal of a symmetric matrix alone: a pair is of both of its columns.
    """
    if in_pairs:
        losses = np.where(np.isnan(losses), losses.T, losses)
    entries = (~np.isnan(losses)).sum(axis=0)
    right = (losses < RIGHT).sum(axis=0) + 0.5 * (losses == RIGHT).sum(axis=0)
    by_column = (float(r / n) if n else None for r, n in zip(right, entries, strict=True))
    return Accuracy(float(right.sum() / entries.sum()), tuple(by_column), tuple(map(int, entries)))
