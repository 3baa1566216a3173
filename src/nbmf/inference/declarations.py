"""What an estimator class declares of itself, so that nobody has to guess from its arguments."""

from enum import StrEnum


class Inference(StrEnum):
    """How a method learns, and so what its iterations, seeds and draws mean.

    SAMPLER : sweeps of a Markov chain, averaged after a burn-in. The class has the parameters
        `burn_in` and `n_samples`; several seeds are chains that have to agree.
    ASCENT : updates of an approximate posterior q, in which there are several places to end. The
        class has the parameter `max_iter`; several seeds are starts, the best of which is taken,
        and draws come from q.
    POINT : an estimate without a distribution: there is nothing to draw from, and one start is
        taken. The class has the parameter `max_iter`.
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
