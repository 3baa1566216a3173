"""Effects with an intercept and learned variances, as the estimators have them: what is learned, kept and folded in."""

import itertools

import ladder
import numpy as np
import pytest
from logistic_models import assert_goes_on
from scipy.special import expit

import nbmf
from nbmf.errors import ConfigError
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.gibbs_cells import Cells
from nbmf.families.logistic.gibbs_state import GibbsState
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.families.logistic.quadratic_counts import CountsOfSize
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI

CODES = ladder.large_matrix(30, 21, 0.1, np.random.default_rng(8))
ENGINES = {
    "Gibbs": (nbmf.LogisticFactorGibbs, {"burn_in": 60, "n_samples": 80}),
    "VB": (nbmf.LogisticFactorVB, {"max_iter": 300}),
    "VB, full": (nbmf.LogisticFactorVB, {"max_iter": 300, "covariance": "full"}),
}
LAW = ("intercept_", "row_effect_variance_", "column_effect_variance_")
each_engine = pytest.mark.parametrize("engine", ENGINES)
each_effect = pytest.mark.parametrize("effects", ["rows", "columns", "both"])


def fitted(engine, codes=CODES, K=2, effects="both", **settings):
    estimator, brief = ENGINES[engine]
    given = brief | {"effect_scale": "learned", "random_state": 1} | settings
    return estimator(K, effects=effects, **given).fit(codes)


def planted(F, N, m, s_a, s_b, seed):
    """Return a matrix of effects alone."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0, np.sqrt(s_a), F), rng.normal(m, np.sqrt(s_b), N)
    return (rng.random((F, N)) < expit(a[:, None] + b)).astype(np.int8)


@each_engine
@each_effect
def test_the_distribution_of_effects_is_found(engine, effects):
    """An intercept of -1.5, variances of 0.3 and 1.2, from 80 rows and 70 columns."""
    V = planted(80, 70, -1.5, 0.3 if effects != "columns" else 0, 1.2 if effects != "rows" else 0, 2)
    model = fitted(engine, V, K=0, effects=effects)
    found = {name: float(getattr(model, name)) for name in LAW}
    assert found["intercept_"] == pytest.approx(-1.5, abs=0.4)
    for name, there, true in (("row", effects != "columns", 0.3), ("column", effects != "rows", 1.2)):
        variance = found[f"{name}_effect_variance_"]
        assert variance == (pytest.approx(true, rel=0.45) if there else 0.0)


@each_engine
def test_effects_that_are_not_there_vanish(engine):
    model = fitted(engine, planted(60, 50, 0.5, 0.0, 0.0, 3), K=0)
    assert max(model.row_effect_variance_, model.column_effect_variance_) < 0.08
    assert np.ptp(model.expectation_) < 0.25


@pytest.mark.parametrize("engine", ["VB", "VB, full"])
@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_one_side_has_the_intercept_and_both_can_pass_a_level(engine, effects):
    estimator, brief = ENGINES[engine]
    model = estimator(2, effects=effects, effect_scale="learned", **brief)
    state = model._start(CODES, np.random.SeedSequence(1))
    carriers = {"none": (None, None), "rows": (2, None), "columns": (None, 2), "both": (None, 3)}
    assert tuple(side.coordinates.carrier for side in state._ascent.sides) == carriers[effects]
    assert len(state._ascent.levels) == (effects == "both")


@each_engine
def test_a_given_scale_is_reported_as_a_distribution(engine):
    model = fitted(engine, K=0, effects="rows", effect_scale=2.5)
    assert [float(getattr(model, name)) for name in LAW] == [0.0, 6.25, 0.0]
    narrow = fitted(engine, K=0, effects="rows", effect_scale=0.01)
    assert np.abs(narrow.row_effects_).max() < 0.01 < np.abs(model.row_effects_).max()


@pytest.mark.parametrize("scale", [0, -1, np.inf, "wide", True, None])
def test_a_scale_that_is_none_is_refused(scale):
    for estimator, _ in ENGINES.values():
        with pytest.raises(ConfigError, match=r"effect_scale = .*: must be a positive number, at most 1e\+?50, or"):
            estimator(2, effects="both", effect_scale=scale).fit(CODES)


def test_the_intercept_is_centred_with_the_effects():
    """Column effects less the intercept stay as they are but for what the columns of W had as their mean."""
    rng = np.random.default_rng(4)
    W = rng.normal(size=(6, 2))
    others = {form.ROWS: rng.normal(size=6), form.COLUMNS: rng.normal(size=5), form.INTERCEPT: np.array(0.7)}
    given = Factors(W - W.mean(axis=0), rng.normal(size=(2, 5)), others)
    found = form.centred(given).others
    for name in (form.COLUMNS, form.INTERCEPT):
        np.testing.assert_allclose(found[name] - others[name], others[form.ROWS].mean(), atol=1e-12)
    alone = given._replace(others={form.COLUMNS: others[form.COLUMNS], form.INTERCEPT: others[form.INTERCEPT]})
    assert form.centred(alone).others[form.INTERCEPT] == 0.7


def chain_of(effects, prior=None, seed=0, threads=1):
    prior = prior or Prior(True, 0.7, 0.3, "learned")
    cells = Cells(Binary(CODES))
    return LogisticChain(cells, 2, form.Effects.named(effects), prior, np.random.SeedSequence(seed), threads)


@each_effect
def test_a_chain_goes_on_from_a_snapshot_with_the_same_bits(effects):
    one, other = (GibbsState(chain_of(effects, seed=seed), burn_in=3) for seed in (0, 1))
    assert_goes_on(one, other)
    for name, array in one.estimate().others.items():
        np.testing.assert_array_equal(array, other.estimate().others[name])


def test_the_kept_distribution_is_the_mean_along_the_chain():
    model = nbmf.LogisticFactorGibbs(
        2, effects="both", effect_scale="learned", a0=0.7, b0=0.3, burn_in=20, n_samples=30, random_state=1
    ).fit(CODES)
    chain, law = chain_of("both", seed=1), []
    chain.sweep(20)
    for _ in range(30):
        chain.sweep()
        others = form.centred(chain.factors()).others
        law.append([others[name] for name in (form.INTERCEPT, form.ROW_VARIANCE, form.COLUMN_VARIANCE)])
    np.testing.assert_allclose([getattr(model, name) for name in LAW], np.mean(law, axis=0), rtol=1e-8)


def test_any_number_of_threads_gives_the_same_bits():
    one, two = (fitted("Gibbs", threads=threads) for threads in (1, 2))
    for name in (*LAW, "row_effects_", "column_effects_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@each_engine
def test_a_fit_is_saved_and_loaded(engine, tmp_path):
    one = fitted(engine)
    one.save(tmp_path / "model.npz")
    other = nbmf.load(tmp_path / "model.npz")
    for name in LAW:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.predict_rows(CODES[:4]), other.predict_rows(CODES[:4]))
    np.testing.assert_array_equal(one.predict_columns(CODES[:, :4]), other.predict_columns(CODES[:, :4]))


@each_engine
def test_a_file_of_before_has_effects_of_a_given_scale(engine):
    estimator, brief = ENGINES[engine]
    one = estimator(2, effects="columns", random_state=1, **brief).fit(CODES)
    learned = {name: value for name, value in one._learned().items() if name not in LAW}
    other = estimator(2, effects="columns", random_state=1, **brief)
    other.restore(learned)
    assert [float(getattr(other, name)) for name in LAW] == [0.0, 0.0, 100.0]
    np.testing.assert_array_equal(one.predict_columns(CODES[:, :4]), other.predict_columns(CODES[:, :4]))


# --- New rows and columns ----------------------------------------------------------------------


@each_engine
@each_effect
def test_new_rows_and_columns_have_effects_of_the_learned_distribution(engine, effects):
    """They stand still at their equations, cell by cell; without entries they have the mean of the law."""
    model = fitted(engine, effects=effects)
    used = form.Effects.named(effects)
    new = CODES[:4].copy(), CODES[:, :5].copy()
    new[0][1], new[1][:, 2] = -1, -1
    m, s_a, s_b = (float(getattr(model, name)) for name in LAW)
    rows, columns = model._factors_of_rows(new[0]), model._factors_of_columns(new[1])
    slopes = model._row_effect_slopes  # effects of rows vary around what they are on average where the row is
    design = model.H_.T + slopes
    of_rows = (new[0], design, model.column_effects_, np.ones(2), rows.W, form.ROWS, rows, used.rows, s_a)
    of_columns = new[1].T, model.W_, model.row_effects_, model.precisions_, columns.H.T, form.COLUMNS, columns
    for values, design, offset, prior, lines, name, found, there, variance in (
        of_rows,
        (*of_columns, used.columns, s_b),
    ):
        if not there:
            assert name not in found.others
            continue
        mean = 0.0 if name == form.ROWS and used.columns else m
        X, prior = np.column_stack([design, np.ones(len(design))]), np.append(prior, 1 / variance)
        along = lines @ slopes if name == form.ROWS else 0.0
        b = np.column_stack([lines, found.others[name] - along])
        empty = np.flatnonzero((values < 0).all(axis=1))
        np.testing.assert_allclose(b[empty], [[0.0, 0.0, mean]], atol=1e-9)
        psi, S = offset + b @ X.T, np.stack([np.diag(1 / prior)] * len(b))
        for _ in range(200):
            square = psi**2 + np.einsum("nd,lde,ne->ln", X, S, X)
            h, w = model._weights(values, psi, square)
            S = np.linalg.inv(np.diag(prior) + np.einsum("ln,nd,ne->lde", w, X, X))
        right = (h - w * offset) @ X + prior * [0.0, 0.0, mean]
        np.testing.assert_allclose(b, np.einsum("lde,le->ld", S, right), atol=2e-4)


@each_engine
def test_rows_of_which_positions_alone_are_known_have_the_mean_effect(engine):
    model = fitted(engine, effects="rows")
    W = np.zeros((1, 2))
    np.testing.assert_allclose(model.inverse_transform(W), expit(float(model.intercept_)), rtol=1e-12)
    both = fitted(engine)
    np.testing.assert_allclose(both.inverse_transform(W)[0], expit(both.column_effects_), rtol=1e-12)


# --- Draws, and what is predicted ----------------------------------------------------------------


@pytest.mark.parametrize("engine", ["Gibbs", "VB"])
def test_draws_have_intervals_of_the_distribution(engine):
    estimator, brief = ENGINES[engine]
    V = planted(60, 50, -1.0, 0.4, 1.0, 5)
    settings = brief | ({"n_samples": 400} if engine == "Gibbs" else {})
    model = estimator(1, effects="both", effect_scale="learned", random_state=2, **settings)
    draws = nbmf.posterior_draws(model, V, n_draws=100)
    for name, true in ((form.INTERCEPT, -1.0), (form.ROW_VARIANCE, 0.4), (form.COLUMN_VARIANCE, 1.0)):
        low, high = draws.other_interval(name, 0.99)
        assert low < true < high
        assert low < float(getattr(model, f"{name.replace(' ', '_')}_")) < high


@each_engine
@pytest.mark.parametrize("name", ["animals", "votes"])
def test_both_effects_predict_no_worse_than_without_them(name, engine):
    """Nor worse than column means; effects of a wide scale do on animals. The first mask of each."""
    V = nbmf.load_example(name)
    mask = nbmf.draw_mask(V, 0.2, np.random.SeedSequence(3))
    codes = BERNOULLI.values_of(V)
    hidden = BERNOULLI.hide(codes, mask)
    settings = {"burn_in": 200, "n_samples": 300} if engine == "Gibbs" else {"max_iter": 300}
    learned = nbmf.perplexity(codes, fitted(engine, hidden, 4, **settings).expectation_, mask)
    without = nbmf.perplexity(codes, fitted(engine, hidden, 4, effects="none", **settings).expectation_, mask)
    seen = hidden >= 0
    means = ((hidden == 1).sum(axis=0) + 1) / (seen.sum(axis=0) + 2)
    assert learned < without + 0.01
    assert learned < nbmf.perplexity(codes, np.tile(means, (len(codes), 1)), mask) - 0.05


# --- Counts ------------------------------------------------------------------------------------

OF_COUNTS = {
    "Gibbs": (nbmf.NegativeBinomialFactorGibbs, {"burn_in": 60, "n_samples": 80}),
    "VB": (nbmf.NegativeBinomialFactorVB, {"max_iter": 300}),
}
COUNTS = np.random.default_rng(4).poisson(np.exp(0.8 * np.random.default_rng(5).normal(size=(40, 1))), (40, 25))


def fitted_to_counts(engine, counts=COUNTS, K=1, **settings):
    estimator, brief = OF_COUNTS[engine]
    given = {"effects": "both", "effect_scale": "learned", "random_state": 1} | brief | settings
    return estimator(K, **given).fit(counts)


@pytest.mark.parametrize("engine", OF_COUNTS)
def test_effects_of_counts_are_found(engine):
    """A size of 2 and effects; the mean of an average row is s e^c, of which variational s may take a part of c."""
    rng = np.random.default_rng(7)
    of_rows, of_columns = rng.normal(0, np.sqrt(0.6), 90), 0.5 + rng.normal(0, np.sqrt(0.2), 60)
    level = np.exp(of_rows[:, None] + of_columns)
    model = fitted_to_counts(engine, rng.poisson(level * rng.gamma(2.0, 0.5, level.shape)), K=0)
    assert float(model.row_effect_variance_) == pytest.approx(of_rows.var(), rel=0.2)
    found = model.column_effects_ + np.log(model.sizes_)
    assert np.corrcoef(model.row_effects_, of_rows)[0, 1] > 0.95
    assert np.corrcoef(found, of_columns)[0, 1] > 0.9
    np.testing.assert_allclose([found.mean(), found.var()], [of_columns.mean(), of_columns.var()], rtol=0.25)


@pytest.mark.parametrize("engine", OF_COUNTS)
@pytest.mark.parametrize("effects", ["rows", "columns", "both"])
def test_new_rows_and_columns_of_counts_have_effects_of_the_learned_distribution(engine, effects):
    """They stand still at their equations; without entries they have the mean of the law."""
    model = fitted_to_counts(engine, effects=effects)
    new = COUNTS[:4].copy(), COUNTS[:, :5].copy()
    new[0][1], new[1][:, 2] = -1, -1
    m, s_a, s_b = (float(getattr(model, name)) for name in LAW)
    rows, columns = model._factors_of_rows(new[0]), model._factors_of_columns(new[1])
    slopes = model._row_effect_slopes  # effects of rows vary around what they are on average where the row is
    of_rows = new[0], model.H_.T + slopes, model.column_effects_, np.ones(1), rows.W, form.ROWS, rows, s_a
    of_columns = new[1].T, model.W_, model.row_effects_, model.precisions_, columns.H.T, form.COLUMNS, columns, s_b
    for values, design, offset, prior, lines, name, found, variance in (of_rows, of_columns):
        if name not in found.others:
            continue
        sizes = model.sizes_ if name == form.ROWS else found.others[form.SIZES][:, None]
        mean = 0.0 if name == form.ROWS and effects == "both" else m
        X, prior = np.column_stack([design, np.ones(len(design))]), np.append(prior, 1 / variance)
        along = lines @ slopes if name == form.ROWS else 0.0
        b = np.column_stack([lines, found.others[name] - along])
        empty = np.flatnonzero((values < 0).all(axis=1))
        np.testing.assert_allclose(b[empty], [[0.0, mean]], atol=1e-9)
        psi, S = offset + b @ X.T, np.stack([np.diag(1 / prior)] * len(b))
        for _ in range(200):
            square = psi**2 + np.einsum("nd,lde,ne->ln", X, S, X)
            likelihood = CountsOfSize(values, sizes)
            likelihood.refresh(psi, square)
            S = np.linalg.inv(np.diag(prior) + np.einsum("ln,nd,ne->lde", likelihood.w, X, X))
        right = (likelihood.h - likelihood.w * offset) @ X + prior * [0.0, mean]
        np.testing.assert_allclose(b, np.einsum("lde,le->ld", S, right), atol=2e-4)


@each_engine
@pytest.mark.parametrize("effects", ["rows", "both"])
def test_new_rows_are_predicted_alike_in_every_form_of_the_factors(engine, effects):
    """Where all columns rise with an axis, the form that is reported has most of what it says in the row effects."""
    rng = np.random.default_rng(2)
    model, new = fitted(engine, K=1, effects=effects), CODES[:8].copy()
    new[7] = -1
    w = rng.normal(size=30)
    w = (w - w.mean()) / w.std()
    rest = 0.05 * rng.normal(size=30)
    rest -= rest.mean() + (rest @ w) / 30 * w
    others = model._others(rest, model.column_effects_)
    plain = Factors(w[:, None], rng.uniform(0.5, 2.5, (1, 21)), others)
    psi = []
    for one in (plain, form.canonical(plain)):
        model.W_, model.H_, model.row_effects_ = one.W, one.H, one.others[form.ROWS]
        model.row_effect_variance_ = np.array(0.05**2)
        psi.append(form.psi_of(model.factors_of_rows(new)))
    assert model.row_effects_.std() > 1
    np.testing.assert_allclose(*psi, atol=1e-3)
    given_positions = model.inverse_transform(model.transform(new))
    np.testing.assert_allclose(given_positions, expit(psi[0]), atol=0.02)


def test_slopes_of_row_effects_are_those_of_a_regression_shrunk_by_its_noise():
    rng = np.random.default_rng(3)
    W, noise = rng.normal(size=(50, 3)), rng.normal(size=50)
    effects = W @ [1.0, -0.5, 0.0] + 0.4 * noise
    b = np.linalg.inv(W.T @ W) @ W.T @ effects
    factor = 1 - 3 * 0.16 / (b @ W.T @ W @ b)
    np.testing.assert_allclose(form.slopes_of_row_effects(W, effects, 0.16), factor * b, rtol=1e-12)
    assert 0.9 < factor < 1
    residuals = noise - W @ (np.linalg.inv(W.T @ W) @ W.T @ noise)  # nothing is left to explain
    np.testing.assert_allclose(form.slopes_of_row_effects(W, residuals, 0.16), 0.0, atol=1e-15)
    unused = np.column_stack([W[:, 0], np.zeros(50)])
    assert form.slopes_of_row_effects(unused, effects, 0.16)[1] == 0
    assert form.slopes_of_row_effects(np.empty((50, 0)), effects, 0.16).shape == (0,)


def test_a_start_that_is_a_whole_number_is_that_number():
    """Variances to begin with were whole numbers then, and what they became was cut."""
    one, other = (fitted_to_counts("VB", K=3, ard=True, start_scale=scale) for scale in (1, 1.0))
    assert one.objective_ == other.objective_
    assert np.isfinite(one.objective_)


def kinds():
    """Return counts of four kinds of rows, each with columns of its own: three axes."""
    rng = np.random.default_rng(3)
    of_rows, of_columns = np.arange(60)[:, None] % 4, np.arange(12) % 4
    return rng.poisson(np.exp(1.5 * (of_rows == of_columns) + 0.5 * rng.normal(size=(60, 1))))


def test_precisions_that_are_learned_later_prune_no_component_that_the_data_have():
    """From a random start; where effects are learned too, the start has the components."""
    found = {}
    for scale, after in itertools.product((2.0, "learned"), (0, 100)):
        model = fitted_to_counts("VB", kinds(), K=6, ard=True, ard_after=after, effect_scale=scale)
        found[scale, after] = np.count_nonzero(model.shares_of(model.factors_) > 0.05)
    assert found[2.0, 0] < found[2.0, 100]
    assert found["learned", 0] == found["learned", 100] == 3


def test_until_then_they_are_one_and_the_bound_never_falls():
    model = nbmf.NegativeBinomialFactorVB(3, effects="both", effect_scale="learned", ard=True, ard_after=7, max_iter=40)
    state = model._start(kinds(), np.random.SeedSequence(1))
    fixed = nbmf.NegativeBinomialFactorVB(3, effects="both", effect_scale="learned", ard=False, max_iter=40)
    other = fixed._start(kinds(), np.random.SeedSequence(1))
    bounds = []
    for number in range(1, 30):
        state.advance(1)
        other.advance(1)
        bounds.append(state.objective())
        assert (state.matrix.columns.precision[:3] == 1).all() == (number <= 7)
        assert (state.objective() == other.objective()) == (number <= 7)
        assert (state.matrix.columns.coordinates.learned.size == 4) == (number > 7)
    bounds = np.array(bounds)
    assert (np.diff(bounds[:7]) > -1e-6).all()
    assert (np.diff(bounds[7:]) > -1e-6).all()
    at_once = model._start(kinds(), np.random.SeedSequence(1))
    at_once.advance(29)
    assert at_once.objective() == bounds[-1]


def test_a_fit_does_not_end_before_precisions_are_learned():
    settings = {"ard": True, "ard_after": 50, "bound_gain_tol": 1.0}
    assert fitted_to_counts("VB", kinds(), **settings, max_iter=300).n_iter_ > 50
    brief = fitted_to_counts("VB", kinds(), **settings, max_iter=20)
    assert brief._start(kinds(), np.random.SeedSequence(1)).waits == 10
    assert fitted_to_counts("VB", kinds(), ard=False, ard_after=50, bound_gain_tol=1.0).n_iter_ == 40
