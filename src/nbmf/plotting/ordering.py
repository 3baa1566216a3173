"""In which order the rows and columns of a matrix are displayed."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from nbmf.data.matrix import MISSING


def complete_linkage_order(codes: np.ndarray, axis: int) -> np.ndarray:
    """Return the leaf order of complete-linkage clustering on Euclidean distances.

    A missing entry counts as 0.5, halfway between the two it may be. As in R's `hclust`, the
    tighter of two merged clusters comes first, and of two single leaves the one that comes first
    in the data. Equal distances, frequent between binary vectors, may be merged in another order
    than R's.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    axis : int
        0 to order the rows, 1 to order the columns.

    Returns
    -------
    int array (F,) or (N,)
        A permutation.
    """
    vectors = np.where(codes == MISSING, 0.5, codes)
    vectors = vectors if axis == 0 else vectors.T
    if len(vectors) == 1:
        return np.zeros(1, dtype=int)
    # SciPy numbers clusters by the height of their merge and puts the lower number to the left.
    return leaves_list(linkage(vectors, "complete")).astype(int)


def clustered(codes: np.ndarray) -> np.ndarray:
    """Return the codes with rows and columns in complete-linkage order."""
    return codes[np.ix_(complete_linkage_order(codes, 0), complete_linkage_order(codes, 1))]


def order_by_group(row_names: np.ndarray, row_groups: np.ndarray) -> np.ndarray:
    """Return the rows sorted by group, the largest first, and then by name, case ignored."""
    sizes = dict(zip(*np.unique(row_groups, return_counts=True), strict=True))
    keys = [(-sizes[group], group, name.casefold(), name) for name, group in zip(row_names, row_groups, strict=True)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__))
