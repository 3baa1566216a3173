"""Words that several reports share."""

from collections.abc import Mapping
from typing import Any

# How counts are scored, by the name of the likelihood.
SCORED_BY = {
    "poisson": "scored by the Poisson law of the mean predicted",
    "negative-binomial": "scored by the negative binomial law predicted",
}


def listed(settings: Mapping[str, Any]) -> str:
    """Return "name = value, ..." of the settings of a method; the seed is in the command."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items() if name != "random_state")
