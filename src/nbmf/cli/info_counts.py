"""nbmf info of a matrix of counts: how large and how scattered they are, and what takes them."""

from collections.abc import Iterator

import numpy as np

from nbmf.catalogue import methods_for
from nbmf.cli.info_axes import AXES, describe_extremes, describe_fit_time, describe_unusual, next_lines
from nbmf.cli.info_guess import columns_apart
from nbmf.cli.options import Options
from nbmf.cli.reading import file_with_options, is_read_in_full
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.names import with_default_names
from nbmf.evaluation import count_baselines
from nbmf.io.answers import find_layout
from nbmf.reporting.text import wrap

FEW_VALUES = 10  # different ones, which may be marks or answers
FEWEST_COLUMNS = 5  # of counts, next to which one of something else is plain
OVERDISPERSED = 2.0  # times Poisson's variance, from which on it is worth a word


def report(matrix: CountMatrix, options: Options, uses: list[str]) -> Iterator[str]:
    """Yield the lines of the report; `uses` are further lines, and commands read FILE with its options."""
    observed = matrix.tallies[matrix.observed]
    marks = _marks(observed)
    as_answers = _options_as_categories(matrix, options, marks)
    yield from _describe_sizes(observed, marks, as_answers is not None)
    yield _describe_scatter(matrix)
    yield from _describe_sums(matrix)
    yield from describe_fit_time(matrix, f"{observed.size} observed entries")
    yield ""
    yield wrap(f"methods that take counts: {', '.join(methods_for(CountMatrix))}")
    yield (
        "methods that take zeros and ones do with --above 0: whether a count is above 0 "
        f"({np.count_nonzero(observed) / observed.size:.1%} are)"
    )
    yield from uses
    apart = _columns_apart(matrix, options)
    if apart:
        named = ", ".join(map(repr, apart))
        yield wrap(
            f"larger in every row than the counts of all other columns: {named}; if these are no counts, leave them out"
        )
    commands = (
        ("info", _options_as_list(matrix, options)),
        ("fit", options.but(ignore=[*(options.ignore or ()), *apart]) if apart else None),
        *(("fit", options), ("compare", options), ("fit", as_answers)),
        ("info", _options_as_ones(matrix, options)),
    )
    yield from next_lines(*(f"nbmf {name} {file_with_options(of)}" for name, of in commands if of is not None))


def _marks(observed: np.ndarray) -> list[int]:
    """Return all whole numbers up to the largest, if they are few and each is there: they may be answers or marks."""
    values = np.unique(observed)
    are_all = 2 < values.size <= FEW_VALUES and values[0] == 0 and values[-1] == values.size - 1
    return values.tolist() if are_all else []


def _columns_apart(matrix: CountMatrix, options: Options) -> list[str]:
    """Return the columns of a table that are `columns_apart`; [] where FILE has no column of its own for them."""
    if options.layout is not None or options.transpose or matrix.shape[1] < FEWEST_COLUMNS:
        return []
    largest = np.where(matrix.observed, matrix.tallies, 0).max(axis=0)
    smallest = np.where(matrix.observed, matrix.tallies, largest).min(axis=0)
    return columns_apart(dict(zip(matrix.column_names.tolist(), zip(smallest, largest, strict=True), strict=True)))


def _options_as_list(matrix: CountMatrix, options: Options) -> Options | None:
    """Return the options that read each line as an entry; None if lines have names, or are no such list."""
    names, _ = with_default_names(matrix.shape, None, None)
    if options.layout is not None or options.transpose or matrix.row_names.tolist() != names:
        return None
    layout = find_layout(matrix.tallies)
    return None if layout is None else options.but(layout=layout, counts=None)


def _options_as_categories(matrix: CountMatrix, options: Options, marks: list[int]) -> Options | None:
    """Return the options that read marks as ordered categories; None if there are none, or FILE lacks their zeros."""
    chosen = options.but(counts=None, categories=[*map(str, marks)])
    return chosen if marks and is_read_in_full(chosen, matrix) else None


def _options_as_ones(matrix: CountMatrix, options: Options) -> Options:
    """Return the options that make counts ones and zeros; of a list of what looks like answers they name the zeros."""
    chosen = options.but(counts=None, above=0)
    if options.layout != "long" or options.absent is not None or is_read_in_full(chosen, matrix):
        return chosen
    return chosen.but(absent="zeros")


def _describe_sizes(observed: np.ndarray, marks: list[int], are_read: bool) -> Iterator[str]:
    half, most = np.quantile(observed, (0.5, 0.9), method="inverted_cdf")
    mean, variance = observed.mean(), observed.var()
    yield (
        f"counts from {observed.min()} to {observed.max()}: half of them at most {half:g}, 90 % at "
        f"most {most:g}; mean {mean:.3g}, variance {variance:.3g}"
    )
    values = np.unique(observed)
    if len(values) <= FEW_VALUES:
        listed = ", ".join(map(str, values))
        of_marks = "--categories reads them in their order"
        means = (
            (of_marks if are_read else f"{of_marks} from a table that has a cell for each, zeros too")
            if marks
            else "declare the ones, zeros and missing values by --ones, --zeros and --missing"
        )
        yield wrap(f"only {len(values)} different values, {listed}: if these are answers or marks, not counts, {means}")


def _describe_scatter(matrix: CountMatrix) -> str:
    """Return how much counts vary around the rates of rows and columns, relative to a Poisson distribution."""
    rates = count_baselines.shares(matrix.tallies)[matrix.observed]
    observed = matrix.tallies[matrix.observed]
    times = float(np.mean((observed - rates) ** 2 / rates))
    text = (
        "around row and column rates (row sum x column sum / sum) they vary "
        f"{times:.3g} times as much as Poisson counts would"
    )
    if times >= OVERDISPERSED:
        text += ": by structure that components find, or else the negative binomial methods"
    return wrap(text)


def _describe_sums(matrix: CountMatrix) -> Iterator[str]:
    """Yield which rows and columns have the smallest and the largest sums, then what is worth a look."""
    for axis, kind in AXES:
        sums = np.maximum(matrix.tallies, 0).sum(axis=axis, dtype=np.int64)
        few, many = describe_extremes(matrix, sums, axis)
        yield f"{kind} with the smallest sums: {few}; with the largest: {many}"
    for axis, _ in AXES:
        unusual = {"without a count above zero": (matrix.tallies <= 0).all(axis=axis)}
        yield from describe_unusual(matrix, unusual, axis)
