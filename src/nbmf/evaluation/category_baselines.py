"""Ordered categories predicted without components: by their frequencies."""

import numpy as np


def frequencies(ranks: np.ndarray, axis: int | None, largest: int | None = None) -> np.ndarray:
    """Return (entries of the category + 1) / (entries + C), of columns (axis 0), rows (axis 1) or all (None).

    That is the posterior mean under a uniform prior of the C categories up to the largest one: none is 0.

    Parameters
    ----------
    ranks : int array (F, N)
        -1 where missing or held out.
    largest : int, optional
        The largest category, which may be held out everywhere; default: the largest one observed.

    Returns
    -------
    float array (F, N, C)
    """
    C = max(int(ranks.max() if largest is None else largest) + 1, 2)
    counts = np.stack([(ranks == c).sum(axis=axis, keepdims=True) for c in range(C)], axis=-1) + 1.0
    return np.broadcast_to(counts / counts.sum(axis=-1, keepdims=True), (*ranks.shape, C))
