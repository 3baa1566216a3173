"""Dir-Dir by collapsed Gibbs sampling (paper, section 5.2)."""

import numpy as np

from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.estimator import WEIGHTS
from nbmf.families.beta_dirichlet.fold_in import DirDirFoldIn
from nbmf.families.beta_dirichlet.gibbs import (
    ChainState,
    CollapsedGibbs,
    PosteriorSums,
    starting_Z,
)
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import dir_dir


class DirDirGibbs(DirDirFoldIn, CollapsedGibbs):
    """Dir-Dir GS: w_f ~ Dirichlet(γ), h_n ~ Dirichlet(η), collapsed Gibbs sampling of (Z, C).

    Parameters
    ----------
    n_components : int
        K, at least 2: a zero is explained by two different components.
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    eta : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the columns of H.
    burn_in, n_samples : int
        Sweeps thrown away, then sweeps averaged.
    start : {"random", "mean-field"}
        Initial assignments: uniform, as the paper says, or drawn from 100 iterations of bICA with
        10 components, as the paper's scripts do.
    scheme : {"joint", "alternating"}
        How a zero's pair (z, c) is drawn: jointly, or as the paper does, eqs. (60)-(61).
    threads : int
        Threads of a sweep; the result is the same for any number.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization for the learned attributes.
    """

    model = "dir-dir"
    distributions = frozenset({"W", "H"})
    meanings = (WEIGHTS, WEIGHTS)
    weights_prior = "gamma"

    def __init__(
        self,
        n_components=100,
        *,
        gamma="1/K",
        eta=1.0,
        burn_in=4000,
        n_samples=1000,
        start="random",
        scheme="joint",
        threads=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.gamma = gamma
        self.eta = eta
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.start = start
        self.scheme = scheme
        self.threads = threads
        self.random_state = random_state

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.n_components < 2:
            raise ConfigError("n_components = 1: Dir-Dir needs at least 2, since a zero takes two")

    def _start(self, codes, seed):
        priors = {name: self._concentration(name) for name in ("gamma", "eta")}
        Z = starting_Z(self.start, codes, self.n_components, seed)
        chain = DirDirChain(
            *(codes, self.n_components),
            **priors,
            seed=seed,
            Z=Z,
            threads=self.threads,
            scheme=self.scheme,
        )
        sums = PosteriorSums(chain, priors["gamma"], _SumOfH(chain, priors["eta"]), codes.shape[1])
        return ChainState(chain, dir_dir, priors, sums, self.burn_in)


class _SumOfH:
    """Σ E[H | C] = Σ (η + Q) / s, where s_n = Ση + n_n is the same for every C: Q is summed."""

    def __init__(self, chain, eta):
        self._chain, self._eta = chain, eta
        self._Q = np.zeros(chain.Q.shape, np.int64)

    def add(self, used):
        self._Q += self._chain.Q
        return self._chain.expected_H(used)

    def total(self, samples):
        return (samples * self._eta[:, None] + self._Q.T) / self._chain.s

    def arrays(self):
        return {"sum of Q": self._Q}
