"""Latent Dirichlet allocation on the ones as tokens, as the paper's baseline (section 6.4.2)."""

from typing import ClassVar

import numpy as np
from scipy.special import digamma

from nbmf.errors import NotSupportedError
from nbmf.methods.base import Factorization, Fit, count_active
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
    """LDA by scikit-learn: columns are documents, their ones are tokens, rows are the vocabulary.

    LDA has no notion of a missing entry: it counts as an absent token. It models which tokens
    occur, not whether an entry is one, so it is scored per held-out token.

    Parameters
    ----------
    n_components : int
        K, the number of topics.
    max_iter : int
        Variational passes over the data; the default is scikit-learn's.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Notes
    -----
    W_ has a topic per column (distributions over rows), H_ the topic shares of each column,
    expectation_ = W_ H_ the probability that a token of column n is row f: columns sum to one.
    New columns are folded in by scikit-learn's `transform`; new rows cannot be.

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
        # Imported here: scikit-learn takes a second that no other method should pay.
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(
            self.n_components,
            max_iter=self.max_iter,
            random_state=int(children(seed, 1)[0].generate_state(1)[0]),
        )
        tokens = (codes.T == 1).astype(float)
        H = model.fit_transform(tokens).T
        self.topic_counts_ = model.components_.T.copy()
        W = (model.components_ / model.components_.sum(axis=1, keepdims=True)).T
        expectation, shares = W @ H, H.mean(axis=1)
        if monitor is not None:  # the library shows no state before the last
            final = _FinalState(expectation, shares)
            monitor(int(model.n_iter_), int(model.n_iter_), final)
        return Fit(W, H, expectation, shares, n_iter=int(model.n_iter_))

    def _fold_in_columns(self, codes):
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(self.H_.shape[0])
        # What scikit-learn's fit leaves behind for its transform.
        model.components_ = np.ascontiguousarray(self.topic_counts_.T)
        totals = model.components_.sum(axis=1, keepdims=True)
        model.exp_dirichlet_component_ = np.exp(digamma(model.components_) - digamma(totals))
        model.doc_topic_prior_ = 1.0 / self.H_.shape[0]
        model.n_features_in_ = len(self.W_)
        return model.transform((codes.T == 1).astype(float)).T


class _FinalState:
    """What a monitor may ask of a finished fit."""

    def __init__(self, expectation, shares):
        self._expectation, self._shares = expectation, shares

    def expectation(self):
        return self._expectation

    def objective(self):
        return None

    def active_components(self):
        return count_active(self._shares)
