"""The parameters of this family alone: concentrations of Beta and Dirichlet priors, starts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.inference.parameters import AUTO, TRUE_OR_FALSE, Rule, is_number, one_of
from nbmf.inference.parameters import RULES as SHARED
from nbmf.inference.products import COLUMNS, ROWS

# Wide enough for any prior a person means, narrow enough for single precision.
SMALLEST, LARGEST = 1e-6, 1e6

PER_K = "1/K"  # a prior with which the data choose how many of K components are used (4.4)
# Values of hyperparameters that the fit learns (docs/priors.md): one number; a mean per column and
# one strength (of alpha and beta, together); a number per component (of gamma or eta).
LEARN, PER_COLUMN, ASYMMETRIC = "learn", "learn-columns", "learn-asymmetric"


Concentration = float | Sequence[float] | np.ndarray | str


def _is_concentration(value: Any) -> bool:
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return len(value) > 0 and all(is_number(item) and _is_in_range(item) for item in value)
    return is_number(value) and _is_in_range(value)


def _is_in_range(number: float) -> bool:
    return SMALLEST <= number <= LARGEST


def concentration(*texts: str) -> Rule:
    """Return the rule for numbers, one or one per component, or one of some texts."""
    words = ["a number from 1e-6 to 1e6", "one per component", *(f"the text {t}" for t in texts)]
    return Rule(
        lambda value: value in texts if isinstance(value, str) else _is_concentration(value),
        f"{', '.join(words[:-1])}, or {words[-1]}",
    )


CONCENTRATIONS = {
    "alpha": concentration(LEARN, PER_COLUMN),
    "beta": concentration(LEARN, PER_COLUMN),
    "gamma": concentration(PER_K, LEARN, ASYMMETRIC),
    "eta": concentration(PER_K, LEARN, ASYMMETRIC),
}
# The sides of V that may have the weights; "auto" lets held-out entries choose.
# Under CVB0 no step for these has been found that does not run away (docs/priors.md).
NOT_LEARNED = {"gamma": concentration(PER_K), "eta": concentration(PER_K)}

RULES = (
    SHARED
    | CONCENTRATIONS
    | {
        "scheme": one_of("joint", "alternating"),
        "start": one_of("random", "mean-field"),
        "block_moves": TRUE_OR_FALSE,
        "orientation": one_of(ROWS, COLUMNS, AUTO),
    }
)


def is_text(value: Any, *texts: str) -> bool:
    """Whether a parameter is one of some texts: arrays are not compared with texts."""
    return isinstance(value, str) and value in texts


def per_component(name: str, value: Any, K: int) -> np.ndarray:
    """Return a concentration as array (K,).

    The text "1/K" means 1/K for each component, where learning of gamma and eta starts as well.
    """
    numbers = np.asarray(1 / K if isinstance(value, str) else value, dtype=float)
    if numbers.shape not in ((), (K,)):
        raise ConfigError(Setting(name), f" has shape {numbers.shape}: must be a number or one per component, {K}")
    return np.broadcast_to(numbers, K).copy()
