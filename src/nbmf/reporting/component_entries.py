"""What each component of a fit holds and says, in words."""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.numerics.percent import percent
from nbmf.plotting.labelled_factor import contrast
from nbmf.posterior.components import NEAR_MEANS, Components, profile_difference
from nbmf.reporting.fit_result import DRAWN_EFFECTS, ReportedFit
from nbmf.reporting.latent_classes import class_members
from nbmf.reporting.model import Entry
from nbmf.reporting.words import quote_if_ambiguous

AXES = {"rows": ("W", "row"), "columns": ("H", "column")}  # the factor of each, and what one of them is called
NAMED = 6  # rows and columns of a component
SUMS_CORRELATION = 0.8  # correlation of a component with the logarithms of the sums of rows, from which on it is said
LEAST_WEIGHT = 0.1  # of the largest weight, for a row or a column to be named
MEMBERS = 3  # observed entries of rows, or columns, that belong to a component, for a proportion of ones among them
PURE = 0.95  # share of a component from which on a row, or column, belongs to it alone
FLAT = 0.05  # between the largest and the smallest probability of a one, where none is worth a name
DIGITS = 2  # significant ones of the largest weight
INTERVALS_OF_CLASSES = (
    "Sizes of classes and probabilities are the mode (EM); 90% intervals in brackets are of the posterior around it, "
    "with the number of classes taken as known"
)
POINT_ESTIMATES = "Sizes of classes and probabilities of ones are point estimates (EM), without intervals"
STEADY = 0.8  # overlap of a component over draws below which its intervals mean little


def reading_key(components: Components, has_intervals: bool) -> str:
    """Return how to read the entries of the components."""
    model = components.model
    of_W, of_H = model.meanings
    if _has_signs(model):
        return f"rows (W), columns (H): {of_W}, the largest (+) and the smallest (-)"
    key = (
        f"rows: {of_W} (W); columns: {of_H} (H); of {_contrasted_axis(model)} + where it is most above "
        "the mean of the other components, - where most below"
    )
    axis, others = ("row", "columns") if _contrasted_axis(model) == "rows" else ("column", "rows")
    if model.probabilities and model.distributions:
        key += f"; its {others}: the proportion of ones of the {axis} in {others} that belong to the component more "
        key += f"than to others; all: in all {others}"
    elif model.probabilities:
        key += f"; all: the proportion of ones of the {axis} in all {others}"
    if model.has_classes and model.inference is Inference.POINT:
        return f"{key}. {INTERVALS_OF_CLASSES if has_intervals else POINT_ESTIMATES}"
    return key + _purity_note(components)


def _purity_note(components: Components) -> str:
    """Return whom the probabilities of a component are those of: nobody, where all are mixtures."""
    model = components.model
    if not (model.distributions and model.probabilities):
        return ""
    of_rows = model.distributions == {"W"}
    member, shares = ("row", model.W_.T) if of_rows else ("column", model.H_)
    largest = float(shares[: components.active].max(initial=0.0))
    text = f". Percentages of {'columns' if of_rows else 'rows'} are those of a {member} that belongs to it alone"
    return text if largest >= PURE else f"{text}; no {member} here does so by more than {percent(largest)}"


def effect_entries(result: ReportedFit) -> list[Entry]:
    """Return the effects of rows and columns, if the model has them and they are not told with a scale."""
    entries, to = [], "components"
    effects = result.effects()
    if result.scale is not None:  # which has the levels of columns, and rows' effects but for counts
        effects, to = {axis: effects[axis] for axis in effects if axis == "row" and result.scale.has_counts}, "axes"
    for axis, values in effects.items():
        side = _Side(result.names(axis), values[:, None], 0, result.intervals.get(DRAWN_EFFECTS[axis]))
        lines = [(f"{axis}s +", side.named(values)), (f"{axis}s -", side.named(-values))]
        entries.append(_entry(f"{axis} effects, to which {to} add", lines))
    return entries


def component_entry(number: int, result: ReportedFit) -> Entry:
    """Return a component with its colour in the pictures; `number` counts from 0."""
    from nbmf.plotting import style  # loads Matplotlib

    components = result.components
    sides = {axis: _make_side(axis, number, result) for axis in AXES}
    if components.intercepts[number]:
        title, lines = _describe_intercept(number, result, sides)
    else:
        title, lines = _title(number, result), _lines(number, result, sides)
    return _entry(title, lines, style.colour_of_component(number))


def _title(number: int, result: ReportedFit) -> str:
    """Return the number of a component and its share of the weight."""
    components = result.components
    title, share = components.title(number), components.own_shares[number]
    if not np.isnan(share):
        other = "other " if components.informative < components.active else ""
        whole = "all" if share == 1 else percent(share)
        is_class, ends = components.model.has_classes, result.size_interval(number)
        sure = "" if ends is None or share == 1 else f" [{percent(ends[0])}, {percent(ends[1])}]"
        title += f": {whole}{sure} of the {other}{class_members(components.model) if is_class else 'weight'}"
        title += ", a latent class" if is_class else ""
    if result.interval_of("W", number) and result.draws.alignment.overlap[components.order[number]] < STEADY:
        title += " (not the same in all draws: its intervals mean little)"
    return title


def _lines(number: int, result: ReportedFit, sides: dict[str, "_Side"]) -> list[tuple[str, str]]:
    """Return what is most typical of a component, and what is least."""
    components, lines = result.components, list(_sums_line(result, sides["rows"]))
    for axis, side in sides.items():
        if _has_signs(components.model):
            lines += [(f"{axis} +", side.named(side.values)), (f"{axis} -", side.named(-side.values))]
        elif axis == _contrasted_axis(components.model):
            above = contrast(side.weights[:, : components.active])[:, number]
            most, least = side.named(above), side.named(-above)
            nothing = side.nothing_special()
            if not (nothing or most or least):
                nothing = f"none stands out from the other components: {side.range()}"
            lines += [(axis, nothing)] if nothing else [(f"{axis} +", most), (f"{axis} -", least)]
        else:
            lines.append((axis, side.named(side.values)))
    return lines


def _sums_line(result: ReportedFit, rows: "_Side") -> Iterator[tuple[str, str]]:
    """Yield that a component of counts orders rows by how much was counted in them."""
    if not isinstance(result.matrix, CountMatrix) or result.matrix.dense is not None or np.ptp(rows.values) == 0:
        return
    sums = np.log1p(np.maximum(result.matrix.tallies, 0).sum(axis=1))
    if np.ptp(sums) > 0 and abs(r := np.corrcoef(rows.values, sums)[0, 1]) >= SUMS_CORRELATION:
        yield "sums", f"rows differ much as the logarithms of their sums do (r = {r:.2f}): by how much was counted"


def _describe_intercept(
    number: int, result: ReportedFit, sides: dict[str, "_Side"]
) -> tuple[str, list[tuple[str, str]]]:
    """Return title and lines of a component that sets nobody apart."""
    components = result.components
    axis, share = f"{components.intercepts[number]}s", components.shares[number]
    side, others = sides[axis], "columns" if axis == "rows" else "rows"
    of_weight = "" if np.isnan(share) else f" ({percent(share)} of all weight)"
    if side.is_flat:
        return (
            f"{result.components.title(number)}: alike for all rows and columns, with {side.range()} ones{of_weight}",
            [],
        )
    if side.means is None:  # what all of the others get from it, on average: a position has a sign
        side = side._replace(weights=side.weights * _other_side(sides, axis).values.mean(), interval=None)
    what = "how large values are" if isinstance(result.matrix, CountMatrix) else "how common ones are"
    on_one_side = f"nearly all {others} on one side"
    alike = on_one_side if side.means is None else f"nearly alike for all {others}"
    title = f"{result.components.title(number)}: {what} in each of the {axis}, {alike}{of_weight}"
    ordered = np.argsort(-side.values, kind="stable")
    return title, [("most", side.listed(ordered[:NAMED])), ("least", side.listed(ordered[::-1][:NAMED]))]


def _other_side(sides: dict[str, "_Side"], axis: str) -> "_Side":
    return sides["columns" if axis == "rows" else "rows"]


def _make_side(axis: str, number: int, result: ReportedFit) -> "_Side":
    """Return the "rows" or the "columns" with what a component is to them."""
    model, (factor, one) = result.components.model, AXES[axis]
    weights = model.W_ if factor == "W" else model.H_.T
    means = result.means(one) if factor in model.probabilities else None
    are_proportions = factor in model.probabilities | model.distributions
    names, interval = result.names(one), result.interval_of(factor, number)
    return _Side(names, weights, number, interval, means, are_proportions, _own_proportions(axis, number, result))


def _own_proportions(axis: str, number: int, result: ReportedFit) -> tuple[str, np.ndarray] | None:
    """Return the proportions of ones in what belongs to a component more than to others; None if that is little.

    Its probabilities are those of a row, or column, that belongs to it alone; few do, so that they are extremes.
    """
    model, others = result.components.model, "columns" if axis == "rows" else "rows"
    (factor, one), (shares, _) = AXES[axis], AXES[others]
    if factor not in model.probabilities or model.distributions != {shares}:
        return None
    shares = model.W_ if others == "rows" else model.H_.T
    members = shares[:, : result.components.active].argmax(axis=1) == number
    proportions = result.means(one, members, MEMBERS)
    return None if proportions is None else (f"its {others}", proportions)


def _entry(title: str, lines: list[tuple[str, str]], colour: str | None = None) -> Entry:
    """Return an entry without the lines that name nothing."""
    return Entry(title, [(label, text) for label, text in lines if text], colour)


def _has_signs(model: Factorization) -> bool:
    """Whether weights are negative as well; there may be no component at all."""
    return bool((model.W_ < 0).any())


def _contrasted_axis(model: Factorization) -> str:
    """Return the side that says what a component means, by how it differs from the others."""
    return "rows" if model.probabilities == {"W"} else "columns"


class _Side(NamedTuple):
    """The rows or the columns, and what one component is to them.

    names : str array (n,)
    weights : float array (n, K), of all components
    k : int, the one
    interval : (lower, upper), float arrays (n,), or None
    means : float array (n,) or None, the proportions of ones in all data; NaN where they are unknown
    are_proportions : bool, whether weights are shown in percent
    own_proportions : what the members of the component are called, and the proportions of ones among them (n,); or None
    """

    names: np.ndarray
    weights: np.ndarray
    k: int
    interval: tuple[np.ndarray, np.ndarray] | None
    means: np.ndarray | None = None
    are_proportions: bool = False
    own_proportions: tuple[str, np.ndarray] | None = None

    @property
    def values(self) -> np.ndarray:
        """The weights of the component, float array (n,)."""
        return self.weights[:, self.k]

    def named(self, importance: np.ndarray) -> str:
        """Return the most important names with their values, "" if none is of any importance."""
        order = np.argsort(-importance, kind="stable")[:NAMED]
        return self.listed([i for i in order if importance[i] >= LEAST_WEIGHT * abs(self.weights).max()])

    def listed(self, places: Iterable[int]) -> str:
        """Return names with their values, and with what is usual in all data where that is known."""
        return ", ".join(f"{quote_if_ambiguous(self.names[i])} {self._value(i)}" for i in places)

    def nothing_special(self) -> str:
        """Return why no name is worth telling: the probabilities are all the same, or those of all data; else ""."""
        if self.is_flat:
            return f"nearly the same for all, {self.range()}"
        if self.means is None or profile_difference(self.values, np.nan_to_num(self.means)) >= NEAR_MEANS:
            return ""
        away = float(np.nanmax(abs(self.values - self.means)))
        return "" if away >= FLAT else f"as common as in all of the data, to within {percent(away)}"

    @property
    def is_flat(self) -> bool:
        """Whether the probabilities of a one are nearly all the same."""
        if self.means is None or float(np.ptp(self.values)) >= FLAT:
            return False
        return bool(profile_difference(self.values, self.values.mean()) < NEAR_MEANS)  # of rare ones, too

    def range(self) -> str:
        """Return between what the values are."""
        return " to ".join(dict.fromkeys(self.written(value) for value in (self.values.min(), self.values.max())))

    def _value(self, i: int) -> str:
        text = self.written(self.values[i])
        if self.interval is not None:
            lower, upper = (end[i] for end in self.interval)  # a mean may be outside, where nearly all draws are 1
            ends = [self.written(end) for end in (min(lower, self.values[i]), max(upper, self.values[i]))]
            text += f" [{', '.join(ends)}]" * (set(ends) != {text})  # >99% [>99%, >99%] says nothing more
        usual = [] if self.own_proportions is None else [self.own_proportions]
        usual += [] if self.means is None else [("all", self.means)]
        told = [f"{whose}: {percent(proportions[i])}" for whose, proportions in usual if not np.isnan(proportions[i])]
        return f"{text} ({', '.join(told)})" if told else text

    def written(self, value: float) -> str:
        """Return a value in percent, or with two significant digits or those of a tenth of the largest."""
        if self.are_proportions:
            return percent(value)
        largest = float(abs(self.weights).max())
        if not largest > 0:
            return f"{value:.{DIGITS}f}"
        decimals = DIGITS - 1 - math.floor(math.log10(max(abs(value), largest / 10)))
        return f"{value:.{max(decimals, 0)}f}"
