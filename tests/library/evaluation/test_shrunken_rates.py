"""Rates of rows and columns of counts, shrunken by what their distributions are."""

import numpy as np
from scipy import stats

import nbmf
from nbmf.data.count_matrix import CountMatrix
from nbmf.evaluation import count_baselines


def test_rates_are_shrunken_as_gamma_distributions_of_likely_shapes_say():
    """Another way: row by row, shapes by SciPy's negative binomial distribution of sums."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.8 * rng.gamma(2.0, 0.5, (25, 1)) * rng.gamma(0.5, 2.0, 12))
    counts = np.where(rng.random(counts.shape) < 0.2, -1, counts)
    seen, sizes = counts >= 0, count_baselines.SIZES
    level = (counts[seen].sum() + 1) / (seen.sum() + 1)

    def likeliest(sums, means):
        return max(sizes, key=lambda a: stats.nbinom.logpmf(sums, a, a / (a + np.array(means))).sum())

    sums = [[line[line >= 0].sum() for line in lines] for lines in (counts, counts.T)]
    rows, columns = [1.0] * 25, [level] * 12
    for _ in range(200):
        means = [sum(columns[n] for n in range(12) if seen[f, n]) for f in range(25)]
        a = likeliest(sums[0], means)
        rows = [(s + a) / (mean + a) for s, mean in zip(sums[0], means, strict=True)]
        means = [level * sum(rows[f] for f in range(25) if seen[f, n]) for n in range(12)]
        b = likeliest(sums[1], means)
        columns = [level * (s + b) / (mean + b) for s, mean in zip(sums[1], means, strict=True)]
    assert a != b
    np.testing.assert_allclose(count_baselines.shrunken_shares(counts), np.outer(rows, columns), rtol=1e-6)


def test_rows_and_columns_that_are_alike_have_nearly_one_rate():
    counts = np.random.default_rng(1).poisson(0.5, (80, 20))
    np.testing.assert_allclose(count_baselines.shrunken_shares(counts), counts.mean(), atol=0.1)
    assert np.ptp(count_baselines.shares(counts)) > 1


def test_how_a_method_shrinks_rates_is_no_structure():
    """One component has nothing but rates; next to those that are hardly shrunken there was structure."""
    rng = np.random.default_rng([300, 30, 1])
    rates = 0.3 * rng.gamma(0.7, 1 / 0.7, 30) * rng.gamma(1, 1, (300, 1))
    found = nbmf.verdict(CountMatrix.from_array(rng.poisson(rates)), nbmf.PoissonGammaVB(1, random_state=0))
    gains = {gain.baseline: gain for gain in found.gains}
    assert max(gains[name].p for name in gains if name != "shrunken-rates") < 0.05
    assert not found.found
