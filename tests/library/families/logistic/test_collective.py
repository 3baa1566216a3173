"""Several matrices that share sets: terms add up, the bound never falls, one tells of another."""

import warnings

import numpy as np
import pandas as pd
import pytest
from logistic_models import KINDS as SIDES
from logistic_models import assert_no_block_lowers
from scipy.special import expit

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError, NotConvergedWarning, NotFittedError
from nbmf.families.logistic.collective import CollectiveFactorVB, Relation
from nbmf.families.logistic.count_factor_vb import NegativeBinomialFactorVB
from nbmf.families.logistic.gaussian_factor_vb import GaussianFactorVB
from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
from nbmf.families.logistic.relations import KINDS, sizes_of

SHAPES = {"users": 25, "items": 18, "features": 6, "tags": 9}
both_kinds = pytest.mark.parametrize("covariance", SIDES)


def simulate(seed=0, p_missing=0.2, scale=1.3):
    """The three matrices of section 4.4: binary, real and counts."""
    rng = np.random.default_rng(seed)
    U = {name: rng.normal(size=(n, 2)) for name, n in SHAPES.items()}

    def hidden(values, missing):
        return np.where(rng.random(values.shape) < p_missing, missing, values)

    psi = scale * U["users"] @ U["items"].T
    likes = hidden((rng.random(psi.shape) < expit(psi)).astype(np.int8), -1).astype(np.int8)
    ages = hidden(U["users"] @ U["features"].T + 0.3 * rng.normal(size=(25, 6)), np.nan)
    words = rng.poisson(np.exp(np.minimum(U["items"] @ U["tags"].T, 3)))
    words = hidden(words, -1).astype(np.int32)
    return likes, ages, words


LIKES, AGES, WORDS = simulate()


def relations(effects="none"):
    return {
        "likes": Relation("users", "items", LIKES, "binary", effects),
        "ages": Relation("users", "features", AGES, "real", effects),
        "words": Relation("items", "tags", WORDS, "counts", effects),
    }


def started(given, covariance, K=3, ard=True, **settings):
    model = CollectiveFactorVB(K, ard=ard, covariance=covariance, random_state=0, **settings)
    values = {name: KINDS[one.kind].likelihood.values_of(one.V) for name, one in given.items()}
    return model._start(given, values, sizes_of(given, values))


@both_kinds
@pytest.mark.parametrize("effects", ["none", "rows", "columns", "both"])
def test_no_block_lowers_the_bound_of_three_matrices(covariance, effects):
    ascent = started(relations(effects), covariance)
    for side in ascent.sides:
        side.learn_precision()
    assert_no_block_lowers(ascent.blocks, ascent.bound, 10, 50)


def test_terms_of_two_matrices_add_up():
    """Items are columns of one and rows of the other: their posteriors by loops over both."""
    ascent = started(relations(), "full")
    ascent.update(2)
    likes, _, words = ascent.matrices
    users, items, tags = likes.rows, likes.columns, words.columns
    assert words.rows is items
    moments = {side: side.covariance() + np.einsum("na,nb->nab", side.mean, side.mean) for side in (users, tags)}
    ascent._update(items)
    for j in range(SHAPES["items"]):
        P, h = np.diag(items.precision), np.zeros(3)
        for i in range(SHAPES["users"]):
            P = P + likes.quadratic.w[i, j] * moments[users][i]
            h += likes.quadratic.h[i, j] * users.mean[i]
        for t in range(SHAPES["tags"]):
            P = P + words.quadratic.w[j, t] * moments[tags][t]
            h += words.quadratic.h[j, t] * tags.mean[t]
        S = np.linalg.inv(P)
        np.testing.assert_allclose(items.mean[j], S @ h, atol=1e-11)
        np.testing.assert_allclose(items.covariance()[j], S, atol=1e-11)


@both_kinds
@pytest.mark.parametrize("effects", ["none", "both"])
@pytest.mark.parametrize(
    ("kind", "V", "of_one"),
    [
        ("binary", LIKES, LogisticFactorVB),
        ("counts", WORDS, NegativeBinomialFactorVB),
        ("real", AGES, GaussianFactorVB),
    ],
    ids=["binary", "counts", "real"],
)
def test_one_matrix_is_the_model_of_one_matrix(kind, V, of_one, covariance, effects):
    """But for where the coordinates of effects stand."""
    settings = {"ard": False, "covariance": covariance, "max_iter": 7, "bound_gain_tol": 0, "random_state": 5}
    model = CollectiveFactorVB(3, **settings).fit({"V": Relation("rows", "columns", V, kind, effects)})
    single = of_one(3, effects=effects, **settings).fit(V)
    np.testing.assert_allclose(model.expectations_["V"], single.expectation_, rtol=1e-9, atol=1e-9)


def test_a_matrix_and_its_transpose_are_the_same():
    binary = {"a": Relation("users", "items", LIKES), "b": Relation("items", "tags", np.minimum(WORDS, 1))}
    other = {"a": binary["a"], "b": Relation("tags", "items", np.minimum(WORDS, 1).T)}
    found = []
    for given in (binary, other):
        ascent = started(given, "full", ard=False)
        rng = np.random.default_rng(3)
        for name in (25, 18, 9):
            (side,) = (one for one in ascent.sides if len(one.mean) == name)
            side.mean = rng.normal(size=side.mean.shape)
            side._take(np.full(side.mean.shape, 0.3))
        order = sorted(ascent.sides, key=lambda side: -len(side.mean))
        ascent.sides = order
        ascent.update(4)
        found.append(ascent.bound())
    assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_what_one_matrix_knows_of_things_tells_of_another():
    """Items that nobody has rated: their tags tell who likes them."""
    rng = np.random.default_rng(8)
    users, items, tags = (rng.normal(size=(n, 2)) for n in (60, 50, 30))
    psi = 2 * users @ items.T
    likes = (rng.random(psi.shape) < expit(psi)).astype(np.int8)
    cold = np.arange(50) >= 40
    shown = likes.copy()
    shown[:, cold] = -1
    words = (rng.random((50, 30)) < expit(2 * items @ tags.T)).astype(np.int8)
    model = CollectiveFactorVB(4, covariance="full", random_state=0)
    model.fit({"likes": Relation("users", "items", shown), "words": Relation("items", "tags", words)})
    p = model.expectation_of("likes")[:, cold]
    loss = -np.log(np.where(likes[:, cold] == 1, p, 1 - p)).mean()
    assert loss < 0.55  # nats; a coin costs 0.69
    assert model.converged_
    assert model.n_iter_ < 1000


def test_what_is_learned_has_its_shapes():
    model = CollectiveFactorVB(3, max_iter=5, bound_gain_tol=0, random_state=0).fit(relations("both"))
    for name, n in SHAPES.items():
        assert model.factors_[name].shape == (n, 3)
        assert model.precisions_[name].shape == (3,)
    for name, values in (("likes", LIKES), ("ages", AGES), ("words", WORDS)):
        assert model.expectations_[name].shape == values.shape
        rows, columns = model.effects_[name]
        assert (rows.size, columns.size) == values.shape
        assert np.abs(rows).max() > 0
    assert np.isfinite(model.bound_)
    assert (model.n_iter_, model.converged_) == (5, None)  # nobody asked whether it had
    none = CollectiveFactorVB(3, max_iter=5, bound_gain_tol=0, random_state=0).fit(relations())
    assert not none.effects_["likes"][0].any()


def test_parameters_are_those_of_one_matrix():
    given = CollectiveFactorVB().get_params()
    one = LogisticFactorVB().get_params()
    assert given == {name: one[name] for name in given}


def test_the_same_seed_gives_the_same_bits():
    fits = [
        CollectiveFactorVB(3, max_iter=5, bound_gain_tol=0, random_state=1).fit(relations("rows")) for _ in range(2)
    ]
    for name in SHAPES:
        np.testing.assert_array_equal(*(each.factors_[name] for each in fits))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, ConfigError, "relations: must be one matrix or more"),
        ([Relation("x", "y", LIKES)], ConfigError, "relations: must be a dict from a name of each matrix to its Rel"),
        ({"a": LIKES}, ConfigError, "relations: must be a dict from a name of each matrix to its Relation"),
        ({"a": Relation("x", "x", LIKES)}, ConfigError, "'a' is between 'x' and itself"),
        ({"a": Relation("x", "y", LIKES, "text")}, ConfigError, "kind = 'text'.*binary"),
        ({"a": Relation("x", "y", LIKES, "binary", "all")}, ConfigError, "effects = 'all'"),
        (
            {"a": Relation("x", "y", LIKES), "b": Relation("x", "z", WORDS, "counts")},
            DataError,
            "set 'x': 25 things in 'a', 18 in 'b'",
        ),
        ({"a": Relation("x", "y", WORDS - 5, "counts")}, DataError, "-6|-5|-4"),
    ],
)
def test_what_is_wrong_is_refused_in_words(given, error, message):
    with pytest.raises(error, match=message):
        CollectiveFactorVB(2).fit(given)


def test_sets_have_the_same_names_in_all_matrices():
    one = BinaryMatrix.from_array(LIKES, [f"user {i}" for i in range(25)])
    other = BinaryMatrix.from_array(LIKES[:, :5].clip(0), [f"user {i}" for i in (1, 0, *range(2, 25))])
    with pytest.raises(DataError, match=r"number 0 .* is 'user 0' in 'a' and 'user 1' in 'b'"):
        CollectiveFactorVB(2).fit({"a": Relation("x", "y", one), "b": Relation("x", "z", other)})


def test_frames_with_the_same_things_in_another_order_are_refused():
    """They were taken as if the first thing of one were the first of the other; names that only number say nothing."""
    names = [f"user {i}" for i in range(25)]
    likes, ages = pd.DataFrame(LIKES, index=names), pd.DataFrame(AGES, index=names)
    model = CollectiveFactorVB(2, max_iter=1, bound_gain_tol=0, random_state=0)
    for given in (ages.iloc[::-1], BinaryMatrix.from_array(LIKES.clip(0), names[::-1])):
        kind = "real" if given.shape == AGES.shape else "binary"
        with pytest.raises(DataError, match=r"number 0 .* is 'user 0' in 'a' and 'user 24' in 'b'"):
            model.fit({"a": Relation("x", "y", likes), "b": Relation("x", "z", given, kind)})
    fits = [
        model.fit({"a": Relation("x", "y", likes), "b": Relation("x", "z", given, "real")}).factors_["x"]
        for given in (ages, AGES, pd.DataFrame(AGES))
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(other, fits[0])


def test_a_fit_that_runs_out_of_updates_says_so():
    given = {"a": Relation("x", "y", LIKES)}
    with pytest.warns(NotConvergedWarning, match="CollectiveFactorVB had not converged after max_iter = 2 iterations"):
        fitted = CollectiveFactorVB(1, max_iter=2, random_state=0).fit(given)
    assert fitted.converged_ is False
    with warnings.catch_warnings(action="error"):  # asked for two
        assert CollectiveFactorVB(1, max_iter=2, bound_gain_tol=0, random_state=0).fit(given).converged_ is None


def test_a_matrix_is_asked_for_by_its_name():
    with pytest.raises(NotFittedError, match="call fit first"):
        CollectiveFactorVB(2).expectation_of("a")
    model = CollectiveFactorVB(1, max_iter=1, bound_gain_tol=0).fit({"a": Relation("x", "y", LIKES)})
    with pytest.raises(ConfigError, match="no matrix 'c'"):
        model.expectation_of("c")
