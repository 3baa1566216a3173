"""Factor models of counts by variational Bayes (Klami 2015, sections 4.3 and 6.2)."""

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.count_start import count_start
from nbmf.families.logistic.factors import EFFECT_SCALE
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_variational import VariationalFactors, effect_places
from nbmf.families.logistic.negative_binomial_factors import SIZE_PRIOR, NegativeBinomialFactors, mixture
from nbmf.families.logistic.quadratic import ExplicitNoise
from nbmf.families.logistic.quadratic_counts import NegativeBinomial, SoftplusPoisson, curvature_of, slope_of, softplus
from nbmf.inference.constructors import with_parameters
from nbmf.likelihoods.poisson import POISSON
from nbmf.numerics.sigmoid import excess_factor, mean_under_normal


@with_parameters
class NegativeBinomialFactorVB(VariationalFactors, NegativeBinomialFactors):
    """Negative binomial factor model by variational Bayes: V ~ NB(s, σ(r + c + WH)).

    A column has a size s ~ Gamma(1, 1) of its own: E[v | ψ] = s e^ψ, with variance E[v] (1 + e^ψ),
    for counts that vary more than Poisson's. Pólya-Gamma variables make the likelihood quadratic.

    Parameters
    ----------
    effect_scale : float or "learned"
        As of LogisticFactorGibbs; effects of columns are logarithms of their means over their sizes.
    n_components, effects, ard, ard_after, a0, b0, covariance, noise, max_iter, bound_gain_tol, step, start_scale
        As of LogisticFactorVB, and so is random_state.

    See Factorization, FactorModel, NoisyFactors and NegativeBinomialFactors for the learned
    attributes, which are means and deviations under q.
    """

    method_name = "negative binomial VB"
    sampler = "NegativeBinomialFactorGibbs"
    rules = VariationalFactors.rules | NegativeBinomialFactors.rules

    effect_scale: float | str = EFFECT_SCALE
    noise: bool = False

    def _quadratic(self, values):
        counts = NegativeBinomial(values, SIZE_PRIOR)
        return ExplicitNoise(counts, Gamma(self.a0, self.b0)) if self.noise else counts

    def _place(self, quadratic, values, rows, columns):
        """Where effects are learned, they, axes and sizes begin near what logarithms of counts say."""
        used, K = self.effects_in_use, self.n_components
        if self.effect_scale != form.LEARNED or not any(used):
            return
        start = count_start(values, used.rows, used.columns, K)
        if used.columns:  # E[v] = s e^ψ
            self._counts(quadratic).begin(start.sizes)
            start = start._replace(of_columns=start.of_columns - np.log(start.sizes))
        (F, N), (of_rows, of_columns) = values.shape, effect_places(K, used)
        of_a_row, of_a_column = start.noise / N, start.noise / F
        not_found = slice(start.slopes.shape[1], K)  # axes that are less than noise
        columns.mean[:, not_found] *= min(0.5 * np.sqrt(of_a_column) / self.start_scale, 1.0)
        of_places = start.noise / (start.slopes**2).sum(axis=0)
        _begin(rows, start.places, of_places, of_rows, start.of_rows, of_a_row, 1.0)
        _begin(columns, start.slopes, of_a_column, of_columns, start.of_columns, of_a_column, of_a_column)

    def _counts(self, quadratic):
        return quadratic.inner if self.noise else quadratic

    def _predicted(self, quadratic, psi, variance, columns):
        return self._counts(quadratic).size[columns] * np.exp(psi + 0.5 * variance)

    def _prediction(self, quadratic, psi, variance, columns):
        return mixture(psi, np.sqrt(variance), self._counts(quadratic).size[columns])

    def _others_of(self, quadratic, rng=None):
        sizes = self._counts(quadratic).posterior
        return {form.SIZES: sizes.mean if rng is None else rng.gamma(sizes.shape) / sizes.rate}

    def _learn(self, state):
        self.noise_variance_ = np.array(state.matrix.quadratic.added_variance())
        self._learn_entries(state, *state.moments())
        super()._learn(state)


def _begin(side, axes, of_axes, place, effects, of_effects, of_others):
    """Start a side at axes (n, k) and effects (n,) at their place, if any, with these variances and that of others."""
    mean, variance = side.mean.copy(), np.full(side.mean.shape, of_others)
    mean[:, : axes.shape[1]], variance[:, : axes.shape[1]] = axes, of_axes
    if place is not None:
        mean[:, place], variance[:, place] = effects, of_effects
        if side.coordinates.carrier == place:
            side.center[place] = effects.mean()
    side.begin(mean, variance)


@with_parameters
class SoftplusPoissonFactorVB(VariationalFactors):
    """Poisson factor model by variational Bayes: V ~ Poisson(log(1 + e^ψ)), ψ = r + c + WH.

    The rate is positive, near ψ where that is large and near e^ψ where it is small. The likelihood
    is bounded by a quadratic form of constant curvature, 1/4 + 0.17 max v of the column: the larger
    the counts, the smaller the steps, so columns of large counts converge slowly. The paper's
    comparison method for counts (Seeger and Bouchard 2012).

    Parameters
    ----------
    n_components, effects, ard, ard_after, a0, b0, covariance, max_iter, bound_gain_tol, step, start_scale, random_state
        As of LogisticFactorVB.

    See Factorization and FactorModel for the learned attributes. expectation_ is E log(1 + e^ψ)
    under q with ψ as normal.
    """

    method_name = "softplus Poisson VB"
    sampler = "NegativeBinomialFactorGibbs"  # of counts, though not of this model
    likelihoods = (POISSON,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")

    def _quadratic(self, values):
        return SoftplusPoisson(values)

    def _mean_of(self, psi, factors, columns):
        return softplus(psi)

    def _predicted(self, quadratic, psi, variance, columns):
        times = excess_factor(variance)
        if times is None:
            return mean_under_normal(softplus, psi, variance)
        return times * mean_under_normal(softplus, psi / times, variance / times**2)

    def _weights(self, values, psi, square):
        """Return h and w of new rows' and columns' cells, each with the curvature that it needs itself."""
        seen = values >= 0
        x = np.where(seen, values, 0.0)
        # With a weight missing cells would change no result, for their h is w ψ: they would hold each step back.
        w = np.where(seen, curvature_of(x), 0.0)
        return w * psi + np.where(seen, slope_of(x, psi), 0.0), w
