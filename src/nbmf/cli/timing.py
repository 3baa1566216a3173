"""How long a fit will take on this machine: measured on a part of the matrix."""

import time
import warnings
from typing import Any

import numpy as np

from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.data.named import NamedMatrix
from nbmf.errors import PoorFitWarning
from nbmf.inference.estimator import Factorization

ENTRIES = 300_000  # observed entries of the part
# Iterations of the two fits whose difference is timed; first sweeps of a sampler are slow.
SHORT, LONG = 10, 30
SHORT_CHAIN, LONG_CHAIN = 60, 100


def seconds_of_fit(method: str, matrix: NamedMatrix) -> float:
    """Return about how many seconds one fit of a method takes, with its settings of methods.yaml.

    Some rows, with all of their columns, are fitted twice with few iterations: the difference is
    the time of iterations, the rest that of starting. Both grow with the observed entries.
    """
    entry = METHODS[method]
    codes, ratio = _part(matrix)

    def timed(iterations: int) -> float:
        before = max(1, iterations // 2)
        lengths = registry.length_settings(entry["class"], before, iterations - before)
        settings = {**entry["settings"], **lengths}
        made = registry.make_estimator(entry["class"], entry["K"][0], settings, 0)
        return _fit_time(made, codes)

    few, many = (SHORT, LONG)
    if registry.is_sampler(entry["class"]):
        few, many = SHORT_CHAIN, LONG_CHAIN
    timed(2)  # loads the kernels
    short, long = timed(few), timed(many)
    of_iteration = max(long - short, 0.0) / (many - few)
    start = max(short - few * of_iteration, 0.0)
    whole = registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])
    return ratio * (start + whole.n_iterations * of_iteration)


def told(seconds: float) -> str:
    """Return a time as a person would say it."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _part(matrix: NamedMatrix) -> tuple[Any, float]:
    """Return about ENTRIES entries in whole rows, and how many times as many there are.

    Entries that a fit visits: the observed ones, of a sparse matrix the ones.
    """
    is_whole = matrix.dense is None
    visited = matrix.observed_along(1) if is_whole else matrix.ones_along(1)
    order = np.random.default_rng(0).permutation(len(visited))
    count = int(np.searchsorted(np.cumsum(visited[order]), ENTRIES)) + 1
    rows = np.sort(order[:count])
    values = getattr(matrix, matrix.field) if is_whole else matrix.values.above_zero
    return values[rows], float(visited.sum() / max(visited[rows].sum(), 1))


def _fit_time(estimator: Factorization, codes: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorFitWarning)
        started = time.process_time()  # of one thread: what else runs does not count
        estimator.fit(codes)
        return time.process_time() - started
