"""A chain of loadings B, scores Z and their number: what all links share, in arrays that grow."""

import numpy as np

from nbmf.families.buffet.buffet_priors import BuffetPrior
from nbmf.families.buffet.engines import Matrix, engine_for, enlarged
from nbmf.families.buffet.kernels import sweeps
from nbmf.families.buffet.kernels.arrays import BestState, KeptSums, PriorTables, StateArrays
from nbmf.families.buffet.kernels.numbers import MASS, NAMES, SLAB
from nbmf.families.buffet.moves import Moves
from nbmf.families.buffet.shapes import renew
from nbmf.families.buffet.states import ChainState, Numbers, left_ordered
from nbmf.inference.state import put_back
from nbmf.numerics.random import generator_states
from nbmf.seeds import children

DENSE = 20  # columns of a dense start


class BuffetChain:
    """Markov chain over (Ξ, B, Z), effects of rows and columns, variances and mass.

    Parameters
    ----------
    matrix : Matrix
    prior : BuffetPrior
        Its mass is where the chain starts if the mass is learned.
    numbers : Numbers
    seed : SeedSequence
    capacity : int
        Columns that arrays have room for at first. They grow; the chain has the same bits.
    samples : int
        Sweeps that may be kept.
    keeps_mean, keeps_covariance : bool
        Whether E[V] and BB' are added up.
    learned_shapes : tuple of str
        Which of "alpha" and "kappa" are drawn, too.
    by_cells : bool
        Whether complete Gaussian data are swept as others are, which takes longer.
    column_moves, scale_moves : bool
        Whether whole columns are born and die, and log-odds of a binary matrix are scaled, between
        sweeps; see `moves`.
    """

    def __init__(
        self,
        matrix: Matrix,
        prior: BuffetPrior,
        numbers: Numbers,
        seed: np.random.SeedSequence,
        *,
        capacity: int = 10,
        samples: int = 0,
        keeps_mean: bool = True,
        keeps_covariance: bool = False,
        learned_shapes: tuple[str, ...] = (),
        by_cells: bool = False,
        column_moves: bool = False,
        scale_moves: bool = False,
    ):
        (p, n), self._matrix = matrix.signal.shape, matrix
        self._p, self._n, self._cells = p, n, int(np.count_nonzero(matrix.observed))
        self._learned_shapes, self._shape_sums = learned_shapes, np.zeros(2)
        self._moves = Moves(matrix, column_moves, scale_moves)
        self._priors, self._births = np.array(numbers.priors, float), np.zeros(2, np.int64)
        self._slab_prior = self._priors[SLAB].copy()
        effects, empty = (np.zeros(p), np.zeros(n)), (np.zeros((p, 0)), np.zeros((0, n)))
        start = np.array(numbers.start, float)
        self._state = StateArrays(np.zeros(1, np.int64), *empty, np.zeros(0, np.int64), *effects, start)
        best = *empty, *(np.zeros_like(x) for x in effects), start.copy()
        self._best = BestState(np.full(1, -np.inf), np.zeros(1, np.int64), *best)
        shape = (p, n) if keeps_mean else (0, 0)
        squares = np.zeros((0, 0) if matrix.logit else shape)
        covariance = np.zeros((p, p) if keeps_covariance else (0, 0))
        sizes, count = np.zeros(samples, np.int32), np.zeros(1, np.int64)
        self._kept = KeptSums(np.zeros(shape), squares, covariance, np.zeros(len(NAMES)), sizes, count)
        self._generator = generator_states(children(seed, 1)[0], 1)[0]
        self._engine = engine_for(matrix, by_cells)
        self._set_prior(prior)
        self._make_room(max(1, capacity))

    def _make_room(self, capacity: int) -> None:
        """Give all arrays room for so many columns."""
        self._state, self._best = (
            arrays._replace(B=enlarged(arrays.B, (self._p, capacity)), Z=enlarged(arrays.Z, (capacity, self._n)))
            for arrays in (self._state, self._best)
        )
        counts = enlarged(self._state.feature_counts, (capacity,))
        self._state = self._state._replace(feature_counts=counts)
        self._engine.make_room(capacity)

    def _set_prior(self, prior: BuffetPrior) -> None:
        """Take over α and κ; the mass is one of the numbers."""
        self.prior, unit, p = prior, prior._replace(mass=1.0), self._p
        tables = unit.log_odds(p), unit.log_weights(p), unit.log_rate(p), unit.features_per_mass(p)
        self._tables = PriorTables(*tables, self._priors)

    # --- Starts ----------------------------------------------------------------------------------

    def start_dense(self, seed: np.random.SeedSequence) -> None:
        """Start from DENSE columns, each of which about half the rows have, all from the prior.

        A chain starts from none otherwise.
        """
        rng = np.random.default_rng(seed)
        there = rng.random((self._p, DENSE)) < 0.5
        sd = np.sqrt(self._state.numbers[SLAB])
        self._put(
            np.where(there, rng.normal(0.0, sd, there.shape), 0.0)[:, there.any(axis=0)],
            rng.standard_normal((int(there.any(axis=0).sum()), self._n)),
        )

    def _put(self, B: np.ndarray, Z: np.ndarray) -> None:
        K = B.shape[1]
        if self._state.Z.shape[0] < K:
            self._make_room(K)
        state = self._state
        state.size[0] = K
        state.B[:, :K], state.Z[:K], state.feature_counts[:K] = B, Z, np.count_nonzero(B, axis=0)
        self._engine.take(K, state.Z)

    # --- Sweeps ----------------------------------------------------------------------------------

    def sweep(self, steps: int = 1, share: float = 1.0, *, keep: bool = False, holds_slab: bool = False) -> None:
        """Do so many sweeps, kept or not.

        A `share` of the rows is asked for births and deaths; τ can be held where it is.
        """
        self._priors[SLAB] = 0.0 if holds_slab else self._slab_prior
        if not self._learned_shapes and not self._moves:
            self._sweep(steps, share, keep)
            return
        for _ in range(steps):
            self._sweep(1, share, keep)
            if self._moves:
                self._move()
            if self._learned_shapes:
                self._renew_shapes()
            if keep:
                self._shape_sums += self.prior.alpha, self.prior.kappa

    def _move(self) -> None:
        """Take the steps between sweeps: columns first, which need the Pólya-Gamma variables."""
        moves, generator = self._moves, self._generator
        if moves.wants_column(generator):
            if self._state.Z.shape[0] == self.K:
                self._make_room(2 * self.K)
            rest = self._tables.log_weights, self._engine.precisions, generator
            K = moves.move_column(self.K, self._state, self.prior, *rest)
            if K != self.K:
                self._state.size[0] = K
                self._engine.take(K, self._state.Z)
        moves.scale(self.K, self._state, self._priors, generator)

    def _renew_shapes(self) -> None:
        prior = self.prior._replace(mass=float(self._state.numbers[MASS]))
        counts = self._state.feature_counts[: self.K]
        self._set_prior(renew(prior, self._learned_shapes, counts, self._p, self._generator))

    def _sweep(self, steps: int, share: float, keep: bool) -> None:
        first = 0
        while steps:
            arrays = self._state, self._tables, self._kept, self._best, self._births, self._generator
            done, first = self._engine.run(steps, max(first, 0), float(share), keep, *arrays)
            steps -= done
            if first >= 0:
                self._make_room(2 * self._state.Z.shape[0])

    # --- Where it is -----------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """(p, n)."""
        return self._p, self._n

    @property
    def K(self) -> int:
        """K+ now."""
        return int(self._state.size[0])

    @property
    def kept(self) -> int:
        """How many sweeps have been kept."""
        return int(self._kept.count[0])

    @property
    def sizes(self) -> np.ndarray:
        """K+ of each kept sweep, int array (kept,)."""
        return self._kept.sizes[: self.kept].copy()

    @property
    def births(self) -> tuple[int, int]:
        """How often rows were asked for births and deaths, and how often something changed."""
        return int(self._births[0]), int(self._births[1])

    def state(self) -> ChainState:
        """Return copies of what the chain is at now."""
        return _chain_state(self._state)

    def best_state(self) -> ChainState:
        """Return the kept state with the highest log joint, columns left-ordered."""
        return left_ordered(_chain_state(self._best if self.kept else self._state))

    def log_joint(self) -> float:
        """Return the log joint density of data and state, in nats; see kernels.shared.log_prior."""
        return float(sweeps.log_joint_of(self._cells, self._matrix, self._state, self._tables))

    def mean_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums over kept sweeps of E[v] and, of a Gaussian matrix, its square."""
        return self._kept.mean, self._kept.square

    def mean_covariance(self) -> np.ndarray | None:
        """Return the mean of BB' over kept sweeps, float array (p, p); None before the first, or if none is kept."""
        sums = self._kept.covariance
        return sums / self.kept if self.kept and sums.size else None

    def mean_numbers(self) -> dict[str, float]:
        """Return the means over kept sweeps of the numbers, and α and κ; before, those of now."""
        values, shapes = self._state.numbers, [self.prior.alpha, self.prior.kappa]
        if self.kept:
            values = self._kept.numbers / self.kept
            if self._learned_shapes:
                shapes = self._shape_sums / self.kept
        names = (*NAMES, "alpha", "kappa")
        return dict(zip(names, [*map(float, values), *map(float, shapes)], strict=True))

    # --- Snapshots -------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name, without the room that is not used."""
        now, best = _chain_state(self._state), _chain_state(self._best)
        sized = {"B": now.B, "Z": now.Z, "best B": best.B, "best Z": best.Z}
        return sized | self._fixed() | {"shape": np.array([self.prior.alpha, self.prior.kappa])}

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot."""
        put_back(self._fixed(), snapshot)
        best_B, best_Z = snapshot["best B"], snapshot["best Z"]
        K, best_K = snapshot["B"].shape[1], best_B.shape[1]
        if self._state.Z.shape[0] < max(K, best_K):
            self._make_room(max(K, best_K))
        self._state.B[:] = 0.0
        self._put(snapshot["B"], snapshot["Z"])
        self._best.size[0] = best_K
        self._best.B[:, :best_K], self._best.Z[:best_K] = best_B, best_Z
        alpha, kappa = map(float, snapshot["shape"])
        self._set_prior(self.prior._replace(alpha=alpha, kappa=kappa))

    def _fixed(self) -> dict[str, np.ndarray]:
        """Return the arrays whose shapes stay."""
        return {
            "numbers": self._state.numbers,
            "row effects": self._state.row_effects,
            "column effects": self._state.column_effects,
            "sum": self._kept.mean,
            "sum of squares": self._kept.square,
            "sum of covariances": self._kept.covariance,
            "sum of numbers": self._kept.numbers,
            "sum of shapes": self._shape_sums,
            "sizes": self._kept.sizes,
            "kept": self._kept.count,
            "best log joint": self._best.log_joint,
            "best row effects": self._best.row_effects,
            "best column effects": self._best.column_effects,
            "best numbers": self._best.numbers,
            "births": self._births,
            "generator": self._generator,
        }


def _chain_state(arrays: StateArrays | BestState) -> ChainState:
    """Return a copy of a state, without the room that is not used."""
    K = int(arrays.size[0])
    return ChainState(
        arrays.B[:, :K].copy(),
        arrays.Z[:K].copy(),
        arrays.row_effects.copy(),
        arrays.column_effects.copy(),
        dict(zip(NAMES, arrays.numbers.tolist(), strict=True)),
    )
