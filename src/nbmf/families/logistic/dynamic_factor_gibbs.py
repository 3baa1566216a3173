"""The logistic factor model whose rows move from period to period, by Gibbs sampling."""

from scipy.special import expit

from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.dynamic_factors import MovingRows
from nbmf.families.logistic.logistic_estimator import settled_weights
from nbmf.families.logistic.path_chain import MovingCells
from nbmf.families.logistic.path_state import PathState
from nbmf.families.logistic.quadratic import PolyaGamma
from nbmf.inference.constructors import with_parameters
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics import sigmoid


@with_parameters
class DynamicFactorGibbs(MovingRows):
    """V ~ Bernoulli(σ(c_n + Σ_k w_f,t(n),k h_kn)), whose rows walk at random from period to period, by Gibbs sampling.

    Dynamic ideal points (Martin and Quinn 2002), with logits. Each column n belongs to a period t(n). In the first
    period in which a row has entries w_f ~ N(0, I), later w_f,t+1 ~ N(w_ft, s I) for each unit of time; a row that
    pauses moves on meanwhile. A priori s ~ inverse gamma(walk_shape, rate walk_rate), h_kn ~ N(µ_k, 1/α_k), µ_k ~
    N(0, 1/α_k), and effects vary around an intercept. Where µ_k is not 0, rows at one end of component k say yes more
    often than those at the other, to columns to come as well. Paths are drawn by forward filtering and backward
    sampling (Carter and Kohn 1994); `nbmf.families.logistic.kernels.paths` has the equations.

    Parameters
    ----------
    n_components : int
        K, usually 1 or 2.
    periods : None, sequence of N numbers or texts, or str
        The period of each column; times are the numbers, or the places of texts in the order of their first columns. A
        str is a regular expression: what its first group has found in the name of a column (in `V.column_names`) is its
        period; `nbmf.compare` and others that fit to arrays without names need one for each column. None: all columns
        have the same one.
    walk_variance : "shared", "rows" or float
        s: one for all rows, one for each row, or a number.
    walk_shape, walk_rate : float
        Positive, of the prior of s.
    effects : {"columns", "none"}
        Whether columns have a log-odds of their own.
    effect_scale, ard, a0, b0, burn_in, n_samples, threads, random_state
        As of LogisticFactorGibbs.

    `nbmf.posterior.paths` has paths with their intervals and predictions for the next period, `nbmf.plot.paths` draws
    them. See Factorization, FactorModel and MovingRows for the learned attributes.
    """

    method_name = "dynamic logistic GS"
    likelihoods = (BERNOULLI,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")

    def _start(self, codes, seed):
        cells = MovingCells(Binary(codes), self._periods(codes.shape[1]))
        return PathState(self._path_chain(cells, codes, seed), self.burn_in)

    def _mean_of(self, psi, factors, columns):
        return expit(psi)

    def _weights(self, values, psi, square):
        """Return h and w of new rows' and columns' cells: κ and the mean of PG(1, η), η² = E ψ²."""
        return settled_weights(PolyaGamma(values), psi, square)

    def chances_of_new_column(self, factors, W, rng):
        """Return the probability of a one, float array (F,); see MovingRows."""
        return sigmoid.probability(*self._log_odds_of_new_column(factors, W))
