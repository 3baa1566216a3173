"""How predictions are scored; there is one definition of the held-out score in the project."""

from typing import NamedTuple

import numpy as np

from nbmf.errors import DataError

# The largest double below one is 1 - 2**-53. A prediction that reaches 0 or 1 is scored as if it
# had stopped there: a wrong one costs 36.7 nats instead of infinity, and is counted.
SMALLEST_PROBABILITY = 2.0**-53


class Score(NamedTuple):
    """The loss of some entries.

    total : float, negative log-likelihood in nats, eq. (66) if all observed entries are scored
    entries : int, how many entries were scored
    saturated : int, how many of them had observed what was predicted to be impossible
    """

    total: float
    entries: int
    saturated: int

    @property
    def perplexity(self) -> float:
        """The mean loss in nats per entry, eq. (67)."""
        return self.total / self.entries


class EntryScorer:
    """Scores probabilities of a one at the same entries as often as asked: a trace does.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    entries : bool array (F, N)
        Which entries to score; all of them must be observed.

    Raises
    ------
    DataError
        If shapes differ, an entry to score is missing, or there is none.
    """

    unit = "entry"

    def __init__(self, codes: np.ndarray, entries: np.ndarray):
        self._shape = codes.shape
        _check_shape("entries", entries, self._shape)
        self._places = np.flatnonzero(entries)
        values = codes.ravel()[self._places]
        self._is_zero = values == 0
        unknown = int(np.count_nonzero(~self._is_zero & (values != 1)))
        if unknown:
            raise DataError(f"entries: {unknown} of those to score are missing in codes")

    def __call__(self, expectation: np.ndarray) -> Score:
        """Score E[V], float array (F, N)."""
        likelihood = _at(self._places, expectation, self._shape)
        np.subtract(1.0, likelihood, out=likelihood, where=self._is_zero)
        return _score_of(likelihood)


class TokenScorer:
    """The same for a model of tokens: only the ones among `entries` count, per token."""

    unit = "token"

    def __init__(self, codes: np.ndarray, entries: np.ndarray):
        self._shape = codes.shape
        _check_shape("entries", entries, self._shape)
        self._places = np.flatnonzero(entries & (codes == 1))

    def __call__(self, token_probability: np.ndarray) -> Score:
        """Score the probability that a token of column n is row f, float array (F, N)."""
        return _score_of(_at(self._places, token_probability, self._shape))


def scorer(per_token: bool) -> type[EntryScorer] | type[TokenScorer]:
    """Return the scorer of a method, by its attribute `scored_per_token`."""
    return TokenScorer if per_token else EntryScorer


def score(codes: np.ndarray, expectation: np.ndarray, entries: np.ndarray) -> Score:
    """Score the probabilities `expectation` of a one, float array (F, N); see EntryScorer."""
    return EntryScorer(codes, entries)(expectation)


def _check_shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if np.shape(array) != shape:
        raise DataError(f"{name}: shape {np.shape(array)}; allowed is that of codes, {shape}")


def _at(places: np.ndarray, probabilities: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a copy of the probabilities at some places of a matrix."""
    _check_shape("probabilities", probabilities, shape)
    return np.asarray(probabilities, float).ravel()[places]


def _score_of(likelihood: np.ndarray) -> Score:
    """Score the probabilities of what was observed; the array is overwritten."""
    if likelihood.size == 0:
        raise DataError("there is nothing to score: no entry (for LDA, no token) is held out")
    saturated = int(np.count_nonzero(likelihood < SMALLEST_PROBABILITY))
    # In place: large temporary arrays cost more than the logarithms.
    np.clip(likelihood, SMALLEST_PROBABILITY, 1.0, out=likelihood)
    np.log(likelihood, out=likelihood)
    return Score(float(-likelihood.sum()), int(likelihood.size), saturated)


def perplexity(codes: np.ndarray, expectation: np.ndarray, entries: np.ndarray) -> float:
    """Return the held-out perplexity in nats per entry, eq. (67); arguments as for `score`."""
    return score(codes, expectation, entries).perplexity
