"""What a scale of zeros and ones, of ordered categories and of counts is called, and when columns separate its ends."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nbmf.data.category_matrix import say_range
from nbmf.numerics.percent import percent
from nbmf.posterior.scale import Scale
from nbmf.reporting.words import join_with_and

APART = 0.2  # of the probability of a one, from which on a column separates the ends
TIMES, ADDED = 2.0, 0.1  # the ratio of expected counts, each with so much added, from which on one does
WHOLE, FEWEST = 10, 0.001  # counts from which on they are written as whole numbers, and below which as less than that


class ScaleWords(NamedTuple):
    """The words of a kind of scale.

    psi : str, what rows differ in
    at_ends, towards : str, in captions: what is drawn of columns at the ends, and what rows do where arrows lead
    mean_of_row : str, by which the entries of a row are summed up
    more : str, before "at high end": the columns that have more there
    numbers : str, what the numbers of columns are
    row_effects : str, what is said of the effects of rows, if several axes are kept
    none : str, what no column does
    least : float, the separation from which on a column separates the ends
    separation : function, of what is expected at one end and at the other
    text : function, from what is expected to its text
    """

    psi: str
    at_ends: str
    towards: str
    mean_of_row: str
    more: str
    numbers: str
    row_effects: str
    none: str
    least: float
    separation: Callable[[np.ndarray, np.ndarray], np.ndarray]
    text: Callable[[float], str]


def scale_words(scale: Scale) -> ScaleWords:
    """Return the words of a scale."""
    if scale.has_counts:
        return COUNTS
    return _category_words(scale) if scale.categories else ONES


def _ratio(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    return (here + ADDED) / (there + ADDED)


def _count(value: float) -> str:
    if value < FEWEST:
        return f"<{FEWEST:g}"
    return f"{value:,.0f}" if value >= WHOLE else f"{value:.2g}"


ONES = ScaleWords(
    psi="their log-odds",
    at_ends="the probability of a one at either end",
    towards="have a one",
    mean_of_row="proportion of ones",
    more="ones",
    numbers="percentages are mean predicted probabilities of a one (yes, present, right)",
    row_effects="how common ones are in a row is part of the axes: rows with many ones may lead on several of them",
    none=f"none separates the ends by {percent(APART)} or more",
    least=APART,
    separation=np.subtract,
    text=percent,
)
COUNTS = ScaleWords(
    psi="the logarithms of their expected counts",
    at_ends="the expected count at either end",
    towards="have more of a column",
    mean_of_row="the logarithms of their sums",
    more="more",
    numbers="numbers of columns are expected counts, in rows with an average effect",
    row_effects="how much was counted in a row is its effect, and no part of the axes",
    none=f"of none {TIMES:g} times as many are expected at one end as at the other",
    least=TIMES,
    separation=_ratio,
    text=_count,
)


def _category_words(scale: Scale) -> ScaleWords:
    steps, lowest = len(scale.categories) - 1, scale.lowest
    return ScaleWords(
        psi="their log-odds",
        at_ends="the mean category at either end",
        towards="are high",
        mean_of_row="mean category",
        more="higher",
        numbers=f"numbers of columns are mean predicted categories, from {say_range(lowest, scale.categories)}",
        row_effects=(
            "how high the answers of a row are is part of the axes: rows with high ones may lead on several of them"
        ),
        none=f"none separates the ends by {APART * steps:.2g} of a category or more",
        least=APART * steps,
        separation=np.subtract,
        text=lambda value: f"{lowest + value:.1f}",
    )


def which_end_is_high(scale: Scale) -> str:
    """Return which end of an axis is called high, by the rows that a person named or by convention."""
    chosen = [f"on axis {number} that of {name}" for number, name in enumerate(scale.high_rows[: scale.kept], 1)]
    end = f"the one towards which {_convention(scale)}"
    if not chosen:
        return f"which end is called high is a convention: {end}"
    others = [f"on the others {end}"] if len(chosen) < scale.kept else []
    return f"which end is called high was chosen: {join_with_and(chosen + others)}"


def _convention(scale: Scale) -> str:
    """Return what leads to the high end of an axis: slopes of counts sum to 0 where rows have effects."""
    if not scale.has_counts:
        return "discriminations sum to more than 0"
    return "the larger slopes lead" if scale.has_row_effects else "slopes sum to more than 0"
