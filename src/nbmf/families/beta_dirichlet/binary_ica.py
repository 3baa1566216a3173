"""bICA: Beta-Dir by uncollapsed mean-field variational inference (Kabán and Bingham 2008)."""

from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.beta_dirichlet.variational import BetaDirVariational


class BinaryICA(BetaDirVariational):
    """bICA: the Beta-Dir model with q(W) q(H) q(Z) updated in turn.

    Parameters
    ----------
    n_components : int
        K.
    alpha, beta : float or array (K,)
        Beta hyperparameters of H.
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    max_iter : int
        Updates of all three factors, at most.
    tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    random_state : int, SeedSequence or None
        The same value gives the same bits, and the same start as CollapsedBinaryICA's.

    See Factorization for the learned attributes.
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
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _make_inference(self, codes, priors, seed):
        inference = BetaDirMeanField(codes, self.n_components, **priors, seed=seed)
        return inference, inference.bound
