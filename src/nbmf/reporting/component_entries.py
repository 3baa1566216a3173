"""What each component of a fit holds and says, in words."""

from typing import NamedTuple

import numpy as np

from nbmf.inference.estimator import Factorization
from nbmf.plotting.labelled_factor import contrast
from nbmf.reporting.fit_result import DRAWN_EFFECTS, FitResult
from nbmf.reporting.model import Entry

NAMED = 6  # rows and columns of a component
AT_LEAST = 0.1  # of the largest weight, for a row or a column to be named
STEADY = 0.8  # overlap of a component over draws below which its intervals mean little


def key_of(model: Factorization) -> str:
    """Return how to read the lines of the components."""
    of_W, of_H = model.meanings
    if _has_signs(model):
        return f"rows (W), columns (H): {of_W}, the largest (+) and the smallest (-)"
    return (
        f"rows: {of_W} (W); columns: {of_H} (H); of {_contrasted(model)} + where it is most above "
        "that of the other components, - where most below"
    )


def effect_entries(result: FitResult) -> list[Entry]:
    """Return the effects of rows and columns, if the model has them."""
    entries = []
    for axis, values in result.effects().items():
        side = _Side(result.names(axis), values[:, None], 0, result.intervals.get(DRAWN_EFFECTS[axis]))
        lines = [(f"{axis}s +", side.named(values)), (f"{axis}s -", side.named(-values))]
        entries.append(_entry(f"{axis} effects, to which components add", lines))
    return entries


def component_entry(number: int, result: FitResult) -> Entry:
    """Return a component with its colour in the pictures; `number` counts from 0."""
    from nbmf.plotting import style  # loads Matplotlib

    model, components = result.model, result.components
    k, share = components.order[number], components.shares[number]
    W, H = result.intervals.get("W"), result.intervals.get("H")
    title = f"component {number + 1}" + ("" if np.isnan(share) else f": {share:.0%} of the weight")
    if W and result.draws.alignment.overlap[k] < STEADY:
        title += " (not the same in all draws: its intervals mean little)"
    sides = {
        "rows": _Side(result.matrix.row_names, model.W_, k, W and (W[0][:, k], W[1][:, k])),
        "columns": _Side(result.matrix.column_names, model.H_.T, k, H and (H[0][k], H[1][k])),
    }
    lines = []
    for axis, side in sides.items():
        if _has_signs(model):
            lines += [(f"{axis} +", side.named(side.values)), (f"{axis} -", side.named(-side.values))]
        elif axis == _contrasted(model):
            above = contrast(side.weights[:, components.shown])[:, number]
            lines += [(f"{axis} +", side.named(above)), (f"{axis} -", side.named(-above))]
        else:
            lines.append((axis, side.named(side.values)))
    return _entry(title, lines, style.colour_of_component(number))


def _entry(title: str, lines: list[tuple[str, str]], colour: str | None = None) -> Entry:
    """Return an entry without the lines that name nothing."""
    return Entry(title, [(label, text) for label, text in lines if text], colour)


def _has_signs(model: Factorization) -> bool:
    """Whether weights are negative as well; there may be no component at all."""
    return bool((model.W_ < 0).any())


def _contrasted(model: Factorization) -> str:
    """Return the side that says what a component means, by how it differs from the others."""
    return "rows" if model.probabilities == {"W"} else "columns"


class _Side(NamedTuple):
    """The rows or the columns, and what one component is to them.

    names : str array (n,)
    weights : float array (n, K), of all components
    k : int, the one
    interval : (lower, upper), float arrays (n,), or None
    """

    names: np.ndarray
    weights: np.ndarray
    k: int
    interval: tuple[np.ndarray, np.ndarray] | None

    @property
    def values(self) -> np.ndarray:
        """The weights of the component, float array (n,)."""
        return self.weights[:, self.k]

    def named(self, importance: np.ndarray) -> str:
        """Return the most important names with their values, "" if none is of any importance."""
        scale = float(abs(self.weights).max())
        order = np.argsort(-importance, kind="stable")[:NAMED]
        chosen = [i for i in order if importance[i] >= AT_LEAST * scale]
        return ", ".join(f"{self.names[i]} {self._value(i, scale)}" for i in chosen)

    def _value(self, i: int, scale: float) -> str:
        digits = 2 if scale > 0.5 else 3
        text = f"{self.values[i]:.{digits}f}"
        if self.interval is None:
            return text
        lower, upper = self.interval
        return f"{text} [{lower[i]:.{digits}f}, {upper[i]:.{digits}f}]"
