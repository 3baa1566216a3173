"""Beta-Dir by collapsed Gibbs sampling (paper, section 4.2)."""

import numpy as np

from nbmf.families.beta_dirichlet.estimator import PROBABILITIES, WEIGHTS
from nbmf.families.beta_dirichlet.fold_in import BetaDirFoldIn
from nbmf.families.beta_dirichlet.gibbs import (
    ChainState,
    CollapsedGibbs,
    PosteriorSums,
    starting_Z,
)
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.models import beta_dir


class BetaDirGibbs(BetaDirFoldIn, CollapsedGibbs):
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

    model = "beta-dir"
    distributions = frozenset({"W"})
    probabilities = frozenset({"H"})
    meanings = (WEIGHTS, PROBABILITIES)
    weights_prior = "gamma"

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

    def _start(self, codes, seed):
        priors = {name: self._concentration(name) for name in ("alpha", "beta", "gamma")}
        Z = starting_Z(self.start, codes, self.n_components, seed)
        chain = BetaDirChain(
            codes, self.n_components, **priors, seed=seed, Z=Z, threads=self.threads
        )
        sum_of_H = _SumOfH(chain, priors["alpha"], priors["beta"], codes.shape[1])
        sums = PosteriorSums(chain, priors["gamma"], sum_of_H, codes.shape[1])
        return ChainState(chain, beta_dir, priors, sums, self.burn_in)


class _SumOfH:
    """Σ E[H | Z]: a component without counts is at its prior mean, so it is only counted."""

    def __init__(self, chain, alpha, beta, N):
        self._chain, self._alpha, self._beta = chain, alpha, beta
        self._sum = np.zeros((alpha.size, N))
        self._times_used = np.zeros(alpha.size, int)

    def add(self, used):
        H = self._chain.expected_H(used)
        self._sum[used] += H
        self._times_used[used] += 1
        return H

    def total(self, samples):
        at_prior = (samples - self._times_used) * self._alpha / (self._alpha + self._beta)
        return self._sum + at_prior[:, None]

    def arrays(self):
        return {"sum of E[H]": self._sum, "times used": self._times_used}
