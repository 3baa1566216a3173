"""The factor model of ordered categories by Gibbs sampling."""

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.gibbs_state import GibbsState, Sampled
from nbmf.families.logistic.kernels import cut_points as kernels
from nbmf.families.logistic.logistic_gibbs import LogisticChain
from nbmf.families.logistic.ordered_cells import Categories, CategoryCells, centred, exceedances, probabilities
from nbmf.families.logistic.ordinal_factors import OrdinalFactors
from nbmf.inference.constructors import with_parameters
from nbmf.numerics.threads import run_with_threads


@with_parameters
class OrdinalFactorGibbs(Sampled, OrdinalFactors):
    """Ordered categories 0, 1, ..., C - 1 by Gibbs sampling: P(v > c) = σ(r + c + WH - θ_c), θ_0 < θ_1 < ...

    The proportional odds model, with factors: of two categories it is that of LogisticFactorGibbs. Each column has
    cut points θ of its own (the graded response model), or all have the same ones and columns differ by their
    effects. A priori they are normal numbers N(0, 9) in order. The model does not depend on which end of the order
    is called 0. `nbmf.families.logistic.ordered_cells` has the equations of the sampler.

    `expectation_` is the mean category, Σ c P(v = c); `predictive(rows, columns)` has the probabilities of single
    entries, (n, C).

    Parameters
    ----------
    cut_points : {"columns", "shared"}
        Whether each column has its own cut points or all share them. With cut points of columns there are no
        effects of columns, which would be redundant.
    n_categories : int or None
        C; None means those that a matrix or DataFrame names, of plain numbers up to the largest. Give it if the last
        categories may be missing or held out.
    n_components, effects, effect_scale, ard, a0, b0, burn_in, n_samples, threads, random_state
        As of LogisticFactorGibbs.

    See Factorization, FactorModel and OrdinalFactors for the learned attributes.
    """

    method_name = "ordinal GS"

    cut_points: str = "columns"
    n_categories: int | None = None

    def _start(self, ranks, seed):
        cells = CategoryCells(Categories(ranks, self._n_categories_of(ranks), self.cut_points == "columns"))
        return CategoryState(self._chain_with(cells, seed), self.burn_in)


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
        return self._learned_in_form()

    def _now(self):
        return centred(super()._now())

    def probabilities(self) -> np.ndarray:
        """Return the mean probability of every category over the kept sweeps, (F, N, C); before, that of the last."""
        if self._kept:
            return probabilities(np.moveaxis(self._sums / self._kept, 0, -1))
        psi = form.psi_of(self._chain.factors())
        return probabilities(exceedances(psi, self._chain.cells.likelihood.cuts))

    def predictive(self, rows, columns):
        """Return the mean probability of every category at some entries, (n, C)."""
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
