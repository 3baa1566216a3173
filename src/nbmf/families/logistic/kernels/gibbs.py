"""One half of a Gibbs sweep: the rows given the columns, or the columns given the rows, all independent.

In this module the rows of a side are the rows of V or those of its transpose. Row i has the
coefficients u (D,), D = K and one more if rows have effects; the other side has a design x (D,) for each of its
rows, with 1 instead of the effect, and an offset, its own effect. With ψ = offset + x u, the
side of the rows of V draws ω ~ PG(b, ψ) of each observed cell first, and both sides draw

    u ~ N(P⁻¹ b, P⁻¹),   P = diag(precision) + Σ ω x x',   b = precision center + Σ (κ - ω offset) x,

with a center of its own for each row, that of its group where rows have groups.

Of binary cells b = 1 and κ = v - 1/2; cell_likelihoods.py has the others.
Triangles are packed by columns: of x x' the products x_c x_a, a = c..D-1, for c = 0, 1, ...
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from nbmf.families.logistic.kernels.tilting import tilted_mean
from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.polya_gamma import polya_gamma
from nbmf.numerics.variates import standard_normal


class Design(NamedTuple):
    """What the coefficients of one side are multiplied by: the other side, as it is.

    x : float array (n, D)
    packed : float array (n, T), T = D (D + 1) / 2, the packed products x x'
    offset : float array (n,)
    """

    x: np.ndarray
    packed: np.ndarray
    offset: np.ndarray


class Room(NamedTuple):
    """Where blocks work, and what the side that does not draw ω leaves there.

    P, L : float arrays (B, T), of a row Σ ω x x', packed, and P with the prior, then its Cholesky factor
    b, y : float arrays (B, D), of a row b and L⁻¹ b
    slope, curvature : float arrays (B, D), (B, D, D)
        Sums over the block's rows: with all coefficients a times c_a, the log-likelihood given ω
        is slope·c - c' curvature c / 2, but for a constant.
    """

    P: np.ndarray
    L: np.ndarray
    b: np.ndarray
    y: np.ndarray
    slope: np.ndarray
    curvature: np.ndarray

    @classmethod
    def of(cls, n_blocks: int, D: int) -> "Room":
        """Return room for so many blocks of rows with D coefficients."""
        T = D * (D + 1) // 2
        shapes = (T,), (T,), (D,), (D,), (D,), (D, D)
        return cls(*(np.zeros((n_blocks, *shape)) for shape in shapes))


@kernel
def pack_products(design, packed):
    """Write the packed products x x' of each row of a design (n, D) to `packed` (n, T)."""
    n, D = design.shape
    for j in range(n):
        t = 0
        for c in range(D):
            for a in range(c, D):
                packed[j, t] = design[j, c] * design[j, a]
                t += 1


@inner_kernel(fastmath={"contract"})
def _dot(u, i, x, j):
    total = 0.0
    for k in range(x.shape[1]):
        total += u[i, k] * x[j, k]
    return total


@inner_kernel
def _draw_weights(i, lists, trials, u, design, generator, omega):
    """Draw ω of the cells of row i given its u."""
    for cell in range(lists.start[i], lists.start[i + 1]):
        j = np.uint64(lists.index[cell])
        omega[cell] = polya_gamma(generator, trials[cell], design.offset[j] + _dot(u, i, design.x, j))


@inner_kernel(fastmath={"contract"})
def _add_four(cell, index, place, omega, packed, P):
    """Add the terms of four cells to P: read and written once, not four times."""
    c0, c1, c2, c3 = cell, cell + np.uint64(1), cell + np.uint64(2), cell + np.uint64(3)
    j0, j1, j2, j3 = np.uint64(index[c0]), np.uint64(index[c1]), np.uint64(index[c2]), np.uint64(index[c3])
    w0, w1, w2, w3 = omega[place[c0]], omega[place[c1]], omega[place[c2]], omega[place[c3]]
    for t in range(P.size):
        P[t] += (w0 * packed[j0, t] + w1 * packed[j1, t]) + (w2 * packed[j2, t] + w3 * packed[j3, t])


@inner_kernel(fastmath={"contract"})
def add_cells(i, lists, kappa, omega, design, P, b):
    """Add to P (T,) and b (D,) what the cells of row i say."""
    _, start, index, place = lists
    x, packed, offset = design
    first, end = start[i], start[i + 1]
    in_fours = end - (end - first) % 4
    for cell in range(first, in_fours, 4):
        _add_four(np.uint64(cell), index, place, omega, packed, P)
    for cell in range(in_fours, end):
        j, w = np.uint64(index[cell]), omega[place[cell]]
        for t in range(P.size):
            P[t] += w * packed[j, t]
    for cell in range(first, end):
        j = np.uint64(index[cell])
        h = kappa[cell] - omega[place[cell]] * offset[j]
        for a in range(b.size):
            b[a] += h * x[j, a]


@inner_kernel(fastmath={"contract"})
def draw_normal(P, b, generator, u, i):
    """Write a draw from N(P⁻¹ b, P⁻¹) to u[i]; P (T,) and b (D,) are overwritten.

    By P = L L': L y = b, then L' u = y + ε with ε ~ N(0, I).
    """
    D = b.size
    start = 0  # of column c of the triangle
    for c in range(D):
        height = D - c
        scale = 1.0 / math.sqrt(P[start])
        P[start] = scale
        b[c] *= scale
        column = start
        for r in range(1, height):
            P[start + r] *= scale
            b[c + r] -= P[start + r] * b[c]
        for r in range(1, height):
            column += height - r + 1
            for s in range(height - r):
                P[column + s] -= P[start + r] * P[start + r + s]
        start += height
    for c in range(D - 1, -1, -1):
        start -= D - c
        total = b[c] + standard_normal(generator)
        for r in range(1, D - c):
            total -= P[start + r] * u[i, c + r]
        u[i, c] = total * P[start]


@inner_kernel
def _collect(P, b, u, i, slope, curvature):
    """Add to g (D,) and G (D, D) what a row with P and b says about its coefficients times c."""
    t = 0
    for c in range(b.size):
        slope[c] += b[c] * u[i, c]
        for a in range(c, b.size):
            term = P[t] * u[i, c] * u[i, a]
            curvature[c, a] += term
            if a > c:
                curvature[a, c] += term
            t += 1


@kernel(_nrt=False)
def _update_block(
    k, lists, draws_weights, kappa, trials, omega, design, precision, center, u, P, L, b, y, slope, curvature, generator
):
    """Draw the coefficients of the rows of block k, and before them ω, if the side does.

    P, L, b, y, slope and curvature are the block's part of Room: as one bundle they cost 3 % of the time.
    The other arguments are those of `update_rows`, with the generator of this block alone.
    """
    slope[:] = 0.0
    curvature[:] = 0.0
    for i in range(lists.block_start[k], lists.block_start[k + 1]):
        if draws_weights:
            _draw_weights(i, lists, trials, u, design, generator, omega)
        P[:] = 0.0
        b[:] = 0.0
        add_cells(i, lists, kappa, omega, design, P, b)
        for t in range(P.size):
            L[t] = P[t]
        t = 0
        for c in range(precision.size):
            y[c] = b[c] + precision[c] * center[i, c]
            L[t] += precision[c]
            t += precision.size - c
        draw_normal(L, y, generator, u, i)
        if not draws_weights:
            _collect(P, b, u, i, slope, curvature)


def update_rows(lists, draws_weights, kappa, trials, omega, design, precision, center, u, room, generators):
    """Draw the coefficients of all rows of a side.

    Parameters
    ----------
    lists : CellLists
        block_start, int64 array (B + 1,): block k has the rows block_start[k] up to block_start[k + 1] and
        a random stream of its own. start, index, place, int64 (rows + 1,) and uint32 arrays (cells,): row
        i has the cells start[i] up to start[i + 1]: the other side's row of each, and its place among the
        cells row by row.
    draws_weights : bool
        Whether ω is drawn first, by the side of the rows.
    kappa : float array (cells,)
        In the order of these lists.
    trials, omega : float arrays (cells,)
        b of ω, and ω, row by row.
    design : Design
        Of the other side.
    precision, center : float arrays (D,), (rows, D)
        Of the coefficients a priori: their precision and their mean.
    u : float array (rows, D)
        Read (for ω) and overwritten.
    room : Room
    generators : uint64 array (B, 8)
    """
    for k in numba.prange(lists.block_start.size - 1):
        _update_block(
            np.int64(k),  # unsigned in parallel: the block would be compiled twice
            lists,
            draws_weights,
            kappa,
            trials,
            omega,
            design,
            precision,
            center,
            u,
            room.P[k],
            room.L[k],
            room.b[k],
            room.y[k],
            room.slope[k],
            room.curvature[k],
            generators[k],
        )


update_rows_serial, update_rows_parallel = serial_and_parallel(update_rows)


@kernel(_nrt=False, fastmath={"contract"})
def _add_row(row_effect, coefficients, loadings, column_effects, psi, psi_sum, mean_sum):
    for n in range(psi.size):
        psi[n] = row_effect + column_effects[n]
    for k in range(loadings.shape[0]):
        for n in range(psi.size):
            psi[n] += coefficients[k] * loadings[k, n]
    for n in range(psi.size):
        psi_sum[n] += psi[n]
        mean_sum[n] += 0.5 + psi[n] * tilted_mean(psi[n] * psi[n])


def add_means(row_effects, W, H, column_effects, psi, psi_sum, mean_sum):
    """Add ψ (F, N) to `psi_sum` and σ(ψ) to `mean_sum`; psi (F, N) is room to work in.

    σ(ψ) = 1/2 + ψ E[PG(1, ψ)], whose mean is vector instructions.
    """
    for f in numba.prange(W.shape[0]):
        _add_row(row_effects[f], W[f], H, column_effects, psi[f], psi_sum[f], mean_sum[f])


add_means_serial, add_means_parallel = serial_and_parallel(add_means)
