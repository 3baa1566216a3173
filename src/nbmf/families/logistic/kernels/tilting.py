"""The mean of a Pólya-Gamma variable in vector instructions, which tanh of a library is not."""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# Added to a number it leaves its nearest integer, plus the bias of exponents, in the last bits.
TO_BITS = 1.5 * 2.0**52 + 1023.0
TOWARDS_INFINITY = 700.0  # e^-700 is negligible next to one
NEARLY_ZERO = 0.01  # of η²: below it a series, where 1 - e^-η has lost digits


@inner_kernel(fastmath={"contract"})
def exponential(x):
    """Return e^x for -708 < x <= 0, to some 1e-15 of itself."""
    shifted = x * LOG2_E + TO_BITS
    n = shifted - TO_BITS
    power = np.int64(np.int64(np.float64(shifted).view(np.int64)) << np.int64(52)).view(np.float64)
    r = (x - n * LN2_HIGH) - n * LN2_LOW  # |r| <= log(2) / 2
    p = 1 / 39916800 + r * (1 / 479001600 + r * (1 / 6227020800))
    p = 1 / 40320 + r * (1 / 362880 + r * (1 / 3628800 + r * p))
    p = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * p))
    p = 1 / 2 + r * (1 / 6 + r * (1 / 24 + r * p))
    return (1.0 + r * (1.0 + r * p)) * power


@inner_kernel(fastmath={"contract"})
def tilted_mean(square):
    """Return E[ω], ω ~ PG(1, η), that is tanh(η/2) / (2η), for η²; 1/4 if rounding made it < 0."""
    q = max(square, 0.0)
    eta = math.sqrt(q)
    z = exponential(-min(eta, TOWARDS_INFINITY))
    far = (1.0 - z) / ((1.0 + z) * 2.0 * max(eta, 0.01))
    series = 31 / 1451520 - q * (691 / 319334400)
    near = 0.25 - q * (1 / 48 - q * (1 / 480 - q * (17 / 80640 - q * series)))
    return near if q < NEARLY_ZERO else far


@kernel(fastmath={"contract"})
def tilted_means(square, size, w):
    """Write w = b E[ω / b], ω ~ PG(b, η), of entries to `w`.

    Parameters
    ----------
    square : float array (n,)
        η².
    size : float array (n,)
        b; 0 where an entry is missing.
    w : float array (n,)
        Output.
    """
    for j in range(w.size):
        w[j] = size[j] * tilted_mean(square[j])
