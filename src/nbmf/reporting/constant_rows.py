"""What `nbmf fit` and `nbmf info` say of rows that have the same value everywhere, as where people answer all alike."""

from collections.abc import Iterator

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.reporting.words import join_with_and

FEWEST = 5  # observed entries of such a row: fewer are often the same
MANY = 0.05  # of the rows, from which on they are worth a sentence
BEYOND_CHANCE = 2  # times as many as independent columns would give, at least


def constant_values(values: np.ndarray) -> np.ndarray:
    """Return the value that each row has everywhere, int array (F,); MISSING where there are several, or few entries.

    values : int array (F, N), MISSING where there is nothing
    """
    observed, high = values != MISSING, values.max(axis=1)
    low = np.where(observed, values, high[:, None]).min(axis=1)
    return np.where((low == high) & (observed.sum(axis=1) >= FEWEST), high, MISSING)


def constant_row_sentences(matrix: NamedMatrix, are_components_shown: bool = True) -> Iterator[str]:
    """Yield how many rows have the same value everywhere, if they are many and chance does not explain them."""
    if not isinstance(matrix, BinaryMatrix | CategoryMatrix):
        return
    values = getattr(matrix, matrix.field)
    constant = constant_values(values)
    names = map(repr, matrix.categories.tolist()) if isinstance(matrix, CategoryMatrix) else ("zeros", "ones")
    counts = {name: int(np.count_nonzero(constant == v)) for v, name in enumerate(names)}
    total, F = sum(counts.values()), len(values)
    if total < MANY * F or total < BEYOND_CHANCE * (expected := _expected_by_chance(values, len(counts))):
        return
    enough = np.count_nonzero(np.count_nonzero(values != MISSING, axis=1) >= FEWEST)
    rows = f"{F} rows" if enough == F else f"the {enough} rows with at least {FEWEST} observed entries"
    each = join_with_and(f"{count} all {name}" for name, count in counts.items() if count)
    described = ": components or axes may describe how these rows differ from the others" * are_components_shown
    yield (
        f"{total} of {rows} have the same value everywhere ({each}), where independent columns would give about "
        f"{expected:.0f}{described}"
    )


def _expected_by_chance(values: np.ndarray, n_values: int) -> float:
    """Return how many rows would have the same value everywhere if columns were independent."""
    observed, expected = values != MISSING, 0.0
    observed = observed[observed.sum(axis=1) >= FEWEST]
    n_observed = np.count_nonzero(values != MISSING, axis=0)
    for value in range(n_values):
        proportions = np.count_nonzero(values == value, axis=0) / n_observed
        expected += np.exp(observed @ np.log(np.maximum(proportions, 1e-300))).sum()
    return float(expected)
