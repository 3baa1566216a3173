"""A fit and all that is reported about it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import NamedMatrix, has_same_names
from nbmf.errors import NotSupportedError
from nbmf.evaluation.verdict import Verdict
from nbmf.inference.component_search import ComponentSearch
from nbmf.inference.declarations import CLASS_SIZES, Inference
from nbmf.inference.estimator import Factorization
from nbmf.posterior.components import Components
from nbmf.posterior.draws import Draws
from nbmf.posterior.scale import Scale, scale_of
from nbmf.posterior.scale_axes import has_scale

if TYPE_CHECKING:
    from nbmf.posterior.chains import Chains
    from nbmf.stacking.estimator import Stacking

# From the axis whose effects components add to, to the attribute of a fit and to the name among its draws.
EFFECTS = {"row": "row_effects_", "column": "column_effects_"}
DRAWN_EFFECTS = {"row": "row effects", "column": "column effects"}


@dataclass(frozen=True, eq=False)
class ReportedFit:
    """A fit and all that is reported about it.

    name : str, of the data
    matrix : BinaryMatrix, CountMatrix or SparseBinaryMatrix, the data
    model : the best chain or start, `Chains.best`
    components : Components of the model
    expectation : float array (F, N), E[V]; of a sampler the mean over its chains; of an undirected network that of both
        entries of a pair; None of a large sparse matrix
    seconds : float
    chains : all of them; None where there was a single one
    draws : of all chains; None if not asked for
    intervals : dict from "expectation", where components can be matched "W" and "H", CLASS_SIZES and the names of
        effects to (lower, upper); empty without draws
    verdict : Verdict or None, if it was not asked for
    column_groups : str array (N,) or None, besides those of rows that the matrix has
    other_view : ReportedFit or None, a fit that shows the same matrix in another way and predicts as well
    component_search : ComponentSearch or None, how K was found, if it was searched for
    stack : Stacking or None, the mixture of methods that predicts better than the model, if there is one
    high : sequence of str, rows at the high ends of the first axes
    """

    name: str
    matrix: NamedMatrix
    model: Factorization
    components: Components
    expectation: np.ndarray | None
    seconds: float
    chains: Chains | None = None
    draws: Draws | None = None
    intervals: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)
    verdict: Verdict | None = None
    column_groups: np.ndarray | None = None
    other_view: ReportedFit | None = None
    component_search: ComponentSearch | None = None
    stack: Stacking | None = None
    high: Sequence[str] = ()

    @property
    def shows_components(self) -> bool:
        """Whether components are worth showing: if there is structure that they predict, or nobody asked."""
        return self.verdict is None or self.verdict.is_predicted

    @functools.cached_property
    def scale(self) -> Scale | None:
        """The axes along which rows lie, of a model that has any."""
        if self.matrix.dense is not None or not has_scale(self.model):
            return None
        chains = 1 if self.chains is None else len(self.chains.estimators)
        kept = {"draws": self.draws, "chains": chains, "expectation": self.expectation, "high": self.high}
        return replace(scale_of(self.model, self.matrix, **kept), given=self.components.given)

    def coordinates(self, axis: int) -> np.ndarray | None:
        """Return where rows (axis 0) or columns (1) are on the axes that are shown of a scale; None without one.

        They are positions (F, A), or discriminations (N, A).
        """
        if self.scale is None:
            return None
        return (self.scale.discrimination if axis else self.scale.positions)[:, : self.scale.kept]

    @functools.cached_property
    def missing_entries(self) -> np.ndarray:
        """Which entries of a matrix that is kept with its zeros are missing, bool array (F, N).

        Ties of the nodes of a network to themselves are not, if none of them is observed: there may be no such thing.
        """
        missing = ~self.matrix.observed
        if has_same_names(self.matrix) and missing.diagonal().all():
            np.fill_diagonal(missing, False)
        return missing

    @property
    def n_missing(self) -> int:
        """How many `missing_entries` there are; of a large sparse matrix all that are missing."""
        if self.matrix.dense is not None:
            return self.matrix.counts()["missing"]
        return int(np.count_nonzero(self.missing_entries))

    @property
    def lowest(self) -> int:
        """The number of what E[V] calls 0: of the lowest of ordered categories, see CategoryMatrix."""
        return getattr(self.matrix, "lowest", 0)

    @property
    def is_sampled(self) -> bool:
        """Whether the method is a sampler."""
        return self.model.inference is Inference.SAMPLER

    def effects(self) -> dict[str, np.ndarray]:
        """Return the effects that the model has, of "row" (F,) or of "column" (N,)."""
        values = {axis: getattr(self.model, name, None) for axis, name in EFFECTS.items()}
        return {axis: each for axis, each in values.items() if each is not None and each.any()}

    def interval_of(self, factor: str, number: int) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the interval of W (F,) or H (N,) of a component that is shown, None if it is unknown.

        Of components that are merged it is: their intervals say nothing of their sum.
        """
        places = self.components.members[number]
        if factor not in self.intervals or len(places) > 1:
            return None
        lower, upper = (end if factor == "W" else end.T for end in self.intervals[factor])
        return lower[:, places[0]], upper[:, places[0]]

    def size_interval(self, number: int) -> tuple[float, float] | None:
        """Return the interval of the size of a latent class that is shown, None if it is unknown, as `interval_of`."""
        places = self.components.members[number]
        if CLASS_SIZES not in self.intervals or len(places) > 1:
            return None
        lower, upper = self.intervals[CLASS_SIZES]
        return float(lower[places[0]]), float(upper[places[0]])

    def means(self, axis: str, among: np.ndarray | slice = slice(None), fewest: int = 1) -> np.ndarray | None:
        """Return the proportion of ones of each "row" (F,) or "column" (N,), None unless the matrix is binary.

        Of a row among some columns, of a column among some rows; NaN where fewer than `fewest` entries are observed.
        """
        if not isinstance(self.matrix, BinaryMatrix):
            return None
        codes = (self.matrix.codes if axis == "column" else self.matrix.codes.T)[among]
        observed, ones = (np.count_nonzero(x, axis=0) for x in (codes != MISSING, codes == 1))
        return np.where(observed >= fewest, ones / np.maximum(observed, 1), np.nan)

    def names(self, axis: str) -> np.ndarray:
        """Return the names along "row" or "column"."""
        return self.matrix.row_names if axis == "row" else self.matrix.column_names


def credible_intervals(
    draws: Draws | None, level: float, of_ties: bool = False
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the credible intervals that `ReportedFit.intervals` describes; `of_ties` as of `expectation_interval`."""
    if draws is None:
        return {}
    intervals = {"expectation": draws.expectation_interval(level, of_ties=of_ties)}
    with contextlib.suppress(NotSupportedError):  # where components cannot be matched
        intervals |= {"W": draws.dictionary_interval(level), "H": draws.activation_interval(level)}
    named = (name for name in (*DRAWN_EFFECTS.values(), CLASS_SIZES) if name in draws[0].others)
    return intervals | {name: draws.other_interval(name, level) for name in named}
