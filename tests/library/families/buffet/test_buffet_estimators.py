"""The estimators of Indian buffets: what they find, no feature at all, new lines, files."""

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import expit

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import ChainsNotConvergedWarning, ConfigError, DataError, Setting
from nbmf.families.buffet import buffet_fold_in as fold_in
from nbmf.families.buffet import summaries
from nbmf.families.buffet.buffet_gaussian import IndianBuffetGaussian
from nbmf.families.buffet.buffet_logistic import IndianBuffetLogistic, LogisticState
from nbmf.families.buffet.buffet_priors import buffet_prior
from nbmf.fits import FitRequest, run_fit, save_factors
from nbmf.inference.state import Factors
from nbmf.likelihoods.gaussian import GAUSSIAN
from nbmf.numerics import sigmoid
from nbmf.posterior.components import components_of
from nbmf.seeds import seed_sequence

BRIEF = {"burn_in": 300, "n_samples": 200, "random_state": 0}


def factor_data(p=50, n=50, seed=1, noise=1.0):
    """Return data of section 4.3: four factors, ten rows that have them all."""
    rng = np.random.default_rng(seed)
    B = np.zeros((p, 4))
    rows = rng.choice(p, 10, replace=False)
    B[rows] = rng.uniform(2, 3, (10, 4)) * rng.choice([-1, 1], (10, 4))
    return B @ rng.standard_normal((4, n)) + math.sqrt(noise) * rng.standard_normal((p, n)), rows


def coins(shape=(12, 10), seed=0):
    """Return a matrix without structure."""
    return (np.random.default_rng(seed).random(shape) < 0.5).astype(np.int8)


# --- Finding K --------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["slow", "empty", "dense"])
def test_four_factors_are_found_whatever_the_start(start):
    # CIBP(1, 10, 10), τ = 1, as in the paper's simulation; a dense start has to lose sixteen.
    V, rows = factor_data()
    model = IndianBuffetGaussian(
        mass=1.0,
        alpha=10.0,
        kappa=10.0,
        slab_variance=1.0,
        standardize=False,
        start=start,
        burn_in=6000,
        n_samples=1000,
        random_state=2,
    ).fit(V)
    assert model.findings["K+"] == (4 if start != "empty" else pytest.approx(4, abs=2))
    assert 0.9 < model.noise_variance_ < 1.15
    assert (model.mass_, model.alpha_, model.kappa_) == (1.0, 10.0, 10.0)
    if start == "slow":
        assert set(np.flatnonzero((np.abs(model.W_) > 1).any(axis=1))) == set(rows)
        assert model.K_probabilities_[4] > 0.99
        assert model.n_components_ == model.active_components_ == 4


def tall(loading, shape=(200, 40), seed=1):
    """Return zeros and ones with three features, in log-odds of so many standard deviations."""
    rng = np.random.default_rng(seed)
    B = np.where(rng.random((shape[0], 3)) < 0.4, rng.normal(0, loading, (shape[0], 3)), 0.0)
    P = expit(-1 + B @ rng.standard_normal((3, shape[1])))
    return (rng.random(shape) < P).astype(np.int8)


@pytest.mark.parametrize("seed", range(3))
def test_features_are_found_where_one_row_alone_hardly_ever_starts_one(seed):
    """All three are there, if some of them twice: chains of 500 sweeps have not converged.

    A chain that begins with nothing lacks some, which is why that is not the default.
    """
    V, lengths = tall(2.0), {"burn_in": 300, "n_samples": 200, "random_state": seed}
    assert IndianBuffetLogistic(**lengths).fit(V).findings["K+"] >= 3
    assert IndianBuffetLogistic(start="slow", **lengths).fit(V).findings["K+"] < 3


@pytest.mark.parametrize("shape", [(400, 60), (60, 200)])
def test_twenty_random_features_go_where_there_is_none(shape):
    model = IndianBuffetLogistic(burn_in=1000, n_samples=200, random_state=0).fit(tall(0.0, shape))
    assert model.findings["K+"] <= 1


class SweepsSeen(list):
    """In the place of a chain: what it is asked for."""

    shape = 50, 4

    def sweep(self, steps, share=1.0, keep=False, holds_slab=False):
        self.append((steps, share, keep, holds_slab))


@pytest.mark.parametrize(
    ("start", "opening"), [("slow", (20, 1 / 50, False, False)), ("dense", (20, 1.0, False, True)), ("empty", None)]
)
def test_how_a_burn_in_begins(start, opening):
    model = IndianBuffetLogistic(start=start, burn_in=60)
    state = LogisticState(SweepsSeen(), 60, model._opening(50))
    for steps in (7, 60, 3):
        state.advance(steps)
    seen = [row for row in state.chain if row[1:] == (1.0, True, False)]
    assert sum(row[0] for row in seen) == 10
    assert {row[1:] for row in state.chain if row not in seen} == {(1.0, False, False)} | (
        {opening[1:]} if opening else set()
    )
    if opening:
        assert sum(row[0] for row in state.chain if row[1:] == opening[1:]) == opening[0]
    assert model._opening(1).sweeps == {"slow": 10, "dense": 20, "empty": 0}[start]


def test_a_slab_that_is_held_stays_and_is_learned_afterwards():
    state = IndianBuffetLogistic(start="dense", burn_in=30)._start(coins(), seed_sequence("slab"))
    state.advance(10)
    assert state.chain.state().numbers["slab_variance"] == 1.0
    state.advance(1)
    assert state.chain.state().numbers["slab_variance"] != 1.0


def test_held_out_values_are_predicted_with_their_uncertainty():
    V, _ = factor_data(p=30, n=60, noise=0.25)
    V = 100 + 7 * V  # any place and scale
    mask = np.random.default_rng(3).random(V.shape) < 0.2
    model = IndianBuffetGaussian(**BRIEF | {"burn_in": 1500}).fit(np.where(mask, np.nan, V))
    loss = GAUSSIAN.loss_at(V, mask).of(model.predictive).perplexity
    alone = GAUSSIAN.loss_at(V, mask)(
        (np.repeat(V.mean(axis=1), 60)[mask.ravel()], np.repeat(V.std(axis=1), 60)[mask.ravel()])
    ).perplexity
    assert loss < alone - 0.3
    mean, deviation = model.predictive(*np.nonzero(mask))
    z = (V[mask] - mean) / deviation
    assert 0.9 < z.std() < 1.2
    assert stats.kurtosis(z) < 2
    # The same on another scale.
    other = IndianBuffetGaussian(**BRIEF | {"burn_in": 1500}).fit(np.where(mask, np.nan, 3 + V / 100))
    if other.n_components_ == model.n_components_:
        np.testing.assert_allclose(other.expectation_, 3 + model.expectation_ / 100, rtol=1e-2)


@pytest.mark.parametrize("make", [IndianBuffetLogistic, IndianBuffetGaussian])
def test_what_is_hidden_influences_nothing(make):
    rng = np.random.default_rng(4)
    V = (rng.random((12, 10)) < 0.5).astype(float)
    mask = rng.random(V.shape) < 0.3
    likelihood = make.likelihoods[0]
    fits = [
        make(**BRIEF).fit(likelihood.hide(likelihood.values_of(values), mask))
        for values in (V, np.where(mask, 1 - V, V))
    ]
    for name in ("W_", "H_", "expectation_", "sizes_"):
        np.testing.assert_array_equal(getattr(fits[0], name), getattr(fits[1], name))


def test_the_first_capacity_changes_no_bit_of_a_fit():
    V = (np.random.default_rng(5).random((20, 15)) < 0.4).astype(np.int8)
    fits = [IndianBuffetLogistic(K, prior="ibp", mass=6.0, **BRIEF).fit(V) for K in (1, 10, 300)]
    assert fits[0].sizes_.max() > 10
    for other in fits[1:]:
        for name in ("W_", "H_", "expectation_", "sizes_", "row_effects_"):
            np.testing.assert_array_equal(getattr(fits[0], name), getattr(other, name))


def test_chains_that_do_not_agree_are_advised_to_move_whole_columns():
    assert IndianBuffetLogistic().advice_if_stuck == Setting("column_moves", True)
    assert IndianBuffetGaussian(column_moves=True).advice_if_stuck is None


# --- No feature at all ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def empty():
    """A fit without any feature."""
    model = IndianBuffetLogistic(mass=1e-9, alpha=50.0, kappa=1.0, start="empty", **BRIEF)
    matrix = BinaryMatrix.from_array(coins(), [f"r{f}" for f in range(12)], [f"c{n}" for n in range(10)])
    return model.fit(matrix), matrix


def test_no_feature_is_a_fit_like_others(empty, tmp_path):
    model, matrix = empty
    assert (model.n_components_, model.active_components_, model.findings["K+"]) == (0, 0, 0)
    assert (model.W_.shape, model.H_.shape) == ((12, 0), (0, 10))
    assert model.shares_of(model.factors_).shape == (0,)
    assert ((model.expectation_ > 0) & (model.expectation_ < 1)).all()
    assert model.transform(matrix.codes).shape == (12, 0)
    assert model.transform_columns(matrix.codes).shape == (0, 10)
    assert model.predict_rows(matrix.codes).shape == (12, 10)
    assert model.score(matrix.codes) < 0
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.expectation_, model.expectation_)
    np.testing.assert_array_equal(loaded.row_effects_, model.row_effects_)
    assert loaded.findings == model.findings
    save_factors(tmp_path / "factors.npz", model)
    found = components_of(model)
    assert (found.active, found.names(), found.labels(3)) == (0, [], [])


def test_no_feature_goes_through_a_fit_of_the_workflow_and_chains(empty):
    _, matrix = empty
    settings = {"mass": 1e-9, "alpha": 50.0, "start": "empty", "burn_in": 50, "n_samples": 50}
    result = run_fit(
        matrix,
        coins(seed=1) == 1,
        FitRequest("IndianBuffetLogistic", 10, settings, ["fit", "none"], chain_points=20),
        log=[].append,
    )
    assert result.report["n_components"] == result.report["active_components"] == 0
    assert result.report["W_max"] is None
    draws = nbmf.posterior_draws(IndianBuffetLogistic(random_state=0, **settings), matrix, n_draws=9)
    assert draws.sizes.tolist() == [0] * 9
    assert not summaries.co_loading(draws).any()
    assert not summaries.loading_covariance(draws).any()
    lower, upper = draws.expectation_interval()
    assert (lower <= upper).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotConvergedWarning)
        made = IndianBuffetLogistic(random_state=0, **settings)
        chains = nbmf.run_chains(made, matrix, chains=2, n_jobs=1)
    assert chains.trace["components"].max() == 0
    assert "components" not in set(chains.diagnostics["quantity"])  # it never moves


def test_what_is_learned_is_the_mean_over_kept_sweeps():
    model = IndianBuffetLogistic(alpha="learn", kappa="learn", burn_in=5, n_samples=12)
    state = model._start(coins(), seed_sequence("learned"))
    state.advance(5)
    sweeps = []
    for _ in range(12):
        state.advance(1)
        shapes = {"alpha": state.chain.prior.alpha, "kappa": state.chain.prior.kappa}
        sweeps.append(state.chain.state().numbers | shapes)
    model._learn(state)
    assert len({one["kappa"] for one in sweeps}) > 6
    for name in model.learned_numbers:
        assert getattr(model, f"{name}_") == pytest.approx(np.mean([one[name] for one in sweeps]), rel=1e-12), name


# --- Summaries --------------------------------------------------------------------------------


def test_summaries_do_not_depend_on_order_signs_and_number_of_features():
    rng = np.random.default_rng(6)
    B = rng.normal(size=(6, 3)) * (rng.random((6, 3)) < 0.5)
    H = rng.normal(size=(3, 4))
    moved = Factors(-B[:, [2, 0, 1]], -H[[2, 0, 1]])
    padded = Factors(np.hstack([B, np.zeros((6, 0))]), H)
    shared = (B[:, None, :] * B[None] != 0).any(axis=2)
    for draws in ([Factors(B, H)], [moved, padded, Factors(B, H)]):
        np.testing.assert_allclose(summaries.co_loading(draws), shared)
        np.testing.assert_allclose(summaries.loading_covariance(draws), B @ B.T, atol=1e-12)
    both = [Factors(B, H), Factors(np.zeros((6, 0)), np.zeros((0, 4)))]
    np.testing.assert_allclose(summaries.co_loading(both), shared / 2)
    with pytest.raises(DataError, match="draws: there is none"):
        summaries.co_loading([])


@pytest.mark.parametrize("holes", [0, 5])
def test_the_covariance_of_loadings_is_the_mean_over_all_kept_sweeps(holes, tmp_path):
    V = factor_data(12, 20)[0]
    V.flat[:holes] = np.nan  # complete data have a kernel of their own
    options = BRIEF | {"n_samples": 40, "slab_variance": 1.0, "mass": 2.0}
    model = IndianBuffetGaussian(keep_covariance=True, **options)
    expected = summaries.loading_covariance(nbmf.posterior_draws(model, V, n_draws=40))
    np.testing.assert_allclose(model.loading_covariance_, expected, rtol=1e-5, atol=1e-5)
    without = IndianBuffetGaussian(**options).fit(V)
    assert without.loading_covariance_ is None
    np.testing.assert_array_equal(without.expectation_, model.expectation_)  # it changes no bit of the chain
    model.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(nbmf.load(tmp_path / "model.npz").loading_covariance_, model.loading_covariance_)


def test_the_distribution_of_K_is_that_of_the_kept_sweeps():
    model = IndianBuffetLogistic(prior="ibp", mass=2.0, **BRIEF).fit(coins())
    assert model.sizes_.shape == (200,)
    assert model.K_probabilities_.sum() == pytest.approx(1)
    assert model.K_probabilities_[2] == (model.sizes_ == 2).mean()
    assert model.findings["K+"] == np.sort(model.sizes_)[99]
    assert (np.diff(model.W_ != 0, axis=0).shape[1]) == model.n_components_
    first = [np.flatnonzero(column)[0] for column in model.W_.T]
    assert first == sorted(first)  # left-ordered


def test_95_in_a_hundred_kept_sweeps_lie_where_findings_say():
    sizes = np.repeat([0, 1, 2, 7, 8, 9, 20], [24, 2, 700, 230, 19, 2, 23])
    model = known(IndianBuffetLogistic, row_effect_variance=1.0, column_effect_variance=1.0)
    model.sizes_ = np.random.default_rng(13).permutation(sizes)
    assert [model.findings[name] for name in ("K+", "K+ 2.5 %", "K+ 97.5 %")] == [2, 1, 8]
    assert (model.findings["mass"], model.findings["kappa"]) == (1.3, 1.6)


# --- New lines --------------------------------------------------------------------------------


def test_one_coefficient_of_a_logistic_line_is_near_its_posterior_mean():
    rng = np.random.default_rng(7)
    for _ in range(5):
        design, offset = rng.normal(size=(6, 1)), 0.5 * rng.normal(size=6)
        codes = rng.integers(-1, 2, 6).astype(np.int8)

        def density(w, design=design, offset=offset, codes=codes):
            psi = offset + design[:, 0] * w
            value = np.where(codes == 1, expit(psi), np.where(codes == 0, expit(-psi), 1.0)).prod()
            return value * stats.norm.pdf(w, 0, 1 / math.sqrt(0.5))

        mass = integrate.quad(density, -20, 20)[0]
        exact = integrate.quad(lambda w: w * density(w), -20, 20)[0] / mass
        found = fold_in.logistic_rows(codes[None], design, offset, np.array([0.5]), np.zeros(1))[0][0, 0]
        assert found == pytest.approx(exact, abs=0.08)


def test_logistic_lines_are_a_fixed_point_of_the_bound():
    rng = np.random.default_rng(8)
    design, offset, codes = rng.normal(size=(9, 3)), rng.normal(size=9), rng.integers(-1, 2, (4, 9))
    precisions = np.array([0.7, 1.0, 2.0])
    centers = np.array([0.4, 0.0, -1.0])
    found = fold_in.logistic_rows(codes.astype(np.int8), design, offset, precisions, centers)
    for line, mean, variances in zip(codes, *found, strict=True):
        S, m = np.diag(1 / precisions), centers.copy()
        for _ in range(400):  # as the equations stand, cell by cell
            A, b = np.diag(precisions), precisions * centers
            for i in np.flatnonzero(line >= 0):
                x = design[i]
                c = math.sqrt((offset[i] + x @ m) ** 2 + x @ S @ x)
                omega = math.tanh(c / 2) / (2 * c)
                A, b = A + omega * np.outer(x, x), b + (line[i] - 0.5 - omega * offset[i]) * x
            S = np.linalg.inv(A)
            m = S @ b
        np.testing.assert_allclose(mean, m, atol=1e-8)
        np.testing.assert_allclose(variances, [x @ S @ x for x in design], atol=1e-8)


def test_new_columns_of_real_data_have_the_mean_of_their_normal_distribution():
    V, _ = factor_data(p=20, n=30)
    model = IndianBuffetGaussian(**BRIEF).fit(V)
    new = V[:, :3].copy()
    new[4, 1] = np.nan
    found = model.transform_columns(new)
    standard = (new - model.centres_[:, None]) / model.scale_
    for i in range(3):
        seen = ~np.isnan(new[:, i])
        B = model.W_[seen] / math.sqrt(model.noise_variance_)
        A = np.eye(model.n_components_) + B.T @ B
        b = B.T @ standard[seen, i] / math.sqrt(model.noise_variance_)
        np.testing.assert_allclose(found[:, i], np.linalg.solve(A, b), atol=1e-9)
    assert model.predict_columns(new).shape == (20, 3)
    assert model.predict_rows(V[:5]).shape == (5, 30)
    assert np.isfinite(model.score(V))


def known(make, **numbers):
    """Return a model that has learned these numbers, with three features of 4, 2 and 1 of 5 rows, and 6 columns."""
    model, rng = make(), np.random.default_rng(10)
    model.row_names_ = model.column_names_ = None
    model.W_ = rng.normal(size=(5, 3)) * np.array([[1, 1, 1], [1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0]])
    model.H_ = rng.normal(size=(3, 6))
    model.row_effects_, model.column_effects_ = rng.normal(size=5), rng.normal(size=6)
    for name, value in ({"alpha": 0.7, "kappa": 1.6, "slab_variance": 2.5, "mass": 1.3} | numbers).items():
        setattr(model, f"{name}_", value)
    return model


@pytest.mark.parametrize(("name", "alpha"), [("cibp", 0.7), ("ibp", 0.0)])
def test_a_new_row_has_a_feature_as_the_next_customer_takes_a_dish(name, alpha):
    """The ratio of the probabilities of six customers with and without the last one."""
    weights = np.exp(buffet_prior(name, 1.3, alpha, 1.6).log_weights(6))
    taken = np.array([4, 2, 1])
    expected = weights[taken + 1] / (weights[taken + 1] + weights[taken])
    np.testing.assert_allclose(known(IndianBuffetLogistic, alpha=alpha)._inclusion(), expected, rtol=1e-12)


def test_loadings_of_a_new_real_row_have_the_variance_of_the_slab_times_that_of_inclusion():
    model = known(IndianBuffetGaussian, noise_variance=0.4, scale=3.0, centres=np.zeros(5))
    V = np.random.default_rng(11).normal(7.0, 3.0, (2, 6))
    V[1, 2:4] = np.nan
    chance = (np.array([4, 2, 1]) + 0.7) / (5 + 1 + 1.6 + 0.7)
    for row, found in zip(V, model.transform(V), strict=True):
        seen = ~np.isnan(row)
        x, Z = (row[seen] - row[seen].mean()) / 3.0, model.H_[:, seen]
        A = Z @ Z.T / 0.4 + np.diag(1 / (2.5 * chance))
        np.testing.assert_allclose(found, np.linalg.solve(A, Z @ x / 0.4), rtol=1e-10)
    centres = [row[~np.isnan(row)].mean() for row in V]
    around_centres = 3.0 * model.transform(V) @ model.H_
    np.testing.assert_allclose(model.predict_rows(V), np.array(centres)[:, None] + around_centres, rtol=1e-10)
    np.testing.assert_allclose(model.inverse_transform(model.transform(V)), around_centres, rtol=1e-10)  # not in W


@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_new_binary_rows_and_columns_have_the_priors_of_their_side(effects):
    variances = {"row_effect_variance": 4.0, "column_effect_variance": 0.09, "intercept": -0.8}
    model = known(lambda: IndianBuffetLogistic(effects=effects, intercept=effects != "none"), **variances)
    of_rows, of_columns = effects in ("rows", "both"), effects in ("columns", "both")
    center = -0.8 if effects == "rows" else 0.0
    chance = (np.array([4, 2, 1]) + 0.7) / (5 + 1 + 1.6 + 0.7)
    codes = np.random.default_rng(12).integers(-1, 2, (5, 6)).astype(np.int8)
    found = model._factors_of_rows(codes)
    # An effect that is not there is one of hardly any variance.
    design, precisions = np.vstack([model.H_, np.ones(6)]).T, np.r_[1 / (2.5 * chance), 1 / 4.0 if of_rows else 1e12]
    centers = np.r_[np.zeros(3), center]
    expected, variances = fold_in.logistic_rows(codes, design, model.column_effects_, precisions, centers)
    psi = found.W @ model.H_ + model.column_effects_ + found.others["row effects"][:, None]
    np.testing.assert_allclose(model.predict_rows(codes), sigmoid.probability(psi, variances), rtol=1e-6)
    np.testing.assert_allclose(found.W, expected[:, :3], rtol=1e-6)
    np.testing.assert_allclose(found.others["row effects"], expected[:, 3], rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(model._factors_with(found.W).others["row effects"], center)
    found = model._factors_of_columns(codes)
    design, precisions = np.column_stack([model.W_, np.ones(5)]), np.r_[1.0, 1.0, 1.0, 1 / 0.09 if of_columns else 1e12]
    centers = np.r_[np.zeros(3), -0.8 * of_columns]
    given = np.ascontiguousarray(codes.T), design, model.row_effects_, precisions, centers
    expected, variances = fold_in.logistic_rows(*given)
    np.testing.assert_allclose(found.H, expected[:, :3].T, rtol=1e-6)
    np.testing.assert_allclose(found.others["column effects"], expected[:, 3], rtol=1e-6, atol=1e-9)
    psi = model.W_ @ found.H + model.row_effects_[:, None] + found.others["column effects"]
    np.testing.assert_allclose(model.predict_columns(codes), sigmoid.probability(psi, variances.T), rtol=1e-6)
    blank = model.predict_rows(np.full((1, 6), -1, np.int8))[0]  # from the prior, whose mean log-odds are more certain
    prior_variance = (design_of_rows := np.vstack([model.H_, np.full(6, of_rows)])).T ** 2 @ np.r_[2.5 * chance, 4.0]
    assert design_of_rows.shape == (4, 6)
    drawn = np.random.default_rng(0).normal(size=(200_000, 1)) * np.sqrt(prior_variance) + center * of_rows
    np.testing.assert_allclose(blank, expit(drawn + model.column_effects_).mean(axis=0), atol=0.005)


# --- Real matrices ----------------------------------------------------------------------------


def test_predictive_moments_are_those_of_the_mixture_of_kept_sweeps():
    """v ~ N(c + s BZ, s² σ²) in every kept sweep: the mean of both, and their variances added."""
    V = 100 + 7 * factor_data(p=12, n=6)[0]
    model = IndianBuffetGaussian(start="dense", burn_in=5, n_samples=12)
    state = model._start(V, seed_sequence("moments"))
    state.advance(5)
    means, variances = [], []
    for _ in range(12):
        state.advance(1)
        now = state.chain.state()
        means.append(V.mean(axis=1, keepdims=True) + scale_of(V) * now.B @ now.Z)
        variances.append(scale_of(V) ** 2 * now.numbers["noise_variance"])
    np.testing.assert_allclose(state.expectation(), np.mean(means, axis=0), rtol=1e-10)
    variance = np.mean(variances) + np.var(means, axis=0)
    assert np.var(means, axis=0).min() > 0
    np.testing.assert_allclose(state.deviation() ** 2, variance, rtol=1e-8)
    mean, deviation = state.predictive(np.array([0, 7]), np.array([5, 2]))
    np.testing.assert_allclose(mean, state.expectation()[[0, 7], [5, 2]])
    np.testing.assert_allclose(deviation**2, variance[[0, 7], [5, 2]], rtol=1e-8)
    mean, deviation = state.current_predictive(np.array([0, 7]), np.array([5, 2]))
    np.testing.assert_allclose(mean, means[-1][[0, 7], [5, 2]], rtol=1e-10)
    np.testing.assert_allclose(deviation**2, variances[-1], rtol=1e-10)


def scale_of(V):
    return (V - V.mean(axis=1, keepdims=True)).std()


def test_a_gaussian_fit_comes_back_from_its_file(tmp_path):
    V, _ = factor_data(p=15, n=12)
    V[3] = 2.5  # a constant row is zero, and legal
    V[0, 0] = np.nan
    matrix = RealMatrix.from_array(V, [f"r{f}" for f in range(15)], [f"c{n}" for n in range(12)])
    model = IndianBuffetGaussian(alpha="learn", kappa="learn", **BRIEF).fit(matrix)
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert vars(loaded).keys() == vars(model).keys()
    for one, other in zip(loaded.predictive([0, 3], [0, 1]), model.predictive([0, 3], [0, 1]), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(model.expectation_[3], 2.5, atol=0.5)
    assert loaded.transform(V).shape == (15, model.n_components_)


@pytest.mark.parametrize(
    ("V", "words"), [(np.full((4, 5), 3.0), "no row varies"), (np.where(np.eye(4) > 0, np.inf, 1.0), "inf")]
)
def test_real_matrices_with_nothing_to_explain_are_refused(V, words):
    with pytest.raises(DataError, match=words):
        IndianBuffetGaussian(**BRIEF).fit(V)


@pytest.mark.parametrize("shape", [(1, 9), (9, 1), (1, 1), (3, 40), (40, 3)])
def test_matrices_of_any_shape_are_fitted(shape):
    rng = np.random.default_rng(9)
    logistic = IndianBuffetLogistic(**BRIEF).fit((rng.random(shape) < 0.5).astype(int))
    assert np.isfinite(logistic.expectation_).all()
    if shape != (1, 1):
        standardize = shape[1] > 1
        V = rng.normal(size=shape)
        model = IndianBuffetGaussian(standardize=standardize, **BRIEF).fit(V)
        assert np.isfinite(model.expectation_).all()
        assert (model.deviation_ > 0).all()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prior": "ibp", "alpha": 1.0}, "alpha = 1.0: must be None with prior = 'ibp'"),
        ({"prior": "ibp", "kappa": 0}, "kappa = 0: must be a number above 0: IBP"),
        ({"alpha": 0}, "alpha = 0: must be a number above 0 .*prior = 'ibp'"),
        ({"standardize": 1}, "standardize = 1: must be True or False"),
    ],
)
def test_settings_without_meaning_are_refused(given, words):
    with pytest.raises(ConfigError, match=words):
        IndianBuffetGaussian(**given).fit(np.eye(3))
    if "standardize" not in given:
        with pytest.raises(ConfigError, match=words):
            IndianBuffetLogistic(**given).fit(np.eye(3))


def test_an_ibp_learns_its_mass_and_kappa():
    model = IndianBuffetLogistic(prior="ibp", kappa="learn", **BRIEF).fit(coins())
    assert model.alpha_ == 0.0
    assert model.kappa_ != 1.0
    assert model.mass_ > 0


@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_effects_are_those_that_were_chosen(effects, tmp_path):
    V = (np.random.default_rng(14).random((25, 20)) < np.linspace(0.1, 0.6, 20)).astype(np.int8)
    chosen = {"effects": effects, "intercept": effects != "none"}
    model = IndianBuffetLogistic(**chosen, **BRIEF).fit(V)
    of_rows, of_columns = effects in ("rows", "both"), effects in ("columns", "both")
    assert model.row_effects_.any() == (model.row_effect_variance_ > 0) == of_rows
    assert model.column_effects_.any() == (model.column_effect_variance_ > 0) == of_columns
    assert (model.intercept_ != 0) == ("intercept" in model.findings) == (effects != "none")
    model.save(tmp_path / "model.npz")
    again = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict_rows(V[:4]), model.predict_rows(V[:4]))
    np.testing.assert_array_equal(again.predict_columns(V[:, :4]), model.predict_columns(V[:, :4]))


def test_the_intercept_of_sparse_ones_is_found():
    V = (np.random.default_rng(15).random((60, 50)) < 0.1).astype(np.int8)
    settings = {"burn_in": 300, "n_samples": 300, "start": "empty", "random_state": 0}
    with_intercept = IndianBuffetLogistic(intercept=True, **settings).fit(V)
    without = IndianBuffetLogistic(**settings).fit(V)
    assert with_intercept.intercept_ == pytest.approx(np.log(0.1 / 0.9), abs=0.3)
    assert without.intercept_ == 0.0
    variances = [(one.row_effect_variance_, one.column_effect_variance_) for one in (with_intercept, without)]
    assert max(variances[0]) < 0.2 < 2 < max(variances[1])  # of rows, where nothing else says that ones are few


def test_a_file_of_before_has_no_intercept():
    V = (np.random.default_rng(16).random((12, 10)) < 0.4).astype(np.int8)
    model = IndianBuffetLogistic(**BRIEF).fit(V)
    learned = {name: value for name, value in model._learned().items() if name != "intercept_"}
    other = IndianBuffetLogistic(**BRIEF)
    other.restore(learned)
    assert other.intercept_ == 0.0
    np.testing.assert_array_equal(model.predict_columns(V[:, :3]), other.predict_columns(V[:, :3]))


@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_new_rows_and_columns_of_a_model_without_features_have_effects_at_most(effects):
    variances = {"row_effect_variance": 4.0, "column_effect_variance": 0.09, "intercept": 0.0}
    model = known(lambda: IndianBuffetLogistic(effects=effects), **variances)
    model.W_, model.H_ = model.W_[:, :0], model.H_[:0]
    codes = np.random.default_rng(12).integers(-1, 2, (5, 6)).astype(np.int8)
    assert model.transform(codes).shape == (5, 0)
    assert model.transform_columns(codes).shape == (0, 6)
    for lines, given, offset, found, is_there, prior in (
        ("rows", codes, model.column_effects_, model.predict_rows(codes), effects in ("rows", "both"), 1 / 4.0),
        (
            "columns",
            codes.T,
            model.row_effects_,
            model.predict_columns(codes).T,
            effects in ("columns", "both"),
            1 / 0.09,
        ),
    ):
        ones, precision = np.ones((len(offset), 1)), np.array([prior if is_there else 1e12])
        means, variances = fold_in.logistic_rows(np.ascontiguousarray(given), ones, offset, precision, np.zeros(1))
        np.testing.assert_allclose(found, sigmoid.probability(means + offset, variances), rtol=1e-6, err_msg=lines)
        assert is_there or np.ptp(found, axis=0).max() < 1e-12  # all alike
