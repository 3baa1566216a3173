"""What every class promises of its predictions, for rows and columns that it was fitted to and for new ones.

A new class is in it at once. Of what its model has not, `hasattr` says no.
"""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from matrices import values_for
from promises import Promises

import nbmf
from nbmf import registry
from nbmf.errors import DataError

IN_ANY_ORDER = 1e-3  # where a fold-in in rounds over the entries ends, in whatever order it takes them
F, N, NEW = 23, 19, 7  # no two sizes alike, so that an axis says what it counts
BRIEF = {"max_iter": 500, "burn_in": 20, "n_samples": 40}
BRIEF["members"] = [
    "logistic-vb",
    "beta-dir-vb-learned",
    "bernoulli-poisson-vb",
]  # of a mixture: those that take no time
# How far lines of the fit may be from their own expectation, of its spread. What a fit knows to be uncertain of the
# other factor is taken as known by a fold-in, so that new lines are predicted less cautiously.
FARTHEST, FARTHER = (
    0.2,
    {
        **{"BernoulliPoissonGibbs": 0.3, "IndianBuffetLogistic": 0.35, "SoftplusPoissonFactorVB": 0.4},
        **{"LogisticFactorVB": 0.55, "NegativeBinomialFactorVB": 0.55, "OrdinalFactorVB": 0.4},
    },
)
promise = Promises()

# Settings other than the defaults, with which predictions go by further parts of a model.
EFFECTS = {"effects": "both"}
LEARNED = {"alpha": "learn-columns", "beta": "learn-columns", "gamma": "learn"}
PERIODS = ["early"] * 6 + ["late"] * 4 + ["later"] * 9
BY_LINE = {"tie_mean_W": "line", "tie_mean_H": "line"}
VARIANTS = {
    **{name: (name, {}) for name in registry.all_classes()},
    "LogisticFactorGibbs, effects": ("LogisticFactorGibbs", EFFECTS),
    "LogisticFactorGibbs, learned effects": ("LogisticFactorGibbs", EFFECTS | {"effect_scale": "learned", "ard": True}),
    "LogisticFactorVB, effects": ("LogisticFactorVB", EFFECTS | {"covariance": "full"}),
    "LogisticFactorVB, learned effects": ("LogisticFactorVB", EFFECTS | {"effect_scale": "learned", "noise": True}),
    "DynamicFactorGibbs, periods": ("DynamicFactorGibbs", {"periods": PERIODS, "walk_variance": "rows"}),
    "DynamicOrdinalFactorGibbs, periods": ("DynamicOrdinalFactorGibbs", {"periods": PERIODS}),
    "NegativeBinomialFactorVB, effects": ("NegativeBinomialFactorVB", EFFECTS | {"noise": True}),
    "GaussianFactorVB, effects": ("GaussianFactorVB", EFFECTS),
    "IndianBuffetLogistic, intercept": ("IndianBuffetLogistic", {"intercept": True, "effects": "columns"}),
    "BetaDirVB, learned priors": ("BetaDirVB", {"alpha": "learn-columns", "beta": "learn-columns"}),
    "BetaDirGibbs, learned priors": ("BetaDirGibbs", LEARNED),
    "BetaDirVB, columns": ("BetaDirVB", {"orientation": "columns"}),
    "PoissonGammaVB, a mean per row and column": ("PoissonGammaVB", BY_LINE),
    "BernoulliPoissonGibbs, a mean per row and column": ("BernoulliPoissonGibbs", BY_LINE),
}


def make(variant, **further):
    name, settings = VARIANTS[variant]
    settings = settings | further
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    return registry.make_estimator(name, 3, brief | settings, random_state=1)


class Fitted:
    """A fit of a class, with new rows and columns of which some entries are missing."""

    def __init__(self, variant):
        name, self.variant = VARIANTS[variant][0], variant
        self.model = make(variant).fit(values_for(name))
        whole = values_for(name, (F + NEW, N + NEW))
        self.rows, self.columns = whole[F:, :N], whole[:F, N:]
        if name not in TOKENS:  # what is missing there are no words
            self.rows[1, ::3] = self.rows[4, 1:] = self.columns[2::4, 2] = np.nan
        self.sides = {"columns": (self.model.predict_columns, self.columns)}
        if hasattr(self.model, "predict_rows"):
            self.sides["rows"] = self.model.predict_rows, self.rows


TOKENS = [name for name in registry.all_classes() if registry.estimator_class(name).likelihoods[0].name == "tokens"]


@pytest.mark.filterwarnings("ignore::nbmf.errors.PoorFitWarning")
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_class_keeps_what_is_promised(variant, tmp_path):
    """By the functions below that are promises: they are this test."""
    promise.check(VARIANTS[variant][0], fitted=Fitted(variant), tmp_path=tmp_path)


def part_of(held, size, kept):
    """Return what a model holds with some lines of an axis of `size` alone, wherever it holds it."""
    if isinstance(held, np.ndarray):
        for axis in (axis for axis, length in enumerate(held.shape) if length == size):
            held = held.take(kept, axis)
        return held
    if isinstance(held, tuple):
        parts = [part_of(item, size, kept) for item in held]
        return type(held)(*parts) if hasattr(held, "_fields") else tuple(parts)
    if isinstance(held, dict):
        return {key: part_of(item, size, kept) for key, item in held.items()}
    if type(held).__module__.startswith("nbmf.") and hasattr(held, "__dict__"):
        made = copy.copy(held)
        vars(made).update(part_of(vars(held), size, kept))
        return made
    return held


def lines(values, side, kept):
    """Return some rows (side "rows") or columns."""
    return values[kept] if side == "rows" else values[:, kept]


def across(values, side, kept):
    """Return some of the entries of each row (side "rows") or column."""
    return lines(values, {"rows": "columns", "columns": "rows"}[side], kept)


@promise
def a_file_without_a_learned_array_is_refused(name, fitted):
    """The class declares it by `shapes` or `_further_learned`; or it is restored as that of files from before it."""
    learned, parameters = fitted.model._as_model().learned, fitted.model.get_params()
    for array in (key for key, value in learned.items() if isinstance(value, np.ndarray)):
        made = type(fitted.model)(**parameters)
        words = ""
        try:
            made.restore({key: value for key, value in learned.items() if key != array})
        except DataError as error:
            words = str(error)
        assert array in words or hasattr(made, array), f"a file without {array} is read"


# --- Lines on their own ------------------------------------------------------------------------


@promise
def a_line_depends_on_no_other_line(name, fitted):
    for side, (predict, values) in fitted.sides.items():
        together = predict(values)
        for kept in ([3, 0, 6, 1, 5, 2, 4], [2, 2], [4], [6]):
            np.testing.assert_allclose(predict(lines(values, side, kept)), lines(together, side, kept), rtol=1e-9)


@promise
def permuted_entries_give_permuted_predictions(name, fitted):
    for side, (_, values) in fitted.sides.items():
        size = {"rows": N, "columns": F}[side]
        order = np.random.default_rng(0).permutation(size)
        predict = getattr(part_of(fitted.model, size, order), f"predict_{side}")
        expected = across(getattr(fitted.model, f"predict_{side}")(values), side, order)
        np.testing.assert_allclose(predict(across(values, side, order)), expected, rtol=IN_ANY_ORDER)


# Steps of LogisticPCA's ascents are as long as all entries allow, missing ones too, so that it stops elsewhere.
@promise.of([name for name in registry.all_classes() if name not in (*TOKENS, "LogisticPCA")])
def missing_entries_take_no_part(name, fitted):
    """As if these entries, with their lines of the other factor, were not there."""
    for side, (predict, values) in fitted.sides.items():
        size = {"rows": N, "columns": F}[side]
        kept = np.arange(3, size)
        without = getattr(part_of(fitted.model, size, kept), f"predict_{side}")
        hidden = values.copy()
        across(hidden, side, slice(0, 3))[...] = np.nan
        expected = without(across(values, side, kept))
        np.testing.assert_allclose(across(predict(hidden), side, kept), expected, rtol=1e-7)


# --- Lines of the fit, as new ones ------------------------------------------------------------


@promise
def lines_of_the_fit_get_nearly_their_own_expectation(name, fitted):
    values, expected = values_for(name), fitted.model.expectation_
    limit = FARTHER.get(name, FARTHEST)
    for predict, _ in fitted.sides.values():
        assert np.abs(predict(values) - expected).mean() < limit * np.abs(expected - expected.mean()).mean()


@promise
def entries_are_predicted_one_by_one_as_all_together(name, fitted):
    rows, columns = np.array([[0], [F - 1], [4]]), np.array([2, N - 1])
    predicted = fitted.model.predict(rows, columns)
    np.testing.assert_allclose(predicted, fitted.model.expectation_[rows, columns], rtol=1e-12)
    for wrong in ((rows - F, columns), (rows, columns - N)):  # -1 is what pandas returns for a name it does not find
        with pytest.raises(DataError, match=r"(row|column) -\d+: must be 0 to \d+$"):
            fitted.model.predict(*wrong)


# --- The same model by other ways ------------------------------------------------------------


def assert_same_bits(one, other, fitted):
    np.testing.assert_array_equal(one.expectation_, other.expectation_)
    for side, (_, values) in fitted.sides.items():
        predict, again = getattr(one, f"predict_{side}"), getattr(other, f"predict_{side}")
        np.testing.assert_array_equal(predict(values), again(values))


@promise
def copies_predict_the_same(name, fitted, tmp_path):
    fitted.model.save(tmp_path / "model.npz")
    for again in (
        nbmf.load(tmp_path / "model.npz"),
        pickle.loads(pickle.dumps(fitted.model)),
        copy.deepcopy(fitted.model),
    ):
        assert_same_bits(fitted.model, again, fitted)


@promise.of([name for name in registry.all_classes() if registry.estimator_class(name).takes_threads])
def two_threads_predict_the_same(name, fitted):
    assert_same_bits(fitted.model, make(fitted.variant, threads=2).fit(values_for(name)), fitted)


@promise.of([name for name in registry.all_classes() if registry.estimator_class(name).takes_sparse])
def sparse_matrices_are_predicted_as_dense_ones(name, fitted):
    sparse = make(fitted.variant).fit(scipy.sparse.csr_array(values_for(name)))
    np.testing.assert_allclose(sparse.expectation_, fitted.model.expectation_, rtol=1e-6)
    for predict, values in fitted.sides.values():
        np.testing.assert_allclose(predict(scipy.sparse.csr_array(values)), predict(values), rtol=1e-9)
