"""Beta-Dir by collapsed Gibbs sampling (paper, section 4.2)."""

import functools

from nbmf.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.methods.base import Factorization
from nbmf.methods.gibbs import sample_posterior, starting_Z
from nbmf.models.beta_dir import expected_factors


class BetaDirGibbs(Factorization):
    """Beta-Dir GS: w_f ~ Dirichlet(γ), h_kn ~ Beta(α, β), collapsed Gibbs sampling, eq. (25).

    Parameters
    ----------
    n_components : int
        K. With gamma="1/K" and a large K the data choose how many are used (section 4.4).
    alpha, beta : float or array (K,)
        Beta hyperparameters of H.
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    burn_in, n_samples : int
        Sweeps thrown away, then sweeps averaged.
    start : {"random", "mean-field"}
        Initial assignments: uniform, as the paper says, or drawn from 100 iterations of bICA with
        10 components, as the paper's scripts do.
    threads : int
        Threads of a sweep; the result is the same for any number.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization for the learned attributes.
    """

    def __init__(
        self,
        n_components=100,
        *,
        alpha=1.0,
        beta=1.0,
        gamma="1/K",
        burn_in=4000,
        n_samples=1000,
        start="random",
        threads=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.start = start
        self.threads = threads
        self.random_state = random_state

    def _factorize(self, codes, seed, monitor):
        priors = {name: self._concentration(name) for name in ("alpha", "beta", "gamma")}
        Z = starting_Z(self.start, codes, self.n_components, seed)
        chain = BetaDirChain(
            codes, self.n_components, **priors, seed=seed, Z=Z, threads=self.threads
        )
        factors = functools.partial(expected_factors, **priors)
        return sample_posterior(chain, factors, self.burn_in, self.n_samples, monitor)
