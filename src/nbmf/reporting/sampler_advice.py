"""Which arguments fit the model of a variational fit with its sampler, whose draws give intervals."""

from collections.abc import Iterator
from typing import Any

from nbmf import registry
from nbmf.catalogue import METHODS, usual_components
from nbmf.errors import Setting
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import AUTO

# Components that are not needed end near 0 in a variational fit by itself, in a sampler where their precisions are
# learned: discriminations of 300 x 12 drawn answers are 1.1 times the true ones then, 1.4 times without (the former by
# benchmarks/item_parameters.py, the latter with ard=False in its SETTINGS).
LEFT_TO_THE_SAMPLER = ("ard",)


def sampler_arguments(model: Factorization) -> list[Setting]:
    """Return the arguments of the sampler with the model of a fit, of the same priors and orientation; [] without one.

    Parameters
    ----------
    model : Factorization
        Fitted.

    Returns
    -------
    list of Setting
        `method`; and `n_components` and `settings` where they are not those that the method has by itself.
    """
    methods = [method for method, entry in METHODS.items() if entry["class"] == model.sampler]
    if not methods:
        return []
    method = min(methods, key=lambda each: len(_differences(model, each)))  # the first of those that differ least
    arguments = [Setting("method", method)]
    n_components = _fitted_value(model, "n_components")
    if n_components != usual_components(method):
        arguments.append(Setting("n_components", n_components))
    differences = _differences(model, method)
    return [*arguments, Setting("settings", differences)] if differences else arguments


def listed_arguments(arguments: list[Setting]) -> Iterator[str | Setting]:
    """Yield the parts of a message: "a", "a and b" or "a, b and c"."""
    for number, argument in enumerate(arguments, start=1):
        yield argument
        if number < len(arguments):
            yield " and " if number == len(arguments) - 1 else ", "


def _differences(model: Factorization, method: str) -> dict[str, Any]:
    """Return the settings of a fit that a method has too, and has otherwise; arrays cannot be typed."""
    entry = METHODS[method]
    usual = registry.estimator_class(entry["class"])(**entry["settings"]).get_params()
    names = [name for name in registry.settings_of(entry["class"]) if name not in LEFT_TO_THE_SAMPLER]
    settings = {name: _fitted_value(model, name) for name in names if hasattr(model, name)}
    return {
        name: value
        for name, value in settings.items()
        if isinstance(value, str | int | float) and not _is_same(value, usual[name])
    }


def _is_same(value: Any, usual: Any) -> bool:
    return isinstance(usual, str | int | float) and value == usual


def _fitted_value(model: Factorization, name: str) -> Any:
    """Return the value of a parameter, or what was found where the fit had to find it."""
    value = getattr(model, name)
    return getattr(model, f"{name}_", value) if isinstance(value, str) and value == AUTO else value
