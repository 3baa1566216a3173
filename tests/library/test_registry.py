"""From names to estimators: nbmf's own classes, and a user's."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import nbmf
from nbmf import families, registry, stacking
from nbmf.errors import ConfigError
from nbmf.inference.estimator import Factorization

MINE = '''
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import Rule

class Mine(Factorization):
    """An estimator outside the package."""

    rules = Factorization.rules | {"alpha": Rule(lambda value: value > 0, "a positive number")}

    def __init__(self, n_components=2, *, alpha=1.0, colour="red", random_state=None):
        self.n_components = n_components
        self.alpha = alpha
        self.colour = colour
        self.random_state = random_state
'''


@pytest.fixture
def my_package(tmp_path, monkeypatch):
    (tmp_path / "my_methods.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    importlib.invalidate_caches()


def test_every_estimator_of_the_package_is_exported():
    """Whatever no other class builds on is an estimator, so a user has to find it."""
    modules = [
        importlib.import_module(found.name)
        for package in (families, stacking)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    defined = {
        value
        for module in modules
        for _, value in inspect.getmembers(module, inspect.isclass)
        if issubclass(value, Factorization) and value.__module__ == module.__name__
    }
    bases = {base for value in defined for base in value.__mro__[1:]}
    exported = {(name, registry.module_of(name)) for name in registry.all_classes()}
    assert {(value.__name__, value.__module__) for value in defined - bases} <= exported
    assert exported <= {(value.__name__, value.__module__) for value in defined}


FEATURES = "nbmf.families.mixed_membership.feature_model:FeatureModel"


def test_a_model_of_tables_is_fitted_and_is_no_estimator():
    assert registry.model_class(FEATURES).__name__ == "FeatureModel"
    assert registry.model_class("LDA") is registry.estimator_class("LDA")
    assert (registry.is_factorization("LDA"), registry.is_factorization(FEATURES)) == (True, False)
    with pytest.raises(ConfigError, match="is no estimator"):
        registry.estimator_class(FEATURES)
    assert "inner_max" in registry.settings_of(FEATURES)
    assert registry.length_settings(FEATURES, 2, 3) == {"max_iter": 5}
    assert not registry.takes_threads(FEATURES)
    assert registry.memory_budget(FEATURES, {}) == 0
    with pytest.raises(ConfigError, match=r"methods\.mine: .*smoothing"):
        registry.check_settings("methods.mine", FEATURES, [2], {"smoothing": -1})


def test_every_exported_name_is_there():
    found = {name: getattr(nbmf, name) for name in nbmf.EXPORTS}
    assert {name: value.__module__ for name, value in found.items()} == nbmf.EXPORTS
    assert [value.__name__ for value in found.values()] == list(found)
    assert found.keys() <= set(dir(nbmf))


def test_another_name_is_refused_with_those_there_are():
    with pytest.raises(AttributeError, match=r"nbmf has no 'BetaDir' \(did you mean nbmf\.BetaDirVB\?\); it has Bin"):
        nbmf.BetaDir  # noqa: B018
    with pytest.raises(AttributeError, match=r"nbmf has no 'fit' \(did you mean nbmf\.analyze\?\); it has BinaryM"):
        nbmf.fit  # noqa: B018
    with pytest.raises(AttributeError, match=r"nbmf has no 'xyz'; it has BinaryMatrix, "):
        nbmf.xyz  # noqa: B018


def test_errors_are_there_and_packages_are_named_as_such():
    """In a new process: other tests have imported both."""
    code = "import nbmf; nbmf.errors.DataError; nbmf.posterior"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "AttributeError: nbmf.posterior is not imported with nbmf: import the module you need" in ended.stderr


def test_classes_are_made_by_name():
    for name in registry.all_classes():
        made = registry.make_estimator(name, 3, {}, random_state=5, threads=2)
        assert type(made) is getattr(nbmf, name)
        parameters = made.get_params()
        assert (parameters["n_components"], parameters["random_state"]) == (3, 5), name
        assert parameters.get("threads", 2) == 2, name


def test_settings_are_what_the_workflow_does_not_provide():
    of_updates = {"max_iter", "mean_change_tol", "max_memory_gb"}
    assert set(registry.settings_of("BetaDirVB")) == {"alpha", "beta", "gamma", "orientation"} | of_updates
    assert registry.settings_of("LogisticPCA") == ["max_iter", "deviance_gain_tol"]
    of_sweeps = {"burn_in", "n_samples", "start", "scheme"}
    assert set(registry.settings_of("DirDirGibbs")) == {"gamma", "eta"} | of_sweeps


def test_settings_reach_the_estimator():
    made = registry.make_estimator("DirBetaVB", 3, {"eta": 0.5, "max_iter": 7})
    assert (made.eta, made.max_iter, made.threads) == (0.5, 7, 1)


def test_parameters_are_checked_before_any_fit():
    with pytest.raises(ConfigError, match="max_iter = 0: must be an integer of at least 1"):
        registry.make_estimator("BinaryICA", 3, {"max_iter": 0})
    with pytest.raises(ConfigError, match="n_components = 0"):
        registry.make_estimator("BinaryICA", 0, {})
    with pytest.raises(ConfigError, match="threads = 0"):
        registry.make_estimator("BetaDirGibbs", 3, {}, threads=0)


CLASSES = registry.all_classes()


def test_which_methods_take_threads():
    takers = [name for name in CLASSES if registry.takes_threads(name)]
    assert {"BetaDirGibbs", "DirDirVB", "LogisticFactorGibbs", "BernoulliPoissonVB", "Stacking"} <= set(takers)
    assert not {"BinaryICA", "LDA", "MMNB", "IndianBuffetLogistic"} & set(takers)
    assert [name for name in CLASSES if "threads" in registry.estimator_class(name).parameter_names()] == takers


@pytest.mark.usefixtures("my_package")
def test_a_class_of_another_package_needs_no_registration():
    assert registry.module_of("my_methods:Mine") == "my_methods"
    assert registry.settings_of("my_methods:Mine") == ["alpha", "colour"]
    made = registry.make_estimator("my_methods:Mine", 4, {"colour": "blue"}, threads=2)
    assert repr(made) == "Mine(n_components=4, alpha=1.0, colour='blue', random_state=None)"
    with pytest.raises(ConfigError, match="alpha = 0"):
        registry.make_estimator("my_methods:Mine", 4, {"alpha": 0})


@pytest.mark.usefixtures("my_package")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BinaryIC", "no class 'BinaryIC'; allowed: BetaDirGibbs, .*LDA.*; a class of your own .*module:Class"),
        ("BinaryMatrix", "'BinaryMatrix' is no estimator"),
        ("my_methods:Yours", "'my_methods:Yours' cannot be imported: .*Yours"),
        ("your_methods:Mine", "'your_methods:Mine' cannot be imported: .*your_methods"),
        ("json:JSONDecoder", "'json:JSONDecoder' is no estimator"),
        ("json:dumps", "'json:dumps' is no estimator"),
        (nbmf.BinaryICA, r"class = .*BinaryICA.*: must be text, as package\.module:Class"),
    ],
)
def test_what_is_no_estimator_is_refused_by_name(name, words):
    with pytest.raises(ConfigError, match=words):
        registry.make_estimator(name, 2, {})


def test_a_fit_has_the_memory_that_its_method_may_take():
    assert registry.memory_budget("BetaDirVB", {}) == 4
    assert registry.memory_budget("BetaDirVB", {"max_memory_gb": 0.5}) == 0.5
    assert registry.memory_budget("BinaryICA", {}) == 0
