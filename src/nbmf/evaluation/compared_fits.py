"""The fits of a comparison: several at a time, each of which becomes a row of scores."""

import math
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.errors import NbmfError, PoorFitWarning
from nbmf.fit_key import FitKey
from nbmf.fits import FitRequest, run_fit
from nbmf.numerics.blas import one_blas_thread

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


class Stopped(Exception):
    """The comparison was interrupted, so a fit that is under way has no purpose any more."""


def run_all(
    fits: list[ComparedFit], run: Callable[[ComparedFit, threading.Event], dict], n_jobs: int
) -> Iterator[tuple[ComparedFit, dict]]:
    """Yield each fit and its row as it is done, `n_jobs` at a time.

    Threads, since kernels and linear algebra release the interpreter's lock. Six methods, two masks
    of 500 x 100 entries, two cores: 25.4 s one at a time, 13.4 in two threads, 15.0 in two
    processes, of which starting them took 2.8.

    The limit of one BLAS thread is set here for all of them: set by each fit alone, one that ends
    would lift it for the others and change their rounding.
    """
    stop = threading.Event()
    executor = ThreadPoolExecutor(n_jobs, thread_name_prefix="nbmf-compare")
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorFitWarning)  # the scores say it
        try:
            running = {executor.submit(run, fit, stop): fit for fit in fits}
            for done in as_completed(running):
                yield running[done], done.result()
        except BaseException:  # Ctrl-C above all: start nothing more, and end what can be ended
            stop.set()
            raise
        finally:
            executor.shutdown(wait=not stop.is_set(), cancel_futures=True)


def outcome(
    matrix: NamedMatrix, mask: np.ndarray, entry: Mapping[str, Any], key: dict[str, Any], stop: threading.Event
) -> dict[str, Any]:
    """Return FACTS about one fit; where it fails, only its status, which says why."""

    def log(line: str) -> None:
        if stop.is_set():
            raise Stopped

    try:
        stream, starts = FitKey(**key).stream(entry.get("starts_as")), entry.get("starts", 1)
        request = FitRequest(entry["class"], key["K"], entry["settings"], stream, starts=starts)
        report = run_fit(matrix, mask, request, log=log).report
    except NbmfError as error:
        return gap(str(error))
    except Exception as error:  # whatever it is, the other fits go on
        return gap(f"{type(error).__name__}: {error}")
    if not math.isfinite(report["perplexity"]):
        return gap("the predictions are not finite")
    report["brier"] = report["further_scores"].get("brier", math.nan)
    return {fact: report[fact] for fact in FACTS}


def gap(reason: str) -> dict[str, Any]:
    """Return the FACTS of a fit that has no score, and why."""
    return {**dict.fromkeys(FACTS, np.nan), "unit": None, "converged": None, "status": reason}
