"""The factor model of ordered categories by Gibbs sampling."""

from typing import ClassVar

import numpy as np

from nbmf.errors import DataError, Message, Setting, not_allowed
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.factors import EFFECT_SCALE
from nbmf.families.logistic.gibbs_state import GibbsState, Sampled
from nbmf.families.logistic.kernels import cut_points as kernels
from nbmf.families.logistic.logistic_estimator import EFFECT_SCALE as EFFECT_SCALES
from nbmf.families.logistic.logistic_estimator import PRIOR, FactorModel, weights_of
from nbmf.families.logistic.logistic_gibbs import LogisticChain
from nbmf.families.logistic.new_columns import regress_columns
from nbmf.families.logistic.ordered_bound import CategoriesGivenCuts, CategoriesWithOwnCuts
from nbmf.families.logistic.ordered_cells import Categories, CategoryCells, centred, exceedances, probabilities
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.parameters import Rule, is_integer, one_of
from nbmf.inference.state import Factors
from nbmf.likelihoods.ordered import ORDERED
from nbmf.numerics.threads import run_with_threads

MOST = ORDERED.most_categories
N_CATEGORIES = Rule(
    lambda value: value is None or (is_integer(value) and 2 <= value <= MOST),
    f"None (the largest value of the matrix and one more) or an integer from 2 to {MOST}",
)


@with_parameters
class OrdinalFactorGibbs(Sampled):
    """Ordered categories 0, 1, ..., C - 1 by Gibbs sampling: P(v > c) = σ(r + c + WH - θ_c), θ_0 < θ_1 < ...

    The proportional odds model, with factors: of two categories it is that of LogisticFactorGibbs. Each column has
    cut points θ of its own (the graded response model), or all have the same ones and columns differ by their
    effects. A priori they are normal numbers N(0, 9) in order. The model does not depend on which end of the order
    is called 0. `nbmf.families.logistic.ordered_cells` has the equations of the sampler.

    Parameters
    ----------
    cut_points : {"columns", "shared"}
        Whether each column has its own cut points or all share them. With cut points of columns there are no
        effects of columns, which would be redundant.
    n_categories : int or None
        C; None means the largest value of the matrix plus one. Give it if the last categories may be missing or
        held out.
    n_components, effects, effect_scale, ard, a0, b0, burn_in, n_samples, threads, random_state
        As of LogisticFactorGibbs.

    Attributes
    ----------
    cut_points_ : float array (N, C - 1), or (1, C - 1) if they are shared
        Means over the kept sweeps; those of columns are cut points of an average row: columns of W_ have mean 0. With
        effects the mean of all is 0, and effects say where a row or column is.
    probabilities_ : float array (F, N, C)
        The probability of every category, for missing entries too: the mean over the kept sweeps.

    `expectation_` is the mean category, Σ c P(v = c); `predictive(rows, columns)` has the probabilities of single
    entries, (n, C). See Factorization and FactorModel for the other learned attributes.
    """

    method_name = "ordinal GS"
    likelihoods = (ORDERED,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    rules = FactorModel.rules | {
        "effect_scale": EFFECT_SCALES,
        "cut_points": one_of("columns", "shared"),
        "n_categories": N_CATEGORIES,
    }
    shapes: ClassVar = FactorModel.shapes | {"cut_points_": "SJ", "probabilities_": "FNC"}

    n_components: int = 8
    cut_points: str = "columns"
    n_categories: int | None = None
    effects: str = "none"
    effect_scale: float | str = EFFECT_SCALE
    ard: bool = True
    a0: float = PRIOR
    b0: float = PRIOR
    burn_in: int = 500
    n_samples: int = 1000
    threads: int = 1
    random_state: RandomState = None

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.cut_points == "columns" and self.effects_in_use.columns:
            others = "'none' or 'rows' with ", Setting("cut_points", "columns"), ", which say where each column is, or "
            raise not_allowed("effects", self.effects, Message(*others, Setting("cut_points", "shared")))

    @property
    def variant(self):
        """Whose cut points there are, if all have the same ones, and which effects."""
        return ", ".join(filter(None, ("shared cut points" * (self.cut_points == "shared"), super().variant)))

    def _start(self, ranks, seed):
        cells = CategoryCells(Categories(ranks, self._n_categories_of(ranks), self.cut_points == "columns"))
        return CategoryState(self._chain_with(cells, seed), self.burn_in)

    def _n_categories_of(self, ranks: np.ndarray) -> int:
        """Return C; DataError if there is a category beyond it."""
        C = max(int(ranks.max()) + 1, 2) if self.n_categories is None else self.n_categories
        _refuse_beyond(ranks, C, Setting("n_categories", self.n_categories))
        return C

    def _learn(self, state):
        self.cut_points_ = state.estimate().others[form.CUTS]
        self.probabilities_ = state.probabilities()
        super()._learn(state)

    def _others(self, row_effects, column_effects):
        return super()._others(row_effects, column_effects) | {form.CUTS: self.cut_points_}

    # --- What is predicted -----------------------------------------------------------------------

    def _mean_of(self, psi, factors, columns):
        return exceedances(psi, factors.others[form.CUTS], columns).sum(axis=-1)

    def predictive(self, rows, columns):
        """Return the probability of every category at some entries, float array (..., C)."""
        self._require_fit()
        return self.probabilities_[rows, columns]

    def predictive_of(self, factors, rows, columns):
        """Return the same given factors, such as those of new rows."""
        psi = form.psi_of(factors)[rows, columns]
        return probabilities(exceedances(psi, factors.others[form.CUTS], columns))

    # --- New rows and columns --------------------------------------------------------------------

    def _weights(self, values, psi, square):
        """Return h and w of the cells of new rows, or of new columns where all have the same cut points."""
        return weights_of(CategoriesGivenCuts(values, self.cut_points_), psi, square)

    def _factors_of_rows(self, values):
        self._refuse_unknown(values)
        return super()._factors_of_rows(values)

    def _factors_of_columns(self, values):
        """Return the factors of new columns, each with cut points of its own if columns have them."""
        self._refuse_unknown(values)
        if self.cut_points == "shared":
            return super()._factors_of_columns(values)
        likelihood = CategoriesWithOwnCuts(values, self.cut_points_.shape[1] + 1)
        means, effects = regress_columns(self, likelihood)
        others = self._others(self.row_effects_, effects) | {form.CUTS: likelihood.cuts}
        return Factors(self.W_, np.ascontiguousarray(means.T), others)

    def _refuse_unknown(self, values):
        _refuse_beyond(values, self.cut_points_.shape[1] + 1, "the fit")


def _refuse_beyond(ranks, n_categories, where):
    """Raise DataError if there are more categories than `where` says."""
    if ranks.max() >= n_categories:
        f, n = np.argwhere(ranks >= n_categories)[0]
        value = f"row {f}, column {n} (counted from 0): the category is {ranks[f, n]}; allowed with "
        raise DataError(value, where, f": 0 to {n_categories - 1} and missing")


class CategoryState(GibbsState):
    """Also sums P(v > c | ψ) over the kept sweeps, float array (C - 1, F, N)."""

    def __init__(self, chain: LogisticChain, burn_in: int):
        super().__init__(chain, burn_in)
        self._sums = np.zeros((chain.cells.likelihood.cuts.shape[1], *self._psi.shape))

    def _add_means(self):
        now = self.factors()
        self._psi[:] = form.psi_of(now)
        self._psi_sum += self._psi
        arguments = self._psi, now.others[form.CUTS], self._sums, self._mean_sum
        run_with_threads(
            kernels.add_exceedances_serial, kernels.add_exceedances_parallel, self._chain.threads, arguments
        )

    def _learned_now(self):
        others = self.factors().others
        return {name: others[name] for name in self._chain.learned()}

    def _now(self):
        return centred(super()._now())

    def probabilities(self) -> np.ndarray:
        """Return the mean probability of every category over the kept sweeps, (F, N, C); before, that of the last."""
        if self._kept:
            return probabilities(np.moveaxis(self._sums / self._kept, 0, -1))
        psi = form.psi_of(self._chain.factors())
        return probabilities(exceedances(psi, self._chain.cells.likelihood.cuts))

    def predictive(self, rows, columns):
        """Return the same at some entries, (n, C)."""
        if self._kept:
            return probabilities((self._sums[:, rows, columns] / self._kept).T)
        return self.current_predictive(rows, columns)

    def current_predictive(self, rows, columns):
        """Return the probability of every category of the last sweep at some entries, (n, C)."""
        psi = form.psi_at(self._chain.factors(), rows, columns)
        return probabilities(exceedances(psi, self._chain.cells.likelihood.cuts, columns))

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        return super().snapshot() | {"sums of exceedances": self._sums}
