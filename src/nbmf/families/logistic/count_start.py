"""Where variational fits of counts with learned effects begin: effects at logarithms of means, axes at what is left.

From 0 updates take long to reach large counts, of which an update goes only a small part of the way.
"""

import numpy as np

from nbmf.seeds import seed_sequence

ADDED = 0.5  # to counts and to what is expected of them, for the logarithm of their ratio
MORE, STEPS = 4, 8  # of subspace iteration: vectors beyond those that are asked for, and how often
LEAST = 1e-6  # root mean square of an axis


def log_means(values: np.ndarray, has_rows: bool, has_columns: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return effects of rows (F,) and of columns (N,) whose sums are logarithms of expected counts; 0 of what has none.

    Parameters
    ----------
    values : int array (F, N)
        Counts, negative where missing; each row and column has an average entry more.
    has_rows, has_columns : bool
        Of which there are effects: of one at least.
    """
    seen = (values >= 0).astype(float)
    counts = np.maximum(values, 0).astype(float)
    level = (counts.sum() + 1.0) / (seen.sum() + 1.0)
    of_columns = np.full(seen.shape[1], level)
    if has_columns:
        of_columns = (counts.sum(axis=0) + level) / (seen.sum(axis=0) + 1.0)
    of_rows = np.zeros(len(seen))
    if has_rows:
        average = of_columns.mean()
        of_rows = np.log((counts.sum(axis=1) + average) / (seen @ of_columns + average))
    if has_columns:
        return of_rows, np.log(of_columns)
    return of_rows + np.log(level), np.zeros(seen.shape[1])  # the level is that of the rows


def leading_axes(values: np.ndarray, effects: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places (F, k) of mean square 1 and slopes (N, k), k <= K, of what effects (F, N) leave of log counts.

    By subspace iteration, whose time grows with the entries alone.
    """
    F, N = values.shape
    left = np.where(values >= 0, np.log((values + ADDED) / (np.exp(effects) + ADDED)), 0.0)
    block = np.random.default_rng(seed_sequence(0)).standard_normal((N, min(K + MORE, F, N) if K else 0))
    for _ in range(STEPS):
        block = np.linalg.qr(left.T @ (left @ block))[0]
    U, sizes, V = np.linalg.svd(left @ block, full_matrices=False)
    k = min(K, np.count_nonzero(sizes > LEAST * np.sqrt(F * N)))
    return np.sqrt(F) * U[:, :k], block @ V[:k].T * sizes[:k] / np.sqrt(F)
