"""Files that a command asks several questions about, of which each would read them anew, are parsed once."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_kept: ContextVar[dict[Hashable, Any] | None] = ContextVar("kept", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Keep what `once` reads until the end of the block; nobody may change it."""
    token = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(token)


def once(key: Hashable, read: Callable[[], Any]) -> Any:
    """Return what `read` returns, within a block of `reading_once` what it returned for the key before."""
    kept = _kept.get()
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    return kept[key]
