"""Standard errors of means over entries or cells that are not independent, and what they imply."""

import math

import numpy as np

MOST = 6  # decimals that are printed of a difference: losses have four
ROUNDING = 1e-9  # of a value, below which its error is none


def clustered_error(values: np.ndarray, is_network: bool = False) -> float:
    """Return the standard error of the mean of a matrix whose rows and columns are clusters; inf of a single value.

    Parameters
    ----------
    values : float array (F, N)
        NaN where there is no value.
    is_network : bool
        Whether rows and columns are the same nodes, in the same order.
    """
    places = np.nonzero(~np.isnan(values))
    present = values[places]
    if present.size < 2:
        return math.inf
    of_sum = clustered_error_of_nodes if is_network else clustered_error_of_sum
    return of_sum(present - present.mean(), *places) / present.size


def clustered_error_of_sum(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """Return the standard error of the sum of centred values whose rows and columns are clusters.

    A row that is hard to predict is so in all its entries, and a column likewise: the variance is
    that of row sums plus that of column sums minus that of entries (Cameron, Gelbach and Miller,
    "Robust inference with multiway clustering", JBES 29, 2011), and at least the largest of them.

    Parameters
    ----------
    values : float array (n,)
    rows, columns : int arrays (n,)
    """
    by_row, by_column = (variance_of_sums(values, groups) for groups in (rows, columns))
    by_entry = variance_of_sums(values, np.arange(values.size))
    return math.sqrt(max(by_row + by_column - by_entry, by_row, by_column, by_entry))


def clustered_error_of_nodes(values: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """Return the standard error of the sum of centred values, each of one or two nodes, which are clusters.

    A node that is hard to predict is so in all entries with it, whether it is the row or the column: the variance is
    that of sums over the pairs of each node minus that of pairs, which are in two such sums (Fafchamps and Gubert, "The
    formation of risk sharing networks", J. Dev. Econ. 83, 2007; Aronow, Samii and Assenova, "Cluster-robust variance
    estimation for dyadic data", Political Analysis 23, 2015), and at least that of pairs. If values are sums of
    effects of both nodes, it is unbiased: centred sums over n nodes then have (n - 2)^2 / (n (n - 1)) of the variance.

    Parameters
    ----------
    values : float array (n,)
        Of a pair one value, as of an undirected network, or those of both directions.
    rows, columns : int arrays (n,), the nodes
    """
    if not values.size:
        return 0.0
    size = int(max(rows.max(), columns.max())) + 1
    pairs, pair_of = np.unique(np.minimum(rows, columns) * size + np.maximum(rows, columns), return_inverse=True)
    sums, (first, second) = np.bincount(pair_of, values), np.divmod(pairs, size)
    are_two = first != second
    nodes = np.concatenate([first, second[are_two]])
    n = count_distinct(nodes)
    of_nodes = np.square(np.bincount(nodes, np.concatenate([sums, sums[are_two]]))).sum() * n * (n - 1)
    in_two_sums = _variance_of_sum(sums[are_two])
    return math.sqrt(max(float(of_nodes) / max(n - 2, 1) ** 2 - in_two_sums, _variance_of_sum(sums)))


def _variance_of_sum(values: np.ndarray) -> float:
    return variance_of_sums(values, np.arange(values.size)) if values.size else 0.0


def variance_of_sums(values: np.ndarray, groups: np.ndarray) -> float:
    """Return the variance of the sum of centred values if each group is drawn independently."""
    n = count_distinct(groups)
    return float(np.square(np.bincount(groups, values)).sum() * n / max(n - 1, 1))


def count_distinct(groups: np.ndarray) -> int:
    """Return how many different numbers an int array (n,) has."""
    return int(np.count_nonzero(np.bincount(groups)))


def mean_and_error(values: np.ndarray, row: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Return the weighted mean of values and its standard error, rows being independent.

    Parameters
    ----------
    values, weight : float arrays (n,)
    row : int array (n,)
    """
    mean = float(np.average(values, weights=weight))
    variance = variance_of_sums(weight * (values - mean), row)
    return mean, math.sqrt(variance) / float(weight.sum())


def one_sided_p(mean: float, error: float, degrees_of_freedom: int) -> float:
    """Return the probability by Student's t of so large a mean if the true one were 0; `error` > 0."""
    from scipy.special import stdtr  # not at the start of Snakemake, which imports this module

    return float(stdtr(degrees_of_freedom, -mean / error))


def format_p(p: float) -> str:
    """Return "p = ..." with two digits, or that it is less than 0.001."""
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def format_p_above(p: float, level: float) -> str:
    """Return a p-value and the level that it misses, with as many digits as tell them apart, from two on."""
    digits = next((n for n in range(2, MOST) if f"{p:.{n}g}" != f"{level:.{n}g}"), MOST)
    return f"p = {p:.{digits}g}; {level:.{digits}g} would be significant"


def format_error(value: float, error: float) -> str:
    """Return "value ± error", both with as many decimals as give the error two significant digits, MOST at most.

    An error of nothing but rounding is 0, and the digits are then those of the value. One that is not known, inf, is
    left out.
    """
    if error == math.inf:
        return f"{value:z.4f}"
    decimals = _decimals(value, error)
    return f"{value:z.{decimals}f} ± {error:.{decimals}f}"


def format_interval(value: float, half_width: float, unit: str) -> str:
    """Return "value unit (95 % interval lower to upper)" of a symmetric one, with the decimals of `format_error`."""
    decimals = _decimals(value, half_width)
    lower, upper = (f"{end:z.{decimals}f}" for end in (value - half_width, value + half_width))
    return f"{value:z.{decimals}f} {unit} (95 % interval {lower} to {upper})"


def _decimals(value: float, error: float) -> int:
    largest = error if error > ROUNDING * abs(value) else abs(value)
    unknown = largest == 0 or not math.isfinite(largest)
    return 4 if unknown else min(max(1 - math.floor(math.log10(largest)), 0), MOST)
