"""Rows and columns of a fit to be looked up: where each is, with intervals, and which are nearest to it."""

from collections.abc import Iterator, Sequence

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import has_same_names
from nbmf.errors import Message, Setting
from nbmf.inference.estimator import Factorization
from nbmf.posterior.nearest import (
    Nearest,
    nearest_columns,
    nearest_columns_by_rates,
    nearest_rows,
    nearest_rows_by_rates,
)
from nbmf.posterior.scale import Scale
from nbmf.posterior.scale_axes import remove_row_effects
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.model import Lookup, Measure
from nbmf.reporting.sampler_advice import listed_arguments, sampler_arguments
from nbmf.reporting.wording import Wording

MOST = 10_000  # rows, or columns, that can be looked up
WORK = 2e10  # multiplications of the search for nearest ones, some seconds
MOST_COMPONENTS = 12  # that are listed for each
BYTES = 1_000_000  # of a page for each of both
PER_NUMBER, PER_NEIGHBOUR, NEIGHBOURS = 6, 12, 5  # bytes, and of so many
LEVEL = 0.9


def make_lookups(result: ReportedFit, wording: Wording) -> Iterator[Lookup]:
    """Yield rows and columns; of an undirected network, in which they are the same, those that have memberships."""
    model, matrix = result.model, result.matrix
    if matrix.dense is None and has_same_names(matrix) and matrix.is_symmetric():
        yield _lookup("column" if model.distributions == {"H"} else "row", result, wording)
        return
    yield _lookup("row", result, wording)
    yield _lookup("column", result, wording)


def _lookup(kind: str, result: ReportedFit, wording: Wording) -> Lookup:
    axis, names = ("row", "column").index(kind), result.names(kind)
    measures, sentences = _measures(kind, result, wording)
    across = result.matrix.shape[1 - axis] if result.expectation is not None else result.model.n_components_
    chosen = select_for_lookup(names, measures, across)
    near = _nearest(kind, result, chosen)
    groups = result.column_groups if axis else result.matrix.row_groups
    return Lookup(
        noun=kind,
        names=names[chosen],
        total=len(names),
        measures=[measure.take(chosen) for measure in measures],
        sentences=[*sentences, *_nearness_sentence(kind, result)],
        places=chosen,
        nearest=near.places,
        distances=near.values,
        distance="correlation" if axis else "difference",
        components=result.scale is None,
        groups=None if groups is None else groups[chosen],
    )


def select_for_lookup(names: Sequence[str], measures: Sequence[Measure], across: int) -> np.ndarray:
    """Return the rows or columns that can be looked up, in their order: all, or as many as a page has room for.

    These are of each measure in turn the ones with its largest values. `across` is how many numbers each has in the
    search for nearest ones, which has to end soon, too.
    """
    from jinja2.utils import htmlsafe_json_dumps  # where nothing is looked up, nothing of a page is loaded

    numbers = sum(1 + 2 * (measure.lower is not None) for measure in measures)
    length = sum(len(htmlsafe_json_dumps(str(name))) for name in names) / max(len(names), 1)
    size = length + PER_NUMBER * numbers + PER_NEIGHBOUR * NEIGHBOURS
    count = min(MOST, int(BYTES / size), int(np.sqrt(WORK / max(across, 1))))
    if len(names) <= count:
        return np.arange(len(names))
    ranks = np.column_stack([np.argsort(np.argsort(-np.abs(each.values), kind="stable")) for each in measures])
    return np.sort(np.argsort(ranks.min(axis=1), kind="stable")[:count])


def _measures(kind: str, result: ReportedFit, wording: Wording) -> tuple[list[Measure], list[str]]:
    """Return what is reported about each row or column, and the sentences that introduce it."""
    if result.scale is not None:
        return _scale_measures(kind, result.scale)
    return _component_measures(kind, result, wording)


def _scale_measures(kind: str, scale: Scale) -> tuple[list[Measure], list[str]]:
    kept, names = scale.kept, scale.names
    if kind == "row":
        return [Measure(names[a], scale.positions[:, a], scale.lower[:, a], scale.upper[:, a]) for a in range(kept)], [
            f"Where a row is: its position on {_axes_phrase(kept)}, with {scale.level:.0%} intervals "
            f"({scale.interval_kind})."
        ]
    measures = []
    for a, name in enumerate(names[:kept]):
        on = f" on {name}" if kept > 1 else ""
        what = f"{'slope' if scale.has_counts else 'discrimination'}{on}"
        measures.append(Measure(what, scale.discrimination[:, a], *_ends(scale.discrimination_ends, a)))
        what, is_share = ("mean category", False) if scale.categories else ("ones", True)
        if scale.has_counts:
            what, is_share = "expected count", False
        for end, means in (("low", scale.low), ("high", scale.high)):
            measures.append(Measure(f"{what} at the {end} end{on}", means[:, a] + scale.lowest, is_share=is_share))
    if scale.has_counts:
        measures.append(Measure("level", scale.levels))
    else:
        measures.append(Measure("difficulty", scale.difficulty, *_ends(scale.difficulty_ends)))
    ends = f"the {scale.n_end} lowest and the {scale.n_end} highest rows" if scale.n_end > 1 else "the outermost rows"
    if scale.has_counts:
        return measures, [
            "Where a column is: its slope (by how much the logarithm of an expected count rises with the position), "
            f"its level (what is expected at position 0), and the mean expected count in {ends}, all in rows of "
            "average effect."
        ]
    if scale.categories:
        return measures, [
            "Where a column is: its discrimination (by how much the log-odds of a higher category rise with the "
            "position), its difficulty (the mean of its thresholds), and the mean predicted category in "
            f"{ends}, counted from {scale.lowest}."
        ]
    return measures, [
        "Where a column is: its discrimination (by how much the log-odds of a one rise with the position), its "
        "difficulty (minus the log-odds of a one at position 0), and the mean predicted probability of a one in "
        f"{ends}."
    ]


def _ends(intervals: np.ndarray | None, *place: int) -> tuple[np.ndarray, ...]:
    """Return the lower and upper ends (N,) of intervals (N, ..., 2), of one axis if there are several; () of None."""
    return () if intervals is None else tuple(np.moveaxis(intervals[(slice(None), *place)], -1, 0))


def _axes_phrase(kept: int) -> str:
    return "the axis" if kept == 1 else f"each of the {kept} axes"


def _component_measures(kind: str, result: ReportedFit, wording: Wording) -> tuple[list[Measure], list[str]]:
    components, (factor, axis) = result.components, (("W", 0) if kind == "row" else ("H", 1))
    model, count = components.model, min(components.active, MOST_COMPONENTS)
    weights = model.W_ if axis == 0 else model.H_.T
    is_share = factor in model.probabilities | model.distributions
    ends, how = _component_intervals(kind, result, count, wording)
    measures = [
        Measure(name, weights[:, k], *ends[k], is_share=is_share) for k, name in enumerate(components.names()[:count])
    ]
    more = f", the first {count} of {components.active}" if count < components.active else ""
    return measures, [f"Where a {kind} is: {model.meanings[axis]} ({factor}), for each component{more}{how}."]


def _component_intervals(kind: str, result: ReportedFit, count: int, wording: Wording) -> tuple[list[tuple], str]:
    """Return the ends of each component, (None, None) where they are unknown, and the sentences about them."""
    factor = "W" if kind == "row" else "H"
    if factor in result.intervals:
        ends = [result.interval_of(factor, k) or (None, None) for k in range(count)]
        return ends, f", with {LEVEL:.0%} intervals from draws where the component is the same in all of them"
    return [(None, None)] * count, wording.render(_interval_advice(result.model))


def _interval_advice(model: Factorization) -> str:
    """Return the arguments with which there are intervals, "" where there are no draws, or none that can be matched."""
    sampler = sampler_arguments(model)
    is_drawn = bool(sampler) or model.has_posterior
    if not (is_drawn and model.distributions | model.probabilities):
        return ""
    return Message(f"; {LEVEL:.0%} intervals come with ", *listed_arguments([*sampler, Setting("n_draws", 200)]))


def _nearest(kind: str, result: ReportedFit, chosen: np.ndarray) -> Nearest:
    """Return the nearest ones among those that can be looked up."""
    if result.expectation is None:  # of a large sparse matrix
        model = result.components.model
        if kind == "row":
            return nearest_rows_by_rates(model.W_[chosen], model.H_.T)
        return nearest_columns_by_rates(model.W_, model.H_.T[chosen])
    expected = result.expectation
    if result.scale is not None and result.scale.has_counts:
        expected = remove_row_effects(expected, result.model.factors_)
    if kind == "row":
        return nearest_rows(expected[chosen])
    return nearest_columns(expected[:, chosen])


def _nearness_sentence(kind: str, result: ReportedFit) -> Iterator[str]:
    """Yield how nearness is computed."""
    kinds = {BinaryMatrix: "probabilities", CountMatrix: "counts", CategoryMatrix: "mean categories"}
    what = kinds.get(type(result.matrix), "values")
    if result.expectation is None:
        what = "rates W H"
    if result.scale is not None and result.scale.has_counts and result.scale.has_row_effects:
        what = "counts in rows of average effect"
    if kind == "row":
        same = "; 0 where the same is predicted for both" + ("" if what != "probabilities" else ", at most 1")
        yield (
            f"Nearest are the rows for which the fit predicts nearly the same: by the difference of their predicted "
            f"{what}, its root mean square over all columns{same}."
        )
    else:
        yield (
            f"Nearest are the columns whose predicted {what} rise and fall together: by their correlation over all "
            "rows; 1 where they do so exactly. Opposite columns are not near."
        )
