"""What a user might take instead, as estimators of this package.

Their software is not changed. What is added is what it does not say: how hidden entries are kept
from it, and what the probability of a one is. Where that leaves a choice, the one that predicts
better is made for them on entries of the training matrix that are held out once more.
"""

import warnings

import numpy as np
from scipy.sparse import csr_array

from nbmf.data.matrix import MISSING
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import one_of
from nbmf.inference.state import Factors, State
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.seeds import child

MARGINS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2)  # from 0 and 1, that predictions keep
INNER = 0.1  # of the training entries, on which the margin is chosen
ROUNDS, ITERATIONS = 10, 20  # of filling in what is missing, and of NMF in each


class Competitor(Factorization):
    """Base class: other software fits in one go, which is one iteration here.

    A class defines `_solve`, and `mean` of the factors it returns.
    """

    inference = Inference.POINT
    likelihoods = (BERNOULLI,)
    alignment = Alignment.PERMUTATION

    def __init__(self, n_components=2, *, max_iter=200, random_state=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def n_iterations(self):
        """One; `max_iter` is the other software's."""
        return 1

    def _start(self, codes, seed):
        return Solved(self, codes, seed)

    def _solve(self, codes: np.ndarray, seed: np.random.SeedSequence) -> Factors:
        """Return the factors of codes, int8 (F, N): 1, 0, -1 (missing)."""
        raise NotImplementedError


class Predictor(Competitor):
    """Base class of those whose predictions do not follow from W and H: E[V] is one of the `others` of the factors."""

    def _learn(self, state):
        super()._learn(state)
        self.others_ = state.factors().others

    @property
    def factors_(self):
        """W_, H_ and E[V]."""
        return super().factors_._replace(others=self.others_)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the probabilities of a one of some rows and columns."""
        return factors.others["expectation"][rows][:, columns]


class Solved(State):
    """A fit that is made at once."""

    def __init__(self, competitor: Competitor, codes: np.ndarray, seed: np.random.SeedSequence):
        self._competitor, self._codes, self._seed = competitor, codes, seed

    def advance(self, steps):
        """Fit."""
        with warnings.catch_warnings(action="ignore"):  # of not having converged: the scores will show it
            self._factors = self._competitor._solve(self._codes, self._seed)

    def objective(self):
        """Return nothing: objectives of other software have units of their own."""
        return None

    def active_components(self):
        """Return K."""
        return self._factors.W.shape[1]

    def factors(self):
        """Return what was found."""
        return self._factors

    def expectation(self):
        """Return the probabilities of a one, float array (F, N)."""
        return self._competitor.mean(self._factors)


# --- scikit-learn -----------------------------------------------------------------------------


class LowRank(Competitor):
    """Base class of those that approximate V by a product that is no probability.

    P(v = 1) is the product, kept a margin away from 0 and 1. The margin is the one of MARGINS that
    predicts a tenth of the training entries best, hidden in a fit of its own.
    """

    def _solve(self, codes, seed):
        rng = np.random.default_rng(child(seed, "inner"))
        inner = (rng.random(codes.shape) < INNER) & (codes != MISSING)
        margin = MARGINS[-1]
        if inner.any() and (codes != MISSING)[~inner].any():
            approximation = self._approximate(BERNOULLI.hide(codes, inner), seed)
            loss_at = BERNOULLI.loss_at(codes, inner)
            losses = {
                each: loss_at(_clip(each, self._product(Factors(*approximation)))[inner]).total for each in MARGINS
            }
            margin = min(losses, key=losses.get)
        return Factors(*self._approximate(codes, seed), {"margin": np.array(margin)})

    def _approximate(self, codes, seed) -> tuple[np.ndarray, np.ndarray]:
        """Return two factors, (F, K) and (K, N), whose product approximates V."""
        raise NotImplementedError

    @staticmethod
    def _product(factors, rows=slice(None), columns=slice(None)):
        weights, profiles = factors.W[rows], factors.H[:, columns]
        return weights @ profiles

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the product of some rows and columns, within its margin."""
        return _clip(factors.others["margin"], self._product(factors, rows, columns))

    def _learn(self, state):
        super()._learn(state)
        self.margin_ = float(state.factors().others["margin"])

    @property
    def factors_(self):
        """W_, H_ and the margin."""
        return super().factors_._replace(others={"margin": np.array(self.margin_)})

    @property
    def findings(self):
        """The margin that was chosen."""
        return {"margin": self.margin_}


class ScikitNMF(LowRank):
    """scikit-learn's NMF, least squares, of a matrix whose missing entries are filled in.

    It takes no missing entries. They start as their column means; ROUNDS times NMF goes
    on for ITERATIONS from where it is, and they become what it says about them, within [0, 1].

    Parameters
    ----------
    n_components : int
        K.
    max_iter : int
        Of the first fit, at most.
    random_state : int, SeedSequence or None
        The same value gives the same bits.
    """

    def _approximate(self, codes, seed):
        from sklearn.decomposition import NMF

        given = {"n_components": self.n_components, "random_state": integer_seed(seed)}
        is_missing = codes == MISSING
        filled = np.where(is_missing, shrunken_column_means(codes), codes)
        first = NMF(**given, max_iter=self.max_iter)
        weights = first.fit_transform(filled)
        profiles = first.components_
        if not is_missing.any():
            return weights, profiles
        for _ in range(ROUNDS):
            filled[is_missing] = np.clip(weights @ profiles, 0.0, 1.0)[is_missing]
            further = NMF(**given, max_iter=ITERATIONS, init="custom")
            weights = further.fit_transform(filled, W=weights, H=profiles)
            profiles = further.components_
        return weights, profiles


class ScikitLDA(LowRank):
    """scikit-learn's latent Dirichlet allocation: rows are documents, ones their words.

    It says which column the next one of a row is in. An entry's expected count is the number of
    ones of its row times that, both corrected for what is missing: a column's probability is
    divided by the share of its entries that are observed, and a row's number is the one that makes
    the counts of its observed entries add up to its observed ones.

    Parameters
    ----------
    n_components : int
        K, topics.
    max_iter : int
        Passes over the rows at most.
    random_state : int, SeedSequence or None
        The same value gives the same bits.
    """

    def _approximate(self, codes, seed):
        from sklearn.decomposition import LatentDirichletAllocation

        model = LatentDirichletAllocation(self.n_components, max_iter=self.max_iter, random_state=integer_seed(seed))
        observed, ones = codes != MISSING, (codes == 1).astype(float)
        weights = model.fit_transform(csr_array(ones))
        profiles = model.components_ / model.components_.sum(axis=1, keepdims=True)
        profiles = profiles / np.maximum(observed.mean(axis=0), 1 / len(codes))
        expected = (observed * (weights @ profiles)).sum(axis=1)
        totals = ones.sum(axis=1) / np.maximum(expected, np.finfo(float).tiny)
        return weights * totals[:, None], profiles


# --- nbmf-mm ------------------------------------------------------------------------------------


class MajorizationMinimization(Competitor):
    """The package nbmf-mm (Magron and Févotte 2022): modes of Beta-Dir, with hidden entries masked.

    Parameters
    ----------
    n_components : int
        K.
    orientation : {"beta-dir", "dir-beta"}
        Whether rows of W are distributions, or columns of H.
    max_iter : int
        Iterations at most.
    random_state : int, SeedSequence or None
        The same value gives the same bits.
    """

    rules = Competitor.rules | {"orientation": one_of("beta-dir", "dir-beta")}

    def __init__(self, n_components=2, *, orientation="beta-dir", max_iter=2000, random_state=None):
        super().__init__(n_components, max_iter=max_iter, random_state=random_state)
        self.orientation = orientation

    def _solve(self, codes, seed):
        from nbmf_mm import NBMF

        model = NBMF(
            n_components=self.n_components,
            orientation=self.orientation,
            max_iter=self.max_iter,
            random_state=integer_seed(seed),
        )
        model.fit((codes == 1).astype(float), mask=(codes != MISSING).astype(float))
        return Factors(model.W_, model.components_)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return the product of some rows and columns, which is a probability but for rounding."""
        return np.clip(LowRank._product(factors, rows, columns), 0.0, 1.0)


def _clip(margin: float, values: np.ndarray) -> np.ndarray:
    return np.clip(values, margin, 1.0 - margin)


def shrunken_column_means(codes: np.ndarray) -> np.ndarray:
    """Return column means, shrunk towards a half: never 0 or 1."""
    return ((codes == 1).sum(axis=0) + 1.0) / ((codes != MISSING).sum(axis=0) + 2.0)


def integer_seed(seed: np.random.SeedSequence) -> int:
    """Return what other software takes as a seed."""
    return int(seed.generate_state(1)[0])
