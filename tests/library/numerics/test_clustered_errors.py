"""Standard errors of networks, whose entries are of pairs of nodes."""

import numpy as np
import pytest

from nbmf.numerics.clustered_errors import clustered_error, clustered_error_of_sum, format_p_above


def above(values):
    """Return the values above the diagonal, NaN elsewhere."""
    return np.where(np.triu(np.ones(values.shape, bool), 1), values, np.nan)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_error_is_that_of_sums_over_the_pairs_of_a_node(missing):
    rng = np.random.default_rng(0)
    values = above(rng.normal(size=(9, 9)) + 2 * rng.normal(size=(9, 1)) + 2 * rng.normal(size=9))
    values[rng.random(values.shape) < missing] = np.nan
    pairs = {(i, j): values[i, j] for i in range(9) for j in range(9) if not np.isnan(values[i, j])}
    mean, nodes = sum(pairs.values()) / len(pairs), sorted({node for pair in pairs for node in pair})
    sums = [sum(value - mean for pair, value in pairs.items() if node in pair) for node in nodes]
    n, squares = len(nodes), sum((value - mean) ** 2 for value in pairs.values())
    variance = sum(s**2 for s in sums) * n * (n - 1) / (n - 2) ** 2 - squares * len(pairs) / (len(pairs) - 1)
    assert variance > squares
    assert clustered_error(values, is_network=True) == pytest.approx(np.sqrt(variance) / len(pairs), rel=1e-12)


def test_two_entries_have_an_error():
    """In two rows and two columns: it is that of two independent values."""
    values = np.full((3, 4), np.nan)
    values[0, 1], values[2, 3] = 0.1, 0.7
    assert clustered_error(values) == pytest.approx(0.3, rel=1e-12)


def test_the_error_does_not_depend_on_the_order_of_nodes():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(7, 7)) + rng.normal(size=(7, 1))
    values = values + values.T
    errors = []
    for _ in range(5):
        order = rng.permutation(7)
        errors.append(clustered_error(above(values[np.ix_(order, order)]), is_network=True))
    np.testing.assert_allclose(errors, errors[0], rtol=1e-12)


@pytest.mark.parametrize(("shared", "n"), [(1.0, 8), (1.0, 30), (0.3, 30), (0.0, 30)])
def test_means_of_networks_spread_as_it_says(shared, n):
    """Rows and columns alone would say three quarters of that where nodes differ, since a node is in both."""
    rng, (rows, columns) = np.random.default_rng(2), np.triu_indices(n, 1)
    means, errors, of_lines = [], [], []
    for _ in range(600):
        nodes = shared * rng.normal(size=n)
        values = np.full((n, n), np.nan)
        values[rows, columns] = nodes[rows] + nodes[columns] + rng.normal(size=rows.size)
        means.append(np.nanmean(values))
        errors.append(clustered_error(values, is_network=True))
        centred = values[rows, columns] - means[-1]
        of_lines.append(clustered_error_of_sum(centred, rows, columns) / rows.size)
    spread = np.std(means)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(spread, rel=0.12)
    if shared == 1.0:
        assert np.mean(of_lines) < 0.85 * spread


def test_pairs_that_have_nothing_in_common_have_the_error_of_independent_ones():
    values = np.full((40, 40), np.nan)
    rows = np.arange(0, 40, 2)
    values[rows, rows + 1] = np.random.default_rng(3).normal(size=20)
    alone = np.nanstd(values, ddof=1) / np.sqrt(20)
    assert clustered_error(values, is_network=True) == pytest.approx(alone, rel=0.05)


def test_an_entry_of_either_direction_is_of_the_pair():
    """As sums over both directions, and an entry of a node and itself as one of that node alone."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(8, 8)) + 2 * rng.normal(size=(8, 1)) + 2 * rng.normal(size=8)
    values[rng.random(values.shape) < 0.2] = np.nan
    present = ~np.isnan(values)
    centred = np.where(present, values - np.nanmean(values), 0.0)
    of_nodes = [centred[i].sum() + centred[:, i].sum() - centred[i, i] for i in range(8)]
    both = [centred[i, j] + centred[j, i] for i in range(8) for j in range(i) if present[i, j] or present[j, i]]
    variance = np.square(of_nodes).sum() * 8 * 7 / 6**2 - np.square(both).sum() * len(both) / (len(both) - 1)
    assert clustered_error(values, is_network=True) == pytest.approx(np.sqrt(variance) / present.sum(), rel=1e-12)


@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_means_of_directed_networks_spread_as_it_says(alike):
    """Whether nodes that are hard to predict as rows are so as columns, or not."""
    rng, n, means, errors = np.random.default_rng(5), 25, [], []
    for _ in range(500):
        as_row, other = rng.normal(size=(2, n))
        values = as_row[:, None] + alike * as_row + (1 - alike) * other + rng.normal(size=(n, n))
        np.fill_diagonal(values, np.nan)
        means.append(np.nanmean(values))
        errors.append(clustered_error(values, is_network=True))
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(means), rel=0.12)


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.5, "p = 0.5; 0.0042 would be significant"),
        (0.0042, "p = 0.0042; 0.00417 would be significant"),
        (0.00421, "p = 0.00421; 0.00417 would be significant"),
        (0.025 / 6, "p = 0.00416667; 0.00416667 would be significant"),
    ],
)
def test_a_p_value_does_not_read_like_the_level_that_it_misses(p, said):
    assert format_p_above(p, 0.025 / 6) == said
