"""The fits of a comparison: several at a time, each of which becomes a row of scores."""

import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.errors import NbmfError, PoorFitWarning
from nbmf.evaluation.tie_scores import are_ties, score_of_ties
from nbmf.fit_key import FitKey
from nbmf.fits import FitRequest, run_fit
from nbmf.inference.parallel import run_in_threads
from nbmf.likelihoods.bernoulli import Bernoulli

FACTS = (
    "n_test",
    "perplexity",
    "brier",
    "unit",
    "saturated",
    "seconds",
    "n_iter",
    "converged",
    "active_components",
    "status",
)


class ComparedFit(NamedTuple):
    """One fit of a comparison."""

    method: str
    K: int
    mask: int


class FitDone(NamedTuple):
    """A fit that has ended; its text is a line for a person.

    number, total : int, how many are done, and how many there are
    row : dict, its row of the scores
    label : str, of the method
    """

    number: int
    total: int
    row: dict[str, Any]
    label: str

    def __str__(self) -> str:
        row = self.row
        which = f"{self.number} of {self.total}: {self.label}, K = {row['K']}, mask {row['mask']}"
        if math.isnan(row["perplexity"]):
            return f"{which}: failed: {row['status']}"
        return f"{which}: {row['perplexity']:.4f} ({row['seconds']:.1f} s)"


def score_fits(
    fits: list[ComparedFit],
    run: Callable[[ComparedFit, dict[str, Any]], dict[str, Any]],
    labels: Mapping[str, str],
    name: str,
    seed: int,
    n_jobs: int,
    log: Callable[[FitDone], object] | None,
    gap: Callable[[str], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return a row per fit: its key, the arguments of a FitKey, and what `run` returns of the fit and that key.

    Of a fit that fails it has what `gap` returns of the reason. `labels` names methods for a person; the other
    arguments are those of `nbmf.compare`.
    """

    def row_of(fit: ComparedFit) -> dict[str, Any]:
        key = {"dataset": name, **fit._asdict(), "seed": seed}
        try:
            return key | run(fit, key)
        except NbmfError as error:
            return key | gap(str(error))
        except Exception as error:  # whatever it is, the other fits go on
            return key | gap(f"{type(error).__name__}: {error}")

    rows = {}
    # Mask after mask, so that what an interrupted comparison has is comparable.
    by_mask = sorted(fits, key=lambda fit: fit.mask)
    running = run_in_threads([partial(row_of, fit) for fit in by_mask], n_jobs)
    with warnings.catch_warnings(), closing(running):  # also if `log` fails
        warnings.simplefilter("ignore", PoorFitWarning)  # the scores say it
        for number, row in running:
            rows[by_mask[number]] = row
            if log is not None:
                log(FitDone(len(rows), len(fits), row, labels[row["method"]]))
    return [rows[fit] for fit in fits]


def score_fit(matrix: NamedMatrix, mask: np.ndarray, entry: Mapping[str, Any], key: dict[str, Any]) -> dict[str, Any]:
    """Fit a method to what a mask leaves, and return FACTS about the fit."""
    stream, starts = FitKey(**key).stream(entry.get("starts_as")), entry.get("starts", 1)
    request = FitRequest(entry["class"], key["K"], entry["settings"], stream, starts=starts)
    report, estimator = run_fit(matrix, mask, request, log=_discard)
    if not math.isfinite(report["perplexity"]):
        return missing_facts("the predictions are not finite")
    report["brier"] = report["further_scores"].get("brier", math.nan)
    if are_ties(matrix, mask) and isinstance(estimator.likelihood, Bernoulli):
        report |= score_of_ties(estimator.predictive, matrix, mask)
    return {fact: report[fact] for fact in FACTS}


def _discard(line: str) -> None:
    """Log nothing: the row says all."""


def missing_facts(reason: str) -> dict[str, Any]:
    """Return the FACTS of a fit that has no score, and why."""
    return {**dict.fromkeys(FACTS, np.nan), "unit": None, "converged": None, "status": reason}
