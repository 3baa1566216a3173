"""What a chain whose rows move begins with: whether periods have a common scale, and where rows may be."""

import numpy as np

from nbmf.errors import DataError, Setting
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.path_chain import MovingCells


def leading_positions(values: np.ndarray, K: int) -> np.ndarray:
    """Return where rows are on the K axes on which they differ most, float array (F, K) of mean 0 and mean square 1.

    values : array (F, N), negative where missing, which here is the mean of its column
    """
    seen = values >= 0
    means = np.where(seen, values, 0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    centred = np.where(seen, values - means, 0.0)
    _, axes = np.linalg.eigh(centred @ centred.T)
    first = np.zeros((len(values), K))
    leading = axes[:, ::-1][:, :K]
    leading = leading * np.where(leading[np.abs(leading).argmax(axis=0), range(leading.shape[1])] < 0, -1.0, 1.0)
    first[:, : leading.shape[1]] = leading - leading.mean(axis=0)
    return first / np.maximum(np.sqrt((first**2).mean(axis=0)), 1e-12)


def refuse_two_scales(cells: MovingCells) -> None:
    """Raise DataError if no row has entries both before and after some time: positions would have no common scale.

    Periods before the first entry and after the last are no such time: rows walk there, which predicts what comes.
    """
    has_some = cells.entries.any(axis=0)
    there = moving.in_span(moving.spans_of(cells.entries), has_some.size)
    before, after = np.logical_or.accumulate(has_some), np.logical_or.accumulate(has_some[::-1])[::-1]
    common = (there[:, :-1] & there[:, 1:]).any(axis=0) | ~(before[:-1] & after[1:])
    if not common.all():
        name = str(cells.periods.names[common.argmin()])
        what = f": no row has entries both up to period {name!r} and after it, "
        raise DataError(Setting("periods"), what, "so that positions before and after have no common scale")
