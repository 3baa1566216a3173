"""One half of a Gibbs sweep where rows move: the whole path of each row at once, and how far rows go.

Row i has the coefficients u_t (D,) in period t, a random walk from the first period in which it has cells:

    u_first ~ N(0, I),   u_(t+1) ~ N(u_t, v_t I),   v_t = s_i times the time from t to t + 1

Given the weights ω the cells of period t say exp(b_t·u_t - u_t' P_t u_t / 2), with the P and b of `kernels.gibbs`. With
L_t the precision of u_t given the cells up to t, and l_t that times the mean,

    forward:   A_t = I + v_t L_t,   L_(t+1) = P_(t+1) + A_t⁻¹ L_t,   l_(t+1) = b_(t+1) + A_t⁻¹ l_t
    backward:  u_last ~ N(L⁻¹ l, L⁻¹),   u_t | u_(t+1) ~ N(A_t⁻¹ (v_t l_t + u_(t+1)), v_t A_t⁻¹)

(Carter and Kohn 1994, Frühwirth-Schnatter 1994, in precisions: nothing is divided by v, and nothing cancels where it
is small.) A period without cells has P = 0 and b = 0. Before its first and after its last cells a row goes on walking,
which is drawn once s is. A node is a row in a period: number row T + period.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from nbmf.families.logistic.kernels.gibbs import add_cells
from nbmf.numerics.compilation import inner_kernel, kernel, serial_and_parallel
from nbmf.numerics.polya_gamma import polya_gamma
from nbmf.numerics.variates import standard_normal

SLOPE, CURVATURE, SQUARES = 0, 1, 2  # what a path says about s, see `_walk_statistics`


class PathRoom(NamedTuple):
    """Where blocks of rows work: of each period of the row that is drawn.

    P : float array (B, T, D (D + 1) / 2), packed as in kernels.gibbs
    b, linear : float arrays (B, T, D)
        `linear` is l.
    factor : float array (B, T, D, D)
        Cholesky factors of A_t, of the last period that of L.
    L : float array (B, D, D)
    """

    P: np.ndarray
    b: np.ndarray
    linear: np.ndarray
    factor: np.ndarray
    L: np.ndarray

    @classmethod
    def of(cls, n_blocks: int, T: int, D: int) -> "PathRoom":
        """Return room for so many blocks of rows with D coefficients in T periods."""
        shapes = (T, D * (D + 1) // 2), (T, D), (T, D), (T, D, D), (D, D)
        return cls(*(np.zeros((n_blocks, *shape)) for shape in shapes))


@kernel
def cholesky(A):
    """Overwrite the lower triangle of A (D, D) with its Cholesky factor."""
    D = A.shape[0]
    for c in range(D):
        for k in range(c):
            A[c, c] -= A[c, k] * A[c, k]
        A[c, c] = math.sqrt(A[c, c])
        for r in range(c + 1, D):
            for k in range(c):
                A[r, c] -= A[r, k] * A[c, k]
            A[r, c] /= A[c, c]


@kernel
def solve(factor, x):
    """Overwrite x (D,) with A⁻¹ x, given the Cholesky factor of A."""
    D = x.size
    for r in range(D):
        for c in range(r):
            x[r] -= factor[r, c] * x[c]
        x[r] /= factor[r, r]
    for r in range(D - 1, -1, -1):
        for c in range(r + 1, D):
            x[r] -= factor[c, r] * x[c]
        x[r] /= factor[r, r]


@kernel
def draw_normal(factor, b, scale, generator, u):
    """Write a draw from N(A⁻¹ b, scale² A⁻¹) to u (D,), given the Cholesky factor of A; b is overwritten."""
    D = b.size
    for r in range(D):
        for c in range(r):
            b[r] -= factor[r, c] * b[c]
        b[r] /= factor[r, r]
    for r in range(D - 1, -1, -1):
        total = b[r] + scale * standard_normal(generator)
        for c in range(r + 1, D):
            total -= factor[c, r] * u[c]
        u[r] = total / factor[r, r]


@kernel
def _add_packed(P, L):
    """Add a packed triangle to the symmetric L (D, D)."""
    t = 0
    for c in range(L.shape[0]):
        for a in range(c, L.shape[0]):
            L[c, a] += P[t]
            if a > c:
                L[a, c] += P[t]
            t += 1


@kernel
def filter_forward(first, last, variance, gaps, P, b, linear, factor, L):
    """Write `linear` and the factors of the periods `first` to `last` of a row; arrays as in PathRoom."""
    D = L.shape[0]
    L[:] = 0.0
    for c in range(D):
        L[c, c] = 1.0
    _add_packed(P[first], L)
    linear[first] = b[first]
    for t in range(first, last):
        v = variance * gaps[t]
        for r in range(D):
            for c in range(D):
                factor[t, r, c] = v * L[r, c]
            factor[t, r, r] += 1.0
        cholesky(factor[t])
        for c in range(D):
            solve(factor[t], L[:, c])
        _add_packed(P[t + 1], L)
        linear[t + 1] = linear[t]
        solve(factor[t], linear[t + 1])
        linear[t + 1] += b[t + 1]
    factor[last] = L
    cholesky(factor[last])


@kernel
def sample_backward(first, last, variance, gaps, linear, factor, generator, path):
    """Draw the path (T, D) from `last` back to `first`; `linear` is overwritten."""
    draw_normal(factor[last], linear[last], 1.0, generator, path[last])
    for t in range(last - 1, first - 1, -1):
        v = variance * gaps[t]
        for c in range(path.shape[1]):
            linear[t, c] = v * linear[t, c] + path[t + 1, c]
        draw_normal(factor[t], linear[t], math.sqrt(v), generator, path[t])


@kernel
def _walk_statistics(first, last, gaps, P, b, path, sums):
    """Write what a path says about its variance: sums (3,).

    With all steps times c, the log-likelihood given ω is c slope - c² curvature / 2 but for a constant; and the sum of
    the squares of the steps, each over the time that it takes.
    """
    D = path.shape[1]
    sums[:] = 0.0
    for t in range(first + 1, last + 1):
        place = 0
        for c in range(D):
            moved, step = path[t, c] - path[first, c], path[t, c] - path[t - 1, c]
            sums[SLOPE] += moved * b[t, c]
            sums[SQUARES] += step * step / gaps[t - 1]
            for a in range(c, D):
                other = path[t, a] - path[first, a]
                cross = moved * path[first, a]
                if a > c:
                    cross += other * path[first, c]
                sums[SLOPE] -= P[t, place] * cross
                sums[CURVATURE] += P[t, place] * moved * other * (2.0 if a > c else 1.0)
                place += 1


@inner_kernel
def _draw_weights(node, lists, trials, u, design, generator, omega):
    """Draw ω of the cells of a node given its u."""
    for cell in range(lists.start[node], lists.start[node + 1]):
        j, place = np.uint64(lists.index[cell]), np.uint64(lists.place[cell])
        psi = design.offset[j]
        for k in range(u.shape[1]):
            psi += u[node, k] * design.x[j, k]
        omega[place] = polya_gamma(generator, trials[place], psi)


@kernel
def _update_block(
    k,
    lists,
    draws_weights,
    kappa,
    trials,
    omega,
    design,
    spans,
    gaps,
    variances,
    u,
    P,
    b,
    linear,
    factor,
    L,
    sums,
    generator,
):
    """Draw the paths of the rows of block k; arguments as of `update_paths`, room and generator of this block alone."""
    T = gaps.size + 1
    for i in range(lists.block_start[k], lists.block_start[k + 1]):
        first, last = spans[i, 0], spans[i, 1]
        P[:] = 0.0
        b[:] = 0.0
        for t in range(first, last + 1):
            node = i * T + t
            if draws_weights:
                _draw_weights(node, lists, trials, u, design, generator, omega)
            add_cells(node, lists, kappa, omega, design, P[t], b[t])
        path = u[i * T : (i + 1) * T]
        filter_forward(first, last, variances[i], gaps, P, b, linear, factor, L)
        sample_backward(first, last, variances[i], gaps, linear, factor, generator, path)
        _walk_statistics(first, last, gaps, P, b, path, sums[i])


def update_paths(lists, draws_weights, kappa, trials, omega, design, spans, gaps, variances, u, room, sums, generators):
    """Draw the coefficients of all rows in the periods of their spans, and before them ω.

    Parameters
    ----------
    lists : CellLists
        The cells of each node; block k has the rows block_start[k] up to block_start[k + 1].
    draws_weights, trials, omega, design
        As of kernels.gibbs.update_rows.
    kappa : float array (cells,)
        In the order of these lists.
    spans : int64 array (F, 2)
        The first and the last period in which a row has cells.
    gaps : float array (T - 1,)
        The time from each period to the next.
    variances : float array (F,)
        s, of a step over one unit of time.
    u : float array (F T, D)
        Read (for ω) and, in the spans, overwritten.
    room : PathRoom
    sums : float array (F, 3)
        Overwritten: what each path says about its s, SLOPE, CURVATURE and SQUARES.
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
            spans,
            gaps,
            variances,
            u,
            room.P[k],
            room.b[k],
            room.linear[k],
            room.factor[k],
            room.L[k],
            sums,
            generators[k],
        )


update_paths_serial, update_paths_parallel = serial_and_parallel(update_paths)


@kernel
def _finish_path(first, last, variance, gaps, scale, generator, path):
    T, D = path.shape
    for t in range(first + 1, last + 1):
        for c in range(D):
            path[t, c] = path[first, c] + scale * (path[t, c] - path[first, c])
    for t in range(last + 1, T):
        for c in range(D):
            path[t, c] = path[t - 1, c] + math.sqrt(variance * gaps[t - 1]) * standard_normal(generator)
    for t in range(first - 1, -1, -1):
        for c in range(D):
            path[t, c] = path[t + 1, c] + math.sqrt(variance * gaps[t]) * standard_normal(generator)


def finish_paths(block_start, spans, gaps, variances, scales, u, generators):
    """Multiply the steps of each row by its scale (F,), and draw where it is before and after its span."""
    for k in numba.prange(block_start.size - 1):
        T = gaps.size + 1
        for i in range(block_start[k], block_start[k + 1]):
            path = u[i * T : (i + 1) * T]
            _finish_path(spans[i, 0], spans[i, 1], variances[i], gaps, scales[i], generators[k], path)


finish_paths_serial, finish_paths_parallel = serial_and_parallel(finish_paths)
