"""A comparison on a matrix without its zeros: the loss of the whole matrix per one, and what is recommended.

A mask is a tenth of the ones and as many zeros, which are missing in the training matrix. The loss is that of
`nbmf.evaluation.sampled_entries`. For recall and NDCG all columns of a row, but for the ones that its training matrix
has, are in the order of their predictions, and ones that were held out are to be among the first. Rows of a network
are not recommended to themselves.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse

from nbmf.data.named import has_same_names
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.data.symmetry import mean_of_directions
from nbmf.errors import ConfigError, Setting
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.compared_fits import ComparedFit, FitDone, missing_facts, score_fits
from nbmf.evaluation.result import Comparison
from nbmf.evaluation.sampled_entries import (
    ONE_COMPONENT,
    OVERALL,
    POPULARITY,
    SampleMeasure,
    count_eligible,
    refuse_unsuitable_methods,
    sample_folds,
    training_matrix,
)
from nbmf.fit_key import FitKey, mask_stream
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import HELD_OUT
from nbmf.inference.parameters import check_count
from nbmf.numerics.blas import one_blas_thread
from nbmf.registry import make_estimator
from nbmf.seeds import seed_sequence

RECALL_AT, NDCG_AT = 20, 100
RANKED_ROWS = 2000  # at most, drawn at random: all entries of each are predicted
RECALL, NDCG = f"recall_at_{RECALL_AT}", f"ndcg_at_{NDCG_AT}"
UNIT = "one"
TEST_RATIO = HELD_OUT / (1 - HELD_OUT)  # held-out ones per training one


class RankScores(NamedTuple):
    """How early held-out ones come among the columns recommended to their rows; means over rows.

    - recall : float, of the held-out ones of a row, or of RECALL_AT if it has more, how many are among the first
      RECALL_AT columns
    - ndcg : float, Σ 1 / log2(1 + place) over those among the first NDCG_AT, over what is largest
    """

    recall: float
    ndcg: float


def rank_scores(recommended: np.ndarray, held: scipy.sparse.csr_array) -> RankScores:
    """Score the columns recommended to rows; arguments as of `rank_scores_of_rows`."""
    return RankScores(*(float(of_rows.mean()) for of_rows in rank_scores_of_rows(recommended, held)))


def rank_scores_of_rows(recommended: np.ndarray, held: scipy.sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Return recall and NDCG of the columns recommended to each row, two arrays (m,).

    Parameters
    ----------
    recommended : int array (m, at least NDCG_AT), -1 where there is none
    held : CSR array (m, N), not zero where a one was held out; each row has one
    """
    hits = np.zeros(recommended.shape, bool)
    rows, places = np.nonzero(recommended >= 0)
    hits[rows, places] = np.asarray(held[rows, recommended[rows, places]]).ravel() != 0
    count = np.diff(held.indptr)
    recall = hits[:, :RECALL_AT].sum(axis=1) / np.minimum(count, RECALL_AT)
    gains = 1.0 / np.log2(2.0 + np.arange(NDCG_AT))
    best = np.concatenate([[0.0], np.cumsum(gains)])[np.minimum(count, NDCG_AT)]
    width = min(recommended.shape[1], NDCG_AT)
    ndcg = (hits[:, :width] * gains[:width]).sum(axis=1) / best
    return recall, ndcg


def compare_sparse(
    V: Any,
    entries: Mapping[str, Mapping[str, Any]],
    masks: int,
    seed: int,
    n_jobs: int,
    name: str,
    log: Callable[[FitDone], object] | None,
) -> Comparison:
    """Compare methods on a sparse matrix; arguments, entries for methods and K, as of `nbmf.compare`.

    Raises
    ------
    ConfigError
        If masks are given themselves, or a method has several starts.
    DataError
        If a method takes no such matrix, or there are too few ones or zeros.
    """
    check_count("masks", masks, 1)
    for method, entry in entries.items():
        refuse_unsuitable_methods([make_estimator(entry["class"], entry["K"][0], entry["settings"])])
        if entry.get("starts", 1) > 1:
            raise ConfigError(Setting(f"methods.{method}.starts", entry["starts"]), ": must be 1 for a sparse matrix")
    matrix = SparseBinaryMatrix.of(V)
    drawn = [Mask(matrix, ["sparse", *mask_stream(name, j), *([seed] if seed else [])]) for j in range(masks)]
    of_methods = [
        ComparedFit(method, k, j) for method, entry in entries.items() for k in entry["K"] for j in range(masks)
    ]
    fits = of_methods + [ComparedFit(baseline, 0, j) for baseline in (OVERALL, POPULARITY) for j in range(masks)]

    def run(fit: ComparedFit, key: dict[str, Any]) -> dict[str, Any]:
        mask, entry = drawn[fit.mask], entries.get(fit.method)
        if entry is None:
            return _baseline_row(mask, key)
        stream = FitKey(**key).stream(entry.get("starts_as"))
        return _fit_row(mask, make_estimator(entry["class"], fit.K, entry["settings"], seed_sequence(*stream)))

    labels = LABELS | {method: entry["label"] for method, entry in entries.items()}
    scores = score_fits(fits, run, labels, name, seed, n_jobs, log, _missing_scores)
    return Comparison(pd.DataFrame(scores), dict(entries), name, TEST_RATIO, UNIT)


class Mask:
    """What is held out of a matrix together, the matrix without it, and scores of what is predicted of it."""

    def __init__(self, matrix: SparseBinaryMatrix, key: Sequence):
        self._in_pairs = in_pairs = matrix.is_symmetric()
        self._itself = not (in_pairs or has_same_names(matrix))
        rng = np.random.default_rng(seed_sequence(*key))
        self._matrix, (n_ones, n_zeros) = matrix, count_eligible(matrix, in_pairs)
        self.fold = fold = next(sample_folds(matrix, rng, in_pairs))
        self.training = training_matrix(matrix, fold, in_pairs)
        self._measure = SampleMeasure(*fold.places, fold.is_one, n_zeros / n_ones)
        self.share = n_ones * fold.kept_ones / (n_ones * fold.kept_ones + n_zeros * fold.kept_zeros)
        places = fold.places[:, fold.is_one]
        places = np.hstack([places, places[::-1]]) if in_pairs else places
        places = places if self._itself else places[:, places[0] != places[1]]
        held = scipy.sparse.csr_array((np.ones(places.shape[1]), tuple(places)), shape=matrix.shape)
        with_ones = np.flatnonzero(np.diff(held.indptr))
        self.rows = np.sort(rng.permutation(with_ones)[:RANKED_ROWS])
        self._held = held[self.rows]

    def loss(self, chance: np.ndarray) -> float:
        """Return the loss of the whole matrix per one, in nats, given P(v = 1) of the held-out entries."""
        return self._measure.mean(self.fold.losses(chance))

    def scores(self, fitted: Factorization) -> dict[str, Any]:
        """Return the scores of a fit."""
        with one_blas_thread():
            recommendations = fitted.recommend(self.rows, NDCG_AT, known=self.training, itself=self._itself)
        ranks = rank_scores(recommendations.columns, self._held)
        predict = partial(mean_of_directions, fitted.predict) if self._in_pairs else fitted.predict
        loss = self.loss(predict(*self.fold.places))
        return {"n_test": self.n_test, "perplexity": loss, RECALL: ranks.recall, NDCG: ranks.ndcg}

    @property
    def n_test(self) -> int:
        """How many entries are held out."""
        return self.fold.is_one.size


def _baseline_row(mask: Mask, key: dict[str, Any]) -> dict[str, Any]:
    """Return the row of the proportion of ones, which recommends nothing, or of rates r_f c_n."""
    if key["method"] == POPULARITY:
        popularity = make_estimator("BernoulliPoissonVB", 1, ONE_COMPONENT, key["seed"])
        return _fit_row(mask, popularity) | {"status": "ok", "converged": None}
    loss = mask.loss(np.full(mask.n_test, mask.share))
    return _missing_scores("ok") | _COMMON_FACTS | {"n_test": mask.n_test, "perplexity": loss, "seconds": 0.0}


_COMMON_FACTS = {"unit": f"nats per {UNIT}", "saturated": 0, "brier": np.nan}


def _fit_row(mask: Mask, estimator: Factorization) -> dict[str, Any]:
    started = time.perf_counter()
    estimator.fit(mask.training)
    seconds = time.perf_counter() - started
    return {
        **mask.scores(estimator),
        **_COMMON_FACTS,
        "seconds": seconds,
        "n_iter": estimator.n_iter_,
        "converged": estimator.converged_,
        "active_components": estimator.active_components_,
        "status": "not converged" if estimator.converged_ is False else "ok",
    }


def _missing_scores(reason: str) -> dict[str, Any]:
    return missing_facts(reason) | {RECALL: np.nan, NDCG: np.nan}
