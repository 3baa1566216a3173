"""Collapsed Gibbs sampling of the Beta-Dir model (paper, section 4.2), sparse and exact.

Eq. (25) for the cell (f, n) with value v is p(z = k) ∝ (γ_k + L_fk) φ^v_kn, where
φ^v_kn = (prior of v + count of v in column n) / (α_k + β_k + M_kn). Its mass splits into

    used  = Σ over the components that row f uses of L_fk φ^v_kn  (a short list), and
    fresh = Σ over all k of γ_k φ^v_kn              (a running sum per column and value),

so that a cell costs a few multiply-adds instead of K. Both leave the cell itself out. Row lists
are kept roughly in descending order of their counts: the search mostly ends at its first entry.
A component from the fresh mass is drawn in proportion to γ_k and accepted with probability φ^v_kn.

A sweep goes along rows, and neighbouring cells of a row mostly use the same components. So the
tables of columns (column_tables.py) have a row per component: reading is sequential, whatever K is.

Rows that use many components are drawn by rejection: k ∝ γ_k + L_fk from the urn of the row,
accepted with probability φ^v_kn, which takes one or two tries whatever K is. Both ways draw from
exactly eq. (25), so each cell may choose.
"""

import numpy as np
from numba import prange

from nbmf.families.beta_dirichlet.kernels.beta_dir_moves import move_blocks
from nbmf.families.beta_dirichlet.kernels.chain_layout import ChainLayout
from nbmf.families.beta_dirichlet.kernels.column_tables import ColumnTables
from nbmf.families.beta_dirichlet.kernels.relabelling import Moves
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.models.beta_dir import Counts
from nbmf.families.beta_dirichlet.models.urns import log_urns
from nbmf.numerics.cells import Cells, random_assignments
from nbmf.numerics.compilation import inner_kernel, serial_and_parallel
from nbmf.numerics.random import uniform
from nbmf.numerics.row_lists import RowLists, drop_one, take_one
from nbmf.numerics.threads import run_with_threads
from nbmf.numerics.urns import draw_from_urn, search
from nbmf.seeds import children

DENSE_ROW = 12  # components a row uses from which rejection is the faster (docs/performance.md)
MAX_TRIES = 16  # rejected components before the row list is used after all


class BetaDirChain(ChainLayout):
    """A Markov chain over the assignments Z of the Beta-Dir model.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components.
    alpha, beta : float, array (K,), or array (1, N) for a prior per column
        Beta hyperparameters.
    gamma : float or array (K,)
        Dirichlet hyperparameters.
    seed : SeedSequence
        Source of the start (unless Z is given) and of one stream per block pair.
    Z : int array (F, N), optional
        Initial assignments, -1 where missing; random if not given.
    n_blocks : int, optional
        Blocks per axis; by default a rule of the shape.
    threads : int
        Threads of a sweep; the chain is the same for any number.
    dense_row : int
        Rows that use more components than this are drawn by rejection.
    block_moves : bool
        Whether after every MOVES_EVERY sweeps blocks of cells change their components at once.
    """

    def __init__(
        self,
        codes,
        K,
        alpha,
        beta,
        gamma,
        seed,
        *,
        Z=None,
        n_blocks=None,
        threads=1,
        dense_row=DENSE_ROW,
        block_moves=False,
    ):
        start_seed, block_seed = children(seed, 2)
        if Z is None:
            Z = random_assignments(codes, K, np.random.default_rng(start_seed))
        super().__init__(codes, block_seed, n_blocks)
        self._threads, self._dense_row = threads, dense_row
        self._z = self._of_cells(Z).astype(np.uint32)
        self._lists = RowLists.of(self._rows, self._z, (codes.shape[0], K))
        N = codes.shape[1]
        self._columns = ColumnTables(
            counts=_column_counts(self._cells, self._z, K, N),
            phi=np.empty((K, 2 * N)),
            sums=np.empty(2 * N),
            prior=np.empty((2, K)),
            of_column=np.empty(2 * N),
            gamma=np.empty(K),
            gamma_sums=np.empty(K),
        )
        self.set_priors(alpha, beta, gamma)
        self._moves = Moves(seed) if block_moves else None
        if block_moves:
            by_column = np.argsort(self._cells.cross, kind="stable")
            ends = np.cumsum(np.bincount(self._cells.cross, minlength=N))
            self._by_column = by_column, np.concatenate([[0], ends])

    def set_priors(self, alpha, beta, gamma) -> None:
        """Go on with other hyperparameters, of the kinds that the constructor takes."""
        tables = self._columns
        K, N = tables.gamma.size, tables.of_column.size // 2
        tables.gamma[:] = gamma
        np.cumsum(tables.gamma, out=tables.gamma_sums)
        self._beta_prior = tuple(beta_dir.broadcast_to_H(value, K) for value in (alpha, beta))
        for v, value in enumerate((beta, alpha)):
            is_per_column = np.ndim(value) == 2
            tables.prior[v] = 1.0 if is_per_column else value
            tables.of_column[v::2] = value[0][self._partition.columns] if is_per_column else 1.0
        prior = tables.prior.T[:, None] * tables.of_column.reshape(N, 2)
        phi = tables.phi.reshape(K, N, 2)
        np.add(prior, tables.counts.reshape(K, N, 2), out=phi)
        phi /= phi.sum(axis=2, keepdims=True)

    def sweep(self, n_sweeps: int = 1) -> None:
        """Resample every assignment `n_sweeps` times."""
        if self._moves is None:
            self._sweep_cells(n_sweeps)
            return
        for sweeps, are_due in self._moves.stretches(n_sweeps):
            self._sweep_cells(sweeps)
            if are_due:
                state = self._z, self._lists, self._columns
                move_blocks(self._cells, self._rows, *self._by_column, *state, self._moves.generator)

    def _sweep_cells(self, n_sweeps: int) -> None:
        state = self._cells, self._z, self._lists, self._columns, self._generators
        run_with_threads(_sweeps_serial, _sweeps_parallel, self._threads, (*state, self._dense_row, n_sweeps))

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a sweep changes, by name; writing to them sets the state.

        φ belongs to it: its last bits depend on how it came about.
        """
        return {
            "z": self._z,
            "column counts": self._columns.counts,
            "phi": self._columns.phi,
            "generators": self._generators,
            **{f"row list {name}": array for name, array in self._lists._asdict().items()},
            **({} if self._moves is None else self._moves.arrays()),
        }

    @property
    def Z(self) -> np.ndarray:
        """The assignments, int array (F, N), -1 where missing."""
        return self._as_matrix(self._z)

    def row_counts(self) -> np.ndarray:
        """Return the counter L, int64 array (F, K)."""
        return self._partition.undo_rows(self._lists.counts())

    def counts(self, components=slice(None)) -> Counts:
        """Return the counters L (F, K), A and B (K, N), or those of some of the K components."""
        by_value = self._columns.counts[components].astype(np.int64)
        return Counts(
            L=self.row_counts()[:, components],
            A=self._partition.undo_columns(by_value[:, 1::2]),
            B=self._partition.undo_columns(by_value[:, ::2]),
        )

    def expected_H(self, components) -> np.ndarray:
        """Return E[H | Z] of some components, (U, N), columns in the order of the chain, eq. (29).

        That is φ of a one, which sweeps keep up to date.
        """
        return self._columns.phi[:, 1::2][components]

    def beta_prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Return α and β as tables that broadcast to (K, N), columns in the order of the chain."""
        order = self._partition.columns
        return tuple(x[:, order] if x.shape[1] == order.size else x for x in self._beta_prior)

    def log_joint(self) -> float:
        """Return log p(V, Z) in nats, eqs. (22)-(24)."""
        L = self.row_counts()
        used = np.flatnonzero(L.any(axis=0))
        alpha, beta = (x[used] if len(x) > 1 else x for x in self._beta_prior)
        _, A, B = self.counts(used)
        return log_urns(L, self._columns.gamma) + beta_dir.log_likelihood(A, B, alpha, beta)


def _column_counts(cells: Cells, z, K, N):
    """Return int32 array (K, 2 N): entry (k, 2 n + v), how often k explains a v in column n."""
    column_and_value = cells.cross.astype(np.int64) * 2 + cells.value
    counts = np.bincount(z * np.int64(2 * N) + column_and_value, minlength=2 * N * K)
    return counts.reshape(K, 2 * N).astype(np.int32)


@inner_kernel
def _renew_sums(first, end, columns):
    """Sum γ_k φ_kn afresh from place `first` to `end`: the running sums drift by rounding."""
    phi, sums, gamma = columns.phi, columns.sums, columns.gamma
    for place in range(first, end):
        sums[place] = 0.0
    for k in range(np.uint64(gamma.size)):
        for place in range(first, end):
            sums[place] += gamma[k] * phi[k, place]


@inner_kernel
def _change_count(n, v, k, step, columns):
    """Add `step` to the count of (k, v) in column n and renew φ and its sums."""
    counts, phi, sums, prior, of_column, gamma, _ = columns
    zero = np.uint64(2) * n
    one = zero + np.uint64(1)
    counts[k, zero + v] += step
    zeros = prior[0, k] * of_column[zero] + counts[k, zero]
    ones = prior[1, k] * of_column[one] + counts[k, one]
    scale = 1.0 / (zeros + ones)
    sums[zero] += gamma[k] * (zeros * scale - phi[k, zero])
    sums[one] += gamma[k] * (ones * scale - phi[k, one])
    phi[k, zero] = zeros * scale
    phi[k, one] = ones * scale


@inner_kernel
def _draw_from_list(f, place, old, reduced_phi, lists, columns, generator, weight):
    """Draw from the two masses `used` and `fresh`, both without the cell itself."""
    component, count, slot, length = lists
    phi, gamma = columns.phi, columns.gamma
    one, own, m = np.uint64(1), np.uint64(slot[f, old]), np.uint64(length[f])
    used = 0.0
    for s in range(m):
        weight[s] = count[f, s] * phi[component[f, s], place]
        used += weight[s]
    own_weight = (count[f, own] - 1.0) * reduced_phi
    used += own_weight - weight[own]
    weight[own] = own_weight
    fresh = columns.sums[place] + gamma[old] * (reduced_phi - phi[old, place])

    u = uniform(generator) * (used + fresh)
    if u < used:
        s, last = np.uint64(0), m - one
        while s < last and u >= weight[s]:
            u -= weight[s]
            s += one
        return np.uint64(component[f, s])
    return _draw_fresh(place, old, reduced_phi, fresh, columns, generator)


@inner_kernel
def _draw_fresh(place, old, reduced_phi, fresh, columns, generator):
    """Draw k ∝ γ_k φ_kn, whose sum is `fresh`, leaving the cell itself out of φ."""
    phi, gamma, gamma_sums = columns.phi, columns.gamma, columns.gamma_sums
    K, one = np.uint64(gamma.size), np.uint64(1)
    for _ in range(MAX_TRIES):
        k = search(gamma_sums, uniform(generator) * gamma_sums[K - one])
        if uniform(generator) < (reduced_phi if k == old else phi[k, place]):
            return k
    u = uniform(generator) * fresh
    k = np.uint64(0)
    while k < K - one:
        u -= gamma[k] * (reduced_phi if k == old else phi[k, place])
        if u < 0.0:
            break
        k += one
    return k


@inner_kernel
def _draw_by_rejection(z, first, end, i, place, old, reduced_phi, columns, generator):
    """Draw k ∝ γ_k + L_fk until one is accepted with probability φ_kn; K after MAX_TRIES."""
    phi, gamma_sums = columns.phi, columns.gamma_sums
    for _ in range(MAX_TRIES):
        k = draw_from_urn(z, first, end, i, gamma_sums, generator)
        accepted = reduced_phi if k == old else phi[k, place]
        if uniform(generator) < accepted:
            return k
    return np.uint64(gamma_sums.size)


@inner_kernel
def _sweep_block(b, c, cells, z, lists, columns, generator, dense_row, weight):
    """Resample the cells of row block b and column block c once; `weight` (K,) is room to work in."""
    one = np.uint64(1)
    block_start, start, cross, value = cells
    counts, prior, of_column = columns.counts, columns.prior, columns.of_column
    K = np.uint64(columns.gamma.size)
    B = np.uint64(block_start.size - 1)
    for f in range(np.uint64(block_start[b]), np.uint64(block_start[b + one])):
        row_first, row_end = np.uint64(start[f * B]), np.uint64(start[(f + one) * B])
        for i in range(start[f * B + c], start[f * B + c + one]):
            n, v = np.uint64(cross[i]), np.uint64(value[i])
            old = np.uint64(z[i])
            place = np.uint64(2) * n + v
            other_place = np.uint64(2) * n + (one - v)
            # φ of the current component without this cell.
            own_value = prior[v, old] * of_column[place] + counts[old, place] - 1.0
            other_value = prior[one - v, old] * of_column[other_place] + counts[old, other_place]
            reduced_phi = own_value / (own_value + other_value)

            new = K
            if lists.length[f] > dense_row:
                new = _draw_by_rejection(
                    z, row_first, row_end, np.uint64(i), place, old, reduced_phi, columns, generator
                )
            if new == K:
                new = _draw_from_list(f, place, old, reduced_phi, lists, columns, generator, weight)

            if new != old:
                z[i] = new
                take_one(f, new, lists)
                drop_one(f, old, lists)
                _change_count(n, v, old, -1, columns)
                _change_count(n, v, new, 1, columns)


def _sweeps(cells, z, lists, columns, generators, dense_row, n_sweeps):
    """Resample every cell n_sweeps times.

    Parameters
    ----------
    cells : Cells
    z : uint32 array (cells,)
        The component of each cell; it changes, as lists, columns and generators do.
    lists : RowLists
    columns : ColumnTables
    generators : uint64 array (B * B, 8)
        One for each pair of blocks.
    dense_row : int
        Rows that use more components are drawn by rejection.
    n_sweeps : int
    """
    B = cells.block_start.size - 1
    places = np.uint64(columns.phi.shape[1])
    for _ in range(n_sweeps):
        for b in prange(B):
            part = places * np.uint64(b) // np.uint64(B), places * np.uint64(b + 1) // np.uint64(B)
            _renew_sums(part[0], part[1], columns)
        for r in range(B):
            for b in prange(B):
                c = (b + r) % B
                weight = np.empty(columns.gamma.size)
                _sweep_block(
                    np.uint64(b), np.uint64(c), cells, z, lists, columns, generators[b * B + c], dense_row, weight
                )


_sweeps_serial, _sweeps_parallel = serial_and_parallel(_sweeps)
