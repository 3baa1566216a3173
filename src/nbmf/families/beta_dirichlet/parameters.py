"""The parameters of this family alone: concentrations of Beta and Dirichlet priors, starts."""

from typing import Any

import numpy as np

from nbmf.errors import ConfigError
from nbmf.inference.parameters import RULES as SHARED
from nbmf.inference.parameters import Rule, is_number, one_of

# Wide enough for any prior a person means, narrow enough for single precision.
SMALLEST, LARGEST = 1e-6, 1e6

PER_K = "1/K"  # a prior with which the data choose how many of K components are used (4.4)


def _is_concentration(value: Any) -> bool:
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return len(value) > 0 and all(is_number(item) and _in_range(item) for item in value)
    return is_number(value) and _in_range(value)


def _in_range(number: float) -> bool:
    return SMALLEST <= number <= LARGEST


_CONCENTRATION = Rule(_is_concentration, "a number from 1e-6 to 1e6, or one per component")
_OR_PER_K = Rule(
    lambda value: value == PER_K if isinstance(value, str) else _is_concentration(value),
    "a number from 1e-6 to 1e6, one per component, or the text 1/K",
)

CONCENTRATIONS = {
    "alpha": _CONCENTRATION,
    "beta": _CONCENTRATION,
    "gamma": _OR_PER_K,
    "eta": _OR_PER_K,
}

RULES = (
    SHARED
    | CONCENTRATIONS
    | {
        "scheme": one_of("joint", "alternating"),
        "start": one_of("random", "mean-field"),
    }
)


def per_component(name: str, value: Any, K: int) -> np.ndarray:
    """Return a concentration as array (K,); the text "1/K" means 1/K for each component."""
    concentration = np.asarray(1 / K if isinstance(value, str) else value, dtype=float)
    if concentration.shape not in ((), (K,)):
        raise ConfigError(
            f"{name} has shape {concentration.shape}: allowed is a number or one per component, {K}"
        )
    return np.broadcast_to(concentration, K).copy()
