"""The Bernoulli-Poisson link: binary matrices at a cost that grows with the ones alone."""

from nbmf.families.poisson_gamma.gamma_priors import FIXED
from nbmf.families.poisson_gamma.poisson_gamma_inference import Sampled, Variational
from nbmf.inference.constructors import with_parameters
from nbmf.likelihoods.bernoulli import BERNOULLI


@with_parameters
class BernoulliPoissonVB(Variational):
    """Bernoulli-Poisson factorization by variational Bayes: E[V] = 1 - exp(-WH).

    An entry is a one if a Poisson count is not zero: v_fn = 1[c_fn > 0], c_fn ~ Poisson([WH]_fn),
    with gamma priors of W and H (Zhou 2015). The cost of an update grows with the ones alone, so
    that large sparse matrices of scipy.sparse can be fitted: what they do not store is 0.

    Parameters
    ----------
    n_components : int
        K.
    shape_W, mean_W, shape_H, mean_H : float
        The entries of W are Gamma(shape, mean), so are those of H; where learned, their start.
        mean_H = None: so that E[V] is the proportion of ones.
    tie_shape_W, tie_mean_W, tie_shape_H, tie_mean_H
        What is learned, as for PoissonGammaVB: the mean of each component of H. Without scales learned shapes
        raise the bound, and predict held-out entries worse (docs/poisson.md).
    scales, shape_scales
        As for PoissonGammaVB: rows and columns of large sparse matrices differ in popularity, and are predicted
        better with scales="both" next to learned shapes, tie_shape_W = tie_shape_H = "source" (docs/poisson.md).
    max_iter, relative_gain_tol, precision, threads, random_state
        As for PoissonGammaVB.

    `expectation_`, and what is predicted, is 1 - exp(-E[W] E[H]), at the means of q; the mean of 1 - exp(-WH) under q
    is smaller where W and H are uncertain. `nbmf.posterior_draws` has draws of them.
    See Factorization, Rates and WithPriors for the learned attributes.
    """

    method_name = "Bernoulli-Poisson VB"
    sampler = "BernoulliPoissonGibbs"
    likelihoods = (BERNOULLI,)
    is_binary = True

    shape_W: float = 0.3
    shape_H: float = 0.3
    tie_shape_W: str = FIXED
    tie_shape_H: str = FIXED


@with_parameters
class BernoulliPoissonGibbs(Sampled):
    """Bernoulli-Poisson factorization by Gibbs sampling; the model of BernoulliPoissonVB.

    Parameters
    ----------
    n_components : int
        K.
    shape_W, mean_W, shape_H, mean_H
        As for BernoulliPoissonVB.
    tie_shape_W, tie_mean_W, tie_shape_H, tie_mean_H
        What is learned, as for PoissonGammaGibbs.
    scales, shape_scales
        As for PoissonGammaGibbs.
    burn_in, n_samples : int
        The number of sweeps that are discarded, then of those whose factors are averaged; E[V] is averaged over at
        most 200 of these, evenly spaced (50 of a sparse matrix): `nbmf.posterior_draws` has as many as are asked for.
    threads : int
        The number of threads of a sweep over a matrix of at least 2^20 ones, 32 a column; the result does not depend
        on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, Rates, WithPriors and Sampled for the learned attributes.
    """

    method_name = "Bernoulli-Poisson GS"
    likelihoods = (BERNOULLI,)
    is_binary = True

    shape_W: float = 0.3
    shape_H: float = 0.3
