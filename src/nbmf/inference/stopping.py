"""When a fit is done: one class per rule, each with a parameter of its own name, the same in every class that has it.

| parameter             | the fit stops when                                                                          |
|-----------------------|---------------------------------------------------------------------------------------------|
| `mean_change_tol`     | E[V] changes by less in 10 iterations, on average over its entries, and no more than before |
| `relative_gain_tol`   | 10 iterations raise the objective by less than this part of it                              |
| `relative_change_tol` | an iteration moves the objective by less than this part of it                               |
| `bound_gain_tol`      | 20 iterations raise the bound by less, in nats per observed entry                           |
| `deviance_gain_tol`   | an iteration lowers the mean deviance by less, in nats per observed entry                   |

All look at what costs about an iteration to compute, so they look at every few iterations only.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from nbmf.errors import Message, NotConvergedWarning, Setting, warn
from nbmf.inference.loop import StoppingRule


class Periodic(ABC):
    """A rule that is asked every so many iterations.

    Parameters
    ----------
    tolerance : float
    after : int
        Iterations before which it does not ask to look.

    Attributes
    ----------
    parameter : str
        The name of the estimator's parameter that has the tolerance.
    every : int
        Iterations between two looks.
    """

    parameter: ClassVar[str]
    every: ClassVar[int]

    def __init__(self, tolerance: float, after: int = 0):
        self.tolerance, self._after = tolerance, after

    @property
    def is_off(self) -> bool:
        """Whether it never stops a fit: with a tolerance of 0."""
        return self.tolerance == 0

    def next_after(self, iteration: int) -> int:
        """Return the first iteration after `iteration` to be asked at."""
        return (max(iteration, self._after) // self.every + 1) * self.every

    def is_met(self, iteration: int) -> bool:
        """Whether to stop after `iteration`; it looks only at those that it asks for, wherever a monitor stops."""
        return iteration > self._after and iteration % self.every == 0 and bool(self._look(iteration))

    @abstractmethod
    def _look(self, iteration: int) -> bool:
        """Compare with the last look."""


class MeanChangeBelow(Periodic):
    """Stop when the mean absolute change of E[V] is small, and no larger than the one before.

    Parameters
    ----------
    expectation : function
        Of no arguments, returns E[V], float array (F, N).
    tolerance : float
    """

    parameter, every = "mean_change_tol", 10

    def __init__(self, expectation: Callable[[], np.ndarray], tolerance: float):
        super().__init__(tolerance)
        self._expectation, self._before, self._changes = expectation, None, []

    def _look(self, iteration):
        now, before = self._expectation(), self._before
        self._before = now
        if before is None:
            return False
        self._changes.append(np.abs(now - before).mean())
        return has_converged(self._changes, self.tolerance)


def has_converged(changes: list[float], tolerance: float) -> bool:
    """Whether the last mean change of E[V] is below the tolerance, and no larger than the one before.

    On a sparse matrix E[V] hardly moves at first: a random start is near a saddle, and changes
    grow before they shrink.
    """
    return len(changes) > 1 and bool(changes[-1] < tolerance and changes[-1] <= changes[-2])


class RelativeGainBelow(Periodic):
    """Stop when the objective has grown by less than a part of itself since the last look.

    Parameters
    ----------
    objective : function
        Of no arguments, returns it in nats.
    tolerance : float
    after : int
        Iterations before which it does not ask to look.
    """

    parameter, every = "relative_gain_tol", 10

    def __init__(self, objective: Callable[[], float], tolerance: float, after: int = 0):
        super().__init__(tolerance, after)
        self._objective, self._before = objective, None

    def _look(self, iteration):
        now, before = self._objective(), self._before
        self._before = now
        return before is not None and now - before < self.tolerance * abs(now)


class RecordsChange(Protocol):
    """A state that compares its own objective every RelativeChangeBelow.every iterations.

    relative_change : float, (objective now - at the last look) / iterations between / |objective now|
    may_stop : bool, whether nothing is to come that could hide a rise
    """

    relative_change: float
    may_stop: bool


class RelativeChangeBelow(Periodic):
    """Stop when the objective moves by less than a part of itself in an iteration.

    Parameters
    ----------
    state : RecordsChange
    tolerance : float
    """

    parameter, every = "relative_change_tol", 5

    def __init__(self, state: RecordsChange, tolerance: float):
        super().__init__(tolerance)
        self._state = state

    def _look(self, iteration):
        return abs(self._state.relative_change) < self.tolerance and self._state.may_stop


class BoundGainBelow(Periodic):
    """Stop when the bound has grown by less than so many nats per observed entry since the last look.

    Parameters
    ----------
    bound : function
        Of no arguments, returns it in nats.
    tolerance : float
        In nats per observed entry.
    n_observed : int
    after : int
        Iterations before which it does not ask to look.
    """

    parameter, every = "bound_gain_tol", 20

    def __init__(self, bound: Callable[[], float], tolerance: float, n_observed: int, after: int = 0):
        super().__init__(tolerance, after)
        self._bound, self._least, self._before = bound, tolerance * n_observed, -np.inf

    def _look(self, iteration):
        now, before = self._bound(), self._before
        self._before = now
        return now - before < self._least


class DevianceGainBelow(Periodic):
    """Stop when an iteration lowers the mean deviance by less than so many nats per observed entry.

    Parameters
    ----------
    gain : function
        Of no arguments, returns by how much the last iteration has lowered it.
    tolerance : float
        In nats per observed entry.
    at_least : int
        Iterations that are done in any case: the deviance of the first may stand still.
    """

    parameter, every = "deviance_gain_tol", 1
    is_off = False  # with a tolerance of 0 it still stops where the deviance rises

    def __init__(self, gain: Callable[[], float], tolerance: float, at_least: int):
        super().__init__(tolerance)
        self._gain, self._at_least = gain, at_least

    def _look(self, iteration):
        return iteration >= self._at_least and self._gain() < self.tolerance


def warn_of_no_convergence(name: str, rule: StoppingRule, max_iter: int) -> None:
    """Warn that a fit ran out of iterations; not if the tolerance is 0."""
    if rule.tolerance > 0:
        message = Message(
            f"{name} had not converged after ",
            Setting("max_iter", max_iter),
            " iterations, by ",
            Setting(rule.parameter, rule.tolerance),
            ": raise ",
            Setting("max_iter"),
            ", or ",
            Setting(rule.parameter),
            " if that is near enough",
        )
        warn(message, NotConvergedWarning)
