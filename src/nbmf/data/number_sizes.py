"""Which numbers can be computed with."""

import numpy as np

LARGEST_COUNT = LARGEST_INDEX = 2**31 - 1  # of 32 bits


def has_usable_size(numbers: np.ndarray) -> np.ndarray:
    """Return a bool array: where a number is 0, or its size is from 1e-100 to 1e100; False of NaN.

    Squares of others, and sums of them, are no numbers any more.
    """
    size = np.abs(numbers)
    return (size == 0) | ((size >= 1e-100) & (size <= 1e100))
