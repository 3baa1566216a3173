"""The logistic factor model by Gibbs sampling (Klami 2015, section 4.1)."""

from nbmf.families.logistic.estimator import PRIOR, LogisticFactors
from nbmf.families.logistic.gibbs import GibbsState, LogisticChain, Prior
from nbmf.inference.declarations import Inference


class LogisticFactorGibbs(LogisticFactors):
    """V ~ Bernoulli(σ(r + c + WH)) with normal priors, by Gibbs sampling with Pólya-Gamma weights.

    A priori w_fk ~ N(0, 1), h_kn ~ N(0, 1/α_k), effects ~ N(0, 100). W and H are known up to a
    rotation, so what is averaged along the chain is σ(ψ), which is `expectation_`, and ψ: `W_`,
    `H_` and effects are those of rank K next to its mean, and W_, as W of each draw, has orthogonal
    columns of mean square 1. `n_components=0` with `effects="both"` is
    the Rasch model; docs/logistic.md has it, and ideal points.

    Parameters
    ----------
    n_components : int
        K; 0 with effects.
    effects : {"none", "rows", "columns", "both"}
        Which lines have a log-odds of their own beside WH.
    ard : bool
        Whether the precisions α_k of the rows of H are learned (automatic relevance
        determination), with α_k ~ Gamma(a0, rate b0); otherwise they are 1.
    a0, b0 : float
        Positive.
    burn_in, n_samples : int
        Sweeps thrown away, then sweeps averaged.
    threads : int
        Threads of a sweep; the result is the same for any number.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    See Factorization and FactorModel for the learned attributes.
    """

    inference = Inference.SAMPLER

    def __init__(
        self,
        n_components=8,
        *,
        effects="none",
        ard=True,
        a0=PRIOR,
        b0=PRIOR,
        burn_in=500,
        n_samples=1000,
        threads=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.effects = effects
        self.ard = ard
        self.a0 = a0
        self.b0 = b0
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.threads = threads
        self.random_state = random_state

    def _precisions_given(self, H):
        """Return E[α | H], (K,), in the units of W_, whose mean square is 1 even if α is fixed."""
        return (self.a0 + H.shape[1] / 2) / (self.b0 + (H**2).sum(axis=1) / 2)

    def _start(self, codes, seed):
        prior = Prior(self.ard, self.a0, self.b0)
        chain = LogisticChain(
            codes, self.n_components, self.effects_in_use, prior, seed, self.threads
        )
        return GibbsState(chain, codes.shape, self.burn_in)
