"""Latent Dirichlet allocation on the ones as tokens, as the paper's baseline (section 6.4.2)."""

from typing import ClassVar

import numpy as np

from nbmf.errors import DataError, NotSupportedError
from nbmf.families.mixed_membership.kernels.lda import LatentDirichletAllocation, tokens, topic_shares
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.products import Product
from nbmf.inference.state import Factors, State
from nbmf.likelihoods.tokens import TOKENS
from nbmf.seeds import children


class NotOfRows:
    """An attribute that LDA does not have, because its rows are its vocabulary."""

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


@with_parameters
class LDA(Product, Factorization):
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

    method_name = "LDA"
    transform, fit_transform = NotOfRows(), NotOfRows()
    predict_rows, score = NotOfRows(), NotOfRows()
    shapes: ClassVar = Factorization.shapes | {"topic_counts_": "FK"}

    inference = Inference.POINT
    likelihoods = (TOKENS,)
    distributions = frozenset({"H"})
    meanings = ("share of the component's ones", "shares of components")
    alignment = Alignment.PERMUTATION

    n_components: int = 2
    max_iter: int = 10
    random_state: RandomState = None

    def _start(self, codes, seed):
        seed = int(children(seed, 1)[0].generate_state(1)[0])
        return _State(LatentDirichletAllocation(codes, self.n_components, seed))

    def _learn(self, state):
        super()._learn(state)
        self.topic_counts_ = state.topic_counts

    def _fold_in_columns(self, codes):
        return topic_shares(*tokens(codes), self.topic_counts_)

    def restore(self, learned):
        """Take over what a file says was learned; see Factorization.restore."""
        super().restore(learned)
        if not (self.topic_counts_ > 0).all():
            raise DataError("topic_counts_ has to be positive")


class _State(State):
    def __init__(self, inference):
        self._inference = inference
        self._counts = self._factors = None  # those that were asked for last

    @property
    def topic_counts(self):
        """The parameters of the topics, (F, K)."""
        return self._inference.topic_counts

    def advance(self, steps):
        self._inference.update(steps)

    def factors(self):
        """Return the means of the topics, W (F, K), and of their shares given them, H (K, N)."""
        counts = self.topic_counts
        if counts is not self._counts:
            self._factors = Factors(counts / counts.sum(axis=0), self._inference.topic_shares())
            self._counts = counts
        return self._factors

    def expectation(self):
        """Return W H, the probability that a token of column n is row f."""
        W, H, _ = self.factors()
        return W @ H

    def objective(self):
        """Return None: the bound is not computed."""
        return None

    def active_components(self):
        """Return how many topics have at least 1 % of the shares."""
        return int(np.count_nonzero(self.factors().H.mean(axis=1) >= ACTIVE_SHARE))
