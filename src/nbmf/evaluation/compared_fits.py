"""The fits of a comparison: several at a time, each of which becomes a row of scores."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.errors import NbmfError, PoorFitWarning
from nbmf.fit_key import FitKey
from nbmf.fits import FitRequest, run_fit
from nbmf.inference.parallel import run_in_threads

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


def run_all(
    fits: list[ComparedFit], run: Callable[[ComparedFit], dict], n_jobs: int
) -> Iterator[tuple[ComparedFit, dict]]:
    """Yield each fit and its row as it is done, `n_jobs` at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorFitWarning)  # the scores say it
        for number, row in run_in_threads([partial(run, fit) for fit in fits], n_jobs):
            yield fits[number], row


def outcome(matrix: NamedMatrix, mask: np.ndarray, entry: Mapping[str, Any], key: dict[str, Any]) -> dict[str, Any]:
    """Return FACTS about one fit; where it fails, only its status, which says why."""
    try:
        stream, starts = FitKey(**key).stream(entry.get("starts_as")), entry.get("starts", 1)
        request = FitRequest(entry["class"], key["K"], entry["settings"], stream, starts=starts)
        report = run_fit(matrix, mask, request, log=_nothing).report
    except NbmfError as error:
        return gap(str(error))
    except Exception as error:  # whatever it is, the other fits go on
        return gap(f"{type(error).__name__}: {error}")
    if not math.isfinite(report["perplexity"]):
        return gap("the predictions are not finite")
    report["brier"] = report["further_scores"].get("brier", math.nan)
    return {fact: report[fact] for fact in FACTS}


def _nothing(line: str) -> None:
    """Log nothing: the row says all."""


def gap(reason: str) -> dict[str, Any]:
    """Return the FACTS of a fit that has no score, and why."""
    return {**dict.fromkeys(FACTS, np.nan), "unit": None, "converged": None, "status": reason}
