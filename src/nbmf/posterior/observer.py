"""A monitor that observes a fit alongside another monitor and saves its observations with a checkpoint."""

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from nbmf.errors import DataError
from nbmf.inference.state import Monitor, State, require_monitor


class Kept(Protocol):
    """What the looks record, which a checkpoint has to hold besides the state."""

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all that was kept so far, by names that no state has."""

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot; KeyError if it holds nothing of the kind."""


class Observer:
    """A monitor that looks at the state after some iterations, and lets another one do its own.

    Parameters
    ----------
    looks : list of (iterations, function)
        Increasing iterations, and what to call after each: with its number among them, from 0,
        and the state.
    monitor : Monitor, optional
        It is called when it would be called alone.
    kept : list of Kept
        What the looks fill, for a checkpoint of `monitor`'s to keep.

    Attributes
    ----------
    state : State
        The one seen last.
    """

    def __init__(
        self,
        looks: Sequence[tuple[Sequence[int], Callable[[int, State], None]]],
        monitor: Monitor | None,
        kept: Sequence[Kept] = (),
    ):
        require_monitor(monitor)
        self._looks, self._monitor, self._kept = looks, monitor, kept
        self._due = 0  # the iteration that the monitor asked for
        self._skipped = None
        self.state = None

    def resume(self, state: State) -> int:
        """Let the monitor put back the state of an interrupted chain, with what was looked at."""
        return 0 if self._monitor is None else self._monitor.resume(self._with_kept(state))

    def next_after(self, iteration: int) -> float:
        """Return the first iteration after `iteration` that anyone asks for."""
        if self._monitor is None:
            self._due = math.inf
        elif self._due <= iteration:  # it was called there: only then it is asked again
            self._due = self._monitor.next_after(iteration)
        asked = [self._due]
        for iterations, _ in self._looks:
            index = bisect.bisect_right(iterations, iteration)
            asked.append(iterations[index] if index < len(iterations) else math.inf)
        return min(asked)

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Look, if it is time to; call the monitor, if it asked to be or this is the end."""
        self.state = state
        looked = False
        for iterations, look in self._looks:
            index = bisect.bisect_left(iterations, iteration)
            if index < len(iterations) and iterations[index] == iteration:
                look(index, state)
                looked = True
        if self._monitor is None:
            return
        call = iteration, total, self._with_kept(state)
        is_end = iteration == total or not looked  # nobody asked: the fit has converged
        is_its_turn = is_end or iteration == self._due
        self._skipped = None if is_its_turn else call
        if is_its_turn:
            self._monitor(*call)

    def finish(self) -> None:
        """After the fit, notify the monitor of its end if that coincided with a look."""
        if self._skipped is not None:
            self._monitor(*self._skipped)

    def _with_kept(self, state: State) -> "State | _Observed":
        return _Observed(state, self._kept) if self._kept else state


class _Observed:
    """A state that has more to be saved."""

    def __init__(self, state, kept):
        self._state, self._kept = state, kept

    def __getattr__(self, name):
        return getattr(self._state, name)

    def snapshot(self):
        together = self._state.snapshot()
        for one in self._kept:
            together = together | one.snapshot()
        return together

    def restore(self, snapshot):
        try:
            for one in self._kept:
                one.restore(snapshot)
        except KeyError as error:
            raise DataError(
                f"the checkpoint was made by a fit that kept other things: {error} is not in it; "
                "remove it, or ask for the same draws"
            ) from error
        self._state.restore(snapshot)
