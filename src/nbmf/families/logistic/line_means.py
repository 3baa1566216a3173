"""New rows and columns of zeros and ones: the mean over what is not known of them, given the other factor."""

import numpy as np

from nbmf.families.logistic.logistic_estimator import FactorModel, append_effect
from nbmf.families.logistic.logistic_fold_in import regress_rows_with_variance
from nbmf.inference.blocks import means_in_blocks


class LineMeans(FactorModel):
    """Base class of models that predict a new row or column by the mean over its coefficients, normal under q.

    At their mean alone a row of which little is observed would be predicted with too much certainty. Columns, or rows,
    are taken as known.
    """

    def _mean_under(self, psi: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return E[v] of entries whose ψ has some mean and variance, the noise of the model not counted."""
        raise NotImplementedError

    def _means_of_rows(self, V, groups=None):
        super()._means_of_rows(V, groups)  # refuses groups
        return lambda values, _: means_in_blocks(values, lambda part, _: self._mean_given(*self._regress_rows(part)))

    def _means_of_columns(self, values):
        design, precisions, centers = append_effect(self.W_, self.precisions_, self._effect_prior(rows=False))

        def means_of(columns, _):
            given = design, precisions, centers, self.row_effects_, self._weights
            coefficients, variance = regress_rows_with_variance(columns, *given)
            return self._mean_under(coefficients @ design.T + self.row_effects_, variance)

        return np.ascontiguousarray(means_in_blocks(np.ascontiguousarray(values.T), means_of).T)

    def _mean_given(self, coefficients: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return E[V] of new rows, given their coefficients (F', D) and the variances of their ψ, (F', N)."""
        return self._mean_under(coefficients @ self._design_of_rows().T + self.column_effects_, variance)

    def _design_of_rows(self) -> np.ndarray:
        """Return what a row's positions, and what is left of its effect given these, are multiplied by, (N, D)."""
        return self._prior_of_rows()[0]

    def _prior_of_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return that, and the precisions and means (D,) of these coefficients in a model without groups."""
        design = (self.H_ + self._row_effect_slopes[:, None]).T
        return append_effect(design, self._row_precisions, self._effect_prior(rows=True))

    def _regress_rows(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients of new rows, (F', D), and the variances of their ψ, (F', N)."""
        design, precisions, centers = self._prior_of_rows()
        given = design, precisions, centers, self.column_effects_, self._weights
        return regress_rows_with_variance(np.ascontiguousarray(values), *given)
