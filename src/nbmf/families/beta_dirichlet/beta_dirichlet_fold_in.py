r"""Fold-in: the factor of new rows or columns when the other factor stays at its fitted mean.

Given the other factor, new rows and columns are independent of each other, and each is a small collapsed
model of its own. Its variational inference is the paper's CVB0, eq. (36), with the other factor's
counts gone. z_n is the component of the n-th observed entry of the row or column, q_nk = q(z_n = k); a sum
without the entry itself is marked -n.

**A row or column of weights** w ~ Dirichlet(γ): a row of Beta-Dir and of Dir-Dir, a column of Dir-Dir (w is
then h_n, γ is η, and W takes the place of H) and of Dir-Beta. With L_k = Σ_n q_nk,

    q_nk ∝ (γ_k + L_k^-n) h_kn^v_n (1 - h_kn)^(1 - v_n),
    E[w_k] = (γ_k + L_k) / Σ_j (γ_j + L_j).

That the same holds for Dir-Dir is eq. (49): an entry is one where its pair (z, c) agrees. Given
c ~ h_n alone, a row's z explains a one with probability P(c = z) = h_zn and a zero with
P(c ≠ z) = 1 - h_zn.

**A row or column of probabilities** h_k ~ Beta(α_k, β_k): a column of Beta-Dir, a row of Dir-Beta. With
A_k = Σ q_nk over ones, B_k over zeros, and w_nk the weights of entry n in the other factor,

    q_nk ∝ w_nk (α_k + A_k^-n) / (α_k + β_k + A_k^-n + B_k^-n)   where v_n = 1, and with
    q_nk ∝ w_nk (β_k + B_k^-n) / (α_k + β_k + A_k^-n + B_k^-n)   where v_n = 0,
    E[h_k] = (α_k + A_k) / (α_k + β_k + A_k + B_k).

The start is q_nk from the prior alone (A = B = L = 0), which is exact for a row or column of one entry;
then entries are renewed one after the other until no mean moves by more than TOLERANCE in a sweep,
at most MAX_SWEEPS times. Missing entries take no part; a row or column with none observed gets its prior
mean. No random numbers. Memory: the responsibilities of one row or column, 8 bytes per entry and component.

For a row or column of weights with one entry the mean is exact. In general it is as approximate as CVB0 is;
the likelihood is concave in these numbers, so it is the prior alone that can make several fixed points.
Components that are the same in everything, as those that a fit has left unused, have the same
responsibilities and are computed once; the other factor is compared to DIGITS digits, since CVB0
leaves unused components equal but for the rounding of its responsibilities.
"""

from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import PER_COLUMN, is_text
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import Shrinkage
from nbmf.families.beta_dirichlet.kernels.fold_in_kernels import beta_rows, dirichlet_rows

TOLERANCE = 1e-5  # of a mean, in a sweep
MAX_SWEEPS = 1000
DIGITS = 4  # to which the components of the other factor count as the same


def fold_in_weights(codes: np.ndarray, probabilities: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the means of the weights of new rows or columns, float array (rows, K).

    Parameters
    ----------
    codes : int8 array (rows, entries)
        1, 0, -1 (missing).
    probabilities : float array (K, entries)
        Of a one, given the component: the other factor.
    prior : float array (K,)
        Dirichlet hyperparameters.
    """
    distinct = _Distinct.of(probabilities, prior)
    of_one = probabilities[distinct.first].T
    likelihood = np.stack([1.0 - of_one, of_one])
    mean = np.empty((len(codes), distinct.first.size))
    dirichlet_rows(codes, likelihood, prior[distinct.first], distinct.times, TOLERANCE, MAX_SWEEPS, mean)
    return mean[:, distinct.place]


def fold_in_probabilities(
    codes: np.ndarray, weights: np.ndarray, alpha: np.ndarray, beta: np.ndarray, of_rows: np.ndarray | None = None
) -> np.ndarray:
    """Return the means of the probabilities of new rows or columns, float array (rows, K).

    Parameters
    ----------
    codes : int8 array (rows, entries)
        1, 0, -1 (missing).
    weights : float array (entries, K)
        Of the components in each entry: the other factor.
    alpha, beta : float arrays (K,)
        Beta hyperparameters.
    of_rows : float array (rows, 2), optional
        Factors of beta and alpha that belong to a row or column, where each has a prior of its own.
    """
    distinct = _Distinct.of(weights.T, alpha, beta)
    mixture = np.ascontiguousarray(weights[:, distinct.first])
    prior = np.stack([beta, alpha])[:, distinct.first]
    if of_rows is None:
        of_rows = np.ones((len(codes), 2))
    mean = np.empty((len(codes), distinct.first.size))
    beta_rows(codes, mixture, prior, of_rows, distinct.times, TOLERANCE, MAX_SWEEPS, mean)
    return mean[:, distinct.place]


class _Distinct(NamedTuple):
    """Which components differ.

    first : int array (U,), one component of each kind
    place : int array (K,), the kind of each component
    times : float array (U,), how many there are of each kind
    """

    first: np.ndarray
    place: np.ndarray
    times: np.ndarray

    @classmethod
    def of(cls, factor: np.ndarray, *priors: np.ndarray) -> "_Distinct":
        described = np.column_stack([np.round(factor, DIGITS), *priors])
        groups = np.unique(described, axis=0, return_index=True, return_inverse=True, return_counts=True)
        _, first, place, times = groups
        return cls(first, place, times.astype(float))


class BetaDirFoldIn:
    """Fold-in of Beta-Dir: of weights, and of probabilities."""

    @property
    def rows_prior_(self):
        """The Dirichlet prior of a new row of W, None where rows have probabilities."""
        return self._fitted_prior(self.weights_prior) if self.weights_are_rows else None

    def _fold_in_rows(self, codes):
        if self.weights_are_rows:
            return fold_in_weights(codes, self.H_, self._fitted_prior(self.weights_prior))
        return self._fold_in_probabilities(codes, self.H_.T)

    def _fold_in_columns(self, codes):
        columns = np.ascontiguousarray(codes.T)
        if self.weights_are_rows:
            return self._fold_in_probabilities(columns, self.W_).T
        return fold_in_weights(columns, self.W_.T, self._fitted_prior(self.weights_prior)).T

    def _fold_in_probabilities(self, codes, weights):
        if is_text(self.alpha, PER_COLUMN):
            strength = self.alpha_[0] + self.beta_[0]  # the same of every row or column
            means = Shrinkage(*self.shrinkage_).means(codes.T)[:, None]
            of_rows = strength * np.hstack([1.0 - means, means])
            ones = np.ones(weights.shape[1])
            return fold_in_probabilities(codes, weights, ones, ones, of_rows)
        priors = self._fitted_prior("alpha"), self._fitted_prior("beta")
        return fold_in_probabilities(codes, weights, *priors)


class DirDirFoldIn:
    """Fold-in of Dir-Dir: rows of W and columns of H are weights."""

    @property
    def rows_prior_(self):
        """The Dirichlet prior of a new row of W: a one has the probability W H_ here, too."""
        return self._fitted_prior("gamma")

    def _fold_in_rows(self, codes):
        return fold_in_weights(codes, self.H_, self._fitted_prior("gamma"))

    def _fold_in_columns(self, codes):
        columns = np.ascontiguousarray(codes.T)
        return fold_in_weights(columns, self.W_.T, self._fitted_prior("eta")).T
