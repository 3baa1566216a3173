"""Fits that run at a time: results in their order, the same bits, and an end for all when one fails."""

import threading
import time
import warnings
from functools import partial

import numpy as np
import pytest

import nbmf
from nbmf.evaluation.verdict import choose
from nbmf.inference.parallel import Stopped, fits_at_a_time, raise_if_stopped, results_of, run_in_threads

SECONDS = 30  # until a test gives up


def until_stopped(ended, begun=None):
    """Run until the group of this thread ends, as the loop of all fits does."""
    if begun is not None:
        begun.release()
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit:
        try:
            raise_if_stopped()
        except Stopped:
            ended.append(threading.get_ident())
            raise
        time.sleep(0.005)


def fail():
    raise ZeroDivisionError


@pytest.mark.parametrize("n_jobs", [1, 2, 9])
def test_results_are_in_the_order_of_the_jobs(n_jobs):
    def job(number):
        time.sleep(0.02 * (5 - number))
        return number

    assert results_of([partial(job, number) for number in range(5)], n_jobs) == list(range(5))
    assert results_of([], n_jobs) == []


def test_one_at_a_time_runs_in_the_thread_that_asks():
    assert results_of([threading.get_ident] * 2, 1) == [threading.get_ident()] * 2
    assert threading.get_ident() not in results_of([threading.get_ident] * 2, 2)


def test_a_failure_ends_those_under_way_and_begins_no_further_one():
    ended, begun = [], []
    jobs = [partial(until_stopped, ended), fail, *[partial(begun.append, 1)] * 50]
    started = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        results_of(jobs, 2)
    assert time.monotonic() - started < SECONDS / 2
    assert len(ended) == 1
    assert len(begun) < 50


def test_whoever_stops_asking_ends_them():
    ended, begun = [], threading.Semaphore(0)
    running = run_in_threads([int, partial(until_stopped, ended, begun)], 2)
    assert next(running) == (0, 0)
    assert begun.acquire(timeout=SECONDS)
    running.close()
    assert len(ended) == 1


def test_fits_of_a_fit_end_with_its_group():
    """The inner group waits in a thread of the outer one, of which another fit fails."""
    ended, begun = [], threading.Semaphore(0)

    def failing():
        assert all(begun.acquire(timeout=SECONDS) for _ in range(2))
        fail()

    outer = [lambda: results_of([partial(until_stopped, ended, begun)] * 2, 2), failing]
    with pytest.raises(ZeroDivisionError):
        results_of(outer, 2)
    assert len(ended) == 2


def test_a_thread_that_runs_no_job_never_hears_an_end():
    with pytest.raises(ZeroDivisionError):
        results_of([fail, fail], 2)
    raise_if_stopped()


def test_filters_of_warnings_are_afterwards_as_before():
    """Fits enter and leave such contexts in any order, which in threads leaves those of another behind."""
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

    def first():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            first_is_in.set()
            assert second_is_in.wait(SECONDS)
        first_is_out.set()

    def second():
        assert first_is_in.wait(SECONDS)
        with warnings.catch_warnings():
            second_is_in.set()
            assert first_is_out.wait(SECONDS)

    before = list(warnings.filters)
    results_of([first, second], 2)
    assert warnings.filters == before


class Needs:
    def __init__(self, needed, budget):
        self.needed, self.memory_budget_gb = needed, budget

    def memory_needed_gb(self, values):
        return self.needed


@pytest.mark.parametrize(
    ("needed", "n_jobs", "expected"), [(0.0, 3, 3), (0.5, 3, 3), (1.5, 3, 2), (2.5, 3, 1), (9.0, 3, 1), (0.5, None, 7)]
)
def test_as_many_run_as_fit_into_the_memory_of_one(needed, n_jobs, expected, monkeypatch):
    monkeypatch.setattr("nbmf.inference.parallel.processors", lambda: 7)
    assert fits_at_a_time([Needs(needed, 4.0), Needs(0.0, 1.0)], np.zeros((2, 2)), n_jobs) == expected


def test_held_out_losses_are_the_same_for_any_number_at_a_time():
    rng = np.random.default_rng(0)
    V = (rng.random((30, 20)) < np.where(rng.random((30, 1)) < 0.5, 0.8, 0.2)).astype(np.int8)
    methods = [
        nbmf.BetaDirGibbs(3, burn_in=20, n_samples=20, random_state=1),
        nbmf.LogisticFactorVB(2, max_iter=20, random_state=1),
        nbmf.BinaryICA("auto", max_iter=20, random_state=1),
    ]
    one, *others = (str(choose(V, methods, n_jobs=n_jobs)) for n_jobs in (1, 2, 5))
    assert others == [one, one]


def test_fits_that_run_at_a_time_take_one_thread_each():
    """Where one runs at a time it has those that it was given."""
    threads = []

    class Recorded(nbmf.BetaDirGibbs):
        def fit(self, V, monitor=None):
            threads.append(self.threads)
            return super().fit(V, monitor=monitor)

    V = np.random.default_rng(0).integers(0, 2, (20, 10))
    method = Recorded(2, burn_in=2, n_samples=2, threads=2, random_state=0)
    for n_jobs in (2, 1):
        choose(V, [method], n_jobs=n_jobs)
    half = len(threads) // 2
    assert set(threads[:half]) == {1}
    assert set(threads[half:]) == {2}
    assert method.threads == 2


def test_an_end_is_heard_by_a_fit_without_a_monitor():
    endless = nbmf.BetaDirGibbs(3, burn_in=10**9, n_samples=1, random_state=0)
    begun = threading.Event()

    def fit():
        begun.set()
        endless.fit(np.eye(20, dtype=np.int8))

    def failing():
        assert begun.wait(SECONDS)
        time.sleep(0.1)
        fail()

    with pytest.raises(ZeroDivisionError):
        results_of([fit, failing], 2)
