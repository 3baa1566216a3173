"""From the name of a class in the configuration to an estimator."""

import importlib
import inspect
import os
import sys
from typing import Any

import nbmf
from nbmf.errors import ConfigError, DataError, Setting, choices, naming_file
from nbmf.inference import model_file
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.model_file import Saved
from nbmf.inference.parameters import Parametrized
from nbmf.inference.table_model import TableModel

# Constructor arguments that the workflow itself provides.
PROVIDED = ("n_components", "random_state", "threads")
ESTIMATORS = ("nbmf.families.", "nbmf.stacking.")  # where nbmf's own are


def module_of(class_name: str) -> str:
    """Return the module of a class: a name of nbmf's own, or "package.module:Class"."""
    if not isinstance(class_name, str):
        raise ConfigError(Setting("class", class_name), ": must be text, as package.module:Class")
    if ":" in class_name:
        return class_name.partition(":")[0]
    if class_name not in nbmf.EXPORTS:
        of_ones_own = "a class of your own is named as package.module:Class, or needs an entry in EXPORTS of nbmf"
        raise ConfigError(f"no class {class_name!r}; {choices(class_name, all_classes())}; {of_ones_own}")
    return nbmf.EXPORTS[class_name]


def all_classes() -> list[str]:
    """Return the names of nbmf's own estimators."""
    return [name for name, module in nbmf.EXPORTS.items() if module.startswith(ESTIMATORS)]


def classes_for(matrix: type) -> list[str]:
    """Return the names of nbmf's own estimators that take matrices of a class."""
    return [name for name in all_classes() if any(each.matrix is matrix for each in estimator_class(name).likelihoods)]


def estimator_class(class_name: str) -> type[Factorization]:
    """Return the estimator class of that name.

    Raises
    ------
    ConfigError
        If there is no such class or it is no estimator.
    """
    imported = _import_class(class_name)
    if not (inspect.isclass(imported) and issubclass(imported, Factorization)):
        raise ConfigError(f"{class_name!r} is no estimator (a subclass of Factorization)")
    return imported


def model_class(class_name: str) -> type[Factorization] | type[TableModel]:
    """Return the class of that name, an estimator or a model of tables: what a fit of the workflow can be of.

    Raises
    ------
    ConfigError
        If there is no such class or it is neither.
    """
    imported = _import_class(class_name)
    is_table_model = inspect.isclass(imported) and issubclass(imported, TableModel)
    return imported if is_table_model else estimator_class(class_name)


def is_factorization(class_name: str) -> bool:
    """Return whether that class is an estimator of W and H, and no model of tables."""
    return issubclass(model_class(class_name), Factorization)


def _import_class(class_name: str) -> Any:
    try:
        module = importlib.import_module(module_of(class_name))
        return getattr(module, class_name.rpartition(":")[2])
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"class {class_name!r} cannot be imported: {error}") from error


def settings_of(class_name: str) -> list[str]:
    """Return the constructor arguments that a configuration may set."""
    return [name for name in model_class(class_name).parameter_names() if name not in PROVIDED]


def check_settings(where: str, class_name: str, grid: list[int], settings: dict[str, Any]) -> None:
    """Raise ConfigError, naming the place `where`, if a constructor would not take the settings."""
    allowed = settings_of(class_name)
    for key in model_class(class_name).by_current_names(settings, warns=False):
        if key not in allowed:
            raise ConfigError(f"{where}: unknown key {key!r}; {choices(key, allowed)}")
    for K in grid:
        try:
            make_estimator(class_name, K, settings)
        except ConfigError as error:
            raise ConfigError(f"{where}: ", error) from error


def check_starts(where: str, class_name: str, starts: Any) -> None:
    """Raise ConfigError, naming the place `where`, if fits of that class cannot have so many starts."""
    if isinstance(starts, bool) or not isinstance(starts, int) or starts < 1:
        raise ConfigError(Setting(where, starts), ": must be an integer of at least 1")
    if starts == 1 or model_class(class_name).takes_starts:
        return
    why = "has no objective by which one of several starts could be kept, or ends where it ends whatever the seed"
    if is_sampler(class_name):
        why = "is a sampler, whose chains are no starts: none of them is the best"
    raise ConfigError(Setting(where, starts), f": {class_name} {why}; allowed: 1")


def length_settings(class_name: str, before: int, kept: int) -> dict[str, int]:
    """Return the settings for so many iterations; of a sampler `before` of them are its burn-in."""
    if is_sampler(class_name):
        return {"burn_in": before, "n_samples": kept}
    return {"max_iter": before + kept}


def is_sampler(class_name: str) -> bool:
    """Return whether fits of that class are chains."""
    return model_class(class_name).inference is Inference.SAMPLER


def scores_entries(class_name: str) -> bool:
    """Return whether fits of that class are scored per entry, so that they can be compared."""
    return estimator_class(class_name).likelihoods[0].unit == "entry"


def further_scores(class_name: str) -> tuple[str, ...]:
    """Return what fits of that class are scored by besides the loss; see `Likelihood`."""
    return estimator_class(class_name).likelihoods[0].further_scores


def takes_threads(class_name: str) -> bool:
    """Return whether fits of that class can use more than one thread."""
    return model_class(class_name).takes_threads


def memory_budget(class_name: str, settings: dict[str, Any]) -> float:
    """Return how many gigabytes a fit of that class may take by its settings, 0 if it has no budget."""
    return float(model_class(class_name)(**settings).memory_budget_gb)


def make_estimator(
    class_name: str, K: int, settings: dict[str, Any], random_state=None, threads: int = 1
) -> Factorization | TableModel:
    """Return an estimator, or a model of tables, with K components and the given settings, its parameters checked."""
    estimator = model_class(class_name)
    given = {"n_components": K, "random_state": random_state, **settings}
    if takes_threads(class_name):
        given["threads"] = threads
    instance = estimator(**given)
    instance.check_parameters()
    return instance


def load(path: str | os.PathLike) -> Any:
    """Read a fitted model that its `save` has written; nothing in the file is executed.

    A class outside nbmf is found only if its module has been imported: a file cannot import one.

    Returns
    -------
    Factorization or FeatureModel
        Of the class that was saved: an estimator of matrices, or a model of a table of features or
        of documents. Both score new rows as they did before.

    Raises
    ------
    DataError
        If the file is damaged or no model file, or its class is unknown; the message names it.
    """
    model = model_file.read(path)
    with naming_file(path, TypeError, ConfigError):
        return _restore(model)


def _restore(model: model_file.Model) -> Saved:
    """Return the model that a file holds, with its parts."""
    estimator = _class_in_memory(model.class_name)
    instance = estimator(**estimator.by_current_names(model.parameters, warns=False))
    instance.check_parameters()
    instance.restore(model.learned)
    instance.keep_parameters()
    instance.restore_parts({name: _restore(part) for name, part in model.parts.items()})
    return instance


def _class_in_memory(class_name: str) -> type[Saved]:
    """Return one of nbmf's own classes of models, or one whose module has been imported."""
    module, colon, name = class_name.partition(":")
    if not colon:
        if class_name not in all_classes():
            raise DataError(f"no class {class_name!r}; {choices(class_name, all_classes())}")
    elif not module.startswith(ESTIMATORS):  # our own modules may be imported
        if module not in sys.modules:
            raise DataError(f"a model of class {class_name!r}: import {module} first")
        if name not in vars(sys.modules[module]):  # getattr could run code
            raise DataError(f"a model of class {class_name!r}, which {module} does not have")
    imported = _import_class(class_name)
    if not (inspect.isclass(imported) and issubclass(imported, Saved) and issubclass(imported, Parametrized)):
        raise DataError(f"{class_name!r} is no class of fitted models")
    return imported
