"""Several chains: the same whatever runs beside them, diagnosed without labels, stopped at once."""

import dataclasses
import functools
import math
import os
import re
import signal
import threading
import time
import warnings

import arviz_base
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from arviz_stats.base import array_stats
from blas_threads import blas_threads
from matrices import blocks_matrix
from threadpoolctl import threadpool_limits

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, DataError
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.progress import FitRecorder
from nbmf.posterior.draws import posterior_draws
from nbmf.posterior.recording import RecordingPlan
from nbmf.posterior.store import kept_sweeps
from nbmf.registry import make_estimator

pytestmark = pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")

HANGING = 600  # seconds
GIBBS = ["BetaDirGibbs", "DirDirGibbs", "DirBetaGibbs"]
OTHERS = ["BetaDirVB", "CollapsedBinaryICA", "BinaryICA", "DirBetaVB", "DirDirVB", "LDA"]
OTHERS += ["LogisticPCA"]


def make(name, K=3, random_state=0, **settings):
    lengths = {"burn_in": 20, "n_samples": 40} if name in GIBBS else {"max_iter": 20}
    return make_estimator(name, K, lengths | settings, random_state)


CODES = blocks_matrix()


def run(estimator, V=CODES, **options):
    """Run chains whose warning does not matter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotConvergedWarning)
        return nbmf.run_chains(estimator, V, **options)


def assert_same_bits(one, other):
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))


# --- Running ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*GIBBS, *OTHERS])
def test_a_chain_is_the_same_whatever_runs_next_to_it(name):
    several = run(make(name), chains=3, n_jobs=2)
    one_by_one = run(make(name), chains=2, n_jobs=1)
    for one, other in zip(several.estimators, one_by_one.estimators, strict=False):
        assert_same_bits(one, other)
    for values in several.trace.values():
        assert len(values) == 3
    assert_same_bits(several.estimators[0], make(name).fit(CODES))
    if name != "LogisticPCA":  # which does not start at random
        assert (several.estimators[1].W_ != several.estimators[2].W_).any()


def test_the_estimator_itself_is_left_alone_and_threads_give_way():
    during = []

    class Recorded(nbmf.BetaDirGibbs):
        def fit(self, V, monitor=None):
            during.append(self.threads)
            return super().fit(V, monitor=monitor)

    estimator = Recorded(3, burn_in=5, n_samples=5, threads=2, random_state=0)
    result = run(estimator, chains=2)
    assert during == [1, 1]
    assert not hasattr(estimator, "W_")
    assert estimator.threads == 2
    assert [one.threads for one in result.estimators] == [2, 2]
    assert_same_bits(result.estimators[0], estimator.fit(CODES))


def test_without_a_seed_chains_differ_from_each_other_and_from_the_next_time():
    first, second = (run(make("BetaDirGibbs", random_state=None), chains=2) for _ in range(2))
    dictionaries = [one.W_ for result in (first, second) for one in result.estimators]
    assert all((dictionaries[0] != other).any() for other in dictionaries[1:])
    again = type(first.estimators[0])(**first.estimators[0].get_params()).fit(CODES)
    assert_same_bits(again, first.estimators[0])  # the seed that it drew is kept


def test_draws_are_those_of_posterior_draws_and_change_nothing():
    plain, drawn = run(make("BetaDirGibbs"), chains=2), run(make("BetaDirGibbs"), chains=2, n_draws=8)
    assert plain.draws is None
    for i, (one, other) in enumerate(zip(plain.estimators, drawn.estimators, strict=True)):
        assert_same_bits(one, other)
        alone = posterior_draws(type(one)(**one.get_params()), CODES, n_draws=8)
        np.testing.assert_array_equal(alone.W, drawn.draws.W[8 * i : 8 * i + 8])
        np.testing.assert_array_equal(alone.H, drawn.draws.H[8 * i : 8 * i + 8])
    assert drawn.draws.estimator is drawn.best


def test_components_of_all_chains_are_aligned_with_the_best_one():
    """Chains number components each in its own way: without alignment, intervals are wide."""
    codes = blocks_matrix(40, 40)
    drawn = run(make("BetaDirGibbs", K=2, gamma=0.3, n_samples=100), codes, chains=6, n_draws=20)
    assert 0.1 < drawn.draws.alignment.moved < 0.9
    lower, upper = drawn.draws.dictionary_interval()
    raw = np.quantile(drawn.draws.W, [0.05, 0.95], axis=0)
    assert (upper - lower).mean() < 0.5 < (raw[1] - raw[0]).mean()
    assert ((lower - 0.05 < drawn.best.W_) & (upper + 0.05 > drawn.best.W_)).mean() > 0.9


class Ticks:
    """A monitor that counts its calls, and may do something at one of them."""

    def __init__(self, every=10, at=None, action=None):
        self.iterations, self._every, self._at, self._action = [], every, at, action

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return (iteration // self._every + 1) * self._every

    def __call__(self, iteration, total, state):
        self.iterations.append(iteration)
        if self._at is not None and iteration >= self._at:
            self._action()


@pytest.mark.parametrize(("name", "end"), [("DirBetaGibbs", 60), ("BetaDirVB", 20), ("LDA", 20)])
def test_every_chain_has_a_monitor_of_its_own(name, end):
    monitors = [Ticks(), Ticks(), None]
    run(make(name), chains=3, monitor_of=monitors.__getitem__)
    expected = list(range(10, end + 1, 10))
    assert monitors[0].iterations == monitors[1].iterations == expected


ENDLESS = {"burn_in": 10**9, "n_samples": 1}  # what does not stop them hangs


def raise_error():
    raise RuntimeError("the disk is full")


def test_when_one_chain_fails_all_stop():
    monitors = [None, Ticks(at=1000, action=raise_error), None]
    with pytest.raises(RuntimeError, match="the disk is full"):
        run(make("BetaDirGibbs", **ENDLESS), chains=3, n_jobs=2, monitor_of=monitors.__getitem__)
    assert not [t for t in threading.enumerate() if t.name.startswith("nbmf")]


@pytest.fixture
def heeding_interrupts():
    """Python's own answer to Ctrl-C: a shell that runs tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", ["BetaDirGibbs", "BetaDirVB"])
def test_an_interrupt_stops_all_chains(name, heeding_interrupts):
    settings = ENDLESS if name in GIBBS else {"max_iter": 10**9}

    def interrupt():
        os.kill(os.getpid(), signal.SIGINT)

    monitor = Ticks(every=10**9)  # whose own calls never come
    timer = threading.Timer(0.5, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(make(name, **settings), chains=3, n_jobs=2, monitor_of=lambda i: monitor)
    assert not [t for t in threading.enumerate() if t.name.startswith("nbmf")]


def test_blas_is_on_one_thread_until_the_last_chain_ends():
    """The end of the first chain, which undoes its own limit, must not undo the second's."""
    second_runs, first_ends, seen = threading.Event(), threading.Event(), []

    class First(Ticks):
        def __call__(self, iteration, total, state):
            assert second_runs.wait(HANGING)
            if iteration == total:
                first_ends.set()

    class Second(Ticks):
        def __call__(self, iteration, total, state):
            second_runs.set()
            if iteration == total:
                assert first_ends.wait(HANGING)
                time.sleep(0.3)  # until it has ended
                seen.append(blas_threads())

    with threadpool_limits(limits=2, user_api="blas"):
        run(make("BetaDirGibbs"), chains=2, n_jobs=2, monitor_of=[First(), Second()].__getitem__)
        assert blas_threads() == {2}
    assert seen == [{1}]


def test_an_interrupted_chain_goes_on_with_what_it_recorded(tmp_path):
    class Killed(BaseException):
        pass

    def kill():
        raise Killed

    lines, lengths = [], {"burn_in": 100, "n_samples": 100}

    def checkpoint(i):
        recorder = FitRecorder(200, 40, lambda state: 0.0, [].append)
        return Checkpoint(tmp_path / f"{i}.npz", lambda: "same", recorder, 0, lines.append)

    class Dying(Checkpoint):
        def __call__(self, iteration, total, state):
            super().__call__(iteration, total, state)
            if iteration >= 150:
                kill()

    def dying(i):
        recorder = FitRecorder(200, 40, lambda state: 0.0, [].append)
        return Dying(tmp_path / f"{i}.npz", lambda: "same", recorder, 0, lines.append)

    expected = run(make("BetaDirGibbs", **lengths), chains=2, n_draws=10)
    with pytest.raises(Killed):
        run(make("BetaDirGibbs", **lengths), chains=2, n_jobs=1, n_draws=10, monitor_of=dying)
    resumed = run(make("BetaDirGibbs", **lengths), chains=2, n_jobs=1, n_draws=10, monitor_of=checkpoint)
    assert any("going on after iteration" in line for line in lines)
    for name, values in expected.trace.items():
        np.testing.assert_array_equal(resumed.trace[name], values)
    np.testing.assert_array_equal(resumed.draws.H, expected.draws.H)


# --- What is recorded ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_samples", "n_draws", "recorded"),
    [(1000, 0, 250), (1000, 200, 400), (1000, 20, 260), (100, 0, 100), (100, 30, 90), (3, 0, 3)],
)
def test_draws_are_among_the_recorded_sweeps(n_samples, n_draws, recorded):
    estimator = make("BetaDirGibbs", n_samples=n_samples)
    plan = RecordingPlan.of(estimator, CODES.shape, n_draws, 1.0, 4)
    assert plan.n_recorded == recorded
    sweeps = kept_sweeps(estimator, plan.n_recorded)
    own = kept_sweeps(estimator, plan.n_kept)
    assert sweeps[plan.per_kept - 1 :: plan.per_kept] == own
    assert len(set(sweeps)) == recorded


@pytest.mark.parametrize("name", GIBBS)
def test_a_trace_holds_what_the_assignments_say(name):
    """Against the draws at every sweep: their mean is what is recorded given the assignments."""
    result = run(make(name, n_samples=40), chains=2, n_draws=40)
    trace = result.trace
    assert trace["entries"].shape == (2, 40, 50)
    rows, columns = result._plan.places
    drawn = np.einsum("sek,ske->se", result.draws.W[:, rows], result.draws.H[:, :, columns])
    recorded = trace["entries"].reshape(80, 50)
    assert np.abs((drawn - recorded).mean(axis=0)).max() < 5 * 0.3 / 80**0.5
    np.testing.assert_allclose(
        recorded.mean(axis=0), result.expectation[rows, columns], rtol=1e-9
    )  # all kept sweeps are recorded, so their mean is the estimate
    held = result.draws.W if name != "DirBetaGibbs" else result.draws.H.transpose(0, 2, 1)
    shares = -np.sort(-held.mean(axis=1), axis=1)
    np.testing.assert_allclose(trace["shares"].reshape(80, 3).mean(0), shares.mean(0), atol=0.1)
    observed = CODES >= 0
    losses = [one.expectation_[observed] for one in result.estimators]
    expected = [-np.log(np.where(CODES[observed] == 1, p, 1 - p)).mean() for p in losses]
    np.testing.assert_allclose(result.losses, expected)
    assert result.best is result.estimators[int(np.argmin(expected))]
    assert (-trace["log likelihood"].mean(axis=1) / observed.sum() > result.losses).all()  # Jensen


def test_starts_are_recorded_at_their_end():
    result = run(make("BinaryICA"), chains=3)
    assert {values.shape[:2] for values in result.trace.values()} == {(3, 1)}
    first = result.estimators[0]
    entries = result.trace["entries"][0, 0]
    np.testing.assert_array_equal(entries, first.expectation_[result._plan.places])
    assert np.isfinite(result.trace["objective"]).all()
    assert np.isnan(run(make("BetaDirVB"), chains=2).trace["objective"]).all()
    table = result.diagnostics
    assert table["r_hat"].isna().all()
    assert table["quantity"].tolist()[:3] == ["objective", "log likelihood", "active components"]
    assert table.loc[0, "mean"] == pytest.approx(result.trace["objective"].mean())
    assert table.loc[1, "spread"] == pytest.approx(result.trace["log likelihood"].std(ddof=1))


def test_how_many_components_are_active_does_not_say_whether_starts_agree():
    """Where the share of one is near the limit, it counts in some of them."""
    result = run(make("BetaDirVB", max_iter=50), chains=2)
    same = {name: np.repeat(values[:1], 2, axis=0) for name, values in result.trace.items()}
    assert replaced_trace(result, same).converged
    flickering = {"active components": same["active components"] + np.arange(2.0)[:, None]}
    assert replaced_trace(result, same | flickering).converged
    sampled = run(make("BetaDirGibbs"), chains=2)
    same = {name: np.repeat(values[:1, :1], 2, axis=0).repeat(50, axis=1) for name, values in sampled.trace.items()}
    flickering = {"active components": same["active components"] + np.arange(2.0)[:, None]}
    assert replaced_trace(sampled, same).converged
    assert not replaced_trace(sampled, same | flickering).converged


def replaced_trace(result, trace):
    """Return chains with another trace."""
    other = dataclasses.replace(result, values=result.values)
    other.__dict__["trace"] = trace
    return other


def test_starts_of_large_counts_end_together_where_they_differ_by_less_than_a_percent():
    rng = np.random.default_rng(0)
    rates = np.outer(rng.gamma(2, 1e3, 12), rng.gamma(2, 10, 8))
    counts = nbmf.CountMatrix.from_array(rng.poisson(rates))
    result = run(make_estimator("PoissonGammaVB", 1, {"max_iter": 3}, 0), counts, chains=3)
    entries = result.trace["entries"][:, 0]
    differences = entries.std(axis=0, ddof=1)
    assert (differences > 0.01).mean() > 0.5  # absolutely, they look apart
    assert (differences < 0.01 * entries.mean(axis=0)).all()
    assert result.converged
    wide = dataclasses.replace(result, values=result.values)
    wide.__dict__["trace"] = result.trace | {"entries": result.trace["entries"] * np.array([1, 1.1, 1])[:, None, None]}
    assert not wide.converged


def test_starts_agree_on_answers_by_the_same_measure_at_both_ends():
    """At the low end they had to be four times as near as at the high end, where reversed questions have theirs."""
    rng = np.random.default_rng(0)
    answers = nbmf.CategoryMatrix.from_array(
        np.clip(rng.normal(2, 1.5, (30, 1)) + rng.normal(0, 1, (30, 6)), 0, 4).round()
    )
    result = run(make_estimator("OrdinalFactorVB", 1, {"max_iter": 20}, 0), answers, chains=3)
    apart = np.array([-0.03, 0, 0.03])[:, None, None]  # of four steps from the lowest to the highest
    for place in (0.1, 3.9):
        for factor, agree in ((1, True), (2, False)):
            ends = dataclasses.replace(result, values=result.values)
            ends.__dict__["trace"] = result.trace | {"entries": place + factor * apart + 0 * result.trace["entries"]}
            entries = ends.diagnostics[ends.diagnostics["quantity"].str.startswith("E[v]")]
            assert (entries["converged"] == agree).all()


# --- Verdict and advice ----------------------------------------------------------------------


def test_chains_of_an_easy_matrix_have_converged_without_a_word():
    estimator = make("BetaDirGibbs", K=2, gamma=1.0, burn_in=300, n_samples=1500)
    codes = blocks_matrix(12, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = nbmf.run_chains(estimator, codes, chains=4)
    assert result.converged
    assert result.advice == ""
    assert repr(result) == "<4 chains of BetaDirGibbs, converged>"
    table = result.diagnostics
    assert list(table.columns) == ["quantity", "mean", "spread", "r_hat", "ess_bulk", "ess_tail", "converged"]
    assert table["quantity"].tolist()[:4] == ["log joint", "log likelihood", "active components", "share 1"]
    assert (table["r_hat"].dropna() < 1.02).all()


@functools.cache
def four_chains():
    return run(make("BetaDirGibbs", n_samples=1000, burn_in=500))


def fake(trace_of, **traces):
    """Return Chains whose log joint is what `trace_of(chain, sweeps)` says, the rest noise.

    `traces` replaces, or changes in place, what is recorded of other quantities.
    """
    result = four_chains()
    rng = np.random.default_rng(7)
    trace = {name: rng.normal(5, 1, values.shape) for name, values in result.trace.items()}
    chains, sweeps = trace["objective"].shape
    means = [-1000 + trace_of(chain, np.arange(sweeps)) for chain in range(chains)]
    trace["objective"] = np.array(means) + rng.normal(0, 1, (chains, sweeps))
    for name, change in traces.items():
        change(trace[name.replace("_", " ")])
    return dataclasses.replace(result, trace=trace)


def noise(chain, sweep):
    return 0 * sweep


@pytest.mark.parametrize(
    ("trace_of", "words"),
    [
        (noise, ""),
        (
            lambda chain, sweep: 20 * chain + 0 * sweep,
            r"log joint has R-hat \d\.\d+ and an effective sample size of \d+; converged is below 1.01 and above "
            r"400. Each chain stays in its own mode, so longer chains hardly help: use "
            r".expectation, the mean over chains, and .best for pictures, "
            r"or try block_moves = True$",
        ),
        (
            lambda chain, sweep: sweep / 50 + chain,
            r"They are still on their way, or move slowly: try burn_in = 3000 and n_samples = 10000; or use .expec",
        ),
        (lambda chain, sweep: 3 * np.sin(sweep / 20 + chain), r"They agree but move slowly: try n_samples = 10000$"),
        (
            lambda chain, sweep: 0.4 * chain + 0 * sweep,
            r"They differ little and move slowly: try n_samples = \d+; or use",
        ),
    ],
    ids=["converged", "apart", "moving", "slow", "slightly apart"],
)
def test_advice_tells_what_to_do(trace_of, words):
    result = fake(trace_of)
    assert result.converged == (words == "")
    assert re.search(words, result.advice)
    if words:
        assert result.advice.startswith("4 chains of BetaDirGibbs have not converged: log joint has ")


def test_advice_is_long_enough_for_the_quantity_that_moves_slowest():
    def slow(values):
        values[:] += 3 * np.sin(np.arange(values.shape[1]) / 10)

    result = fake(lambda chain, sweep: 0.15 * chain + 0 * sweep, log_likelihood=slow)
    table = result.diagnostics.set_index("quantity")
    worst, slowest = table.loc["log joint"], table.loc["log likelihood"]
    assert max(1.01, slowest["r_hat"]) < worst["r_hat"] < 1.05
    assert slowest["ess_bulk"] < 200 < worst["ess_bulk"]
    times = math.ceil(400 / slowest["ess_bulk"])
    assert 2 < times < 10
    sizes = rf"of {worst['ess_bulk']:.0f}, log likelihood one of {slowest['ess_bulk']:.0f}; converged"
    assert re.search(rf"log joint has R-hat .* {sizes} .* n_samples = {times * 1000}$", result.advice)


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("BetaDirGibbs", {}, "block_moves = True"),
        ("DirBetaGibbs", {}, "block_moves = True"),
        ("DirBetaGibbs", {"block_moves": True}, "start = 'mean-field'"),
        ("BetaDirGibbs", {"block_moves": True, "start": "mean-field"}, "None"),
        ("DirDirGibbs", {}, "start = 'mean-field'"),
    ],
)
def test_advice_names_what_has_not_been_tried(name, settings, words):
    assert str(make(name, **settings).advice_if_stuck) == words


def test_a_quantity_at_rest_has_converged_if_it_rests_at_one_place():
    assert fake(noise, active_components=lambda values: values.fill(5)).converged
    apart = fake(noise, active_components=lambda values: np.copyto(values, [[5], [5], [6], [5]]))
    assert not apart.converged
    assert "active components stands still in a chain, and not at the same value" in apart.advice


def test_one_entry_in_ten_may_be_above_the_limit():
    def push(n_apart):
        def change(entries):
            entries[0, :, :n_apart] += 3

        return change

    for n_apart, verdict in ((5, True), (6, False)):
        result = fake(noise, entries=push(n_apart))
        assert (~result.diagnostics["converged"]).sum() == n_apart
        assert result.converged is verdict


def test_chains_that_have_not_converged_warn_once():
    with pytest.warns(ChainsNotConvergedWarning, match=r"^2 chains of BetaDirGibbs have not") as caught:
        result = nbmf.run_chains(make("BetaDirGibbs"), CODES, chains=2)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert str(caught[0].message) == result.advice
    with pytest.warns(ChainsNotConvergedWarning, match="^a single run of BetaDirGibbs cannot show"):
        nbmf.run_chains(make("BetaDirGibbs"), CODES, chains=1)
    with pytest.warns(ChainsNotConvergedWarning, match="^n_samples = 3 of BetaDirGibbs is too few"):
        nbmf.run_chains(make("BetaDirGibbs", n_samples=3), CODES, chains=2)


def test_starts_say_how_far_they_agree_and_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = nbmf.run_chains(make("LogisticPCA", K=2, max_iter=2000), CODES, chains=2)
        apart = nbmf.run_chains(make("BetaDirVB", K=8, max_iter=1), CODES, chains=3)
    assert same.converged  # it does not start at random
    assert not apart.converged
    assert re.fullmatch(
        r"3 starts of BetaDirVB end in different places, with losses from 0\.\d{4} to 0\.\d{4} "
        r"nats per entry: take \.best, or more starts",
        apart.advice,
    )
    assert "a single run of BinaryICA" in run(make("BinaryICA"), chains=1).advice


def test_starts_may_end_in_different_places_that_are_as_good():
    V = np.random.default_rng(0).random((8, 6)) < 0.5
    result = nbmf.run_chains(nbmf.BetaDirVB(2, max_iter=20, mean_change_tol=0, random_state=0), V, chains=2)
    assert np.ptp(result.losses) < 1e-5
    assert result.disagreement.max() > 0.02
    words = f"2 starts of BetaDirVB end in different places, all with a loss of {result.losses[0]:.4f} nats per entry: "
    assert result.advice.startswith(words)


# --- Together --------------------------------------------------------------------------------


def test_the_expectation_is_the_mean_over_chains():
    result = run(make("DirDirGibbs"), chains=3)
    np.testing.assert_allclose(result.expectation, sum(one.expectation_ for one in result.estimators) / 3)


def test_disagreement_is_how_far_the_chains_are_apart():
    result = run(make("BetaDirGibbs"), chains=3)
    each = [one.expectation_ for one in result.estimators]
    np.testing.assert_allclose(result.disagreement, np.std(each, axis=0, ddof=1), atol=1e-12)
    assert np.isnan(run(make("BetaDirGibbs"), chains=1).disagreement).all()


@pytest.mark.parametrize("name", ["BetaDirGibbs", "BetaDirVB"])
def test_co_clustering_with_and_without_draws(name):
    codes = blocks_matrix(20, 16)
    settings = {"n_samples": 200} if name in GIBBS else {"max_iter": 100}
    few, many = (run(make(name, **settings), codes, n_draws=n_draws) for n_draws in (0, 100))
    for axis, lines in ((0, 20), (1, 16)):
        means, drawn = few.co_clustering(axis), many.co_clustering(axis)
        np.testing.assert_allclose(drawn, many.draws.co_clustering(axis))
        off = ~np.eye(lines, dtype=bool)
        assert np.abs(means - drawn)[off].mean() < 0.03
        same = np.arange(lines)[:, None] % 2 == np.arange(lines) % 2
        assert means[same & off].mean() > means[~same].mean() + 0.2


@pytest.mark.parametrize("orientation", ["rows", "columns"])
def test_entries_of_a_row_in_a_latent_class_are_in_one_class(orientation):
    codes = np.random.default_rng(0).integers(0, 2, (10, 8))
    draws = nbmf.posterior_draws(nbmf.MNB(2, orientation=orientation, random_state=0), codes, n_draws=20)
    together = draws.co_clustering(0 if orientation == "rows" else 1)
    assert (np.diag(together) == 1).all()
    assert together[~np.eye(len(together), dtype=bool)].max() < 1


def test_co_clustering_needs_a_posterior_and_memory():
    with pytest.raises(ConfigError, match=r"^co_clustering: LogisticPCA has no posterior"):
        run(make("LogisticPCA"), chains=2).co_clustering()
    with pytest.raises(ConfigError, match=r"^co_clustering: W and H of the chains do not fit"):
        run(make("BetaDirGibbs"), chains=2, max_memory_gb=1e-7).co_clustering()


# --- ArviZ -----------------------------------------------------------------------------------


def named_matrix():
    codes = blocks_matrix()
    rows, columns = [f"r{f}" for f in range(14)], [f"c{n}" for n in range(11)]
    return BinaryMatrix(codes, rows, columns)


def test_arviz_reads_chains_with_draws():
    result = run(make("BetaDirGibbs"), named_matrix(), chains=2, n_draws=10)
    tree = result.to_arviz()
    assert set(tree.children) == {"posterior", "sample_stats", "observed_data"}
    posterior = tree["posterior"]
    assert dict(posterior["W"].sizes) == {"chain": 2, "draw": 10, "row": 14, "component": 3}
    np.testing.assert_array_equal(posterior["H"].sel(column="c4", chain=1), result.draws.H[10:, :, 4])
    np.testing.assert_array_equal(tree["observed_data"]["V"].sel(row="r3"), np.where(CODES[3] < 0, np.nan, CODES[3]))
    np.testing.assert_array_equal(tree["sample_stats"]["lp"], result.trace["objective"][:, 3::4])
    f, n = (places[0] for places in result._plan.places)
    entry = posterior["expected_v"].sel(entry=f"r{f}, c{n}")
    np.testing.assert_array_equal(entry, result.trace["entries"][:, 3::4, 0])
    assert arviz_base.convert_to_datatree(tree) is tree
    together = arviz_base.extract(tree, var_names=["W", "H"])  # chains as one sample, in order
    np.testing.assert_array_equal(together["W"].transpose("sample", ...), result.draws.W)
    table = arviz_base.dataset_to_dataframe(posterior.dataset[["share"]])
    assert table.columns.tolist() == ["share[0]", "share[1]", "share[2]"]


def test_arviz_summarises_chains():
    pytest.importorskip("xarray_einstats")
    import arviz_stats

    tree = run(make("BetaDirGibbs"), named_matrix(), chains=2).to_arviz()
    summary = arviz_stats.summary(tree, var_names=["active_components", "share"])
    assert {"mean", "r_hat", "ess_bulk"} <= set(summary.columns)
    assert "share[0]" in summary.index


def test_arviz_computes_the_same_diagnostics():
    result = run(make("BetaDirGibbs", K=2, n_samples=200), chains=4)
    tree = result.to_arviz()
    assert set(tree["posterior"].data_vars) == {"active_components", "share", "expected_v"}
    assert tree["posterior"].sizes["draw"] == 200
    table = result.diagnostics.set_index("quantity")
    lp = tree["sample_stats"]["lp"].transpose("chain", "draw").to_numpy()
    assert array_stats.rhat(lp) == pytest.approx(table.loc["log joint", "r_hat"])
    for entry in tree["posterior"]["expected_v"].transpose("entry", "chain", "draw")[:5]:
        expected = table.loc[f"E[v] {entry['entry'].item()}", "r_hat"]
        assert array_stats.rhat(entry.to_numpy()) == pytest.approx(expected)


def test_starts_are_exported_too(tmp_path):
    for name in ("BinaryICA", "BetaDirVB", "LDA"):
        tree = run(make(name), chains=2).to_arviz()
        assert tree["posterior"]["share"].sizes["draw"] == 1
        assert ("lp" in tree["sample_stats"]) == (name == "BinaryICA")
    drawn = run(make("BetaDirVB"), chains=2, n_draws=5).to_arviz()
    assert drawn["posterior"]["W"].sizes["draw"] == drawn["posterior"]["share"].sizes["draw"] == 5


# --- Names and bad input ---------------------------------------------------------------------


def test_quantities_have_the_names_of_rows_and_columns():
    names = {"index": list("abcdefghijklmn"), "columns": list("ABCDEFGHIJK")}
    frame = pd.DataFrame(np.where(CODES < 0, np.nan, CODES), **names)
    names = run(make("BetaDirGibbs"), frame, chains=2).diagnostics["quantity"]
    assert names.str.fullmatch(r"E\[v\] [a-n], [A-K]").sum() == 50
    names = run(make("BetaDirGibbs"), chains=2).diagnostics["quantity"]
    assert names.str.fullmatch(r"E\[v\] \d+, \d+").sum() == 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 0}, "chains = 0: must be an integer of at least 1"),
        ({"chains": 2.0}, "chains = 2.0: must be an integer of at least 1"),
        ({"n_jobs": 0}, "n_jobs = 0: must be an integer of at least 1"),
        ({"n_draws": -1}, "n_draws = -1: must be an integer of at least 0"),
        ({"n_draws": 41}, "n_draws = 41: BetaDirGibbs keeps n_samples = 40 sweeps"),
        ({"max_memory_gb": -1}, "max_memory_gb = -1: must be a positive number"),
        (
            {"n_draws": 40, "max_memory_gb": 1e-5, "chains": 3},
            "n_draws = 40 of each of 3 chains with n_components = 3 need 3.6e-05 GB, "
            "max_memory_gb = 1e-05: what fits is n_draws up to 11, or a larger max_memory_gb",
        ),
    ],
)
def test_what_is_asked_of_chains_has_to_make_sense(options, message):
    with pytest.raises(ConfigError, match=f"^{re.escape(message)}"):
        nbmf.run_chains(make("BetaDirGibbs"), CODES, **options)


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, nbmf.SparseBinaryMatrix.from_array])
def test_sparse_matrices_are_refused_by_what_looks_at_all_entries(kind):
    """Where `fit` takes them: of other methods the message is that of `fit`."""
    V = kind(np.eye(5, dtype=np.int8))
    model = nbmf.BernoulliPoissonGibbs(2, burn_in=2, n_samples=2, random_state=0)
    with pytest.raises(DataError, match=r"^V is sparse; run_chains needs an array of all entries: V.toarray\(\)"):
        nbmf.run_chains(model, V)
    draws = nbmf.posterior_draws(model, V, n_draws=2)
    with pytest.raises(DataError, match=r"^V is sparse; predictive_check needs an array of all entries"):
        draws.predictive_check(V)
    with pytest.raises(DataError, match=r"from_sparse|a binary matrix is needed"):
        nbmf.run_chains(make("BetaDirGibbs"), V)


def test_bad_parameters_and_matrices_are_refused_as_by_fit():
    with pytest.raises(ConfigError, match=r"^alpha = -1"):
        nbmf.run_chains(nbmf.BetaDirGibbs(3, alpha=-1.0), CODES)
    with pytest.raises(DataError, match=r"^row 0, column 0"):
        nbmf.run_chains(make("BetaDirGibbs"), [[2.0, 1.0]])
    for name in ("LDA", "LogisticPCA"):
        with pytest.raises(ConfigError, match=f"^{name} has no posterior"):
            nbmf.run_chains(make(name), CODES, n_draws=3)
