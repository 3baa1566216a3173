"""Pólya-Gamma random numbers PG(b, z) inside compiled loops (Polson, Scott and Windle 2013).

With ω ~ PG(b, z), E[exp(-ω t)] = (cosh(z/2) / cosh(√(z²/4 + t/2)))^b. The density of x = 4 ω is,
with y = |z|/2, an inverse Gaussian one (mean, shape) times an alternating series:

    f(x) = (1 + e^(-2y))^b IG(x; b/y, b²) r(x),
    r(x) = Σ_n (-1)^n C(b+n-1, n) (1 + 2n/b) exp(-2n(n+b)/x), and 0 ≤ r(x) ≤ 1.

For b = 1 the bound says that Brownian motion hits 1 or -1 at x with no larger density than the two
alone give. For other b: with λ = √(2t), the Laplace transform of the bound less f is 2^b times the
integral over s from 0 to b of e^(-(b-s)λ) (2 cosh λ)^(-s) log(1 + e^(-2λ)), and all three factors
are transforms of nonnegative functions, the last by hitting times of skew Brownian motions.

So an inverse Gaussian draw is accepted with probability r(x): in (1 + e^(-|z|))^(-b) of the tries,
at least half of them for b = 1, all of them for large |z|. There is no e^|z| anywhere, and neither
Devroye's two pieces nor their normalizing constants, which cost more than the draw.
"""

import math

from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma, standard_normal

SPLIT = 0.64  # below, r(x) by its series in e^(-4/x); above, for b = 1, by that in e^(-π²x)
SURELY = 0.994  # r(x) is larger for b = 1 below SPLIT: 1 - 3 exp(-4/SPLIT) = 0.9942
BEYOND = 100.0  # r(x) < 1e-50 there, for b <= 1: no uniform number is so small
EXACT_UP_TO = 4.0  # larger b: a sum of gammas, unless |z| is so large that tries are accepted
GAMMAS = 8  # of this sum
HALF_PI_CUBED = (math.pi / 2) ** 1.5
EIGHTH = math.pi**2 / 8
ENORMOUS = 1e100  # |z| from which on PG(b, z) is its mean b / (2 |z|)
NEGLIGIBLE = 1e-17  # a term of r(x): uniform numbers have 53 bits


@inner_kernel
def polya_gamma_1(generator, z):
    """Return a draw from PG(1, z); of a z that is no number NaN, never a loop without end.

    Parameters
    ----------
    generator : uint64 array (8,)
        See nbmf.numerics.random; it advances.
    z : float
    """
    y = 0.5 * abs(z)
    if not y < ENORMOUS:
        return 0.25 / y
    while True:
        root = standard_normal(generator)
        v = 0.5 * root * root
        q = y + v + math.sqrt(v * (2.0 * y + v))  # 1 / the smaller root; y² / the larger one
        u = uniform(generator) * (q + y)
        if u < q:
            if q * BEYOND <= 1.0:
                continue
            x = 1.0 / q
        else:
            if q >= BEYOND * y * y:
                continue
            x = q / (y * y)
        if _is_accepted(uniform(generator), x):
            return 0.25 * x


@inner_kernel
def _is_accepted(u, x):
    """Return whether u < r(x) for b = 1: partial sums bracket it, so few terms are looked at."""
    if x <= SPLIT:
        if u < SURELY:
            return True
        factor, step = 1.0, math.exp(-4.0 / x)
    else:
        factor = HALF_PI_CUBED * x * math.sqrt(x) * math.exp(0.5 / x - EIGHTH * x)
        if u >= factor:
            return False
        step = math.exp(-math.pi * math.pi * x)
    # factor Σ (-1)^n (2n + 1) step^(n(n+1)/2)
    total, power, term, n = 1.0, 1.0, 1.0, 0
    while term > NEGLIGIBLE:
        n += 1
        power *= step
        term *= power
        if n % 2 == 1:
            total -= (2 * n + 1) * term
            if u < factor * total:
                return True
        else:
            total += (2 * n + 1) * term
            if u >= factor * total:
                return False
    return u < factor * total


@inner_kernel
def polya_gamma(generator, b, z):
    """Return a draw from PG(b, z), for any real b > 0 and finite z.

    Exact for b up to 4, by a sum of draws with b = 1 and one with the rest, and wherever
    b e^(-|z|) < 1. Otherwise by the first gammas of the infinite sum that defines PG(b, z), and one
    instead of all others that has their mean and variance: no value of the distribution function
    is off by more than 3e-8.
    """
    if b == 1.0:
        return polya_gamma_1(generator, z)
    if not abs(z) < ENORMOUS:
        return 0.5 * b / abs(z)
    if b <= 1.0 or b * math.exp(-abs(z)) < 1.0:
        return _one_passage(generator, b, z)
    if b > EXACT_UP_TO:
        return _sum_of_gammas(generator, b, z)
    total = 0.0
    while b >= 1.0:
        total += polya_gamma_1(generator, z)
        b -= 1.0
    return total + _one_passage(generator, b, z) if b > 0.0 else total


@inner_kernel
def _one_passage(generator, b, z):
    """Return a draw from PG(b, z) by one inverse Gaussian draw, repeated until r(x) accepts it."""
    y = 0.5 * abs(z)
    drift, scale = b * y, b * b
    limit = BEYOND if b <= 1.0 else max(BEYOND, 4.0 * b / y)  # above, 1e-12 of the draws at most
    while True:
        root = standard_normal(generator)
        v = 0.5 * root * root
        q = drift + v + math.sqrt(v * (2.0 * drift + v))
        u = uniform(generator) * (q + drift)
        if u < q:
            if q * limit <= scale:
                continue
            x = scale / q
        else:
            if q * scale >= limit * drift * drift:
                continue
            x = q * scale / (drift * drift)
        if uniform(generator) < passage_ratio(b, x):
            return 0.25 * x


@inner_kernel
def passage_ratio(b, x):
    """Return r(x) of PG(b, .): its error is 1e-16 times the largest term, which is near 1."""
    power, step = math.exp(-2.0 * (1.0 + b) / x), math.exp(-4.0 / x)
    total, sign, weight, n = 1.0, 1.0, 1.0, 0
    while True:
        n += 1
        sign = -sign
        weight *= power * (b + n - 1.0) / n
        power *= step
        term = weight * (1.0 + 2.0 * n / b)
        total += sign * term
        if term < NEGLIGIBLE:
            return total


@inner_kernel
def polya_gamma_mean(b, z):
    """Return the mean of PG(b, z), b tanh(z/2) / (2 z)."""
    if abs(z) < 0.01:
        return b * (0.25 - z * z / 48.0)
    return b * math.tanh(0.5 * z) / (2.0 * z)


@inner_kernel
def polya_gamma_variance(b, z):
    """Return the variance of PG(b, z), b (sinh z - z) / (4 z³ cosh²(z/2))."""
    z, s = abs(z), z * z
    if z < 0.1:
        return b * (1.0 / 24.0 - s / 120.0 + 17.0 * s * s / 13440.0 - 31.0 * s**3 / 181440.0)
    e = math.exp(-z)  # of sinh and cosh the factor e^z is left out
    return b * (1.0 - e * e - 2.0 * z * e) / (2.0 * z**3 * (1.0 + e) ** 2)


@inner_kernel
def _sum_of_gammas(generator, b, z):
    """Return a draw from PG(b, z) by the sum of GAMMAS + 1 gammas; see `polya_gamma`."""
    mean, variance = polya_gamma_mean(b, z), polya_gamma_variance(b, z)
    total, c = 0.0, z * z / (4.0 * math.pi * math.pi)
    for k in range(GAMMAS):
        scale = 1.0 / (2.0 * math.pi * math.pi * ((k + 0.5) ** 2 + c))
        total += scale * standard_gamma(generator, b)
        mean -= b * scale
        variance -= b * scale * scale
    return total + variance / mean * standard_gamma(generator, mean * mean / variance)
