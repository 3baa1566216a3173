"""The negative binomial factor model by Gibbs sampling (Klami 2015, section 4.3)."""

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.cell_likelihoods import Counts
from nbmf.families.logistic.gibbs_state import GibbsState, SampledFactors
from nbmf.families.logistic.logistic_gibbs import LogisticChain
from nbmf.families.logistic.negative_binomial_factors import SIZE_PRIOR, NegativeBinomialFactors, mixture
from nbmf.inference.constructors import with_parameters


@with_parameters
class NegativeBinomialFactorGibbs(SampledFactors, NegativeBinomialFactors):
    """Negative binomial factor model by Gibbs sampling: V ~ NB(s, σ(r + c + WH)).

    A column has a size s ~ Gamma(1, 1) of its own: E[v | ψ] = s e^ψ, with variance E[v] (1 + e^ψ),
    for counts that vary more than Poisson's. Sizes are drawn by way of the tables of a Chinese
    restaurant, which takes as many uniform numbers a sweep as the counts have units. All else is as
    of LogisticFactorGibbs.

    Parameters
    ----------
    n_components, effects, effect_scale, ard, a0, b0, noise, burn_in, n_samples, threads, random_state
        As of LogisticFactorGibbs.

    See Factorization, FactorModel, NoisyFactors and NegativeBinomialFactors for the learned
    attributes, which are means and deviations over the kept sweeps.
    """

    method_name = "negative binomial GS"

    def _start(self, values, seed):
        chain = self._chain_of(Counts(values, SIZE_PRIOR), seed)
        return CountState(chain, self.burn_in)

    def _learn(self, state):
        self._learn_entries(state, *state.moments())
        super()._learn(state)


class CountState(GibbsState):
    """Also sums ψ² over the kept sweeps, for the distribution of ψ of an entry."""

    def __init__(self, chain: LogisticChain, burn_in: int):
        super().__init__(chain, burn_in)
        self._square_sum = np.zeros_like(self._psi)

    def _add(self):
        super()._add()
        self._square_sum += self._psi**2

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and variance of ψ over the kept sweeps, (F, N), noise included."""
        noise = float(self.noise_variance())
        if not self._kept:
            psi = form.psi_of(self._chain.factors())
            return psi, np.full_like(psi, noise)
        mean = self._psi_sum / self._kept
        return mean, np.maximum(self._square_sum / self._kept - mean**2, 0.0) + noise

    def predictive(self, rows, columns):
        """Return means and sizes of NODES distributions of some entries; see NegativeBinomialFactors."""
        psi, variance = (part[rows, columns] for part in self.moments())
        return mixture(psi, np.sqrt(variance), self.learned()[form.SIZES][columns])

    def current_predictive(self, rows, columns):
        """Return means and sizes given the last sweep at some entries."""
        cells = self._chain.cells
        psi = form.psi_at(self._chain.factors(), rows, columns)
        return mixture(psi, np.full(psi.shape, np.sqrt(cells.variance)), cells.likelihood.sizes[columns])

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        return super().snapshot() | {"sum of squares": self._square_sum}
