"""A Gibbs chain over W, H, effects and their law, and precisions, and what is averaged along it."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.gibbs_cells import Cells
from nbmf.families.logistic.kernels import gibbs as kernels
from nbmf.families.logistic.kernels.relevance import draw_relevance
from nbmf.inference.state import Factors
from nbmf.numerics import normal_effects
from nbmf.numerics.normal_effects import COLUMNS, INTERCEPT, ROWS
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


class _EffectsLaw:
    """How effects are distributed: see nbmf.numerics.normal_effects.

    Attributes
    ----------
    law : float array (3,)
    priors : float array (3, 2), zeros where the scale of effects is given
    """

    def __init__(self, effects: form.Effects, scale: float | str, seed: np.random.SeedSequence):
        self.effects, self.is_learned = effects, scale == form.LEARNED and any(effects)
        start = 1.0 if scale == form.LEARNED else scale**2
        self.law = np.array([start * effects.rows, start * effects.columns, 0.0])
        self.priors = normal_effects.learned_priors(*effects) if self.is_learned else np.zeros((3, 2))
        self.generator = generator_states(seed, 1)[0]

    def tell(self, rows: "Side", columns: "Side") -> None:
        """Tell both sides what their effects are like a priori."""
        for kind, side in ((ROWS, rows), (COLUMNS, columns)):
            if side.has_effects:
                side.precision[side.K] = 1.0 / self.law[kind]
                side.center[side.K] = self._center(kind)

    def _center(self, kind: int) -> float:
        return normal_effects.center_of.py_func(self.law, kind)

    def draw(self, rows: "Side", columns: "Side") -> None:
        """Draw the law given the effects, and with it what both kinds of effects share."""
        of_rows, of_columns = rows.effects, columns.effects
        normal_effects.draw_law_of_effects(self.generator, of_rows, of_columns, self.law, self.priors)
        for side, effects in ((rows, of_rows), (columns, of_columns)):
            if side.has_effects:
                side.u[:, side.K] = effects

    def log_density(self, rows: "Side", columns: "Side") -> float:
        """Return the log density of the effects, and of m and the logarithms of variances that are learned."""
        total = 0.0
        for kind, side in ((ROWS, rows), (COLUMNS, columns)):
            if side.has_effects:
                total += log_normal(side.effects - self._center(kind), 1.0 / self.law[kind])
            shape, rate = self.priors[kind]
            if shape > 0:
                precision = 1.0 / self.law[kind]
                total += shape * np.log(rate * precision) - gammaln(shape) - rate * precision
        if self.is_learned:
            total += log_normal(self.law[INTERCEPT], 1.0 / self.priors[INTERCEPT, 0])
        return float(total)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that `draw` changes besides effects, by name."""
        return {"law of effects": self.law, "generator of effects": self.generator} if self.is_learned else {}

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned, by name, if anything is."""
        if not self.is_learned:
            return {}
        named = {form.INTERCEPT: INTERCEPT}
        named |= {form.ROW_VARIANCE: ROWS} if self.effects.rows else {}
        named |= {form.COLUMN_VARIANCE: COLUMNS} if self.effects.columns else {}
        return {name: np.array(self.law[place]) for name, place in named.items()}


class Side:
    """The coefficients of one side's rows or columns, (rows, D): factors, then the effect if there is one.

    design : what the other side multiplies by, 1 in the place of its own effects
    """

    def __init__(self, lists, kappa, factor, has_effects, other_has_effects, seed):
        lines, K = factor.shape
        D, other_D = K + has_effects, K + other_has_effects
        self.lists, self.kappa, self.has_effects, self.K = lists, kappa, has_effects, K
        self.u = np.zeros((lines, D))
        self.u[:, :K] = factor
        self.design = np.ones((lines, other_D))
        self.packed = np.empty((lines, other_D * (other_D + 1) // 2))
        self.precision, self.center = np.ones(D), np.zeros(D)
        n_blocks = lists.block_start.size - 1
        self.generators = generator_states(seed, n_blocks)
        self._room = kernels.Room.of(n_blocks, D)

    @property
    def factor(self) -> np.ndarray:
        """Those of the factors, a view (rows, K)."""
        return self.u[:, : self.K]

    @property
    def effects(self) -> np.ndarray:
        """Those of the effects, a copy (rows,); zeros without."""
        return self.u[:, self.K].copy() if self.has_effects else np.zeros(len(self.u))

    def as_design(self) -> np.ndarray:
        """Return what the other side multiplies by, as it is now."""
        self.design[:, : self.K] = self.factor
        return self.design

    def update(self, other: "Side", cells: Cells, draws_weights: bool, threads: int) -> None:
        """Draw the coefficients given those of the other side, and before them ω, or not."""
        kernels.pack_products(other.as_design(), other.packed)
        design = kernels.Design(other.design, other.packed, other.effects)
        drawn = self.precision, self.center, self.u, self._room, self.generators
        arguments = self.lists, draws_weights, self.kappa, cells.likelihood.trials, cells.omega, design, *drawn
        run_with_threads(kernels.update_lines_serial, kernels.update_lines_parallel, threads, arguments)

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
    U with their effects given ω and V, those of V given ω and U, α, see kernels.relevance, and the law of effects. ω
    comes before what depends on it, so it is no part of the state between sweeps.

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
    """

    def __init__(self, cells, K, effects, prior, seed, threads):
        start, rows, columns, alpha, of_cells = children(seed, 5)
        rng, (F, N) = np.random.default_rng(start), cells.likelihood.seen.shape
        U, V = rng.standard_normal((F, K)), START_SCALE * rng.standard_normal((N, K))
        self.rows = Side(cells.by_row, cells.kappa, U, effects.rows, effects.columns, rows)
        self.columns = Side(cells.by_column, cells.kappa_by_column, V, effects.columns, effects.rows, columns)
        self.cells, self.effects, self.prior, self.threads = cells, effects, prior, threads
        self.law_of_effects = _EffectsLaw(effects, prior.effect_scale, child(seed, "effects"))
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
            self.law_of_effects.tell(self.rows, self.columns)
            cells.renew(self.rows, self.columns, threads)
            self.rows.update(self.columns, cells, cells.rows_draw_weights, threads)
            self.columns.update(self.rows, cells, False, threads)
            if self.prior.ard:
                draw_relevance(
                    self._alpha_generator,
                    self.rows.u,
                    self.columns.u,
                    *self.columns.scales(),
                    float(self.prior.a0),
                    float(self.prior.b0),
                    self.alpha,
                )
            if self.law_of_effects.is_learned:
                self.law_of_effects.draw(self.rows, self.columns)

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
        others |= self.law_of_effects.learned()
        return Factors(self.rows.factor.copy(), self.columns.factor.T.copy(), others)

    def learned(self) -> dict[str, np.ndarray]:
        """Return what is learned besides factors and effects, by name; the intercept as `form.centred` has it."""
        of_effects = self.law_of_effects.learned()
        if of_effects and self.effects.rows and self.effects.columns:
            of_effects[form.INTERCEPT] = of_effects[form.INTERCEPT] + self.rows.effects.mean()
        return self.cells.learned() | of_effects

    def log_joint(self) -> float:
        """Return the log joint density of data, U, V √α, log α, effects and cells, in nats.

        ω is integrated out. In these coordinates it does not grow without end along a component
        that the data do not need, as it would in those of V.
        """
        factors = self.factors()
        psi = form.psi_of(factors)[self.cells.likelihood.seen]
        standard = factors.H * np.sqrt(self.alpha)[:, None]
        return float(
            self.prior.log_density(self.alpha)
            + self.cells.log_density(psi)
            + sum(log_normal(one, 1.0) for one in (factors.W, standard))
            + self.law_of_effects.log_density(self.rows, self.columns)
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
            **self.law_of_effects.arrays(),
            **self.cells.arrays(),
        }


def log_normal(values: np.ndarray, precision: float) -> float:
    """Return the log density of numbers ~ N(0, 1/precision), in nats."""
    squares = precision * (values**2).sum()
    return 0.5 * float(np.size(values) * np.log(precision / (2 * np.pi)) - squares)
