"""mirt for Python: item response models by marginal maximum likelihood (https://github.com/Cameron-Lyons/mirt)."""

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.inference.declarations import Alignment
from nbmf.inference.state import Factors
from nbmf_studies.trials.competitors import Predictor, shrunken_column_means

GRID = np.linspace(-6.0, 6.0, 61)  # of positions, a priori N(0, 1)
SLOPES, DIFFICULTIES = 2.0, 3.0  # standard deviations a priori; without a prior, slopes of small matrices grow large


class ItemResponse(Predictor):
    """The two-parameter logistic model of the package mirt, fitted by EM with normal priors on the items' parameters.

    P(v_fn = 1) is the mean over the posterior of a row's position, given its training entries. mirt's slopes are
    positive, so columns that fall along the first singular vector are reversed first, as one reverses items of a
    questionnaire. A column whose training entries are all equal has no curve: its proportion of ones is predicted.

    Parameters
    ----------
    n_components : int
        1.
    max_iter : int
        Iterations of EM at most.
    random_state : int, SeedSequence or None
        Not used: nothing is random.
    """

    alignment = Alignment.ROTATION
    meanings = ("position", "slope, in log-odds")

    def _solve(self, codes, seed):
        from mirt import fit_mirt
        from mirt.estimation.priors import NormalPrior

        varies = (codes == 1).any(axis=0) & (codes == 0).any(axis=0)
        falls = varies & falling_columns(codes)
        turned = np.where(falls & (codes != MISSING), 1 - codes, codes)
        answers = turned[:, varies]
        expectation = np.tile(shrunken_column_means(codes), (len(codes), 1))
        positions, slopes = np.zeros((len(codes), 1)), np.zeros((1, codes.shape[1]))
        if answers.shape[1]:
            priors = {"discrimination": NormalPrior(0.0, SLOPES), "difficulty": NormalPrior(0.0, DIFFICULTIES)}
            fitted = fit_mirt(answers.astype(int), max_iter=self.max_iter, compute_standard_errors=False, priors=priors)
            curves = fitted.model.probability(GRID[:, None])
            posterior = position_posterior(answers, curves)
            expectation[:, varies] = posterior @ curves
            expectation[:, falls] = 1.0 - expectation[:, falls]
            positions, slopes[0, varies] = posterior @ GRID[:, None], fitted.model.parameters["discrimination"]
            slopes[0, falls] *= -1.0
        return Factors(positions, slopes, {"expectation": expectation})


def falling_columns(codes: np.ndarray) -> np.ndarray:
    """Return which columns have fewer ones the larger the first left singular vector is, bool array (N,)."""
    residuals = np.where(codes == MISSING, 0.0, codes - shrunken_column_means(codes))
    return np.linalg.svd(residuals, full_matrices=False)[2][0] < 0.0


def position_posterior(codes: np.ndarray, curves: np.ndarray) -> np.ndarray:
    """Return the probability of each of GRID, given the observed entries of a row, (F, grid).

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, and -1 where missing.
    curves : float array (grid, N)
        The probability of a one in each column.
    """
    tiny = np.finfo(float).tiny
    log_one, log_zero = np.log(np.maximum(curves, tiny)), np.log(np.maximum(1.0 - curves, tiny))
    log_density = (codes == 1) @ log_one.T + (codes == 0) @ log_zero.T - GRID**2 / 2
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    return density / density.sum(axis=1, keepdims=True)
