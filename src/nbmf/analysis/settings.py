"""From what is asked of an analysis to the arguments of a method."""

from collections.abc import Iterable, Mapping
from typing import Any

from nbmf import registry
from nbmf.catalogue import METHODS, usual_components
from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError, Message, Setting, TooManyComponentsWarning, choices, warn
from nbmf.inference.estimator import Factorization
from nbmf.inference.stopping import MeanChangeBelow

KEPT = 0.2  # of a sampler's sweeps, as in the paper: 4000 of burn-in, 1000 kept
MEAN_CHANGE = 1e-4  # of E[V] in ten iterations, below which variational methods of Beta-Dir and its kin stop


def configured_estimator(
    method: str,
    *,
    seed: int,
    iterations: int | None = None,
    components: int | str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Factorization:
    """Return a method with what is asked of it, not fitted."""
    entry = METHODS[method]
    given = dict(entry["settings"])
    given |= iteration_settings(entry["class"], iterations)
    given |= current_settings(entry["class"], settings or {})
    if MeanChangeBelow.parameter in registry.settings_of(entry["class"]):
        given.setdefault(MeanChangeBelow.parameter, MEAN_CHANGE)
    return registry.make_estimator(entry["class"], components or usual_components(method), given, random_state=seed)


def iteration_settings(class_name: str, iterations: int | None) -> dict[str, int]:
    """Return the settings for so many iterations, or sweeps with their burn-in."""
    if iterations is None:
        return {}
    kept = max(1, round(KEPT * iterations))
    return registry.length_settings(class_name, iterations - kept, kept)


def current_settings(class_name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a class by the names they have today; ConfigError for one that it has not."""
    allowed = registry.settings_of(class_name)
    settings = registry.estimator_class(class_name).by_current_names(given)
    for name, value in settings.items():
        if name not in allowed:
            raise ConfigError(Setting(name, value), f": {class_name} has no such setting; {choices(name, allowed)}")
    return settings


def warn_of_many_components(numbers: Iterable[int | str | None], matrix: NamedMatrix) -> None:
    """Warn if more components are asked for than rows, or columns, can differ in."""
    most = min(matrix.shape)
    if asked := [K for K in numbers if isinstance(K, int) and most < K]:
        rows, columns = matrix.shape
        many = f": {rows} rows x {columns} columns can differ in {most} at most, so that the others describe nothing"
        warn(Message(Setting("n_components", asked[0]), many), TooManyComponentsWarning)
