"""Experiments: fits that a study asks for besides those to its masks and to its whole matrices.

An experiment is a function of the plan that yields cases, each of them a fit like any other: one
key, one rule, one random stream. A case brings along what the configuration does not have: a
dataset that is drawn from a model, a method with other settings. `pipeline.configuration` merges
these into the configuration and checks them as what stands there.
"""

import re
from typing import Any, NamedTuple

from nbmf.fit_key import FitKey
from nbmf_studies import study_keys


class Case(NamedTuple):
    """One fit of an experiment.

    key : FitKey
    columns : dict, what tables say about it: where it stands in the experiment
    dataset, method : dict, the entries of the key's dataset and method; None where the configuration
        has them. What is measured of fits is said with the data, which may know their truth: by
        `observe` and `measure` of the entry, see nbmf.fits.FitRequest
    """

    key: FitKey
    columns: dict[str, Any]
    dataset: dict[str, Any] | None = None
    method: dict[str, Any] | None = None


def drawn_dataset(recipe: str, options: dict[str, Any], **looks: str) -> tuple[str, dict[str, Any]]:
    """Return name and entry of a dataset that a recipe of a study draws.

    All options are in its name: configurations share the folder of matrices, and none of them may
    draw another matrix of a name.

    Parameters
    ----------
    recipe : str
        A module, "nbmf_studies.<key>.<module>".
    options : dict
        What its `build` takes, in this order.
    **looks
        `observe` and `measure` of the entry.
    """
    parts = *recipe.split(".")[1:], *map(_name_part, options.values())
    return "-".join(parts), {"recipe": recipe, "options": options, **looks}


def origin(dataset: str) -> str:
    """Return which recipe drew a dataset, "<key>-<module>", from its name; of others the name."""
    first, _, rest = dataset.partition("-")
    return f"{first}-{rest.partition('-')[0]}" if first in study_keys() else dataset


def _name_part(value: Any) -> str:
    """Return a value as part of a file's name; 1 and 1.0 are the same number."""
    if isinstance(value, list):
        return "-".join(map(_name_part, value))
    return re.sub(r"[^\w.-]", "_", value if isinstance(value, str) else f"{value:.12g}")
