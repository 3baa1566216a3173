"""Where variational fits of counts with learned effects begin: effects at logarithms of means, axes at what is left.

From 0 updates take long to reach large counts, of which an update goes only a small part of the way.
"""

import numpy as np

ADDED = 0.5  # to counts and to what is expected of them, for the logarithm of their ratio


def log_means(values: np.ndarray, has_rows: bool, has_columns: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return effects of rows (F,) and of columns (N,) whose sums are logarithms of expected counts; 0 of what has none.

    Parameters
    ----------
    values : int array (F, N)
        Counts, negative where missing; each row and column has an average entry more.
    has_rows, has_columns : bool
        Of which there are effects.
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
    return (
        (of_rows, np.log(of_columns)) if has_columns else (of_rows + np.log(level) * has_rows, np.zeros(seen.shape[1]))
    )


def leading_axes(values: np.ndarray, effects: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Return places (F, k) of mean square 1 and slopes (N, k), k <= K, of what effects (F, N) leave of log counts."""
    left = np.where(values >= 0, np.log((values + ADDED) / (np.exp(effects) + ADDED)), 0.0)
    F, N = left.shape
    is_wide = F < N
    squares, vectors = np.linalg.eigh(left @ left.T if is_wide else left.T @ left)
    order = np.argsort(-squares, kind="stable")[:K]
    order = order[squares[order] > 1e-12 * max(squares.max(initial=0.0), 1e-300)]
    sizes, vectors = np.sqrt(squares[order]), vectors[:, order]
    other = (left.T if is_wide else left) @ vectors / sizes
    of_rows, of_columns = (vectors, other) if is_wide else (other, vectors)
    return np.sqrt(F) * of_rows, of_columns * sizes / np.sqrt(F)
