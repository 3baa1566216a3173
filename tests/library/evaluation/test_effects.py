"""Row and column effects: their mode, their variances, and what differs in a large matrix."""

import numpy as np
import pytest
from scipy.special import expit
from shares_only import shares_only

from nbmf.evaluation import effects
from nbmf.evaluation.effects import row_and_column_effects


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def codes(rng):
    return rng.integers(-1, 2, size=(23, 11)).astype(np.int8)


@pytest.mark.parametrize("block", [1, 30, 11 * 23, 2**16])
@pytest.mark.parametrize("of_rows", [True, False])
def test_the_sums_over_blocks_are_those_over_the_entries(rng, codes, monkeypatch, block, of_rows):
    monkeypatch.setattr(effects, "BLOCK", block)
    rows, columns = rng.normal(size=23), rng.normal(size=11)
    residuals = np.zeros(23 if of_rows else 11)
    weights = residuals.copy()
    for f, n in np.argwhere(codes >= 0):
        p = 1 / (1 + np.exp(-rows[f] - columns[n]))
        line = f if of_rows else n
        residuals[line] += codes[f, n] - p
        weights[line] += p * (1 - p)
    found = effects._residuals_and_weights(codes, rows, columns, of_rows)
    np.testing.assert_allclose(found, (residuals, weights), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("entries", "limit"), [(1, 200), (2_500_000, 200), (5_000_000, 100), (25_000_000, 20), (10**9, 20)]
)
def test_a_large_matrix_has_fewer_iterations(entries, limit):
    assert effects._iterations(entries) == limit


def test_few_iterations_lose_next_to_nothing_where_one_side_has_no_effects(rng, monkeypatch):
    """The case in which EM is slow: columns differ, rows do not."""
    chance = 1 / (1 + np.exp(-rng.normal(-1, 1, size=4000)))
    V = (rng.random((60, 4000)) < chance).astype(np.int8)

    def loss(P):
        return -(chance * np.log(P) + (1 - chance) * np.log1p(-P)).mean()

    converged = loss(row_and_column_effects(V))
    monkeypatch.setattr(effects, "ENOUGH", (effects.ENOUGH[0], 1))
    assert loss(row_and_column_effects(V)) == pytest.approx(converged, rel=1e-4)


def test_effects_are_at_the_mode_of_their_posterior():
    """Residuals of every line equal what its prior pulls, with the variances that were learned."""
    V = shares_only(40, 15, "rows and columns", 0)
    V[0, :3] = -1
    odds = np.log(row_and_column_effects(V)) - np.log1p(-row_and_column_effects(V))
    a = odds.mean(axis=1) - odds.mean()
    b = odds.mean(axis=0) - odds.mean()
    np.testing.assert_allclose(odds, odds.mean() + a[:, None] + b, atol=1e-9)  # additive
    residuals = np.where(V >= 0, V - expit(odds), 0)
    for of_lines, pull in ((a, residuals.sum(axis=1)), (b, residuals.sum(axis=0))):
        precision = np.polyfit(of_lines, pull, 1)[0]
        assert 0.2 < precision < 5  # of a variance that was 1
        np.testing.assert_allclose(pull, precision * of_lines, atol=0.05)


@pytest.mark.parametrize("shape", [(40, 9), (25, 25)])
def test_variances_of_effects_are_mean_squares_plus_variances_given_the_data(shape, monkeypatch):
    """Where EM stands still, s² = Σ (a² + 1 / (Σ p (1 - p) + 1 / s²)) / n: s² is what pulls, and Laplace's variance."""
    monkeypatch.setattr(effects, "TOL", 1e-12)
    monkeypatch.setattr(effects, "ITERATIONS", 20_000)
    V = shares_only(*shape, "rows and columns", 0)
    V[0, :3] = -1
    p = row_and_column_effects(V)
    odds = np.log(p) - np.log1p(-p)
    for axis in (0, 1):
        value = odds.mean(axis=axis) - odds.mean()
        pull = np.where(V >= 0, V - p, 0).sum(axis=axis)
        precision = (pull @ value) / (value @ value)  # 1 / s², as residuals are value / s²
        spread = 1 / (np.where(V >= 0, p * (1 - p), 0).sum(axis=axis) + precision)
        assert 1 / precision == pytest.approx((value**2 + spread).mean(), rel=1e-6)


def test_effects_vanish_where_there_are_none():
    V = shares_only(200, 30, "columns", 1)
    odds = np.log(row_and_column_effects(V)) - np.log1p(-row_and_column_effects(V))
    assert odds.mean(axis=1).std() < 0.12
    assert odds.mean(axis=0).std() > 0.5


def test_effects_predict_extreme_lines_with_finite_odds():
    V = np.ones((6, 5), np.int8)
    V[:, 0] = 0
    p = row_and_column_effects(V)
    assert ((p > 0) & (p < 1)).all()
    assert (p[:, 0] < p[:, 1]).all()
