"""What decides the outcome of a job, as one text.

Snakemake compares parameters by value, without their names: two hyperparameters that trade values
would go unnoticed. As text with their names they do not. Scripts read it with `json.loads`.
"""

import json
from typing import Any


def as_text(parameters: Any, *, keep_order: bool = False) -> str:
    """Return parameters as JSON.

    Parameters
    ----------
    parameters : dict, list, str, number, bool or None
        Nested as one likes.
    keep_order : bool
        Whether the order of keys is one of the parameters, as that of boxes and legends is.
        Otherwise keys are sorted: a configuration that names them in another order is the same.
    """
    return json.dumps(parameters, sort_keys=not keep_order)
