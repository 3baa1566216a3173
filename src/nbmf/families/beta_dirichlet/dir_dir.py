"""The Dir-Dir model, whatever infers it (paper, section 3.2)."""

from nbmf.errors import ConfigError, Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_estimator import MeanParameterized
from nbmf.families.beta_dirichlet.beta_dirichlet_fold_in import DirDirFoldIn
from nbmf.inference.products import WEIGHTS


class DirDir(DirDirFoldIn, MeanParameterized):
    """Base class of the methods of the Dir-Dir model: both factors have shares of components."""

    model = "dir-dir"
    distributions = frozenset({"W", "H"})
    meanings = (WEIGHTS, WEIGHTS)
    weights_prior = "gamma"

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.n_components == 1:
            raise ConfigError(Setting("n_components", 1), ": Dir-Dir needs at least 2, since a zero takes two")
