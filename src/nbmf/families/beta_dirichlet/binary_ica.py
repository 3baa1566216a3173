"""bICA: Beta-Dir by uncollapsed mean-field variational inference (Kabán and Bingham 2008)."""

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import Concentration
from nbmf.families.beta_dirichlet.beta_dirichlet_variational import Variational, VariationalState
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.orientation import BetaDir
from nbmf.families.beta_dirichlet.prior_learners import MeanFieldLearner
from nbmf.inference.constructors import with_parameters


@with_parameters
class BinaryICA(BetaDir, Variational):
    """bICA: the Beta-Dir model with alternating updates of q(W), q(H) and q(Z).

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
    mean_change_tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    orientation : {"rows", "columns", "auto"}
        Whether rows or columns of V are distributions over components; with "columns" this is Dir-Beta, and W has
        the probabilities. "auto" decides by held-out entries.
    random_state : int, SeedSequence or None
        The same value gives the same bits, and the same start as CollapsedBinaryICA's.

    See Factorization, MeanParameterized and BetaDir for the learned attributes.
    """

    method_name = "bICA"
    takes_starts = True
    sampler = "BetaDirGibbs"

    n_components: int = 5
    gamma: Concentration = 1.0
    orientation: str = "rows"

    def _start_rows(self, codes, start, seed):
        K = self.n_components
        prior, weights = start.priors(self._prior_values(), codes, K)
        priors = prior.tables() | {"gamma": weights.value}
        inference = BetaDirMeanField(codes, K, **priors, seed=seed)
        learner = MeanFieldLearner(inference, prior, weights)
        return VariationalState(inference, beta_dir, priors, inference.bound, learner if learner.learns else None)

    def _objective_of_one(self, state, values):
        """Return log p(V, Z), which the bound is at that Z, with the priors that the fit ended with."""
        return beta_dir.log_joint_of_one(values if self.weights_are_rows else values.T, **state.hyperparameters())
