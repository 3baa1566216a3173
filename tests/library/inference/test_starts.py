"""Which of several starts is kept, and fits that are worse than one component."""

import math
import warnings

import numpy as np
import pytest
from short_fits import QUICK_MEMBERS

import nbmf
from nbmf import registry
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import ConfigError, WorseThanOneComponentWarning
from nbmf.evaluation import component_choice
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.inference import one_component
from nbmf.inference.declarations import Inference
from nbmf.inference.one_component import is_worse
from nbmf.inference.starts import Starts

pytestmark = pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
OF_ROWS = np.random.default_rng(0).integers(3, size=60)
PROBABILITIES = np.random.default_rng(1).beta(0.2, 0.2, (3, 40))


def with_gaps(V):
    return np.where(np.random.default_rng(3).random(V.shape) < 0.1, np.nan, V)


BINARY = with_gaps((np.random.default_rng(2).random((60, 40)) < PROBABILITIES[OF_ROWS]).astype(float))
COUNTS = with_gaps(np.random.default_rng(4).poisson(10 * PROBABILITIES[OF_ROWS]).astype(float))
MIXED = {
    "gaussian": FeatureTable.from_array(np.random.default_rng(5).normal(4.0 * OF_ROWS[:, None], 1.0, (60, 6))),
    "bernoulli": FeatureTable.of(nbmf.BinaryMatrix.of(BINARY)),
}


# --- The rule ----------------------------------------------------------------------------------


def test_the_largest_objective_is_kept_and_the_spread_reported():
    starts = Starts.of([-3.0, -1.0, -2.5, -1.0])
    assert (starts.kept, starts.spread) == (1, 2.0)
    assert Starts.of([-3.0, -1.0], ranks=[2, 1]).kept == 0  # ranks count first
    assert Starts.of([math.nan, -5.0]).kept == 1
    assert math.isnan(Starts.of([math.nan, -5.0]).spread)
    assert Starts.of([-5.0]) == ((-5.0,), 0)


@pytest.mark.parametrize("name", registry.all_classes())
def test_classes_that_take_starts_have_an_objective_and_depend_on_their_seed(name):
    found = registry.model_class(name)
    if not registry.is_factorization(name):
        assert found.takes_starts
        return
    few = registry.length_settings(name, 1, 3) | ({"members": QUICK_MEMBERS} if name == "Stacking" else {})
    V = COUNTS if registry.estimator_class(name).likelihoods[0].matrix is nbmf.CountMatrix else BINARY
    if registry.estimator_class(name).likelihoods[0].name == "normal":
        V = MIXED["gaussian"]
    ends = [registry.make_estimator(name, 3, few, seed).fit(V).objective_ for seed in (0, 1)]
    is_comparable = name != "LogisticFactorMAP"  # seeds may choose other penalties, which are in the objective
    assert found.takes_starts == (None not in ends and ends[0] != ends[1] and is_comparable)
    assert (ends[0] is None) or found.inference is not Inference.SAMPLER


def test_starts_that_a_class_cannot_have_are_refused():
    registry.check_starts("methods.mine.starts", "BinaryICA", 5)
    registry.check_starts("methods.mine.starts", "BetaDirGibbs", 1)
    for name, starts, words in (
        ("BetaDirGibbs", 2, "methods.mine.starts = 2: BetaDirGibbs is a sampler.*allowed: 1"),
        ("LogisticPCA", 2, "ends where it ends whatever the seed; allowed: 1"),
        ("BetaDirVB", 2, "has no objective"),
        ("BinaryICA", 0, "methods.mine.starts = 0: must be an integer of at least 1"),
        ("BinaryICA", True, "True: must be an integer"),
        ("BinaryICA", 1.5, "1.5: must be an integer"),
    ):
        with pytest.raises(ConfigError, match=words):
            registry.check_starts("methods.mine.starts", name, starts)


# --- One component -----------------------------------------------------------------------------

OF_BINARY = {
    "MNB": {},
    "MMNB": {"smoothing": 0.3},
    "FastMMNB": {"orientation": "columns"},
    "VariationalLDA": {},
    "FastLDA": {},
    "BinaryICA": {"alpha": 0.4, "beta": 2.0, "gamma": 0.5},
}
LEARNED = {"orientation": "columns", "alpha": "learn-columns", "beta": "learn-columns", "gamma": "learn"}
CASES = [*((name, settings, BINARY) for name, settings in OF_BINARY.items()), ("BinaryICA", LEARNED, BINARY)]


@pytest.mark.parametrize(("name", "settings", "V"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_fit_with_one_component_ends_at_the_objective_of_one(name, settings, V):
    """What the hook says of a fit with K = 1, which itself asks for nothing."""
    estimator = registry.make_estimator(name, 1, settings | {"max_iter": 1000}, 0)
    kept = []
    estimator._learn = lambda state, learn=estimator._learn: (kept.append(state), learn(state))
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorseThanOneComponentWarning)
        estimator.fit(V)
    assert estimator.objective_of_one_ is None
    of_one = estimator._objective_of_one(kept[0], estimator.values_of(V))
    assert of_one == pytest.approx(estimator.objective_, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "settings", "V", "below"),
    [
        ("PoissonGammaEM", {}, COUNTS, 1e-9),
        ("PoissonGammaVB", {"tie_shape_W": "fixed", "tie_shape_H": "fixed"}, COUNTS, 1e-3),
        ("PoissonGammaVB", {}, COUNTS, 1e-3),
        ("BernoulliPoissonVB", {}, BINARY, 1e-4),
    ],
)
def test_where_one_component_has_to_climb_it_is_near_its_end_and_never_above(name, settings, V, below):
    fitted = registry.make_estimator(name, 3, settings | {"max_iter": 1000, "relative_gain_tol": 0.0}, 0).fit(V)
    alone = registry.make_estimator(name, 1, settings | {"max_iter": 2000, "relative_gain_tol": 0.0}, 1).fit(V)
    gap = (alone.objective_ - fitted.objective_of_one_) / abs(alone.objective_)
    assert -1e-12 <= gap <= below


@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("model", ["mnb", "mmnb", "fast-mmnb"])
def test_a_table_with_one_component_ends_at_the_objective_of_one(kind, model):
    fitted = FeatureModel(1, model=model, smoothing=0.5).fit(MIXED[kind])
    assert fitted.objective_of_one_ is None
    state = FeatureModel(1, model=model, smoothing=0.5).start(MIXED[kind])
    assert state.objective_of_one() == pytest.approx(fitted.objective_, rel=1e-6)


def begun(name, K, settings, V):
    """An estimator, the values in its coding, and its state before the first iteration."""
    estimator = registry.make_estimator(name, K, settings, 0)
    values = estimator.values_of(V)
    return estimator, values, estimator._start(values, np.random.SeedSequence(0))


def test_idle_components_of_a_mixture_cost_their_smoothing():
    """EM keeps a component that has everything, and a mixture's shares are then exactly 1 and 0."""
    estimator, values, state = begun("MNB", 3, {"smoothing": 0.7}, BINARY)
    state.advance(1)
    gamma = np.zeros_like(state.memberships.gamma)
    gamma[:, 0] = 1.0
    counts = np.zeros_like(state.memberships.counts)
    counts[:, 0] = state._totals
    state._memberships = state.memberships._replace(gamma=gamma, counts=counts)
    state.advance(5)
    assert state.objective() == pytest.approx(estimator._objective_of_one(state, values), rel=1e-9)


def test_idle_components_of_a_mean_field_cost_their_weights():
    """The bound with all expected counts in the second component, whose prior is the better one."""
    estimator, values, state = begun("BinaryICA", 3, {"alpha": [9.0, 1.0, 5.0], "gamma": [0.5, 1.5, 1.0]}, BINARY)
    Z = np.where(values >= 0, 1, -1)
    state._inference._counts = beta_dir.counts(values, Z, 3)
    of_one = estimator._objective_of_one(state, values)
    priors = state.hyperparameters()
    assert of_one == pytest.approx(beta_dir.log_joint(values, Z, 3, **priors), rel=1e-12)
    assert of_one <= state.objective()  # at the best q(Z) for the same q(W) q(H)
    state.advance(1)
    assert of_one <= state.objective()


GOOD = [
    ("MNB", {}, BINARY),
    ("MMNB", {}, BINARY),
    ("FastMMNB", {}, BINARY),
    ("VariationalLDA", {}, BINARY.T),
    ("BinaryICA", {}, BINARY),
    ("BernoulliPoissonVB", {}, BINARY),
    ("PoissonGammaVB", {}, COUNTS),
    ("PoissonGammaEM", {}, COUNTS),
]


@pytest.mark.parametrize(("name", "settings", "V"), GOOD, ids=[name for name, _, _ in GOOD])
def test_a_good_fit_to_data_with_structure_says_nothing(name, settings, V):
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorseThanOneComponentWarning)
        fitted = registry.make_estimator(name, 3, settings, 0).fit(V)
    assert fitted.objective_of_one_ < fitted.objective_


BAD = [
    ("MMNB", {"max_iter": 1}, BINARY),
    ("FastMMNB", {"max_iter": 1}, BINARY),
    ("VariationalLDA", {"max_iter": 1}, BINARY.T),
    ("BinaryICA", {"max_iter": 1, "alpha": 5.0, "beta": 5.0, "gamma": 0.1}, BINARY),
    ("BernoulliPoissonVB", {"max_iter": 2}, BINARY),
    ("PoissonGammaVB", {"max_iter": 2}, COUNTS),
    ("PoissonGammaEM", {"max_iter": 1}, COUNTS),
]


@pytest.mark.parametrize(("name", "settings", "V"), BAD, ids=[name for name, _, _ in BAD])
def test_a_fit_that_is_worse_than_one_component_warns_with_both_numbers(name, settings, V):
    V = np.random.default_rng(6).permuted(V, axis=0)  # columns that have nothing to do with each other
    with pytest.warns(WorseThanOneComponentWarning) as heard:
        fitted = registry.make_estimator(name, 8, settings, 0).fit(V)
    said = [str(each.message) for each in heard if each.category is WorseThanOneComponentWarning]
    assert len(said) == 1
    assert said[0].startswith(f"{name} is worse than one component: its objective is {fitted.objective_:.6g} nats")
    assert f"{fitted.objective_of_one_:.6g} where one of them has everything" in said[0]
    assert "another random_state or a smaller n_components" in said[0]


def test_a_table_that_ends_where_components_are_alike_warns():
    table = FeatureTable.of(nbmf.BinaryMatrix.of(np.random.default_rng(7).integers(2, size=(200, 30))))
    with pytest.warns(WorseThanOneComponentWarning, match="mmnb of a table is worse than one component"):
        FeatureModel(6, model="mmnb", max_iter=1, random_state=0).fit(table)


def test_samplers_and_methods_without_a_closed_form_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error", WorseThanOneComponentWarning)
        for name in ("BetaDirGibbs", "BetaDirVB", "LogisticFactorVB", "LogisticPCA", "LDA"):
            few = registry.length_settings(name, 1, 1)
            assert registry.make_estimator(name, 3, few, 0).fit(BINARY).objective_of_one_ is None
        fixed = dict.fromkeys(("tie_mean_W", "tie_mean_H"), "fixed")
        assert nbmf.PoissonGammaVB(3, max_iter=2, **fixed).fit(COUNTS).objective_of_one_ is None


def test_rounding_is_no_reason():
    one = -1000.0
    assert is_worse(one * (1 + 2 * one_component.ROUNDING), one)
    assert not is_worse(one * (1 + 0.5 * one_component.ROUNDING), one)
    assert is_worse(-1e-5, 0.0)
    assert not is_worse(-1e-299, -1e-300)  # as of Poisson rates where there are no counts
    assert not is_worse(None, one)
    assert not is_worse(one, None)


@pytest.mark.parametrize("name", ["BinaryICA", "MMNB"])
def test_the_objectives_are_kept_in_a_file_and_files_of_before_have_none(name, tmp_path):
    fitted = registry.make_estimator(name, 3, {"max_iter": 5}, 0).fit(BINARY)
    fitted.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert (loaded.objective_, loaded.objective_of_one_) == (fitted.objective_, fitted.objective_of_one_)
    del fitted.objective_, fitted.objective_of_one_
    fitted.save(tmp_path / "before.npz")
    assert nbmf.load(tmp_path / "before.npz").objective_ is None


def test_of_several_starts_the_best_is_that_with_the_largest_objective():
    chains = nbmf.run_chains(nbmf.BinaryICA(5, max_iter=200, random_state=0), nbmf.load_example("votes"), chains=4)
    objectives = [one.objective_ for one in chains.estimators]
    assert np.argmax(objectives) != np.argmin(chains.losses)  # or either rule would do
    assert chains.best is chains.estimators[int(np.argmax(objectives))]
    assert chains.starts.spread == max(objectives) - min(objectives)
    without = nbmf.run_chains(nbmf.BetaDirVB(3, max_iter=5, random_state=0), BINARY, chains=2)
    assert without.starts is None
    assert without.best is without.estimators[int(np.argmin(without.losses))]


def test_of_tables_the_best_is_among_those_with_most_components_that_differ(monkeypatch):
    ends = iter([(2, -10.0), (3, -12.0), (3, -11.0), (1, -1.0)])

    class Ended:
        def __init__(self, K, **settings):
            self.distinct_components_, self.objective_ = next(ends)

        def fit(self, table):
            return self

    monkeypatch.setattr(component_choice, "FeatureModel", Ended)
    best = component_choice.best_fit(None, 3, {}, 4, np.random.SeedSequence(0))
    assert (best.distinct_components_, best.objective_) == (3, -11.0)
