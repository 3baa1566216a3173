"""The fits of an experiment as one table: of several starts the one with the largest objective."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from nbmf.inference.starts import Starts
from nbmf_studies.framework.gathering import Fits, read_report, reports

INFINITE = ("perplexity", "training", "test", "sampled", "fifth_", "sampled_")  # columns with None in a report then


def tabulate_rows(fits: Fits) -> pd.DataFrame:
    """Return two rows per fit, of "training" and "test" rows.

    Returns
    -------
    DataFrame
        dataset, K, floor, smoothing, model, fold, the `measures.evaluation_measures`, CPU seconds of the fit and of the
        bounds of the test rows together, iterations, converged, distinct (components that differ) and concentration
        (Σα; of a mixture 1). Of several starts seconds are the mean, all else is of the best.
    """
    rows = []
    for columns, starts in _group_starts(fits):
        best = _best_start(starts)
        findings = best["findings"]
        facts = {
            "seconds": np.mean([report["cpu_seconds"] + report["measures"]["test_seconds"] for report in starts]),
            "iterations": best["n_iter"],
            "converged": best["converged"],
            "distinct": findings["distinct_components"],
            "concentration": findings["alpha"],
        }
        rows += [
            {**columns, "part": part, **_restore_infinite(best["measures"][part]), **facts}
            for part in ("training", "test")
        ]
    return pd.DataFrame(rows)


def tabulate_flips(fits: Fits) -> pd.DataFrame:
    """Return a row per fit, step and level: dataset, K, model, fold, step, level, flipped (entries), perplexity."""
    levels_of = [(columns, _best_start(starts)["measures"]["levels"]) for columns, starts in _group_starts(fits)]
    return pd.DataFrame([{**columns, **_restore_infinite(level)} for columns, levels in levels_of for level in levels])


def tabulate_starts(fits: Fits) -> pd.DataFrame:
    """Return a row per start.

    The columns of the case, what `measures.measure_starts` finds, and seconds: CPU, of the fit and of the bounds of its
    test rows. `sampled` is NaN of starts that are not the best so far; one_training and one_test are of one component.
    """
    rows = []
    for columns, report in reports(fits):
        single = {f"one_{part}": value for part, value in _restore_infinite(report["measures"]["one"]).items()}
        for start in report["measures"]["starts"]:
            of_fit, of_test = start.pop("fit_seconds"), start.pop("test_seconds")
            seconds = report["cpu_seconds"] if of_fit is None else of_fit
            sampled = {"sampled": np.nan} if "sampled" not in start else {}
            rows.append({**columns, **_restore_infinite(start), **sampled, "seconds": seconds + of_test, **single})
    return pd.DataFrame(rows)


def tabulate_topics(fits: Fits) -> pd.DataFrame:
    """Return a row per start.

    dataset, K, model, start, objective (nats), what `measures.measure_topics` finds, distinct (components that differ),
    seconds (CPU) and topics, the ten commonest words of each.
    """
    rows = []
    for columns, report in reports(fits):
        row = {**columns, "objective": report["objective"], **_restore_infinite(report["measures"])}
        topics = row.pop("topics")
        row |= {"distinct": report["findings"]["distinct_components"], "seconds": report["cpu_seconds"]}
        rows.append(row | {"topics": topics})
    return pd.DataFrame(rows)


def _group_starts(fits: Fits) -> Iterator[tuple[dict[str, Any], list[dict]]]:
    """Yield the columns of fits that differ in their start alone, without it, and the reports of all starts."""
    groups: dict[tuple, list[str]] = {}
    for columns, path in fits:
        key = tuple((name, value) for name, value in columns.items() if name != "start")
        groups.setdefault(key, []).append(path)
    for key, paths in groups.items():
        yield dict(key), [read_report(path) for path in paths]


def _best_start(starts: list[dict[str, Any]]) -> dict[str, Any]:
    return starts[Starts.of([report["objective"] for report in starts]).kept]


def _restore_infinite(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a report, with infinity where a perplexity is None."""
    return {name: np.inf if value is None and name.startswith(INFINITE) else value for name, value in values.items()}
