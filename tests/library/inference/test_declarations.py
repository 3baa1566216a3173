"""What an error says of a class of one's own that lacks something."""

import numpy as np
import pytest
from still_state import Still

from nbmf.errors import NotFittedError, PoorFitWarning, UndeclaredError
from nbmf.inference.declarations import REQUIRED, Alignment, Inference, View
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI

V = np.array([[1, 0, 1], [1, 0, 0]])


class Bare(Factorization):
    """A point estimate that says a half of everything, and declares nothing."""

    max_iter = 1

    def __init__(self, n_components=1, *, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def _start(self, codes, seed):
        return Halves(codes.shape)


class Halves(Still):
    def __init__(self, shape):
        self._F, self._N = shape

    def factors(self):
        return Factors(np.ones((self._F, 1)), np.full((1, self._N), 0.5))

    def expectation(self):
        return np.full((self._F, self._N), 0.5)


DECLARED = {"inference": Inference.POINT, "likelihoods": (BERNOULLI,), "alignment": Alignment.NONE}


def made(without=()):
    """Return an estimator of a class with declarations, but for some."""
    return type("Mine", (Bare,), {name: value for name, value in DECLARED.items() if name not in without})()


WORDS = {"inference": "Inference.POINT", "likelihoods": "BERNOULLI", "alignment": "Alignment.NONE"}


@pytest.mark.parametrize("name", REQUIRED)
def test_a_fit_names_the_declaration_that_is_missing(name):
    with pytest.raises(UndeclaredError, match=f"^Mine does not declare {name}; allowed: .*{WORDS[name]}"):
        made(without=[name]).fit(V)


@pytest.mark.parametrize(
    ("name", "asked"), [("alignment", "view"), ("inference", "n_iterations"), ("likelihoods", "likelihood")]
)
def test_so_does_what_depends_on_it(name, asked):
    with pytest.raises(UndeclaredError, match=f"does not declare {name}"):
        getattr(made(without=[name]), asked)
    assert not hasattr(made(without=[name]), name)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("inference", "point", r"inference as .point.; allowed: Inference\.SAMPLER"),
        ("likelihoods", BERNOULLI, r"likelihoods as .*; allowed: a tuple of likelihoods"),
        ("likelihoods", (), r"likelihoods as .*; allowed: a tuple of likelihoods"),
        ("likelihoods", (type(BERNOULLI),), r"likelihoods as .*; allowed: a tuple of likelihoods"),
        ("alignment", "none", r"alignment as .none.; allowed: Alignment\.PERMUTATION"),
    ],
)
def test_a_declaration_of_another_kind_is_refused(name, given, said):
    model = type("Mine", (Bare,), DECLARED | {name: given})()
    with pytest.raises(UndeclaredError, match=f"^Mine declares {said}"):
        model.fit(V)


@pytest.mark.parametrize("slip", ["no_such_thing", "burn_in", "_hidden"])
def test_a_slip_in_a_property_is_not_called_a_missing_fit(slip):
    model = made()
    type(model).n_iterations = property(lambda self: getattr(self, slip))
    with pytest.raises(AttributeError, match=f"'Mine' object has no attribute '{slip}'") as caught:
        model.fit(V)
    assert not isinstance(caught.value, NotFittedError)


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        (np.full((2, 2), 0.5), r"is of shape \(2, 2\); allowed: \(F, N\) = \(2, 3\)"),
        (np.full((2, 3), 1.5), "has numbers from 1.5 to 1.5; allowed: from 0 to 1"),
        (np.array([[0.5, 0.5, np.nan]] * 2), "has numbers from nan to nan; allowed: from 0 to 1"),
        (np.full((2, 3), -0.1), "has numbers from -0.1 to -0.1; allowed: from 0 to 1"),
    ],
)
def test_means_that_cannot_be_are_refused(monkeypatch, expectation, said):
    monkeypatch.setattr(Halves, "expectation", lambda self: expectation)
    with pytest.raises(UndeclaredError, match=rf"^Mine: `expectation\(\)` of its state {said}"):
        made().fit(V)


@pytest.mark.parametrize("K_of_H", [1, 2, 3])
def test_factors_of_different_K_are_refused_before_anything_uses_them(monkeypatch, K_of_H):
    monkeypatch.setattr(Halves, "estimate", lambda self: Factors(np.full((2, 4), 0.5), np.full((K_of_H, 3), 0.5)))
    monkeypatch.setattr(
        Bare, "shares_of", lambda self, factors: factors.W.sum(axis=0) * factors.H.sum(axis=1), raising=False
    )
    with pytest.raises(UndeclaredError, match=rf"^Mine has learned H_ of shape \({K_of_H}, 3\); .* \(K = 4, N = 3\)"):
        made().fit(V)


def test_a_class_without_a_constructor_is_told_what_makes_one():
    own = type("Mine", (Factorization,), {**DECLARED, "__annotations__": {"n_components": int}, "n_components": 2})
    with pytest.raises(
        UndeclaredError, match=r"^Mine has no parameters: @with_parameters of nbmf\.inference\.construct"
    ):
        own(3)
    assert own().n_components == 2


def test_an_objective_that_is_no_number_is_said(monkeypatch):
    monkeypatch.setattr(Halves, "objective", lambda self: np.nan)
    with pytest.warns(PoorFitWarning, match="^Mine: the objective is not a number"):
        made().fit(V)


def test_a_class_that_declares_all_of_it_is_only_not_fitted():
    model = made()
    with pytest.raises(NotFittedError):
        model.W_  # noqa: B018
    assert model.fit(V).view is View.GROUPS


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda model: model.inverse_transform(model.W_), r"Mine does not define mean\(factors, rows, columns\)"),
        (lambda model: Factorization._start(model, V, None), r"Mine does not define _start\(values, seed\)"),
    ],
)
def test_a_method_that_is_missing_is_named(ask, words):
    with pytest.raises(NotImplementedError, match=words):
        ask(made().fit(V))


@pytest.mark.parametrize(
    ("learned", "shapes", "said"),
    [
        ({"W_": np.ones((1, 2))}, {}, r"learned W_ of shape \(1, 2\); declared by `shapes`: \(F = 2, K"),
        ({"W_": np.ones((2, 3))}, {}, r"learned H_ of shape \(1, 3\); declared by `shapes`: \(K = 3, N = 3\)"),
        ({"H_": np.ones(3)}, {}, r"learned H_ of shape \(3,\); declared by `shapes`: \(K = 1, N = 3\)"),
        ({}, {"weights_": "K"}, r"has not learned weights_; declared by `shapes`: \(K = 1\)"),
    ],
)
def test_a_fit_that_learns_something_else_than_is_declared_is_refused(learned, shapes, said):
    model = made()
    type(model).shapes = Factorization.shapes | shapes
    type(model)._learn = lambda self, state: (Factorization._learn(self, state), vars(self).update(learned))
    with pytest.raises(UndeclaredError, match=f"^Mine .*{said}"):
        model.fit(V)
    assert not hasattr(model, "W_")
