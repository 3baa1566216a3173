"""What each component holds and says, in words, for the summary and the report."""

from typing import NamedTuple

import numpy as np

from nbmf.cli.effects import DRAWN, effects_of, names_of
from nbmf.data.named import NamedMatrix
from nbmf.inference.estimator import Factorization
from nbmf.plotting.labelled_factor import contrast
from nbmf.posterior.components import Components

NAMED = 6  # rows and columns of a component
AT_LEAST = 0.1  # of the largest weight, for a row or a column to be named
STEADY = 0.8  # overlap of a component over draws below which its intervals mean little


class Described(NamedTuple):
    """A component, or effects, in words.

    title : str, its number and its weight
    lines : list of (label, text), such as ("columns +", "x 0.90, y 0.85")
    """

    title: str
    lines: list[tuple[str, str]]


def key_of(model: Factorization) -> str:
    """Return how to read the lines of the components."""
    of_W, of_H = model.meanings
    if _has_signs(model):
        return f"rows (W), columns (H): {of_W}, the largest (+) and the smallest (-)"
    return (
        f"rows: {of_W} (W); columns: {of_H} (H); of {_contrasted(model)} + where it is most above "
        "that of the other components, - where most below"
    )


def describe_effects(matrix: NamedMatrix, fitted) -> list[Described]:
    """Return the effects that a fit has in words; `fitted` is a nbmf.cli.fit.Fitted."""
    found = []
    for line, values in effects_of(fitted.model).items():
        interval = fitted.intervals.get(DRAWN[line])
        side = _Side(names_of(matrix, line), values[:, None], 0, interval)
        signed = {"+": side.named(values), "-": side.named(-values)}
        lines = [(f"{line}s {sign}", text) for sign, text in signed.items() if text]
        found.append(Described(f"{line} effects, to which components add", lines))
    return found


def describe(number: int, matrix: NamedMatrix, fitted, components: Components) -> Described:
    """Return a component in words; `number` counts from 0, `fitted` is a nbmf.cli.fit.Fitted."""
    model, k = fitted.model, components.order[number]
    share = components.shares[number]
    title = f"component {number + 1}" + ("" if np.isnan(share) else f": {share:.0%} of the weight")
    if "W" in fitted.intervals and fitted.draws.alignment.overlap[k] < STEADY:
        title += " (not the same in all draws: its intervals mean little)"
    W, H = (fitted.intervals.get(name) for name in ("W", "H"))
    sides = {
        "rows": _Side(matrix.row_names, model.W_, k, W and (W[0][:, k], W[1][:, k])),
        "columns": _Side(matrix.column_names, model.H_.T, k, H and (H[0][k], H[1][k])),
    }
    lines = []
    for kind, side in sides.items():
        if _has_signs(model):
            signed = {"+": side.values, "-": -side.values}
            lines += [(f"{kind} {sign}", side.named(size)) for sign, size in signed.items()]
        elif kind == _contrasted(model):
            above = contrast(side.weights[:, components.shown])[:, number]
            lines += [(f"{kind} +", side.named(above)), (f"{kind} -", side.named(-above))]
        else:
            lines.append((kind, side.named(side.values)))
    return Described(title, [(label, text) for label, text in lines if text])


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
