"""What distinguishes the components of a table: means, categories, rates, words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from nbmf.data.feature_columns import BERNOULLI, DISCRETE, GAUSSIAN, POISSON, WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.data.names import texts_of_labels
from nbmf.errors import DataError
from nbmf.families.mixed_membership.densities import Categories, Counts, Density, Normal, Smoothing
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.families.mixed_membership.features import Densities, cells_of

COLUMNS = ["component", "column", "category", "kind", "value", "sd", "overall", "overall_sd", "lift", "nats"]


def order_of_components(model: FeatureModel) -> np.ndarray:
    """Return the places of the components in `memberships_`, the heaviest first, int array (K,).

    Everything that is shown of a model numbers them from 1 in this order.
    """
    return np.argsort(-shares_of_components(model), kind="stable")


def shares_of_components(model: FeatureModel) -> np.ndarray:
    """Return the mean membership in each component over all rows, float array (K,)."""
    return model.memberships_.mean(axis=0)


def digits_of(sd: float) -> int | None:
    """Return how many digits after the point show a mean to a tenth of the standard deviation.

    None where numbers are too small or too large to be written so.
    """
    return max(0, 1 - math.floor(math.log10(sd))) if 1e-4 <= sd < 1e7 else None


def distinguishing(model: FeatureModel, V: Any) -> pd.DataFrame:
    """Return how the distribution of each column in each component differs from that of all rows.

    The measure is the Kullback-Leibler divergence of a column's distribution in the component from its distribution
    in all rows, in nats per cell. It has no unit of its own, so columns of all kinds can be compared. For
    categories it is a sum over them, of p ln(p / q) - p + q each, and for words a sum over the vocabulary.

    Parameters
    ----------
    model : FeatureModel
        Fitted.
    V : FeatureTable, or what one is made of
        The data that it was fitted to. The distributions of all rows are those of a single component with the same
        smoothing.

    Returns
    -------
    DataFrame
        A row per component and column, or category, or word. `component` from 1, the heaviest first; `column`;
        `category`, empty but for discrete columns; `kind`; `value`, the mean, the probability (of a one, of the
        category, of the word) or the rate, with `sd`, the standard deviation of a real column; `overall` and
        `overall_sd`, the same of all rows; `lift`, of probabilities and rates value / overall; `nats`. Within a
        component the largest divergence comes first.

    Raises
    ------
    NotFittedError, DataError
        Before the fit; if the columns are others.
    """
    table = model.table_of(V)
    smoothing = Smoothing(model.smoothing, model.variance_floor, model.relative_floor)
    overall = Densities.of_all(table, cells_of(table), smoothing)
    order = order_of_components(model)
    ends = np.cumsum(table.sizes)
    parts = []
    if WORD in table.kinds:
        parts = [_word_table(model.densities_.parts[WORD], overall.parts[WORD], table, order)]
    else:
        for n, (name, kind) in enumerate(zip(table.column_names, table.kinds, strict=True)):
            (density, column), (overall_density, _) = model.densities_.part_of(n), overall.part_of(n)
            statistics = _STATISTICS[str(kind)](density, overall_density, column, order)
            categories = [""]
            if kind == DISCRETE:
                categories = table.categories[ends[n] - table.sizes[n] : ends[n]].tolist()
            parts.append(_statistics_table(statistics, str(name), str(kind), categories))
    differences = pd.concat(parts, ignore_index=True)
    differences = differences.sort_values(["component", "nats"], ascending=[True, False], kind="stable")
    return differences[COLUMNS].reset_index(drop=True)


def _statistics_table(statistics: dict[str, np.ndarray], name: str, kind: str, categories: list[str]):
    """Return a DataFrame of arrays (categories, K), a row per component and category."""
    sizes = {array.shape for array in statistics.values()}
    ((count, K),) = sizes
    flat = {key: array.T.ravel() for key, array in statistics.items()}
    return pd.DataFrame(
        {
            "component": np.repeat(np.arange(1, K + 1), count),
            "column": name,
            "category": categories * K,
            "kind": kind,
            **flat,
        }
    )


def _normal(density: Normal, overall: Normal, column: int, order: np.ndarray) -> dict[str, np.ndarray]:
    m, v = density.mean()[order, column], density.variance[column, order]
    m_all, v_all = overall.mean()[0, column], overall.variance[column, 0]
    nats = 0.5 * (np.log(v_all / v) + (v + (m - m_all) ** 2) / v_all - 1.0)
    none = np.full(m.size, np.nan)
    return _single_row_statistics(m, m_all, np.sqrt(v), np.sqrt(v_all), none, nats)


def _counts(density: Counts, overall: Counts, column: int, order: np.ndarray) -> dict[str, np.ndarray]:
    rate, all_rate = density.rate[column, order], overall.rate[column, 0]
    return _single_row_statistics(rate, all_rate, np.nan, np.nan, rate / all_rate, _divergence(rate, all_rate))


def _binary(density: Categories, overall: Categories, column: int, order: np.ndarray):
    p, q = density.of(column)[:, order], overall.of(column)
    nats = _divergence(p, q).sum(axis=0)
    return _single_row_statistics(p[1], q[1, 0], np.nan, np.nan, p[1] / q[1, 0], nats)


def _categories(density: Categories, overall: Categories, column: int, order: np.ndarray):
    p, q = density.of(column)[:, order], overall.of(column)
    none = np.full(p.shape, np.nan)
    return {
        "value": p,
        "sd": none,
        "overall": np.broadcast_to(q, p.shape),
        "overall_sd": none,
        "lift": p / q,
        "nats": _divergence(p, q),
    }


def _single_row_statistics(value, overall, sd, overall_sd, lift, nats) -> dict[str, np.ndarray]:
    """Return arrays (1, K) by their names."""
    given = {"value": value, "sd": sd, "overall": overall, "overall_sd": overall_sd, "lift": lift, "nats": nats}
    return {key: np.broadcast_to(array, (1, value.size)) for key, array in given.items()}


def _word_table(density: Density, overall: Density, table: FeatureTable, order: np.ndarray) -> pd.DataFrame:
    p, q = density.mean().T[:, order], overall.mean().T
    statistics = {"value": p, "overall": np.broadcast_to(q, p.shape), "lift": p / q, "nats": _divergence(p, q)}
    statistics |= dict.fromkeys(("sd", "overall_sd"), np.full(p.shape, np.nan))
    words = _statistics_table(statistics, "", WORD, [""] * len(p))
    return words.assign(column=np.tile(table.column_names, order.size))


def _divergence(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return p ln(p / q) - p + q, which is never below 0; q > 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log(p / q), 0.0) - p + q


_STATISTICS = {GAUSSIAN: _normal, POISSON: _counts, BERNOULLI: _binary, DISCRETE: _categories}


def agreement(model: FeatureModel, labels: np.ndarray) -> dict[str, float]:
    """Return how far clusters, the main components of rows, agree with labels.

    Parameters
    ----------
    model : FeatureModel
        Fitted.
    labels : array (F,)
        The label of each row; None, NaN or "" where there is none.

    Returns
    -------
    dict
        rows (that have a label), micro_precision and largest_label (the share of the commonest
        label, which a single component has), mutual_information and entropy (of labels) in nats,
        and adjusted (mutual information, 0 on average for labels dealt at random, 1 if each tells
        the other).

    Raises
    ------
    DataError
        If there is not one label per row, or none at all.
    """
    from sklearn.metrics import adjusted_mutual_info_score  # which few need, and takes a second

    from nbmf.families.mixed_membership.membership_evaluation import micro_precision, mutual_information

    labels, clusters = texts_of_labels(labels), model.clusters_
    if labels.shape != clusters.shape:
        raise DataError(f"labels: {labels.size} given for {clusters.size} rows")
    has = labels != ""
    if not has.any():
        raise DataError("labels: no row has one")
    labels, clusters = labels[has], clusters[has]
    shares = np.unique(labels, return_counts=True)[1] / labels.size
    return {
        "rows": int(labels.size),
        "micro_precision": micro_precision(clusters, labels),
        "largest_label": float(shares.max()),
        "mutual_information": mutual_information(clusters, labels),
        "entropy": float(-(shares * np.log(shares)).sum()),
        "adjusted": float(adjusted_mutual_info_score(labels, clusters)),
    }


def by_label(model: FeatureModel, labels: np.ndarray) -> pd.DataFrame:
    """Return how many rows of each label have each main component, labels by their size.

    Returns
    -------
    DataFrame
        Index: labels; columns: numbers of components from 1.
    """
    rank = np.empty(model.memberships_.shape[1], int)
    rank[order_of_components(model)] = np.arange(rank.size)
    counts = pd.crosstab(texts_of_labels(labels), rank[model.clusters_] + 1)
    counts = counts.reindex(columns=range(1, rank.size + 1), fill_value=0)
    counts = counts.loc[counts.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    counts.index.name, counts.columns.name = "label", "component"
    return counts
