"""Effects of rows and columns, which components add to: as tables and in words."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization
from nbmf.posterior.draws import Draws

# From the lines that have them to the attribute of a fit, and to the name among its draws.
ATTRIBUTES = {"row": "row_effects_", "column": "column_effects_"}
DRAWN = {"row": "row effects", "column": "column effects"}
FILES = {line: f"{line}_effects.csv" for line in ATTRIBUTES}


def effects_of(model: Factorization) -> dict[str, np.ndarray]:
    """Return the effects that a model has, of "row" (F,) or of "column" (N,)."""
    found = {line: getattr(model, name, None) for line, name in ATTRIBUTES.items()}
    return {line: values for line, values in found.items() if values is not None and values.any()}


def effect_intervals(draws: Draws, level: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return (lower, upper) of the effects that draws have, under their names among those."""
    return {name: draws.other_interval(name, level) for name in DRAWN.values() if name in draws[0].others}


def tables(matrix: NamedMatrix, fitted) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the file and the table of each kind of effects; `fitted` is a nbmf.cli.fit.Fitted."""
    for line, values in effects_of(fitted.model).items():
        table = pd.DataFrame({line: names_of(matrix, line), "effect": values})
        if (interval := fitted.intervals.get(DRAWN[line])) is not None:
            table["lower"], table["upper"] = interval
        yield FILES[line], table


def names_of(matrix: NamedMatrix, line: str) -> np.ndarray:
    """Return the names of the lines."""
    return matrix.row_names if line == "row" else matrix.column_names
