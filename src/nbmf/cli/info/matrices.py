"""What is said about a matrix: zeros and ones, sparse ones, and ordered categories; see `counts` of counts."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy.special import ndtri

from nbmf.analysis.estimate import estimate, slowness_here
from nbmf.analysis.plan import make_plan
from nbmf.analysis.request import Request
from nbmf.catalogue import CANDIDATES, methods_for
from nbmf.cli.arguments import render_message
from nbmf.cli.info.finding import Finding, command_with
from nbmf.cli.options import Options
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import first_of
from nbmf.evaluation.held_out import why_constant
from nbmf.io.cells import count_phrase
from nbmf.reporting.constant_rows import constant_values
from nbmf.reporting.repeat_sentences import repeat_sentences
from nbmf.reporting.words import quote_if_ambiguous

AXES = ((1, "rows"), (0, "columns"))  # what sums over the other axis are of
ENDS = 3  # rows or columns at either end
FEW = 5  # observed entries
REVERSED = -0.2  # correlation of a column with the mean of the others, below which it is reversed rather than unrelated
LEVEL = 0.05  # of the chance that any of unrelated columns has as small a one
ENOUGH = 20  # rows in which a column and others are observed
NAMED = 10  # columns
NOTHING = "''"  # what a category is called that is an empty cell


def describe_binary(matrix: BinaryMatrix, options: Options) -> Finding:
    """Describe zeros and ones: what has the fewest and the most, what is worth a second look, and what is next."""
    ones = [(matrix.codes == 1).sum(axis=axis) for axis, _ in AXES]
    observed = [matrix.observed_along(axis) for axis, _ in AXES]
    unusual = {"without a one": [n == 0 for n in ones], "without a zero": list(map(np.equal, ones, observed))}
    sentences = [
        *describe_ends(matrix, ones, "fewest ones", "most", "one"),
        *describe_unusual(matrix, unusual),
        *repeat_sentences(matrix),
    ]
    if (constant := why_constant(matrix.codes, is_binary=True)) is not None:
        return Finding([*sentences, "", render_message(constant, "info")])
    sentences += describe_fit_time(matrix, f"{matrix.n_observed} observed entries")
    return Finding(sentences, [command_with(command, options) for command in ("fit", "compare")])


def describe_sparse(matrix: SparseBinaryMatrix, options: Options) -> Finding:
    """Describe a matrix whose zeros are not kept: how many ones, and what takes it."""
    ones = [matrix.ones_along(axis) for axis, _ in AXES]
    sentences = []
    for ends, (_, kind), each in zip(describe_ends(matrix, ones, "fewest ones", "most"), AXES, ones, strict=True):
        half, most = np.quantile(each, (0.5, 0.9), method="inverted_cdf")
        sentences += [ends, f"half of the {kind} have at most {half} ones, 90 % at most {most}"]
    sentences += [
        *describe_unusual(matrix, {"without a one": [n == 0 for n in ones]}),
        *describe_fit_time(matrix, f"{matrix.nnz} entries are kept"),
        "",
        f"methods that take so large a matrix: {', '.join(methods_for(type(matrix)))}; their time and memory grow with "
        "the ones, and with rows and columns, not with all entries",
    ]
    fit = command_with("fit", options)
    return Finding(sentences, [fit, f"{fit} --method {CANDIDATES[type(matrix).__name__][0]}"])


def describe_categories(matrix: CategoryMatrix, options: Options) -> Finding:
    """Describe ordered categories: how often each is there, and columns that have few or run against others."""
    numbers = np.bincount(matrix.ranks[matrix.observed], minlength=matrix.n_categories)
    shares = zip(matrix.categories, numbers / numbers.sum(), strict=True)
    sentences = [f"from low to high: {', '.join(f'{name or NOTHING} {share:.1%}' for name, share in shares)}"]
    if missed := matrix.categories[numbers == 0].tolist():
        sentences.append(f"never there: {', '.join(missed)}")
    names = matrix.column_names
    if alone := [name for name, ranks in zip(names, matrix.ranks.T, strict=True) if len({*ranks[ranks >= 0]}) == 1]:
        sentences.append(f"columns with one category alone: {first_of(alone, NAMED)}")
    if against := reversed_columns(matrix):
        sentences.append(
            "columns that fall where the others rise, perhaps asked the other way round (correlation with their mean): "
            f"{first_of([f'{names[n]} {r:.2f}' for n, r in against], NAMED)}; a fit needs no reversal"
        )
    constant = constant_values(matrix.ranks) != MISSING
    sentences += [
        *describe_unusual(matrix, {"with one category alone": [constant, np.zeros(len(names), bool)]}),
        *describe_fit_time(matrix, f"{matrix.n_observed} observed entries"),
        "",
        f"methods that take ordered categories: {', '.join(methods_for(CategoryMatrix))}",
    ]
    return Finding(sentences, [command_with(command, options) for command in ("fit", "compare")])


def reversed_columns(matrix: CategoryMatrix) -> list[tuple[int, float]]:
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


def describe_ends(
    matrix: NamedMatrix, sums: Sequence[np.ndarray], least: str, most: str, unit: str = ""
) -> Iterator[str]:
    """Yield which rows and which columns have the smallest and the largest sums, or that all have as many of a unit.

    sums : of the rows, and of the columns
    """
    names = matrix.row_names, matrix.column_names
    for (_, kind), names_of_kind, each in zip(AXES, names, sums, strict=True):
        if unit and len(each) > 1 and np.ptp(each) == 0:
            yield f"all {kind} have {count_phrase(each[0], unit)}"
            continue
        order = np.argsort(each, kind="stable")
        few, many = (
            ", ".join(f"{quote_if_ambiguous(names_of_kind[i])} {each[i]}" for i in end)
            for end in (order[:ENDS], order[::-1][:ENDS])
        )
        yield f"{kind} with the {least}: {few}; with the {most}: {many}"


def describe_unusual(matrix: NamedMatrix, unusual: Mapping[str, Sequence[np.ndarray]]) -> Iterator[str]:
    """Yield how many rows, then how many columns are unusual, a line per way.

    unusual : dict, from such words as "without a one" to two bool arrays: which rows, and which columns are so
    """
    few = {f"with fewer than {FEW} observed entries": [matrix.observed_along(axis) < FEW for axis, _ in AXES]}
    for place, (_, kind) in enumerate(AXES):
        for words, which in (unusual | few).items():
            if count := np.count_nonzero(which[place]):
                yield f"{kind} {words}: {count}"


def describe_fit_time(matrix: NamedMatrix, entries: str) -> Iterator[str]:
    """Yield about how long `nbmf fit` takes for so many entries, in words, and what it does not do for their number."""
    expected = estimate(matrix, Request(), slowness_here())
    duration = format_time(expected.seconds)
    yield f"{entries}; nbmf fit takes about {duration}, for {expected.fits} fits at most and a report"
    if reason := make_plan(matrix, Request()).reason:
        yield reason


def format_time(seconds: float) -> str:
    """Return a time in words, in the unit that fits its size."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
