"""Variational Bayes of latent Dirichlet allocation (Hoffman, Blei and Bach 2010, the batch case).

Columns of V are documents, their ones are tokens, rows are words. With φ_fk = exp E[log topic_k(f)]
and θ_nk = exp E[log share_n(k)], the responsibility of topic k for word f in document n is
θ_nk φ_fk / Σ_j θ_nj φ_fj. The parameters of a document are updated until they stand still, given
the topics; a pass does that for all documents and then renews the topics.

Starts, limits and the order of random numbers are those of scikit-learn's implementation, so that
a fit equals its fit but for rounding.
"""

import math

import numpy as np

from nbmf.numerics.compilation import inner_kernel, kernel

TOLERANCE, MAX_UPDATES = 1e-3, 100  # of a document in a pass
START_SHAPE, START_SCALE = 100.0, 0.01  # of the Gamma distribution that random starts follow
TINY = np.finfo(float).eps  # added to every sum over topics: φ of a word may underflow in all
ASYMPTOTIC_FROM = 10.0  # the series of the digamma function has 15 digits from here on


class LatentDirichletAllocation:
    """The variational distribution of the topics, and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1 is a token; 0 and -1 (missing) are none.
    K : int
        Number of topics. The Dirichlet hyperparameters of topics and of shares are 1/K.
    seed : int
        Of the random numbers, as scikit-learn's `random_state`.

    Attributes
    ----------
    topic_counts : float array (F, K)
        Dirichlet parameters of the topics.
    """

    def __init__(self, codes: np.ndarray, K: int, seed: int):
        F, self._N = codes.shape
        self._words, self._starts = tokens(codes)
        self._prior = 1.0 / K
        self._random = np.random.RandomState(seed)
        start = self._random.gamma(START_SHAPE, START_SCALE, (K, F))
        self.topic_counts = np.ascontiguousarray(start.T)

    def update(self, passes: int = 1) -> None:
        """Update all documents, from new random starts, and then the topics, `passes` times."""
        for _ in range(passes):
            topics = geometric_means(self.topic_counts)
            K = topics.shape[1]
            documents = self._random.gamma(START_SHAPE, START_SCALE, (self._N, K))
            counts = np.zeros_like(topics)
            update_documents(self._words, self._starts, topics, self._prior, documents, counts)
            self.topic_counts = self._prior + counts * topics

    def topic_shares(self) -> np.ndarray:
        """Return the mean shares of the topics in each document, float array (K, N)."""
        return topic_shares(self._words, self._starts, self.topic_counts)


def topic_shares(words: np.ndarray, starts: np.ndarray, topic_counts: np.ndarray) -> np.ndarray:
    """Return the mean shares of the topics in each document, float array (K, N).

    Parameters
    ----------
    words, starts : arrays
        The documents, as `tokens` makes them.
    topic_counts : float array (F, K)
        Dirichlet parameters of the topics, which stay as they are.
    """
    topics = geometric_means(topic_counts)
    K = topics.shape[1]
    documents = np.ones((starts.size - 1, K))
    update_documents(words, starts, topics, 1.0 / K, documents, np.zeros_like(topics))
    return (documents / documents.sum(axis=1, keepdims=True)).T


def tokens(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the words (uint32) of all documents, and where each document starts (N + 1)."""
    is_one = codes.T == 1
    starts = np.zeros(len(is_one) + 1, np.int64)
    np.cumsum(is_one.sum(axis=1), out=starts[1:])
    return np.nonzero(is_one)[1].astype(np.uint32), starts


@kernel
def geometric_means(topic_counts):
    """Return φ = exp E[log topic], float array (F, K)."""
    F, K = topic_counts.shape
    phi = np.empty((F, K))
    for k in range(K):
        of_total = digamma(topic_counts[:, k].sum())
        for f in range(F):
            phi[f, k] = math.exp(digamma(topic_counts[f, k]) - of_total)
    return phi


@kernel
def update_documents(words, starts, topics, prior, documents, counts):
    """Update the parameters of each document until they stand still, given the topics.

    Parameters
    ----------
    words : uint32 array (tokens,)
        Those of document n are words[starts[n] : starts[n + 1]].
    starts : int array (N + 1,)
    topics : float array (F, K)
        φ, see above.
    prior : float
        Dirichlet hyperparameter of the shares.
    documents : float array (N, K)
        Dirichlet parameters: the starts, and then the result.
    counts : float array (F, K)
        Gets the expected counts of the words, still to be multiplied by φ, on top.
    """
    K = topics.shape[1]
    theta, fresh = np.empty(K), np.empty(K)
    for n in range(documents.shape[0]):
        first, end = np.uint64(starts[n]), np.uint64(starts[n + 1])
        document = documents[n]
        _set_theta(theta, document)
        for _ in range(MAX_UPDATES):
            fresh[:] = 0.0
            for token in range(first, end):
                f = np.uint64(words[token])
                share = 1.0 / _total(theta, topics, f)
                for k in range(K):
                    fresh[k] += share * topics[f, k]
            moved = 0.0
            for k in range(K):
                renewed = prior + theta[k] * fresh[k]
                moved += abs(renewed - document[k])
                document[k] = renewed
            _set_theta(theta, document)
            if moved < TOLERANCE * K:
                break
        for token in range(first, end):
            f = np.uint64(words[token])
            share = 1.0 / _total(theta, topics, f)
            for k in range(K):
                counts[f, k] += share * theta[k]


@inner_kernel
def _total(theta, topics, f):
    """Return the sum of θ_nk φ_fk over topics."""
    total = TINY
    for k in range(theta.size):
        total += theta[k] * topics[f, k]
    return total


@inner_kernel
def _set_theta(theta, document):
    """Set θ to exp E[log share] of a document with these Dirichlet parameters."""
    total = 0.0
    for k in range(theta.size):
        total += document[k]
    of_total = digamma(total)
    for k in range(theta.size):
        theta[k] = math.exp(digamma(document[k]) - of_total)


@inner_kernel
def digamma(x):
    """Return the derivative of log Γ at x > 0, by its recurrence and then its asymptotic series."""
    result = 0.0
    while x < ASYMPTOTIC_FROM:
        result -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = 1 / 240 - r * (1 / 132 - r * 691 / 32760)
    series = 1 / 12 - r * (1 / 120 - r * (1 / 252 - r * series))
    return result + math.log(x) - 0.5 / x - r * series
