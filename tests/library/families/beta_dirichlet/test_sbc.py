"""Simulation-based calibration of every sampler, and the proof that it notices wrong ones."""

from dataclasses import replace

import ladder
import numpy as np
import pytest

import sbc

variants = pytest.mark.parametrize("name", sbc.VARIANTS)
FEW = 200  # replications
RIGHT = {"Beta-Dir": sbc.BetaDir(), "Dir-Dir": sbc.DirDir()}


@pytest.mark.statistics
@variants
def test_ranks_are_uniform(name):
    # 14 p-values per variant, false alarm rate 1e-6 each.
    sbc.assert_uniform(sbc.calibrate(sbc.VARIANTS[name], FEW, 21).ranks)


@pytest.mark.long
@variants
def test_ranks_are_uniform_long(name):
    calibration = sbc.full_run(name)
    # The draws are independent as far as 190 000 of them can tell: standard error 0.01.
    np.testing.assert_allclose(calibration.times, 1, atol=0.05)
    sbc.assert_uniform(calibration.ranks)


# --- The check notices wrong posteriors ------------------------------------------------------

SLIGHTLY_WRONG = {
    "gamma a fifth too large": ("Beta-Dir", {"gamma": 1.2 * sbc.GAMMA}),
    "eta a fifth too large": ("Dir-Dir", {"eta": 1.2 * sbc.ETA}),
}
PLAINLY_WRONG = {
    "alpha and beta swapped": ("Beta-Dir", {"alpha": sbc.BETA, "beta": sbc.ALPHA}),
    "alpha of the first component for all": ("Beta-Dir", {"alpha": np.full(4, sbc.ALPHA[0])}),
    "gamma in reverse order": ("Beta-Dir", {"gamma": sbc.GAMMA[::-1]}),
    "gamma and eta swapped": ("Dir-Dir", {"gamma": sbc.ETA, "eta": sbc.GAMMA}),
}
WRONG_HYPERPARAMETERS = SLIGHTLY_WRONG | PLAINLY_WRONG
long = pytest.mark.long  # what is more of the same


def assert_noticed(prior, *key, **options):
    calibration = sbc.calibrate(prior, FEW, *key, **options)
    with pytest.raises(AssertionError, match="ranks differ"):
        sbc.assert_uniform(calibration.ranks)


@pytest.mark.statistics
@pytest.mark.parametrize("error", [*SLIGHTLY_WRONG, *(pytest.param(error, marks=long) for error in PLAINLY_WRONG)])
def test_wrong_hyperparameters_are_noticed(error):
    model, wrong = WRONG_HYPERPARAMETERS[error]
    assert_noticed(RIGHT[model], 22, sampler=replace(RIGHT[model], **wrong))


@pytest.mark.statistics
@pytest.mark.parametrize("model", ["Beta-Dir", pytest.param("Dir-Dir", marks=long)])
def test_missing_cells_read_as_zeros_are_noticed(model):
    assert_noticed(RIGHT[model], 23, see=lambda codes: np.maximum(codes, 0))


@pytest.mark.statistics
def test_alternating_scheme_with_two_components_is_noticed():
    # With K = 2, eqs. (60)-(61) never change the pair of a zero: the chain does not reach its
    # posterior (test_slow_twins shows it exactly). The joint scheme does.
    prior = sbc.DirDir(np.array([0.6, 1.0]), np.array([0.5, 0.8]))
    sbc.assert_uniform(sbc.calibrate(prior, FEW, 24).ranks)
    assert_noticed(prior, 24, sampler=replace(prior, options={"scheme": "alternating"}))


@pytest.mark.parametrize("model", ["Dir-Dir", pytest.param("Beta-Dir", marks=long)])
def test_the_prior_in_place_of_the_posterior_is_noticed_by_the_likelihood_alone(model):
    hide_all = {"see": lambda codes: np.full_like(codes, -1)}
    p = sbc.p_values(sbc.calibrate(RIGHT[model], FEW, 25, **hide_all).ranks).min(axis=1)
    noticed = [s for s, x in zip(sbc.STATISTICS, p, strict=True) if x < ladder.FALSE_ALARM]
    assert noticed == ["log likelihood of V"]


@pytest.mark.parametrize("rho", [0.0, 0.3])
def test_autocorrelation_time(rho):
    # x_t = rho x_(t-1) + noise has the autocorrelations rho^lag. The mean over the series has a
    # standard error of about 0.01.
    noise = np.random.default_rng(26).standard_normal((1000, 200))
    series = np.zeros_like(noise)
    for t in range(1, len(noise)):
        series[t] = rho * series[t - 1] + noise[t]
    expected = 1 + 2 * (rho ** np.arange(1, sbc.MAX_LAG + 1)).sum()
    assert sbc.autocorrelation_time(series).mean() == pytest.approx(expected, abs=0.05)
