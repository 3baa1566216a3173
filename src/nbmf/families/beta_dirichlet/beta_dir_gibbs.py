"""Beta-Dir by collapsed Gibbs sampling (paper, section 4.2), and Dir-Beta: that of the transposed matrix (3.1)."""

import numpy as np

from nbmf.errors import Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import Concentration
from nbmf.families.beta_dirichlet.collapsed_gibbs import ChainState, CollapsedGibbs, PosteriorSums
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import starting_Z
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.orientation import BetaDir
from nbmf.families.beta_dirichlet.prior_learners import SliceLearner
from nbmf.inference.constructors import with_parameters
from nbmf.inference.products import COLUMNS


@with_parameters
class BetaDirChains(BetaDir, CollapsedGibbs):
    """Base class of Beta-Dir GS and, of V transposed, Dir-Beta GS, with the parameters that both have."""

    block_moves: bool = False

    @property
    def advice_if_stuck(self):
        """Advise block moves, which mix better; if they are on, give the advice of all samplers."""
        return super().advice_if_stuck if self.block_moves else Setting("block_moves", True)

    def _start_rows(self, codes, start, seed):
        K = self.n_components
        prior, weights = start.priors(self._prior_values(), codes, K)
        priors = prior.tables() | {"gamma": weights.value}
        Z = starting_Z(self.start, codes, K, seed)
        options = {"threads": self.threads, "block_moves": self.block_moves}
        chain = BetaDirChain(codes, K, **priors, seed=seed, Z=Z, **options)
        learner = SliceLearner(chain, prior, {"L": weights}, seed)
        sums = PosteriorSums(chain, weights.value, _SumOfH(chain), learner.learns)
        return ChainState(chain, beta_dir, learner, sums, self.burn_in)


@with_parameters
class BetaDirGibbs(BetaDirChains):
    """Beta-Dir GS: w_f ~ Dirichlet(γ), h_kn ~ Beta(α, β), collapsed Gibbs sampling, eq. (25).

    Parameters
    ----------
    n_components : int
        K. With gamma="1/K" and a large K the data choose how many are used (section 4.4).
    alpha, beta : float, array (K,), "learn", or both "learn-columns"
        Beta hyperparameters of H, or how they are learned: as numbers, or with a mean per column
        and one strength (docs/priors.md).
    gamma : float, array (K,), "1/K", "learn" or "learn-asymmetric"
        Dirichlet hyperparameters of the rows of W; learned as one number or as one per component.
    burn_in, n_samples : int
        The number of sweeps that are discarded, then of those that are averaged.
    start : {"random", "mean-field"}
        Initial assignments: uniform, as in the paper's text, or drawn from 100 iterations of bICA with 10
        components, as in the paper's scripts.
    block_moves : bool
        Whether, in every fifth sweep, all cells of one row or column that share a component may move to another
        component together (docs/uncertainty.md). The posterior is the same, and chains move between modes more
        easily.
    threads : int
        The number of threads of a sweep; the result does not depend on it.
    orientation : {"rows", "columns", "auto"}
        Whether rows or columns of V are distributions over components; with "columns" this is Dir-Beta, and W has
        the probabilities. "auto" decides by held-out entries.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, MeanParameterized and BetaDir for the learned attributes.
    """

    method_name = "Beta-Dir GS"

    gamma: Concentration = "1/K"
    orientation: str = "rows"


@with_parameters
class DirBetaGibbs(BetaDirChains):
    """Dir-Beta GS: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), collapsed Gibbs sampling.

    Parameters are those of BetaDirGibbs, but orientation, with eta, the Dirichlet hyperparameters
    of the columns of H, instead of gamma.
    """

    method_name = "Dir-Beta GS"
    model = "dir-beta"
    weights_prior = "eta"
    orientation = COLUMNS

    eta: Concentration = "1/K"


class _SumOfH:
    """Σ E[H | Z]: a component without counts is at its prior mean, so it is only counted."""

    def __init__(self, chain):
        self._chain = chain
        K, places = chain.expected_H(slice(None)).shape
        self._sum, self._times_used = np.zeros((K, places)), np.zeros(K, int)

    def add(self, used):
        H = self._chain.expected_H(used)
        self._sum[used] += H
        self._times_used[used] += 1
        return H

    def total(self, samples):
        alpha, beta = self._chain.beta_prior()
        return self._sum + (samples - self._times_used)[:, None] * alpha / (alpha + beta)

    def arrays(self):
        return {"sum of E[H]": self._sum, "times used": self._times_used}
