"""How long an analysis takes is told from its work: nothing is fitted, and no clock is looked at."""

import re

import numpy as np
import pytest

import nbmf
from nbmf.analysis import estimate as module
from nbmf.analysis.estimate import COSTS, estimate, seconds_of
from nbmf.analysis.plan import STARTS, make_plan, number_of_chains
from nbmf.analysis.request import Request
from nbmf.analysis.settings import configured_estimator
from nbmf.analysis.size import uses_threads
from nbmf.catalogue import CANDIDATES, IF_MEMORY_IS_SHORT, LARGE, METHODS, TRIED_UP_TO, candidates_for
from nbmf.cli.info.matrices import format_time
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.stacking.members import MEMBERS, make_members


def coins(F, N, seed=0):
    return nbmf.BinaryMatrix.from_array(np.random.default_rng(seed).integers(0, 2, (F, N)))


def test_all_that_is_fitted_by_default_has_a_cost():
    names = {name for each in (*CANDIDATES.values(), *IF_MEMORY_IS_SHORT.values()) for name in each}
    classes = {METHODS[name]["class"] for name in names}
    assert classes | {type(one).__name__ for one in make_members(MEMBERS, 8, 9).values()} == COSTS.keys()


def test_the_fits_are_those_that_an_analysis_makes(monkeypatch):
    """Of noise there is one start, no other view and no mixture: they are fewer. Two methods search for K."""
    matrix, made = coins(30, 12), []
    monkeypatch.setattr("nbmf.inference.parallel.processors", lambda: 2)
    fit = Factorization.fit
    monkeypatch.setattr(Factorization, "fit", lambda self, *a, **k: made.append(self.title) or fit(self, *a, **k))
    nbmf.analyze(matrix, iterations=5)
    expected = estimate(matrix, Request(iterations=5))
    of_searches = [title for title in made if re.fullmatch(r"(Beta-Dir VB, finite|MNB, rows), K = \d+", title)]
    assert len(of_searches) >= 2 * 10 * 10 * 2
    others = len({*CANDIDATES["BinaryMatrix"], *MEMBERS}) - 1
    assert expected.fits - others - (STARTS - 1) <= len(made) - len(of_searches) <= expected.fits
    assert expected.gigabytes == pytest.approx(2 * 4e-9 * 360 * 104)  # of two fits at a time


@pytest.mark.parametrize(
    ("starts", "methods"),
    [
        (1, ("logpca", "lda", "stacking")),  # which end in one place, or nearly, or are made of other fits
        (STARTS, ("beta-dir-vb", "bica", "logistic-vb")),
        (STARTS, ("mnb-rows", "mmnb-columns", "fast-mmnb-rows", "lda-ml", "poisson-gamma-em", "poisson-gamma-icm")),
    ],
)
def test_methods_whose_starts_differ_have_several_on_small_data(starts, methods):
    small, large = coins(30, 12), coins(3000, 300)
    for name in methods:
        one = configured_estimator(name, seed=0)
        assert number_of_chains(one, small, Request(method=name)) == starts, name
        assert number_of_chains(one, large, Request(method=name)) == 1


def test_twice_the_work_takes_about_twice_the_time():
    few, many = coins(300, 200), coins(600, 200)
    for name in CANDIDATES["BinaryMatrix"]:
        one = configured_estimator(name, seed=0)
        assert seconds_of(one, many) == pytest.approx(2 * seconds_of(one, few), rel=0.15)
        assert seconds_of(one, few, 0.5) < seconds_of(one, few)
        until = module._cost(one).iterations or one.n_iterations
        half = until // 2  # of 25 it is 12
        shorter = configured_estimator(name, seed=0, iterations=half)
        assert seconds_of(shorter, few) == pytest.approx(seconds_of(one, few) * half / until, rel=0.01)


def test_what_takes_long_is_tried_on_small_matrices_alone():
    assert candidates_for("BinaryMatrix", LARGE) == CANDIDATES["BinaryMatrix"]
    for entries in (LARGE, 1_000_000):
        left_out = set(candidates_for("BinaryMatrix", entries)) - set(candidates_for("BinaryMatrix", entries + 1))
        assert left_out == {name for name, largest in TRIED_UP_TO.items() if largest == entries} != set()
    assert candidates_for("CountMatrix", 9) == CANDIDATES["CountMatrix"]


def test_rates_of_communities_are_tried_on_large_matrices():
    """What that costs is known."""
    assert "bernoulli-poisson-vb" not in candidates_for("BinaryMatrix", LARGE)
    assert candidates_for("BinaryMatrix", LARGE + 1)[-1] == "bernoulli-poisson-vb"
    assert METHODS["bernoulli-poisson-vb"]["class"] in COSTS
    assert candidates_for("CategoryMatrix", LARGE + 1) == CANDIDATES["CategoryMatrix"]


def test_the_search_of_the_finite_model_is_counted():
    matrix = coins(30, 12)
    searched, plain = (configured_estimator("beta-dir-vb-finite", seed=0, components=K) for K in (None, 8))
    assert (searched.n_components, searched.title) == ("auto", "Beta-Dir VB, finite, K chosen")
    of_K = [module._seconds_with_K(plain, module.SEARCHES["BetaDirVB"], K, matrix, 0.9) for K in (2, 3, 4, 5, 6, 8)]
    one = module._seconds_with_K(plain, module.SEARCHES["BetaDirVB"], 8, matrix, 1.0)
    assert seconds_of(searched, matrix) == pytest.approx(10 * sum(of_K) + one)


def test_what_chains_record_is_counted(monkeypatch):
    """Of four chains on two processors twice 250 sweeps; held-out fits and single ones record none."""
    matrix, request = coins(300, 200), Request(method="logistic-gs-learned-effects", check=False)
    monkeypatch.setattr(module, "processors", lambda: 2)
    one = configured_estimator("logistic-gs-learned-effects", seed=0)
    recording = 2 * 250 * 300 * 200 * COSTS["LogisticFactorGibbs"].recorded * 1e-9
    assert module._seconds_shown(one, matrix, request) == pytest.approx(2 * seconds_of(one, matrix) + recording)
    samplers = {name for name in COSTS if getattr(nbmf, name).inference is Inference.SAMPLER}
    assert {name for name, cost in COSTS.items() if cost.recorded} == samplers


def test_a_method_that_visits_ones_alone_takes_as_long_as_there_are_ones():
    codes = np.zeros((400, 400), int)
    codes[:, :40] = 1
    thin = nbmf.BinaryMatrix.from_array(codes)
    one = configured_estimator("bernoulli-poisson-vb", seed=0)
    assert seconds_of(one, thin) < seconds_of(one, coins(400, 400)) / 3
    sparse = SparseBinaryMatrix.from_array(codes)
    assert seconds_of(one, sparse) == seconds_of(one, thin)
    assert estimate(sparse, Request()).gigabytes == 0


def test_threads_are_taken_where_they_shorten_a_fit(monkeypatch):
    """Of fits to ones only if there are many, and a pass visits them alone; of other samplers if they are long."""
    rng = np.random.default_rng(0)
    few, many, most = (nbmf.BinaryMatrix.from_array((rng.random((60, 40)) < p).astype(int)) for p in (0.05, 0.3, 0.8))
    monkeypatch.setattr("nbmf.families.poisson_gamma.poisson_gamma_inference.MANY", 400)
    monkeypatch.setattr("nbmf.families.poisson_gamma.poisson_gamma_inference.MANY_DRAWN", 1000)
    monkeypatch.setattr("nbmf.families.poisson_gamma.parts.PER_COLUMN", 20)
    vb, sampler = nbmf.BernoulliPoissonVB(2), nbmf.LogisticFactorGibbs(2)
    of_ones = nbmf.BernoulliPoissonGibbs(2)
    assert not any(uses_threads(each, many) for each in (vb, sampler, of_ones))  # no long fit
    monkeypatch.setattr("nbmf.analysis.size.SMALL", 1000)
    assert [uses_threads(vb, each) for each in (few, many, most)] == [False, True, False]
    assert [uses_threads(sampler, each) for each in (few, many, most)] == [True, True, True]
    assert [uses_threads(of_ones, each) for each in (few, many, most)] == [False, False, True]
    monkeypatch.setattr("nbmf.families.poisson_gamma.parts.PER_COLUMN", 40)  # so that all are in one part
    assert not uses_threads(of_ones, most)


def test_a_slower_machine_takes_longer_and_what_is_not_measured_is_not_reported(monkeypatch):
    matrix = coins(30, 12)
    assert estimate(matrix, Request(), 3.0).seconds == pytest.approx(3 * estimate(matrix, Request()).seconds)
    assert estimate(matrix, Request(method="bica")) is None
    assert estimate(matrix, Request(method="logistic-vb", n_components="auto")) is None
    times = iter(np.arange(20) * 2 * module.BENCHMARK_SECONDS)
    monkeypatch.setattr(module.time, "process_time", lambda: next(times))
    assert module.slowness_here() == pytest.approx(2)


def test_more_processors_make_the_fit_that_is_shown_shorter_and_no_check_saves_the_test(monkeypatch):
    matrix = coins(300, 100)
    monkeypatch.setattr(module, "processors", lambda: 1)
    alone = estimate(matrix, Request()).seconds
    monkeypatch.setattr(module, "processors", lambda: 4)
    assert estimate(matrix, Request()).seconds < alone
    unchecked = estimate(matrix, Request(check=False))
    assert unchecked.fits == 4
    assert unchecked.seconds < alone
    assert not make_plan(matrix, Request(check=False)).holds_out


def test_a_mixture_of_a_small_matrix_takes_seconds():
    """What it costs per entry is not seen next to what the fits cost, unless it is far off."""
    small = nbmf.BinaryMatrix.from_array(np.random.default_rng(0).integers(0, 2, (20, 10)))
    assert make_plan(small, Request()).further
    assert estimate(small, Request()).seconds < 120


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 s"), (89.9, "90 s"), (90.0, "2 min"), (5399.0, "90 min"), (5400.0, "1.5 h")]
)
def test_times_are_as_a_person_says_them(seconds, said):
    assert format_time(seconds) == said
