"""What a fit reports while it runs: progress lines for its log, and traces for the figures."""

import time
from collections.abc import Callable

import numpy as np

from nbmf.methods.base import State

TRACE_POINTS = 50
SECONDS_BETWEEN_LINES = 5.0


class FitRecorder:
    """A monitor that logs iteration, rate and time left, and records traces.

    Parameters
    ----------
    total : int
        The iterations the fit may take.
    loss : function
        From E[V] to the held-out perplexity.
    log : function
        Takes a line of text.
    """

    def __init__(self, total: int, loss: Callable[[np.ndarray], float], log=print):
        self.every = max(1, total // TRACE_POINTS)
        self.trace = {"iteration": [], "perplexity": [], "objective": []}
        self._loss, self._log = loss, log
        self._started = self._last_line = time.monotonic()

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Record one point of the traces; log a line now and then."""
        self.trace["iteration"].append(iteration)
        self.trace["perplexity"].append(self._loss(state.expectation()))
        self.trace["objective"].append(state.objective())
        now = time.monotonic()
        if now - self._last_line < SECONDS_BETWEEN_LINES and iteration < total:
            return
        self._last_line = now
        rate = iteration / max(now - self._started, 1e-9)
        self._log(
            f"iteration {iteration} of {total} ({iteration / total:.0%}), {rate:.1f} per second, "
            f"{(total - iteration) / rate:.0f} s left, "
            f"held-out perplexity {self.trace['perplexity'][-1]:.4f}"
        )
