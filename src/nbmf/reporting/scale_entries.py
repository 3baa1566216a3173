"""What the report says about a scale: where rows lie, what the ends of an axis say, and each column's parameters."""

from collections.abc import Iterator

import numpy as np

from nbmf.numerics.percent import percent
from nbmf.posterior.scale import Scale
from nbmf.posterior.scale_axes import MANY, NOISE, WEAK, WEAK_BUT_THERE
from nbmf.posterior.scale_intervals import typical_half_width
from nbmf.posterior.scale_shape import Shape
from nbmf.posterior.scale_tables import ALIKE, columns_are_alike, columns_to_list, has_location, shape_of_scale
from nbmf.reporting.component_entries import SUMS_CORRELATION
from nbmf.reporting.model import Block, Entry, Lines, Table
from nbmf.reporting.scale_words import ONES, scale_words, which_end_is_high
from nbmf.reporting.words import join_with_and, quote_if_ambiguous

NAMED = 8  # rows at an end
MIDDLE = 5  # rows in the middle
ARCH_ROWS = 4  # rows at either end of an arch, and in its middle
END_COLUMNS = 6  # columns that separate the ends of an axis
LISTED = 20  # columns in the table
MEANS_CORRELATION = (
    0.9  # rank correlation of positions with the means of rows, from which on an axis orders rows by these
)
SUMS_EXPLANATION = "by how much was counted, which effects of rows would take out"
NEGLIGIBLE = 0.05  # of the largest discrimination, up to which one of the other sign is none
EMPTY = "; empty where it would be more than three times as far out as any row"
TIED = 1e-3  # a difference of positions that is none
LIMITS = {
    WEAK: ("is weak next to the first", "are weak next to the first"),
    WEAK_BUT_THERE: (
        "is weak next to the first but above noise",
        "are weak next to the first, the strongest of them above noise",
    ),
    NOISE: ("cannot be distinguished from noise",) * 2,
    MANY: ("is not shown", "are not shown"),
}
FILES = (
    "positions.csv and columns.csv have the axes, W.csv, H.csv and components.csv what was fitted, before any rotation"
)
ROTATED = (
    "the axes are rotated by varimax, so that each column depends on as few of them as possible, and are kept "
    "uncorrelated: where two traits are correlated, part of one shows on the axis of the other, also in means of groups"
)
OBLIQUE = "the axes are rotated by quartimin, so that each column depends on hardly more than one; they correlate: "
NOT_ROTATED = "the axes are not rotated: varimax would not make columns depend on clearly fewer of them"
MONOTONE = "intervals presume that a column only rises or only falls along an axis"
GROUPS = (
    "rows lie in {} separate groups rather than spread along the axes (mean silhouette {:.2f}: 1 where groups are "
    "points, about 0.4 where rows are spread evenly)"
)
TWO_GROUPS = (
    "rows lie in two groups with few rows between them rather than spread along the axis (the density there is {} of "
    "that in the sparser group)"
)
BENT = (
    "the axes depend on each other: one direction follows the square of another (R² {:.2f}), as where rows lie along a "
    f"curve or in groups; {MONOTONE}"
)
ARCH = (
    "rows lie along an arch, or in three groups that overlap: one direction follows the square of another (R² {:.2f}), "
    f"as where species come and go again along one gradient; {MONOTONE}"
)
RING = (
    "rows lie on a ring (squared distances from its centre have {} of the variance that they have on scales which "
    "do not depend on each other), as where species come and go again along one long gradient, whose ends look alike, "
    f"or in a cycle; {MONOTONE}"
)
RASCH = "all columns follow it about equally sharply, as in a Rasch model, so that it is an effect of rows"
SUPPOSED = "it is the effect of rows in this model, which supposes that all columns follow it equally sharply"
NUMBERS = ("one axis", "two axes", "three axes", "four axes", "five axes", "six axes")


def scale_blocks(scale: Scale) -> list[Block]:
    """Return the scale in words: how many axes, their ends, and a table for who knows item response theory."""
    return [Lines([*scale_facts(scale)]), *(axis_entry(scale, a) for a in range(scale.kept)), parameter_table(scale)]


def scale_facts(scale: Scale) -> Iterator[str]:
    """Yield how many axes there are and what they and their intervals are."""
    kept, F, total = scale.kept, len(scale.positions), scale.shares[: scale.kept].sum()
    words = scale_words(scale)
    held = f"{'holds' if kept == 1 else 'hold'} {percent(total)}"
    yield f"{F} rows lie on {NUMBERS[kept - 1]}, which {held} of the variance of {words.psi} in this model"
    if scale.limit in LIMITS:
        more = scale.positions.shape[1] - kept > 1
        which, where = ("further axes", "they are") if more else ("a further axis", "it is")
        yield f"{which} {LIMITS[scale.limit][more]}; {where} in positions.csv and columns.csv"
    if kept > 1:
        yield _rotation(scale)
    yield from shape_sentences(shape_of_scale(scale), scale.row_names, "positions.csv")
    if scale.has_row_effects and (kept > 1 or scale.has_counts):
        yield words.row_effects
    yield from _mean_order_sentences(scale)
    yield f"positions have mean 0, and the population of rows standard deviation 1; {which_end_is_high(scale)}"
    yield f"{scale.level:.0%} intervals in brackets: {scale.interval_kind}; {FILES}"
    yield from _chain_spread(scale)
    end = "one row" if scale.n_end == 1 else f"{scale.n_end} rows"
    tenth = ", a tenth of all" * (abs(scale.n_end / F - 0.1) < 0.01)
    yield f"an end is {end}{tenth}, the middle those around the median; {words.numbers}"


def _rotation(scale: Scale) -> str:
    """Return whether and how axes are rotated."""
    if not scale.is_oblique:
        return ROTATED if scale.rotated else NOT_ROTATED
    pairs = [(a, b) for a in range(scale.kept) for b in range(a + 1, scale.kept)]
    return OBLIQUE + join_with_and(
        f"{scale.names[a]} and {scale.names[b]} {scale.correlations[a, b]:z.2f}" for a, b in pairs
    )


def _chain_spread(scale: Scale) -> Iterator[str]:
    """Yield by how much positions differ between chains, next to what draws of all of them say."""
    if scale.between_chains is None:
        return
    halves = typical_half_width(scale.lower, scale.upper)
    differ = join_with_and(f"{scale.between_chains[a]:.2g} on {scale.names[a]}" for a in range(scale.kept))
    typical = join_with_and(f"{halves[a]:.2g}" for a in range(scale.kept))
    yield (
        f"from chain to chain the mean position of a row differs by {differ} (standard deviation); half of a typical "
        f"interval is {typical}"
    )


def _mean_order_sentences(scale: Scale) -> Iterator[str]:
    """Yield which axes order rows by how many ones they have, as effects of rows do."""
    if scale.mean_correlation is None:
        return
    means = scale_words(scale).mean_of_row
    if scale.has_counts:
        yield from _sum_order_sentences(scale)
        return
    for a in range(scale.kept):
        slopes, r = scale.discrimination[:, a], scale.mean_correlation[a]
        if r >= MEANS_CORRELATION and slopes.min() >= -NEGLIGIBLE * slopes.max():
            axis = "this axis" if scale.kept == 1 else scale.title(a)
            how = "columns differ in how sharply they follow it"
            if slopes.max() <= ALIKE * slopes.min():
                how = SUPPOSED if scale.has_row_effects else RASCH
            yield (
                f"{axis} orders rows by their {means} (rank correlation {r:.2f}): {how} "
                f"(discriminations from {slopes.min():z.2f} to {slopes.max():.2f})"
            )


def _sum_order_sentences(scale: Scale) -> Iterator[str]:
    """Yield that axes of counts order rows by how much was counted in them: of models without effects of rows."""
    each, kept = scale.mean_correlation[: scale.kept], slice(scale.kept)
    axis_correlations = scale.correlations[kept, kept] if scale.is_oblique else np.eye(scale.kept)
    r = float(np.sqrt(each @ np.linalg.solve(axis_correlations, each)))
    if r >= SUMS_CORRELATION and not scale.has_row_effects:
        along = "the axis" if scale.kept == 1 else "one direction of the axes"
        sums = scale_words(scale).mean_of_row
        yield f"along {along} rows differ much as {sums} do (r = {min(r, 1):.2f}): {SUMS_EXPLANATION}"


def axis_entry(scale: Scale, a: int) -> Entry:
    """Return an axis: the rows at its ends and in its middle, and the columns that separate the ends."""
    title = (
        f"{scale.title(a)}: {percent(scale.shares[a])} of what rows differ in; reliability of positions "
        f"{scale.reliability[a]:.2f}"
    )
    order, lines = scale.order(a), []
    if len(order) <= 2 * NAMED + MIDDLE:
        lines.append(("from low to high", _row_list(scale, a, order)))
    else:
        middle = (len(order) - MIDDLE) // 2
        lines += [
            ("high end", _end_rows(scale, a, order[::-1])),
            ("middle", _row_list(scale, a, order[middle : middle + MIDDLE])),
            ("low end", _end_rows(scale, a, order)),
        ]
    low, high, words = scale.low[:, a], scale.high[:, a], scale_words(scale)
    lines += [
        (f"{words.more} at high end", _separating_columns(scale, high, low, "low end")),
        (f"{words.more} at low end", _separating_columns(scale, low, high, "high end")),
    ]
    if not any(text for _, text in lines[-2:]):
        lines.append(("columns", words.none))
    return Entry(title, [(label, text) for label, text in lines if text])


def _separating_columns(scale: Scale, here: np.ndarray, there: np.ndarray, other: str) -> str:
    """Return the columns of which there is more here than at the other end, "" if there are none."""
    words = scale_words(scale)
    apart = words.separation(here, there)
    order = np.argsort(-apart, kind="stable")[:END_COLUMNS]
    chosen = [n for n in order if apart[n] >= words.least]
    pairs = [f"{words.text(here[n])} ({f'{other}: ' if n == order[0] else ''}{words.text(there[n])})" for n in chosen]
    texts = [f"'{scale.column_names[n]}' {pair}" for n, pair in zip(chosen, pairs, strict=True)]
    return ", ".join(texts)


def parameter_table(scale: Scale) -> Table:
    """Return the parameters of the most informative columns, in the terms of item response theory; of counts slopes."""
    are_alike, kept, words = columns_are_alike(scale), scale.kept, scale_words(scale)
    chosen = columns_to_list(scale, LISTED)
    slope, level = ("slope", "level") if scale.has_counts else ("discrimination", "difficulty")
    names = [slope] if kept == 1 else [f"on {name}" for name in scale.names[:kept]]
    head, rows = ["column", *names, level], []
    is_located = has_location(scale)
    if is_located:
        head.append("location")
    if kept == 1:
        head += [f"{'ones' if words is ONES else 'mean'} at low end", "at high end"]
    for n in chosen:
        cells = [str(scale.column_names[n]), *(f"{each:z.2f}" for each in scale.discrimination[n, :kept])]
        cells.append(words.text(scale.levels[n]) if scale.has_counts else f"{scale.difficulty[n]:z.2f}")
        if is_located:
            cells.append("" if np.isnan(scale.location[n]) else f"{scale.location[n]:z.2f}")
        if kept == 1:
            cells += [words.text(each[n, 0]) for each in (scale.low, scale.high)]
        rows.append(cells)
    caption = list(_formulas(scale))
    more = len(scale.difficulty) - len(chosen)
    those = "between these" if are_alike else f"with lower {slope}" if kept == 1 else f"of lower {slope} on their axis"
    note = f"... and {more} more column{'s' * (more > 1)} {those}: see columns.csv" if more else ""
    if scale.discrimination_ends is not None:
        caption.append(f"columns.csv has the {scale.level:.0%} intervals of a column's parameters")
    return Table(head, rows, "<" + ">" * (len(head) - 1), caption=caption, note=note)


def _formulas(scale: Scale) -> Iterator[str]:
    """Yield what the parameters of a column mean."""
    kept = scale.kept
    slope = "slope" if scale.has_counts else "discrimination"
    formula = f"{slope} · position" if kept == 1 else f"the sum of {slope} · position over the axes"
    if scale.has_counts:
        effect = " + row effect" * scale.has_row_effects
        yield f"logarithm of an expected count = logarithm of the level + {formula}{effect}"
        return
    if scale.categories:
        model = "as in the graded response model"
        distances = np.diff(scale.thresholds)
        if distances.size and np.allclose(distances, distances[0]):
            model += ", with the same distances between thresholds for all columns"
        yield (
            f"log-odds of an answer above a category = {formula} - the category's threshold, {model}; "
            "difficulty is the mean of the thresholds, which are in columns.csv"
        )
        if has_location(scale):
            yield f"location is difficulty / discrimination: the position of answers in the middle{EMPTY}"
        return
    yield f"log-odds of a one = {formula} - difficulty, as in item response theory"
    if has_location(scale):
        yield (
            "location is difficulty / discrimination, the b of the two-parameter model: the position at which a one is "
            f"as probable as a zero{EMPTY}"
        )


def shape_sentences(shape: Shape, names: np.ndarray, file: str = "") -> Iterator[str]:
    """Yield what is seen of rows on axes that are no scales; a file may have their places along an arch."""
    if shape.between is not None:
        yield TWO_GROUPS.format(percent(shape.between))
        return
    if shape.groups:
        yield GROUPS.format(shape.groups, shape.silhouette)
        return
    if shape.ring:
        yield RING.format(percent(1.0 - shape.ring))
    elif shape.bend:
        yield (BENT if shape.along is None else ARCH).format(shape.bend)
    if shape.along is not None:
        order, half = names[np.argsort(shape.along, kind="stable")], (len(names) - ARCH_ROWS) // 2
        first, middle, last = (
            ", ".join(part) for part in (order[:ARCH_ROWS], order[half:][:ARCH_ROWS], order[-ARCH_ROWS:])
        )
        where = f" ({file} has all)" * bool(file)
        along = "around the ring, from its widest gap on" if shape.ring else "along the arch, if it is one"
        yield f"the order {along}: first {first}; in the middle {middle}; last {last}{where}"


def _end_rows(scale: Scale, a: int, order: np.ndarray) -> str:
    """Return the rows at an end, the outermost first, and how many share its place if not all are named."""
    values = scale.positions[order, a]
    tied = np.count_nonzero(np.abs(values - values[0]) < TIED)
    named = _row_list(scale, a, order[:NAMED])
    return named if tied <= NAMED else f"{tied} rows at the same place, such as {named}"


def _row_list(scale: Scale, a: int, rows: np.ndarray) -> str:
    """Return names with positions and intervals."""
    names = [quote_if_ambiguous(name) for name in scale.row_names[rows]]
    numbers = zip(names, *(X[rows, a] for X in (scale.positions, scale.lower, scale.upper)), strict=True)
    return ", ".join(f"{name} {place:z.2f} [{lower:z.2f}, {upper:z.2f}]" for name, place, lower, upper in numbers)
