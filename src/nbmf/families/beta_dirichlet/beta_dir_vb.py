"""Beta-Dir by collapsed variational inference, CVB0 (paper, section 4.3).

So are c-bICA, with a fixed number of components (section 6.2), and Dir-Beta, the model of the transposed matrix (3.1).
"""

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import NOT_LEARNED, RULES, Concentration
from nbmf.families.beta_dirichlet.beta_dirichlet_variational import KeepsResponsibilities, VariationalState
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.orientation import BetaDir
from nbmf.families.beta_dirichlet.prior_learners import CVB0Learner
from nbmf.inference.constructors import with_parameters
from nbmf.inference.products import COLUMNS


class BetaDirUpdates(BetaDir, KeepsResponsibilities):
    """Base class of Beta-Dir VB and, of V transposed, Dir-Beta VB."""

    rules = RULES | NOT_LEARNED
    start_matters = True

    def _start(self, codes, seed):
        self._refuse_too_much_memory(codes)
        return super()._start(codes, seed)

    def _start_rows(self, codes, start, seed):
        prior, weights = start.priors(self._prior_values(), codes, self.n_components)
        priors = prior.tables() | {"gamma": weights.value}
        K = weights.value.size
        inference = BetaDirCVB0(codes, K, **priors, seed=seed, threads=self.threads)
        learner = CVB0Learner(inference, prior) if prior.learned else None
        return VariationalState(inference, beta_dir, priors, learner=learner)


@with_parameters
class BetaDirVB(BetaDirUpdates):
    """Beta-Dir VB: w_f ~ Dirichlet(γ), h_kn ~ Beta(α, β), CVB0 updates, eq. (36).

    Parameters
    ----------
    n_components : int
        K. With gamma="1/K" and a large K the data choose how many are used (section 4.4).
    alpha, beta : float, array (K,), "learn", or both "learn-columns"
        Beta hyperparameters of H, or how they are learned: as numbers, or with a mean per column
        and one strength (docs/priors.md).
    gamma : float, array (K,) or "1/K"
        Dirichlet hyperparameters of the rows of W.
    max_iter : int
        Updates of every responsibility, at most.
    mean_change_tol : float
        Stop when E[V] changes by less in 10 updates, on average over its entries, and by no more
        than in the 10 before; 0, the paper's protocol, never does.
    threads : int
        Threads of an update; the result is the same for any number.
    max_memory_gb : float
        Refuse a fit whose responsibilities need more: 4 bytes per observed entry and component,
        components in eights.
    orientation : {"rows", "columns", "auto"}
        Whether rows or columns of V are distributions over components; with "columns" this is Dir-Beta, and W has
        the probabilities. "auto" decides by held-out entries.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    With learned alpha or beta, of several starts the one is taken that predicts held-out entries
    among the observed ones best. If it does not predict better than one component, that is the means
    of columns (of rows, with orientation "columns"), by more than two standard errors of the
    difference, the fit has one: `n_components_` is 1. See Factorization, MeanParameterized and
    BetaDir for the learned attributes.
    """

    method_name = "Beta-Dir VB"
    sampler = "BetaDirGibbs"

    @property
    def variant(self):
        """Whether the fit learns a prior, or is a finite model, which uses all of its components."""
        return super().variant or "finite" * (not self.finds_components)

    gamma: Concentration = "1/K"
    orientation: str = "rows"


@with_parameters
class CollapsedBinaryICA(BetaDirVB):
    """c-bICA: CVB0 of the Beta-Dir model with gamma = 1 and K given, so all components are used.

    Same parameters as BetaDirVB. With the same random_state and n_components it starts from the
    same assignments as BinaryICA.
    """

    method_name = "c-bICA"
    variant = BetaDirUpdates.variant  # that all components are used is what c-bICA is

    n_components: int = 5
    gamma: Concentration = 1.0


@with_parameters
class DirBetaVB(BetaDirUpdates):
    """Dir-Beta VB: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), CVB0.

    Parameters are those of BetaDirVB, but orientation, with eta, the Dirichlet hyperparameters of
    the columns of H, instead of gamma.
    """

    method_name = "Dir-Beta VB"
    sampler = "DirBetaGibbs"
    model = "dir-beta"
    weights_prior = "eta"
    orientation = COLUMNS

    eta: Concentration = "1/K"
