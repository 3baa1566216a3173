"""Draws, intervals and predictive checks: right in law, blind to labels, and within memory."""

import re

import intervals
import ladder
import naive
import numpy as np
import pandas as pd
import pytest
from matrices import blocks_matrix

import nbmf
from nbmf.data.matrix import as_codes
from nbmf.errors import ConfigError, DataError
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.models.urns import draw_weights
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.progress import FitRecorder
from nbmf.inference.state import Factors
from nbmf.posterior import intervals as module
from nbmf.posterior.draws import Draws, posterior_draws
from nbmf.posterior.observer import Observer
from nbmf.posterior.predictive_check import STATISTICS, Statistics, _replicate, predictive_p_values
from nbmf.posterior.store import kept_sweeps
from nbmf.registry import make_estimator
from nbmf.seeds import child, children, seed_sequence

GIBBS = ["BetaDirGibbs", "DirDirGibbs", "DirBetaGibbs"]
VARIATIONAL = ["BetaDirVB", "CollapsedBinaryICA", "BinaryICA", "DirBetaVB", "DirDirVB"]
LENGTHS = {"burn_in": 20, "n_samples": 30}


def make(name, K=3, random_state=0, **settings):
    lengths = LENGTHS if name in GIBBS else {"max_iter": 30}
    return make_estimator(name, K, lengths | settings, random_state)


CODES = blocks_matrix()


def products(draws):
    return np.einsum("sfk,skn->sfn", draws.W, draws.H, dtype=float)


# --- Draws -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*GIBBS, *VARIATIONAL])
def test_draws_are_factors_of_the_model_and_change_no_bit_of_the_fit(name):
    plain, drawn = make(name).fit(CODES), make(name)
    draws = posterior_draws(drawn, CODES, n_draws=7)
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(plain, attribute), getattr(drawn, attribute))
    assert draws.W.shape == (7, 14, 3)
    assert draws.H.shape == (7, 3, 11)
    for array in (draws.W, draws.H):
        assert array.dtype == np.float32
        assert array.min() >= 0
        assert array.max() <= 1
        assert len(np.unique(array, axis=0)) == 7
    if name not in ("DirBetaGibbs", "DirBetaVB"):
        np.testing.assert_allclose(draws.W.sum(axis=2), 1, atol=1e-6)
    if name not in ("BetaDirGibbs", "BetaDirVB", "CollapsedBinaryICA", "BinaryICA"):
        np.testing.assert_allclose(draws.H.sum(axis=1), 1, atol=1e-6)
    again = posterior_draws(make(name), CODES, n_draws=7)
    np.testing.assert_array_equal(draws.W, again.W)


def test_draws_come_from_evenly_spaced_kept_sweeps_and_the_last():
    assert kept_sweeps(make("BetaDirGibbs"), 3) == [30, 40, 50]
    assert kept_sweeps(make("BetaDirGibbs"), 4) == [27, 35, 42, 50]
    assert kept_sweeps(make("BetaDirGibbs"), 30) == list(range(21, 51))


def test_a_child_of_a_seed_depends_on_its_key_alone():
    seed = seed_sequence("fit")
    first = child(seed, "draw", 1).generate_state(4)
    seed.spawn(3)
    np.testing.assert_array_equal(first, child(seed, "draw", 1).generate_state(4))
    others = [child(seed, "draw", 2), child(seed_sequence("x"), "draw", 1), *children(seed, 9)]
    assert all((first != other.generate_state(4)).any() for other in others)


# Tiny matrices and the laws of W and H given their assignments, by enumeration.


def dirichlet_moments(c):
    """Return means (K,) and E[x_k x_l] (K, K) of Dirichlet(c)."""
    s = c.sum()
    return c / s, (np.outer(c, c) + np.diag(c)) / (s * (s + 1))


def beta_moments(a, b):
    """Return means (K,) and E[x_k x_l] (K, K) of independent Beta variables."""
    mean = a / (a + b)
    return mean, np.outer(mean, mean) + np.diag(mean * (1 - mean) / (a + b + 1))


def exact_moments(exact, row_law, column_law):
    """Return E[WH | V] and E[(WH)^2 | V], (F, N), from the moments of w_f and h_n given Z."""
    total = np.zeros((2, *exact.states.shape[1:]))
    for p, state in zip(exact.posterior, exact.states, strict=True):
        for f, n in np.ndindex(state.shape):
            (w, ww), (h, hh) = row_law(state, f), column_law(state, n)
            total[:, f, n] += p * np.array([w @ h, (ww * hh).sum()])
    return total


def exact_beta_dir(codes, K, alpha, beta, gamma):
    exact = naive.enumerate_beta_dir(codes, K, alpha, beta, gamma)
    alpha, beta, gamma = (naive.vector(x, K) for x in (alpha, beta, gamma))

    def column_law(Z, n):
        ones, zeros = (naive.tally(Z[codes[:, n] == value, n], K) for value in (1, 0))
        return beta_moments(alpha + ones, beta + zeros)

    return exact_moments(exact, lambda Z, f: dirichlet_moments(gamma + naive.tally(Z[f], K)), column_law)


def exact_dir_dir(codes, K, gamma, eta):
    exact = naive.enumerate_dir_dir(codes, K, gamma, eta)
    gamma, eta = naive.vector(gamma, K), naive.vector(eta, K)

    def law(prior, side):
        def moments(labels, line):
            assignments = naive.split_pairs(labels, K)[side]
            cells = assignments[line] if side == 0 else assignments[:, line]
            return dirichlet_moments(prior + naive.tally(cells, K))

        return moments

    return exact_moments(exact, law(gamma, 0), law(eta, 1))


def assert_moments(P, exact):
    """Compare means and mean squares of P = W_s H_s with the exact ones; they may be correlated."""
    for name, series, expected in zip(("mean", "square"), (P, P**2), exact, strict=True):
        p = ladder.means_p(*ladder.batch_means(series), expected)
        assert p > ladder.FALSE_ALARM, f"{name} of WH differs from the exact one, p = {p:.1e}"


CHAIN = {"burn_in": 100, "n_samples": 8000}


@pytest.mark.statistics
@pytest.mark.parametrize("case", ladder.BETA_DIR_CASES)
def test_draws_of_beta_dir_have_the_exact_mean_and_spread(case):
    codes, K, alpha, beta, gamma = ladder.BETA_DIR_CASES[case]
    priors = {"alpha": alpha, "beta": beta}
    exact = exact_beta_dir(codes, K, alpha, beta, gamma)
    chain = nbmf.BetaDirGibbs(K, **priors, gamma=gamma, **CHAIN, random_state=5)
    P = products(posterior_draws(chain, codes, n_draws=4000))
    assert_moments(P, exact)
    with pytest.raises(AssertionError, match="square of WH differs"):
        assert_moments((P + P.mean(axis=0)) / 2, exact)  # half the spread

    turned = nbmf.DirBetaGibbs(K, **priors, eta=gamma, **CHAIN, random_state=5)
    mirrored = posterior_draws(turned, codes.T, n_draws=4000)
    assert_moments(products(mirrored), exact.transpose(0, 2, 1))


@pytest.mark.statistics
@pytest.mark.parametrize("case", ladder.DIR_DIR_CASES)
def test_draws_of_dir_dir_have_the_exact_mean_and_spread(case):
    codes, K, gamma, eta = ladder.DIR_DIR_CASES[case]
    chain = nbmf.DirDirGibbs(K, gamma=gamma, eta=eta, **CHAIN, random_state=5)
    draws = posterior_draws(chain, codes, n_draws=4000)
    assert_moments(products(draws), exact_dir_dir(codes, K, gamma, eta))


def test_mean_field_draws_have_the_moments_of_q():
    fitted = make("BinaryICA")
    draws = posterior_draws(fitted, CODES, n_draws=4000)
    for factor, mean in ((draws.W, fitted.W_), (draws.H, fitted.H_)):
        assert ladder.means_p(*ladder.batch_means(factor), mean) > ladder.FALSE_ALARM


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 0.5, 1e6])
def test_weights_can_be_drawn_under_any_prior(prior):
    """Mean and square of each weight; without counts, all of them underflow in plain numbers."""
    counts, rng = np.tile([[0, 0, 0], [0, 2, 1]], (20_000, 1)), np.random.default_rng(0)
    weights = draw_weights(counts, np.full(3, prior), rng).reshape(-1, 2, 3)
    np.testing.assert_allclose(weights.sum(axis=2), 1)
    for row, c in enumerate(counts[:2]):
        mean, square = dirichlet_moments(prior + c)
        seen = mean > 0.01  # often enough for its mean to be normal
        for power, expected in ((1, mean), (2, np.diag(square))):
            series = weights[:, row, seen] ** power
            p = ladder.means_p(*ladder.batch_means(series), expected[seen])
            assert p > ladder.FALSE_ALARM


# --- Intervals -------------------------------------------------------------------------------


def assert_covers(shares, level):
    """The mean over replications against the level; false alarm rate 1e-6."""
    error = shares.std(ddof=1) / len(shares) ** 0.5
    p = ladder.means_p(shares.mean(), error, level, len(shares) - 1)
    assert p > ladder.FALSE_ALARM, f"covers {shares.mean():.3f} of the truth, not {level}"


def assert_coverage(name, replications, factor):
    """Intervals cover as they say, those shrunk by `factor` are noticed."""
    asked = [(level, f) for level in (0.5, 0.9) for f in (1.0, factor)]
    shares = intervals.coverages(name, replications, asked).shares
    for (level, f), covered in zip(asked, shares.T, strict=True):
        if f == 1:
            assert_covers(covered, level)
        else:
            with pytest.raises(AssertionError, match="of the truth"):
                assert_covers(covered, level)


@pytest.mark.statistics
@pytest.mark.parametrize("name", ["Beta-Dir GS", "Dir-Dir GS", "Dir-Beta GS"])
def test_intervals_cover_the_truth_as_often_as_they_say(name):
    assert_coverage(name, 60, factor=0.5)


@pytest.mark.long
@pytest.mark.parametrize("name", ["Beta-Dir GS", "Dir-Dir GS", "Dir-Beta GS", "Beta-Dir GS, learned priors"])
def test_intervals_cover_the_truth_as_often_as_they_say_long(name):
    assert_coverage(name, 3000, factor=0.92)


def random_draws(S=40, F=6, K=3, N=5, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.dirichlet(np.ones(K), (S, F)).astype(np.float32)
    H = rng.random((S, K, N), np.float32)
    return draws_of(W, H)


def draws_of(W, H, estimator=nbmf.BetaDirVB, reference=None):
    """Return Draws of W (S, F, K) and H (S, K, N), those of a fit with `reference` or the last."""
    fitted = estimator()
    fitted.W_, fitted.H_ = (W[-1], H[-1]) if reference is None else reference
    return Draws(fitted, [Factors(*factors) for factors in zip(W, H, strict=True)])


def relabelled(draws, order):
    """Return the draws with component order[s, k] of draw s as its component k."""
    return draws_of(
        np.take_along_axis(draws.W, order[:, None, :], 2),
        np.take_along_axis(draws.H, order[:, :, None], 1),
        reference=(draws.estimator.W_, draws.estimator.H_),
    )


def test_intervals_are_quantiles_in_blocks_of_any_size(monkeypatch):
    draws, few = random_draws(), random_draws(S=3)
    expected = np.quantile(products(draws), [0.1, 0.9], axis=0, method="weibull")
    for block in (module.BLOCK, 200, 1):
        monkeypatch.setattr(module, "BLOCK", block)
        P = products(few)  # too few for 80 %: all there are
        np.testing.assert_allclose(few.expectation_interval(0.8), [P.min(0), P.max(0)], rtol=1e-6)
        interval = draws.expectation_interval(0.8)
        assert interval[0].dtype == interval[1].dtype == np.float32
        np.testing.assert_allclose(interval, expected, atol=1e-6)


def test_intervals_of_factors_undo_switched_labels(monkeypatch):
    """Draws around fixed factors, each with its components in an order of its own."""
    rng, S = np.random.default_rng(2), 60
    W = np.kron(np.eye(3), np.ones((4, 1))) * 0.8 + 0.2 / 3
    H = np.array([[0.9, 0.9, 0.1, 0.1], [0.1, 0.9, 0.1, 0.9], [0.05, 0.05, 0.1, 0.05]])
    near_W, near_H = (x + rng.uniform(-0.05, 0.05, (S, *x.shape)) for x in (W, H))
    still = draws_of(near_W / near_W.sum(axis=2, keepdims=True), near_H, reference=(W, H))
    order = np.array([rng.permutation(3) for _ in range(S)])
    order[:20] = np.arange(3)
    switched = relabelled(still, order)
    assert still.alignment.moved == 0
    np.testing.assert_array_equal(np.argsort(order, axis=1), switched.alignment.order)
    shares = still.W.mean(axis=1)
    moved = np.where(switched.alignment.order != np.arange(3), shares, 0)
    assert switched.alignment.moved == pytest.approx(moved.sum(axis=1).mean())
    assert switched.alignment.overlap.min() > 0.99
    monkeypatch.setattr(module, "BLOCK", 200)
    for name, true in (("dictionary_interval", W), ("activation_interval", H)):
        lower, upper = getattr(switched, name)()
        assert lower.shape == true.shape
        np.testing.assert_array_equal((lower, upper), getattr(still, name)())
        assert ((lower < true) & (true < upper)).all()


def test_a_component_that_is_another_one_in_every_draw_has_no_overlap():
    rng, S = np.random.default_rng(3), 50
    W = np.full((S, 20, 2), 0.02)
    for draw in W:
        draw[rng.permutation(20)[:5], 0] = 0.98
    W[..., 1] = 1 - W[..., 0]
    draws = draws_of(W, rng.random((S, 2, 8)), reference=(W[-1], np.full((2, 8), 0.5)))
    assert draws.alignment.overlap.min() < 0.8 < draws.alignment.overlap.max()


# --- What does not depend on labels ----------------------------------------------------------


def test_co_clustering_against_its_definition():
    draws = random_draws()
    rows = np.einsum("sfk,sgk->fg", draws.W, draws.W) / 40
    np.testing.assert_allclose(draws.co_clustering(0), rows, atol=1e-5)
    shares = draws.W.mean(axis=1)
    agree = np.einsum("sk,skn,skm->nm", shares, draws.H, draws.H)
    agree += np.einsum("sk,skn,skm->nm", shares, 1 - draws.H, 1 - draws.H)
    np.testing.assert_allclose(draws.co_clustering(1), agree / 40, atol=1e-5)
    turned = draws_of(draws.H.transpose(0, 2, 1), draws.W.transpose(0, 2, 1), estimator=nbmf.DirBetaVB)
    for axis in (0, 1):
        np.testing.assert_allclose(turned.co_clustering(axis), draws.co_clustering(1 - axis), atol=1e-6)


def test_shares_and_co_clustering_do_not_depend_on_labels():
    draws, rng = random_draws(), np.random.default_rng(1)
    order = np.array([rng.permutation(3) for _ in range(40)])
    switched = relabelled(draws, order)
    np.testing.assert_allclose(switched.shares(), draws.shares(), rtol=1e-6)
    assert (np.diff(draws.shares(), axis=1) <= 0).all()
    for axis in (0, 1):
        np.testing.assert_allclose(switched.co_clustering(axis), draws.co_clustering(axis), rtol=1e-5)


def test_rows_of_one_kind_go_together():
    codes = blocks_matrix(20, 16)
    draws = posterior_draws(make("BetaDirGibbs", n_samples=200), codes, n_draws=50)
    together = draws.co_clustering(0)
    same = np.arange(20)[:, None] % 2 == np.arange(20) % 2
    assert together[same].min() > together[~same].max()


# --- Predictive checks -----------------------------------------------------------------------


def test_p_values_against_their_formula():
    replicates = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    np.testing.assert_allclose(predictive_p_values(np.array([2.0, 1.0]), replicates), [1, 0.4])
    np.testing.assert_allclose(predictive_p_values(np.array([0.5, 0.0]), replicates), [0.4, 1])


def test_statistics_against_their_definitions():
    rng = np.random.default_rng(4)
    codes = rng.integers(-1, 2, (7, 9))
    codes[2] = -1  # a row without observations counts nowhere
    ones, observed = codes == 1, codes >= 0
    found = dict(zip(STATISTICS, Statistics(observed)(ones), strict=True))
    V = np.where(observed, codes, np.nan)
    rows = [np.nanmean(row) for row in np.delete(V, 2, axis=0)]
    assert found["proportion of ones"] == pytest.approx(np.nanmean(V))
    assert found["sd of row means"] == pytest.approx(np.std(rows))
    assert found["sd of column means"] == pytest.approx(np.std(np.nanmean(V, axis=0)))
    centred = np.nan_to_num(V - np.nanmean(V, axis=0))
    assert found["largest singular value"] == pytest.approx(np.linalg.norm(centred, 2), rel=1e-4)
    closed = [
        ones[g, m]
        for f in range(7)
        for g in range(7)
        for n in range(9)
        for m in range(9)
        if f != g and n != m and ones[f, n] and ones[f, m] and ones[g, n]
    ]
    assert found["transitivity"] == pytest.approx(np.mean(closed))
    turned = Statistics(observed.T)(ones.T)
    assert turned[4] == pytest.approx(found["transitivity"])
    nothing = Statistics(observed)(np.zeros_like(ones))
    np.testing.assert_array_equal(nothing, 0)


def test_a_model_that_made_the_data_is_not_doubted_and_another_one_is():
    rng = np.random.default_rng(5)
    _, _, V = beta_dir.simulate(60, 40, 3, 0.4, 0.4, 0.2, rng)
    V = np.where(rng.random(V.shape) < 0.8, V, -1)
    draws = posterior_draws(
        nbmf.BetaDirGibbs(3, alpha=0.4, beta=0.4, gamma=0.2, burn_in=100, n_samples=100, random_state=0), V, n_draws=99
    )
    table = draws.predictive_check(V)
    assert list(table.index) == list(STATISTICS)
    assert list(table.columns) == ["observed", "mean", "lower", "upper", "p_value"]
    assert table.loc["proportion of ones", "observed"] == pytest.approx(V[V >= 0].mean())
    assert (table["p_value"] > 0.05).all()
    assert table.equals(draws.predictive_check(V))
    assert not table.equals(draws.predictive_check(V, seed=1))

    alone = posterior_draws(make("BetaDirGibbs", K=1), V, n_draws=30).predictive_check(V)
    assert (alone.loc["sd of row means", "p_value"]) == pytest.approx(2 / 31)
    assert (alone.loc["largest singular value", "p_value"]) == pytest.approx(2 / 31)
    assert alone.loc["sd of column means", "p_value"] > 0.1  # those it can have


# --- Monitors --------------------------------------------------------------------------------


def recorder(total=50):
    return FitRecorder(total, 7, lambda state: float(state.expectation().mean()), [].append)


@pytest.mark.parametrize("name", ["BetaDirGibbs", "DirBetaGibbs", "BetaDirVB"])
def test_a_monitor_sees_what_it_sees_alone(name):
    estimators = [make(name), make(name)]
    alone, beside = (recorder(50 if name in GIBBS else 30) for _ in range(2))
    estimators[0].fit(CODES, monitor=alone)
    posterior_draws(estimators[1], CODES, n_draws=11, monitor=beside)
    assert alone.trace == beside.trace


class Strides:
    """A monitor that asks for one iteration after another, as the command line's does."""

    def __init__(self):
        self.seen = []

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return iteration + 7

    def __call__(self, iteration, total, state):
        self.seen.append(iteration)


@pytest.mark.parametrize("n_draws", [1, 10, 30])
def test_a_monitor_that_counts_from_its_last_call_is_called_as_often(n_draws):
    alone, beside = Strides(), Strides()
    make("BetaDirGibbs").fit(CODES, monitor=alone)
    posterior_draws(make("BetaDirGibbs"), CODES, n_draws=n_draws, monitor=beside)
    assert 50 in beside.seen
    assert max(np.diff([0, *beside.seen])) <= 7
    assert len(beside.seen) <= len(alone.seen) + 1


def test_a_monitor_sees_the_end_of_a_fit_that_stops_early():
    seen = Strides()
    fitted = nbmf.BetaDirVB(3, max_iter=2000, mean_change_tol=1e-4, random_state=0)
    observer = Observer([(range(10, 2000, 10), lambda number, state: None)], seen)
    fitted.fit(CODES, monitor=observer)
    observer.finish()
    assert fitted.n_iter_ < 2000
    assert seen.seen[-1] == fitted.n_iter_
    assert len(set(seen.seen)) == len(seen.seen)


class Killed(BaseException):
    """Nothing of the package catches it."""


def test_a_killed_chain_goes_on_with_its_draws(tmp_path):
    class Dies(FitRecorder):
        def __call__(self, iteration, total, state):
            super().__call__(iteration, total, state)
            if iteration >= 130:
                raise Killed

    def monitor(kind):
        recorder = kind(200, 40, lambda state: 0.0, [].append)
        return Checkpoint(tmp_path / "chain.npz", lambda: "same", recorder, 0, lines.append)

    lines, lengths = [], {"burn_in": 100, "n_samples": 100}
    expected = posterior_draws(make("BetaDirGibbs", **lengths), CODES, n_draws=20)
    with pytest.raises(Killed):
        posterior_draws(make("BetaDirGibbs", **lengths), CODES, n_draws=20, monitor=monitor(Dies))
    resumed = posterior_draws(make("BetaDirGibbs", **lengths), CODES, n_draws=20, monitor=monitor(FitRecorder))
    assert re.search(r"going on after iteration 12\d", lines[-1])
    np.testing.assert_array_equal(resumed.W, expected.W)
    np.testing.assert_array_equal(resumed.H, expected.H)


# --- Bad input -------------------------------------------------------------------------------


def refused(message, *arguments, error=ConfigError, **options):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        posterior_draws(*arguments, **options)


@pytest.mark.parametrize("name", ["LogisticPCA", "LDA"])
def test_a_method_without_a_posterior_says_so(name):
    message = f"{name} has no posterior distribution to draw from: it is a point estimate; samplers"
    refused(message, nbmf.registry.make_estimator(name, 2, {}), CODES)


@pytest.mark.parametrize(
    "estimator", [nbmf.LogisticPCA(2, max_iter=10**9, deviance_gain_tol=0.0), nbmf.LDA(2, max_iter=10**9)]
)
def test_it_says_so_before_the_fit(estimator):
    refused(f"{type(estimator).__name__} has no posterior", estimator, CODES)


def test_no_more_draws_than_kept_sweeps_and_memory():
    refused(
        "n_draws = 31: BetaDirGibbs keeps n_samples = 30 sweeps; allowed: 1 to 30",
        make("BetaDirGibbs"),
        CODES,
        n_draws=31,
    )
    for wrong in (0, -1, 2.5, True):
        refused(f"n_draws = {wrong!r}: must be an integer of at least 1", make("BetaDirGibbs"), CODES, n_draws=wrong)
    refused("max_memory_gb = 0", make("BetaDirGibbs"), CODES, n_draws=3, max_memory_gb=0)
    budget = {"n_draws": 25, "max_memory_gb": 6000e-9}  # 25 draws take 7500 bytes
    refused(
        "n_draws = 25 with n_components = 3 need 7.5e-06 GB, max_memory_gb = 6e-06: what fits is "
        "n_draws up to 20, or n_components up to 2, or a larger max_memory_gb",
        make("BetaDirGibbs"),
        CODES,
        **budget,
    )
    posterior_draws(make("BetaDirGibbs"), CODES, n_draws=20, max_memory_gb=6000e-9)
    refused(
        "n_draws = 25 with n_components = 3 need 7.5e-06 GB, max_memory_gb = 2e-07: what fits is "
        "a larger max_memory_gb",
        make("BetaDirGibbs"),
        CODES,
        **budget | {"max_memory_gb": 2e-7},
    )


def test_what_is_asked_of_draws_has_to_make_sense():
    draws = random_draws()
    for wrong in (0, 1, -0.5, 90, "0.9", True):
        for interval in (draws.expectation_interval, draws.dictionary_interval):
            with pytest.raises(ConfigError, match="must be a number between 0 and 1"):
                interval(wrong)
    with pytest.raises(ConfigError, match=r"^axis = 2: must be 0 \(rows\) or 1 \(columns\)"):
        draws.co_clustering(2)
    with pytest.raises(DataError, match=r"shape \(5, 6\): the draws are of a matrix of \(6, 5\)"):
        draws.predictive_check(np.zeros((5, 6)))
    with pytest.raises(ConfigError, match=r"^seed = -1: must be an integer of at least 0"):
        draws.predictive_check(np.zeros((6, 5)), seed=-1)


def test_a_matrix_with_columns_in_another_order_is_not_that_of_the_fit():
    frame = pd.DataFrame(np.eye(6)[:, :5], columns=list("abcde"))
    draws = posterior_draws(make("BetaDirGibbs"), frame, n_draws=5)
    assert draws.predictive_check(frame).equals(draws.predictive_check(frame.to_numpy()))
    with pytest.raises(DataError, match=r"column 0 .* of V is 'b'; in the matrix that was fitted it is 'a'"):
        draws.predictive_check(frame[list("bacde")])


def test_a_bad_matrix_is_refused_as_by_fit():
    refused("row 0, column 0", make("BetaDirGibbs"), [[2.0, 1.0]], error=DataError)
    assert as_codes(CODES).dtype == np.int8


def test_a_function_is_no_monitor_and_a_level_may_be_of_any_float_type():
    estimator = nbmf.BetaDirVB(2, max_iter=3, random_state=0)
    for fit in (estimator.fit, lambda V, monitor: posterior_draws(estimator, V, n_draws=2, monitor=monitor)):
        with pytest.raises(ConfigError, match=r"^monitor is of type builtin_function_or_method; allowed: an object"):
            fit(np.eye(3), monitor=print)
    draws = posterior_draws(estimator, np.eye(3), n_draws=20)
    for one, other in zip(draws.expectation_interval(np.float32(0.5)), draws.expectation_interval(0.5), strict=True):
        np.testing.assert_array_equal(one, other)


def test_replicates_of_ties_draw_each_pair_once_and_the_diagonal_as_it_is():
    mean = np.random.default_rng(1).random((5, 5))
    uniform = np.random.default_rng(2).random((5, 5), np.float32)
    drawn = _replicate(mean, True, np.random.default_rng(2))
    for i in range(5):
        for j in range(i, 5):
            assert drawn[i, j] == drawn[j, i] == (uniform[i, j] < (mean[i, j] + mean[j, i]) / 2)
    np.testing.assert_array_equal(_replicate(mean, False, np.random.default_rng(2)), uniform < mean)
