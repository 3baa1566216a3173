"""BLAS on one thread."""

import subprocess
import sys

from blas_threads import blas_threads
from threadpoolctl import threadpool_limits

from nbmf.numerics.blas import one_blas_thread

LATE = """
import numpy
from threadpoolctl import threadpool_info, threadpool_limits

from nbmf.numerics.blas import one_blas_thread

def seen():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

with one_blas_thread():
    early = len(seen())
import scipy.linalg  # brings a BLAS of its own

with threadpool_limits(2, user_api="blas"):
    with one_blas_thread():
        inside = seen()
    print(early < len(inside), set(inside), set(seen()))
"""


def test_it_is_limited_inside_alone_and_for_what_is_decorated():
    with threadpool_limits(2, user_api="blas"):
        with one_blas_thread(), one_blas_thread():
            assert blas_threads() == {1}
        assert one_blas_thread()(blas_threads)() == {1}
        assert blas_threads() == {2}


def test_a_library_that_is_loaded_later_is_limited_too():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "True {1} {2}"
