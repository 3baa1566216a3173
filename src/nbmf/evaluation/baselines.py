"""Predictions that use no component: what a method has to beat."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from nbmf.baseline_names import BASELINES, BASELINES_OF_CATEGORIES, BASELINES_OF_COUNTS, OVERDISPERSED_BASELINES
from nbmf.data.matrix import MISSING
from nbmf.data.named import NamedMatrix
from nbmf.evaluation import category_baselines, count_baselines
from nbmf.evaluation.effects import row_and_column_effects
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.likelihoods.ordered import ORDERED
from nbmf.likelihoods.poisson import POISSON

# A method is compared with the baselines of its own likelihood: what another distribution explains is
# no structure.
BASELINES_BY_LIKELIHOOD = {
    BERNOULLI: BASELINES,
    POISSON: BASELINES_OF_COUNTS,
    NEGATIVE_BINOMIAL: OVERDISPERSED_BASELINES,
    ORDERED: BASELINES_OF_CATEGORIES,
}
SAMPLE_BASELINES = {"popularity": "row and column popularity"}  # nbmf.evaluation.sampled_entries
LABELS = BASELINES | BASELINES_OF_COUNTS | OVERDISPERSED_BASELINES | BASELINES_OF_CATEGORIES | SAMPLE_BASELINES
# Of these, those that predict rows differently.
OF_ROWS = (
    "row-proportions",
    "effects",
    "row-means",
    "rates",
    "shrunken-rates",
    "rates-nb",
    "effects-nb",
    "row-frequencies",
    "popularity",
)
AXES = {"overall-proportion": None, "column-proportions": 0, "row-proportions": 1}  # that proportions are taken along
AXES_OF_MEANS = {"column-means": 0, "row-means": 1}
AXES_OF_FREQUENCIES = {"overall-frequencies": None, "column-frequencies": 0, "row-frequencies": 1}
NB, EFFECTS_NB = "-nb", "effects-nb"  # the end of a name: with a size per column
COLUMN_EFFECTS = "column-effects"

Prediction = np.ndarray | tuple[np.ndarray, np.ndarray] | Callable[[np.ndarray, np.ndarray], Any]


def baselines_of(likelihood: Likelihood) -> dict[str, str]:
    """Return the baselines that are scored by a likelihood, and what they predict; {} if it has none."""
    return BASELINES_BY_LIKELIHOOD.get(likelihood, {})


def comparison_baselines(matrix: NamedMatrix, likelihoods: Iterable[Likelihood]) -> dict[str, str]:
    """Return the baselines that methods are compared with: those of the matrix's simplest likelihood and of theirs."""
    first = next((likelihood for likelihood in BASELINES_BY_LIKELIHOOD if likelihood.matrix is type(matrix)), None)
    used = dict.fromkeys([first, *likelihoods])
    return {name: label for likelihood in used for name, label in BASELINES_BY_LIKELIHOOD.get(likelihood, {}).items()}


def predict_baseline(name: str, values: np.ndarray, largest: int | None = None) -> Prediction:
    """Return what a baseline predicts, as the likelihood scores it: float arrays (F, N), of categories (F, N, C).

    Or a function of rows and columns that gives it for some entries; `take_entries` takes either.

    Of binary matrices P(v = 1): a share is (ones + 1) / (entries + 2), the posterior mean under a
    uniform prior: never 0 or 1. Effects are those of `nbmf.evaluation.effects`. Of counts E[v], and
    of those that are overdispersed E[v] and a size: see `nbmf.evaluation.count_baselines`. Of ordered
    categories the probability of each: see `frequencies_of_categories` and
    `nbmf.evaluation.category_baselines`.

    Parameters
    ----------
    name : str
        One of LABELS.
    values : int array (F, N)
        Zeros and ones, counts or categories, -1 where missing or held out.
    largest : int, optional
        The highest category of the whole matrix, of which `values` may be a part; default: that of `values`.
    """
    if name in BASELINES:
        return _probability(name, values)
    if name in AXES_OF_FREQUENCIES:
        return frequencies_of_categories(values, AXES_OF_FREQUENCIES[name], largest)
    if name == COLUMN_EFFECTS:
        return category_baselines.column_effects(values, _count_categories(values, largest))
    if name == EFFECTS_NB:
        return count_baselines.effects(values)
    if name.endswith(NB):
        return count_baselines.fit_sizes(values, predict_baseline(name.removesuffix(NB), values))
    if name in AXES_OF_MEANS:
        return count_baselines.means(values, AXES_OF_MEANS[name])
    of_all = {"rates": count_baselines.shares, "shrunken-rates": count_baselines.shrunken_shares}
    return ({"overall-mean": count_baselines.overall} | of_all)[name](values)


def take_entries(predicted: Prediction, rows: np.ndarray, columns: np.ndarray) -> Any:
    """Return what a baseline predicts of some entries."""
    if callable(predicted):
        return predicted(rows, columns)
    if isinstance(predicted, tuple):
        return tuple(part[rows, columns] for part in predicted)
    return predicted[rows, columns]


def _probability(name: str, codes: np.ndarray) -> np.ndarray:
    if name == "effects":
        return row_and_column_effects(codes)
    axis = AXES[name]
    ones = (codes == 1).sum(axis=axis, keepdims=True)
    share = (ones + 1) / ((codes != MISSING).sum(axis=axis, keepdims=True) + 2)
    return np.broadcast_to(share, codes.shape)


def frequencies_of_categories(ranks: np.ndarray, axis: int | None, largest: int | None = None) -> np.ndarray:
    """Return (entries of the category + 1) / (entries + C), of columns (axis 0), rows (axis 1) or all (None).

    So are ordered categories predicted without components. That is the posterior mean under a uniform prior of the C
    categories up to the largest one: none is 0.

    Parameters
    ----------
    ranks : int array (F, N)
        -1 where missing or held out.
    largest : int, optional
        The largest category, which may be held out everywhere; default: the largest one observed.

    Returns
    -------
    float array (F, N, C)
    """
    C = _count_categories(ranks, largest)
    counts = np.stack([(ranks == c).sum(axis=axis, keepdims=True) for c in range(C)], axis=-1) + 1.0
    return np.broadcast_to(counts / counts.sum(axis=-1, keepdims=True), (*ranks.shape, C))


def _count_categories(ranks: np.ndarray, largest: int | None) -> int:
    return max(int(ranks.max() if largest is None else largest) + 1, 2)


def baseline_score(name: str, matrix: NamedMatrix, mask: np.ndarray) -> dict[str, Any]:
    """Score what a baseline, given the other entries, predicts of the held-out ones.

    Parameters
    ----------
    name : str
        One of LABELS.
    mask : bool array (F, N)
        The held-out entries.

    Returns
    -------
    dict
        n_test (int, held-out entries), perplexity (nats per held-out entry) and brier, which is NaN
        of counts and of categories.
    """
    likelihood = next(likelihood for likelihood, names in BASELINES_BY_LIKELIHOOD.items() if name in names)
    values = likelihood.values_of(matrix)
    loss_at = likelihood.loss_at(values, mask)
    given = take_entries(
        predict_baseline(name, likelihood.hide(values, mask), int(values.max())), loss_at.rows, loss_at.columns
    )
    loss, brier = loss_at(given), loss_at.further_scores(given).get("brier", math.nan)
    return {"n_test": loss.entries, "perplexity": loss.perplexity, "brier": brier}


def tabulate(masked: list) -> pd.DataFrame:
    """Return the scores of every baseline for matrices with masks.

    Parameters
    ----------
    masked : iterable of what has the attributes dataset, number, matrix and mask

    Returns
    -------
    DataFrame
        dataset, baseline, label (what it is), mask, n_test and n_train (held-out entries and the
        others that are observed), perplexity (nats per held-out entry) and brier.
    """
    rows = []
    for case in masked:
        n_observed = np.count_nonzero(case.matrix.observed)
        for name, label in comparison_baselines(case.matrix, ()).items():
            score = baseline_score(name, case.matrix, case.mask)
            key = {"dataset": case.dataset, "baseline": name, "label": label, "mask": case.number}
            rows.append({**key, **score, "n_train": n_observed - score["n_test"]})
    columns = ["dataset", "baseline", "label", "mask", "n_test", "n_train", "perplexity", "brier"]
    return pd.DataFrame(rows, columns=columns)
