"""Groups above rows, as the estimators have them: labels, what is learned, new rows, files, draws."""

import pickle
import warnings

import ladder
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError, NotFittedError, UnknownGroupsWarning
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.group_distribution import distribution_of_positions, distribution_of_row_effects
from nbmf.families.logistic.row_groups import RowGroups
from nbmf.inference.component_search import search_components
from nbmf.inference.fold_in import PARTS
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.seeds import seed_sequence

ENGINES = {
    "Gibbs": (nbmf.LogisticFactorGibbs, {"burn_in": 60, "n_samples": 80}),
    "VB": (nbmf.LogisticFactorVB, {"max_iter": 300}),
    "VB, full": (nbmf.LogisticFactorVB, {"max_iter": 300, "covariance": "full"}),
}
each_engine = pytest.mark.parametrize("engine", ENGINES)
each_effect = pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
LABELS = np.array(["left", "right", "", "left", "centre", "right"] * 5)
CODES = ladder.large_matrix(30, 21, 0.1, np.random.default_rng(8))
OF_GROUPS = ("group_names_", "group_means_", "group_effects_", "group_effect_variance_", "share_between_groups_")


def fitted(engine, codes=CODES, K=2, effects="both", labels=LABELS, **settings):
    estimator, brief = ENGINES[engine]
    given = brief | {"effect_scale": "learned", "random_state": 1, "row_groups": labels} | settings
    return estimator(K, effects=effects, **given).fit(codes)


def planted(F=90, N=40, seed=0, between=3.0, within=0.3):
    """Return a matrix of three groups on one axis and with effects, the labels, and positions and effects of groups."""
    rng = np.random.default_rng(seed)
    index = np.arange(F) % 3
    means, effects = between * np.array([-1.0, 0.2, 0.8]), np.array([0.8, -0.8, 0.0])
    w = means[index] + within * rng.normal(size=F)
    psi = np.outer(w, rng.normal(size=N)) + effects[index][:, None] + rng.normal(size=N)
    codes = (rng.random((F, N)) < expit(psi)).astype(np.int8)
    return codes, np.array(["a", "b", "c"])[index], means, effects


# --- What is learned ---------------------------------------------------------------------------


@each_engine
def test_positions_and_effects_of_groups_are_found(engine):
    codes, labels, means, _ = planted()
    model = fitted(engine, codes, 1, labels=labels, **({"n_samples": 300} if engine == "Gibbs" else {}))
    assert model.group_names_.tolist() == ["a", "b", "c"]
    assert model.group_means_.shape == (3, 1)
    assert abs(np.corrcoef(model.group_means_[:, 0], means)[0, 1]) > 0.99
    # An effect is that of an average column, which has part of the position.
    psi = model.group_means_ @ model.H_ + model.group_effects_[:, None]
    of_rows = model.W_ @ model.H_ + model.row_effects_[:, None]
    for g, name in enumerate(model.group_names_):
        np.testing.assert_allclose(psi[g], of_rows[labels == name].mean(axis=0), atol=0.35)
    assert model.share_between_groups_ > 0.8
    assert 0 < model.group_effect_variance_ < 5


@each_engine
def test_groups_that_do_not_differ_have_the_same_mean(engine):
    codes, labels, *_ = planted(between=0.0, within=1.0, seed=4)
    model = fitted(engine, codes, 1, "columns", labels=np.random.default_rng(0).permutation(labels))
    assert np.abs(model.group_means_).max() < 0.4
    assert model.share_between_groups_ < 0.35
    assert (model.group_effects_ == 0).all()
    assert model.group_effect_variance_ == 0


@each_engine
def test_rows_of_which_nothing_is_seen_are_where_their_group_is(engine):
    """An entirely held-out row is predicted far better where its group is known."""
    codes, labels, *_ = planted()
    hidden = codes.copy()
    hidden[:9] = -1
    with_groups = fitted(engine, hidden, 1, labels=labels).expectation_[:9]
    without = fitted(engine, hidden, 1, labels=None).expectation_[:9]
    loss = [BERNOULLI.losses(codes[:9], one).mean() for one in (with_groups, without)]
    assert loss[0] < loss[1] - 0.1


@pytest.mark.parametrize("name", ["K = 0", "no effects", "noise", "fixed scale", "fixed precisions"])
def test_every_variant_has_groups(name):
    settings = {
        "K = 0": {"K": 0},
        "no effects": {"effects": "none"},
        "noise": {"noise": True},
        "fixed scale": {"effect_scale": 10.0},
        "fixed precisions": {"ard": False},
    }[name]
    for engine in ("Gibbs", "VB"):
        model = fitted(engine, **settings)
        assert np.isfinite(model.predict_groups()).all()
        assert model.group_means_.shape == (3, model.n_components_)
        assert (model.share_between_groups_ == 0) == (model.n_components_ == 0)


# --- Labels ------------------------------------------------------------------------------------


@each_engine
def test_labels_are_those_of_the_matrix_or_given(engine):
    matrix = BinaryMatrix.from_array(CODES, row_groups=LABELS)
    one, other = (fitted(engine, matrix, labels=labels) for labels in ("matrix", LABELS.tolist()))
    np.testing.assert_array_equal(one.row_groups_, LABELS)
    np.testing.assert_array_equal(one.expectation_, other.expectation_)
    told = nbmf.LogisticFactorGibbs(2, row_groups="matrix").for_matrix(matrix)
    assert told.row_groups == LABELS.tolist()
    plain = nbmf.LogisticFactorGibbs(2)
    assert plain.for_matrix(matrix) is plain


def test_numbers_none_and_nan_are_labels():
    given = [3, None, 3, float("nan"), 10, ""] * 5
    model = fitted("VB", labels=given)
    assert model.group_names_.tolist() == ["10", "3"]
    assert model.row_groups_[:6].tolist() == ["3", "", "3", "", "10", ""]
    np.testing.assert_array_equal(model.expectation_, fitted("VB", labels=pd.Series(given).to_numpy()).expectation_)


@pytest.mark.parametrize("kind", [pd.Series, pd.Categorical, pd.Index, tuple, np.array])
def test_labels_may_be_of_any_type_that_has_them_in_an_order(kind, tmp_path):
    model = fitted("VB", labels=kind(LABELS))
    np.testing.assert_array_equal(model.row_groups_, LABELS)
    model.save(tmp_path / "model.npz")
    assert list(nbmf.load(tmp_path / "model.npz").row_groups) == LABELS.tolist()
    np.testing.assert_array_equal(model.transform(CODES, kind(LABELS)), model.transform(CODES, LABELS))


def test_labels_of_a_series_are_those_of_the_rows_that_its_index_names():
    frame = pd.DataFrame(CODES, index=[f"row {f}" for f in range(30)]).astype(float).replace(-1, np.nan)
    shuffled = pd.Series(LABELS, index=frame.index).sample(frac=1, random_state=0)
    model = fitted("VB", frame, labels=shuffled)
    np.testing.assert_array_equal(model.row_groups_, LABELS)
    new = frame[:4]
    np.testing.assert_array_equal(model.transform(new, shuffled), model.transform(new, LABELS[:4]))


def test_of_a_frame_numbers_are_names_too():
    """As in pandas; labels whose index only numbered the rows were taken by place, whatever the numbers were."""
    frame = pd.DataFrame(CODES).astype(float).replace(-1, np.nan)
    shuffled = pd.Series(LABELS).sample(frac=1, random_state=0)
    model = fitted("VB", frame, labels=shuffled)
    np.testing.assert_array_equal(model.row_groups_, LABELS)
    np.testing.assert_array_equal(model.transform(frame, shuffled), model.transform(frame, LABELS))
    by_place = fitted("VB", frame.to_numpy(), labels=shuffled)  # an array has no names
    np.testing.assert_array_equal(by_place.row_groups_, shuffled.to_numpy())
    settled = nbmf.LogisticFactorVB(1, row_groups=shuffled).for_matrix(
        frame
    )  # as before folds are fitted to its values
    assert settled.row_groups == LABELS.tolist()


@pytest.mark.parametrize("names", [[f"row {f}" for f in range(30)], [*range(30)]])
def test_labels_are_saved_with_their_index(names, tmp_path):
    """Without it a fit of the loaded model had the labels of other rows."""
    frame = pd.DataFrame(CODES, index=names).astype(float).replace(-1, np.nan)
    model = fitted("VB", frame, labels=pd.Series(LABELS, index=names).sample(frac=1, random_state=0))
    model.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.row_groups_, LABELS)
    np.testing.assert_array_equal(loaded.fit(frame).row_groups_, LABELS)


def test_labels_that_are_na_are_saved_as_no_group(tmp_path):
    labels = pd.Series([1, pd.NA, 2] * 10, dtype="Int64")
    model = fitted("VB", labels=labels)
    assert model.row_groups_[:3].tolist() == ["1", "", "2"]
    model.save(tmp_path / "model.npz")
    assert nbmf.load(tmp_path / "model.npz").row_groups[:3] == ["1", "", "2"]


def test_groups_of_new_rows_of_which_none_is_known_are_warned_of():
    model = fitted("VB")
    words = "groups: none of those given, such as 'Left', is one of the fit.*allowed: centre, left, right.*mean 'left'"
    for method in (lambda groups: model.transform(CODES[:2], groups), model.predict_groups):
        with pytest.warns(UnknownGroupsWarning, match=words):
            method(["Left", ""])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for groups in (["left", "Left"], [None, ""]):
                method(groups)
    with pytest.raises(DataError, match="groups = 'left': must be a label for each row"):
        model.predict_groups("left")


def test_what_labels_are_called_does_not_matter():
    renamed = np.array([{"left": "z", "right": "y", "centre": "x", "": ""}[label] for label in LABELS])
    one, other = (fitted("VB", labels=labels) for labels in (LABELS, renamed))
    np.testing.assert_allclose(one.expectation_, other.expectation_, atol=1e-8)


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match=r"row_groups: 3 labels of 30 rows; allowed: one for each"):
        fitted("VB", labels=["a", "b", "c"])
    with pytest.raises(DataError, match=r"row_groups = 'matrix': the matrix has no groups of its rows; allowed: a la"):
        fitted("VB", labels="matrix")
    for wrong in ("party", b"party", 3, True, np.zeros((2, 2)), {"a": 1}, {"a"}, iter("ab"), pd.DataFrame({"a": [1]})):
        with pytest.raises(
            ConfigError, match=r"(?s)row_groups = .*: must be None, 'matrix' for those of the matrix, or a"
        ):
            fitted("VB", labels=wrong)


def test_a_fit_that_fails_leaves_the_one_before():
    model = fitted("VB")
    before = model.expectation_.copy()
    model.set_params(row_groups=["a"])
    with pytest.raises(DataError):
        model.fit(CODES)
    np.testing.assert_array_equal(model.expectation_, before)
    np.testing.assert_array_equal(model.row_groups_, LABELS)
    again = model.set_params(row_groups=None).fit(CODES)
    assert again.row_groups_ is None
    for name in OF_GROUPS:
        with pytest.raises(AttributeError):
            getattr(again, name)


# --- What new rows are like -----------------------------------------------------------------------


def test_the_distribution_of_positions_stands_still_at_its_equations():
    """Means, covariances within and between by loops over rows and groups, one without rows among them."""
    rng = np.random.default_rng(5)
    groups = RowGroups.of(LABELS)
    W = rng.normal(size=(30, 3)) + rng.normal(size=(4, 3))[groups.index] * (groups.index >= 0)[:, None]
    law = distribution_of_positions(W, groups)
    index, count = groups.with_singletons()
    B, C, of_rows = 2 * 0.125 * np.eye(3), np.eye(3), np.empty((30, 3))
    for g in range(count):
        own = W[index == g]
        S = np.linalg.inv(np.linalg.inv(law.between) + len(own) * np.linalg.inv(law.within))
        mean = S @ np.linalg.inv(law.within) @ own.sum(axis=0)
        of_rows[index == g] = mean
        B += np.outer(mean, mean) + S
        C += len(own) * S + (own - mean).T @ (own - mean)
        if g < 3:
            np.testing.assert_allclose(law.means[g], mean, atol=1e-6)
            np.testing.assert_allclose(law.spreads[g], S, atol=1e-6)
    np.testing.assert_allclose(law.between, B / (1 + count), atol=1e-5)
    np.testing.assert_allclose(law.within, C / 31, atol=1e-5)
    mean, covariance = law.prior_of(1)
    np.testing.assert_array_equal(mean, law.means[1])
    np.testing.assert_array_equal(covariance, law.within + law.spreads[1])
    mean, covariance = law.prior_of(-1)
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_array_equal(covariance, law.within + law.between)


def test_the_distribution_of_effects_is_the_posterior_of_their_means():
    effects, groups = np.random.default_rng(6).normal(size=30), RowGroups.of(LABELS)
    law = distribution_of_row_effects(effects, groups, 0.7, 0.5, 2.0)
    for g, name in enumerate(groups.names):
        own = effects[name == LABELS]
        variance = 1 / (1 / 2.0 + len(own) / 0.5)
        assert law.means[g, 0] == pytest.approx(0.7 + variance * (own - 0.7).sum() / 0.5)
        assert law.spreads[g, 0, 0] == pytest.approx(variance)
    assert (law.within.item(), law.between.item(), law.center.item()) == (0.5, 2.0, 0.7)


@each_engine
@each_effect
def test_new_rows_stand_still_at_the_equations_of_their_group(engine, effects):
    """The mean of q of a row has its group's prior, cell by cell; with no entries it is the mean of the group."""
    model = fitted(engine, effects=effects)
    new, groups = CODES[:6].copy(), ["left", "right", None, "unheard of", "left", ""]
    new[4], new[5] = -1, -1
    factors, law = model.factors_of_rows(new, groups), model._group_distribution
    used = form.Effects.named(effects)
    slopes = model._row_effect_slopes
    X = np.hstack([model.H_.T + slopes, np.ones((21, int(used.rows)))])
    b = np.hstack([factors.W, *([(factors.others[form.ROWS] - factors.W @ slopes)[:, None]] if used.rows else [])])
    np.testing.assert_allclose(b[4], law.means[1], atol=1e-9)
    np.testing.assert_allclose(b[5], law.center, atol=1e-9)
    assert slopes.any() == used.rows
    predicted = model.predict_rows(new, groups)
    for f, place in enumerate((1, 2, -1, -1, 1, -1)):
        mean, covariance = law.prior_of(place)
        prior, S = np.linalg.inv(covariance), covariance
        psi = model.column_effects_ + X @ b[f]
        for _ in range(300):
            square = psi**2 + np.einsum("nd,de,ne->n", X, S, X)
            h, w = (one[0] for one in model._weights(new[f : f + 1], psi[None], square[None]))
            S = np.linalg.inv(prior + X.T @ (w[:, None] * X))
        right = prior @ mean + X.T @ (h - w * model.column_effects_)
        np.testing.assert_allclose(b[f], S @ right, atol=2e-4)
        deviation = np.sqrt(np.einsum("nd,de,ne->n", X, S, X))
        nodes = np.linspace(-9, 9, 2001)
        weights = np.exp(-(nodes**2) / 2)
        integrated = expit(psi[:, None] + deviation[:, None] * nodes) @ weights / weights.sum()
        np.testing.assert_allclose(predicted[f], integrated, atol=2e-4)


@each_engine
def test_a_row_of_no_group_is_less_certain_than_one_of_a_group(engine):
    codes, labels, *_ = planted()
    model = fitted(engine, codes, 1, labels=labels)
    of_groups, of_none = model.predict_groups(), model.predict_groups([None, "unheard of"])
    np.testing.assert_array_equal(of_none[0], of_none[1])
    np.testing.assert_array_equal(model.predict_groups(["c", "a"]), of_groups[[2, 0]])
    assert np.abs(of_none - 0.5).mean() < np.abs(of_groups - 0.5).mean()
    new = np.vstack([codes[0], np.full(codes.shape[1], -1)])
    np.testing.assert_allclose(model.predict_rows(new, ["a", "b"])[1], of_groups[1], atol=1e-12)
    others = "rows" if model.effects == "none" else "none"
    np.testing.assert_array_equal(model.set_params(effects=others).predict_groups(), of_groups)  # of the fit


@each_engine
def test_groups_of_new_rows_are_those_of_their_matrix(engine):
    model = fitted(engine)
    new = BinaryMatrix.from_array(CODES[:6], row_groups=LABELS[:6])
    for method in (model.transform, model.predict_rows, lambda V, groups=None: model.score(V, groups=groups)):
        of_matrix = method(new)
        np.testing.assert_array_equal(of_matrix, method(CODES[:6], LABELS[:6]))
        assert np.abs(of_matrix - method(CODES[:6])).max() > 1e-6
    np.testing.assert_array_equal(model.fit_transform(CODES), model.transform(CODES, LABELS))
    with pytest.raises(DataError, match="groups: 2 labels of 6 rows"):
        model.predict_rows(CODES[:6], ["left", "right"])


@each_engine
def test_no_entry_of_a_new_row_is_scored_by_itself(engine):
    """Each entry of one fold is predicted from its group and the other four folds; see FoldIn.score."""
    model, codes, labels = fitted(engine), CODES[:6], LABELS[:6]
    rng = np.random.default_rng(seed_sequence("score", *codes.shape))
    part_of = rng.permutation(np.arange(codes.size) % PARTS).reshape(codes.shape)
    losses = np.full(codes.shape, np.nan)
    for part in range(PARTS):
        predicted = model.predict_rows(np.where(part_of == part, -1, codes), labels)
        losses[part_of == part] = BERNOULLI.losses(codes, predicted)[part_of == part]
    assert model.score(codes, groups=labels) == pytest.approx(-losses[codes >= 0].mean())


def test_components_that_fit_coin_flips_do_not_raise_the_score():
    V, X = ((np.random.default_rng(seed).random((40, 30)) < 0.5).astype(int) for seed in (0, 1))
    labels = ["a", "b"] * 20
    few, many = (nbmf.LogisticFactorVB(K, row_groups=labels, max_iter=100, random_state=0).fit(V) for K in (1, 16))
    assert many.score(X, groups=labels) < few.score(X, groups=labels) < np.log(0.5) + 0.005


def test_a_model_without_groups_takes_none():
    model = fitted("VB", labels=None)
    before = model.predict_rows(CODES[:4])
    matrix = BinaryMatrix.from_array(CODES[:4], row_groups=LABELS[:4])
    np.testing.assert_array_equal(model.predict_rows(matrix), before)
    scored = lambda V, groups: model.score(V, groups=groups)  # noqa: E731
    for method in (model.predict_rows, model.transform, model.factors_of_rows, scored):
        with pytest.raises(DataError, match="groups: the model was fitted without groups of rows; allowed: None"):
            method(CODES[:4], LABELS[:4])
    with pytest.raises(AttributeError, match="without groups"):
        model.predict_groups()
    with pytest.raises(NotFittedError):
        nbmf.LogisticFactorVB(2).predict_groups()


# --- Files, draws, comparisons ---------------------------------------------------------------------


@each_engine
@pytest.mark.parametrize("labels", [LABELS.tolist(), "matrix", None])
def test_a_fit_is_saved_and_pickled(engine, labels, tmp_path):
    one = fitted(engine, BinaryMatrix.from_array(CODES, row_groups=LABELS), labels=labels)
    one.save(tmp_path / "model.npz")
    for other in (nbmf.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(one))):
        assert other.row_groups == labels
        given = (CODES[:4],) if labels is None else (CODES[:4], LABELS[:4])
        np.testing.assert_array_equal(one.predict_rows(*given), other.predict_rows(*given))
        if labels is None:
            assert other.row_groups_ is None
            continue
        for name in (*OF_GROUPS, "row_groups_"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_file_with_damaged_groups_is_refused():
    model = fitted("VB")
    learned = model._learned()
    for name, value, words in (
        ("row_groups_", np.array(["a"]), "row_groups_ has to be 30 texts"),
        ("row_groups_", np.zeros(30), "row_groups_ has to be 30 texts"),
        ("share_between_groups_", np.array(np.nan), "share_between_groups_ has to be a number of at least 0"),
        ("group_effect_variance_", None, "group_effect_variance_ has to be a number of at least 0"),
    ):
        with pytest.raises(DataError, match=words):
            nbmf.LogisticFactorVB(2, effects="both").restore(dict(learned) | {name: value})
    before = {name: value for name, value in fitted("VB", labels=None)._learned().items() if name != "row_groups_"}
    other = nbmf.LogisticFactorVB(2, effects="both", effect_scale="learned")
    other.restore(before)
    assert other.row_groups_ is None


@pytest.mark.parametrize("engine", ["Gibbs", "VB"])
def test_draws_have_intervals_of_groups(engine):
    codes, labels, *_ = planted()
    labels[0] = ""  # which is no group to speak of
    estimator, brief = ENGINES[engine]
    settings = brief | ({"n_samples": 300} if engine == "Gibbs" else {})
    model = estimator(
        1, effects="both", effect_scale="learned", row_groups=labels, random_state=2, ard=False, **settings
    )
    draws = nbmf.posterior_draws(model, codes, n_draws=100)
    lower, upper = draws.other_interval(form.GROUP_MEANS, 0.95)
    assert lower.shape == (3, 1)
    assert ((lower < model.group_means_) & (model.group_means_ < upper)).all()
    assert (upper - lower).max() < 1.0  # rotated to each other, signs included
    for name, shape in ((form.GROUP_EFFECTS, (3,)), (form.GROUP_VARIANCE, ()), (form.BETWEEN_GROUPS, ())):
        lower, upper = draws.other_interval(name, 0.95)
        assert lower.shape == shape
        assert (lower < upper).all()
    assert 0 < lower < model.share_between_groups_ < upper < 1


def test_fits_to_parts_of_a_matrix_know_its_groups():
    """Folds of a verdict, of K, and of a comparison are fits to arrays."""
    codes, labels, *_ = planted(F=30, N=20)
    matrix = BinaryMatrix.from_array(codes, row_groups=labels)
    model = nbmf.LogisticFactorVB(2, effects="both", row_groups="matrix", max_iter=30, random_state=0)
    assert nbmf.verdict(matrix, model).loss > 0
    assert search_components(model, matrix).K >= 2
    entry = {"class": "LogisticFactorVB", "label": "groups", "K": [2]}
    settings = {"row_groups": "matrix", "max_iter": 30}
    result = nbmf.compare(matrix, {"with groups": entry | {"settings": settings}}, masks=1, n_jobs=1)
    assert result.scores["perplexity"].iloc[0] > 0
