"""Latent Dirichlet allocation on the ones as tokens, as the paper's baseline (section 6.4.2)."""

from typing import ClassVar

from nbmf.errors import DataError, NotSupportedError
from nbmf.families.topics.kernels.lda import LatentDirichletAllocation, tokens, topic_shares
from nbmf.inference.estimator import Factorization, Fit, count_active, iterate
from nbmf.seeds import children


class _NotOfRows:
    """Stands in the place of what LDA cannot have: rows are its vocabulary."""

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        raise NotSupportedError(
            f"{owner.__name__} has no {self._name}: rows of V are the vocabulary, and a word that "
            "was not in the data is in no topic; new columns (documents) are folded in by "
            "transform_columns"
        )


class LDA(Factorization):
    """LDA: columns are documents, their ones are tokens, rows are the vocabulary.

    Batch variational Bayes with the hyperparameters, starts and limits of scikit-learn, which gives
    the same fit but for rounding. LDA has no notion of a missing entry: it counts as an absent
    token. It models which tokens occur, not whether an entry is one, so it is scored per held-out
    token.

    Parameters
    ----------
    n_components : int
        K, the number of topics.
    max_iter : int
        Passes over the data; the default is scikit-learn's.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Notes
    -----
    W_ has a topic per column (distributions over rows), H_ the topic shares of each column,
    expectation_ = W_ H_ the probability that a token of column n is row f: columns sum to one.
    New columns are folded in as the columns of V are at the end of a fit: the parameters of their
    shares are updated from 1, given the topics. New rows cannot be.

    Attributes
    ----------
    topic_counts_ : float array (F, K)
        Variational Dirichlet parameters of the topics; W_ is their share in each topic.
    """

    transform, fit_transform = _NotOfRows(), _NotOfRows()
    predict_rows, score = _NotOfRows(), _NotOfRows()
    _shapes: ClassVar = Factorization._shapes | {"topic_counts_": "FK"}

    scored_per_token = True

    def __init__(self, n_components=2, *, max_iter=10, random_state=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.random_state = random_state

    def _factorize(self, codes, seed, monitor):
        seed = int(children(seed, 1)[0].generate_state(1)[0])
        inference = LatentDirichletAllocation(codes, self.n_components, seed)
        state = _State(inference)
        n_iter = iterate(inference.update, 0, self.max_iter, state, monitor, self.max_iter)
        self.topic_counts_ = inference.topic_counts
        W, H = state.factors()
        return Fit(W, H, W @ H, H.mean(axis=1), n_iter)

    def _fold_in_columns(self, codes):
        return topic_shares(*tokens(codes), self.topic_counts_)

    def _restore(self, learned):
        super()._restore(learned)
        if not (self.topic_counts_ > 0).all():
            raise DataError("topic_counts_ has to be positive")


class _State:
    """What a monitor may ask of a fit."""

    def __init__(self, inference):
        self._inference = inference
        self._counts = self._factors = None  # those that were asked for last

    def factors(self):
        """Return the means of the topics, W (F, K), and of their shares given them, H (K, N)."""
        counts = self._inference.topic_counts
        if counts is not self._counts:
            self._factors = counts / counts.sum(axis=0), self._inference.topic_shares()
            self._counts = counts
        return self._factors

    def expectation(self):
        """Return W H, the probability that a token of column n is row f."""
        W, H = self.factors()
        return W @ H

    def objective(self):
        """Return None: the bound is not computed."""
        return None

    def active_components(self):
        """Return how many topics have at least 1 % of the shares."""
        return count_active(self.factors()[1].mean(axis=1))
