"""Dir-Beta: the Beta-Dir model of the transposed matrix (paper, section 3.1)."""

from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirGibbs
from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
from nbmf.families.beta_dirichlet.parameters import COLUMNS


class DirBetaGibbs(BetaDirGibbs):
    """Dir-Beta GS: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), collapsed Gibbs sampling.

    Parameters are those of BetaDirGibbs, but orientation, with eta, the Dirichlet hyperparameters
    of the columns of H, in place of gamma.
    """

    model = "dir-beta"
    weights_prior = "eta"
    orientation = COLUMNS

    def __init__(
        self,
        n_components=100,
        *,
        alpha=1.0,
        beta=1.0,
        eta="1/K",
        burn_in=4000,
        n_samples=1000,
        start="random",
        block_moves=False,
        threads=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.eta = eta
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.start = start
        self.block_moves = block_moves
        self.threads = threads
        self.random_state = random_state


class DirBetaVB(BetaDirVB):
    """Dir-Beta VB: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), CVB0.

    Parameters are those of BetaDirVB, but orientation, with eta, the Dirichlet hyperparameters of
    the columns of H, in place of gamma.
    """

    model = "dir-beta"
    weights_prior = "eta"
    orientation = COLUMNS

    def __init__(
        self,
        n_components=100,
        *,
        alpha=1.0,
        beta=1.0,
        eta="1/K",
        max_iter=500,
        tol=0.0,
        threads=1,
        max_memory_gb=4.0,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.threads = threads
        self.max_memory_gb = max_memory_gb
        self.random_state = random_state
