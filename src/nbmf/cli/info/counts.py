"""What is said about a matrix of counts: how large and how scattered they are, and what takes them."""

from collections.abc import Iterator

import numpy as np

from nbmf.catalogue import methods_for
from nbmf.cli.info.column import columns_apart
from nbmf.cli.info.finding import Finding, command_with
from nbmf.cli.info.matrices import AXES, describe_ends, describe_fit_time, describe_unusual
from nbmf.cli.info.tables import uses_of_counts
from nbmf.cli.options import Options
from nbmf.cli.reading import is_read_in_full
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.names import with_default_names
from nbmf.evaluation import count_baselines
from nbmf.io.answers import find_layout

FEW_VALUES = 10  # different ones, which may be marks or answers
FEWEST_COLUMNS = 5  # of counts, next to which one of something else is plain
OVERDISPERSED = 2.0  # times Poisson's variance, from which on it is worth a word


def describe_counts(matrix: CountMatrix, options: Options) -> Finding:
    """Describe a matrix of counts, and what else they may be."""
    observed = matrix.tallies[matrix.observed]
    in_order = _as_categories(matrix, options)
    sums = [np.maximum(matrix.tallies, 0).sum(axis=axis, dtype=np.int64) for axis, _ in AXES]
    without = {"without a count above zero": [(matrix.tallies <= 0).all(axis=axis) for axis, _ in AXES]}
    sentences = [
        *_describe_sizes(observed, in_order is not None),
        _describe_scatter(matrix),
        *describe_ends(matrix, sums, "smallest sums", "largest"),
        *describe_unusual(matrix, without),
        *describe_fit_time(matrix, f"{observed.size} observed entries"),
        "",
        f"methods that take counts: {', '.join(methods_for(CountMatrix))}",
        "methods that take zeros and ones do with --above 0: whether a count is above 0 "
        f"({np.count_nonzero(observed) / observed.size:.1%} are)",
        *uses_of_counts(matrix, options),
    ]
    if apart := _columns_apart(matrix, options):
        sentences.append(
            f"larger in every row than the counts of all other columns: {', '.join(map(repr, apart))}; if these are no "
            "counts, leave them out"
        )
    have_names = matrix.column_names.tolist() != with_default_names(matrix.shape, None, None)[1]
    ways = (
        ("info", _as_list(matrix, options)),
        ("fit", options.but(ignore=[*(options.ignore or ()), *apart]) if apart and have_names else None),
        *(("fit", options), ("compare", options), ("fit", in_order), ("info", _as_ones(matrix, options))),
    )
    return Finding(sentences, [command_with(command, chosen) for command, chosen in ways if chosen is not None])


def _are_marks(values: np.ndarray) -> bool:
    """Whether values are all whole numbers up to the largest, and few: they may be answers or marks."""
    return bool(2 < values.size <= FEW_VALUES and values[0] == 0 and values[-1] == values.size - 1)


def _columns_apart(matrix: CountMatrix, options: Options) -> list[str]:
    """Return the columns of a table that are `columns_apart`; [] where FILE has no column of its own for them."""
    if options.layout is not None or options.transpose or matrix.shape[1] < FEWEST_COLUMNS:
        return []
    largest = np.where(matrix.observed, matrix.tallies, 0).max(axis=0)
    smallest = np.where(matrix.observed, matrix.tallies, largest).min(axis=0)
    return columns_apart(dict(zip(matrix.column_names.tolist(), zip(smallest, largest, strict=True), strict=True)))


def _as_list(matrix: CountMatrix, options: Options) -> Options | None:
    """Return the options that read each line as an entry; None if lines have names, or are no such list."""
    names, _ = with_default_names(matrix.shape, None, None)
    if options.layout is not None or options.transpose or matrix.row_names.tolist() != names:
        return None
    layout = find_layout(matrix.tallies)
    return None if layout is None else options.but(layout=layout, counts=None)


def _as_categories(matrix: CountMatrix, options: Options) -> Options | None:
    """Return the options that read marks as ordered categories; None if there are none, or FILE lacks their zeros."""
    values = np.unique(matrix.tallies[matrix.observed])
    chosen = options.but(counts=None, categories=[*map(str, values)])
    return chosen if _are_marks(values) and is_read_in_full(chosen, matrix) else None


def _as_ones(matrix: CountMatrix, options: Options) -> Options:
    """Return the options that make counts ones and zeros; of a list of what looks like answers they name the zeros."""
    chosen = options.but(counts=None, above=0)
    if options.layout != "long" or options.absent is not None or is_read_in_full(chosen, matrix):
        return chosen
    return chosen.but(absent="zeros")


def _describe_sizes(observed: np.ndarray, are_read_in_order: bool) -> Iterator[str]:
    half, most = np.quantile(observed, (0.5, 0.9), method="inverted_cdf")
    yield (
        f"counts from {observed.min()} to {observed.max()}: half of them at most {half:g}, 90 % at most {most:g}; mean "
        f"{observed.mean():.3g}, variance {observed.var():.3g}"
    )
    values = np.unique(observed)
    if len(values) > FEW_VALUES:
        return
    means = "declare the ones, zeros and missing values by --ones, --zeros and --missing"
    if _are_marks(values):
        where = "" if are_read_in_order else " from a table that has a cell for each, zeros too"
        means = f"--categories reads them in their order{where}"
    listed = ", ".join(map(str, values))
    yield f"only {len(values)} different values, {listed}: if these are answers or marks, not counts, {means}"


def _describe_scatter(matrix: CountMatrix) -> str:
    """Return how much counts vary around the rates of rows and columns, relative to a Poisson distribution."""
    rates = count_baselines.shares(matrix.tallies)[matrix.observed]
    observed = matrix.tallies[matrix.observed]
    times = float(np.mean((observed - rates) ** 2 / rates))
    why = ": components may explain that, or it is overdispersion, which negative binomial methods allow for"
    more = why * (times >= OVERDISPERSED)
    return (
        "around row and column rates (row sum x column sum / sum) they vary "
        f"{times:.3g} times as much as Poisson counts would{more}"
    )
