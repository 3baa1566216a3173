"""What the negative binomial factor models share (Klami 2015, section 4.3)."""

from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.count_start import sizes_by_moments
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_estimator import EFFECT_SCALE, NoisyFactors, append_effect, settled_weights
from nbmf.families.logistic.logistic_fold_in import modes
from nbmf.families.logistic.new_columns import regress_columns
from nbmf.families.logistic.quadratic_counts import CountsOfSize, NegativeBinomial
from nbmf.inference.state import Factors
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL

SIZE_PRIOR = Gamma(1.0, 1.0)  # of each s; the paper gives none
NODES = 32  # of the distribution of ψ, when entries are scored


class NegativeBinomialFactors(NoisyFactors):
    """Base class: V ~ NB(s, σ(ψ)), E[v | ψ] = s e^ψ, a size s ~ Gamma(1, 1) per column.

    Attributes
    ----------
    sizes_ : float array (N,)
        E s of each column.
    log_odds_, deviations_ : float arrays (F, N)
        Mean and standard deviation of ψ, noise included.

    expectation_ is E[s e^ψ]. Entries held out are scored by the mixture of negative binomial distributions
    over the normal distribution of ψ with these moments, with the mean sizes; those of new rows and columns, whose
    factors are taken as known, by one.
    """

    likelihoods = (NEGATIVE_BINOMIAL,)
    rules = NoisyFactors.rules | {"effect_scale": EFFECT_SCALE}
    meanings = ("coordinates in logarithms of expected counts", "coordinates in logarithms of expected counts")
    shapes: ClassVar = NoisyFactors.shapes | {"sizes_": "N", "log_odds_": "FN", "deviations_": "FN"}

    @property
    def folds_in_from_modes(self):
        """Whether the slope of log p(v | ψ) is known, from which the modes of large counts are found."""
        return not self.noise

    def _mean_of(self, psi, factors, columns):
        noise = 0.5 * self.noise_of(factors) if self.noise else 0.0
        return factors.others[form.SIZES][columns] * np.exp(psi + noise)

    def predictive(self, rows, columns):
        """Return the means and the sizes of NODES distributions of some entries."""
        rows, columns = self.checked_places(rows, columns)
        psi, deviation = self.log_odds_[rows, columns], self.deviations_[rows, columns]
        return mixture(psi, deviation, self.sizes_[columns])

    def predictive_of(self, factors, rows, columns):
        """Return the mean and the size of the distribution given factors, or of several if ψ has noise."""
        size = factors.others[form.SIZES][columns]
        if not self.noise:
            return self.mean(factors)[rows, columns], size
        psi = form.psi_of(factors)[rows, columns]
        return mixture(psi, np.full(psi.shape, np.sqrt(self.noise_of(factors))), size)

    def _learn_entries(self, state, psi, variance):
        """Keep what is known of sizes and of each ψ."""
        self.sizes_ = state.estimate().others[form.SIZES]
        self.log_odds_ = psi
        self.deviations_ = np.sqrt(np.maximum(variance, 0.0))

    def _others(self, row_effects, column_effects):
        return super()._others(row_effects, column_effects) | {form.SIZES: self.sizes_}

    def _weights(self, values, psi, square):
        """Return h and w of new rows' cells."""
        counts = CountsOfSize(values, self.sizes_)
        return settled_weights(self.with_noise(counts) if self.noise else counts, psi, square)

    def _factors_of_columns(self, values):
        """Return the factors of new columns, each with a size of its own: VB given the rows."""
        counts = NegativeBinomial(values, SIZE_PRIOR)
        likelihood = self.with_noise(counts) if self.noise else counts

        def keep_noise():  # that of the fit stays
            if self.noise:
                likelihood.noise.fix(1.0 / float(self.noise_variance_))

        start = None
        if self.folds_in_from_modes:
            start, sizes = self._start_of_columns(values)
            counts.begin(sizes)
        means, effects = regress_columns(self, likelihood, keep_noise, start=start)
        others = self._others(self.row_effects_, effects) | {form.SIZES: counts.size}
        return Factors(self.W_, np.ascontiguousarray(means.T), others)

    def _start_of_columns(self, values):
        """Return coefficients (N', J) and sizes (N',): modes for sizes of 1, and moments given these."""
        design, *prior = append_effect(self.W_, self.precisions_, self._effect_prior(rows=False))

        def weights(rows, psi, square):
            return settled_weights(CountsOfSize(rows, np.ones(rows.shape[1])), psi, square)

        start = modes(np.ascontiguousarray(values.T), design, *prior, self.row_effects_, weights)
        sizes = np.ones(len(start))
        if self.effects_in_use.columns:
            F, J = design.shape
            rate = np.exp(self.row_effects_ + start @ design.T).T
            sizes = sizes_by_moments(values, rate, max(F - J, 1) / F)
            start[:, -1] -= np.log(sizes)
        return start, sizes


def mixture(psi, deviation, size):
    """Return the means and sizes of NODES distributions of equal weight, over the normal distribution of ψ."""
    z = ndtri((np.arange(NODES) + 0.5) / NODES)
    return size * np.exp(psi + np.multiply.outer(z, deviation)), size
