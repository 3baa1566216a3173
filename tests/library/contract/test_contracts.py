"""The contracts, kept by families that are not binary, have another link, or find K."""

import contextlib
import copy
import pickle

import numpy as np
import pytest
from held_out_score import held_out_score
from promises import Promises
from scipy.special import expit
from scipy.stats import norm
from toy_family import RATE, ToyGaussian, ToyLogistic, ToyOtherLaw

import nbmf
from nbmf import registry
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import ConfigError, DataError, NbmfError, NotFittedError
from nbmf.fits import FitRequest, run_fit
from nbmf.inference import estimator as estimators
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.declarations import Alignment
from nbmf.inference.loop import run
from nbmf.inference.progress import FitRecorder
from nbmf.seeds import seed_sequence

V = np.array([[1, 0, 1], [1, -1, 1], [0, 1, 0]])
promise = Promises()
FIND_COMPONENTS = {"BetaDirGibbs", "BetaDirVB", "DirDirGibbs", "DirDirVB", "DirBetaGibbs", "DirBetaVB"}
FIND_COMPONENTS |= {"IndianBuffetLogistic", "IndianBuffetGaussian", "LogisticFactorMAP"}
REAL = np.array([[2.0, 1.0, np.nan], [-1.0, -2.0, -0.5]])


def prior_draws(count, rng):
    """Yield W H of `count` draws from the prior of ToyLogistic, 3 x 3."""
    for K in rng.poisson(RATE, count):
        yield rng.standard_normal((3, K)) @ rng.standard_normal((K, 3))


@pytest.fixture(scope="module")
def exact():
    """Posterior means of σ(WH) and of K, by importance sampling from the prior."""
    rng = np.random.default_rng(0)
    log_odds = np.array(list(prior_draws(200_000, rng)))
    sizes = np.random.default_rng(0).poisson(RATE, 200_000)
    t = np.where(V == 1, log_odds, -log_odds)
    weights = np.exp(-np.logaddexp(0.0, -t)[:, V >= 0].sum(axis=1))
    weights /= weights.sum()
    return np.einsum("s,sfn->fn", weights, expit(log_odds)), float(weights @ sizes)


def test_a_sampler_of_K_has_the_posterior(exact):
    """Three standard errors of 20000 sweeps, whose autocorrelation is some tens, are 0.02."""
    model = ToyLogistic(0, burn_in=200, n_samples=20_000, random_state=0).fit(V)
    np.testing.assert_allclose(model.expectation_, exact[0], atol=0.02)


def test_chains_record_the_likelihood_of_the_model_whatever_its_link():
    seen = []

    class Watched(ToyLogistic):
        def _start(self, codes, seed):
            state = super()._start(codes, seed)
            seen.append(state)
            return state

    with pytest.warns(nbmf.errors.ChainsNotConvergedWarning):
        chains = nbmf.run_chains(Watched(2, burn_in=5, n_samples=50, random_state=1), V, chains=2, n_jobs=1)
    for state, likelihood in zip(seen, chains.trace["log likelihood"], strict=True):
        assert likelihood[-1] == pytest.approx(state.objective(), rel=1e-12)
        assert (likelihood < 0).all()
    assert chains.trace["active components"].min() != chains.trace["active components"].max()
    np.testing.assert_allclose(chains.expectation, np.mean([one.expectation_ for one in chains.estimators], axis=0))


def test_long_chains_of_another_link_converge_and_agree_with_the_posterior(exact):
    chains = nbmf.run_chains(ToyLogistic(1, burn_in=500, n_samples=12_000, random_state=2), V, chains=2, n_jobs=1)
    table = chains.diagnostics.set_index("quantity")
    assert table.loc["active components", "mean"] == pytest.approx(exact[1], abs=0.15)
    np.testing.assert_allclose(chains.expectation, exact[0], atol=0.03)


def test_draws_of_different_K_give_intervals_of_the_mean_and_refuse_factors():
    model = ToyLogistic(1, burn_in=50, n_samples=400, random_state=3)
    draws = nbmf.posterior_draws(model, V, n_draws=400)
    # Every sweep is kept, so the mean of the draws is the fit's own expectation.
    lower, upper = draws.expectation_interval(0.9)
    assert (lower < model.expectation_).all()
    assert (model.expectation_ < upper).all()
    assert ((lower > 0) & (upper < 1)).all()  # probabilities, not log-odds
    with pytest.raises(NbmfError, match="different numbers of components"):
        draws.dictionary_interval()
    with pytest.raises(NbmfError, match="different numbers of components"):
        draws.W  # noqa: B018


def resumed(tmp_path, stop_after):
    """Return a fit that was interrupted after so many sweeps, and went on."""

    class Killed(Exception):
        pass

    def recorder():
        return FitRecorder(60, 5, lambda state: 0.5, lambda line: None)

    path = tmp_path / "one.checkpoint.npz"
    checkpoint = Checkpoint(path, lambda: "same", recorder(), 0.0, lambda line: None)

    def until(iteration, total, state):
        checkpoint(iteration, total, state)
        if iteration >= stop_after:
            raise Killed

    class Monitor:
        resume, next_after = checkpoint.resume, checkpoint.next_after
        __call__ = staticmethod(until)

    model = ToyLogistic(2, burn_in=20, n_samples=40, random_state=5)
    with pytest.raises(Killed):
        model.fit(V, monitor=Monitor())
    again = Checkpoint(path, lambda: "same", recorder(), 0.0, lambda line: None)
    return model.fit(V, monitor=again)


@pytest.mark.parametrize("stop_after", [25, 50])
def test_a_state_that_changes_size_goes_on_with_the_same_bits(tmp_path, stop_after):
    whole = ToyLogistic(2, burn_in=20, n_samples=40, random_state=5).fit(V)
    other = resumed(tmp_path, stop_after)
    np.testing.assert_array_equal(other.W_, whole.W_)
    np.testing.assert_array_equal(other.expectation_, whole.expectation_)


def test_a_fit_without_components_works_through_save_and_load(tmp_path):
    codes = np.array([[1, 0], [0, 1]])
    for seed in range(50):  # some chain ends with K = 0
        model = ToyLogistic(0, burn_in=0, n_samples=3, random_state=seed).fit(codes)
        if model.n_components_ == 0:
            break
    assert (model.W_.shape, model.H_.shape, model.active_components_) == ((2, 0), (0, 2), 0)
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.expectation_, model.expectation_)
    assert loaded.predict(0, 1) == model.expectation_[0, 1]
    with pytest.raises(ConfigError, match="n_components = -1: must be an integer from 0 to 1000000"):
        ToyLogistic(-1).fit(codes)


def test_real_data_are_checked_hidden_and_scored_by_their_likelihood():
    with pytest.raises(DataError, match=r"row 0, column 1 .*: the value is inf; allowed: 0, numbers of a size"):
        ToyGaussian().fit([[0.5, np.inf]])
    with pytest.raises(DataError, match="a binary matrix is needed, not a RealMatrix"):
        nbmf.BetaDirVB(2).fit(RealMatrix.from_array(REAL))
    matrix = RealMatrix.from_array(REAL)
    mask = np.array([[False, True, False], [False, False, True]])
    request = FitRequest("toy_family:ToyGaussian", 1, {}, ["fit", "toy"])
    report = run_fit(matrix, mask, request, log=lambda line: None).report
    # Row 0 has seen 2, row 1 -1 and -2: posterior means 1 and -1, precisions 2 and 3.
    expected = -norm.logpdf([1.0, -0.5], [1.0, -1.0], np.sqrt([1 + 1 / 2, 1 + 1 / 3])).mean()
    assert report["perplexity"] == pytest.approx(expected, rel=1e-12)
    assert report["unit"] == "nats per held-out entry"
    assert report["further_scores"] == {}  # nobody asks real numbers for probabilities of a one
    assert report["trace"]["perplexity"] == pytest.approx([expected] * len(report["trace"]["perplexity"]))


def test_chains_of_real_data_have_the_exact_posterior():
    chains = nbmf.run_chains(ToyGaussian(n_samples=4000, random_state=4), REAL, chains=2, n_jobs=1)
    assert chains.converged
    m = chains.trace["entries"]  # E[v] of all six entries, at the recorded sweeps
    n_recorded = m.shape[0] * m.shape[1]
    means, sds = np.repeat([1.0, -3.5 / 4], 3), np.repeat([3**-0.5, 4**-0.5], 3)
    np.testing.assert_allclose(m.mean(axis=(0, 1)), means, atol=5 * 0.6 / n_recorded**0.5)
    np.testing.assert_allclose(m.std(axis=(0, 1)), sds, rtol=0.15)
    draws = nbmf.posterior_draws(ToyGaussian(n_samples=4000, random_state=4), REAL, n_draws=4000)
    lower, upper = draws.expectation_interval(0.9)
    half = norm.ppf(0.95) * sds.reshape(2, 3)
    np.testing.assert_allclose(lower, means.reshape(2, 3) - half, atol=0.06)
    np.testing.assert_allclose(upper, means.reshape(2, 3) + half, atol=0.06)


def test_an_expectation_on_demand_is_refused_when_it_is_too_large(monkeypatch):
    model = ToyGaussian(random_state=0).fit(REAL)
    np.testing.assert_allclose(model.expectation_[:, 0], [1.0, -0.875])
    monkeypatch.setattr(estimators, "EXPECTATION_GB", 1e-9)
    with pytest.raises(DataError, match=r"E\[V\] of 2 x 3 entries .* predict\(rows, columns\)"):
        model.expectation_  # noqa: B018
    np.testing.assert_allclose(model.predict([0, 1], [2, 2]), [1.0, -0.875])


def test_predictions_name_an_index_that_is_none():
    model = nbmf.BetaDirVB(2, max_iter=5, random_state=0).fit(V)
    np.testing.assert_array_equal(model.predict(np.arange(3)[:, None], np.arange(3)), model.expectation_)
    with pytest.raises(DataError, match="row 3: must be 0 to 2"):
        model.predict(3, 0)
    with pytest.raises(DataError, match="columns: must be integers from 0 to 2"):
        model.predict(0, 0.5)
    assert model.predict([], []).shape == (0,)


@pytest.mark.parametrize("kind", [nbmf.OrdinalFactorVB, nbmf.NegativeBinomialFactorVB])
def test_what_is_scored_of_an_entry_outside_the_matrix_is_refused(kind):
    model = kind(1, max_iter=3, random_state=0).fit(V)
    for rows, columns, words in ((100, 0, "row 100: must be 0 to 2"), (0, -1, "column -1: must be 0 to 2")):
        with pytest.raises(DataError, match=words):
            model.predictive(rows, columns)


def test_methods_of_another_family_are_compared_with_nbmfs_own():
    rng = np.random.default_rng(0)
    data = (rng.random((12, 9)) < expit(2 * rng.standard_normal((12, 1)))).astype(float)
    entry = {"class": "toy_family:ToyLogistic", "label": "toy", "K": [1]}
    found = nbmf.compare(
        data,
        {"toy": entry | {"settings": {"burn_in": 50, "n_samples": 300}}, "beta-dir-vb": {}},
        masks=2,
        n_jobs=1,
        log=lambda line: None,
    )
    assert set(found.scores["status"]) == {"ok"}
    mask = nbmf.draw_mask(BinaryMatrix.from_array(data), 0.25, seed_sequence("mask", "V", 0))
    model = ToyLogistic(1, burn_in=50, n_samples=300, random_state=seed_sequence("fit", "V", "toy", 1, 0, 0)).fit(
        np.where(mask, np.nan, data)
    )
    expected = nbmf.perplexity(data.astype(np.int8), model.expectation_, mask)
    assert found.by_mask("toy", 1)[0] == pytest.approx(expected, rel=1e-12)


def test_methods_of_real_data_are_compared_and_a_binary_one_is_refused():
    rng = np.random.default_rng(1)
    data = rng.normal(3 * rng.standard_normal((8, 1)), 1.0, (8, 6))
    entry = {"class": "toy_family:ToyGaussian", "label": "toy", "K": [1]}
    found = nbmf.compare(data, {"toy": entry}, masks=2, n_jobs=1, log=lambda line: None)
    own = found.scores[found.scores["method"] == "toy"]
    assert set(own["status"]) == {"ok"}
    assert own["brier"].isna().all()
    assert own["perplexity"].between(1.2, 2.2).all()  # log(2 π e) / 2 = 1.42 for the true model
    words = (
        r"toy takes a RealMatrix .* gaussian\), beta-dir-vb a BinaryMatrix \(bernoulli\).*"
        "allowed: methods of one kind of matrix"
    )
    with pytest.raises(ConfigError, match=words):
        nbmf.compare(data, {"toy": entry, "beta-dir-vb": {}}, masks=1, log=lambda line: None)


def test_two_distributions_of_a_binary_entry_are_compared_and_checked():
    """Scores of another link, Bernoulli-Poisson say, are nats of the same entries."""
    entry = {"class": "toy_family:ToyOtherLaw", "label": "toy", "K": [1]}
    methods = {"toy": entry | {"settings": {"burn_in": 5, "n_samples": 20}}, "bica": {}}
    data = np.random.default_rng(0).integers(0, 2, (8, 6))
    found = nbmf.compare(data, methods, 1, masks=2, n_jobs=1, log=lambda line: None)
    assert set(found.scores["status"]) <= {"ok", "not converged"}
    assert found.recommendation.runner_up in methods
    assert found.scores["brier"].between(0, 1).all()  # which the other law has from Bernoulli's
    draws = nbmf.posterior_draws(ToyOtherLaw(1, random_state=0), V, n_draws=20)
    assert draws.predictive_check(V).loc["proportion of ones", "observed"] == 5 / 8


def test_new_rows_are_scored_with_all_that_is_theirs():
    """Not with E[v] alone, nor with what the training rows have."""
    model = ToyGaussian(random_state=0).fit(REAL)
    rows = np.array([[4.0, np.nan, 2.0], [0.0, 0.0, 0.0], [np.nan, np.nan, 1.0]])
    means, sds = np.array([2.0, 0.0, 0.5]), np.sqrt(1 + 1 / np.array([3.0, 4.0, 2.0]))
    np.testing.assert_allclose(model.transform(rows)[:, 0], means)
    np.testing.assert_allclose(model.predict_rows(rows), np.repeat(means[:, None], 3, axis=1))
    observed, density = ~np.isnan(rows), norm.logpdf(rows, means[:, None], sds[:, None])
    predicted = model.predictive_of(model._factors_of_rows(rows), *np.nonzero(observed))
    loss = model.likelihood.loss_at(rows, observed)(predicted)
    assert loss.perplexity == pytest.approx(-np.nanmean(density), rel=1e-12)
    assert model.score(rows) == pytest.approx(held_out_score(model, rows), rel=1e-12)
    with pytest.raises(NbmfError, match="ToyGaussian has no fold-in of new columns"):
        model.predict_columns(rows[:2])


def test_a_matrix_file_tells_which_kind_it_is(tmp_path):
    for matrix in (RealMatrix.from_array(REAL), BinaryMatrix.from_array([[1, 0, -1], [0, 1, 1]])):
        matrix.save(tmp_path / "matrix.npz")
        loaded = load_matrix(tmp_path / "matrix.npz")
        assert type(loaded) is type(matrix)
        np.testing.assert_array_equal(loaded.observed, matrix.observed)
        np.testing.assert_array_equal(loaded.row_names, matrix.row_names)


def test_the_loop_ends_where_the_rule_is_met_and_tells_the_monitor():
    class Counting:
        resumable = False
        done = 0

        def advance(self, steps):
            self.done += steps

    class Rule:
        is_off = False

        def next_after(self, iteration):
            return iteration + 3

        def is_met(self, iteration):
            return iteration >= 6

    calls = []

    class Monitor:
        def next_after(self, iteration):
            return iteration + 4

        def __call__(self, iteration, total, state):
            calls.append((iteration, total, state.done))

    assert run(Counting(), 100, Monitor(), Rule()) == (6, True)
    assert calls == [(6, 6, 6)]
    assert run(Counting(), 5, None, None) == (5, None)
    assert run(Counting(), 5, None, Rule()) == (5, False)


@promise
def every_class_declares_what_it_is(name):
    own = registry.estimator_class(name)
    made = own()
    assert own.inference in estimators.Inference
    assert {likelihood.unit for likelihood in own.likelihoods} <= {"entry", "token"}
    assert made.distributions <= {"W", "H"}
    assert len(made.meanings) == 2
    assert made.n_iterations > 0
    assert made.finds_components == (name in FIND_COMPONENTS), "a class that finds its K is listed in FIND_COMPONENTS"
    assert own.alignment in Alignment
    loss_at = own.likelihoods[0].loss_at(V, V >= 0)
    assert loss_at.unit == own.likelihoods[0].unit
    further = loss_at.further_scores(np.full(loss_at.rows.size, 0.5))
    assert tuple(further) == registry.further_scores(name)


@promise
def what_is_declared_to_sum_to_one_does(name):
    rng = np.random.default_rng(0)
    model = registry.make_estimator(name, 3, registry.length_settings(name, 5, 5), random_state=0)
    model.fit(rng.integers(0, 2, (8, 7)))
    for factor, sums in (("W", model.W_.sum(axis=1)), ("H", model.H_.sum(axis=0))):
        assert np.allclose(sums, 1) == (factor in model.distributions)


@promise
def before_a_fit_what_it_learns_is_refused_as_such(name):
    """Of learned attributes, and of properties that depend on them. `findings` may be empty."""
    made = registry.estimator_class(name)()
    for learned in ("W_", "factors_", "expectation_", *made.shapes):
        assert not hasattr(made, learned)
        with pytest.raises(NotFittedError, match=f"this {type(made).__name__} is not fitted yet"):
            getattr(made, learned)
    for optional in ("findings", "rows_prior_", "spans_"):
        with contextlib.suppress(NotFittedError):
            assert not getattr(made, optional)
    with pytest.raises(NotFittedError):
        made.predictive(np.array([0]), np.array([0]))
    with pytest.raises(AttributeError, match="has no attribute '_W'"):
        made._W  # noqa: B018
    assert type(copy.deepcopy(made)) is type(pickle.loads(pickle.dumps(made))) is type(made)


def test_what_a_property_says_is_kept():
    """Of a fitted model, and of one whose class has no such thing."""
    model = nbmf.LogisticFactorVB(1, max_iter=2, random_state=0).fit(V)
    with pytest.raises(AttributeError, match="the model was fitted without groups of rows"):
        model.group_means_  # noqa: B018
    with pytest.raises(AttributeError, match="'LogisticFactorVB' object has no attribute 'paths_'"):
        model.paths_  # noqa: B018


@pytest.mark.parametrize("name", registry.all_classes())
def test_every_class_keeps_what_is_promised(name):
    """By the functions above that are promises."""
    promise.check(name)
