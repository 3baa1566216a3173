"""What each constructor parameter may be: one name, one meaning, one check for all methods."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbmf.errors import ConfigError


class Rule(NamedTuple):
    """A check and the words that say what it allows."""

    holds: Callable[[Any], bool]
    allowed: str


def _is_integer(value) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def _is_number(value) -> bool:
    return _is_integer(value) or isinstance(value, float | np.floating)


# Wide enough for any prior a person means, narrow enough for single precision.
SMALLEST, LARGEST = 1e-6, 1e6


def _is_concentration(value) -> bool:
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return len(value) > 0 and all(_is_number(item) and _in_range(item) for item in value)
    return _is_number(value) and _in_range(value)


def _in_range(number) -> bool:
    return SMALLEST <= number <= LARGEST


_AT_LEAST_ONE = Rule(lambda value: _is_integer(value) and value >= 1, "an integer of at least 1")
_AT_LEAST_ZERO = Rule(lambda value: _is_integer(value) and value >= 0, "an integer of at least 0")
_CONCENTRATION = Rule(_is_concentration, "a number from 1e-6 to 1e6, or one per component")
_PER_K = Rule(
    lambda value: value == "1/K" if isinstance(value, str) else _is_concentration(value),
    "a number from 1e-6 to 1e6, one per component, or the text 1/K",
)

CONCENTRATIONS = ("alpha", "beta", "gamma", "eta")

RULES = {
    "n_components": _AT_LEAST_ONE,
    "alpha": _CONCENTRATION,
    "beta": _CONCENTRATION,
    "gamma": _PER_K,
    "eta": _PER_K,
    "max_memory_gb": Rule(
        lambda value: _is_number(value) and 0 < value < np.inf, "a positive number"
    ),
    "max_iter": _AT_LEAST_ONE,
    "burn_in": _AT_LEAST_ZERO,
    "n_samples": _AT_LEAST_ONE,
    "threads": _AT_LEAST_ONE,
    "tol": Rule(lambda value: _is_number(value) and 0 <= value < np.inf, "a number of at least 0"),
    "scheme": Rule(
        lambda value: isinstance(value, str) and value in ("joint", "alternating"),
        "joint or alternating",
    ),
    "start": Rule(
        lambda value: isinstance(value, str) and value in ("random", "mean-field"),
        "random or mean-field",
    ),
    "random_state": Rule(
        lambda value: (
            value is None
            or (_is_integer(value) and value >= 0)
            or isinstance(value, np.random.SeedSequence)
        ),
        "None, an integer of at least 0, or a numpy SeedSequence",
    ),
}


def check(name: str, value: Any) -> None:
    """Raise ConfigError if `value` is not allowed for `name`; names without a rule are free."""
    if name in RULES and not RULES[name].holds(value):
        raise ConfigError(f"{name} = {value!r}: allowed is {RULES[name].allowed}")


def check_count(name: str, value: Any, least: int) -> None:
    """Raise ConfigError if `value` is no integer of at least `least`."""
    if not _is_integer(value) or value < least:
        raise ConfigError(f"{name} = {value!r}: allowed is an integer of at least {least}")


def per_component(name: str, value: Any, K: int) -> np.ndarray:
    """Return a concentration as array (K,); the text "1/K" means 1/K for each component."""
    concentration = np.asarray(1 / K if isinstance(value, str) else value, dtype=float)
    if concentration.shape not in ((), (K,)):
        raise ConfigError(
            f"{name} has shape {concentration.shape}: allowed is a number or one per component, {K}"
        )
    return np.broadcast_to(concentration, K).copy()
