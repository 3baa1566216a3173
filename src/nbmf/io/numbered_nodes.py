"""Lists of pairs of numbers, which may be ties between numbered nodes, or ids of two kinds of things."""

from collections.abc import Sequence

import numpy as np

from nbmf.data.shared_names import SHARED
from nbmf.data.value_codes import number_of

FEWEST_PAIRS = 10  # of which each has its smaller number on the same side
EXPECTED = 7.0  # pairs of a number with itself, of which chance has none in less than one of a thousand lists


def count_numbered_nodes(rows: Sequence[str], columns: Sequence[str], pairs: tuple[np.ndarray, np.ndarray]) -> int:
    """Return how many numbers are both rows and columns, if pairs look like ties between nodes; else 0.

    They do if none is of a number with itself, though chance would have several, or all are in the same order.

    Parameters
    ----------
    rows, columns : sequence of str
        The different names.
    pairs : two int arrays (n,)
        The place in `rows` of each pair's row, and that in `columns` of its column.
    """
    both = {*rows} & {*columns}
    if not both or len(both) < SHARED * min(len(rows), len(columns)):
        return 0
    numbers = [[number_of(name) for name in names] for names in (rows, columns)]
    if any(None in side for side in numbers):
        return 0
    source, target = (np.array(side)[places] for side, places in zip(numbers, pairs, strict=True))
    if len(source) >= FEWEST_PAIRS and ((source < target).all() or (source > target).all()):
        return len(both)
    uses = [np.bincount(places, minlength=len(names)) for names, places in zip((rows, columns), pairs, strict=True)]
    place_of = {name: place for place, name in enumerate(columns)}
    expected = sum(int(uses[0][f]) * int(uses[1][place_of[name]]) for f, name in enumerate(rows) if name in both)
    return len(both) if expected >= EXPECTED * len(source) and (source != target).all() else 0
