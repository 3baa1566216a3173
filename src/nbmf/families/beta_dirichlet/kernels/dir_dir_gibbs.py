"""Collapsed Gibbs sampling of the Dir-Dir model (paper, section 5.2).

A one has z = c = k with p(k) ∝ (γ_k + L_fk)(η_k + Q_kn), eq. (59). As in the Beta-Dir sampler its
mass splits into the few components that row f uses and a running sum Σ_k γ_k (η_k + Q_kn).

A zero has z ≠ c. The scheme "joint" draws the pair: z from its row urn γ + L, c from its column
urn η + Q, again until they differ. That is rejection from the exact joint distribution, costs O(1), and
mixes better than the paper's scheme, "alternating", which draws z given c (eq. 60), then c given
z (eq. 61). To draw from an urn, copy the component of a random other cell of the row or column
or, in proportion, take one from the prior.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from nbmf.families.beta_dirichlet.kernels.chain_layout import ChainLayout
from nbmf.families.beta_dirichlet.models import dir_dir
from nbmf.families.beta_dirichlet.models.dir_dir import Counts, random_partners
from nbmf.numerics.cells import random_assignments, smallest_dtype
from nbmf.numerics.compilation import inner_kernel, serial_and_parallel
from nbmf.numerics.random import uniform
from nbmf.numerics.row_lists import used_components
from nbmf.numerics.threads import run_with_threads
from nbmf.numerics.urns import draw_from_urn
from nbmf.seeds import children

MAX_TRIES = 16  # rejected pairs before the plain loop over components, which is exact too


class Assignments(NamedTuple):
    """The components of the cells: z row after row, c column after column.

    So a random cell of a column is one load away, as one of a row is.

    z, c : unsigned arrays (cells,)
    place : uint32 array (cells,), where the c of each cell lies
    column_start : uint32 array (N + 1,), where the c of each column begin
    """

    z: np.ndarray
    c: np.ndarray
    place: np.ndarray
    column_start: np.ndarray


class Urns(NamedTuple):
    """Counts and priors of the components of rows and columns.

    L : int32 array (F, K)
    component, slot, length : the components that each row uses; see row_lists.used_components
    Q : unsigned array (N, K)
    gamma, gamma_sums, eta, eta_sums : float arrays (K,), hyperparameters and their cumulative sums
    """

    L: np.ndarray
    component: np.ndarray
    slot: np.ndarray
    length: np.ndarray
    Q: np.ndarray
    gamma: np.ndarray
    gamma_sums: np.ndarray
    eta: np.ndarray
    eta_sums: np.ndarray


class DirDirChain(ChainLayout):
    """A Markov chain over the assignments Z and C of the Dir-Dir model.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components; at least 2 if there are zeros, since a zero needs z ≠ c.
    gamma, eta : float or array (K,)
        Dirichlet hyperparameters of W and H.
    seed : SeedSequence
        Source of the start (unless Z and C are given) and of one stream per block pair.
    Z, C : int arrays (F, N), optional
        Initial assignments, -1 where missing, equal exactly at ones. Without Z both are random;
        with Z alone, C is random where it is free.
    n_blocks : int, optional
        Blocks per axis; by default a rule of the shape.
    threads : int
        Threads of a sweep; the chain is the same for any number.
    scheme : {"joint", "alternating"}
        How the pair of a zero is drawn.
    """

    def __init__(self, codes, K, gamma, eta, seed, *, Z=None, C=None, n_blocks=None, threads=1, scheme="joint"):
        start_seed, block_seed = children(seed, 2)
        rng = np.random.default_rng(start_seed)
        if Z is None:
            Z = random_assignments(codes, K, rng)
        if C is None:
            C = random_partners(codes, Z, K, rng)
        super().__init__(codes, block_seed, n_blocks)
        self._threads, self._joint = threads, scheme == "joint"
        F, N = codes.shape
        z, c = self._of_cells(Z), self._of_cells(C)
        by_column = np.argsort(self._cells.cross, kind="stable")
        place = np.empty_like(self._cells.cross)
        place[by_column] = np.arange(by_column.size, dtype=np.uint32)
        self._per_column = np.bincount(self._cells.cross, minlength=N)
        column_start = np.concatenate([[0], np.cumsum(self._per_column)]).astype(np.uint32)
        component = smallest_dtype(K - 1, np.uint8, np.uint16, np.uint32)
        self._assigned = Assignments(z.astype(component), c[by_column].astype(component), place, column_start)
        L = np.bincount(self._rows * K + z, minlength=F * K).reshape(F, K).astype(np.int32)
        Q = np.bincount(self._cells.cross * np.int64(K) + c, minlength=N * K).reshape(N, K)
        Q = Q.astype(smallest_dtype(F, np.uint8, np.uint16, np.uint32))
        self._urns = Urns(L, *used_components(L, order=L == 0), Q, *(np.empty(K) for _ in range(4)))
        self.set_priors(gamma, eta)

    def set_priors(self, gamma, eta) -> None:
        """Go on with other hyperparameters, floats or arrays (K,)."""
        urns = self._urns
        urns.gamma[:], urns.eta[:] = gamma, eta
        np.cumsum(urns.gamma, out=urns.gamma_sums)
        np.cumsum(urns.eta, out=urns.eta_sums)
        self.s = urns.eta.sum() + self._per_column  # Ση + n_n, the same for every C

    def sweep(self, n_sweeps: int = 1) -> None:
        """Resample every pair of assignments `n_sweeps` times."""
        arguments = self._cells, self._assigned, self._urns, self._joint, self._generators, n_sweeps
        run_with_threads(_sweeps_serial, _sweeps_parallel, self._threads, arguments)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a sweep changes, by name; writing to them sets the state."""
        return {
            "z": self._assigned.z,
            "c": self._assigned.c,
            "L": self._urns.L,
            "Q": self._urns.Q,
            "generators": self._generators,
            "row list component": self._urns.component,
            "row list slot": self._urns.slot,
            "row list length": self._urns.length,
        }

    @property
    def Z(self) -> np.ndarray:
        """The row-side assignments, int array (F, N), -1 where missing."""
        return self._as_matrix(self._assigned.z)

    @property
    def C(self) -> np.ndarray:
        """The column-side assignments, int array (F, N), -1 where missing."""
        return self._as_matrix(self._assigned.c[self._assigned.place])

    def row_counts(self) -> np.ndarray:
        """Return the counter L, int64 array (F, K)."""
        return self._partition.undo_rows(self._urns.L.astype(np.int64))

    def counts(self, components=slice(None)) -> Counts:
        """Return the counters L (F, K) and Q (K, N), or those of some of the K components."""
        Q = self._urns.Q[:, components].T.astype(np.int64)
        return Counts(L=self.row_counts()[:, components], Q=self._partition.undo_columns(Q))

    def expected_H(self, components) -> np.ndarray:
        """Return E[H | C] of some components, (U, N), columns in the order of the chain."""
        return (self._urns.eta[components, None] + self._urns.Q[:, components].T) / self.s

    @property
    def eta(self) -> np.ndarray:
        """The hyperparameters of the columns, float array (K,)."""
        return self._urns.eta

    @property
    def Q(self) -> np.ndarray:
        """The counter Q itself, (N, K), columns n in the order of the chain: for reading only."""
        return self._urns.Q

    def log_joint(self) -> float:
        """Return log p(V, Z, C) in nats, eqs. (53)-(56)."""
        return dir_dir.log_joint_of_counts(self.counts(), self._urns.gamma, self._urns.eta)


@inner_kernel
def _change_row(f, old, new, urns):
    """Move one count of row f from `old` to `new`, and keep its list."""
    L, component, slot, length = urns.L, urns.component, urns.slot, urns.length
    L[f, old] -= 1
    L[f, new] += 1
    if L[f, new] == 1 and new != old:
        end = length[f]
        component[f, end] = new
        slot[f, new] = end
        length[f] = end + 1
    if L[f, old] == 0:  # close the gap with the last of the list
        last = length[f] - 1
        component[f, slot[f, old]] = component[f, last]
        slot[f, component[f, last]] = slot[f, old]
        length[f] = last


@inner_kernel
def _draw_from_weights(weight, total, generator):
    """Draw k ∝ weight[k]; never a k of weight zero, however the sums are rounded."""
    u = uniform(generator) * total
    drawn = np.uint64(0)
    for k in range(weight.size):
        if weight[k] > 0.0:
            drawn = np.uint64(k)
            if u < weight[k]:
                break
            u -= weight[k]
    return drawn


@inner_kernel
def _draw_one(f, n, old, fresh, urns, generator, weight):
    """Draw z = c for a one, eq. (59). The cell is left out of Q and `fresh`, but not of L."""
    L, component, Q, gamma, eta = urns.L, urns.component, urns.Q, urns.gamma, urns.eta
    m = np.uint64(urns.length[f])
    used = 0.0
    for s in range(m):
        k = np.uint64(component[f, s])
        weight[s] = (L[f, k] - (k == old)) * (eta[k] + Q[n, k])
        used += weight[s]
    u = uniform(generator) * (used + fresh)
    if u < used:
        s, last = np.uint64(0), m - np.uint64(1)
        while s < last and u >= weight[s]:
            u -= weight[s]
            s += np.uint64(1)
        return np.uint64(component[f, s])
    u -= used
    k, last = np.uint64(0), np.uint64(gamma.size - 1)
    while k < last and u >= gamma[k] * (eta[k] + Q[n, k]):
        u -= gamma[k] * (eta[k] + Q[n, k])
        k += np.uint64(1)
    return k


@inner_kernel
def _exact_pair(f, n, old, urns, generator, weight):
    """Draw (z, c) with z ≠ c by plain loops: p(z) ∝ a_z (S - b_z), then p(c) ∝ b_c for c ≠ z."""
    L, Q, gamma, eta = urns.L, urns.Q, urns.gamma, urns.eta
    b_total = 0.0
    for k in range(gamma.size):
        b_total += eta[k] + Q[n, k]
    total = 0.0
    for k in range(gamma.size):
        a = gamma[k] + L[f, k] - (k == old)
        weight[k] = a * (b_total - eta[k] - Q[n, k])
        total += weight[k]
    z = _draw_from_weights(weight, total, generator)
    return z, _c_given_z(n, z, urns, generator, weight)


@inner_kernel
def _alternating_pair(f, n, old, old_c, urns, generator, weight):
    """Draw z given c, eq. (60), then c given z, eq. (61)."""
    L, gamma = urns.L, urns.gamma
    total = 0.0
    for k in range(gamma.size):
        weight[k] = 0.0 if k == old_c else gamma[k] + L[f, k] - (k == old)
        total += weight[k]
    z = _draw_from_weights(weight, total, generator)
    return z, _c_given_z(n, z, urns, generator, weight)


@inner_kernel
def _c_given_z(n, z, urns, generator, weight):
    """Draw c ∝ η + Q_n, but not z, eq. (61)."""
    Q, eta = urns.Q, urns.eta
    total = 0.0
    for k in range(eta.size):
        weight[k] = 0.0 if k == z else eta[k] + Q[n, k]
        total += weight[k]
    return _draw_from_weights(weight, total, generator)


@inner_kernel
def _sweep_block(b, block, cells, assigned, urns, joint, generator, weight, fresh):
    """Resample the cells of row block b and column block `block` once.

    weight (K,) is room to work in, fresh (N,) the running sums Σ_k γ_k (η_k + Q_kn).
    """
    one = np.uint64(1)
    block_start, start, cross, value = cells
    z, c, place, column_start = assigned
    Q, gamma = urns.Q, urns.gamma
    B = np.uint64(block_start.size - 1)
    for f in range(np.uint64(block_start[b]), np.uint64(block_start[b + one])):
        row_first, row_end = np.uint64(start[f * B]), np.uint64(start[(f + one) * B])
        for i in range(start[f * B + block], start[f * B + block + one]):
            n = np.uint64(cross[i])
            own = np.uint64(place[i])
            old_z, old_c = np.uint64(z[i]), np.uint64(c[own])
            Q[n, old_c] -= 1

            if value[i] == 1:
                new_z = _draw_one(f, n, old_z, fresh[n] - gamma[old_c], urns, generator, weight)
                new_c = new_z
            elif joint:
                first, end = np.uint64(column_start[n]), np.uint64(column_start[n + one])
                tries = 0
                new_z = new_c = np.uint64(0)
                while new_z == new_c and tries < MAX_TRIES:
                    new_z = draw_from_urn(z, row_first, row_end, np.uint64(i), urns.gamma_sums, generator)
                    new_c = draw_from_urn(c, first, end, own, urns.eta_sums, generator)
                    tries += 1
                if new_z == new_c:
                    new_z, new_c = _exact_pair(f, n, old_z, urns, generator, weight)
            else:
                new_z, new_c = _alternating_pair(f, n, old_z, old_c, urns, generator, weight)

            z[i] = new_z
            c[own] = new_c
            Q[n, new_c] += 1
            fresh[n] += gamma[new_c] - gamma[old_c]
            _change_row(f, old_z, new_z, urns)


@inner_kernel(fastmath={"reassoc", "contract", "nsz"})
def _fresh_mass(n, Q, gamma, eta):
    """Return Σ_k γ_k (η_k + Q_kn)."""
    total = 0.0
    for k in range(np.uint64(gamma.size)):
        total += gamma[k] * (eta[k] + Q[n, k])
    return total


def _sweeps(cells, assigned, urns, joint, generators, n_sweeps):
    """Resample every cell n_sweeps times.

    Parameters
    ----------
    cells : Cells
    assigned, urns : Assignments, Urns
        They change, as the generators do.
    joint : bool
        Whether the pair of a zero is drawn at once.
    generators : uint64 array (B * B, 8)
        One for each pair of blocks.
    n_sweeps : int
    """
    B = cells.block_start.size - 1
    N, K = urns.Q.shape
    fresh = np.empty(N)
    for _ in range(n_sweeps):
        for n in prange(N):
            fresh[n] = _fresh_mass(np.uint64(n), urns.Q, urns.gamma, urns.eta)
        for r in range(B):
            for b in prange(B):
                block = (b + r) % B
                generator = generators[b * B + block]
                _sweep_block(
                    np.uint64(b), np.uint64(block), cells, assigned, urns, joint, generator, np.empty(K), fresh
                )


_sweeps_serial, _sweeps_parallel = serial_and_parallel(_sweeps)
