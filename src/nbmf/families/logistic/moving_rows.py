"""Factors whose rows move: W of every period, and the one form in which they are reported.

Factors of such a model have among `others`

    PATHS (F, T, K)    where every row is in every period
    PERIODS (N,)       the period of every column, int
    SPANS (F, 2)       the first and the last period in which a row has entries, int
    WALK (S, K, K)     the covariance of a step over one unit of time, of each row or of all (S = 1)
    START_MEAN (K,), START (K, K)   of a row's first position a priori
    ITEM_MEAN (K + 1,), ITEMS (K + 1, K + 1)   of a new column's h and effect a priori

and W is the mean of the path over its row's span.
"""

import numpy as np

from nbmf.families.logistic import factors as form
from nbmf.families.logistic.factors import PATHS
from nbmf.families.logistic.ordered_cells import with_centred_cuts
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors

SPANS = "spans"
WALK = "walk covariance"
START_MEAN, START = "mean of first positions", "covariance of first positions"
ITEM_MEAN, ITEMS = "mean of new columns", "covariance of new columns"


def spans_of(entries: np.ndarray) -> np.ndarray:
    """Return the first and last period in which each row has entries, int64 array (F, 2); 0 and 0 where it has none.

    entries : array (F, T), how many there are
    """
    there = np.asarray(entries) > 0
    last = there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    return np.stack([there.argmax(axis=1), np.where(there.any(axis=1), last, 0)], axis=1).astype(np.int64)


def in_span(spans: np.ndarray, n_periods: int) -> np.ndarray:
    """Return which rows have begun and not ended in which periods, bool array (F, T)."""
    t = np.arange(n_periods)
    return (spans[:, :1] <= t) & (t <= spans[:, 1:])


def mean_positions(paths: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Return the mean of each path over its span, float array (F, K)."""
    there = in_span(spans, paths.shape[1])
    return np.einsum("ftk,ft->fk", paths, there / there.sum(axis=1, keepdims=True))


def matrix_root(covariances: np.ndarray) -> np.ndarray:
    """Return R with R R' = C of each covariance C, (..., K, K).

    In a fit of rank below K rows and columns do not vary along all axes, and C is singular.
    """
    try:
        return np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        variances, axes = np.linalg.eigh(covariances)
        return axes * np.sqrt(np.maximum(variances, 0.0))[..., None, :]


def node_factors(factors: Factors) -> Factors:
    """Return the same H with all positions in the spans of their rows as W, and without others."""
    paths, spans = factors.others[PATHS], factors.others[SPANS]
    return Factors(paths[in_span(spans, paths.shape[1])], factors.H)


def count_active(factors: Factors) -> int:
    """Return how many components hold at least ACTIVE_SHARE of all that positions and H say."""
    return int(np.count_nonzero(form.shares(node_factors(factors)) >= ACTIVE_SHARE))


def canonical(factors: Factors) -> Factors:
    """Return the same ψ in the form of `factors.canonical`, all periods alike.

    Positions in the spans of their rows have orthogonal columns with mean square 1, and mean 0 where columns have
    effects or cut points of their own; components are by decreasing size; the entry of largest magnitude in each row of
    H is positive.
    """
    factors = _centred(factors)
    nodes = node_factors(factors)
    canonical = form.canonical(nodes)
    turn = np.linalg.lstsq(nodes.W, canonical.W, rcond=None)[0]
    return _with_centred_cuts(_transformed(factors, turn, np.linalg.pinv(turn))._replace(H=canonical.H))


def aligned(factors: Factors, reference: Factors) -> Factors:
    """Return the same ψ turned next to a reference by orthogonal Procrustes, W and H counting alike."""
    nodes, others = node_factors(factors), node_factors(reference)
    of_W = nodes.W.T @ others.W / max(np.linalg.norm(nodes.W) * np.linalg.norm(others.W), 1e-300)
    of_H = nodes.H @ others.H.T / max(np.linalg.norm(nodes.H) * np.linalg.norm(others.H), 1e-300)
    left, _, right = np.linalg.svd(of_W + of_H)
    return rotated(factors, left @ right)


def rotated(factors: Factors, rotation: np.ndarray) -> Factors:
    """Return the same ψ with all positions times an orthogonal matrix (K, K)."""
    return _transformed(factors, rotation, rotation.T)


def _transformed(factors: Factors, turn: np.ndarray, back: np.ndarray) -> Factors:
    others = dict(factors.others)
    others[PATHS] = others[PATHS] @ turn
    for name in (WALK, START):
        others[name] = turn.T @ others[name] @ turn
    others[START_MEAN] = others[START_MEAN] @ turn
    wider = np.eye(len(back) + 1)
    wider[:-1, :-1] = back
    others[ITEMS], others[ITEM_MEAN] = wider @ others[ITEMS] @ wider.T, wider @ others[ITEM_MEAN]
    return Factors(mean_positions(others[PATHS], others[SPANS]), back @ factors.H, others)


def _centred(factors: Factors) -> Factors:
    """Return the same ψ with the mean of all positions in the effects, or in the cut points, of columns."""
    others, (K, N) = dict(factors.others), factors.H.shape
    has_own_cuts = form.COLUMNS not in others and len(others.get(form.CUTS, ())) == N
    if form.COLUMNS not in others and not has_own_cuts:
        return factors
    mean = node_factors(factors).W.mean(axis=0)
    if has_own_cuts:
        others[form.CUTS] = others[form.CUTS] - (mean @ factors.H)[:, None]
    else:
        others[form.COLUMNS] = others[form.COLUMNS] + mean @ factors.H
    others[PATHS], others[START_MEAN] = others[PATHS] - mean, others[START_MEAN] - mean
    shift = np.eye(K + 1)
    shift[K, :K] = mean
    if form.INTERCEPT in others:
        others[form.INTERCEPT] = others[form.INTERCEPT] + mean @ others[ITEM_MEAN][:K]
    others[ITEMS], others[ITEM_MEAN] = shift @ others[ITEMS] @ shift.T, shift @ others[ITEM_MEAN]
    return factors._replace(W=factors.W - mean, others=others)


def _with_centred_cuts(factors: Factors) -> Factors:
    """Return factors as `with_centred_cuts` does, and shift the mean effect of new columns by as much."""
    made, others = with_centred_cuts(factors), factors.others
    if not {form.CUTS, form.COLUMNS} <= others.keys():
        return made
    mean = others[ITEM_MEAN].copy()
    mean[-1] -= others[form.CUTS].mean()
    return made._replace(others=dict(made.others) | {ITEM_MEAN: mean})
