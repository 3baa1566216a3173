"""What the estimators of this family have in common: E[V] = WH, and concentrations."""

from typing import ClassVar

import numpy as np

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import (
    ASYMMETRIC,
    CONCENTRATIONS,
    LEARN,
    PER_COLUMN,
    RULES,
    is_text,
    per_component,
)
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import AUTO
from nbmf.inference.products import Product
from nbmf.likelihoods.bernoulli import BERNOULLI


class MeanParameterized(Product, Factorization):
    """Base class of models with E[V] = WH and conjugate priors.

    Attributes
    ----------
    alpha_, beta_, gamma_, eta_ : float or array
        Those hyperparameters that the model has, learned or as they were given: a number, or one
        per component, or with "learn-columns" one per row or column of probabilities. Of a Gibbs sampler
        that learns them their mean over the kept sweeps.
    """

    likelihoods = (BERNOULLI,)
    alignment = Alignment.PERMUTATION
    rules = RULES

    model: ClassVar[str]  # one of simulation.MODELS
    weights_prior: ClassVar[str]  # the prior that decides how many components are used

    @property
    def variant(self):
        """Whether the fit learns a prior."""
        given = (getattr(self, name) for name in self.concentrations())
        return "learned" if any(is_text(value, LEARN, PER_COLUMN, ASYMMETRIC) for value in given) else ""

    @property
    def finds_components(self) -> bool:
        """Whether the data decide how many components are used: the prior of the weights is "1/K" or learned."""
        return isinstance(getattr(self, self.weights_prior), str)

    def idle_shares(self, observed):
        """Return the mean of γ_k / (Σγ + observed entries) over the rows or columns with weights."""
        gamma = self._fitted_prior(self.weights_prior)
        sizes = observed.sum(axis=1 if "W" in self.distributions else 0)
        return gamma * (1.0 / (gamma.sum() + sizes)).mean()

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        K = 1 if self.n_components == AUTO else self.n_components  # a single number serves any K that is found
        for name in self.concentrations():
            value = getattr(self, name)
            if not isinstance(value, str):
                per_component(name, value, K)  # has the right length

    @property
    def findings(self):
        """The learned hyperparameters: of several numbers their sum, α + β where m is per row or column."""
        learned = {}
        for name in self.concentrations():
            given = getattr(self, name)
            if is_text(given, PER_COLUMN):
                learned |= {"strength": float(self.alpha_[0] + self.beta_[0])}
            elif is_text(given, LEARN, ASYMMETRIC):
                learned |= {name: float(np.sum(getattr(self, f"{name}_")))}
        return learned

    @classmethod
    def concentrations(cls) -> list[str]:
        """Return which of its parameters are concentrations of priors."""
        return [name for name in cls.parameter_names() if name in CONCENTRATIONS]

    def _fitted_prior(self, name: str) -> np.ndarray:
        """Return a hyperparameter that the fit has used, float array (K,)."""
        return per_component(name, getattr(self, f"{name}_"), self.H_.shape[0])

    def _further_learned(self):
        return [*super()._further_learned(), *(f"{name}_" for name in self.concentrations())]

    def _learn(self, state):
        super()._learn(state)
        for name, value in state.hyperparameters().items():
            parameter = name if name in self.concentrations() else self.weights_prior
            given = getattr(self, parameter)
            has_many = is_text(given, PER_COLUMN, ASYMMETRIC) or np.ndim(given) > 0
            values = np.ravel(value)
            setattr(self, f"{parameter}_", values.copy() if has_many else float(values[0]))
