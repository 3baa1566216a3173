"""The mean around which the columns of a chain vary a priori, where rows move."""

import numpy as np

from nbmf.families.logistic.effect_hyperparameters import log_normal
from nbmf.families.logistic.kernels import path_passes
from nbmf.families.logistic.kernels.relevance import draw_relevance
from nbmf.families.logistic.logistic_gibbs import Coefficients, Prior
from nbmf.numerics.random import generator_states


class ItemMean:
    """µ of h_kn ~ N(µ_k, 1/α_k), µ_k ~ N(0, 1/α_k), and what is drawn with it.

    µ and the columns around it are N + 1 vectors with the same prior, N(0, 1/α): what `kernels.relevance` does to
    scales, axes and α it does to all of them.

    Parameters
    ----------
    K : int
    seed : SeedSequence

    Attributes
    ----------
    values : float array (K,)
    """

    def __init__(self, K: int, seed: np.random.SeedSequence):
        self.values, self._generator = np.zeros(K), generator_states(seed, 1)[0]

    def set_prior(self, columns: Coefficients) -> None:
        """Set what the columns vary around."""
        columns.center[:, : columns.K] = self.values

    def draw_relevance(
        self, generator: np.ndarray, rows: Coefficients, columns: Coefficients, prior: Prior, alpha: np.ndarray
    ) -> None:
        """Draw scales, axes and α, and let rows, columns and µ follow; see kernels.relevance."""
        around = np.vstack([columns.factor - self.values, self.values])
        draw_relevance(generator, rows.u, around, *columns.scales(), float(prior.a0), float(prior.b0), alpha)
        self.values[:] = around[-1]
        columns.factor[:] = around[:-1] + self.values

    def draw(self, columns: Coefficients, alpha: np.ndarray) -> None:
        """Draw µ given the columns."""
        path_passes.draw_means(self._generator, columns.u, alpha, self.values)

    def log_density(self, columns: Coefficients, alpha: np.ndarray) -> float:
        """Return the log density of (V - µ) √α and µ √α, in nats."""
        root = np.sqrt(alpha)
        return log_normal((columns.factor - self.values) * root, 1.0) + log_normal(self.values * root, 1.0)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that a sweep changes, by name."""
        return {"mean of items": self.values, "generator of the mean of items": self._generator}
