"""Variational factor models as estimators: binary, counts and real values."""

import numpy as np
import pytest
from logistic_models import small_data
from scipy.special import expit
from scipy.stats import nbinom, norm

import nbmf
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.families.logistic import logistic_estimator, logistic_factor_vb
from nbmf.families.logistic.count_factor_vb import NegativeBinomialFactorVB, SoftplusPoissonFactorVB
from nbmf.families.logistic.gaussian_factor_vb import GaussianFactorVB
from nbmf.families.logistic.logistic_factor_gibbs import LogisticFactorGibbs
from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
from nbmf.families.logistic.ordinal_factor_vb import OrdinalFactorVB
from nbmf.families.logistic.quadratic_counts import softplus
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.seeds import seed_sequence

CLASSES = {
    LogisticFactorVB: "binary",
    NegativeBinomialFactorVB: "counts",
    SoftplusPoissonFactorVB: "counts",
    GaussianFactorVB: "real",
}
every_class = pytest.mark.parametrize("estimator", CLASSES, ids=lambda each: each.__name__)
DATA = small_data(40, 30, seed=2, scale=2.0)


def fit(estimator, K=2, **settings):
    brief = {"max_iter": 60, "bound_gain_tol": 0, "random_state": 0} | settings
    return estimator(K, **brief).fit(DATA[CLASSES[estimator]])


# --- The negative binomial likelihood ----------------------------------------------------------


def test_counts_are_scored_by_means_and_sizes():
    tallies = np.array([[0, 3], [7, -1]], np.int32)
    loss_at = NEGATIVE_BINOMIAL.loss_at(tallies, tallies >= 0)
    mean, size = np.array([0.5, 4.0, 2.0]), np.array([1.0, 0.3, 50.0])
    p = size / (size + mean)
    expected = -nbinom.logpmf([0, 3, 7], size, p)
    assert loss_at((mean, size)).total == pytest.approx(expected.sum(), rel=1e-12)
    several = np.array([mean, 2 * mean])
    laws = [nbinom.pmf([0, 3, 7], size, size / (size + each)) for each in several]
    mixed = -np.log(np.mean(laws, axis=0)).sum()
    assert loss_at((several, size)).total == pytest.approx(mixed, rel=1e-12)


def test_a_mean_of_zero_is_saturated_where_something_was_counted():
    tallies = np.array([[0, 3]], np.int32)
    loss = NEGATIVE_BINOMIAL.loss_at(tallies, tallies >= 0)((np.zeros(2), np.ones(2)))
    assert loss.saturated == 1
    assert loss.entries == 2
    assert np.isfinite(loss.total)


def test_missing_counts_cannot_be_scored():
    tallies = np.array([[0, -1]], np.int32)
    with pytest.raises(DataError, match="1 of those to score are missing"):
        NEGATIVE_BINOMIAL.loss_at(tallies, np.ones((1, 2), bool))
    with pytest.raises(DataError, match="nothing to score"):
        NEGATIVE_BINOMIAL.loss_at(tallies, np.zeros((1, 2), bool))


# --- What all of them do -------------------------------------------------------------------------


@every_class
@pytest.mark.parametrize("settings", [{}, {"effects": "both"}, {"covariance": "full", "ard": True}])
def test_fits_predict_held_out_entries_better_than_one_number(estimator, settings):
    values = DATA[CLASSES[estimator]]
    likelihood = estimator.likelihoods[0]
    seen = likelihood.is_observed(values)
    held_out = seen & (np.random.default_rng(1).random(values.shape) < 0.2)
    model = estimator(2, max_iter=400, bound_gain_tol=1e-4, random_state=0, **settings)
    model.fit(likelihood.hide(values, held_out))
    baseline = estimator(0, effects="columns", random_state=0)
    baseline.fit(likelihood.hide(values, held_out))
    loss_at = likelihood.loss_at(values, held_out)
    assert loss_at.of(model.predictive).perplexity < loss_at.of(baseline.predictive).perplexity
    if estimator is LogisticFactorVB:
        assert model.converged_


@every_class
def test_a_state_predicts_what_the_estimator_does(estimator):
    values = DATA[CLASSES[estimator]]
    model = estimator(2, effects="both", max_iter=30, bound_gain_tol=0, random_state=4)
    state = model._start(values, seed_sequence(4))
    model = estimator(2, effects="both", max_iter=30, bound_gain_tol=0, random_state=seed_sequence(4))
    model.fit(values)
    state.advance(10)
    before = state.objective()
    state.advance(20)
    assert state.objective() > before
    rows, columns = np.array([0, 5, 39]), np.array([3, 29, 0])
    np.testing.assert_array_equal(state.expectation(), model.expectation_)
    for one, other in zip(state.predictive(rows, columns), model.predictive(rows, columns), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    assert state.active_components() == model.active_components_


@every_class
@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_training_lines_come_back_by_fold_in(estimator, effects):
    model = fit(estimator, effects=effects, covariance="full", max_iter=200)
    values = DATA[CLASSES[estimator]]
    psi = model.W_ @ model.H_ + model.row_effects_[:, None] + model.column_effects_
    for found in (model._factors_of_rows(values), model._factors_of_columns(values)):
        others = found.others
        again = found.W @ found.H + others.get("column effects", 0)
        again = again + np.reshape(others.get("row effects", np.zeros(40)), (-1, 1))
        # The other side is taken as known, so that new lines are less shrunk.
        assert np.corrcoef(again.ravel(), psi.ravel())[0, 1] > 0.97
    assert model.predict_rows(values[:3]).shape == (3, 30)
    assert model.predict_columns(values[:, :4]).shape == (40, 4)
    assert np.isfinite(model.score(values))


@every_class
def test_new_lines_depend_on_no_others(estimator):
    model, values = fit(estimator, effects="both"), DATA[CLASSES[estimator]]
    rows, columns = model.transform(values), model.transform_columns(values)
    for line in (0, 7):
        np.testing.assert_allclose(model.transform(values[[line]])[0], rows[line], atol=1e-9)
        alone = model.transform_columns(values[:, [line]])
        np.testing.assert_allclose(alone[:, 0], columns[:, line], atol=1e-9)


@every_class
def test_a_saved_fit_comes_back(estimator, tmp_path):
    model = fit(estimator, effects="columns")
    model.save(tmp_path / "model.npz")
    again = nbmf.load(tmp_path / "model.npz")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.expectation_, model.expectation_)
    values = DATA[CLASSES[estimator]]
    np.testing.assert_array_equal(again.transform(values), model.transform(values))
    for one, other in zip(model.predictive([1], [2]), again.predictive([1], [2]), strict=True):
        np.testing.assert_array_equal(one, other)


@every_class
def test_draws_come_from_q(estimator):
    """Means of ψ over draws within 5 standard errors of <ψ>, every entry."""
    model = estimator(2, effects="both", max_iter=60, bound_gain_tol=0, random_state=0)
    draws = nbmf.posterior_draws(model, DATA[CLASSES[estimator]], n_draws=300)
    psi = np.array(
        [each.W @ each.H + each.others["row effects"][:, None] + each.others["column effects"] for each in draws]
    )
    factors = model.factors_
    mean = factors.W @ factors.H + model.row_effects_[:, None] + model.column_effects_
    assert (np.abs(psi.mean(axis=0) - mean) < 5 * psi.std(axis=0) / np.sqrt(300) + 1e-5).all()
    low, high = draws.expectation_interval(0.9)
    assert (low <= high).all()


@every_class
@pytest.mark.parametrize("effects", ["rows", "columns", "both"])
def test_effects_alone_are_a_model(estimator, effects):
    model = fit(estimator, K=0, effects=effects)
    assert model.W_.shape == (40, 0)
    assert model.active_components_ == 0
    if effects == "both":
        assert model.row_effects_.mean() == pytest.approx(0, abs=1e-9)
    expected = model.expectation_
    if effects != "rows":
        assert np.ptp(expected, axis=1).min() > 0
    if effects != "columns":
        assert np.ptp(expected, axis=0).min() > 0


@every_class
def test_more_components_than_lines_and_lines_without_entries(estimator):
    values = DATA[CLASSES[estimator]][:4, :3]
    likelihood = estimator.likelihoods[0]
    hidden = np.zeros((4, 3), bool)
    hidden[1], hidden[:, 2] = True, True
    model = estimator(6, max_iter=30, bound_gain_tol=0, random_state=0)
    model.fit(likelihood.hide(values, hidden))
    assert np.isfinite(model.expectation_).all()


# --- Priors of new rows and columns ------------------------------------------------------------

NEW = {
    "logistic": (LogisticFactorVB, {}),
    "bohning": (LogisticFactorVB, {"bound": "bohning"}),
    "logistic with noise": (LogisticFactorVB, {"noise": True}),
    "logistic Gibbs": (LogisticFactorGibbs, {}),
    "negative binomial": (NegativeBinomialFactorVB, {}),
    "negative binomial with noise": (NegativeBinomialFactorVB, {"noise": True}),
    "softplus": (SoftplusPoissonFactorVB, {}),
    "normal": (GaussianFactorVB, {}),
}
each_model = pytest.mark.parametrize("name", NEW)
F, N = 5, 4
NEW_DATA = small_data(F, N, seed=5)


def known(name, W, H, precisions, effects="none", a=(0.0,) * F, b=(0.0,) * N):
    """Return a model that has learned these numbers, and values that it can fold in."""
    estimator, settings = NEW[name]
    model = estimator(len(H), effects=effects, **settings)
    model.W_, model.H_, model.precisions_ = W, H, np.array(precisions)
    model.row_effects_, model.column_effects_ = np.array(a), np.array(b)
    model.noise_variance_, model.sizes_ = np.array(0.7), np.array([0.6, 1.0, 2.5, 4.0])
    return model, NEW_DATA[{"binary": "binary", "real": "real"}.get(CLASSES.get(estimator, "binary"), "counts")]


@each_model
def test_a_precision_is_one_over_a_square_of_the_scale_of_new_columns(name, monkeypatch):
    """h ~ N(0, 1/α) next to W is √α h ~ N(0, 1) next to W / √α."""
    monkeypatch.setattr(logistic_estimator, "NOISE_ROUNDS", 5)
    rng = np.random.default_rng(6)
    W, H, precisions = rng.normal(size=(F, 2)), rng.normal(size=(2, N)), np.array([0.2, 9.0])
    model, values = known(name, W, H, precisions)
    standard, _ = known(name, W / np.sqrt(precisions), H, [1.0, 1.0])
    found, expected = (each._factors_of_columns(values) for each in (model, standard))
    assert (np.abs(found.H) > 1e-3).any()
    np.testing.assert_allclose(found.H * np.sqrt(precisions)[:, None], expected.H, rtol=1e-4, atol=1e-6)
    for other in expected.others:
        np.testing.assert_allclose(found.others[other], expected.others[other], rtol=1e-6)


@each_model
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_a_new_effect_is_ten_times_the_coordinate_of_a_component_of_tens(name, side, monkeypatch):
    """An effect ~ N(0, 100) is 10 w, w ~ N(0, 1), of a component that is 10 on the other side."""
    monkeypatch.setattr(logistic_estimator, "NOISE_ROUNDS", 5)
    rng = np.random.default_rng(7)
    W, H, tens = rng.normal(size=(F, 1)), rng.normal(size=(1, N)), 10.0
    model, values = known(name, W, H, [1.0], effects=side)
    wide, _ = known(name, np.column_stack([W, np.full(F, tens)]), np.vstack([H, np.full(N, tens)]), [1.0, 1.0])
    if side == "rows":
        found, (expected, _, _) = model._factors_of_rows(values), wide._factors_of_rows(values)
        component = found.W[:, 0]
    else:
        found, (_, expected, _) = model._factors_of_columns(values), wide._factors_of_columns(values)
        component, expected = found.H[0], expected.T
    np.testing.assert_allclose(component, expected[:, 0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found.others[f"{side[:-1]} effects"], tens * expected[:, 1], rtol=1e-4, atol=1e-5)


@each_model
@pytest.mark.parametrize("effects", ["none", "both"])
@pytest.mark.parametrize("side", ["rows", "columns"])
def test_new_rows_and_columns_stand_still_at_their_equations(name, effects, side, monkeypatch):
    """S⁻¹ = precisions + Σ w x x' and m = S Σ (h - w offset) x, cell by cell, with the effects of the other side."""
    monkeypatch.setattr(logistic_estimator, "NOISE_ROUNDS", 5)
    rng = np.random.default_rng(8)
    W, H, precisions = rng.normal(size=(F, 2)), rng.normal(size=(2, N)), np.array([0.2, 9.0])
    a, b = (0.5 * rng.normal(size=size) if effects == "both" else np.zeros(size) for size in (F, N))
    model, values = known(name, W, H, precisions, effects, a, b)
    if side == "rows":
        found = model._factors_of_rows(values)
        design, offset, prior, lines = H.T, b, np.ones(2), found.W
    else:
        found = model._factors_of_columns(values)
        design, offset, prior, lines, values = W, a, precisions, found.H.T, values.T
        if "sizes" in found.others:  # each column has learned its own
            model.sizes_ = found.others["sizes"][:, None]
    if effects == "both":
        design, prior = np.column_stack([design, np.ones(len(design))]), np.append(prior, 0.01)
        lines = np.column_stack([lines, found.others[f"{side[:-1]} effects"]])
    psi, S = offset + lines @ design.T, np.stack([np.diag(1 / prior)] * len(lines))
    for _ in range(60):
        square = psi**2 + np.einsum("nd,lde,ne->ln", design, S, design)
        h, w = model._weights(values, psi, square)
        S = np.linalg.inv(np.diag(prior) + np.einsum("ln,nd,ne->lde", w, design, design))
    still = np.einsum("lde,le->ld", S, (h - w * offset) @ design)
    np.testing.assert_allclose(lines, still, rtol=1e-3, atol=1e-4)


@each_model
def test_missing_cells_of_new_rows_have_no_weight(name):
    model, values = known(name, np.ones((F, 1)), np.ones((1, N)), [1.0])
    missing = np.isnan(values) if values.dtype.kind == "f" else values < 0
    assert missing.any()
    psi = np.random.default_rng(9).normal(size=(F, N))
    for part in model._weights(values, psi, psi**2 + 0.5):
        assert (part[missing] == 0).all()
        assert (part[~missing] != 0).all()


def test_new_normal_rows_and_columns_have_their_posterior_means():
    """Ridge regressions, cell by cell; entries are then normal with the noise around these means."""
    rng = np.random.default_rng(10)
    W, H, a, b = rng.normal(size=(F, 2)), rng.normal(size=(2, N)), rng.normal(size=F), rng.normal(size=N)
    model, values = known("normal", W, H, [0.2, 9.0], "both", a, b)
    row, column = model._factors_of_rows(values), model._factors_of_columns(values)
    for found, effect, design, offset, prior, lines in (
        (row.W, row.others["row effects"], H.T, b, [1.0, 1.0, 0.01], values),
        (column.H.T, column.others["column effects"], W, a, [0.2, 9.0, 0.01], values.T),
    ):
        X = np.column_stack([design, np.ones(len(design))])
        for line, x, e in zip(lines, found, effect, strict=True):
            seen = ~np.isnan(line)
            A = np.diag(prior) + X[seen].T @ X[seen] / 0.7
            expected = np.linalg.solve(A, X[seen].T @ (line - offset)[seen] / 0.7)
            np.testing.assert_allclose(np.append(x, e), expected, rtol=1e-5, atol=1e-6)
    rows, columns = np.array([0, 3]), np.array([2, 1])
    mean, deviation = model.predictive_of(row, rows, columns)
    np.testing.assert_allclose(mean, (row.W @ H + row.others["row effects"][:, None] + b)[rows, columns], rtol=1e-12)
    np.testing.assert_allclose(deviation, np.sqrt(0.7), rtol=1e-12)


# --- What single ones do ---------------------------------------------------------------------


def test_probabilities_are_means_over_draws():
    """E σ(ψ) by the normal law of ψ against 4000 draws from q: the law is nearly normal."""
    model = LogisticFactorVB(2, max_iter=60, bound_gain_tol=0, random_state=0)
    state = model._start(DATA["binary"], seed_sequence(0))
    state.advance(60)
    rng, mean = np.random.default_rng(0), np.zeros((40, 30))
    rows, columns = state.matrix.rows, state.matrix.columns
    for _ in range(4000):
        mean += expit(rows.draw(rng) @ columns.draw(rng).T) / 4000
    gap = np.abs(mean - state.expectation())
    assert gap.mean() < 0.003
    assert gap.max() < 0.02


def test_noise_is_in_predictions():
    model = fit(LogisticFactorVB, noise=True)
    variance = float(model.noise_variance_)
    assert variance > 0
    factors = model.factors_
    psi = factors.W @ factors.H
    z = np.random.default_rng(0).normal(size=(4000, 1, 1)) * np.sqrt(variance)
    np.testing.assert_allclose(model.mean(factors, slice(5), slice(4)), expit(psi[:5, :4] + z).mean(axis=0), atol=0.04)
    assert float(fit(LogisticFactorVB).noise_variance_) == 0.0


def test_bohning_has_no_noise():
    with pytest.raises(ConfigError, match=r"noise = True with bound = 'bohning': must be"):
        fit(LogisticFactorVB, noise=True, bound="bohning")


@pytest.mark.parametrize("settings", [{"bound": "bohning"}, {"noise": True}])
def test_new_lines_use_the_bound_of_the_fit(settings):
    model = fit(LogisticFactorVB, **settings)
    W = model.transform(DATA["binary"])
    assert np.corrcoef(W[:, 0], model.W_[:, 0])[0, 1] > 0.97
    assert logistic_factor_vb.BOUNDS.keys() == {"polya-gamma", "bohning"}


def test_learned_precisions_prune():
    free, pruned = fit(LogisticFactorVB, K=8), fit(LogisticFactorVB, K=8, ard=True, max_iter=300)
    assert pruned.active_components_ < free.active_components_
    for each in (free, pruned):  # of a fixed α too: W_ has a scale of its own
        given_H = (0.001 + 30 / 2) / (0.001 + (each.H_**2).sum(axis=1) / 2)
        np.testing.assert_allclose(each.precisions_, given_H, rtol=1e-12)


@pytest.mark.parametrize("estimator", [LogisticFactorVB, NegativeBinomialFactorVB, OrdinalFactorVB])
def test_new_columns_follow_no_axes_that_are_noise(estimator):
    """Of a matrix without structure the fit finds as much: a new column is predicted about as one without factors."""
    rng = np.random.default_rng(0)
    V = rng.binomial(1, 0.5, (60, 80)) if estimator is not NegativeBinomialFactorVB else rng.poisson(1.0, (60, 80))
    new, hidden = V[:, 40:], rng.random((60, 40)) < 0.5
    losses = []
    for K in (0, 6):
        cuts = {"cut_points": "shared"} if estimator is OrdinalFactorVB else {}
        model = estimator(K, effects="columns", effect_scale="learned", random_state=0, **cuts).fit(V[:, :40])
        factors = model._fold_in(model._factors_of_columns, np.where(hidden, -1, new), axis=0)
        predicted = model.predictive_of(factors, *np.nonzero(hidden))
        losses.append(model.likelihood.losses(new[hidden], predicted).mean())
    assert losses[1] < losses[0] + 0.05  # with α = 1 in units of W_ 0.11 to 0.15


def test_normal_values_of_a_known_distribution_are_found():
    rng = np.random.default_rng(3)
    V = rng.normal(size=(200, 2)) @ (3 * rng.normal(size=(2, 40))) + 0.5 * rng.normal(size=(200, 40))
    model = GaussianFactorVB(5, random_state=0).fit(RealMatrix.from_array(V))
    assert float(model.noise_variance_) == pytest.approx(0.25, rel=0.1)
    assert model.active_components_ == 2
    mean, deviation = model.predictive(np.arange(200), np.arange(200) % 40)
    z = (V[np.arange(200), np.arange(200) % 40] - mean) / deviation
    assert z.std() == pytest.approx(1, abs=0.15)
    total = -norm.logpdf(V, model.expectation_, model.deviations_).mean()
    assert total < 1.0


def test_limits_cut_the_mean():
    free, cut = (fit(GaussianFactorVB, limits=limits) for limits in (None, (-0.5, 0.25)))
    np.testing.assert_array_equal(cut.expectation_, np.clip(free.expectation_, -0.5, 0.25))
    assert free.expectation_.max() > 0.3
    assert cut.predict_rows(DATA["real"][:4]).max() == 0.25


@pytest.mark.parametrize("limits", [(1, 0), (0,), "01", 3, (0, None)])
def test_limits_are_two_increasing_numbers(limits):
    with pytest.raises(ConfigError, match=r"^limits = .*: must be None or two increasing"):
        fit(GaussianFactorVB, limits=limits)


def test_sizes_of_a_known_distribution_are_found():
    rng = np.random.default_rng(5)
    psi = rng.normal(size=(400, 1)) @ (0.4 * rng.normal(size=(1, 8))) - 0.5
    sizes = np.array([1.0, 1, 2, 2, 4, 4, 8, 8])
    V = rng.negative_binomial(sizes, expit(-psi))
    model = NegativeBinomialFactorVB(1, effects="columns", covariance="full", random_state=0)
    model.fit(V)
    assert np.corrcoef(np.log(model.sizes_), np.log(sizes))[0, 1] > 0.85
    assert np.abs(model.expectation_.mean(axis=0) / V.mean(axis=0) - 1).max() < 0.1
    found = model._factors_of_columns(V)
    assert np.corrcoef(np.log(found.others["sizes"]), np.log(sizes))[0, 1] > 0.85


def test_softplus_rates_are_means_over_the_distribution_of_log_odds():
    model = SoftplusPoissonFactorVB(2, max_iter=60, bound_gain_tol=0, random_state=0)
    state = model._start(DATA["counts"], seed_sequence(0))
    state.advance(60)
    psi, variance = state.moments()
    z = np.random.default_rng(1).normal(size=(3000, 1, 1))
    expected = softplus(psi + np.sqrt(variance) * z).mean(axis=0)
    np.testing.assert_allclose(state.expectation(), expected, rtol=0.1, atol=0.03)
