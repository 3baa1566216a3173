"""Cross-validation of the models on a table, and topics of whole collections (section 6.2)."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from nbmf.data.feature_table import FeatureTable
from nbmf.families.mixed_membership import membership_evaluation as evaluation
from nbmf.families.mixed_membership.membership_evaluation import Evaluation
from nbmf.seeds import seed_sequence
from nbmf_studies.shan2009 import models
from nbmf_studies.shan2009.models import Setting

FIFTHS = 5  # parts of a test fold by entropy (Figure 10)
BIN = 0.1  # nats, of the histograms of entropies (Figures 8 and 9)
WORDS = 10  # of a topic (Table 10)


def cross_validate(
    table: FeatureTable,
    dataset: str,
    K: int,
    names: list[str],
    smoothings: list[float],
    protocol: dict[str, Any],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit models to what each fold leaves, and evaluate them on both.

    Parameters
    ----------
    table : FeatureTable
    dataset : str
        Its name, of the random streams: folds and starts are those of all models.
    K : int
    names : list of str
        Of models.MODELS.
    smoothings : list of float
        Values of ε.
    protocol : dict
        floors, from a name to variance_floor and relative_floor; folds, so many fits of each model;
        draws, of a test row in importance sampling; starts, of each fit, the one with the largest
        objective is taken.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        Two rows per fit, of "training" and "test" rows: dataset, K, floor, smoothing, model, fold,
        what `_measured` finds, CPU seconds of the fit and of the bounds of the test rows together,
        iterations, converged, distinct (components that differ) and concentration (Σα; of a
        mixture 1).
    """
    models.warm_up(table, names)
    rows = []
    seed = seed_sequence("shan2009", "folds", dataset)
    for fold, test in enumerate(evaluation.folds(table.shape[0], protocol["folds"], seed)):
        kept = np.setdiff1d(np.arange(table.shape[0]), test)
        parts = models.without_unseen(table.take_rows(kept), table.take_rows(test))
        for floor, of_floor in protocol["floors"].items():
            for smoothing in smoothings:
                for name in names:
                    setting = Setting(name, K, smoothing, tuple(of_floor))
                    found = _both_parts(parts, setting, (dataset, K, fold), protocol)
                    key = {"dataset": dataset, "K": K, "floor": floor, "smoothing": smoothing}
                    key |= {"model": name, "fold": fold}
                    rows += [{**key, **row} for row in found]
        log(f"{dataset}, K = {K}, fold {fold}: {_told(rows, fold)}")
    return pd.DataFrame(rows)


def _told(rows: list[dict], fold: int) -> str:
    tests = [row for row in rows if row["fold"] == fold and row["part"] == "test"]
    return "; ".join(f"{row['model']} {row['perplexity']:.4g}" for row in tests)


def _both_parts(parts, setting, key, protocol) -> list[dict]:
    starts = protocol["starts"]
    training, test = (models.seen_by(setting.name, part) for part in parts)
    began = time.process_time()
    fit = models.fitted(training, setting, key, starts)
    fit.evaluate(test)
    seconds = (time.process_time() - began) / starts
    facts = {
        "seconds": seconds,
        "iterations": fit.n_iter_,
        "converged": fit.converged_,
        "distinct": fit.distinct_components_,
        "concentration": fit.prior_.sum(),
    }
    stream = seed_sequence("shan2009", "draws", *key)
    found = {
        "training": (training, _of_training(fit, training)),
        "test": (test, fit.evaluate(test, protocol["draws"], stream)),
    }
    return [{"part": part, **_measured(*of), **facts} for part, of in found.items()]


def _of_training(fit, training: FeatureTable) -> Evaluation:
    """Return what the end of a fit says of its rows: Evaluation.bounds are equal but in sum."""
    words = training.cells if "word" in training.kinds else None
    lengths = np.bincount(training.row_of_cell(), words, minlength=training.shape[0])
    bounds = np.full(training.shape[0], fit.bound_ / training.shape[0])
    return Evaluation(lengths, bounds, fit.memberships_)


def _measured(table: FeatureTable, found: Evaluation) -> dict[str, Any]:
    """Return what is known of some rows.

    perplexity, sampled : equation (37), by the bound and by importance sampling (of a mixture both
        are exact); `sampled` of test rows alone
    precision, information : micro-precision (38) and mutual information (39) in nats, with labels
    entropy : mean entropy of memberships in nats
    of test rows: fifth_1 ... fifth_5 and sampled_1 ... sampled_5, perplexities of five equal parts
        in the order of their entropies; histogram, counts of entropies in bins of 0.1
    """
    row = {"rows": len(found.memberships), "perplexity": found.perplexity}
    row["entropy"] = float(found.entropies.mean())
    if table.row_groups is not None:
        row["precision"] = evaluation.micro_precision(found.clusters, table.row_groups)
        row["information"] = evaluation.mutual_information(found.clusters, table.row_groups)
    if found.sampled is None:
        return row
    row["sampled"] = found.sampled_perplexity
    for number, lines in enumerate(np.array_split(np.argsort(found.entropies), FIFTHS), start=1):
        some = Evaluation(*(values[lines] for values in found))
        row[f"fifth_{number}"], row[f"sampled_{number}"] = some.perplexity, some.sampled_perplexity
    bins = np.bincount((found.entropies / BIN).astype(int))
    return row | {"histogram": " ".join(map(str, bins))}


def topics(
    table: FeatureTable,
    dataset: str,
    K: int,
    names: list[str],
    smoothing: float,
    protocol: dict[str, Any],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit models to a whole collection from several starts, protocol["starts"].

    Returns
    -------
    DataFrame
        A row per model and start: dataset, K, model, start, objective (nats), precision,
        information, entropy (mean of memberships in nats), distinct, seconds (CPU) and topics, the
        ten commonest words of each, with " | " between topics.
    """
    models.warm_up(table, names)
    rows = []
    for name in names:
        for start in range(protocol["starts"]):
            began = time.process_time()
            fit = models.fitted(table, Setting(name, K, smoothing), (dataset, K, "all", start), 1)
            seconds = time.process_time() - began
            row = {"dataset": dataset, "K": K, "model": name, "start": start}
            row |= {"objective": fit.objective_} | _measured(table, _of_training(fit, table))
            row |= {"distinct": fit.distinct_components_, "seconds": seconds}
            rows.append(row | {"topics": _commonest(fit.means_, table.column_names)})
            log(f"{dataset}, {name}, start {start}: {row['precision']:.4f}, {seconds:.1f} s")
    return pd.DataFrame(rows)


def _commonest(means: np.ndarray, words: np.ndarray) -> str:
    order = np.argsort(-means, axis=1, kind="stable")[:, :WORDS]
    return " | ".join(" ".join(words[top]) for top in order)
