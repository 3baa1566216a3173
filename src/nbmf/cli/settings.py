"""From the arguments of the command line to the arguments of a method."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from nbmf import registry
from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError, Message, Setting, TooManyComponentsWarning, choices

KEPT = 0.2  # of a sampler's sweeps, as in the paper: 4000 of burn-in, 1000 kept


def iteration_settings(class_name: str, iterations: int | None) -> dict[str, int]:
    """Return the settings for so many iterations, or sweeps with their burn-in."""
    if iterations is None:
        return {}
    kept = max(1, round(KEPT * iterations))
    return registry.length_settings(class_name, iterations - kept, kept)


def checked(class_name: str, given: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the settings of --set, their names checked."""
    allowed = registry.settings_of(class_name)
    settings = registry.estimator_class(class_name).by_current_names(dict(given))
    for name in settings:
        if name not in allowed:
            raise ConfigError(f"--set {name}: {class_name} has no such setting; {choices(name, allowed)}")
    return settings


def refuse_repeated_names(names: Sequence[str] | None) -> None:
    """Raise ConfigError if two components are to have the same name."""
    repeated = [name for name in names or () if names.count(name) > 1]
    if repeated:
        raise ConfigError(Setting("names", names), f": {repeated[0]!r} is there twice")


def warn_of_many_components(numbers: Iterable[int | str | None], matrix: NamedMatrix) -> None:
    """Warn if more components are asked for than rows, or columns, can differ in."""
    most = min(matrix.shape)
    if asked := [K for K in numbers if isinstance(K, int) and most < K]:
        rows, columns = matrix.shape
        many = f": {rows} rows x {columns} columns can differ in {most} at most, so that the others describe nothing"
        warnings.warn(Message(Setting("n_components", asked[0]), many), TooManyComponentsWarning, stacklevel=2)
