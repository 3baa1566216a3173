"""Beta-Dir by collapsed variational inference, CVB0 (paper, section 4.3)."""

import numpy as np

from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.variational import BetaDirVariational


class BetaDirVB(BetaDirVariational):
    """Beta-Dir VB: w_f ~ Dirichlet(γ), h_kn ~ Beta(α, β), CVB0 updates, eq. (36).

    Parameters
    ----------
    n_components : int
        K. With gamma="1/K" and a large K the data choose how many are used (section 4.4).
    alpha, beta : float or array (K,)
        Beta hyperparameters of H.
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    max_iter : int
        Updates of every responsibility, at most.
    tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    threads : int
        Threads of an update; the result is the same for any number.
    max_memory_gb : float
        Refuse a fit whose responsibilities need more: 4 bytes per observed entry and component,
        components in eights.
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
        max_iter=500,
        tol=0.0,
        threads=1,
        max_memory_gb=4.0,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.threads = threads
        self.max_memory_gb = max_memory_gb
        self.random_state = random_state

    def _make_inference(self, codes, priors, seed):
        n_observed = np.count_nonzero(codes >= 0)
        self._refuse_too_much_memory(n_observed, n_observed)
        inference = BetaDirCVB0(codes, self.n_components, **priors, seed=seed, threads=self.threads)
        return inference, None
