"""A Gibbs chain over factors whose rows move: paths of rows next to the columns, effects and precisions of others."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.effect_hyperparameters import log_normal
from nbmf.families.logistic.factors import PATHS, PERIODS, Effects
from nbmf.families.logistic.gibbs_cells import CellLists, Cells
from nbmf.families.logistic.item_means import ItemMean
from nbmf.families.logistic.kernels import gibbs, path_passes, paths
from nbmf.families.logistic.logistic_gibbs import Coefficients, LogisticChain, Prior
from nbmf.families.logistic.moving_rows import ITEM_MEAN, ITEMS, SPANS, START, START_MEAN, WALK
from nbmf.families.logistic.ordered_cells import CategoryCells
from nbmf.families.logistic.periods import Periods
from nbmf.inference.state import Factors
from nbmf.numerics.normal_effects import COLUMNS
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import child, children

START_NOISE = 0.3  # of first positions around those given, so that chains begin apart
WEIGHT = 0.25  # of a cell in the first look at columns: E[PG(1, 0)]


class WalkPrior(NamedTuple):
    """How far rows go: steps over one unit of time are N(0, s), s ~ inverse gamma(shape, rate).

    variance : "shared" (one s), "rows" (one for each) or a number, which s is
    """

    variance: float | str
    shape: float
    rate: float

    @property
    def is_learned(self) -> bool:
        """Whether s is drawn."""
        return isinstance(self.variance, str)

    @property
    def by_row(self) -> bool:
        """Whether each row has an s of its own."""
        return self.variance == "rows"

    def log_density(self, variances: np.ndarray) -> float:
        """Return log p(log s) in nats, 0 where s is given."""
        if not self.is_learned:
            return 0.0
        known = self.shape * np.log(self.rate) - gammaln(self.shape)
        return float((known - self.shape * np.log(variances) - self.rate / variances).sum())


class MovingCells(Cells):
    """Cells of rows that move: the lists of rows are those of nodes, a row in a period each.

    As a mixin: with `MovingCategoryCells` below.
    """

    def __init__(self, likelihood, periods: Periods):
        super().__init__(likelihood)
        rows, columns = np.nonzero(likelihood.seen)
        T = periods.times.size
        nodes = rows * T + periods.of_columns[columns]
        by_node = np.argsort(nodes, kind="stable")
        start = np.cumsum([0, *np.bincount(nodes, minlength=likelihood.seen.shape[0] * T)])
        index, place = columns[by_node].astype(np.uint32), by_node.astype(np.uint32)
        self.by_row = CellLists(self.by_row.block_start, start.astype(np.int64), index, place)
        self.by_column = self.by_column._replace(index=nodes[self.by_column.place].astype(np.uint32))
        self.periods, self.entries = periods, np.diff(start).reshape(-1, T)
        self.kappa_by_row = self.kappa[place]

    def update_columns(self):
        """Copy κ into the order of the columns, and into that of the nodes."""
        super().update_columns()
        np.take(self.kappa, self.by_row.place, out=self.kappa_by_row)

    def _look(self, rows, columns, psi):
        lists = self.by_row.start, self.by_row.index, self.by_row.place
        path_passes.log_odds(*lists, rows.u, columns.as_design(), columns.effects, psi)


class MovingCategoryCells(MovingCells, CategoryCells):
    """MovingCells of ordered categories."""


class PathCoefficients(Coefficients):
    """The positions of all rows in all periods, (F T, K), and how far rows go.

    Parameters
    ----------
    cells : MovingCells
    first : float array (F, K)
        Where rows are at the start, in every period.
    other_has_effects : bool
    walk : WalkPrior
    seed : SeedSequence

    Attributes
    ----------
    variances : float array (S,)
        s, of each row or of all (S = 1).
    spans : int64 array (F, 2)
    """

    def __init__(self, cells: MovingCells, first, other_has_effects, walk: WalkPrior, seed):
        of_paths, of_walk = children(seed, 2)
        F, T = cells.entries.shape
        super().__init__(
            cells.by_row, cells.kappa_by_row, np.repeat(first, T, axis=0), False, other_has_effects, of_paths
        )
        self._room = paths.PathRoom.of(len(self.generators), T, first.shape[1])
        self.walk, self.gaps = walk, cells.periods.gaps
        self.spans = moving.spans_of(cells.entries)
        start = walk.rate / (walk.shape + 1.0) if walk.is_learned else walk.variance
        self.variances = np.full(F if walk.by_row else 1, float(start))
        self.steps = first.shape[1] * np.diff(self.spans, axis=1)[:, 0].astype(float)
        self.walk_generator = generator_states(of_walk, 1)[0]

    @property
    def by_period(self) -> np.ndarray:
        """A view of the positions, float array (F, T, K)."""
        return self.u.reshape(len(self.spans), -1, self.K)

    def variances_of_rows(self) -> np.ndarray:
        """Return s of every row, float array (F,)."""
        return np.broadcast_to(self.variances, len(self.spans)).copy()

    def update(self, other, cells, draws_weights, threads):
        """Draw the paths given the other side, and before them ω; then s, and the rest of the paths."""
        gibbs.pack_products(other.as_design(), other.packed)
        design = gibbs.Design(other.design, other.packed, other.effects)
        sums, walk = np.empty((len(self.spans), 3)), (self.spans, self.gaps, self.variances_of_rows())
        given = self.lists, draws_weights, self.kappa, cells.likelihood.trials, cells.omega, design
        arguments = *given, *walk, self.u, self._room, sums, self.generators
        run_with_threads(paths.update_paths_serial, paths.update_paths_parallel, threads, arguments)
        scales = self._draw_walk(sums)
        walk = self.spans, self.gaps, self.variances_of_rows()
        arguments = self.lists.block_start, *walk, scales, self.u, self.generators
        run_with_threads(paths.finish_paths_serial, paths.finish_paths_parallel, threads, arguments)

    def _draw_walk(self, sums: np.ndarray) -> np.ndarray:
        """Draw s; return what the steps of each row are to be multiplied by, float array (F,)."""
        scales = np.ones(self.variances.size)
        if self.walk.is_learned:
            steps = self.steps
            if not self.walk.by_row:
                sums, steps = sums.sum(axis=0, keepdims=True), steps.sum(keepdims=True)
            prior = float(self.walk.shape), float(self.walk.rate)
            path_passes.draw_variances(self.walk_generator, sums, steps, *prior, self.variances, scales)
        return np.broadcast_to(scales, len(self.spans)).copy()

    def draw_flips(self, columns: Coefficients, column_periods: np.ndarray) -> None:
        """Turn signs from a period on, of both sides, or not."""
        walk, alpha = (self.spans, self.gaps, self.variances_of_rows()), columns.precision[: columns.K]
        path_passes.draw_flips(self.walk_generator, *walk, column_periods, alpha, self.u, columns.u)

    def log_density(self) -> float:
        """Return the log density of the paths in their spans, and of log s, in nats."""
        u, (F, T) = self.by_period, (len(self.spans), self.gaps.size + 1)
        total = log_normal(u[np.arange(F), self.spans[:, 0]], 1.0) + self.walk.log_density(self.variances)
        if T > 1:
            walked = moving.in_span(self.spans, T)[:, 1:] & moving.in_span(self.spans, T)[:, :-1]
            variances = (self.variances_of_rows()[:, None] * self.gaps)[walked][:, None]
            steps = np.diff(u, axis=1)[walked]
            total += float(-0.5 * (np.log(2 * np.pi * variances) + steps**2 / variances).sum())
        return total


class PathChain(LogisticChain):
    """A chain over paths of rows, V and its mean, effects, α, s and what cells have.

    A sweep is that of LogisticChain with paths instead of U, see kernels.paths, flips of signs, and the mean of V, see
    ItemMean.

    Parameters
    ----------
    cells : MovingCells
    first : float array (F, K)
        Where rows may be, from which the chain starts.
    effects : Effects
        Of columns, or none.
    prior, seed, threads
        As of LogisticChain.
    walk : WalkPrior
    """

    def __init__(
        self, cells: MovingCells, first: np.ndarray, effects: Effects, prior: Prior, walk: WalkPrior, seed, threads
    ):
        super().__init__(cells, first.shape[1], effects, prior, seed, threads)
        noise = np.random.default_rng(child(seed, "first positions")).standard_normal(first.shape)
        first = (first + START_NOISE * noise) / np.sqrt(1.0 + START_NOISE**2)
        self.rows = PathCoefficients(cells, first, effects.columns, walk, child(seed, "paths"))
        self.item_mean = ItemMean(first.shape[1], child(seed, "mean of items"))
        self._draw_first_columns()

    def _draw_first_columns(self) -> None:
        """Draw the columns given where rows start: the first sweep begins with rows, and needs columns that fit."""
        self._set_priors()
        self.cells.omega[:] = WEIGHT
        self.cells.renew(self.rows, self.columns, self.threads)
        self.columns.update(self.rows, self.cells, False, self.threads)

    @property
    def periods(self) -> Periods:
        """The periods of the columns."""
        return self.cells.periods

    def sweep(self, n_sweeps=1):
        """Draw everything `n_sweeps` times."""
        for _ in range(n_sweeps):
            super().sweep()
            self.rows.draw_flips(self.columns, self.periods.of_columns)
            self.item_mean.draw(self.columns, self.alpha)

    def _set_priors(self):
        super()._set_priors()
        self.item_mean.set_prior(self.columns)

    def _draw_precisions(self):
        if self.prior.ard:
            self.item_mean.draw_relevance(self._alpha_generator, self.rows, self.columns, self.prior, self.alpha)

    def add_means(self, psi, psi_sum, mean_sum):
        """Add ψ and E[V | ψ], (F, N), to sums; `psi` is overwritten."""
        H = np.ascontiguousarray(self.columns.factor.T)
        arguments = (
            self.rows.u,
            H,
            self.columns.effects,
            self.periods.of_columns,
            self.periods.times.size,
            psi,
            mean_sum,
        )
        run_with_threads(path_passes.add_means_serial, path_passes.add_means_parallel, self.threads, arguments)
        psi_sum += psi

    def factors(self):
        """Return W, H, effects and what rows that move have, see moving_rows, as they are."""
        K, rows = self.columns.K, self.rows
        items = np.zeros((K + 1, K + 1))
        items[range(K), range(K)] = 1.0 / self.alpha
        items[K, K] = self.effect_hyperparameters.values[COLUMNS] if self.effects.columns else 0.0
        others = {
            PATHS: rows.by_period.copy(),
            PERIODS: self.periods.of_columns,
            SPANS: rows.spans,
            WALK: rows.variances[:, None, None] * np.eye(K),
            START_MEAN: np.zeros(K),
            START: np.eye(K),
            ITEMS: items,
            ITEM_MEAN: np.append(self.item_mean.values, self.effect_hyperparameters.mean_of_columns),
        }
        if self.effects.columns:
            others[form.COLUMNS] = self.columns.effects
        others |= self.effect_hyperparameters.learned()
        return Factors(moving.mean_positions(others[PATHS], rows.spans), self.columns.factor.T.copy(), others)

    def log_joint(self):
        """Return the log joint density of data, paths in spans, V √α, its mean, log α, log s, effects, cells (nats)."""
        psi = np.empty(self.cells.psi.size)
        self.cells._look(self.rows, self.columns, psi)
        return float(
            self.prior.log_density(self.alpha)
            + self.cells.log_density(psi)
            + self.rows.log_density()
            + self.item_mean.log_density(self.columns, self.alpha)
            + self.effect_hyperparameters.log_density(self.rows, self.columns, 0.0)
        )

    def arrays(self):
        """Return all that a sweep changes, by name; writing to them sets the state."""
        of_walk = {"walk variances": self.rows.variances, "generator of walk": self.rows.walk_generator}
        return super().arrays() | of_walk | self.item_mean.arrays()
