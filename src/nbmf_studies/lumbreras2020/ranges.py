"""The ranges of logPCA's dictionaries that captions print, against those of every K.

The sign of a component is arbitrary: its column of W may be negated with its row of H. A printed range is therefore
compared with every range that the components' own extremes can give.
"""

from itertools import product

import numpy as np
import pandas as pd

from nbmf_studies.framework.loaded import ShownFit

# The colour bars of Figures 7, 8 and 9: dataset, K in the caption, smallest and largest entry of W.
PRINTED = (("parliament", 8, -207.17, 217.92), ("unvotes_coldwar", 7, -629.7, 335.1), ("paleo", 7, -102.3, 118.7))
SAME = 0.001  # of either number, up to which a range is the printed one
AT_ONCE = 12  # components: 2^12 choices of signs


def tabulate(**fits: list[ShownFit]) -> pd.DataFrame:
    """Return a row per printed range and K: the range that is nearest among all choices of signs.

    Parameters
    ----------
    **fits
        Of each dataset the fit of every K.

    Returns
    -------
    DataFrame
        dataset, K of the caption, printed smallest and largest, K, smallest and largest of ours with the signs that
        bring them nearest, how far off the worse of the two is as a share of the printed number, and whether both are
        the same.
    """
    rows = []
    for dataset, K, low, high in PRINTED:
        for fit in fits.get(dataset, []):
            nearest = nearest_range(fit.W.min(axis=0), fit.W.max(axis=0), low, high)
            off = deviation(*nearest, low, high)
            rows.append([dataset, K, low, high, fit.W.shape[1], *nearest, off, off <= SAME])
    names = ["dataset", "K of the caption", "printed smallest", "printed largest", "K", "smallest", "largest"]
    return pd.DataFrame(rows, columns=[*names, "off by", "same"])


def nearest_range(smallest: np.ndarray, largest: np.ndarray, low: float, high: float) -> tuple[float, float]:
    """Return the range of W nearest to (low, high) over all signs of its components.

    Parameters
    ----------
    smallest, largest : float arrays (K,)
        Of each component.

    Raises
    ------
    ValueError
        If there are more than AT_ONCE components.
    """
    if smallest.size > AT_ONCE:
        raise ValueError(f"{smallest.size} components; allowed: at most {AT_ONCE}, all their signs are tried")
    ranges = []
    for signs in product((False, True), repeat=smallest.size):
        flipped = np.array(signs)
        ranges.append(
            (float(np.where(flipped, -largest, smallest).min()), float(np.where(flipped, -smallest, largest).max()))
        )
    return min(ranges, key=lambda found: deviation(*found, low, high))


def deviation(smallest: float, largest: float, low: float, high: float) -> float:
    """Return how far a range is from (low, high), as a share of the number that is further off."""
    return max(abs(smallest / low - 1.0), abs(largest / high - 1.0))
