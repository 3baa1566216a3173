"""What the estimators of this family have in common: E[V] = WH, and concentrations."""

from typing import ClassVar

import numpy as np

from nbmf.families.beta_dirichlet.parameters import CONCENTRATIONS, PER_K, RULES, per_component
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.likelihoods.bernoulli import BERNOULLI


class MeanParameterized(Factorization):
    """Base class of models with E[V] = WH and conjugate priors."""

    likelihoods = (BERNOULLI,)
    alignment = Alignment.PERMUTATION
    rules = RULES

    model: ClassVar[str]  # one of simulation.MODELS
    weights_prior: ClassVar[str]  # the prior that decides how many components are used

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return W H of some rows and columns."""
        return factors.W[rows] @ factors.H[:, columns]

    def mean_at(self, factors, rows, columns):
        """Return Σ_k w_fk h_kn of single entries."""
        return np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns])

    @property
    def finds_components(self) -> bool:
        """Whether the prior of the weights is "1/K", so that K only has to be large enough."""
        prior = getattr(self, self.weights_prior)
        return isinstance(prior, str) and prior == PER_K

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        for name in self.concentrations():
            self._concentration(name)  # has the right length

    @classmethod
    def concentrations(cls) -> list[str]:
        """Return which of its parameters are concentrations of priors."""
        return [name for name in cls.parameter_names() if name in CONCENTRATIONS]

    def _concentration(self, name: str) -> np.ndarray:
        """Return a concentration as array (K,)."""
        return per_component(name, getattr(self, name), self.n_components)


WEIGHTS, PROBABILITIES = "shares of components", "probability of a one"
