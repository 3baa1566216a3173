"""How far the work is: a bar with the time left on a terminal, a line now and then elsewhere."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BETWEEN_LINES = 10.0
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt}{postfix}"
ENOUGH = 0.1  # of the steps, to say what the others take: kernels of the first fits are compiled meanwhile
SECONDS_BETWEEN_CALLS = 0.1  # of a fit's monitor; what it does costs next to nothing


class Progress:
    """Counts steps of one piece of work, from any number of threads.

    Parameters
    ----------
    what : str
        Named before the bar.
    """

    def __init__(self, what: str):
        self._what, self._done = what, 0
        self._lock = threading.Lock()
        self._started = self._last_line = time.monotonic()
        self._first = 0  # steps that took the time of compiling as well
        self._bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(desc=what, leave=False, dynamic_ncols=True, bar_format=BAR)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, steps: int, total: int, left: float | None = None) -> None:
        """Count `steps` more of `total`, all there are if nothing stops early.

        left : float, seconds that the others will take, if the caller knows better than by the
            time of those that are done; NaN if it is not known yet
        """
        with self._lock:
            if not self._done:
                self._started, self._first = time.monotonic(), steps
            self._done += steps
            if left is None:
                left = self._left(total)
            if self._bar is not None:
                self._bar.total = total
                self._bar.set_postfix_str(_time_left(left), refresh=False)
                self._bar.update(steps)
            elif self._done > self._first and time.monotonic() - self._last_line >= SECONDS_BETWEEN_LINES:
                self._last_line = time.monotonic()
                line = f"{self._what}: {self._done} of {total} ({self._done / total:.0%})"
                print(f"{line}{_time_left(left, ', ')}", file=sys.stderr, flush=True)

    def _left(self, total: int) -> float:
        """Return the seconds left if all steps take as long as those that are done, NaN if these are too few."""
        done = self._done - self._first
        spent = time.monotonic() - self._started
        return spent * (total - self._done) / done if done and self._done >= ENOUGH * total else math.nan


def _time_left(left: float, before: str = "") -> str:
    return "" if math.isnan(left) else f"{before}{left:.0f} s left"


class StepCounter:
    """A monitor of one of several fits that reports its iterations to a Progress.

    steps : int, iterations of all the fits together, if none stops early
    """

    def __init__(self, progress: Progress, steps: int):
        self._progress, self._steps = progress, steps
        self._reported, self._stride = 0, 1
        self._last_call = time.monotonic()

    def resume(self, state) -> int:
        """Return 0: there is nothing to go on from."""
        return 0

    def next_after(self, iteration: int) -> float:
        """Return the iteration to be called at: about a tenth of a second later."""
        return iteration + self._stride

    def __call__(self, iteration: int, total: int, state) -> None:
        """Report the iterations since the last call."""
        now = time.monotonic()
        seconds = max(now - self._last_call, 1e-6)
        steps = iteration - self._reported
        self._stride = max(1, min(2 * self._stride, int(steps * SECONDS_BETWEEN_CALLS / seconds)))
        self._reported, self._last_call = iteration, now
        self._progress.advance(steps, self._steps)


def step_counters(progress: Progress, steps: float) -> Callable[..., StepCounter]:
    """Return what makes the monitor of each fit.

    It takes the number of the fit and, where `steps` are those of one fit, how many fits there are.
    """
    return lambda number, count=1: StepCounter(progress, round(count * steps))


@contextmanager
def shown_progress(what: str, steps: float) -> Iterator[Callable[..., StepCounter]]:
    """Show the progress of some fits, as `nbmf.analyze` asks for it; see `step_counters`."""
    with Progress(what) as progress:
        yield step_counters(progress, steps)
