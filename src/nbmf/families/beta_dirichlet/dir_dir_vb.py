"""Dir-Dir by collapsed variational inference, CVB0, which the paper leaves for future work."""

import numpy as np

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import NOT_LEARNED, RULES, Concentration, per_component
from nbmf.families.beta_dirichlet.beta_dirichlet_variational import KeepsResponsibilities, VariationalState
from nbmf.families.beta_dirichlet.dir_dir import DirDir
from nbmf.families.beta_dirichlet.kernels.dir_dir_cvb0 import DirDirCVB0
from nbmf.families.beta_dirichlet.models import dir_dir
from nbmf.inference.constructors import with_parameters


@with_parameters
class DirDirVB(DirDir, KeepsResponsibilities):
    """Dir-Dir VB: w_f ~ Dirichlet(γ), h_n ~ Dirichlet(η), CVB0 over the pairs (z, c).

    Parameters
    ----------
    n_components : int
        K, at least 2: a zero is explained by two different components.
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    eta : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the columns of H.
    max_iter : int
        Updates of every responsibility, at most.
    mean_change_tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    threads : int
        Threads of an update; the result is the same for any number.
    max_memory_gb : float
        Refuse a fit whose responsibilities need more: per component, 4 bytes for an observed one
        and 8 for an observed zero, components in eights.
    random_state : int, SeedSequence or None
        The same value gives the same bits, and the same start as that of DirDirGibbs.

    See Factorization for the learned attributes.
    """

    method_name = "Dir-Dir VB"
    sampler = "DirDirGibbs"
    rules = RULES | NOT_LEARNED

    gamma: Concentration = "1/K"
    eta: Concentration = 1.0

    def _responsibility_vectors(self, codes):
        """Return how many there are: one of a one, two of a zero."""
        return np.count_nonzero(codes == 1) + 2 * np.count_nonzero(codes == 0)

    def _start(self, codes, seed):
        self._refuse_too_much_memory(codes)
        K = self.n_components
        priors = {name: per_component(name, getattr(self, name), K) for name in ("gamma", "eta")}
        inference = DirDirCVB0(codes, K, **priors, seed=seed, threads=self.threads)
        return VariationalState(inference, dir_dir, priors)
