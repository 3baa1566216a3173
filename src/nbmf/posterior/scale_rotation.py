"""How axes are turned so that each column depends on few of them, and how many there are then."""

from typing import NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.posterior.scale_axes import LEAST_RATIO, MOST_KEPT, WEAK, WEAK_BUT_THERE, Axes, number_of_axes

SIMPLER = 0.05  # axes a column depends on, by which a rotation has to reduce their mean number
MOST_ROTATED = 300  # columns that a rotation is sought for: statsmodels takes time in their square
# Axes may correlate where columns then depend on so many fewer, and on hardly more than one. Of two to four scales
# that correlate by .3 to .7 columns depend on 1.02 to 1.31 axes then, on .1 to .5 fewer than with axes that do not
# correlate; of a gradient, votes, moods and species on hardly fewer.
SIMPLER_OBLIQUE, SIMPLE = 0.12, 1.3
LEAST_OBLIQUE = 0.04  # as LEAST_RATIO, of axes that may become as large as the first: scales that correlate by .7
SAME_AXIS = 0.75  # correlation of two axes that may as well be one, of questions that are asked both ways


class Reported(NamedTuple):
    """Which axes may be reported: at most so many, by default MOST_KEPT, and whether they may correlate."""

    most: int | None = None
    may_correlate: bool = True


AS_NOW = Reported()  # earlier versions reported others


def choose_reported_axes(axes: Axes, matrix: NamedMatrix, reported: Reported = AS_NOW) -> tuple[Axes, int, str, bool]:
    """Return the axes as they are reported, how many, why no more, and whether they are rotated; see Scale.

    Parameters
    ----------
    axes : Axes
        The principal ones.
    matrix : NamedMatrix
    reported : Reported
    """
    most = reported.most or MOST_KEPT
    kept, limit = number_of_axes(axes, matrix, most)
    if reported.may_correlate:
        there, reason = number_of_axes(axes, matrix, most, LEAST_OBLIQUE, kept) if limit == WEAK else (kept, limit)
        for number in range(there, max(kept, 2) - 1, -1):
            oblique = rotate_obliquely(axes, number)
            if oblique is not None:
                return oblique, number, reason if number == there else WEAK_BUT_THERE, True
        limit = WEAK_BUT_THERE if there > kept else limit
    axes, is_rotated = rotate_axes(axes, kept)
    return axes, kept, limit, is_rotated


def rotate_axes(axes: Axes, kept: int) -> tuple[Axes, bool]:
    """Return the axes with the kept ones rotated by varimax, if columns depend on fewer then."""
    if kept == 1:
        return axes, False
    loadings = axes.loadings[:, :kept]
    rotations = [np.eye(kept), *_rotations(loadings, "varimax", _starts(kept))]
    counts = [_axes_per_column(loadings @ each) for each in rotations]
    best = int(np.argmin(counts))
    if counts[best] > counts[0] - SIMPLER:
        return axes, False
    return axes.transformed(rotations[best]).sorted_by_size(kept), True


def rotate_obliquely(axes: Axes, kept: int) -> Axes | None:
    """Return the axes with the kept ones rotated obliquely (quartimin); None unless columns depend on fewer by far.

    They have to be of sizes like those of axes that are reported, and different ones.
    """
    loadings = axes.loadings[:, :kept]
    starts = [np.eye(kept), *_rotations(loadings, "varimax", _starts(kept))]
    fewest = min(_axes_per_column(loadings @ each) for each in starts)
    candidates = [axes.transformed(each) for each in _rotations(loadings, "quartimin", starts)]
    best = min(candidates, key=lambda candidate: _axes_per_column(candidate.loadings[:, :kept]))
    if _axes_per_column(best.loadings[:, :kept]) > min(fewest - SIMPLER_OBLIQUE, SIMPLE):
        return None
    best = best.sorted_by_size(kept)
    sizes, alike = best.sizes[:kept], np.abs(np.triu(best.correlations[:kept, :kept], 1)).max()
    return best if sizes[-1] >= LEAST_RATIO * sizes[0] and alike <= SAME_AXIS else None


def _starts(kept: int) -> list[np.ndarray]:
    """Return two rotations to start from: halfway between two scales, where axes may lie, varimax does not move."""
    return [np.eye(kept), np.linalg.qr(np.vander(np.arange(1.0, kept + 1), kept))[0]]


def _rotations(loadings: np.ndarray, criterion: str, starts: list[np.ndarray]) -> list[np.ndarray]:
    """Return the T that a criterion leads to from each start, by the columns that depend most on the axes."""
    from statsmodels.multivariate.factor_rotation import rotate_factors  # half a second, and few need it

    sizes = np.square(loadings).sum(axis=1)
    strongest = loadings[np.argsort(-sizes, kind="stable")[:MOST_ROTATED]] / np.sqrt(sizes.mean())
    return [start @ rotate_factors(strongest @ start, criterion, max_tries=100, tol=1e-3)[1] for start in starts]


def _axes_per_column(loadings: np.ndarray) -> float:
    """Return on how many axes columns depend, by Hofmann's index weighted by their information."""
    squares = np.square(loadings)
    sums = squares.sum(axis=1)
    fourth = np.square(squares).sum(axis=1)
    index = np.divide(sums**2, fourth, out=np.ones_like(sums), where=fourth > 0)
    return float(np.average(index, weights=sums))
