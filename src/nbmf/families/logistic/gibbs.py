"""A Gibbs chain over W, H, effects and precisions, and what is averaged along it."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.kernels import gibbs as kernels
from nbmf.families.logistic.kernels.relevance import draw_relevance
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State, put_back
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import children

MAX_BLOCKS = 32  # of lines, each with its own random stream
START_SCALE = 0.1  # of H


class Prior(NamedTuple):
    """α_k ~ Gamma(a0, rate b0) for the precisions of H, or, without ard, α_k = 1."""

    ard: bool
    a0: float
    b0: float

    def log_density(self, alpha: np.ndarray) -> float:
        """Return log p(log α) in nats, 0 where α is fixed."""
        if not self.ard:
            return 0.0
        known = self.a0 * np.log(self.b0) - gammaln(self.a0)
        return float((known + self.a0 * np.log(alpha) - self.b0 * alpha).sum())


class CellLists(NamedTuple):
    """The observed cells of each line of a side; see kernels.gibbs.update_lines."""

    block_start: np.ndarray
    draws_weights: bool
    start: np.ndarray
    index: np.ndarray
    place: np.ndarray
    kappa: np.ndarray


def cell_lists(codes: np.ndarray) -> tuple[CellLists, CellLists]:
    """Return the lists of rows and of columns of codes (F, N); weights lie row by row."""
    rows, columns = np.nonzero(codes >= 0)
    by_column = np.lexsort((rows, columns))
    kappa = codes[rows, columns] - 0.5
    return (
        _lists(rows, columns, np.arange(rows.size), kappa, codes.shape[0], True),
        _lists(columns[by_column], rows[by_column], by_column, kappa[by_column],
               codes.shape[1], False),
    )  # fmt: skip


def _lists(lines, others, place, kappa, n_lines, draws_weights):
    start = np.cumsum([0, *np.bincount(lines, minlength=n_lines)])
    # Blocks of about as many cells each, so that threads have about as much to do.
    ends = np.searchsorted(start, np.linspace(0, start[-1], min(MAX_BLOCKS, n_lines) + 1)[1:-1])
    blocks = np.array([0, *ends, n_lines], np.int64)
    index, place = others.astype(np.uint32), place.astype(np.uint32)
    return CellLists(blocks, draws_weights, start.astype(np.int64), index, place, kappa)


class _Side:
    """The coefficients of one side's lines, (lines, D): factors, then the effect if there is one.

    design : what the other side multiplies by, 1 in the place of its own lines' effect
    """

    def __init__(self, lists, factor, has_effects, other_has_effects, seed):
        lines, K = factor.shape
        D, other_D = K + has_effects, K + other_has_effects
        self.lists, self.has_effects, self.K = lists, has_effects, K
        self.u = np.zeros((lines, D))
        self.u[:, :K] = factor
        self.design = np.ones((lines, other_D))
        self.packed = np.empty((lines, other_D * (other_D + 1) // 2))
        self.precision = np.ones(D)
        self.precision[K:] = form.EFFECT_PRECISION
        n_blocks = lists.block_start.size - 1
        self.generators = generator_states(seed, n_blocks)
        self._room = kernels.Room.of(n_blocks, D)

    @property
    def factor(self) -> np.ndarray:
        return self.u[:, : self.K]

    @property
    def effects(self) -> np.ndarray:
        return self.u[:, self.K].copy() if self.has_effects else np.zeros(len(self.u))

    def update(self, other: "_Side", omega: np.ndarray, threads: int) -> None:
        """Draw the coefficients given those of the other side; rows draw ω first."""
        other.design[:, : self.K] = other.factor
        kernels.pack_products(other.design, other.packed)
        arguments = (
            *self.lists, omega, other.design, other.packed, other.effects,
            self.precision, self.u, self._room, self.generators,
        )  # fmt: skip
        run_with_threads(
            kernels.update_lines_serial, kernels.update_lines_parallel, threads, arguments
        )

    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Return g (K,) and G (K, K): factors times c have log-likelihood g·c - c'Gc / 2 given ω.

        Of the side that was updated last; its effects stay as they are.
        """
        K, G = self.K, self._room.curvature.sum(axis=0)
        g = self._room.slope.sum(axis=0)[:K] - G[:K, K:].sum(axis=1)
        return g, np.ascontiguousarray(G[:K, :K])


class LogisticChain:
    """A Markov chain over U, V, effects and α of V ~ Bernoulli(σ(r + c + U V')).

    A sweep draws ω ~ PG(1, ψ) of every observed cell, the rows of U with their effects given ω and
    V, those of V given ω and U, and α, see kernels.relevance. It begins with ω, which therefore is
    no part of the state between sweeps.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
    effects : Effects
    prior : Prior
    seed : SeedSequence
        Source of the start and of a stream per block of lines.
    threads : int
        Of a sweep; the chain is the same for any number.
    """

    def __init__(self, codes, K, effects, prior, seed, threads=1):
        start, rows, columns, alpha = children(seed, 4)
        rng, (F, N) = np.random.default_rng(start), codes.shape
        U, V = rng.standard_normal((F, K)), START_SCALE * rng.standard_normal((N, K))
        by_row, by_column = cell_lists(codes)
        self.rows = _Side(by_row, U, effects.rows, effects.columns, rows)
        self.columns = _Side(by_column, V, effects.columns, effects.rows, columns)
        self.effects, self.prior, self._codes, self._threads = effects, prior, codes, threads
        self._alpha_generator = generator_states(alpha, 1)[0]
        self._omega = np.empty(by_row.kappa.size)

    @property
    def alpha(self) -> np.ndarray:
        """α, a view (K,)."""
        return self.columns.precision[: self.columns.K]

    def sweep(self, n_sweeps: int = 1) -> None:
        """Draw everything `n_sweeps` times."""
        for _ in range(n_sweeps):
            self.rows.update(self.columns, self._omega, self._threads)
            self.columns.update(self.rows, self._omega, self._threads)
            if self.prior.ard:
                draw_relevance(
                    self._alpha_generator, self.rows.u, self.columns.u, *self.columns.scales(),
                    float(self.prior.a0), float(self.prior.b0), self.alpha,
                )  # fmt: skip

    def add_means(self, psi: np.ndarray, psi_sum: np.ndarray, mean_sum: np.ndarray) -> None:
        """Add ψ and σ(ψ), (F, N), to sums; `psi` is overwritten."""
        H = np.ascontiguousarray(self.columns.factor.T)
        W = np.ascontiguousarray(self.rows.factor)
        arguments = (self.rows.effects, W, H, self.columns.effects, psi, psi_sum, mean_sum)
        run_with_threads(
            kernels.add_means_serial, kernels.add_means_parallel, self._threads, arguments
        )

    def factors(self) -> Factors:
        """Return W = U, H = V' and the effects, as they are."""
        others = {}
        if self.effects.rows:
            others[form.ROWS] = self.rows.effects
        if self.effects.columns:
            others[form.COLUMNS] = self.columns.effects
        return Factors(self.rows.factor.copy(), self.columns.factor.T.copy(), others)

    def log_joint(self) -> float:
        """Return the log joint density of data, U, V √α, log α and effects, in nats.

        ω is integrated out. In these coordinates it does not grow without end along a component
        that the data do not need, as it would in those of V.
        """
        factors = self.factors()
        psi = form.psi_of(factors)
        t = np.where(self._codes == 1, psi, -psi)[self._codes >= 0]
        standard = factors.H * np.sqrt(self.alpha)[:, None]
        effects = factors.others.values()
        return float(
            self.prior.log_density(self.alpha)
            - np.logaddexp(0.0, -t).sum()
            + sum(_log_normal(one, 1.0) for one in (factors.W, standard))
            + sum(_log_normal(one, form.EFFECT_PRECISION) for one in effects)
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a sweep changes, by name; writing to them sets the state."""
        return {
            "U": self.rows.u,
            "V": self.columns.u,
            "alpha": self.alpha,
            "generators of rows": self.rows.generators,
            "generators of columns": self.columns.generators,
            "generator of alpha": self._alpha_generator,
        }


def _log_normal(values: np.ndarray, precision: float) -> float:
    squares = precision * (values**2).sum()
    return 0.5 * float(values.size * np.log(precision / (2 * np.pi)) - squares)


class GibbsState(State):
    """A chain and the sums of ψ and σ(ψ) over its kept sweeps, those after `burn_in`."""

    resumable = True

    def __init__(self, chain: LogisticChain, shape: tuple[int, int], burn_in: int):
        self._chain, self._burn_in = chain, burn_in
        self._sweeps, self._kept = np.zeros((), int), np.zeros((), int)
        self._psi, self._psi_sum, self._mean_sum = (np.zeros(shape) for _ in range(3))

    def advance(self, steps):
        """Sweep; after the burn-in add ψ and σ(ψ) of each sweep to the sums."""
        for _ in range(steps):
            self._chain.sweep()
            self._sweeps += 1
            if self._sweeps > self._burn_in:
                self._chain.add_means(self._psi, self._psi_sum, self._mean_sum)
                self._kept += 1

    def objective(self):
        """Return the log joint of data, factors and effects in nats, ω and α integrated out."""
        return self._chain.log_joint()

    def factors(self):
        """Return the factors of the last sweep, centred."""
        return form.centred(self._chain.factors())

    def estimate(self):
        """Return effects and factors of rank K next to the mean of ψ over the kept sweeps."""
        if not self._kept:
            return form.canonical(self._chain.factors())
        K, effects = self._chain.rows.K, self._chain.effects
        return form.best_of_rank(self._psi_sum / self._kept, K, effects)

    def expectation(self):
        """Return the mean of σ(ψ) over the kept sweeps so far; before, that of the last sweep."""
        if self._kept:
            return self._mean_sum / self._kept
        return expit(form.psi_of(self._chain.factors()))

    def predictive(self, rows, columns):
        """Return the same at some entries."""
        if self._kept:
            return self._mean_sum[rows, columns] / self._kept
        return self.current_predictive(rows, columns)

    def current_predictive(self, rows, columns):
        """Return σ(ψ) of the last sweep at some entries."""
        return expit(form.psi_at(self._chain.factors(), rows, columns))

    def active_components(self):
        """Return how many components hold at least 1 % of W H now, however it is rotated."""
        return int(np.count_nonzero(form.shares(self.factors()) >= ACTIVE_SHARE))

    def draw(self, rng):
        """Return the factors of the last sweep, which are a draw, in the form of the estimate.

        The law of W and H leaves their scale to the priors, and where α is fixed it is not 1.
        """
        return form.canonical(self._chain.factors())

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        own = {"sweeps": self._sweeps, "kept": self._kept}
        return (
            own
            | {"sum of psi": self._psi_sum, "sum of E[V]": self._mean_sum}
            | (self._chain.arrays())
        )

    def restore(self, snapshot):
        """Take over a snapshot."""
        put_back(self.snapshot(), snapshot)
