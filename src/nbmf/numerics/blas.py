"""Matrix products on one thread."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread: rounding must not depend on the machine's load, and small products are faster so.

    A context, or a decorator as `@one_blas_thread()`.
    """
    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> ThreadpoolController:
    """Return the libraries that are loaded. To find them takes milliseconds, and imports alone bring new ones."""
    return ThreadpoolController()
