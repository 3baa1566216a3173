"""nbmf info of ordered categories: how often each is there, and columns that have few of them or run against others."""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtri

from nbmf.catalogue import methods_for
from nbmf.cli.info_axes import AXES, describe_fit_time, describe_unusual, next_lines, without_line_breaks
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import MISSING
from nbmf.errors import first_of
from nbmf.reporting.constant_rows import constant_values
from nbmf.reporting.text import wrap

REVERSED = -0.2  # correlation of a column with the mean of the others, below which it is reversed rather than unrelated
LEVEL = 0.05  # of the chance that any of unrelated columns has as small a one
ENOUGH = 20  # rows in which a column and others are observed
NAMED = 10  # columns
NOTHING = "''"  # what a category is called that is an empty cell


def report(matrix: CategoryMatrix, again: str) -> Iterator[str]:
    """Yield the lines of the report; `again` is FILE with its options."""
    numbers = np.bincount(matrix.ranks[matrix.observed], minlength=matrix.n_categories)
    pairs = zip(matrix.categories, numbers / numbers.sum(), strict=True)
    yield wrap(f"from low to high: {', '.join(f'{name or NOTHING} {share:.1%}' for name, share in pairs)}")
    if missed := matrix.categories[numbers == 0].tolist():
        yield f"never there: {', '.join(missed)}"
    different = np.array([len(np.unique(ranks[ranks >= 0])) for ranks in matrix.ranks.T])
    yield from _name_columns(matrix, different == 1, "with one category alone")
    if against := _reversed_columns(matrix):
        names = first_of([f"{without_line_breaks(matrix.column_names[n])} {r:.2f}" for n, r in against], NAMED)
        yield wrap(
            "columns that fall where the others rise, perhaps asked the other way round (correlation with their "
            f"mean): {names}; a fit needs no reversal"
        )
    for axis, _ in AXES:
        unusual = {"with one category alone": constant_values(matrix.ranks) != MISSING} if axis == 1 else {}
        yield from describe_unusual(matrix, unusual, axis)
    yield from describe_fit_time(matrix, f"{matrix.n_observed} observed entries")
    yield ""
    yield wrap(f"methods that take ordered categories: {', '.join(methods_for(CategoryMatrix))}")
    yield from next_lines(f"nbmf fit {again}", f"nbmf compare {again}")


def _name_columns(matrix: CategoryMatrix, which: np.ndarray, words: str) -> Iterator[str]:
    names = list(map(without_line_breaks, matrix.column_names[which]))
    if names:
        yield wrap(f"columns {words}: {first_of(names, NAMED)}")


def _reversed_columns(matrix: CategoryMatrix) -> list[tuple[int, float]]:
    """Return the columns whose correlation with the mean of the other columns is negative, the most negative first."""
    values = np.where(matrix.observed, matrix.ranks, np.nan)
    pairs, deviations = [], ndtri(1 - LEVEL / matrix.shape[1])
    for n in range(matrix.shape[1]):
        others = np.delete(values, n, axis=1)
        there = ~np.isnan(values[:, n]) & ~np.isnan(others).all(axis=1)
        if (number := np.count_nonzero(there)) < ENOUGH:
            continue
        column, mean = values[there, n], np.nanmean(others[there], axis=1)
        highest = min(REVERSED, -deviations / np.sqrt(number - 1))
        if column.std() > 0 and mean.std() > 0 and (r := float(np.corrcoef(column, mean)[0, 1])) < highest:
            pairs.append((n, r))
    return sorted(pairs, key=lambda pair: pair[1])
