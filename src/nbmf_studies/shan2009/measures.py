"""What is looked at when a fit has ended: its rows, those held out, flipped entries, its topics (section 6.2).

Numbers that are not finite are None, as JSON has no others.
"""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.families.mixed_membership.membership_evaluation import Evaluation, micro_precision, mutual_information
from nbmf.families.mixed_membership.membership_parameters import MIXTURE
from nbmf.seeds import child
from nbmf_studies.shan2009.models import ModelOfSeen
from nbmf_studies.shan2009.names import BIN, FIFTHS

WORDS = 10  # of a topic (Table 10)


def measure_rows(model: ModelOfSeen, table: FeatureTable, mask: np.ndarray, *, draws: int) -> dict[str, Any]:
    """Return what a fit says about the rows that it saw, and about those that were held out.

    Parameters
    ----------
    model : ModelOfSeen
        Its random stream is that of the draws, too: models that start alike have the same.
    table : FeatureTable
    mask : bool array (F,)
        The rows that were held out.
    draws : int
        Of a test row, in importance sampling.

    Returns
    -------
    dict
        "training" and "test", as `evaluation_measures` returns them, and test_seconds: CPU seconds of the bounds of
        test rows.
    """
    training, test = (model.table_of(table.take_rows(rows)) for rows in (~mask, mask))
    evaluation, seconds = _evaluate_twice(model, test, draws)
    return {
        "training": evaluation_measures(training, training_evaluation(model, training)),
        "test": evaluation_measures(test, evaluation),
        "test_seconds": seconds,
    }


def measure_starts(
    model: ModelOfSeen, table: FeatureTable, mask: np.ndarray, *, starts: int, draws: int
) -> dict[str, Any]:
    """Return what a fit and fits from further starts say about its rows and about those that were held out.

    Models that start alike have the same further starts, and those of fewer starts are the first of more.

    Parameters
    ----------
    model : ModelOfSeen
    table : FeatureTable
    mask : bool array (F,)
        The rows that were held out.
    starts : int
        The fit itself is the first.
    draws : int
        Of a test row, in importance sampling.

    Returns
    -------
    dict
        "starts", a list of dicts: start; objective and bound in nats; perplexities of training and test rows; sampled,
        of starts whose objective is above those of all before, as no other can be the best of so many; CPU seconds of
        the fit (None of the first: the report has them) and of the bounds of test rows; iterations; converged; distinct
        components; concentration, Σα. "one", the perplexities of training and test rows of one component.
    """
    training, rows, largest = table.take_rows(~mask), [], -np.inf
    for start in range(starts):
        began = time.process_time()
        stream = child(model.random_state, "start", start)
        fit = model if start == 0 else _refit(model, training, random_state=stream)
        seconds = time.process_time() - began if start else None
        is_best = fit.objective_ > largest
        largest = max(fit.objective_, largest)
        seen = training_evaluation(fit, fit.table_of(training)).perplexity
        rows.append({"start": start, "training": _finite(seen), "fit_seconds": seconds, **_fit_facts(fit)})
        rows[-1] |= _test_perplexities(fit, fit.table_of(table.take_rows(mask)), draws if is_best else 0)
    single = _refit(model, training, n_components=1, model=MIXTURE)
    seen = training_evaluation(single, single.table_of(training)).perplexity
    test = single.evaluate(single.table_of(table.take_rows(mask))).perplexity
    return {"starts": rows, "one": {"training": _finite(seen), "test": _finite(test)}}


def _refit(model: ModelOfSeen, training: FeatureTable, /, **changed) -> ModelOfSeen:
    with warnings.catch_warnings(action="ignore"):  # what they say is in the numbers of every start
        return type(model)(**model.get_params() | changed).fit(training)


def _fit_facts(model: ModelOfSeen) -> dict[str, Any]:
    return {
        "objective": model.objective_,
        "bound": model.bound_,
        "iterations": model.n_iter_,
        "converged": model.converged_,
        "distinct": model.distinct_components_,
        "concentration": float(model.prior_.sum()),
    }


def _evaluate_twice(model: ModelOfSeen, test: FeatureTable, draws: int) -> tuple[Evaluation, float]:
    """Return the evaluation of test rows, and the CPU seconds of a second one, when all is compiled."""
    evaluation = model.evaluate(test, draws, child(model.random_state, "draws"))
    began = time.process_time()
    model.evaluate(test)
    return evaluation, time.process_time() - began


def _test_perplexities(model: ModelOfSeen, test: FeatureTable, draws: int) -> dict[str, Any]:
    """Return the perplexities of test rows, and the CPU seconds of their bounds."""
    evaluation, seconds = _evaluate_twice(model, test, draws)
    sampled = {"sampled": _finite(evaluation.sampled_perplexity)} if draws else {}
    return {"test": _finite(evaluation.perplexity), "test_seconds": seconds, **sampled}


def measure_flips(
    model: ModelOfSeen, table: FeatureTable, mask: np.ndarray, *, steps: list[float], levels: int
) -> dict:
    """Return the perplexities of tables in which some of the held-out entries are flipped (section 6.4.2).

    Of all entries together, (X_train, X_test). Flips are nested: a level has those of the one below. Models that start
    alike have the same flips.

    Parameters
    ----------
    model : ModelOfSeen
    table : FeatureTable
        Of Bernoulli features.
    mask : bool array (F, N)
        The entries that were held out.
    steps : list of float
        Shares of the held-out entries that one level more flips.
    levels : int
        Their number, next to that without a flip.

    Returns
    -------
    dict
        "levels", a list of dicts: step, level, flipped (entries), perplexity.
    """
    held_out = np.flatnonzero(mask[table.row_of_cell(), table.columns])
    order = np.random.default_rng(child(model.random_state, "flips")).permutation(held_out)
    rows = []
    for step in steps:
        for level in range(levels + 1):
            count = round(level * step * held_out.size)
            perplexity = model.evaluate(flipped(table, order[:count])).perplexity
            rows.append({"step": step, "level": level, "flipped": count, "perplexity": _finite(perplexity)})
    return {"levels": rows}


def flipped(table: FeatureTable, places: np.ndarray) -> FeatureTable:
    """Return a table with the cells at some places flipped, 1 to 0 and 0 to 1."""
    cells = table.cells.copy()
    cells[places] = 1 - cells[places]
    return replace(table, cells=cells)


def measure_topics(model: ModelOfSeen, table: FeatureTable, mask: None) -> dict[str, Any]:
    """Return the `evaluation_measures` of a whole collection, and topics: their commonest words, " | " between them."""
    measures = evaluation_measures(table, training_evaluation(model, table))
    order = np.argsort(-model.means_, axis=1, kind="stable")[:, :WORDS]
    return measures | {"topics": " | ".join(" ".join(model.column_names_[top]) for top in order)}


def training_evaluation(model: ModelOfSeen, training: FeatureTable) -> Evaluation:
    """Return the evaluation of training rows at the end of a fit; all bounds are their mean: the sum alone is known."""
    words = training.cells if WORD in training.kinds else None
    lengths = np.bincount(training.row_of_cell(), words, minlength=training.shape[0])
    bounds = np.full(training.shape[0], model.bound_ / training.shape[0])
    return Evaluation(lengths, bounds, model.memberships_)


def evaluation_measures(table: FeatureTable, evaluation: Evaluation) -> dict[str, Any]:
    """Return the measures of an evaluation of some rows.

    perplexity, sampled : equation (37), by the bound and by importance sampling (of a mixture both
        are exact); `sampled` of test rows alone
    precision, information : micro-precision (38) and mutual information (39) in nats, with labels
    entropy : mean entropy of memberships in nats
    of test rows: fifth_1 ... fifth_5 and sampled_1 ... sampled_5, perplexities of five equal parts
        in the order of their entropies (of fewer rows some have none); histogram, counts of
        entropies in bins of 0.1
    """
    row = {"rows": len(evaluation.memberships), "perplexity": _finite(evaluation.perplexity)}
    row["entropy"] = float(evaluation.entropies.mean())
    if table.row_groups is not None:
        row["precision"] = micro_precision(evaluation.clusters, table.row_groups)
        row["information"] = mutual_information(evaluation.clusters, table.row_groups)
    if evaluation.sampled is None:
        return row
    row["sampled"] = _finite(evaluation.sampled_perplexity)
    for number, rows in enumerate(np.array_split(np.argsort(evaluation.entropies), FIFTHS), start=1):
        if not rows.size:
            break
        some = Evaluation(*(values[rows] for values in evaluation))
        row[f"fifth_{number}"] = _finite(some.perplexity)
        row[f"sampled_{number}"] = _finite(some.sampled_perplexity)
    bins = np.bincount((evaluation.entropies / BIN).astype(int))
    return row | {"histogram": " ".join(map(str, bins))}


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
