"""What an estimator class declares of itself, so that nobody has to guess from its arguments."""

from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from nbmf.inference.parameters import AUTO, as_fitted
from nbmf.likelihoods.likelihood import Likelihood


class Inference(StrEnum):
    """How a method learns, and so what its iterations, seeds and draws mean.

    SAMPLER : sweeps of a Markov chain, averaged after a burn-in. The class has the parameters
        `burn_in` and `n_samples`; several seeds are chains that have to agree.
    ASCENT : updates of an approximate posterior q, in which there are several places to end. The
        class has the parameter `max_iter`; several seeds are starts, the best of which is taken,
        and draws come from q.
    POINT : an estimate without a distribution; a class that samples one around it all the same
        declares `has_posterior`. The class has the parameter `max_iter`; whether several starts
        differ, it declares by `takes_starts`.
    """

    SAMPLER = "sampler"
    ASCENT = "ascent"
    POINT = "point"


class Alignment(StrEnum):
    """What has to be undone before the components of two draws can be compared.

    PERMUTATION : components are numbered as they come.
    ROTATION : factors are known up to a rotation and signs: draws are rotated to each other.
    NONE : components keep their places.
    """

    PERMUTATION = "permutation"
    ROTATION = "rotation"
    NONE = "none"


class View(StrEnum):
    """How a person reads the factors.

    GROUPS : components are groups, each row a mixture of them
    SCALE : components are axes, each row has a position on each
    """

    GROUPS = "groups"
    SCALE = "scale"


CLASS_SIZES = "class sizes"  # the name of the sizes of latent classes (K,) among what is drawn


class MaximumLikelihood(NamedTuple):
    """A maximum of the likelihood of latent classes.

    log_likelihood : float, ln p(V | θ) there, in nats
    distinct : int, how many classes differ there in what they say of V
    """

    log_likelihood: float
    distinct: int


# What an estimator of matrices has to declare itself, since nothing is usual, in words for a person who has not.
REQUIRED = {
    "inference": f"Inference.{', Inference.'.join(Inference.__members__)}",
    "likelihoods": "a tuple of likelihoods, such as nbmf.likelihoods.bernoulli.BERNOULLI",
    "alignment": f"Alignment.{', Alignment.'.join(Alignment.__members__)}",
}


class Declarations:
    """The declarations of an estimator; Factorization documents what each of them means."""

    inference: ClassVar[Inference]
    likelihoods: ClassVar[tuple[Likelihood, ...]]
    distributions: ClassVar[frozenset[str]] = frozenset()
    probabilities: ClassVar[frozenset[str]] = frozenset()
    are_rates: ClassVar[bool] = False
    meanings: ClassVar[tuple[str, str]] = ("weight", "weight")
    alignment: ClassVar[Alignment]
    turning_others: ClassVar[frozenset[str]] = frozenset()
    unturned_others: ClassVar[frozenset[str]] = frozenset()
    has_classes: ClassVar[bool] = False
    finds_components: bool = False
    allows_no_components: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False
    takes_threads: ClassVar[bool] = False
    takes_starts: ClassVar[bool] = False
    prior_name: ClassVar[str] = ""
    method_name: ClassVar[str] = ""
    sampler: ClassVar[str | None] = None

    @property
    def has_posterior(self) -> bool:
        """Whether there is an (approximate) distribution that factors can be drawn from."""
        return self.inference is not Inference.POINT

    def for_matrix(self, V: Any) -> Self:
        """Return the estimator for fits to parts of V, given what it takes from V besides values: by default itself."""
        return self

    def for_several_starts(self, values: np.ndarray) -> Self:
        """Return the estimator for several starts on values (F, N), whose objectives can be compared: mostly itself."""
        return self

    def for_part(self, rows: np.ndarray, columns: np.ndarray) -> Self:
        """Return the estimator for a fit to some rows and columns of the matrix that it was fitted to.

        They are given by their places there. What parameters say of single rows and columns is that of these; by
        default there is no such parameter.
        """
        return self

    @property
    def variant(self) -> str:
        """What a title says about parameters that make another method of the class; "" if nothing."""
        return ""

    @property
    def label(self) -> str:
        """The name of the method in figures and titles, with its variant."""
        return ", ".join(filter(None, (self.method_name or type(self).__name__, self.variant)))

    @property
    @as_fitted
    def title(self) -> str:
        """The label and K; after a fit that finds K, the number found."""
        K = getattr(self, "n_components_", self.n_components)
        return f"{self.label}, K chosen" if K == AUTO else f"{self.label}, K = {K}"

    @property
    def view(self) -> View:
        """Whether components are groups, or axes that are known up to a rotation."""
        return View.SCALE if self.has_axes else View.GROUPS

    @property
    def has_axes(self) -> bool:
        """Whether components are axes with two ends, known up to a rotation: every row is somewhere on each."""
        return self.alignment is Alignment.ROTATION

    @property
    def is_nonnegative(self) -> bool:
        """Whether W and H have no values below 0: distributions, probabilities or rates."""
        return self.are_rates or bool(self.distributions | self.probabilities)

    @property
    def distinct_classes(self) -> int:
        """How many latent classes differ in what they say of V, where the class `has_classes`; fewer have collapsed."""
        return self.n_components_

    def maximum_likelihood(self, V: Any) -> MaximumLikelihood | None:
        """Return the maximum of the likelihood of latent classes near the fit, for BIC; None where none is known."""
        return None

    @property
    def memory_budget_gb(self) -> float:
        """The memory that a fit may need besides its data and factors, in gigabytes; larger fits are refused."""
        return 0.0

    def threads_pay(self, above_zero: int, shape: tuple[int, int]) -> bool:
        """Return whether threads shorten a long fit, given how many of the entries of a matrix are above zero."""
        return self.takes_threads

    def memory_needed_gb(self, values: np.ndarray) -> float:
        """Return how much of that budget a fit needs, in gigabytes, for values in the likelihood's coding."""
        return 0.0
