"""Places of texts that do not overlap."""

from collections.abc import Sequence

import numpy as np


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> np.ndarray:
    """Return places in the order of `wanted`, which is increasing, with at least a distance between them.

    Where they fit, within `low` and `high`; by least squares, which pools those that are too near (isotonic regression
    of the places less what they have to be apart).
    """
    apart = distance * np.arange(len(wanted))
    pools = []  # of mean and size
    for value in np.asarray(wanted, float) - apart:
        pools.append([value, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * size) / (pools[-1][1] + size), pools[-1][1] + size]
    means = np.repeat([mean for mean, _ in pools], [size for _, size in pools])
    return np.clip(means, low, max(high - apart[-1], low)) + apart
