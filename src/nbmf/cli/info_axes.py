"""What `nbmf info` says about the rows and the columns of any matrix, and about how long a fit takes."""

from collections.abc import Iterator

import numpy as np

from nbmf.analysis.estimate import estimate, slowness_here
from nbmf.analysis.plan import make_plan
from nbmf.analysis.request import Request
from nbmf.data.named import NamedMatrix
from nbmf.reporting.text import wrap
from nbmf.reporting.words import quote_if_ambiguous

AXES = ((1, "rows"), (0, "columns"))  # what sums over the other axis are of
NAMED = 3  # rows or columns at either end
FEW = 5  # observed entries


def next_lines(*commands: str) -> list[str]:
    """Return the end of a report, the commands that may be typed next: the best guess first."""
    return ["", "next:", *(f"  {command}" for command in commands)]


def describe_extremes(matrix: NamedMatrix, sums: np.ndarray, axis: int) -> tuple[str, str]:
    """Return the rows (axis 1) or columns (axis 0) with the smallest and with the largest sums."""
    names = matrix.row_names if axis == 1 else matrix.column_names
    order = np.argsort(sums, kind="stable")
    smallest, largest = order[:NAMED], order[::-1][:NAMED]
    return tuple(
        ", ".join(f"{quote_if_ambiguous(without_line_breaks(names[i]))} {sums[i]}" for i in at)
        for at in (smallest, largest)
    )


def without_line_breaks(name: str) -> str:
    """Return a name without line breaks, which some spreadsheets have in those of columns."""
    return " ".join(str(name).splitlines())


def describe_unusual(matrix: NamedMatrix, unusual: dict[str, np.ndarray], axis: int) -> list[str]:
    """Return how many rows (axis 1) or columns (axis 0) are unusual, a line per way.

    unusual : dict, from such words as "without a one" to a bool array: which rows or columns are so
    """
    few = {f"with fewer than {FEW} observed entries": matrix.observed_along(axis) < FEW}
    counts = {words: int(np.count_nonzero(which)) for words, which in (unusual | few).items()}
    return [f"{dict(AXES)[axis]} {words}: {count}" for words, count in counts.items() if count]


def describe_fit_time(matrix: NamedMatrix, entries: str) -> Iterator[str]:
    """Yield about how long `nbmf fit` takes for so many entries, in words, and what it does not do for their number."""
    expected = estimate(matrix, Request(), slowness_here())
    duration = _format_time(expected.seconds)
    yield f"{entries}; nbmf fit takes about {duration}, for {expected.fits} fits at most and a report"
    if reason := make_plan(matrix, Request()).reason:
        yield wrap(reason)


def _format_time(seconds: float) -> str:
    """Return a time in words, in the unit that fits its size."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
