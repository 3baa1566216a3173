"""Which method predicts a matrix best: the paper's held-out comparison, on any matrix."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from nbmf.catalogue import compared_for
from nbmf.data.given import is_sparse
from nbmf.data.masks import draw_mask, held_out_together
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.other_kinds import naming_other_kinds
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, DataError, Setting
from nbmf.evaluation import sparse_comparison
from nbmf.evaluation.baselines import BASELINES, baseline_score, comparison_baselines, predict_baseline, take_entries
from nbmf.evaluation.compared_fits import ComparedFit, FitDone, missing_facts, score_fit, score_fits
from nbmf.evaluation.entries import (
    common_matrix,
    complete_entries,
    likelihoods_of,
    observed_entries,
    observed_rows_and_columns,
)
from nbmf.evaluation.result import Comparison
from nbmf.evaluation.tie_scores import are_ties, score_of_ties
from nbmf.fit_key import mask_stream
from nbmf.inference import parameters
from nbmf.likelihoods.bernoulli import BERNOULLI, Bernoulli
from nbmf.numerics.processors import processors
from nbmf.seeds import seed_sequence

TEST_PROBABILITY = 0.25  # of an observed entry to be held out (paper, section 6.4.1)


def compare(
    V: Any,
    methods: Iterable[str] | Mapping[str, Mapping[str, Any]] | None = None,
    K: int | Iterable[int] | Mapping[str, Iterable[int]] | None = None,
    masks: int | Iterable[np.ndarray] = 5,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    name: str = "V",
    log: Callable[[FitDone], object] | None = print,
) -> Comparison:
    """Hold out entries of V, fit every method to the others, and score its predictions.

    This is the comparison of Lumbreras et al. 2020 (section 6.4.1, eq. 67, Figure 10) on your own matrix. Every
    method sees the same masks. A fit that fails becomes a row whose status says why.

    Of a sparse matrix each mask holds out a tenth of the ones and as many zeros, see `nbmf.verdict`. The log loss
    is then an estimate for the whole matrix, divided by its number of ones. The table also has recall@20 and
    NDCG@100 of the columns recommended to rows, see nbmf.evaluation.sparse_comparison. Its baselines are the
    proportion of ones and the popularity of rows and columns.

    Parameters
    ----------
    V : BinaryMatrix, CountMatrix, SparseBinaryMatrix, DataFrame, array (F, N) or scipy.sparse matrix
        Values that the methods' likelihood allows, for a binary one 1 and 0, and missing (NaN or
        -1). Rows and columns without an observed entry are left out: none can be held out.
    methods : list of str, or dict, optional
        Ids such as "beta-dir-vb" (see nbmf.catalogue.METHODS), or a dict from id to an entry as
        in nbmf/methods.yaml: class, label, K, settings. An entry of a known id needs only what
        differs: {"beta-dir-vb": {"settings": {"alpha": 0.2, "beta": 0.2}}}; its other settings
        stay. Default: those of nbmf.catalogue.compared_for this kind and size of matrix. LDA's
        score is per token: it is reported, not recommended.
    K : int, list of int, or dict from id to list of int, optional
        Used instead of the methods' own grids. Of a list for all methods, each leaves out the K that it does not
        allow: Dir-Dir needs K >= 2.
    masks : int, or list of bool arrays (F, N)
        How many masks are drawn, in each of which a quarter of the observed entries is held out; or, of a matrix
        that is not sparse, the masks themselves, True where held out (see `draw_mask`), of the shape of V or of what
        is not left out of it. Five masks give an idea of the uncertainty, ten a better one, a single mask none. Of an
        undirected network, a symmetric matrix whose rows and columns have the same names, an entry and its mirror
        image are held out together, and the diagonal never; so are columns of a binary matrix that determine each
        other, as answers to one question do. Of a binary one each tie has one probability, the mean of both entries.
    seed : int
        The same seed gives the same scores. With seed 0 masks and fits are those of the workflow
        for a dataset called `name`, which has the same entries held out together.
    n_jobs : int, optional
        How many fits run at a time, in threads; default: the number of processors. It changes no score.
    name : str
        Of the matrix, for the figure and the random streams.
    log : function or None
        Called after each fit with a FitDone, whose text is a readable line; None: nothing is.

    Returns
    -------
    Comparison

    Raises
    ------
    ConfigError
        If an argument or a setting has a value that is not allowed, or methods take different
        kinds of matrices.
    DataError
        If V has a value that is not allowed, or is too small for a mask, or a mask does not fit.
    """
    if methods is None:
        methods = compared_for(_kind_of(V), _count_observed(V))
    entries = complete_entries(methods, K)
    parameters.check_count("seed", seed, 0)
    parameters.check_count("n_jobs", 1 if n_jobs is None else n_jobs, 1)
    if is_sparse(V):
        return sparse_comparison.compare_sparse(V, entries, masks, seed, n_jobs or processors(), name, log)
    with naming_other_kinds(V):
        matrix = common_matrix(V, entries)
    if isinstance(masks, Iterable):
        drawn = _check_masks(masks, observed_entries(V, entries))
    else:
        drawn = _draw_masks(matrix, masks, name, seed)
    fits = [
        ComparedFit(method, k, j) for method, entry in entries.items() for k in entry["K"] for j in range(len(drawn))
    ]

    def run(fit: ComparedFit, key: dict[str, Any]) -> dict[str, Any]:
        return score_fit(matrix, drawn[fit.mask], entries[fit.method], key)

    labels = {method: entry["label"] for method, entry in entries.items()}
    scores = score_fits(fits, run, labels, name, seed, n_jobs or processors(), log, missing_facts)
    baselines = comparison_baselines(matrix, likelihoods_of(entries).values())
    scores += _baseline_rows(baselines, matrix, drawn, name, seed)
    n_test = np.mean([np.count_nonzero(mask) for mask in drawn])
    n_train = np.count_nonzero(matrix.observed) - n_test
    return Comparison(pd.DataFrame(scores), entries, name, float(n_test / n_train))


def _kind_of(V: Any) -> str:
    """Return the name of the kind of matrix that V is, or is read as where no method says another."""
    if is_sparse(V):
        return SparseBinaryMatrix.__name__
    return type(V).__name__ if isinstance(V, NamedMatrix) else BinaryMatrix.__name__


def _count_observed(V: Any) -> int:
    """Return how many values of V are observed; of a sparse matrix how many it has."""
    if isinstance(V, NamedMatrix):
        return V.n_observed
    if is_sparse(V):
        return int(np.prod(V.shape))
    with naming_other_kinds(V):
        return int(np.count_nonzero(BERNOULLI.is_observed(BERNOULLI.values_of(V))))


def _draw_masks(matrix: NamedMatrix, masks: int, name: str, seed: int) -> list[np.ndarray]:
    """Return as many masks as asked for, for seed 0 the workflow's."""
    parameters.check_count("masks", masks, 1)
    held_out = held_out_together(matrix)
    keys = [[*mask_stream(name, j), *([seed] if seed else [])] for j in range(masks)]
    return [draw_mask(matrix, TEST_PROBABILITY, seed_sequence(*key), held_out) for key in keys]


def _check_masks(masks: Iterable[np.ndarray], observed: np.ndarray) -> list[np.ndarray]:
    """Return masks of a matrix that is observed in such places, without the rows and columns that are not."""
    kept = np.ix_(*observed_rows_and_columns(observed))
    given = [_checked_mask(j, np.asarray(mask), observed, observed[kept]) for j, mask in enumerate(masks)]
    if not given:
        raise ConfigError(Setting("masks"), ": none given; allowed: one or more arrays, or their number")
    return [mask[kept] if mask.shape == observed.shape else mask for mask in given]


def _checked_mask(number: int, mask: np.ndarray, *observed: np.ndarray) -> np.ndarray:
    """Return a mask of the shape of one of the arrays that say what is observed; DataError if it does not fit."""
    fitting = next((each for each in observed if each.shape == mask.shape), None)
    if mask.dtype != bool or fitting is None:
        raise DataError(
            Setting("masks"),
            f": mask {number} is an array of {mask.dtype} of shape {mask.shape}; allowed: "
            f"one of bool of the shape of V, {observed[0].shape}",
        )
    if (mask & ~fitting).any():
        raise DataError(Setting("masks"), f": mask {number} holds out entries that are missing in V")
    if not mask.any() or (mask == fitting).all():
        raise DataError(Setting("masks"), f": mask {number} holds out no observed entry, or all of them")
    return mask


def _baseline_rows(
    baselines: Iterable[str], matrix: NamedMatrix, masks: list[np.ndarray], name: str, seed: int
) -> Iterator[dict[str, Any]]:
    """Yield the scores of baselines."""
    for method in baselines:
        for j, mask in enumerate(masks):
            yield {
                **{"dataset": name, "method": method, "K": 0, "mask": j, "seed": seed},
                **missing_facts("ok"),
                **_baseline_score(method, matrix, mask),
                **{"saturated": 0, "unit": "nats per held-out entry", "seconds": 0.0},
            }


def _baseline_score(name: str, matrix: NamedMatrix, mask: np.ndarray) -> dict[str, Any]:
    """Return the scores of a baseline; of an undirected network each tie has one probability, as of methods."""
    score = baseline_score(name, matrix, mask)
    if not (name in BASELINES and are_ties(matrix, mask)):
        return score
    predicted = predict_baseline(name, Bernoulli().hide(matrix.codes, mask))
    return score | score_of_ties(partial(take_entries, predicted), matrix, mask)
