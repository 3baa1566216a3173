"""Categories without an order as binary decisions: stick-breaking, for the logistic factor models of binary matrices.

    P(v = c) = σ(ψ_c) Π_(j < c) (1 - σ(ψ_j)),   c < C - 1,   P(v = C - 1) = Π_j (1 - σ(ψ_j))

Is it the first category? If not, is it the second? And so on: C - 1 binary entries, of which those after the answer yes
are never asked, and so missing. The likelihood of a category is the product of those of the binary entries.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.data.named import MISSING
from nbmf.errors import DataError


class Sticks:
    """The binary columns that columns of categories become.

    The order of a column's categories is a part of the prior: where all ψ are 0 the first has probability 1/2, the
    second 1/4, and so on.

    Parameters
    ----------
    sizes : int array (N,)
        C of each column, at least 2.

    Attributes
    ----------
    column, stick : int arrays (Σ (C - 1),)
        The column of categories that each binary column is of, and which of its decisions it is, from 0.
    """

    def __init__(self, sizes: Sequence[int]):
        self.sizes = np.asarray(sizes, np.int64)
        if self.sizes.ndim != 1 or not self.sizes.size or self.sizes.min() < 2:
            raise DataError("sizes: must be a number of categories of at least 2 for each column")
        self.column = np.repeat(np.arange(self.sizes.size), self.sizes - 1)
        self._first = np.cumsum(self.sizes - 1) - (self.sizes - 1)
        self.stick = np.arange(self.column.size) - self._first[self.column]

    def codes(self, categories: np.ndarray) -> np.ndarray:
        """Return the binary entries, int8 array (F, Σ (C - 1)): 1, 0, -1 (missing, or decided before).

        Parameters
        ----------
        categories : int array (F, N)
            0, 1, ..., C - 1, negative where missing. Held-out entries are made missing before: all decisions of an
            entry are then held out together.

        Raises
        ------
        DataError
            If a category is no whole number or beyond those of its column, or there is another number of columns.
        """
        categories = np.asarray(categories)
        if categories.ndim != 2 or categories.shape[1] != self.sizes.size:
            raise DataError(f"categories: shape {categories.shape}; allowed: (rows, {self.sizes.size})")
        if (wrong := np.argwhere((categories >= self.sizes) | (categories != np.floor(categories)))).size:
            f, n = wrong[0]
            value = f"row {f}, column {n} (counted from 0): the category is {categories[f, n]}"
            raise DataError(f"{value}; allowed: 0 to {self.sizes[n] - 1} and missing (negative)")
        wide = categories[:, self.column]
        return np.where(wide < self.stick, MISSING, wide == self.stick).astype(np.int8)

    def probabilities(self, p: np.ndarray) -> np.ndarray:
        """Return the probability of every category, float array (..., N, C of the column with most), 0 beyond others.

        Parameters
        ----------
        p : float array (..., Σ (C - 1))
            The probability of a one of every binary entry.
        """
        found = np.zeros((*p.shape[:-1], self.sizes.size, self.sizes.max()))
        left = np.ones(found.shape[:-1])  # the probability that no category before is it
        for c in range(self.sizes.max()):
            columns = np.flatnonzero(self.sizes - 1 > c)
            of_stick = p[..., self._first[columns] + c]
            found[..., columns, c] = left[..., columns] * of_stick
            left[..., columns] *= 1.0 - of_stick
            last = self.sizes - 1 == c
            found[..., last, c] = left[..., last]
        return found

    def predictive(self, draws: Any) -> np.ndarray:
        """Return the mean of the probabilities over posterior draws of a fit to `codes`, float array (F, N, C).

        The decisions of an entry depend on each other through its row: the product of their means is not the mean of
        their product.

        Parameters
        ----------
        draws : Draws
            As `nbmf.posterior_draws` returns them.
        """
        total = 0.0
        for factors in draws:
            total = total + self.probabilities(draws.estimator.mean(factors))
        return total / len(draws)


def categories_of_blocks(codes: np.ndarray, blocks: Sequence[Any]) -> tuple[np.ndarray, Sticks]:
    """Return the categories of one-hot columns, int64 array (F, blocks), and their sticks.

    Parameters
    ----------
    codes : int8 array (F, columns)
        1, 0, -1 (missing), with at most one 1 in each block of a row.
    blocks : sequence of labels
        The block of each column. Blocks have the order of their first columns, and categories that of the columns of
        their block; where some row has zeros alone, these are a further category, the last.

    Raises
    ------
    DataError
        If a row has two ones in a block, a block has one category, or there is not a label for each column.
    """
    if len(blocks) != codes.shape[1]:
        raise DataError(f"blocks: {len(blocks)} labels; allowed: one for each of the {codes.shape[1]} columns")
    labels = list(dict.fromkeys(blocks))
    members = [np.flatnonzero([block == label for block in blocks]) for label in labels]
    categories, sizes = np.full((len(codes), len(labels)), MISSING, np.int64), []
    for place, (label, columns) in enumerate(zip(labels, members, strict=True)):
        ones, none = codes[:, columns] == 1, (codes[:, columns] == 0).all(axis=1)
        if (twice := np.flatnonzero(ones.sum(axis=1) > 1)).size:
            raise DataError(f"row {twice[0]} (counted from 0) has {ones[twice[0]].sum()} ones in the block {label!r}")
        categories[:, place] = np.where(ones.any(axis=1), ones.argmax(axis=1), MISSING)
        categories[none, place] = columns.size
        sizes.append(columns.size + none.any())
    return categories, Sticks(sizes)
