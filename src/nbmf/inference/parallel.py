"""Several fits at a time, each in a thread: compiled code and linear algebra release the interpreter's lock.

Six methods, two masks of 500 x 100 entries, two cores: 25.4 s one at a time, 13.4 in two threads, 15.0 in two
processes, of which starting them took 2.8.
"""

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.errors import HeldBack, hold_back_warnings, warn
from nbmf.numerics.blas import one_blas_thread
from nbmf.numerics.processors import processors

if TYPE_CHECKING:
    from nbmf.inference.estimator import Factorization

_thread = threading.local()  # its `group` is that of the fit that the thread runs


class Stopped(Exception):
    """Another fit of the group failed, or a person interrupted: this one has no purpose any more."""


class _Group:
    """Fits that end together; those that a fit of another group makes end with that one too."""

    def __init__(self):
        self._stop = threading.Event()
        self._outer = getattr(_thread, "group", None)

    @property
    def is_stopped(self) -> bool:
        return self._stop.is_set() or (self._outer is not None and self._outer.is_stopped)

    def stop(self) -> None:
        self._stop.set()

    def run(self, job: Callable[[], Any]) -> tuple[Any, HeldBack]:
        """Run a job in this thread as one of the group; return its result and its warnings."""
        _thread.group = self
        raise_if_stopped()
        with hold_back_warnings() as collected:
            return job(), collected


def raise_if_stopped() -> None:
    """End the fit of this thread if those that it runs with are to end.

    Raises
    ------
    Stopped
        If they are.
    """
    group = getattr(_thread, "group", None)
    if group is not None and group.is_stopped:
        raise Stopped


def run_in_threads(jobs: Sequence[Callable[[], Any]], n_jobs: int) -> Iterator[tuple[int, Any]]:
    """Yield the number of each job and its result as it is done, `n_jobs` at a time; a single one in this thread.

    Their warnings come from the thread that asks, which a person has called. If one fails, or the caller stops
    asking, or a person interrupts, no further one begins, and those under way end at their next `raise_if_stopped`.
    """
    if n_jobs == 1:
        for number, job in enumerate(jobs):
            yield number, job()
        return
    group = _Group()
    # Each fit limits BLAS to one thread and undoes that at its end, which in threads happens in any order: set around
    # them all, the limit is what each finds and leaves. So it is with filters of warnings.
    with one_blas_thread(), warnings.catch_warnings(), ThreadPoolExecutor(n_jobs, thread_name_prefix="nbmf") as pool:
        try:
            running = {pool.submit(group.run, job): number for number, job in enumerate(jobs)}
            for done in as_completed(running):
                result, collected = done.result()
                for message, category in collected:
                    warn(message, category)
                yield running[done], result
        except BaseException:
            group.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def results_of(jobs: Sequence[Callable[[], Any]], n_jobs: int) -> list[Any]:
    """Return the results of all jobs, in their order; see `run_in_threads`."""
    results = dict(run_in_threads(jobs, min(n_jobs, max(1, len(jobs)))))
    return [results[number] for number in range(len(jobs))]


def fits_at_a_time(estimators: Sequence["Factorization"], values: np.ndarray, n_jobs: int | None = None) -> int:
    """Return how many fits to a matrix run at a time: as many as there are processors, if memory allows.

    Together they need no more than the one that may take most.
    """
    most = max(estimator.memory_budget_gb for estimator in estimators)
    needed = max(estimator.memory_needed_gb(values) for estimator in estimators)
    wanted = n_jobs or processors()
    return max(1, min(wanted, int(most / needed))) if needed else wanted


@contextlib.contextmanager
def fits_on(estimator: "Factorization", threads: int) -> Iterator[None]:
    """Let an estimator take so many threads, if it takes any, which change no result; then it has what was asked."""
    asked = estimator.get_params().get("threads")
    if asked is None:
        yield
        return
    estimator.set_params(threads=threads)
    try:
        yield
    finally:
        estimator.set_params(threads=asked)


def limit_to_one_thread(estimator: "Factorization", at_a_time: int) -> "Factorization":
    """Return the estimator, or a copy with one thread where several fits run at a time; its result is the same.

    Two that take several threads each get into each other's way; some of Numba's threading layers end the process.
    """
    parameters = estimator.get_params()
    if at_a_time == 1 or parameters.get("threads", 1) == 1:
        return estimator
    return type(estimator)(**parameters | {"threads": 1})
