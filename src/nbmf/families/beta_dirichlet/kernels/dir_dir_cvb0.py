"""Collapsed variational inference of the Dir-Dir model, CVB0 over the pairs (z, c).

The paper leaves it for future work; it is to eqs. (59)-(61) what eq. (36) is to eq. (25). With
a_k = γ_k + E[L_fk] and b_k = η_k + E[Q_kn] without the cell itself, a one has z = c:

    q(z = c = k) ∝ a_k b_k,

and a zero has z ≠ c, q(z = j, c = k) ∝ a_j b_k. The counts need its marginals only, and these cost
O(K): with the sums S_a = Σ a_k and S_b = Σ b_k, which no responsibility changes,

    q(z = k) ∝ a_k (S_b - b_k),    q(c = k) ∝ b_k (S_a - a_k).

A one keeps one vector of responsibilities, a zero two. Precision, order of the visits, blocks and
lanes are those of Beta-Dir (beta_dir_cvb0.py).
"""

import numpy as np
from numba import prange

from nbmf.families.beta_dirichlet.models.dir_dir import Counts, random_partners
from nbmf.numerics.cells import BlockPartition, random_assignments
from nbmf.numerics.compilation import inner_kernel, serial_and_parallel
from nbmf.numerics.interleaving import COLUMNS_AT_ONCE, interleaved
from nbmf.numerics.lanes import LANES, load, padded, spread, store, total
from nbmf.numerics.prefetch import prefetch
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children

FLOATS_AHEAD = 1600  # how far ahead of the current cell responsibilities are prefetched


class DirDirCVB0:
    """The variational distribution q(Z, C) of the Dir-Dir model and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components; at least 2 if there are zeros, since a zero needs z ≠ c.
    gamma, eta : float or array (K,)
        Dirichlet hyperparameters of W and H.
    seed : SeedSequence
        Source of the start, one-hot at random: the assignments that DirDirChain starts from.
    Z, C : int arrays (F, N), optional
        Initial assignments, -1 where missing, equal exactly at ones. Without Z both are random;
        with Z alone, C is random where it is free.
    n_blocks : int, optional
        Blocks per axis; by default a rule of the shape.
    threads : int
        Threads of an update; the result is the same for any number.
    """

    def __init__(self, codes, K, gamma, eta, seed, *, Z=None, C=None, n_blocks=None, threads=1):
        rng = np.random.default_rng(children(seed, 1)[0])
        if Z is None:
            Z = random_assignments(codes, K, rng)
        if C is None:
            C = random_partners(codes, Z, K, rng)
        self._shape, self._K, self._threads = codes.shape, K, threads
        self._partition = BlockPartition.of(*codes.shape, n_blocks)
        codes, Z, C = (self._partition.apply(matrix) for matrix in (codes, Z, C))
        self._order = interleaved(codes, self._partition.n_blocks)
        self._columns = self._order.columns()
        cells = self._order.row, self._columns
        width = padded(K)
        # The vector of a one is q(z) = q(c); those of a zero are q(z) and, behind it, q(c).
        of_z, of_c, end = self._vectors()
        self._r = np.zeros((end, width), np.float32)
        self._r[of_z, Z[cells]] = 1.0
        self._r[of_c, C[cells]] = 1.0
        self._first_vector = np.append(of_z, end)[self._order.start].astype(np.uint64)
        # A component of the padding has no weight in any row or column: it stays without cells.
        self._gamma, self._eta = (_pad(prior, K, width) for prior in (gamma, eta))
        self._rows = self._gamma + _count(cells[0], Z[cells], (codes.shape[0], width))
        self._column_counts = self._eta + _count(cells[1], C[cells], (codes.shape[1], width))
        # S_a of each row and S_b of each column, of the other cells: none counts itself.
        self._sums = tuple(
            (counts.sum(axis=1) - 1.0).astype(np.float32) for counts in (self._rows, self._column_counts)
        )

    def update(self, n_iter: int = 1) -> None:
        """Renew q(z, c) of every observed entry `n_iter` times."""
        arguments = (self._order, self._first_vector, self._r, self._rows, self._column_counts)
        arguments = (*arguments, *self._sums, n_iter)
        run_with_threads(_updates_serial, _updates_parallel, self._threads, arguments)

    @property
    def responsibilities(self) -> tuple[np.ndarray, np.ndarray]:
        """q(z_fn = k) and q(c_fn = k), float32 arrays (F, N, K), zeros where missing.

        They are made at every call.
        """
        marginals = []
        for vectors in self._vectors()[:2]:
            marginal = np.zeros((*self._shape, self._K), np.float32)
            marginal[self._order.row, self._columns] = self._r[vectors, : self._K]
            marginals.append(self._partition.undo(marginal))
        return tuple(marginals)

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K) and E[Q] (K, N)."""
        L = (self._rows - self._gamma)[:, : self._K]
        Q = (self._column_counts - self._eta)[:, : self._K]
        return Counts(L=self._partition.undo_rows(L), Q=self._partition.undo_columns(Q.T))

    def _vectors(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the place of q(z) and of q(c) of each cell, int64 (cells,), and how many."""
        two = self._order.place % 2 == 0
        end = np.cumsum(1 + two)
        return end - 1 - two, end - 1, int(end[-1]) if end.size else 0


def _pad(hyperparameter, K: int, width: int) -> np.ndarray:
    return np.append(np.broadcast_to(hyperparameter, K).astype(float), np.zeros(width - K))


def _count(rows: np.ndarray, components: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    counts = np.bincount(rows * np.int64(shape[1]) + components, minlength=shape[0] * shape[1])
    return counts.reshape(shape)


# The arrays come whole, with indices: a slice per cell would cost as much as the arithmetic.
@inner_kernel
def _update_one(i, f, n, r, rows, row_steps, column_counts, column_steps, weight):
    """Renew q(z) = q(c), vector i, of a one in row f and column n.

    Counts are a base plus the steps taken since, both float32, as in beta_dir_cvb0.py.
    """
    K, lanes, zero = np.uint64(r.shape[1]), np.uint64(LANES), np.uint64(0)
    ahead = i + np.uint64(1) + np.uint64(FLOATS_AHEAD) // K
    sums = spread(np.float32(0.0))
    for k in range(zero, K, lanes):
        prefetch(r, ahead, k)
        before = load(r, i, k)
        a = load(rows, f, k) + (load(row_steps, f, k) - before)
        b = load(column_counts, n, k) + (load(column_steps, n, k) - before)
        sums = sums + a * b
        store(weight, zero, k, a * b)
    scale = spread(np.float32(1.0) / total(sums))
    for k in range(zero, K, lanes):
        after = load(weight, zero, k) * scale
        step = after - load(r, i, k)
        store(r, i, k, after)
        store(row_steps, f, k, load(row_steps, f, k) + step)
        store(column_steps, n, k, load(column_steps, n, k) + step)


@inner_kernel
def _update_zero(i, f, n, sum_a, sum_b, r, rows, row_steps, column_counts, column_steps, weight):
    """Renew q(z), vector i, and q(c), vector i + 1, of a zero in row f and column n."""
    K, lanes, zero, one = np.uint64(r.shape[1]), np.uint64(LANES), np.uint64(0), np.uint64(1)
    ahead = i + one + one + np.uint64(FLOATS_AHEAD) // K
    sums_of_z, sums_of_c = spread(np.float32(0.0)), spread(np.float32(0.0))
    all_a, all_b = spread(sum_a), spread(sum_b)
    for k in range(zero, K, lanes):
        prefetch(r, ahead, k)
        prefetch(r, ahead + one, k)
        a = load(rows, f, k) + (load(row_steps, f, k) - load(r, i, k))
        b = load(column_counts, n, k) + (load(column_steps, n, k) - load(r, i + one, k))
        of_z, of_c = a * (all_b - b), b * (all_a - a)
        sums_of_z, sums_of_c = sums_of_z + of_z, sums_of_c + of_c
        store(weight, zero, k, of_z)
        store(weight, one, k, of_c)
    # The two sums are the same number but for rounding; each marginal is to sum to one.
    _set_weights(i, zero, total(sums_of_z), f, r, row_steps, weight)
    _set_weights(i + one, one, total(sums_of_c), n, r, column_steps, weight)


@inner_kernel
def _set_weights(i, side, of_all, row, r, steps, weight):
    """Set vector i to the weights of a `side` over the sum `of_all`; add its step to that row of the table `steps`."""
    K, lanes, zero = np.uint64(r.shape[1]), np.uint64(LANES), np.uint64(0)
    scale = spread(np.float32(1.0) / of_all)
    for k in range(zero, K, lanes):
        after = load(weight, side, k) * scale
        store(steps, row, k, load(steps, row, k) + (after - load(r, i, k)))
        store(r, i, k, after)


@inner_kernel
def _update_group(
    g,
    c,
    turns,
    first_vector,
    r,
    rows,
    row_steps,
    all_column_counts,
    row_sums,
    column_sums,
    column_counts,
    column_steps,
    weight,
):
    """Renew the cells of column group g and row block c once."""
    one, two = np.uint64(1), np.uint64(2)
    _, first_column, start, row, place = turns
    first, end = np.uint64(first_column[g]), np.uint64(first_column[g + one])
    for n in range(first, end):
        for k in range(all_column_counts.shape[1]):
            column_counts[n - first, k] = all_column_counts[n, k]
            column_steps[n - first, k] = 0.0
    segment = c * np.uint64(first_column.size - 1) + g
    vector = first_vector[segment]
    for i in range(start[segment], start[segment + one]):
        n, f = np.uint64(place[i]) // two, np.uint64(row[i])
        if np.uint64(place[i]) % two == one:
            _update_one(vector, f, n, r, rows, row_steps, column_counts, column_steps, weight)
            vector += one
        else:
            sums = row_sums[f], column_sums[first + n]
            _update_zero(vector, f, n, *sums, r, rows, row_steps, column_counts, column_steps, weight)
            vector += two
    for n in range(first, end):
        for k in range(all_column_counts.shape[1]):
            all_column_counts[n, k] += column_steps[n - first, k]


def _updates(turns, first_vector, r, rows, column_counts, row_sums, column_sums, n_iter):
    B = turns.block_start.size - 1
    K = r.shape[1]
    row_steps = np.zeros(rows.shape, np.float32)
    for _ in range(n_iter):
        base = rows.astype(np.float32)
        for round_ in range(B):
            for b in prange(B):
                c = np.uint64((b + round_) % B)
                group_counts = np.empty((COLUMNS_AT_ONCE, K), np.float32)
                steps, weight = np.empty_like(group_counts), np.empty((2, K), np.float32)
                for g in range(np.uint64(turns.block_start[b]), turns.block_start[b + 1]):
                    _update_group(
                        g,
                        c,
                        turns,
                        first_vector,
                        r,
                        base,
                        row_steps,
                        column_counts,
                        row_sums,
                        column_sums,
                        group_counts,
                        steps,
                        weight,
                    )
        rows += row_steps
        row_steps[:] = 0.0


_updates_serial, _updates_parallel = serial_and_parallel(_updates)
