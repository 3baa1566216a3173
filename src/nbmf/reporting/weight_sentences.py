"""What the report says about weights: components that are merged or intercepts, and what is in none that is shown."""

from collections.abc import Iterator

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.io.cells import count_phrase
from nbmf.numerics.percent import percent
from nbmf.posterior.components import NEAR, profile_difference
from nbmf.posterior.row_blocks import row_blocks
from nbmf.reporting.fit_result import ReportedFit
from nbmf.reporting.words import join_with_and, quote_if_ambiguous

REST = 0.05  # of the weight outside active components that is worth a word
NAMED = 3  # columns in which the rest differs most


def weight_sentences(result: ReportedFit) -> Iterator[str]:
    """Yield what the numbers of components hide."""
    if result.scale is None:  # whose axes are made of all components
        yield from _merged_components(result)
        yield from _inactive_weight(result)
    yield from _row_block_sentences(result)


def _merged_components(result: ReportedFit) -> Iterator[str]:
    """Yield which of the components that are shown are several of the fit."""
    components = result.components
    sizes = {number: len(places) for number, places in enumerate(components.members[: components.active], start=1)}
    several = [f"component {number} stands for {size}" for number, size in sizes.items() if size > 1]
    if several:
        merged = join_with_and(several)
        yield f"{merged} components of the fit with nearly the same probabilities (components.csv lists them)"


def _inactive_weight(result: ReportedFit) -> Iterator[str]:
    """Yield what is known of the weight in no component that is shown."""
    components = result.components
    rest = slice(components.active, None)
    shares, idle = components.shares[rest], components.idle[rest]
    if not components.active or not shares.sum() > REST:
        return
    count = sum(map(len, components.members[rest]))
    text = f"the other {percent(shares.sum())} of the weight is in {count_phrase(count, 'smaller component')}"
    if idle.sum() >= NEAR * shares.sum():
        text += f"; {percent(idle.sum())} is what the prior alone gives them"
    yield text + _inactive_profile(result, shares)


def _inactive_profile(result: ReportedFit, shares: np.ndarray) -> str:
    """Return how far the smaller components, together, differ from all rows; "" without probabilities."""
    components, profiles = result.components, result.components.profiles
    if profiles is None:
        return ""
    axis = "column" if "H" in components.model.probabilities else "row"
    everyone, names = result.means(axis), result.names(axis)
    known = ~np.isnan(everyone)
    mean = np.average(profiles[components.active :], axis=0, weights=shares)
    if profile_difference(mean[known], everyone[known]) < NEAR:
        return f"; together they say no more than how common each {axis} is"
    most = np.argsort(-np.where(known, np.abs(mean - everyone), -1), kind="stable")[:NAMED]
    named = ", ".join(f"{quote_if_ambiguous(names[i])} {percent(mean[i])} (all: {percent(everyone[i])})" for i in most)
    return f"; together they differ from all {'rows' if axis == 'column' else 'columns'} most in {named}"


def _row_block_sentences(result: ReportedFit) -> Iterator[str]:
    """Yield consecutive rows that a component consists of."""
    if not isinstance(result.matrix, BinaryMatrix):
        return
    names = result.matrix.row_names
    for block in row_blocks(result.components, result.matrix):
        ends = f"({names[block.first]!s} to {names[block.last]!s})"
        rows = f"rows {block.first + 1} to {block.last + 1} of the matrix {ends}"
        held = join_with_and(f"{percent(share)} of component {number + 1}" for number, share in block.held.items())
        if block.shift:
            side = "left" if block.shift > 0 else "right"
            weight = f" (they make up {held})" if held else ""
            yield (
                f"{rows} look like other rows once they are moved one column to the {side}: their columns may be "
                f"shifted{weight}"
            )
        else:
            yield f"{rows} make up {held}: if nothing is known to set them apart, look there for a fault of the file"
