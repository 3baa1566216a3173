"""Cut points of ordered categories, and the Pólya-Gamma weights of cells with respect to them.

    P(v > c | ψ) = σ(ψ - θ_c),   θ_0 < θ_1 < ... < θ_(J-1),   J = C - 1

A cell v has at most two terms, with respect to the cuts on either side of it:

    P(v | ψ) = σ(ψ - θ_(v-1)) σ(θ_v - ψ) (1 - e^-(θ_v - θ_(v-1))),

and but for the last, in which ψ is not, each is that of a binary cell: a weight PG(1, ψ - θ). Given the weights ψ and
the cuts have quadratic forms, the cuts but for the logarithms of the last factor, which is concave.
"""

import math

import numba
import numpy as np

from nbmf.families.logistic.kernels.tilting import tilted_mean
from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.polya_gamma import polya_gamma_1
from nbmf.numerics.random import uniform

WIDTH = 2.0  # of an interval of a slice, in standard deviations of the normal part
STEPS = 12  # at most, by which it is widened to each side
TRIES = 100  # then a cut stays where it is, which rounding alone can bring about


@kernel(_nrt=False)
def _draw_weights_of_column(first, end, place, ranks, psi, cuts, below, above, precision, linear, generator):
    """Draw the weights of a column's cells, and add to `precision`, `linear` (J,) what they say about the cuts."""
    for cell in range(first, end):
        at = np.uint64(place[cell])
        v, x = ranks[at], psi[at]
        if v > 0:
            w = polya_gamma_1(generator, x - cuts[v - 1])
            below[at] = w
            precision[v - 1] += w
            linear[v - 1] += w * x - 0.5
        if v < cuts.size:
            w = polya_gamma_1(generator, x - cuts[v])
            above[at] = w
            precision[v] += w
            linear[v] += w * x + 0.5


def draw_weights(start, place, ranks, psi, cuts, below, above, precision, linear, generators):
    """Draw ω ~ PG(1, ψ - θ) of every cell and each of the cuts next to its category.

    Parameters
    ----------
    start, place : int64 array (N + 1,), uint32 array (cells,)
        Column n has the cells place[start[n]]..place[start[n + 1] - 1].
    ranks, psi : int8, float arrays (cells,)
        v and ψ, row by row.
    cuts : float array (S, J)
        θ, of each column (S = N) or of all (S = 1).
    below, above : float arrays (cells,)
        ω with respect to θ_(v-1) and θ_v, overwritten where there is such a cut.
    precision, linear : float arrays (N, J)
        Overwritten: Σ ω and Σ (ω ψ ± 1/2) of each column, by which p(θ | ω, ψ) has linear θ - precision θ² / 2.
    generators : uint64 array (N, 8)
    """
    for n in numba.prange(precision.shape[0]):
        precision[n] = 0.0
        linear[n] = 0.0
        _draw_weights_of_column(
            start[n],
            start[n + 1],
            place,
            ranks,
            psi,
            cuts[np.int64(n) if cuts.shape[0] > 1 else 0],
            below,
            above,
            precision[n],
            linear[n],
            generators[n],
        )


draw_weights_serial, draw_weights_parallel = serial_and_parallel(draw_weights)


@inner_kernel
def log_density_of_cut(x, low, high, n_low, n_high, precision, linear):
    """Return log p(θ_c = x | the other cuts, ω, ψ) but for a constant; -∞ unless low < x < high.

    low, high : the cuts on either side, -∞ and ∞ where there is none
    n_low, n_high : how many cells are in the category below x, between low and x, and in that above
    precision, linear : of the quadratic form, prior included
    """
    if not low < x < high:
        return -math.inf
    total = x * (linear - 0.5 * precision * x)
    if n_low > 0:
        total += n_low * math.log(-math.expm1(low - x))
    if n_high > 0:
        total += n_high * math.log(-math.expm1(x - high))
    return total


@inner_kernel
def draw_cut(generator, x, low, high, n_low, n_high, precision, linear):
    """Return the next θ_c after x: a slice of its conditional, by stepping out and shrinking (Neal 2003)."""
    arguments = low, high, n_low, n_high, precision, linear
    width = WIDTH / math.sqrt(precision)
    level = log_density_of_cut(x, *arguments) + math.log(1.0 - uniform(generator))
    left = x - width * uniform(generator)
    right = left + width
    to_the_left = int(uniform(generator) * STEPS)
    for _ in range(to_the_left):
        if log_density_of_cut(left, *arguments) <= level:
            break
        left -= width
    for _ in range(STEPS - 1 - to_the_left):
        if log_density_of_cut(right, *arguments) <= level:
            break
        right += width
    for _ in range(TRIES):
        new = left + (right - left) * uniform(generator)
        if log_density_of_cut(new, *arguments) > level:
            return new
        if new < x:
            left = new
        else:
            right = new
    return x


@kernel
def draw_cuts(cuts, counts, precision, linear, generator):
    """Draw the cuts one after another given the weights and ψ.

    Parameters
    ----------
    cuts : float array (S, J)
        Read and overwritten.
    counts : int64 array (S, C)
        How many cells are in each category.
    precision, linear : float arrays (S, J)
        Of the quadratic forms, prior included.
    generator : uint64 array (8,)
    """
    S, J = cuts.shape
    for s in range(S):
        for c in range(J):
            low = cuts[s, c - 1] if c > 0 else -math.inf
            high = cuts[s, c + 1] if c < J - 1 else math.inf
            n_low = counts[s, c] if c > 0 else 0
            n_high = counts[s, c + 1] if c < J - 1 else 0
            cuts[s, c] = draw_cut(generator, cuts[s, c], low, high, n_low, n_high, precision[s, c], linear[s, c])


@kernel
def update_omega_and_kappa(start, place, ranks, cuts, below, above, omega, kappa):
    """Write what the factors see of every cell, κ ψ - ω ψ² / 2, to `omega` and `kappa` (cells,).

    ω is the sum of the weights, κ = Σ (ω θ ± 1/2); other arguments as of `draw_weights`.
    """
    J = cuts.shape[1]
    for n in range(start.size - 1):
        s = n if cuts.shape[0] > 1 else 0
        for cell in range(start[n], start[n + 1]):
            at = np.uint64(place[cell])
            v, w, k = ranks[at], 0.0, 0.0
            if v > 0:
                w += below[at]
                k += 0.5 + below[at] * cuts[s, v - 1]
            if v < J:
                w += above[at]
                k += above[at] * cuts[s, v] - 0.5
            omega[at], kappa[at] = w, k


@kernel(_nrt=False, fastmath={"contract"})
def _add_row(psi, cuts, sums, f, mean_sum):
    for c in range(cuts.shape[1]):
        for n in range(psi.size):
            x = psi[n] - cuts[n if cuts.shape[0] > 1 else 0, c]
            p = 0.5 + x * tilted_mean(x * x)
            sums[c, f, n] += p
            mean_sum[n] += p


def add_exceedances(psi, cuts, sums, mean_sum):
    """Add P(v > c | ψ) to `sums` (J, F, N), and E[v | ψ], their sum over c, to `mean_sum` (F, N).

    σ(x) = 1/2 + x E[PG(1, x)], whose mean is vector instructions; psi (F, N), cuts (S, J).
    """
    for f in numba.prange(psi.shape[0]):
        _add_row(psi[f], cuts, sums, np.int64(f), mean_sum[f])


add_exceedances_serial, add_exceedances_parallel = serial_and_parallel(add_exceedances)
