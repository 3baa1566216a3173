"""The logistic factor model by Gibbs sampling (Klami 2015, section 4.1)."""

from collections.abc import Sequence
from typing import Any

from nbmf.families.logistic.cell_likelihoods import Binary
from nbmf.families.logistic.gibbs_state import GibbsState, SampledFactors
from nbmf.families.logistic.logistic_factors import LogisticFactors
from nbmf.inference.constructors import with_parameters


@with_parameters
class LogisticFactorGibbs(SampledFactors, LogisticFactors):
    """V ~ Bernoulli(σ(r + c + WH)) with normal priors, by Gibbs sampling with Pólya-Gamma weights.

    A priori w_fk ~ N(0, 1), h_kn ~ N(0, 1/α_k), effects ~ N(0, effect_scale²). W and H are known up to a
    rotation, so what is averaged along the chain is σ(ψ), which is `expectation_`, and ψ: `W_`,
    `H_` and effects are those of rank K next to its mean, and W_, as W of each draw, has orthogonal
    columns of mean square 1. `n_components=0` with `effects="both"` is
    the Rasch model; docs/logistic.md has it, and ideal points.

    Parameters
    ----------
    n_components : int
        K; 0 with effects.
    effects : {"none", "rows", "columns", "both"}
        Which rows or columns have a log-odds of their own besides WH.
    effect_scale : float or "learned"
        The standard deviation of effects a priori, or "learned": effects of columns vary around an intercept, N(0,
        9), those of rows around 0 (around the intercept, where columns have none), with variances ~ inverse
        gamma(1/2, 1/8). On small matrices a wide scale of effects predicts badly.
    row_groups : None, "matrix" or sequence of F labels, a Series of pandas by the names of rows
        Groups of rows, such as parties: those of the matrix that is fitted, or a label for each row, None or "" for a
        row without a group. w_fk ~ N(µ_gk, 1), and effects vary around the mean of their group as well; the means
        of groups have variances ~ inverse gamma(1/2, 1/8), one for each factor and one for effects.
    ard : bool
        Whether the precisions α_k of the rows of H are learned (automatic relevance
        determination), with α_k ~ Gamma(a0, rate b0); otherwise they are 1.
    a0, b0 : float
        Positive; they are also those of the precision of the noise.
    noise : bool
        Whether ψ has normal noise of unknown precision in every entry ("explicit noise"), which is drawn as well.
        The same Monte Carlo errors then take many more sweeps.
    burn_in, n_samples : int
        The number of sweeps that are discarded, then of those that are averaged.
    threads : int
        The number of threads of a sweep; the result does not depend on it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization, FactorModel, NoisyFactors and GroupedRows for the learned attributes.
    """

    method_name = "logistic GS"

    row_groups: str | Sequence[Any] | None = None

    def _start(self, codes, seed):
        return GibbsState(self._chain_of(Binary(codes), seed), self.burn_in)
