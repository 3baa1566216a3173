"""Latent Dirichlet allocation on the ones as tokens, as the paper's baseline (section 6.4.2)."""

from nbmf.methods.base import Factorization, Fit, count_active
from nbmf.seeds import children


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

    W_ has a topic per column (distributions over rows), H_ the topic shares of each column,
    expectation_ = W_ H_ the probability that a token of column n is row f: columns sum to one.
    """

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
        W = (model.components_ / model.components_.sum(axis=1, keepdims=True)).T
        expectation, shares = W @ H, H.mean(axis=1)
        if monitor is not None:  # the library shows no state before the last
            final = _FinalState(expectation, shares)
            monitor(int(model.n_iter_), int(model.n_iter_), final)
        return Fit(W, H, expectation, shares, n_iter=int(model.n_iter_))


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
