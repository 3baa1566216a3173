"""What `nbmf fit` says where rows with many missing entries differ from the others in those that they have."""

from collections.abc import Iterator

import numpy as np
from scipy.stats import ttest_ind

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.numerics.percent import percent

MANY = 0.2  # of a row's entries are missing, from which on it is one of those that lack many
FEWEST = 10  # rows of either kind
APART = 0.1  # difference of the proportions of ones, at least
LEVEL = 0.001


def missing_row_sentences(matrix: NamedMatrix) -> Iterator[str]:
    """Yield that rows which lack many entries have more or fewer ones in the others: what is missing is no random part.

    A row has the mean of its differences from the means of columns, and rows of the two kinds are compared by Welch's
    test of these.
    """
    if not isinstance(matrix, BinaryMatrix) or matrix.dense is not None:
        return
    observed, ones = matrix.observed, matrix.codes == 1
    lack = np.mean(~observed, axis=1) >= MANY
    lacking, others = np.count_nonzero(lack), np.count_nonzero(~lack)
    if min(lacking, others) < FEWEST:
        return
    differences = np.where(observed, ones - ones.sum(axis=0) / observed.sum(axis=0), 0).sum(axis=1)
    of_rows = differences / observed.sum(axis=1)
    # The proportions are of the same columns, each counted as often as the rows that lack many have it.
    weights = np.where(observed[~lack].any(axis=0), observed[lack].sum(axis=0), 0)
    if not weights.any():
        return
    in_these, in_others = (np.average(_means(ones[rows], observed[rows]), weights=weights) for rows in (lack, ~lack))
    if abs(in_these - in_others) < APART or ttest_ind(of_rows[lack], of_rows[~lack], equal_var=False).pvalue >= LEVEL:
        return
    yield (
        f"{lacking} rows lack {MANY:.0%} or more of their entries, and have {percent(in_these)} ones in the others; in "
        f"the same columns the other rows have {percent(in_others)}: what is missing is no random part of the matrix, "
        "as held-out entries are, and predictions of it may be too near those of other rows"
    )


def _means(ones: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return the proportions of ones in columns, float array (N,); 0 where nothing is observed."""
    return ones.sum(axis=0) / np.maximum(observed.sum(axis=0), 1)
