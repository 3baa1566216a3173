"""Row and column effects of matrices large enough to be gone through in blocks."""

import numpy as np
import pytest

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
