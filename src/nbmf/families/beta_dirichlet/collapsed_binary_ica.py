"""c-bICA: Beta-Dir VB with a fixed number of components (paper, section 6.2)."""

from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirUpdates, BetaDirVB
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import Concentration
from nbmf.inference.constructors import with_parameters


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
