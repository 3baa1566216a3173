"""What a fit reports while it runs: progress lines for its log, and traces for the figures."""

import bisect
import math
import time
from collections.abc import Callable

import numpy as np

from nbmf.inference.state import State

EARLY_POINTS = 30  # on a logarithmic scale, besides those that are evenly spaced
SECONDS_BETWEEN_LINES = 5.0
TRACE = ("iteration", "perplexity", "objective", "active_components")


def trace_iterations(total: int, trace_points: int) -> list[int]:
    """Return the iterations of a trace: evenly spaced ones, and the first more finely."""
    step = max(1, total // trace_points)
    early = np.geomspace(1, total, EARLY_POINTS).astype(int)
    return sorted({*early.tolist(), *range(step, total, step), total})


class FitRecorder:
    """A monitor that logs iteration, rate and time left, and records traces.

    Parameters
    ----------
    total : int
        The iterations the fit may take.
    trace_points : int
        How many evenly spaced points a trace has at least (fewer than twice as many, since they
        are a whole number of iterations apart); some early ones come on top.
    loss : function
        From the state to the perplexity.
    log : function
        Takes a line of text.
    chain_points : int
        How many evenly spaced points the traces of objective and active components have at least:
        R-hat needs more of them than a figure, and the perplexity costs most.
    observe : function, optional
        From the state to further numbers by their names, always the same ones.

    Attributes
    ----------
    trace : dict of lists
        iteration, and perplexity (NaN where only a chain needed the point), objective and
        active_components after it; where something is observed cpu_seconds and what that is, NaN at
        the same points.
    seconds_before : float
        What an interrupted fit had taken when it was saved; 0 for one that was not interrupted.
    """

    def __init__(
        self,
        total: int,
        trace_points: int,
        loss: Callable[[State], float],
        log=print,
        chain_points: int = 0,
        observe: Callable[[State], dict[str, float]] | None = None,
    ):
        self._scored = set(trace_iterations(total, trace_points))
        chain = trace_iterations(total, chain_points) if chain_points else []
        self._iterations = sorted(self._scored.union(chain))
        self.trace: dict[str, list] = {name: [] for name in TRACE}
        self._loss, self._log, self._observe = loss, log, observe
        self._started = self._last_line = time.monotonic()
        self._first, self.seconds_before = 0, 0.0
        self._cpu_before, self._cpu_since = 0.0, time.process_time()

    @property
    def seconds(self) -> float:
        """What the fit has taken so far."""
        return self.seconds_before + time.monotonic() - self._started

    @property
    def cpu_seconds(self) -> float:
        """The CPU time that the fit has taken so far, without what recording takes."""
        return self._cpu_before + time.process_time() - self._cpu_since

    def go_on_from(self, iteration: int, seconds: float, cpu_seconds: float, trace: dict[str, list]) -> None:
        """Take over what was recorded before an interruption."""
        self._first, self.seconds_before = iteration, seconds
        self._cpu_before, self._cpu_since = cpu_seconds, time.process_time()
        self.trace.update(trace)

    def resume(self, state: State) -> int:
        """Return 0: a recorder alone keeps nothing to go on from (see Checkpoint)."""
        return 0

    def next_after(self, iteration: int) -> float:
        """Return the first iteration of the trace after `iteration`, math.inf if none."""
        following = bisect.bisect_right(self._iterations, iteration)
        return self._iterations[following] if following < len(self._iterations) else math.inf

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Record one point of the traces; log a line now and then."""
        self._cpu_before = self.cpu_seconds
        self._record(iteration, total, state)
        self._cpu_since = time.process_time()

    def _record(self, iteration: int, total: int, state: State) -> None:
        is_scored = iteration in self._scored or iteration == total
        perplexity = self._loss(state) if is_scored else math.nan
        self.trace["iteration"].append(iteration)
        self.trace["perplexity"].append(perplexity)
        self.trace["objective"].append(state.objective())
        self.trace["active_components"].append(state.active_components())
        if self._observe is not None:
            self._record_observed(state, is_scored)
        now = time.monotonic()
        if now - self._last_line < SECONDS_BETWEEN_LINES and iteration < total:
            return
        self._last_line = now
        rate = (iteration - self._first) / max(now - self._started, 1e-9)
        self._log(
            f"iteration {iteration} of {total} ({iteration / total:.0%}), {rate:.1f} per second, "
            f"{(total - iteration) / rate:.0f} s left" + (f", log loss {perplexity:.4f}" if is_scored else "")
        )

    def _record_observed(self, state: State, is_scored: bool) -> None:
        """Record what is observed; the first point of a trace is always scored."""
        observed = {"cpu_seconds": self._cpu_before, **self._observe(state)} if is_scored else {}
        names = observed or [name for name in self.trace if name not in TRACE]
        for name in names:
            self.trace.setdefault(name, []).append(float(observed.get(name, math.nan)))
