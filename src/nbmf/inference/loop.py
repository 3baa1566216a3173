"""The one loop of all methods: advance, observe, checkpoint, stop."""

import time
from typing import NamedTuple, Protocol

from nbmf.inference.parallel import raise_if_stopped
from nbmf.inference.state import Monitor, State, require_monitor

MOMENT = 0.5  # seconds of compiled work at most, about, between two moments at which a signal is heard


class StoppingRule(Protocol):
    """Says when a fit is done; nbmf.inference.stopping has them all.

    parameter : str, the name of the estimator's parameter with its tolerance
    tolerance : float, what the parameter is
    is_off : bool, whether the fit is to go on to its last iteration, which most rules mean by a tolerance of 0
    """

    parameter: str
    tolerance: float
    is_off: bool

    def next_after(self, iteration: int) -> int:
        """Return the first iteration after `iteration` to be asked at."""

    def is_met(self, iteration: int) -> bool:
        """Whether to stop after `iteration`; False at those it did not ask for."""


class Outcome(NamedTuple):
    """How a fit ended.

    n_iter : int, the iterations that were done
    converged : bool, whether the stopping rule was met; None where there is none, or it is off
    """

    n_iter: int
    converged: bool | None


class Pace:
    """Advances a state in pieces of about a MOMENT: Ctrl-C is heard between two calls of compiled code, not within one,
    and so is the end of fits that run together.

    The pieces depend on the clock, the result does not: a state advances by 2 + 3 iterations as it does by 5.
    """

    def __init__(self):
        self._piece = 1

    def advance(self, state: State, steps: int) -> None:
        """Advance by so many iterations."""
        while steps > 0:
            raise_if_stopped()
            piece = min(self._piece, steps)
            started = time.perf_counter()
            state.advance(piece)
            seconds = time.perf_counter() - started
            steps -= piece
            if seconds * 2 < MOMENT * piece / self._piece:
                self._piece *= 2
            elif seconds > MOMENT:
                self._piece = max(1, int(piece * MOMENT / seconds))


def run(state: State, total: int, monitor: Monitor | None = None, rule: StoppingRule | None = None) -> Outcome:
    """Advance `state` by `total` iterations, fewer if the rule is met.

    It goes on where the monitor says that an interrupted fit was. The monitor is called when it
    asks to be, and after the last of all iterations, which is the one at which the rule is met.

    Raises
    ------
    ConfigError
        If the monitor is none.
    """
    require_monitor(monitor)
    if rule is not None and rule.is_off:
        rule = None
    done = monitor.resume(state) if monitor is not None and state.resumable else 0
    pace, is_met = Pace(), False
    while done < total and not is_met:
        called_at = total if monitor is None else monitor.next_after(done)
        asked_at = total if rule is None else rule.next_after(done)
        stop = int(min(called_at, asked_at, total))
        pace.advance(state, stop - done)
        done = stop
        is_met = rule is not None and rule.is_met(done)
        if is_met:
            total = done
        if monitor is not None and done in (called_at, total):
            monitor(done, total, state)
    return Outcome(done, None if rule is None else is_met)
