"""Rules that end a fit: when each is met, their parameters, and the name that these had before."""

import dataclasses
import json
import warnings

import numpy as np
import pytest
from matrices import blocks_matrix
from short_fits import Recorder
from sklearn.base import clone

import nbmf
from nbmf import registry
from nbmf.analysis.settings import current_settings
from nbmf.catalogue import METHODS
from nbmf.errors import ConfigError
from nbmf.families.logistic.collective import CollectiveFactorVB
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.inference import loop
from nbmf.inference.parameters import TOLERANCES
from nbmf.inference.stopping import (
    BoundGainBelow,
    DevianceGainBelow,
    MeanChangeBelow,
    RelativeChangeBelow,
    RelativeGainBelow,
)

RULES = (MeanChangeBelow, RelativeGainBelow, RelativeChangeBelow, BoundGainBelow, DevianceGainBelow)
CLASSES = {name: getattr(nbmf, name) for name in registry.all_classes()}
CLASSES |= {"CollectiveFactorVB": CollectiveFactorVB, "FeatureModel": FeatureModel}
# The classes whose tolerance was called tol once, by what it is called now: a closed list, as a new class never had it.
TOOK_TOL = {
    "mean_change_tol": ("BetaDirVB", "DirDirVB", "DirBetaVB", "CollapsedBinaryICA", "BinaryICA"),
    "relative_gain_tol": ("BernoulliPoissonVB", "PoissonGammaVB", "PoissonGammaICM", "PoissonGammaEM"),
    "relative_change_tol": ("VariationalLDA", "FastLDA", "MNB", "MMNB", "FastMMNB", "FeatureModel"),
    "bound_gain_tol": (
        "LogisticFactorVB",
        "NegativeBinomialFactorVB",
        "OrdinalFactorVB",
        "SoftplusPoissonFactorVB",
        "GaussianFactorVB",
        "CollectiveFactorVB",
    ),
    "deviance_gain_tol": ("LogisticPCA",),
}
CODES = blocks_matrix(probability=0.8)


def course(values):
    """Return a function that gives one value after the other."""
    return iter(values).__next__


def looks(rule, number):
    """Return what a rule says at its first looks, at iterations that it asks for."""
    said, iteration = [], 0
    for _ in range(number):
        iteration = rule.next_after(iteration)
        said.append(rule.is_met(iteration))
    return said


def test_each_rule_has_a_parameter_of_its_own():
    assert tuple(rule.parameter for rule in RULES) == TOLERANCES


def test_the_mean_change_is_that_of_the_expectation_and_must_not_grow():
    expectations = [np.full((2, 2), x) for x in (0.0, 0.1, 0.11, 0.14, 0.16, 0.16)]
    rule = MeanChangeBelow(course(expectations), 0.05)
    assert looks(rule, 6) == [False, False, True, False, True, True]
    assert not rule.is_met(65)


def test_the_relative_gain_is_a_part_of_the_objective():
    rule = RelativeGainBelow(course([-200.0, -110.0, -100.0, -95.0, -94.0, -96.0]), 0.06)
    assert looks(rule, 6) == [False, False, False, True, True, True]
    assert RelativeGainBelow(None, 0.1, after=25).next_after(0) == 30


@pytest.mark.parametrize(
    ("rule", "every"),
    [
        (lambda objective: RelativeGainBelow(objective, 0.06, after=25), 10),
        (lambda objective: BoundGainBelow(objective, 0.1, n_observed=100, after=50), 20),
    ],
)
def test_a_rule_does_not_look_before_it_asks_to(rule, every):
    """A monitor may stop a fit at iterations of its own."""
    met = rule(course([-100.0, -99.9, -99.8, -99.7]))
    first = met.next_after(0)
    assert not any(met.is_met(iteration) for iteration in range(first))
    assert [met.is_met(first + every * look) for look in range(3)] == [False, True, True]


@pytest.mark.parametrize("method", ["ordinal-vb", "negative-binomial-vb-learned", "bernoulli-poisson-vb-scales"])
def test_what_is_learned_late_is_learned_wherever_a_monitor_stops(method):
    """On a small matrix, whose fit comes to rest before precisions or scales are learned."""
    rng = np.random.default_rng(1)
    of_rows, of_columns = rng.normal(size=(60, 1)), rng.normal(size=(1, 8))
    answers = np.clip(np.round(2 + of_rows * of_columns + rng.normal(size=(60, 8))), 0, 4).astype(int)
    counts = rng.poisson(np.exp(0.5 * of_rows * of_columns))
    V, tolerance = {
        "ordinal-vb": (answers, {}),
        "negative-binomial-vb-learned": (counts, {}),
        "bernoulli-poisson-vb-scales": ((answers > 2).astype(int), {"relative_gain_tol": 1e-3}),
    }[method]
    entry = METHODS[method]
    alone, watched = (registry.make_estimator(entry["class"], 3, entry["settings"] | tolerance, 0) for _ in range(2))
    alone.fit(V)
    watched.fit(V, monitor=Recorder(every=10))
    assert 100 < alone.n_iter_ == watched.n_iter_ < alone.max_iter
    np.testing.assert_array_equal(watched.expectation_, alone.expectation_)


def test_the_relative_change_counts_falls_too_and_waits_until_it_may_stop():
    class State:
        relative_change, may_stop = -0.01, False

    state = State()
    rule = RelativeChangeBelow(state, 0.05)
    assert (rule.next_after(0), rule.is_met(5)) == (5, False)
    state.may_stop = True
    assert rule.is_met(10)
    assert not rule.is_met(11)
    state.relative_change = -0.06
    assert not rule.is_met(15)


def test_the_gain_of_the_bound_is_per_observed_entry():
    rule = BoundGainBelow(course([-100.0, -90.0, -81.0]), 0.1, n_observed=100)
    assert looks(rule, 3) == [False, False, True]
    assert rule.next_after(20) == 40


def test_the_gain_of_the_deviance_waits_for_the_first_iterations():
    rule = DevianceGainBelow(course([0.2, 0.01]), 0.1, at_least=3)
    assert looks(rule, 4) == [False, False, False, True]


class Idle:
    """A state that does nothing."""

    resumable = False

    def advance(self, steps):
        pass


def test_a_rule_with_a_tolerance_of_0_stops_no_fit_but_one_by_the_deviance():
    """Not even one whose objective falls by rounding; logPCA ends where its deviance rises."""
    falling = iter(np.linspace(-1, -2, 9)).__next__
    assert loop.run(Idle(), 60, rule=RelativeGainBelow(falling, 0.0)) == (60, None)
    assert loop.run(Idle(), 60, rule=DevianceGainBelow(lambda: -1e-16, 0.0, at_least=3)) == (3, True)


# --- The name of before ----------------------------------------------------------------------


@pytest.mark.parametrize(("tolerance", "name"), [(tol, name) for tol, names in TOOK_TOL.items() for name in names])
def test_a_class_that_took_tol_still_does(tolerance, name):
    with pytest.warns(FutureWarning, match=f"{name}: tol is now called {tolerance}") as caught:
        model = CLASSES[name](2, tol=0.25)
    assert caught[0].filename == __file__
    assert getattr(model, tolerance) == model.get_params()[tolerance] == 0.25
    assert "tol" not in model.get_params()
    with pytest.warns(FutureWarning, match="is now called"):
        model.set_params(tol=0.5)
    assert getattr(clone(model), tolerance) == 0.5
    with pytest.raises(ConfigError, match=f"tol = 1: is now called {tolerance}, which is given as well"):
        CLASSES[name](2, **{"tol": 1, tolerance: 1})


def test_a_class_that_does_not_stop_never_took_it():
    with pytest.raises(TypeError, match="'tol'"):
        nbmf.BetaDirGibbs(tol=1)


def test_configurations_and_the_command_line_take_the_old_name():
    with pytest.warns(FutureWarning, match="tol is now called deviance_gain_tol"):
        registry.check_settings(".methods.mine", "LogisticPCA", [2], {"tol": 0.1})
    with pytest.warns(FutureWarning, match="is now called"):
        assert registry.make_estimator("LogisticPCA", 2, {"tol": 0.1}).deviance_gain_tol == 0.1
    refused = pytest.raises(ConfigError, match="deviance_gain_tol = -1: must be")
    with pytest.warns(FutureWarning, match="is now called"), refused:
        registry.check_settings(".methods.mine", "LogisticPCA", [2], {"tol": -1})
    with pytest.warns(FutureWarning, match="is now called"):
        assert current_settings("BetaDirVB", {"tol": 0.1}) == {"mean_change_tol": 0.1}


def test_a_model_file_of_before_is_read_without_a_warning(tmp_path):
    nbmf.LogisticPCA(2, deviance_gain_tol=0.01).fit(CODES).save(tmp_path / "now.npz")
    with np.load(tmp_path / "now.npz") as file:
        arrays = dict(file)
    about = json.loads(str(arrays.pop("about")))
    about["parameters"]["tol"] = about["parameters"].pop("deviance_gain_tol")
    np.savez(tmp_path / "before.npz", about=np.array(json.dumps(about)), **arrays)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = nbmf.load(tmp_path / "before.npz")
    assert loaded.deviance_gain_tol == 0.01


@pytest.mark.parametrize("name", CLASSES)
def test_a_constructor_has_the_parameters_of_all_its_bases(name):
    bases = [base for base in CLASSES[name].__mro__ if dataclasses.is_dataclass(base)]
    declared = {field.name for base in bases for field in dataclasses.fields(base)}
    assert declared == set(CLASSES[name].parameter_names())
