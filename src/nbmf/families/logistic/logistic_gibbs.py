"""A Gibbs chain over W, H, effects and their hyperparameters, and precisions, and what is averaged along it."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.effect_hyperparameters import EffectHyperparameters, log_normal
from nbmf.families.logistic.gibbs_cells import Cells
from nbmf.families.logistic.gibbs_groups import GroupLevel
from nbmf.families.logistic.kernels import gibbs as kernels
from nbmf.families.logistic.kernels.relevance import draw_relevance
from nbmf.families.logistic.row_groups import RowGroups
from nbmf.inference.state import Factors
from nbmf.numerics.random import generator_states
from nbmf.numerics.threads import run_with_threads
from nbmf.seeds import child, children

START_SCALE = 0.1  # of H


class Prior(NamedTuple):
    """α_k ~ Gamma(a0, rate b0) for the precisions of H, or, without ard, α_k = 1.

    effect_scale : the standard deviation of effects, or "learned", with an intercept
    """

    ard: bool
    a0: float
    b0: float
    effect_scale: float | str = form.EFFECT_SCALE

    def log_density(self, alpha: np.ndarray) -> float:
        """Return log p(log α) in nats, 0 where α is fixed."""
        if not self.ard:
            return 0.0
        known = self.a0 * np.log(self.b0) - gammaln(self.a0)
        return float((known + self.a0 * np.log(alpha) - self.b0 * alpha).sum())


class Coefficients:
    """The coefficients of one side's rows or columns, (rows, D): factors, then the effect if there is one.

    design : what the other side multiplies by, with 1 instead of its own effects
    """

    def __init__(self, lists, kappa, factor, has_effects, other_has_effects, seed):
        rows, K = factor.shape
        D, other_D = K + has_effects, K + other_has_effects
        self.lists, self.kappa, self.has_effects, self.K = lists, kappa, has_effects, K
        self.u = np.zeros((rows, D))
        self.u[:, :K] = factor
        self.design = np.ones((rows, other_D))
        self.packed = np.empty((rows, other_D * (other_D + 1) // 2))
        self.precision, self.center = np.ones(D), np.zeros((rows, D))
        n_blocks = lists.block_start.size - 1
        self.generators = generator_states(seed, n_blocks)
        self._room = kernels.Room.of(n_blocks, D)

    @property
    def factor(self) -> np.ndarray:
        """The positions, a view (rows, K)."""
        return self.u[:, : self.K]

    @property
    def effects(self) -> np.ndarray:
        """The effects, a copy (rows,); zeros where there are none."""
        return self.u[:, self.K].copy() if self.has_effects else np.zeros(len(self.u))

    def as_design(self) -> np.ndarray:
        """Return what the other side multiplies by, as it is now."""
        self.design[:, : self.K] = self.factor
        return self.design

    def update(self, other: "Coefficients", cells: Cells, draws_weights: bool, threads: int) -> None:
        """Draw the coefficients given those of the other side, and before them ω, or not."""
        kernels.pack_products(other.as_design(), other.packed)
        design = kernels.Design(other.design, other.packed, other.effects)
        drawn = self.precision, self.center, self.u, self._room, self.generators
        arguments = self.lists, draws_weights, self.kappa, cells.likelihood.trials, cells.omega, design, *drawn
        run_with_threads(kernels.update_rows_serial, kernels.update_rows_parallel, threads, arguments)

    def scales(self) -> tuple[np.ndarray, np.ndarray]:
        """Return g (K,) and G (K, K): factors times c have log-likelihood g·c - c'Gc / 2 given ω.

        Of the side that was updated last; its effects stay as they are.
        """
        K, G = self.K, self._room.curvature.sum(axis=0)
        g = self._room.slope.sum(axis=0)[:K] - G[:K, K:].sum(axis=1)
        return g, np.ascontiguousarray(G[:K, :K])


class LogisticChain:
    """A Markov chain over U, V, effects, α and what cells have, given ψ = r + c + U V'.

    A sweep draws what the cells have of their own, ω ~ PG(b, ψ) of every observed cell, the rows of
    U with their effects given ω and V, those of V given ω and U, α, see kernels.relevance, and the hyperparameters of
    effects. ω comes before what depends on it, so it is no part of the state between sweeps. Where rows have groups,
    their means and variances are drawn with α, see kernels.groups.

    Parameters
    ----------
    cells : Cells
    K : int
    effects : Effects
    prior : Prior
    seed : SeedSequence
        Source of the start and of a stream per block of rows or columns.
    threads : int
        Of a sweep; the chain is the same for any number.
    groups : RowGroups or None
        Of the rows.
    """

    def __init__(self, cells, K, effects, prior, seed, threads, groups: RowGroups | None = None):
        start, rows, columns, alpha, of_cells = children(seed, 5)
        rng, (F, N) = np.random.default_rng(start), cells.likelihood.seen.shape
        U, V = rng.standard_normal((F, K)), START_SCALE * rng.standard_normal((N, K))
        self.rows = Coefficients(cells.by_row, cells.kappa, U, effects.rows, effects.columns, rows)
        self.columns = Coefficients(cells.by_column, cells.kappa_by_column, V, effects.columns, effects.rows, columns)
        self.cells, self.effects, self.prior, self.threads = cells, effects, prior, threads
        self.effect_hyperparameters = EffectHyperparameters(effects, prior.effect_scale, child(seed, "effects"))
        self.groups = None if groups is None else GroupLevel(groups, K, effects.rows, child(seed, "groups"))
        cells.begin(of_cells)
        self._alpha_generator = generator_states(alpha, 1)[0]

    @property
    def alpha(self) -> np.ndarray:
        """α, a view (K,)."""
        return self.columns.precision[: self.columns.K]

    def sweep(self, n_sweeps: int = 1) -> None:
        """Draw everything `n_sweeps` times."""
        cells, threads = self.cells, self.threads
        for _ in range(n_sweeps):
            self._set_priors()
            cells.renew(self.rows, self.columns, threads)
            self.rows.update(self.columns, cells, cells.rows_draw_weights, threads)
            self.columns.update(self.rows, cells, False, threads)
            self._draw_precisions()
            if self.effect_hyperparameters.is_learned:
                self.effect_hyperparameters.draw(self.rows, self.columns, self.groups)
                if self.groups is not None:
                    self.groups.pass_level(self.effect_hyperparameters, self.rows, self.columns)

    def _set_priors(self) -> None:
        """Set what rows and columns vary around."""
        self.effect_hyperparameters.set_priors(self.rows, self.columns)
        if self.groups is not None:
            self.groups.set_priors(self.rows)

    def _draw_precisions(self) -> None:
        """Draw α with the scales and axes of the factors, and the level above the rows."""
        if self.groups is not None:
            self.groups.draw(self.rows, self.columns, self.prior, self.alpha)
        elif self.prior.ard:
            draw_relevance(
                self._alpha_generator,
                self.rows.u,
                self.columns.u,
                *self.columns.scales(),
                float(self.prior.a0),
                float(self.prior.b0),
                self.alpha,
            )

    def add_means(self, psi: np.ndarray, psi_sum: np.ndarray, mean_sum: np.ndarray) -> None:
        """Add ψ and E[V | ψ], (F, N), to sums; `psi` is overwritten."""
        if not self.cells.mean_is_sigmoid:
            psi[:] = form.psi_of(self.factors())
            psi_sum += psi
            mean_sum += self.cells.mean(psi)
            return
        H = np.ascontiguousarray(self.columns.factor.T)
        W = np.ascontiguousarray(self.rows.factor)
        arguments = (self.rows.effects, W, H, self.columns.effects, psi, psi_sum, mean_sum)
        run_with_threads(kernels.add_means_serial, kernels.add_means_parallel, self.threads, arguments)

    def factors(self) -> Factors:
        """Return W = U, H = V' and the effects, as they are."""
        others = {}
        if self.effects.rows:
            others[form.ROWS] = self.rows.effects
        if self.effects.columns:
            others[form.COLUMNS] = self.columns.effects
        others |= self.effect_hyperparameters.learned() | self._learned_of_groups()
        if self.groups is not None:
            others |= self.groups.named_means()
        return Factors(self.rows.factor.copy(), self.columns.factor.T.copy(), others)

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned besides factors and effects, by name; the intercept as `form.centred` has it."""
        of_effects = self.effect_hyperparameters.learned()
        if of_effects and self.effects.rows and self.effects.columns:
            of_effects[form.INTERCEPT] = of_effects[form.INTERCEPT] + self.rows.effects.mean()
        return self.cells.learned() | of_effects | self._learned_of_groups()

    def _learned_of_groups(self) -> dict[str, np.ndarray]:
        return {} if self.groups is None else self.groups.learned(self.columns)

    def log_joint(self) -> float:
        """Return the log joint density of data, U, V √α, log α, effects, groups and cells, in nats.

        ω is integrated out. In these coordinates it does not grow without end along a component
        that the data do not need, as it would in those of V.
        """
        factors = self.factors()
        psi = form.psi_of(factors)[self.cells.likelihood.seen]
        standard, W, of_groups, of_means = factors.H * np.sqrt(self.alpha)[:, None], factors.W, 0.0, 0.0
        if self.groups is not None:
            W = W - self.groups.means[self.groups.index, : self.rows.K]
            of_groups, of_means = self.groups.effects_of_rows, self.groups.log_density()
        return float(
            self.prior.log_density(self.alpha)
            + self.cells.log_density(psi)
            + sum(log_normal(one, 1.0) for one in (W, standard))
            + self.effect_hyperparameters.log_density(self.rows, self.columns, of_groups)
            + of_means
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
            **self.effect_hyperparameters.arrays(),
            **({} if self.groups is None else self.groups.arrays()),
            **self.cells.arrays(),
        }
