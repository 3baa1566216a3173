"""Dir-Dir by collapsed Gibbs sampling (paper, section 5.2)."""

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import Concentration
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import DirichletPrior
from nbmf.families.beta_dirichlet.collapsed_gibbs import ChainState, CollapsedGibbs, PosteriorSums
from nbmf.families.beta_dirichlet.dir_dir import DirDir
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import starting_Z
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import dir_dir
from nbmf.families.beta_dirichlet.prior_learners import SliceLearner
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import AUTO

FEWEST_ALTERNATING = 3  # components: with two, z given c is certain, and the chain keeps the zeros as they started


@with_parameters
class DirDirGibbs(DirDir, CollapsedGibbs):
    """Dir-Dir GS: w_f ~ Dirichlet(γ), h_n ~ Dirichlet(η), collapsed Gibbs sampling of (Z, C).

    Parameters
    ----------
    n_components : int
        K, at least 2: a zero is explained by two different components.
    gamma : float, array (K,), "1/K", "learn" or "learn-asymmetric"
        Dirichlet hyperparameters of the rows of W; learned as one number or as one per component
        (docs/priors.md).
    eta : float, array (K,), "1/K", "learn" or "learn-asymmetric"
        Dirichlet hyperparameters of the columns of H.
    burn_in, n_samples : int
        The number of sweeps that are discarded, then of those that are averaged.
    start : {"random", "mean-field"}
        Initial assignments: uniform, as in the paper's text, or drawn from 100 iterations of bICA with 10
        components, as in the paper's scripts.
    scheme : {"joint", "alternating"}
        How a zero's pair (z, c) is drawn: jointly, or as the paper does, eqs. (60)-(61), which needs three components:
        of two, z given c is the other one, and no pair would ever change.
    threads : int
        The number of threads of a sweep; the result does not depend on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization for the learned attributes.
    """

    method_name = "Dir-Dir GS"

    gamma: Concentration = "1/K"
    eta: Concentration = 1.0
    scheme: str = "joint"

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        has_few = self.n_components == AUTO or self.n_components < FEWEST_ALTERNATING  # a search begins with two
        if self.scheme == "alternating" and has_few:
            raise ConfigError(
                Setting("n_components", self.n_components),
                f": needed are {FEWEST_ALTERNATING} with ",
                Setting("scheme", "alternating"),
                ", which cannot change the components of a zero if there are two; allowed with two: ",
                Setting("scheme", "joint"),
            )

    def _start(self, codes, seed):
        K = self.n_components
        weights = {
            counter: DirichletPrior(name, getattr(self, name), K) for counter, name in (("L", "gamma"), ("Q", "eta"))
        }
        Z = starting_Z(self.start, codes, K, seed)
        chain = DirDirChain(
            codes,
            K,
            **{prior.name: prior.value for prior in weights.values()},
            seed=seed,
            Z=Z,
            threads=self.threads,
            scheme=self.scheme,
        )
        learner = SliceLearner(chain, None, weights, seed)
        sums = PosteriorSums(chain, weights["L"].value, _SumOfH(chain), learner.learns)
        return ChainState(chain, dir_dir, learner, sums, self.burn_in)


class _SumOfH:
    """Σ E[H | C] = Σ (η + Q) / s, where s_n = Ση + n_n is the same for every C: Q is summed."""

    def __init__(self, chain):
        self._chain = chain
        self._Q = np.zeros(chain.Q.shape, np.int64)

    def add(self, used):
        self._Q += self._chain.Q
        return self._chain.expected_H(used)

    def total(self, samples):
        return (samples * self._chain.eta[:, None] + self._Q.T) / self._chain.s

    def arrays(self):
        return {"sum of Q": self._Q}
