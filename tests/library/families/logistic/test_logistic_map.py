"""The posterior mode of logistic factors: it is the mode, by an independent optimiser; its penalty; new rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from short_fits import CODES, Recorder

import nbmf
from nbmf.families.logistic import logistic_factor_map, penalized_likelihood
from nbmf.families.logistic.penalized_likelihood import ModeState, Regression, improve, signs_of
from nbmf.inference import blocks as row_blocks
from nbmf.inference.folds import eligible_of
from nbmf.likelihoods.bernoulli import BERNOULLI

EFFECT = 0.01  # precision of an effect a priori


def to_the_end(K=3, penalty=1.0, codes=CODES, **settings):
    return nbmf.LogisticFactorMAP(
        K, penalty=penalty, max_iter=3000, relative_gain_tol=0, random_state=0, **settings
    ).fit(codes)


def log_likelihood(codes, psi):
    return np.where(codes < 0, 0.0, codes * psi - np.logaddexp(0, psi)).sum()


def smallest_by_singular_values(codes, penalty, has_columns, rounds=20_000, step=1.0):
    """Return the optimum over Θ = WH and c of the likelihood minus λ |Θ|_*, by proximal gradients: it is convex."""
    theta, c = np.zeros(codes.shape), np.zeros(codes.shape[1])
    for _ in range(rounds):
        slope = np.where(codes < 0, 0.0, codes - expit(theta + c))
        if has_columns:
            c = c + step / len(codes) * (slope.sum(axis=0) - EFFECT * c)
        slope = np.where(codes < 0, 0.0, codes - expit(theta + c))
        left, sizes, right = np.linalg.svd(theta + step * slope, full_matrices=False)
        theta = (left * np.maximum(sizes - step * penalty, 0.0)) @ right
    sizes = np.linalg.svd(theta, compute_uv=False)
    return log_likelihood(codes, theta + c) - penalty * sizes.sum() - EFFECT / 2 * (c**2).sum(), theta + c


@pytest.mark.parametrize(("effects", "penalty"), [("columns", 0.7), ("columns", 2.0), ("none", 0.7)])
def test_it_is_the_optimum_of_the_convex_problem_over_all_ranks(effects, penalty):
    model = to_the_end(11, penalty, effects=effects)  # as many components as there are columns
    best, psi = smallest_by_singular_values(CODES, penalty, effects == "columns")
    assert model.objective_ == pytest.approx(best, abs=1e-6)
    np.testing.assert_allclose(model.expectation_, expit(psi), atol=1e-4)


@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_a_generic_optimiser_gains_nothing(effects):
    """Of rank 2, where there may be other optima: none next to it."""
    model, (F, N), K = to_the_end(2, 1.3, effects=effects), CODES.shape, 2
    sizes = np.sqrt((model.H_**2).sum(axis=1) / F)
    W, H = model.W_ * np.sqrt(sizes), model.H_ / np.sqrt(sizes)[:, None]
    r, c = (np.zeros(n) for n in (F, N))
    uses = effects in ("rows", "both"), effects in ("columns", "both")

    def parts(at):
        return np.split(at, np.cumsum([F * K, N * K, F]))

    def objective(at):
        W, H, r, c = parts(at)
        psi = W.reshape(F, K) @ H.reshape(K, N) + uses[0] * r[:, None] + uses[1] * c
        penalties = 1.3 * ((W**2).sum() + (H**2).sum()) + EFFECT * ((r**2).sum() + (c**2).sum())
        return -log_likelihood(CODES, psi) + penalties / 2

    start = np.concatenate([W.ravel(), H.ravel(), r + model.row_effects_, c + model.column_effects_])
    found = minimize(objective, start, method="L-BFGS-B", options={"maxiter": 500, "maxfun": 10**6})
    # In the form that is reported effects take what positions have in common, which their own prior feels.
    assert -model.objective_ <= found.fun + 1e-4
    assert objective(start) <= -model.objective_ + 0.05


@pytest.mark.parametrize("penalty", [1e-3, 1.0, 30.0])
def test_no_update_lowers_the_objective(penalty):
    recorder = Recorder(every=1)
    nbmf.LogisticFactorMAP(3, penalty=penalty, effects="both", max_iter=60, relative_gain_tol=0, random_state=0).fit(
        CODES, monitor=recorder
    )
    objectives = np.array(recorder.objectives)
    assert (np.diff(objectives) > -1e-9 * np.abs(objectives[:-1])).all()
    assert objectives[-1] > objectives[0]


def test_a_step_that_goes_too_far_is_halved(monkeypatch):
    """From a place where three of four cells are certain and wrong, the curvature is next to nothing."""
    signs, given = np.array([[1.0, 1.0, 1.0, -1.0]]), Regression(np.ones((4, 1)), np.zeros(4), np.array([1e-9]))

    def loss(at):
        return np.logaddexp(0, -signs[0] * at[0, 0]).sum()

    far = np.array([[-12.0]])
    improve(signs, far, given)
    assert -12 < far[0, 0] < 50
    assert loss(far) < loss(np.array([[-12.0]]))
    near = np.zeros((1, 1))
    for _ in range(9):
        improve(signs, near, given)
    assert near[0, 0] == pytest.approx(np.log(3), abs=1e-6)
    monkeypatch.setattr(penalized_likelihood, "HALVINGS", 1)
    stays = np.array([[-12.0]])
    improve(signs, stays, given)
    assert stays[0, 0] == -12


def test_a_step_is_newtons_step():
    """By loops over the cells that are observed: a missing one has neither slope nor curvature."""
    rng = np.random.default_rng(1)
    given = Regression(rng.normal(size=(6, 2)), rng.normal(size=6), np.array([0.5, 2.0]))
    signs, at = np.array([[1.0, -1.0, 0.0, 1.0, 0.0, -1.0]]), np.array([[0.3, -0.2]])
    slope, curvature = -given.precisions * at[0], np.diag(given.precisions)
    for n in (0, 1, 3, 5):
        x, p = given.design[n], expit(given.offset[n] + given.design[n] @ at[0])
        slope = slope + ((signs[0, n] > 0) - p) * x
        curvature = curvature + p * (1 - p) * np.outer(x, x)
    step = np.linalg.solve(curvature, slope)
    improve(signs, new := at.copy(), given)
    np.testing.assert_allclose(new[0], at[0] + step, rtol=1e-12)


@pytest.mark.parametrize("effects", ["none", "columns", "both"])
def test_new_rows_and_columns_are_means_given_the_other_factor(effects):
    """By quadrature: of a row with one component, N(0, 1), and its effect; of a column likewise."""
    model = to_the_end(1, 1.7, effects=effects)
    for design, scale, offset, known, predicted, has_effect in (
        (model.H_[0], 1.0, model.column_effects_, CODES[:4], model.predict_rows(CODES[:4]), effects == "both"),
        (
            model.W_[:, 0],
            np.sqrt((model.H_**2).mean()),
            model.row_effects_,
            CODES[:, :4].T,
            model.predict_columns(CODES[:, :4]).T,
            effects != "none",
        ),
    ):
        z = np.linspace(-8, 8, 401)
        e = np.linspace(-12, 12, 401) if has_effect else np.zeros(1)
        psi = offset + (scale * z)[:, None, None] * design + e[:, None]
        prior = -0.5 * z[:, None] ** 2 - 0.5 * EFFECT * e**2
        for row, found in zip(known, predicted, strict=True):
            weight = prior + np.where(row < 0, 0.0, row * psi - np.logaddexp(0, psi)).sum(axis=-1)
            weight = np.exp(weight - weight.max())
            exact = np.einsum("ze,zen->n", weight, expit(psi)) / weight.sum()
            np.testing.assert_allclose(found, exact, atol=0.017)  # at the mode it differs by up to 0.04


def test_new_rows_are_less_certain_than_at_their_mode():
    model = to_the_end(3, 0.5)
    few = np.full_like(CODES[:5], -1)
    few[:, 0] = CODES[:5, 0]
    at_modes = model.mean(model.factors_of_rows(few))
    averaged = model.predict_rows(few)
    assert model.averages_new_rows
    assert (np.abs(averaged - 0.5) < np.abs(at_modes - 0.5) + 1e-6).mean() > 0.9
    assert np.abs(averaged - at_modes).max() > 0.02


def test_components_that_are_not_needed_are_dropped():
    model = to_the_end(8, 3.0)
    used = model.n_components_
    assert 0 < used < 4
    assert (model.W_.shape[1], model.active_components_) == (used, used)
    np.testing.assert_allclose(to_the_end(used, 3.0).expectation_, model.expectation_, atol=1e-4)


@pytest.mark.parametrize("penalty", [0.05, 2.0])
def test_with_enough_components_every_start_ends_at_one_place(penalty):
    """There are no local optima then, while with few components there are."""

    def objectives(K):
        settings = {"penalty": penalty, "max_iter": 400, "relative_gain_tol": 0}
        return [nbmf.LogisticFactorMAP(K, random_state=s, **settings).fit(CODES).objective_ for s in range(4)]

    assert np.ptp(objectives(64)) < 1e-3
    if penalty < 1:
        assert np.ptp(objectives(3)) > 1e-3


def make_state(K, penalty, effects="columns"):
    effects = nbmf.LogisticFactorMAP(K, effects=effects).effects_in_use
    return ModeState(signs_of(CODES), K, effects, penalty, np.random.default_rng(0))


def test_both_sides_have_the_same_squares_and_no_more_components_than_there_can_be():
    state = make_state(64, 0.3)
    assert state.W.shape[1] == min(CODES.shape)
    for _ in range(3):
        state.advance(1)
        squares = state.W.T @ state.W
        np.testing.assert_allclose(squares, state.H @ state.H.T, atol=1e-9)
        np.testing.assert_allclose(squares, np.diag(np.diag(squares)), atol=1e-9)
    factors = state.factors()
    assert factors.W.shape == (len(CODES), state.W.shape[1])
    np.testing.assert_allclose(expit(factors.W @ factors.H + factors.others["column effects"]), state.expectation())


def test_a_component_that_is_an_effect_alone_is_none():
    row = np.array([[1, 0, 1, 1, 0, 1, 0]])
    for V, effects in ((row, "columns"), (row.T, "rows")):
        model = nbmf.LogisticFactorMAP(4, effects=effects, penalty=0.0625, random_state=0).fit(V)
        assert (model.n_components_, model.W_.shape, model.active_components_) == (0, (len(V), 0), 0)


def test_sharing_out_changes_neither_the_product_nor_the_likelihood():
    state = make_state(3, 0.3)
    product = state.W @ state.H
    objective = state.objective()
    state.W, state.H = state.W * [3.0, 0.2, 1.0], state.H / np.array([[3.0], [0.2], [1.0]])
    assert state.objective() < objective
    state._share_out()
    np.testing.assert_allclose(state.W @ state.H, product, atol=1e-12)
    assert state.objective() == pytest.approx(objective, rel=1e-12)


@pytest.mark.parametrize(("penalty", "is_dropped"), [(30.0, True), (1e-6, False)])
def test_a_faded_component_is_dropped_unless_that_lowers_the_objective(penalty, is_dropped):
    """With next to no penalty the data hold on to any component that fits them."""
    state = make_state(1, penalty)
    signs = signs_of(CODES)
    left, _, right = np.linalg.svd(signs * expit(-signs * state._psi()))
    size = 0.5 * penalized_likelihood.FADED * np.sqrt(signs.size)
    state.W, state.H = np.sqrt(size) * left[:, :1], np.sqrt(size) * right[:1]
    state._share_out()
    assert state.W.shape[1] == int(not is_dropped)


def test_curvatures_are_summed_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    weights, design = rng.random((4, 11)), rng.normal(size=(11, 3))
    expected = np.einsum("rn,nd,ne->rde", weights, design, design)
    for at_once in (1, 30, 10**6):
        monkeypatch.setattr(row_blocks, "NUMBERS_AT_ONCE", at_once)
        np.testing.assert_allclose(penalized_likelihood._curvatures(weights, design), expected, rtol=1e-12)


def test_without_components_there_are_effects():
    model = to_the_end(0, effects="columns")
    seen = CODES >= 0
    for n in range(CODES.shape[1]):
        ones, number = (CODES[:, n] == 1).sum(), seen[:, n].sum()
        c = model.column_effects_[n]
        assert ones - number * expit(c) == pytest.approx(EFFECT * c, abs=1e-6)


# --- The penalty ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blocks():
    """30 x 24, three blocks with a tenth of noise: not what any penalty at the ends of the grid is for."""
    rng = np.random.default_rng(3)
    p = np.where(np.arange(30)[:, None] // 10 == np.arange(24) // 8, 0.9, 0.1)
    return (rng.random(p.shape) < p).astype(np.int8)


def test_the_penalty_is_the_one_with_the_smallest_held_out_loss(blocks):
    model = nbmf.LogisticFactorMAP(4, random_state=5).fit(blocks)
    seed = model._seed()
    held_out = eligible_of(blocks, BERNOULLI).folds(np.random.default_rng(nbmf.seeds.child(seed, "penalty")))
    losses = {}
    for penalty in logistic_factor_map.PENALTIES:
        given = nbmf.LogisticFactorMAP(4, penalty=penalty, random_state=5)
        losses[penalty] = 0.0
        for fold in held_out:
            fitted = given.fit(BERNOULLI.hide(blocks, fold))
            losses[penalty] += BERNOULLI.losses(blocks[fold], fitted.expectation_[fold]).sum()
    assert len(held_out) == 10
    assert float(model.penalty_) == min(losses, key=losses.get)
    assert model.findings == {"penalty": float(model.penalty_)}
    fixed = nbmf.LogisticFactorMAP(4, penalty=float(model.penalty_), random_state=5).fit(blocks)
    np.testing.assert_array_equal(model.expectation_, fixed.expectation_)


def test_the_search_goes_on_only_as_long_as_the_loss_falls(monkeypatch):
    """From 4 up, or else down: what lies behind a larger loss is not tried."""
    losses = dict(zip(logistic_factor_map.PENALTIES, [1, 9, 9, 8, 7, 6, 5, 4, 3, 9, 0], strict=True))
    tried = []
    monkeypatch.setattr(
        nbmf.LogisticFactorMAP,
        "_loss_of_fold",
        lambda self, codes, fold, penalty, seed: tried.append(penalty) or losses[penalty],
    )
    for first, expected in ((4.0, 16.0), (0.125, 0.0625)):
        monkeypatch.setattr(logistic_factor_map, "FIRST", first)
        assert nbmf.LogisticFactorMAP(2, random_state=0).fit(CODES).penalty_ == expected
    assert 64.0 not in tried


def test_several_starts_share_a_penalty_so_that_their_objectives_can_be_compared():
    """These find different ones by themselves, and a weak penalty has the larger objective."""
    codes = np.random.default_rng(0).integers(0, 2, (14, 6))
    model = nbmf.LogisticFactorMAP(2, max_iter=20, random_state=3)
    starts = nbmf.run_chains(model, codes, chains=4, n_jobs=1)
    alone = [nbmf.LogisticFactorMAP(**each.get_params() | {"penalty": "auto"}) for each in starts.estimators]
    assert len({float(each.fit(codes).penalty_) for each in alone}) > 1
    assert {float(each.penalty_) for each in starts.estimators} == {float(alone[0].penalty_)}
    np.testing.assert_array_equal(starts.estimators[0].expectation_, alone[0].expectation_)


def test_noise_gets_a_strong_penalty_and_clear_groups_a_weak_one():
    rng = np.random.default_rng(0)
    noise = (rng.random((60, 20)) < 0.4).astype(np.int8)
    strong = nbmf.LogisticFactorMAP(4, random_state=0).fit(noise)
    clear = np.repeat(np.repeat(rng.random((12, 10)) < 0.5, 6, axis=0), 4, axis=1).astype(np.int8)
    weak = nbmf.LogisticFactorMAP(10, random_state=0).fit(clear)
    assert float(weak.penalty_) <= 1 < 4 <= float(strong.penalty_)
    assert strong.active_components_ == 0 or np.ptp(strong.expectation_, axis=0).max() < 0.3


def test_with_too_few_entries_the_first_penalty_is_taken():
    few = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1]])
    assert float(nbmf.LogisticFactorMAP(1).fit(few).penalty_) == logistic_factor_map.FIRST
