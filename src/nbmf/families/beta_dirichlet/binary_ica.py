"""bICA: Beta-Dir by uncollapsed mean-field variational inference (Kabán and Bingham 2008)."""

from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.beta_dirichlet.learning import MeanFieldLearner
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.orientation import BetaDir
from nbmf.families.beta_dirichlet.variational import Variational, VariationalState


class BinaryICA(BetaDir, Variational):
    """bICA: the Beta-Dir model with q(W) q(H) q(Z) updated in turn.

    Parameters
    ----------
    n_components : int
        K.
    alpha, beta : float, array (K,), "learn", or both "learn-columns"
        Beta hyperparameters of H, or how they are learned: as numbers, or with a mean per column
        and one strength (docs/priors.md).
    gamma : float, array (K,), "1/K", "learn" or "learn-asymmetric"
        Dirichlet hyperparameters of the rows of W; learned as one number or as one per component.
    max_iter : int
        Updates of all three factors, at most.
    tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    orientation : {"rows", "columns", "auto"}
        The side of V whose lines are distributions over components; with "columns" this is
        Dir-Beta, and W has the probabilities. "auto": entries held out of the observed ones decide.
    random_state : int, SeedSequence or None
        The same value gives the same bits, and the same start as CollapsedBinaryICA's.

    See Factorization, MeanParameterized and BetaDir for the learned attributes.
    """

    def __init__(
        self,
        n_components=5,
        *,
        alpha=1.0,
        beta=1.0,
        gamma=1.0,
        max_iter=500,
        tol=0.0,
        orientation="rows",
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.orientation = orientation
        self.random_state = random_state

    def _start_rows(self, codes, start, seed):
        K = self.n_components
        prior, weights = start.priors(self._prior_values(), codes, K)
        priors = prior.tables() | {"gamma": weights.value}
        inference = BetaDirMeanField(codes, K, **priors, seed=seed)
        learner = MeanFieldLearner(inference, prior, weights)
        return VariationalState(inference, beta_dir, priors, inference.bound, learner if learner.learns else None)
