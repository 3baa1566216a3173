"""When a fit that improves an objective is done."""

LOOK_EVERY = 10  # iterations: the objective costs about as much as one


class GainsLittle:
    """Stop when the objective has grown by less than `tol` of itself in LOOK_EVERY iterations.

    Not before `state.waits` iterations are over.
    """

    def __init__(self, state, tol: float):
        self._state, self._tol, self._before, self._was_met = state, tol, None, False

    def next_after(self, iteration):
        """Return the next iteration to be asked at."""
        return (max(iteration, self._state.waits) // LOOK_EVERY + 1) * LOOK_EVERY

    def is_met(self, iteration):
        """Whether to stop after `iteration`."""
        if iteration % LOOK_EVERY == 0:
            now = self._state.objective()
            if self._before is not None:
                self._was_met = now - self._before < self._tol * abs(now)
            self._before = now
        return self._was_met
