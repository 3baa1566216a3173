"""One fit of the workflow: a matrix, a held-out mask, a method with K, and what comes of them."""

import platform
import time
from importlib.metadata import version
from typing import Any

import numpy as np

from nbmf.masks import training_codes
from nbmf.matrix import BinaryMatrix
from nbmf.metrics import score, token_score
from nbmf.progress import FitRecorder
from nbmf.registry import make_estimator
from nbmf.seeds import seed_sequence


def run_fit(
    matrix: BinaryMatrix,
    mask: np.ndarray,
    *,
    class_name: str,
    K: int,
    settings: dict[str, Any],
    seed_key: list,
    threads: int = 1,
    log=print,
) -> dict[str, Any]:
    """Fit a method to the training entries and score it on the held-out ones.

    Parameters
    ----------
    matrix : BinaryMatrix
        The data.
    mask : bool array (F, N)
        The held-out entries.
    class_name, K, settings
        The method: its class, number of components and other constructor arguments.
    seed_key : list of str and int
        What the random stream belongs to, for example ["fit", "animals", "bica", 2, 0, 0].
    threads : int
        Threads of the kernels; the result does not depend on it.
    log : function
        Takes a line of text.

    Returns
    -------
    dict
        Scores, convergence facts, traces, settings and versions, ready for JSON.
    """
    estimator = make_estimator(class_name, K, settings, seed_sequence(*seed_key), threads)
    scoring = token_score if getattr(estimator, "scored_per_token", False) else score
    parameters = estimator.get_params()
    total = parameters.get("max_iter") or parameters["burn_in"] + parameters["n_samples"]
    recorder = FitRecorder(
        total, lambda expectation: scoring(matrix.codes, expectation, mask).perplexity, log
    )
    log(f"{class_name}, K = {K}, {settings}: {np.count_nonzero(mask)} entries held out")
    started = time.perf_counter()
    estimator.fit(training_codes(matrix, mask), monitor=recorder)
    seconds = time.perf_counter() - started
    held_out = scoring(matrix.codes, estimator.expectation_, mask)
    log(f"done in {seconds:.1f} s: held-out perplexity {held_out.perplexity:.6f}")
    return {
        "perplexity": held_out.perplexity,
        "n_test": held_out.entries,
        "saturated": held_out.saturated,
        "unit": "nats per held-out " + ("token" if scoring is token_score else "entry"),
        "seconds": seconds,
        "n_iter": estimator.n_iter_,
        "converged": estimator.converged_,
        "active_components": estimator.active_components_,
        "status": "not converged" if estimator.converged_ is False else "ok",
        "class": class_name,
        "K": K,
        "settings": settings,
        "seed_key": seed_key,
        "trace": recorder.trace,
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"python": platform.python_version(), **packages, "machine": platform.machine()}
