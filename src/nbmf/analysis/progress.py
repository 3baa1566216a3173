"""How an analysis reports its progress: the caller provides what shows it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from nbmf.inference.state import Monitor

# From the number of a fit and, where the steps are those of one fit, how many fits there are, to its monitor.
MonitorOf = Callable[..., Monitor | None]
# From what is done and the number of its steps to a context in which it is shown.
Progress = Callable[[str, float], AbstractContextManager[MonitorOf]]


@contextmanager
def silent(what: str, steps: float) -> Iterator[MonitorOf]:
    """Show nothing."""
    yield lambda number, count=1: None
