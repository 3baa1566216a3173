"""Which side has the weights, what it is chosen by, and matrices in which there is nothing."""

import ladder
import numpy as np
import pytest
import structureless
from matrices import blocks_matrix

import nbmf
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet import start_choice as choice
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.start_choice import Candidate
from nbmf.posterior.draws import posterior_draws

GIBBS, ITERATIONS = {"burn_in": 20, "n_samples": 30}, {"max_iter": 30}
PAIRS = {  # Beta-Dir with the weights on columns, and the class of Dir-Beta
    "VB": (nbmf.BetaDirVB, nbmf.DirBetaVB, ITERATIONS),
    "GS": (nbmf.BetaDirGibbs, nbmf.DirBetaGibbs, GIBBS),
}
LEARNED = {"alpha": "learn-columns", "beta": "learn-columns"}
CODES = blocks_matrix(26, 19)


def beta_dir_matrix(F, N, seed, K=4):
    """Draw codes of the Beta-Dir model with clear weights and clear probabilities."""
    rng = np.random.default_rng(seed)
    _, _, V = beta_dir.simulate(F, N, K, 0.3, 0.3, 0.15, rng)
    V[rng.random(V.shape) < 0.1] = -1
    return V


# --- Columns in the place of rows ------------------------------------------------------------


@pytest.mark.parametrize("learned", [{}, LEARNED, {"alpha": "learn", "beta": 0.5}])
@pytest.mark.parametrize("pair", PAIRS)
def test_orientation_columns_is_dir_beta_bit_by_bit(pair, learned):
    turned, fixed, lengths = PAIRS[pair]
    one = turned(6, orientation="columns", gamma=0.2, **learned, **lengths, random_state=1)
    other = fixed(6, eta=0.2, **learned, **lengths, random_state=1)
    one.fit(CODES)
    other.fit(CODES)
    for name in ("W_", "H_", "expectation_", "alpha_", "beta_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.gamma_ == other.eta_ == 0.2
    assert one.orientation_ == other.orientation_ == "columns"


@pytest.mark.parametrize("name", ["BetaDirVB", "BetaDirGibbs", "BinaryICA", "CollapsedBinaryICA"])
def test_orientation_columns_is_orientation_rows_of_the_transpose(name):
    cls, lengths = getattr(nbmf, name), GIBBS if "Gibbs" in name else ITERATIONS
    one = cls(4, orientation="columns", **LEARNED, **lengths, random_state=2).fit(CODES)
    other = cls(4, orientation="rows", **LEARNED, **lengths, random_state=2).fit(CODES.T)
    np.testing.assert_array_equal(one.W_, other.H_.T)
    np.testing.assert_array_equal(one.H_, other.W_.T)
    np.testing.assert_array_equal(one.expectation_, other.expectation_.T)
    np.testing.assert_array_equal(one.alpha_, other.alpha_)
    new = blocks_matrix(7, 19, seed=5)
    np.testing.assert_array_equal(one.transform(new), other.transform_columns(new.T).T)
    new = blocks_matrix(26, 5, seed=6)
    np.testing.assert_array_equal(one.transform_columns(new), other.transform(new.T).T)


@pytest.mark.parametrize("cls", [nbmf.DirBetaVB, nbmf.DirBetaGibbs])
def test_dir_beta_has_no_orientation_to_choose(cls):
    assert "orientation" not in cls().get_params()
    with pytest.raises(TypeError):
        cls(orientation="rows")
    with pytest.raises(ConfigError, match="no parameter 'orientation'"):
        cls().set_params(orientation="rows")


def test_only_three_orientations_are_allowed():
    with pytest.raises(ConfigError, match=r"orientation = 'row': must be rows, columns or auto"):
        nbmf.BetaDirVB(2, orientation="row").fit(CODES)


# --- What a class declares -------------------------------------------------------------------


@pytest.mark.parametrize("orientation", ["rows", "columns"])
@pytest.mark.parametrize("cls", [nbmf.BetaDirVB, nbmf.BetaDirGibbs])
def test_declarations_follow_the_orientation(cls, orientation, tmp_path):
    lengths = GIBBS if cls is nbmf.BetaDirGibbs else ITERATIONS
    model = cls(3, orientation=orientation, **lengths, random_state=3)
    weights, probabilities = "WH" if orientation == "rows" else "HW"

    def check(model):
        assert model.distributions == {weights}
        assert model.probabilities == {probabilities}
        assert model.meanings["WH".index(weights)] == "shares of components"
        assert model.meanings["WH".index(probabilities)] == "probability of a one"

    check(model)  # before a fit and after it
    draws = posterior_draws(model, CODES, n_draws=5)
    check(model)
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    check(loaded)
    for fitted in (model, loaded):
        lines = fitted.W_ if orientation == "rows" else fitted.H_.T
        np.testing.assert_allclose(lines.sum(axis=1), 1.0)
        assert not np.allclose((fitted.H_.T if orientation == "rows" else fitted.W_).sum(axis=1), 1)
        np.testing.assert_allclose(fitted.shares_of(fitted.factors_), lines.mean(axis=0))
    for draw in draws:
        lines = draw.W if orientation == "rows" else draw.H.T
        np.testing.assert_allclose(lines.sum(axis=1), 1.0, rtol=1e-5)
        assert draw.W.shape == (26, 3)
    for low, high in (draws.dictionary_interval(), draws.activation_interval()):
        assert (low <= high).all()


AUTO = {
    "tall": (beta_dir_matrix(200, 40, 1), "rows"),
    "wide": (beta_dir_matrix(40, 200, 2), "rows"),
    "tall, transposed": (np.ascontiguousarray(beta_dir_matrix(200, 40, 3).T), "columns"),
    "wide, transposed": (np.ascontiguousarray(beta_dir_matrix(40, 200, 4).T), "columns"),
}


@pytest.mark.parametrize("learned", [{}, LEARNED])
@pytest.mark.parametrize("name", AUTO)
def test_auto_finds_the_side_that_data_were_drawn_from(name, learned):
    codes, side = AUTO[name]
    brief = {"random_state": 4, "max_iter": 5}
    assert nbmf.BetaDirVB(20, orientation="auto", **learned, **brief).fit(codes).orientation_ == side


@pytest.mark.parametrize("name", AUTO)
def test_auto_goes_on_as_the_side_it_has_chosen(name, tmp_path):
    codes, side = AUTO[name]
    for cls, lengths in ((nbmf.BetaDirVB, ITERATIONS), (nbmf.BetaDirGibbs, GIBBS)):
        auto, given = (cls(8, orientation=orientation, **lengths, random_state=5) for orientation in ("auto", side))
        assert auto.weights_are_rows  # before the fit, as if it were "rows"
        auto.fit(codes)
        given.fit(codes)
        assert auto.orientation_ == side
        np.testing.assert_array_equal(auto.W_, given.W_)
        np.testing.assert_array_equal(auto.expectation_, given.expectation_)
        assert auto.distributions == given.distributions
        auto.save(tmp_path / "auto.npz")
        loaded = nbmf.load(tmp_path / "auto.npz")
        assert loaded.orientation_ == side
        assert loaded.distributions == given.distributions
        np.testing.assert_array_equal(loaded.transform(codes), given.transform(codes))


def test_samplers_and_bica_choose_the_same_side():
    codes, side = AUTO["tall, transposed"]
    for cls, lengths in ((nbmf.BetaDirGibbs, GIBBS), (nbmf.BinaryICA, ITERATIONS)):
        for learned in ({}, LEARNED):
            model = cls(6, orientation="auto", **learned, **lengths, random_state=6)
            assert model.fit(codes).orientation_ == side


@pytest.mark.parametrize("name", ["gamma", "alpha"])
def test_a_number_per_component_can_be_given_with_auto(name):
    # There are more of them than a candidate's fit has components otherwise.
    K = choice.COMPONENTS + 8
    model = nbmf.BetaDirVB(K, orientation="auto", **{name: np.full(K, 0.3)}, **ITERATIONS)
    assert model.fit(CODES).orientation_ in ("rows", "columns")


@pytest.mark.parametrize("settings", [{"orientation": "auto"}, LEARNED])
def test_a_single_entry_is_fitted(settings):
    model = nbmf.BetaDirVB(3, **settings, max_iter=3).fit([[1, -1], [-1, -1]])
    assert model.orientation_ == "rows"
    assert np.isfinite(model.expectation_).all()


# --- How it is chosen ------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "number"), [(2, 2), (3, 3), (15, 7), (500, 10), (6000, 4)])
def test_folds_are_disjoint_and_leave_most_to_learn_from(n, number):
    codes = np.full((80, 100), -1, np.int8)
    observed = np.random.default_rng(7).permutation(codes.size)[:n]
    codes.flat[observed] = np.arange(n) % 2
    found = list(choice.folds(codes, np.random.default_rng(8)))
    size = max(1, round(choice.HELD_OUT * n))
    assert len(found) == number
    assert all(held_out.sum() == size < n for held_out in found)
    together = np.sum(found, axis=0)
    assert together.max() == 1
    assert not together[codes < 0].any()
    assert together.sum() == min(number * size, n)
    assert together.sum() >= min(choice.ENTRIES_HELD_OUT, 0.9 * n)


def answers_without_structure(seed):
    """Return answers to 8 questions of 80 people, a column for each of 3 answers, drawn at random."""
    drawn = np.random.default_rng(seed).integers(3, size=(80, 8))
    return np.concatenate([np.eye(3, dtype=np.int8)[answers] for answers in drawn.T], axis=1)


def test_answers_to_one_question_are_held_out_together():
    codes = answers_without_structure(0)
    for held_out in choice.folds(codes, np.random.default_rng(8)):
        of_questions = held_out.reshape(80, 8, 3)
        assert (of_questions.all(axis=2) == of_questions.any(axis=2)).all()


def test_answers_that_give_each_other_away_are_no_structure():
    for seed in range(2):
        model = nbmf.BetaDirVB(20, **LEARNED, max_iter=30).fit(answers_without_structure(seed))
        assert model.active_components_ == 1


def test_no_fold_would_leave_nothing():
    codes = np.array([[1, -1]], np.int8)
    assert list(choice.folds(codes, np.random.default_rng(1))) == []


def test_a_candidate_is_scored_on_entries_that_its_fit_has_not_seen(monkeypatch):
    codes, seen = AUTO["wide"][0], []
    priors = {"alpha": 1.0, "beta": 1.0, "gamma": "1/K"}
    fitted_mean = choice.fitted_mean

    def spy(training, candidate, *others):
        if training.shape == codes.shape:  # not the transpose, on which it calls itself
            seen.append((training.copy(), candidate))
        return fitted_mean(training, candidate, *others)

    monkeypatch.setattr(choice, "fitted_mean", spy)
    candidates = [Candidate(side=side) for side in ("rows", "columns")]
    choice.choose(codes, candidates, priors, 8)
    assert {candidate for _, candidate in seen[:2]} == set(candidates)
    for training, _ in seen:
        hidden = (codes >= 0) & (training < 0)
        assert hidden.sum() == round(choice.HELD_OUT * (codes >= 0).sum())
        np.testing.assert_array_equal(training[~hidden], codes[~hidden])
    np.testing.assert_array_equal(seen[0][0], seen[1][0])  # the same entries for all


def test_losses_are_log_probabilities_of_what_happened():
    codes = np.array([[1, 0], [1, -1]], np.int8)
    mean = np.array([[0.9, 0.2], [0.0, 0.5]])
    actual = choice.entry_losses(codes, mean, codes >= 0)
    np.testing.assert_allclose(actual, -np.log([0.9, 0.8, choice.SMALLEST_CHANCE]))


@pytest.mark.parametrize(
    ("gain", "spread", "expected"),
    [(0.30, 1.0, "structure"), (0.15, 1.0, "none"), (0.01, 0.01, "structure"), (-0.3, 1, "none")],
)
def test_structure_has_to_predict_better_by_some_standard_errors(gain, spread, expected):
    # 100 entries: the standard error of the mean gain is a tenth of the spread.
    noise = spread * np.tile([-1.0, 1.0], 50)
    of_none = 1.0 + np.linspace(0, 5, 100)  # how hard entries are in general plays no part
    candidates = {"structure": Candidate(), "none": Candidate(one_component=True)}
    of = {candidates["none"]: [of_none[:40], of_none[40:]]}
    of[candidates["structure"]] = np.split(of_none - gain - noise, [40])
    assert choice._best_candidate(of) == candidates[expected]
    # Compared with the best of those with one component, whichever side it is.
    worse = Candidate(side="columns", one_component=True)
    assert choice._best_candidate(of | {worse: [of_none + 3.0]}) == candidates[expected]


def test_without_one_of_one_component_the_least_loss_decides():
    candidates = Candidate(), Candidate(side="columns")
    for first, second, expected in ((1.0, 1.01, 0), (1.01, 1.0, 1)):
        of = {candidates[0]: [np.full(9, first)], candidates[1]: [np.full(9, second)]}
        assert choice._best_candidate(of) == candidates[expected]


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_one_component_predicts_the_shares_of_lines(side):
    rng = np.random.default_rng(10)
    p = (rng.random((60, 1)) + rng.random((1, 50))) / 2
    codes = np.where(rng.random(p.shape) < 0.2, -1, rng.random(p.shape) < p).astype(np.int8)
    priors = LEARNED | {"gamma": "1/K"}
    candidate = Candidate(side=side, one_component=True)
    mean = choice.fitted_mean(codes, candidate, priors, 20, ladder.seed_sequence(11))
    axis = 0 if side == "rows" else 1
    assert np.ptp(mean, axis=axis).max() < 1e-12
    shares = (codes == 1).sum(axis=axis) / (codes >= 0).sum(axis=axis)
    assert np.ptp(shares) > 0.3
    np.testing.assert_allclose(mean.mean(axis=axis), shares, atol=0.1)


# --- Matrices without structure --------------------------------------------------------------


def runs_of(method, shape, kind, orientation, seeds=3, **options):
    """Return the weight outside one group, the loss over that of shares, and the side, per seed."""
    return [structureless.measure(method, shape, kind, orientation, s, **options) for s in range(seeds)]


def assert_nothing_is_found(*case, **options):
    """Less than 5 % of the weight outside one group; a loss at most 0.5 % above that of shares."""
    outside, ratio, _ = zip(*runs_of(*case, **options), strict=True)
    assert np.mean(outside) < 0.05, outside
    assert np.mean(ratio) < 1.005, ratio


@pytest.mark.parametrize("orientation", ["rows", "columns"])
@pytest.mark.parametrize("learned", [LEARNED, {"alpha": "learn", "beta": "learn"}])
def test_where_nothing_is_found_there_is_one_component(learned, orientation):
    V = structureless.drawn((120, 90), "equal", np.random.default_rng(12))
    model = nbmf.BetaDirVB(20, **learned, orientation=orientation, **ITERATIONS).fit(V)
    assert model.n_components_ == model.active_components_ == 1
    assert model.W_.shape == (120, 1)
    assert model.H_.shape == (1, 90)
    np.testing.assert_allclose(model.expectation_, V.mean(), atol=0.15)
    assert model.transform(V[:3]).shape == (3, 1)
    assert model.transform_columns(V[:, :2]).shape == (1, 2)
    assert len(posterior_draws(model, V, n_draws=3)) == 3


def test_the_choice_is_the_same_for_every_seed():
    V = structureless.drawn((30, 25), "equal", np.random.default_rng(13))
    models = [
        nbmf.BetaDirVB(9, **LEARNED, orientation="auto", max_iter=3, random_state=seed).fit(V) for seed in range(8)
    ]
    assert len({(model.orientation_, model.n_components_) for model in models}) == 1


SMALL = [(shape, kind) for shape in structureless.SHAPES[:2] for kind in ("equal", "column-wise")]


@pytest.mark.parametrize("orientation", ["rows", "auto"])
@pytest.mark.parametrize(("shape", "kind"), SMALL)
def test_vb_invents_no_structure(shape, kind, orientation):
    assert_nothing_is_found("vb", shape, kind, orientation, max_iter=150)


@pytest.mark.parametrize("orientation", ["rows", "auto"])
@pytest.mark.parametrize(("shape", "kind"), SMALL)
def test_gibbs_loses_nothing_to_shares(shape, kind, orientation):
    brief = {"burn_in": 300, "n_samples": 200, "seeds": 2}
    ratio = [x[1] for x in runs_of("gibbs", shape, kind, orientation, **brief)]
    assert np.mean(ratio) < 1.005, ratio


LARGE = [(structureless.SHAPES[2], kind) for kind in ("equal", "column-wise")]
BY_ROW = [(shape, "row-wise") for shape in structureless.SHAPES]


@pytest.mark.long
@pytest.mark.parametrize(
    ("shape", "kind", "orientation"),
    [(*case, side) for case in LARGE for side in ("rows", "auto")] + [(*case, "auto") for case in BY_ROW],
)
def test_vb_invents_no_structure_long(shape, kind, orientation):
    assert_nothing_is_found("vb", shape, kind, orientation)
