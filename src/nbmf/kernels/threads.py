"""Running a kernel on one thread or many; the result does not depend on how many."""

import numba


def run_with_threads(serial, parallel, threads: int, arguments: tuple) -> None:
    """Call the `serial` kernel for one thread, else the `parallel` one limited to `threads`."""
    if threads == 1:
        serial(*arguments)
        return
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
    try:
        parallel(*arguments)
    finally:
        numba.set_num_threads(before)
