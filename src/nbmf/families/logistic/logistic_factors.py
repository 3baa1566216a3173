"""What the logistic factor models for binary matrices share."""

import numpy as np
from scipy.special import expit

from nbmf.families.logistic.grouped_rows import GroupedRows
from nbmf.families.logistic.logistic_estimator import EFFECT_SCALE, settled_weights
from nbmf.families.logistic.quadratic import PolyaGamma
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics import sigmoid


class LogisticFactors(GroupedRows):
    """Base class: V ~ Bernoulli(σ(ψ)). They have the parameters effect_scale and row_groups, too."""

    likelihoods = (BERNOULLI,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    rules = GroupedRows.rules | {"effect_scale": EFFECT_SCALE}

    def _mean_of(self, psi, factors, columns):
        if self.noise:
            return sigmoid.probability(psi, np.full(np.shape(psi), self.noise_of(factors)))
        return expit(psi, out=psi if psi.dtype.kind == "f" else None)

    def _mean_under(self, psi, variance):
        return sigmoid.probability(psi, variance + float(self.noise_variance_))

    def _weights(self, values, psi, square):
        """Return h and w of new rows' and columns' cells: κ and the mean of PG(1, η), η² = E ψ², or so."""
        likelihood = PolyaGamma(values)
        return settled_weights(self.with_noise(likelihood) if self.noise else likelihood, psi, square)
