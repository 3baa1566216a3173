"""Ordered categories as quadratic forms under q: of ψ in every cell, and of the cut points.

A cell of category v has a term of a binary cell, log σ(± (ψ - θ)), for each of the cuts next to it (see
kernels.cut_points), with the bound

    κ (<ψ> - <θ>) - log(2 cosh(η / 2)),   η² = <(ψ - θ)²> = <ψ²> - 2 <ψ> <θ> + <θ²>,

κ = 1/2 for the cut below, -1/2 for the cut above, and <ω> = tanh(η / 2) / (2 η).
"""

import math

from nbmf.families.logistic.kernels.tilting import tilted_mean
from nbmf.numerics.compilation import inner_kernel, kernel


@inner_kernel(fastmath={"contract"})
def _eta_square(psi, square, cut, cut_square):
    return square - 2.0 * psi * cut + cut_square


@kernel(fastmath={"contract"})
def cell_forms(ranks, psi, square, cuts, cut_squares, h, w):
    """Write the forms h ψ - w ψ² / 2 of all cells, 0 and 0 where one is missing.

    Parameters
    ----------
    ranks : int8 array (F, N)
        v; negative where missing.
    psi, square : float arrays (F, N)
        <ψ> and <ψ²>.
    cuts, cut_squares : float arrays (S, J)
        <θ> and <θ²>, of each column (S = N) or of all (S = 1).
    h, w : float arrays (F, N)
        Output.
    """
    J = cuts.shape[1]
    for f in range(ranks.shape[0]):
        for n in range(ranks.shape[1]):
            s, v = n if cuts.shape[0] > 1 else 0, ranks[f, n]
            linear, weight = 0.0, 0.0
            if v > 0:
                omega = tilted_mean(_eta_square(psi[f, n], square[f, n], cuts[s, v - 1], cut_squares[s, v - 1]))
                weight += omega
                linear += 0.5 + omega * cuts[s, v - 1]
            if 0 <= v < J:
                omega = tilted_mean(_eta_square(psi[f, n], square[f, n], cuts[s, v], cut_squares[s, v]))
                weight += omega
                linear += omega * cuts[s, v] - 0.5
            h[f, n] = linear
            w[f, n] = weight


@kernel(fastmath={"contract"})
def cut_forms(ranks, psi, square, cuts, cut_squares, linear, precision):
    """Add the forms linear θ - precision θ² / 2 of the cuts to float arrays (S, J); see `cell_forms` for the others."""
    J = cuts.shape[1]
    for f in range(ranks.shape[0]):
        for n in range(ranks.shape[1]):
            s, v = n if cuts.shape[0] > 1 else 0, ranks[f, n]
            if v > 0:
                omega = tilted_mean(_eta_square(psi[f, n], square[f, n], cuts[s, v - 1], cut_squares[s, v - 1]))
                precision[s, v - 1] += omega
                linear[s, v - 1] += omega * psi[f, n] - 0.5
            if 0 <= v < J:
                omega = tilted_mean(_eta_square(psi[f, n], square[f, n], cuts[s, v], cut_squares[s, v]))
                precision[s, v] += omega
                linear[s, v] += omega * psi[f, n] + 0.5


@inner_kernel
def _bound_of_term(kappa, psi, square, cut, cut_square):
    eta = math.sqrt(max(_eta_square(psi, square, cut, cut_square), 0.0))
    return kappa * (psi - cut) - 0.5 * eta - math.log1p(math.exp(-eta))


@kernel
def sum_of_terms(ranks, psi, square, cuts, cut_squares):
    """Return the sum of the bounds of all terms in nats; see `cell_forms` for the arguments."""
    total, J = 0.0, cuts.shape[1]
    for f in range(ranks.shape[0]):
        of_row = 0.0
        for n in range(ranks.shape[1]):
            s, v = n if cuts.shape[0] > 1 else 0, ranks[f, n]
            if v > 0:
                of_row += _bound_of_term(0.5, psi[f, n], square[f, n], cuts[s, v - 1], cut_squares[s, v - 1])
            if 0 <= v < J:
                of_row += _bound_of_term(-0.5, psi[f, n], square[f, n], cuts[s, v], cut_squares[s, v])
        total += of_row
    return total
