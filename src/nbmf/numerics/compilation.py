"""The decorator of every compiled function, and where compiled code is kept."""

import hashlib
import os
import types
from functools import cache
from pathlib import Path

import numba

from nbmf.sources import source_files


def cache_home() -> Path:
    """Return the folder of all compiled code: NUMBA_CACHE_DIR, else one in the user's cache."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or Path.home() / ".cache" / "nbmf")


@cache
def cache_directory(module: str) -> Path:
    """Return the folder of compiled code that belongs to exactly the sources of a module.

    numba notices a change of the file it compiles, but not of a helper in another file; a folder
    per state of all that the module imports does. So editing a kernel compiles what uses it anew,
    and nothing else.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in source_files(module):
        digest.update(Path(source).read_bytes())
    return cache_home() / f"{module.rpartition('.')[2]}-{digest.hexdigest()[:16]}"


def kernel(function=None, **options):
    """Compile `function` at its first call, without the GIL, and keep the machine code.

    Floating point stays strict unless an option says otherwise: a uniform number compared with a
    cumulative sum must see the same sum everywhere.
    """
    if function is None:
        return lambda function: kernel(function, **options)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_directory(function.__module__))
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    finally:
        numba.config.CACHE_DIR = previous  # other packages keep their own place


def inner_kernel(function=None, **options):
    """Compile a function that only other kernels call, and that allocates nothing.

    It is compiled without reference counting: counting each array argument at each call costs
    more than the work of one cell (Dir-Dir: 80 ns a cell with it, 18 without).
    """
    return kernel(function, _nrt=False, forceinline=True, **options)


def serial_and_parallel(function) -> tuple:
    """Compile `function` twice: with its `prange` loops on one thread, and on many.

    numba files machine code by the name and place of a function, not by its options, so the
    parallel version needs a name of its own: otherwise the one compiled first serves for both.

    What a `prange` loop writes to an array of a named tuple it has to write in an inner function:
    numba 0.68 drops the assignment `bundle.array[i] = x` there, without a word.
    """
    renamed = types.FunctionType(function.__code__, function.__globals__, f"{function.__name__}_parallel")
    renamed.__qualname__ = f"{function.__qualname__}_parallel"
    renamed.__module__ = function.__module__
    return kernel(function), kernel(renamed, parallel=True)
