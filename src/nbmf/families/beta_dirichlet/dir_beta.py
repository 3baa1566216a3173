"""Dir-Beta: the Beta-Dir model of the transposed matrix (paper, section 3.1)."""

from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirChains
from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirUpdates
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import Concentration
from nbmf.inference.constructors import with_parameters
from nbmf.inference.products import COLUMNS


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
