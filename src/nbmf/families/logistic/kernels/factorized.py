"""A step of the factorized approximation under a Pólya-Gamma likelihood, a pass per two rows.

In this module rows are those of V or of its transpose. Two rows are updated at once,
so that what is read of the entries serves both: of short rows that is what costs most.
"""

import numpy as np

from nbmf.families.logistic.kernels.tilting import tilted_mean
from nbmf.numerics.compilation import inner_kernel, kernel

# Sums over entries in any order; functions that have them write to no array, so that the order
# does not depend on where arrays lie.
REORDER = {"reassoc", "contract", "nsz"}


@kernel(fastmath={"contract"})
def update_rows(
    values, row_size, entry_size, slope, mean, variance, entry_mean, entry_variance, precision, center, free, step
):
    """Update µ and σ² of every row: one Newton step with the diagonal of the Hessian.

    An entry x has h = x - b/2 and w = b tanh(η/2) / (2η) with b = row_size + entry_size + slope x
    and η² = <ψ²>; one that is missing has h = w = 0. With m, s² of the entries

        g = Σ (h - w <ψ>) m - (Σ w s²) µ - p (µ - center),   δ = p + Σ w (m² + s²),   d = g / δ,
        σ² = 1 / δ,   µ = µ + t d,   t = step, or g·d / d'Ad where step is 0,

    A the Hessian of the row, diag(p) + Σ w (m m' + diag(s²)).

    Parameters
    ----------
    values : int array (rows, entries)
        x; negative where missing.
    row_size, entry_size : float arrays (rows,), (entries,)
    slope : float
    mean, variance : float arrays (rows, R)
        µ and σ², changed in place.
    entry_mean, entry_variance : float arrays (R, entries)
        m and s².
    precision, center : float arrays (R,), (rows, R)
        p and the mean of the prior.
    free : bool array (R,)
        Coordinates that are updated; the others stay as they are.
    step : float
        t; 0 for the best along d.
    """
    rows, entries = values.shape
    R = mean.shape[1]
    psi, square = np.empty((2, entries)), np.empty((2, entries))
    w, pull = np.empty((2, entries)), np.empty((2, entries))
    sums = np.empty((2, 3, R))
    d = np.empty((2, R))
    for first in range(0, rows, 2):
        second = min(first + 1, rows - 1)
        _predict(first, second, mean, variance, entry_mean, entry_variance, psi, square)
        for place in range(2):
            row = second if place else first
            _weigh(values, row, row_size[row], entry_size, slope, psi, square, place, w, pull)
        for k in range(R):
            (sums[0, 0, k], sums[0, 1, k], sums[0, 2, k], sums[1, 0, k], sums[1, 1, k], sums[1, 2, k]) = _sums(
                k, w, pull, entry_mean, entry_variance
            )
        for place in range(second - first + 1):
            row = second if place else first
            top = bottom = 0.0
            for k in range(R):
                prior = precision[k] + sums[place, 1, k]
                g = sums[place, 0, k] - prior * mean[row, k] + precision[k] * center[row, k]
                delta = precision[k] + sums[place, 2, k]
                d[place, k] = g / delta if free[k] else 0.0
                top += g * d[place, k]
                bottom += prior * d[place, k] ** 2
                if free[k]:
                    variance[row, k] = 1.0 / delta
            t = step
            if step == 0.0:
                _along(d, place, entry_mean, psi)
                bottom += _curvature(w, psi, place)
                t = top / bottom if bottom > 0.0 else 0.0
            for k in range(R):
                mean[row, k] += t * d[place, k]


@inner_kernel(fastmath={"contract"})
def _predict(first, second, mean, variance, entry_mean, entry_variance, psi, square):
    """Write <ψ> and the variance of ψ of two rows, Σ (µ² + σ²) s² + σ² m²."""
    R, entries = entry_mean.shape
    for j in range(entries):
        psi[0, j] = psi[1, j] = square[0, j] = square[1, j] = 0.0
    for k in range(R):
        mu, nu = mean[first, k], mean[second, k]
        mu_var, nu_var = variance[first, k], variance[second, k]
        mu_all, nu_all = mu * mu + mu_var, nu * nu + nu_var
        for j in range(entries):
            m, s = entry_mean[k, j], entry_variance[k, j]
            both = m * m
            psi[0, j] += mu * m
            psi[1, j] += nu * m
            square[0, j] += mu_all * s + mu_var * both
            square[1, j] += nu_all * s + nu_var * both


@inner_kernel(fastmath={"contract"})
def _weigh(values, row, row_size, entry_size, slope, psi, square, place, w, pull):
    """Write w and h - w <ψ> of a row."""
    for j in range(values.shape[1]):
        x = np.float64(values[row, j])
        b = row_size + entry_size[j] + slope * x
        mean = psi[place, j]
        weight = b * tilted_mean(square[place, j] + mean * mean)
        seen = x >= 0.0
        w[place, j] = weight if seen else 0.0
        pull[place, j] = x - 0.5 * b - weight * mean if seen else 0.0


@inner_kernel(fastmath=REORDER)
def _sums(k, w, pull, entry_mean, entry_variance):
    """Return Σ (h - w <ψ>) m, Σ w s² and Σ w (m² + s²) of two rows."""
    g = c = e = g2 = c2 = e2 = 0.0
    for j in range(w.shape[1]):
        m, s = entry_mean[k, j], entry_variance[k, j]
        both = m * m + s
        g += pull[0, j] * m
        c += w[0, j] * s
        e += w[0, j] * both
        g2 += pull[1, j] * m
        c2 += w[1, j] * s
        e2 += w[1, j] * both
    return g, c, e, g2, c2, e2


@inner_kernel(fastmath={"contract"})
def _along(d, place, entry_mean, change):
    """Write m·d, by which ψ of the entries changes, over <ψ>."""
    R, entries = entry_mean.shape
    for j in range(entries):
        change[place, j] = 0.0
    for k in range(R):
        for j in range(entries):
            change[place, j] += d[place, k] * entry_mean[k, j]


@inner_kernel(fastmath=REORDER)
def _curvature(w, change, place):
    """Return Σ w (m·d)²."""
    total = 0.0
    for j in range(w.shape[1]):
        total += w[place, j] * change[place, j] * change[place, j]
    return total
