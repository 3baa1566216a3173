"""How rows lie on axes where these are no scales: in separate groups, along an arch, or on a ring."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

BENT = 0.15  # of the variance; of two to five scales it is up to 0.05, of skills that are there or not up to 0.08
# A mean silhouette; along one gradient it is up to 0.55, of two scales 0.41, of three clear groups from 0.58.
APART = 0.56
# On two axes; along a gradient of ten or more widths of species it is from 0.81, of two scales up to 0.6, of skills
# that are there or not up to 0.8, as if these were dealt anew.
ROUND = 0.8
# On one axis: the part of the variance between two groups, and how dense rows are between them, as a part of their
# density in the sparser one. Of rows that are spread evenly 0.75 and 0.8, of normal ones 0.64 and 1, of those towards
# both ends 0.81 and 0.55, of two groups five standard deviations apart 0.86 and 0.25.
SPLIT, SPARSE = 0.8, 0.36
WIDTH = 0.25  # of the kernel of a density, in standard deviations
FEWEST_PLACES = 50  # of rows on one axis, of which fewer may seem to be two groups by chance
GRID = 200  # places at which a density is computed
SMALLEST = 0.1  # of the places, in the smaller of two groups
VARIANCE_OF_SQUARES = 4.0  # of x² + y² where both are normal with variance 1
MOST_GROUPS = 8
OF_A_GROUP = 4  # places of rows on average, at least: of few items each pattern of answers is a place of its own
DIGITS = 3  # of positions that are distinct
COMPARED = 500  # rows, of more some
ANGLES = 36  # at which an arch is looked for
SHUFFLES = 99  # of each axis on its own: a bend that chance has in more than one of twenty is none
CHANCE = 0.05
MEANS_CORRELATION = 0.85  # with the means of rows, from which on a bend is that of few or of nearly all ones
LEAST = 1e-3  # variance of squares that is none


class Shape(NamedTuple):
    """What a picture of the positions shows.

    - groups : int, in how many separate groups rows are, 0 if in none
    - silhouette : float, their mean silhouette (Rousseeuw 1987): 1 of groups that are points, 0 of none, or of one axis
    - between : float, of two groups on one axis how dense rows are between them, as a part of that in the sparser one;
        else None
    - bend : float, the part of the variance in one direction that follows the square of another; 0 where that
        is little, or chance, or rows are in groups
    - ring : float, 1 where all rows are as far from one point, 0 where distances vary as in a normal distribution;
        0 where that is not much, or chance, or rows are in groups or on an arch that does not close in
    - along : float array (F,) or None, of an arch in one plane, or of a ring from its widest gap on, each row's place
        along it, 0 to 1
    """

    groups: int = 0
    silhouette: float = 0.0
    between: float | None = None
    bend: float = 0.0
    ring: float = 0.0
    along: np.ndarray | None = None


def shape_of(positions: np.ndarray, means: np.ndarray | None = None) -> Shape:
    """Return how rows lie on some axes.

    Parameters
    ----------
    positions : float array (F, A)
    means : float array (F,), optional
        The proportion of ones in each row: where one direction follows it and is bent, rows have few ones or hardly any
        zeros on several scales, which is no arch.
    """
    if positions.shape[1] == 1:
        split, between = split_in_two(np.unique(positions.round(DIGITS)))
        return Shape(groups=2, between=between) if split >= SPLIT and between <= SPARSE else Shape()
    # Rows that are all alike, such as those without a one, are no group: each place counts once.
    _, places = np.unique(positions.round(DIGITS), axis=0, return_index=True)
    if len(places) <= MOST_GROUPS:
        return Shape()
    places = np.sort(places)[:: -(-len(places) // COMPARED)]
    some = positions[places]
    labels, silhouette = _find_groups(some)
    if silhouette >= APART and _most_between(some, labels) <= SPARSE:
        return Shape(len(np.unique(labels)), silhouette)
    most, across = _most_bent(some)
    is_by_means = means is not None and _follows(across, means[places])
    has_plane = positions.shape[1] == 2
    if most > BENT and not is_by_means and not _is_chance(bend, some):
        return Shape(bend=most, along=_arch_places(positions) if has_plane else None)
    if has_plane and (ring := roundness(some)) >= ROUND and not _is_chance(roundness, some):
        return Shape(ring=ring, along=_ring_places(positions))
    return Shape()


def split_in_two(places: np.ndarray) -> tuple[float, float]:
    """Return how far apart the two groups of neighbours are in which rows differ least.

    Parameters
    ----------
    places : float array (n,)
        Where rows are on an axis, in ascending order.

    Returns
    -------
    split : float, the part of the variance that is between the groups; 0 of fewer than FEWEST_PLACES
    between : float, the least density between their means, as a part of the largest on either side of it
    """
    n = len(places)
    if n < FEWEST_PLACES:
        return 0.0, 1.0
    least = math.ceil(SMALLEST * n)
    sizes = np.arange(least, n - least + 1)
    sums = np.cumsum(places - places.mean())[sizes - 1]
    gains = sums**2 / sizes + sums**2 / (n - sizes)
    low = sizes[gains.argmax()]
    return float(gains.max() / (n * places.var())), _density_between(places, places[:low].mean(), places[low:].mean())


def _density_between(places: np.ndarray, low: float, high: float) -> float:
    """Return the least density of places (n,) from `low` to `high`, as a part of the largest on either side of it."""
    at = np.linspace(places.min(), places.max(), GRID)
    density = np.exp(-(((at[:, None] - places) / (WIDTH * places.std())) ** 2) / 2.0).sum(axis=1)
    inside = np.flatnonzero((at >= low) & (at <= high))
    valley = inside[density[inside].argmin()]
    largest = min(density[: valley + 1].max(), density[valley:].max())
    return float(density[valley] / largest)


def _most_between(positions: np.ndarray, labels: np.ndarray) -> float:
    """Return the largest density between any two groups, on the line through their means and of their rows alone."""
    most = 0.0
    for pair in combinations(np.unique(labels), 2):
        low, high = (positions[labels == label] for label in pair)
        line = high.mean(axis=0) - low.mean(axis=0)
        on_line = np.concatenate([low, high]) @ line
        most = max(most, _density_between(on_line, (low @ line).mean(), (high @ line).mean()))
    return most


def _is_chance(measure: Callable[[np.ndarray], float], positions: np.ndarray) -> bool:
    """Return whether axes that have nothing to do with each other have as much of it in more than one of 20 cases."""
    rng, as_much, observed = np.random.default_rng(0), 0, measure(positions)
    plane = _whitened(positions)
    for _ in range(SHUFFLES):
        as_much += measure(rng.permuted(plane, axis=0)) >= observed
        if as_much + 1 > CHANCE * (SHUFFLES + 1):
            return True
    return False


def _whitened(positions: np.ndarray) -> np.ndarray:
    """Return the positions with mean 0 and variance 1 in every direction."""
    centred = positions - positions.mean(axis=0)
    return np.linalg.svd(centred, full_matrices=False)[0] * np.sqrt(len(positions))


def roundness(positions: np.ndarray) -> float:
    """Return 1 of rows on a circle (or ellipse), 0 where squared distances vary as those of normal positions (F, 2)."""
    return 1.0 - float(np.var(_circle(positions)[1])) / VARIANCE_OF_SQUARES


def _circle(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions from the centre of the best circle, (F, 2), and by how much their squared radii differ.

    x² + y² = a + b x + c y, of whitened positions, by least squares (Kåsa 1976); the centre is (b, c) / 2.
    """
    plane = _whitened(positions)
    squares, design = np.square(plane).sum(axis=1), np.column_stack([np.ones(len(plane)), plane])
    coefficients = np.linalg.lstsq(design, squares, rcond=None)[0]
    return plane - coefficients[1:] / 2.0, squares - design @ coefficients


def _ring_places(positions: np.ndarray) -> np.ndarray:
    """Return places around a ring from its widest gap on, 0 to 1."""
    from_centre, _ = _circle(positions)
    angle = np.arctan2(from_centre[:, 1], from_centre[:, 0])
    order = np.sort(angle)
    widest = np.diff(order, append=order[0] + 2.0 * np.pi).argmax()
    start = order[(widest + 1) % len(order)]
    return _places_in_order((angle - start) % (2.0 * np.pi), positions)


def _places_in_order(angle: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return angles as places from 0 to 1, in the direction in which the first axis rises with them."""
    if np.corrcoef(angle, positions[:, 0])[0, 1] < 0:
        angle = -angle
    return (angle - angle.min()) / np.ptp(angle)


def _follows(across: np.ndarray, means: np.ndarray) -> bool:
    """Return whether the direction that is bent follows the means of rows."""
    return bool(np.ptp(means) > 0 and abs(np.corrcoef(across, means)[0, 1]) >= MEANS_CORRELATION)


def bend(positions: np.ndarray) -> float:
    """Return how much of the variance in one direction follows the square of another: the most of any pair of axes.

    0 to 1, of positions (F, A) and of any directions at right angles in the plane of two of them, in which rows have
    the same variance in every direction.
    """
    return _most_bent(positions)[0]


def _most_bent(positions: np.ndarray) -> tuple[float, np.ndarray]:
    """Return `bend`, and the coordinates of rows in the direction that follows the square, float array (F,)."""
    most = 0.0, np.zeros(len(positions))
    for pair in combinations(range(positions.shape[1]), 2):
        bends, _, across = _bends(positions[:, pair])
        best = int(bends.argmax())
        most = max(most, (float(bends[best]), across[:, best]), key=lambda found: found[0])
    return most


def _bends(pair: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return of some directions in a plane how much follows their squares, and coordinates along and across them.

    Coordinates are (F, ANGLES); those across are large where the square of the others is.
    """
    angles = np.linspace(0.0, np.pi, ANGLES, endpoint=False)
    plane = _whitened(pair)
    x = plane @ np.array([np.cos(angles), np.sin(angles)])
    y = plane @ np.array([-np.sin(angles), np.cos(angles)])
    squares = x**2 - 1.0
    squares -= x * (squares * x).mean(axis=0)
    products, variance = (squares * y).mean(axis=0), np.maximum((squares**2).mean(axis=0), LEAST)
    return products**2 / variance, x, y * np.sign(products)


def _arch_places(positions: np.ndarray) -> np.ndarray:
    """Return places along an arch, which may close in at its ends: the angle around a point within it, 0 to 1."""
    bends, x, y = _bends(positions)
    best = int(bends.argmax())
    angle = np.arctan2(x[:, best], 1.0 - y[:, best])  # y is -1 or so at the top of the arch, and more at its ends
    return _places_in_order(angle, positions)


def _find_groups(positions: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the groups (F,) by Ward's method of which the mean silhouette is largest, and that."""
    from sklearn.metrics import silhouette_score  # which one axis does not need, and takes a second

    tree, distances, found = linkage(positions, "ward"), cdist(positions, positions), []
    for k in range(2, min(MOST_GROUPS, len(positions) // OF_A_GROUP) + 1):
        labels = fcluster(tree, k, "maxclust")
        if np.ptp(labels):  # of merges at the same height there may be none
            found.append((labels, float(silhouette_score(distances, labels, metric="precomputed"))))
    return max(found, key=lambda one: one[1], default=(np.ones(len(positions), int), 0.0))
