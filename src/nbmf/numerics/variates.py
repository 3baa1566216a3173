"""Normal and gamma random numbers inside compiled loops, from a generator of nbmf.numerics.random.

Normal numbers by the ziggurat of Marsaglia and Tsang (2000) in Doornik's form (2005): 256 layers
of equal area under the density, of which 99 % of the draws look at one rectangle. Gamma numbers by
Marsaglia and Tsang's squeeze (2000).
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.random import next_word, uniform

LAYERS = 256
TAIL = 3.6541528853610088  # where the lowest layer's tail begins, and
AREA = 0.00492867323399  # of each layer, both for 256 layers
TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


def _edges() -> np.ndarray:
    """Return the right ends of the layers from the lowest to the top, (LAYERS + 1,)."""
    x = np.empty(LAYERS + 1)
    x[0], x[1], x[LAYERS] = AREA * math.exp(TAIL**2 / 2), TAIL, 0.0
    for i in range(2, LAYERS):
        x[i] = math.sqrt(-2 * math.log(AREA / x[i - 1] + math.exp(-(x[i - 1] ** 2) / 2)))
    return x


EDGE = _edges()
INSIDE = EDGE[1:] / EDGE[:-1]  # the share of a layer's width that lies under the density for sure
HEIGHT = np.exp(-(EDGE**2) / 2)


@inner_kernel
def standard_normal(generator):
    """Return a draw from N(0, 1): a double of 53 random bits within its layer."""
    while True:
        word = next_word(generator)
        layer = np.uint64(word & np.uint64(255))
        u = np.float64(word >> np.uint64(11)) * TO_UNIT
        sign = 1.0 - 2.0 * np.float64((word >> np.uint64(8)) & np.uint64(1))
        x = u * EDGE[layer]
        if u < INSIDE[layer]:
            return sign * x
        if layer == np.uint64(0):
            return sign * _beyond_tail(generator)
        low, high = HEIGHT[layer], HEIGHT[layer + np.uint64(1)]
        if low + uniform(generator) * (high - low) < math.exp(-0.5 * x * x):
            return sign * x


@inner_kernel
def _beyond_tail(generator):
    """Return a draw from N(0, 1) given that it is above TAIL (Marsaglia 1964)."""
    while True:
        x = -math.log(1.0 - uniform(generator)) / TAIL
        y = -math.log(1.0 - uniform(generator))
        if 2.0 * y > x * x:
            return TAIL + x


@inner_kernel
def standard_gamma(generator, shape):
    """Return a draw from the gamma distribution of a `shape` > 0 and scale 1.

    A shape below about 0.001 may give 0: such numbers are smaller than a double can be.
    """
    boost = 1.0
    if shape < 1.0:
        boost = (1.0 - uniform(generator)) ** (1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = standard_normal(generator)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(generator)
        if u < 1.0 - 0.0331 * x * x * x * x:
            return boost * d * v
        if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return boost * d * v
