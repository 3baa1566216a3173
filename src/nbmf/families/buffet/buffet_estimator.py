"""What the estimators of this family share: priors, the state of a fit, what is learned."""

from typing import ClassVar, NamedTuple

import numpy as np

from nbmf.errors import Message, Setting, not_allowed
from nbmf.families.buffet.buffet_priors import CIBP, IBP, PRIORS, BuffetPrior, buffet_prior
from nbmf.families.buffet.chain import BuffetChain
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels.numbers import INTERCEPT, MASS, NAMES, SLAB
from nbmf.families.buffet.states import Numbers
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.parameters import TRUE_OR_FALSE, Rule, is_number, one_of
from nbmf.inference.state import Factors, State
from nbmf.seeds import child

LEARN = "learn"
MASS_PRIOR = (1.0, 0.1)  # shape and rate of the Gamma prior of a learned mass
VARIANCE_PRIOR = (1.0, 1.0)  # of the inverse Gamma priors of learned variances
FIRST_MASS, FIRST_SHAPE = 1.0, 1.0  # where a chain starts that learns the mass, α or κ
DENSE, SLOW, EMPTY = STARTS = ("dense", "slow", "empty")
SLOW_SWEEPS = 10  # per row
OPENING_SHARE = 1 / 3  # of the burn-in: the longest opening


def _number_or_learn(holds, allowed: str) -> Rule:
    """Return the rule for finite numbers that pass a check, and for "learn"."""
    return Rule(
        lambda value: (
            (isinstance(value, str) and value == LEARN) or (is_number(value) and holds(value) and value < np.inf)
        ),
        f"{allowed}, or 'learn'",
    )


POSITIVE = _number_or_learn(lambda value: 0 < value <= 1e100, "a number above 0, at most 1e100")
ALPHA = Rule(
    lambda value: value is None or POSITIVE.holds(value),
    Message("a number above 0 (the limit of 0 is ", Setting("prior", IBP), "), 'learn', or None: 1, of the CIBP"),
)
RULES = Factorization.rules | {
    "prior": one_of(*PRIORS),
    "mass": POSITIVE,
    "alpha": ALPHA,
    "kappa": _number_or_learn(lambda value: value >= 0, "a number of at least 0 (of the IBP above 0)"),
    "slab_variance": POSITIVE,
    "start": one_of(*STARTS),
    "column_moves": TRUE_OR_FALSE,
}


@with_parameters
class IndianBuffet(Factorization):
    """Base class: rows have features, and which and how many is found.

    Attributes
    ----------
    W_ : float array (F, K+)
        Loadings B of the kept state with the highest log joint density, left-ordered; 0 where a
        row does not have the feature. Never averages: features of two sweeps are not the same.
    H_ : float array (K+, N)
        Scores Z of the same state.
    sizes_ : int array (n_samples,)
        K+ of each kept sweep.
    mass_, alpha_, kappa_, slab_variance_ : float
        Means over kept sweeps of what the prior has, fixed or learned; α of the IBP is 0.
    """

    inference = Inference.SAMPLER
    alignment = Alignment.ROTATION
    finds_components = True
    rules = RULES
    learned_numbers: ClassVar[tuple[str, ...]] = ("mass", "alpha", "kappa", "slab_variance")

    n_components: int = 10
    prior: str = CIBP
    mass: float | str = LEARN
    alpha: float | str | None = None
    kappa: float | str = 1.0
    slab_variance: float | str = LEARN
    start: str = DENSE
    column_moves: bool = False
    burn_in: int = 1000
    n_samples: int = 1000
    random_state: RandomState = None

    # --- Parameters ------------------------------------------------------------------------------

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        self._first_prior()
        if self.prior == IBP and self.alpha is not None:
            prior = Setting("prior", IBP), ", which has no α; with one it is ", Setting("prior", CIBP)
            raise not_allowed("alpha", self.alpha, Message("None with ", *prior))

    def _first_prior(self) -> BuffetPrior:
        """Return the prior that a chain starts with."""
        mass = FIRST_MASS if self.mass == LEARN else self.mass
        alpha = FIRST_SHAPE if self.alpha in (LEARN, None) else self.alpha
        kappa = FIRST_SHAPE if self.kappa == LEARN else self.kappa
        return buffet_prior(self.prior, mass, alpha if self.prior == CIBP else 0.0, kappa)

    def _learned_shapes(self) -> tuple[str, ...]:
        return tuple(name for name in ("alpha", "kappa") if getattr(self, name) == LEARN)

    def _first_numbers(self, **start: float) -> Numbers:
        """Return where variances and mass start, and their priors; those not named are fixed."""
        numbers, priors = np.ones(len(NAMES)), np.zeros((len(NAMES), 2))
        numbers[INTERCEPT] = 0.0
        for name, value in start.items():
            index = NAMES.index(name)
            numbers[index], priors[index] = value, VARIANCE_PRIOR
        numbers[MASS] = self._first_prior().mass
        if self.mass == LEARN:
            priors[MASS] = MASS_PRIOR
        if self.slab_variance == LEARN:
            priors[SLAB] = VARIANCE_PRIOR
        else:
            numbers[SLAB] = self.slab_variance
        return Numbers(numbers, priors)

    def _chain(self, matrix: Matrix, numbers: Numbers, seed, **options: bool) -> BuffetChain:
        """Return the chain at its start; `options` are those of BuffetChain that one of the classes has."""
        chain = BuffetChain(
            matrix,
            self._first_prior(),
            numbers,
            seed,
            capacity=self.n_components,
            samples=self.n_samples,
            learned_shapes=self._learned_shapes(),
            column_moves=self.column_moves,
            **options,
        )
        if self.start == DENSE:
            chain.start_dense(child(seed, "dense start"))
        return chain

    def _opening(self, F: int) -> "Opening":
        """Return how a chain of F rows begins."""
        longest = int(OPENING_SHARE * self.burn_in)
        if self.start == SLOW:
            return Opening(min(SLOW_SWEEPS * F, longest), share=1.0 / F)
        return Opening(longest if self.start == DENSE else 0, holds_slab=True)

    # --- What is learned -------------------------------------------------------------------------

    def shares_of(self, factors):
        """Return ‖b_k‖² ‖z_k‖² of each feature over their sum, float array (K+,)."""
        return feature_shares(factors)

    def _learn(self, state):
        super()._learn(state)
        self.sizes_ = state.chain.sizes
        means = state.chain.mean_numbers()
        for name in self.learned_numbers:
            setattr(self, f"{name}_", means[name])

    def _further_learned(self):
        return [*super()._further_learned(), "sizes_"]

    @property
    def K_probabilities_(self) -> np.ndarray:
        """The share of kept sweeps with K+ = 0, 1, ..., float array (largest K+ + 1,)."""
        self._require_fit()
        return np.bincount(self.sizes_) / self.sizes_.size

    @property
    def findings(self):
        """K+ of the kept sweeps (median, and where 95 % of them lie), and what was learned."""
        low, median, high = np.quantile(self.sizes_, [0.025, 0.5, 0.975], method="inverted_cdf")
        sizes = {"K+": int(median), "K+ 2.5 %": int(low), "K+ 97.5 %": int(high)}
        return sizes | {name: getattr(self, f"{name}_") for name in self.learned_numbers}

    @property
    def advice_if_stuck(self):
        """Whole features that come and go; row by row they hardly do once λ is tiny."""
        return None if self.column_moves else Setting("column_moves", True)

    def _inclusion(self) -> np.ndarray:
        """Return the probability that a new row has each feature, (m_k + a) / (F + 1 + κ + a)."""
        feature_counts, F = np.count_nonzero(self.W_, axis=0), self.W_.shape[0]
        return (feature_counts + self.alpha_) / (F + 1 + self.kappa_ + self.alpha_)


class Opening(NamedTuple):
    """The first sweeps of a burn-in, which a start has done otherwise.

    A slow start asks one row in F for births and deaths, so that a feature fills before the next
    is born. A dense one holds τ: random features that explain nothing would live on for long
    with a tiny τ, but rows give them up where loadings are not tiny.
    """

    sweeps: int
    share: float = 1.0
    holds_slab: bool = False


class BuffetState(State):
    """A chain, and how far it is.

    Parameters
    ----------
    chain : BuffetChain
    burn_in : int
        Sweeps before the first that is kept.
    opening : Opening
        How it begins; sweeps of the burn-in.
    """

    resumable = True

    def __init__(self, chain: BuffetChain, burn_in: int, opening: Opening):
        self.chain, self._burn_in, self._opening = chain, burn_in, opening
        self._sweeps = np.zeros((), int)

    def advance(self, steps):
        """Sweep; as the opening says at first, and keep what comes after the burn-in."""
        opening, end = self._opening, int(self._sweeps) + steps
        stretches = (
            (0, opening.sweeps, {"share": opening.share, "holds_slab": opening.holds_slab}),
            (opening.sweeps, self._burn_in, {}),
            (self._burn_in, end, {"keep": True}),
        )
        for first, last, options in stretches:
            first, last = max(first, int(self._sweeps)), min(last, end)
            if first < last:
                self.chain.sweep(last - first, **options)
                self._sweeps += last - first

    def objective(self):
        """Return the log joint density of data and state, in nats."""
        return self.chain.log_joint()

    def active_components(self):
        """Return how many features hold at least 1 % of the weight now."""
        return int(np.count_nonzero(feature_shares(self.factors()) >= ACTIVE_SHARE))

    def draw(self, rng):
        """Return the factors now, which are a draw."""
        return self.factors()

    def snapshot(self):
        """Return all that changes along the chain, by name."""
        return {"sweeps": self._sweeps} | self.chain.snapshot()

    def restore(self, snapshot):
        """Take over a snapshot."""
        self._sweeps[...] = snapshot["sweeps"]
        self.chain.restore(snapshot)


def feature_shares(factors: Factors) -> np.ndarray:
    """Return ‖b_k‖² ‖z_k‖² of each feature over their sum, float array (K+,)."""
    sizes = (factors.W**2).sum(axis=0) * (factors.H**2).sum(axis=1)
    return sizes / sizes.sum() if sizes.sum() > 0 else sizes
