"""Poisson-gamma factorization of counts by four kinds of inference (Cemgil 2009)."""

from nbmf.families.poisson_gamma.gamma_priors import FIXED, new_row_priors
from nbmf.families.poisson_gamma.poisson_gamma_estimator import WithPriors
from nbmf.families.poisson_gamma.poisson_gamma_fold_in import FoldInPrior
from nbmf.families.poisson_gamma.poisson_gamma_inference import Point, Sampled, Variational, flat_prior
from nbmf.inference.constructors import with_parameters
from nbmf.likelihoods.poisson import POISSON


@with_parameters
class PoissonGammaEM(Point):
    """Poisson factorization by maximum likelihood, EM: v_fn ~ Poisson([WH]_fn).

    The steps are those of NMF with the Kullback-Leibler divergence: W first, then H given it.

    Parameters
    ----------
    n_components : int
        K.
    max_iter : int
        Iterations at most.
    relative_gain_tol : float
        Stop when 10 iterations raise the log-likelihood by less than this part of it; 0: never.
    precision : {"double", "single"}
        The precision of matrix products over all entries.
    threads : int
        The number of threads of a pass over a sparse matrix of many ones; the result does not depend on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization and Rates for the learned attributes.
    """

    method_name = "Poisson-gamma EM"
    likelihoods = (POISSON,)

    def _start(self, values, seed):
        data = self._observations(values)
        means = 1.0, data.mean_rate / self.n_components
        return self._state(values, data, means, None, False, seed)

    def _objective_of_one(self, state, values):
        return self._climbed_by_one(values)

    def _fold_in_prior(self, factor):
        return flat_prior(self.n_components_)


@with_parameters
class PoissonGammaICM(Point, WithPriors):
    """Poisson-gamma factorization by iterated conditional modes.

    Parameters
    ----------
    n_components : int
        K.
    shape_W, mean_W, shape_H, mean_H : float
        The entries of W are Gamma(shape, mean), so are those of H. mean_H = None: so that E[WH] is
        the mean of V.
    mode : {"logarithms", "factors"}
        Of p(log W, log H | V), which is what the paper's eq. (38) climbs, or of p(W, H | V).
    max_iter, relative_gain_tol, precision, threads, random_state
        As for PoissonGammaEM; the objective is the log density that is climbed.

    See Factorization, Rates and WithPriors for the learned attributes.
    """

    method_name = "Poisson-gamma ICM"
    likelihoods = (POISSON,)
    tie_shape_W = tie_mean_W = tie_shape_H = tie_mean_H = FIXED  # nothing is learned

    mode: str = "logarithms"

    def _start(self, values, seed):
        data = self._observations(values)
        of_logarithms = self.mode == "logarithms"
        priors = self._priors(data)
        self._fixed_priors = new_row_priors(priors)
        return self._state(values, data, self._means(data), priors, of_logarithms, seed)

    def _learn(self, state):
        super()._learn(state)
        self._take_priors(vars(self).pop("_fixed_priors"))

    def _fold_in_prior(self, factor):
        prior = super()._fold_in_prior(factor)
        return FoldInPrior(prior.count - (self.mode == "factors"), prior.rate, False)


@with_parameters
class PoissonGammaVB(Variational):
    """Poisson-gamma factorization by variational Bayes, with the bound as its objective.

    v_fn ~ Poisson([WH]_fn), w_fk ~ Gamma(shape_W, mean mean_W), h_kn ~ Gamma(shape_H, mean mean_H).

    Parameters
    ----------
    n_components : int
        K.
    shape_W, mean_W, shape_H, mean_H : float
        The priors, or their initial values where they are learned. mean_H = None sets it so that E[WH] is the mean
        of V.
    tie_shape_W, tie_mean_W, tie_shape_H, tie_mean_H : {"fixed", "all", "source", "line", "none"}
        Whether a number is fixed, or learned by the entries that share it: all of a factor, those
        of a component, those of a row of W (a column of H), or each its own mean, which is allowed
        next to a fixed shape only.
    scales : {"none", "rows", "columns", "both"}
        Whether rows or columns have their own popularity (Gopalan, Hofman and Blei 2015): for row f, w_fk is then
        Gamma(shape_W, mean mean_W / x_f) with x_f ~ Gamma(shape_scales, mean 1), and likewise for columns. Means by
        "line" or "none" are then not allowed. Fits start from the totals of these rows and columns.
    shape_scales : float or None
        The shape of x_f, and that for columns; None learns one for rows and one for columns.
    max_iter : int
        The largest number of updates.
    relative_gain_tol : float
        Stop when 10 updates raise the bound by less than this fraction of it; 0 never stops.
    precision : {"double", "single"}
        The precision of matrix products over all entries; of a sparse matrix that in which the distributions of W
        and H are kept during the fit (docs/poisson.md).
    threads : int
        The number of threads of a pass over a sparse matrix of many ones; the result does not depend on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, Rates and WithPriors for the learned attributes.
    """

    method_name = "Poisson-gamma VB"
    sampler = "PoissonGammaGibbs"
    likelihoods = (POISSON,)


@with_parameters
class PoissonGammaGibbs(Sampled):
    """Poisson-gamma factorization by Gibbs sampling.

    Parameters
    ----------
    n_components : int
        K.
    shape_W, mean_W, shape_H, mean_H
        As for PoissonGammaVB.
    tie_shape_W, tie_mean_W, tie_shape_H, tie_mean_H
        As for PoissonGammaVB; learned shapes have the prior Exp(1), and of learned means the rates
        shape / mean have Gamma(1, 1).
    scales, shape_scales
        As for PoissonGammaVB; a learned shape has the prior Exp(1).
    burn_in, n_samples : int
        The number of sweeps that are discarded, then of those whose factors are averaged; E[V] is averaged over at
        most 200 of these, evenly spaced (50 of a sparse matrix): `nbmf.posterior_draws` has as many as are asked for.
    threads : int
        The number of threads of a sweep over a matrix of at least 2^20 counts above zero, 32 a column; the result
        does not depend on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, Rates, WithPriors and Sampled for the learned attributes.
    """

    method_name = "Poisson-gamma GS"
    likelihoods = (POISSON,)
