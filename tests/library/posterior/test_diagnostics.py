"""R-hat, effective sample size and the rule for K: known cases, and an answer for every input."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from nbmf.errors import DataError
from nbmf.posterior.diagnostics import ESS_LIMIT, R_HAT_LIMIT, Diagnostics, chain_diagnostics, diagnose, have_converged


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def normal(chains=4, draws=1000, seed=0):
    return np.random.default_rng(seed).normal(size=(chains, draws))


def autoregressive(rho, chains=4, draws=4000):
    noise = normal(chains, draws)
    x = np.empty_like(noise)
    x[:, 0] = noise[:, 0] / np.sqrt(1 - rho**2)
    for t in range(1, draws):
        x[:, t] = rho * x[:, t - 1] + noise[:, t]
    return x


def unknown(found):
    return isinstance(found, Diagnostics) and np.isnan(found).all()


# --- Chains ----------------------------------------------------------------------------------


def test_independent_draws_count_in_full():
    found = chain_diagnostics(normal())
    assert found.r_hat == pytest.approx(1, abs=0.005)
    assert found.ess_bulk == pytest.approx(4000, rel=0.15)
    assert found.ess_tail == pytest.approx(4000, rel=0.15)


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_correlated_draws_count_by_their_autocorrelation_time(rho):
    found = chain_diagnostics(autoregressive(rho))
    assert found.ess_bulk == pytest.approx(16000 * (1 - rho) / (1 + rho), rel=0.25)


def effective_size(draws):
    """Return the effective sample size of chains cut in halves, as Vehtari et al. (2021), 3.2, write it."""
    chains = draws.reshape(2 * len(draws), -1)
    M, n = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    covariance = np.array([[(x[: n - t] * x[t:]).sum() / n for t in range(n)] for x in centred])
    within = covariance[:, 0].mean() * n / (n - 1)
    total = within * (n - 1) / n + chains.mean(axis=1).var(ddof=1)
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = [rho[t] + rho[t + 1] for t in range(0, n - 3, 2)]  # Geyer: as long as they are positive
    length = next((i for i, pair in enumerate(pairs) if pair < 0), len(pairs))
    decreasing = np.minimum.accumulate(pairs[:length])
    left = max(rho[2 * length], 0.0)  # the first number of the pair at which the sum ends
    return M * n / max(2 * decreasing.sum() - 1 + left, 1 / np.log10(M * n))


def test_effective_sizes_against_their_definition():
    """Of the centre by normal scores of ranks, of the tails by what lies below the 5 % and 95 % quantiles."""
    draws = autoregressive(0.7, draws=120) ** 3
    found = chain_diagnostics(draws)
    ranks = scipy.stats.rankdata(draws).reshape(draws.shape)
    scores = scipy.stats.norm.ppf((ranks - 3 / 8) / (draws.size + 1 / 4))
    assert found.ess_bulk == pytest.approx(effective_size(scores), rel=1e-6)
    below = [(draws <= np.quantile(draws, q)).astype(float) for q in (0.05, 0.95)]
    assert found.ess_tail == pytest.approx(min(map(effective_size, below)), rel=1e-6)


def test_split_r_hat_against_its_formula():
    """For two-valued draws ranks are a linear map, so the bulk R-hat is that of the raw draws."""
    draws = (normal(draws=200) + np.array([[0.0], [0.4], [0.8], [1.2]]) > 0).astype(float)
    halves = draws.reshape(8, 100)
    between = 100 * halves.mean(axis=1).var(ddof=1)
    within = halves.var(axis=1, ddof=1).mean()
    expected = np.sqrt((between / within + 99) / 100)
    assert expected > 1.05
    assert chain_diagnostics(draws).r_hat == pytest.approx(expected, rel=1e-9)


def test_chains_apart_and_chains_on_their_way_show():
    apart = normal() + np.arange(4)[:, None]
    trend = normal() + np.linspace(0, 3, 1000)
    wider = normal() * np.array([[1.0], [1.0], [1.0], [4.0]])  # same centre: seen after folding
    for draws in (apart, trend, wider):
        assert chain_diagnostics(draws).r_hat > 1.05


def test_units_and_offset_do_not_matter():
    draws = normal()
    found = chain_diagnostics(-260_000 + 0.5 * draws)
    assert found == pytest.approx(chain_diagnostics(draws), rel=1e-9)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_leaves_all_unknown(value):
    draws = normal()
    draws[2, 17] = value
    assert unknown(chain_diagnostics(draws))


def test_too_little_to_tell():
    assert unknown(chain_diagnostics(normal(chains=1)))
    assert unknown(chain_diagnostics(normal(draws=3)))
    assert unknown(chain_diagnostics(np.empty((0, 0))))
    assert np.isfinite(chain_diagnostics(normal(chains=2, draws=4))).all()


def test_chains_that_stand_still_leave_all_unknown():
    one = normal()
    one[3] = 0.0
    for draws in (np.full((4, 100), 9.0), np.arange(4.0)[:, None] * np.ones(100), one):
        assert unknown(chain_diagnostics(draws))


def test_chains_with_one_jump_have_not_converged():
    draws = np.repeat([[0.0, 1.0]], 4, axis=0).repeat(50, axis=1)
    found = chain_diagnostics(draws)
    assert found.r_hat > 2
    assert not have_converged(found.r_hat, found.ess_bulk, 4)


def test_counts_are_draws_too():
    draws = np.random.default_rng(0).integers(7, 10, (4, 500))
    found = chain_diagnostics(draws)
    assert have_converged(found.r_hat, found.ess_bulk, 4)


@pytest.mark.parametrize("draws", [np.zeros(5), np.zeros((2, 3, 4))])
def test_draws_have_two_dimensions(draws):
    with pytest.raises(DataError, match="two dimensions"):
        chain_diagnostics(draws)


def test_the_rule_and_its_limits():
    assert (R_HAT_LIMIT, ESS_LIMIT) == (1.01, 100)
    assert have_converged(1.0, 401, 4)
    assert have_converged(1.0, 201, 2)
    assert not have_converged(1.01, 401, 4)
    assert not have_converged(1.0, 400, 4)
    assert not have_converged(np.nan, 401, 4)
    assert not have_converged(1.0, np.nan, 4)
    assert type(have_converged(np.float64(1.0), np.float64(401), 4)) is bool


# --- The table -------------------------------------------------------------------------------


def traces_of(draws, dataset="animals", method="beta-dir-gs", K=100, iterations=None):
    """Return the traces of chains, array (chains, iterations), one after another."""
    iterations = range(1, draws.shape[1] + 1) if iterations is None else iterations
    return pd.concat(
        pd.DataFrame({"iteration": iterations, "objective": chain}).assign(
            dataset=dataset, method=method, K=K, seed=seed
        )
        for seed, chain in enumerate(draws)
    )


COLUMNS = ["dataset", "method", "K", "chains", "draws", "r_hat", "ess_bulk", "ess_tail", "converged"]


def test_the_draws_after_the_burn_in_are_diagnosed():
    draws = normal()
    draws[:, :100] += np.linspace(50, 0, 100)  # on their way
    (row,) = diagnose(traces_of(draws), {"beta-dir-gs": 100}).to_dict("records")
    found = chain_diagnostics(draws[:, 100:])
    assert list(row) == COLUMNS
    assert (row["dataset"], row["method"], row["K"]) == ("animals", "beta-dir-gs", 100)
    assert (row["chains"], row["draws"]) == (4, 900)
    assert (row["r_hat"], row["ess_bulk"], row["ess_tail"]) == found
    assert row["converged"] is True
    (row,) = diagnose(traces_of(draws), {"beta-dir-gs": 0}).to_dict("records")
    assert row["draws"] == 1000
    assert row["converged"] is False


def test_the_burn_in_itself_is_left_out():
    """Thinned traces: iterations 20, 40, ... of which those above 60 are kept."""
    traces = traces_of(normal(draws=8), iterations=range(20, 180, 20))
    (row,) = diagnose(traces, {"beta-dir-gs": 60}).to_dict("records")
    assert row["draws"] == 5


def test_the_order_of_rows_does_not_matter():
    traces = traces_of(normal(draws=200))
    shuffled = traces.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(diagnose(traces, {"beta-dir-gs": 50}), diagnose(shuffled, {"beta-dir-gs": 50}))


def test_one_row_per_dataset_method_and_K_that_samples():
    parts = [("paleo", "dir-dir-gs", 9), ("paleo", "beta-dir-gs", 9), ("animals", "dir-dir-gs", 9)]
    parts.append(("animals", "dir-dir-gs", 2))
    traces = pd.concat(
        [
            traces_of(normal(seed=1), "paleo", "bica", 5),
            *(traces_of(normal(seed=i), *part) for i, part in enumerate(parts)),
        ]
    )
    table = diagnose(traces, {"beta-dir-gs": 0, "dir-dir-gs": 500})
    assert list(table[["dataset", "method", "K"]].itertuples(index=False, name=None)) == parts
    assert table["draws"].tolist() == [500, 1000, 500, 500]
    assert table["converged"].all()


@pytest.mark.parametrize(
    ("draws", "shape"),
    [
        (normal(chains=1), (1, 1000)),
        (np.zeros((4, 100)), (4, 100)),
        (normal() + np.array([[0], [0], [0], [np.nan]]), (4, 1000)),
    ],
    ids=["one chain", "at rest", "NaN"],
)
def test_where_nothing_can_be_said_chains_have_not_converged(draws, shape):
    (row,) = diagnose(traces_of(draws), {"beta-dir-gs": 0}).to_dict("records")
    assert (row["chains"], row["draws"]) == shape
    assert np.isnan([row["r_hat"], row["ess_bulk"], row["ess_tail"]]).all()
    assert row["converged"] is False


def test_chains_recorded_at_other_iterations_have_not_converged():
    traces = traces_of(normal(draws=100))
    shorter = traces[(traces["seed"] > 0) | (traces["iteration"] <= 90)]
    (row,) = diagnose(shorter, {"beta-dir-gs": 0}).to_dict("records")
    assert np.isnan(row["r_hat"])
    assert row["converged"] is False


def test_without_chains_the_table_is_empty_with_its_columns():
    table = diagnose(traces_of(normal(), method="bica"), {})
    assert table.empty
    assert list(table.columns) == COLUMNS


def test_converged_survives_the_file(tmp_path):
    """Figures 7 to 10 read it back: true and false, also where all are alike."""
    for burn_in in (0, 998):
        table = diagnose(traces_of(normal()), {"beta-dir-gs": burn_in})
        table.to_csv(tmp_path / "t.csv", index=False)
        again = pd.read_csv(tmp_path / "t.csv")
        assert again["converged"].dtype == bool
        assert again["converged"].tolist() == [burn_in == 0]
