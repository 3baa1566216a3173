"""Running a kernel on one thread or many; the result does not depend on how many."""

import os

import numba

_has_threads: int | None = None  # the process in which a parallel kernel has run


def run_with_threads(serial, parallel, threads: int, arguments: tuple) -> None:
    """Call the `serial` kernel for one thread, else the `parallel` one limited to `threads`.

    A process that was forked from one with threads has none of them, and OpenMP ends it when it asks for some: there
    the serial kernel runs, which has the same result.
    """
    global _has_threads
    is_forked = _has_threads not in (None, os.getpid())
    if threads == 1 or is_forked:
        serial(*arguments)
        return
    _has_threads = os.getpid()
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        parallel(*arguments)
    finally:
        numba.set_num_threads(before)
