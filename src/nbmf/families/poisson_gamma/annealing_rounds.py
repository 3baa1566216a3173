"""Annealing there and back, slower each time, until the weights of both ways can be believed.

The weights of chains that go from the prior to the posterior average to p(V), those of chains that come back from the
posterior to 1 / p(V) (Neal 2001; Grosse, Ghahramani and Adams, "Sandwiching the marginal likelihood using
bidirectional Monte Carlo", 2015). So log p(V) is, but for chance, above the first estimate and below the second one.
Only the data's truth is an exact draw from the posterior; chains come back from where others have arrived, drawn by
their weights, and the second estimate is no bound where these weights are few.
"""

import itertools

import numpy as np
from scipy.special import softmax

from nbmf.families.poisson_gamma.annealing import Annealed, AnnealedState, temperatures_of
from nbmf.families.poisson_gamma.weights import Evidence, evidence_of_weights
from nbmf.inference.state import State


class Returning:
    """Chains from the posterior back to the prior.

    Parameters
    ----------
    run : Annealed
        Where its chains are; they are moved.
    temperatures, steps : int
        As of AnnealedState.

    Attributes
    ----------
    log_weights : float array (chains,)
        Once the chains are at β = 0 those of 1 / p(V).
    """

    def __init__(self, run: Annealed, temperatures: int, steps: int):
        self._run, self._steps = run, steps
        self._pairs = itertools.pairwise(temperatures_of(temperatures)[::-1])
        self.log_weights = np.zeros(run.chains)

    def advance(self, steps: int) -> None:
        """Go on by so many temperatures: the moves of the way there, in the reverse order."""
        run = self._run
        for beta, after in itertools.islice(self._pairs, steps):
            if beta < 1.0:
                run.move(beta, self._steps)
            self.log_weights -= (beta - after) * run.log_likelihood(run.now)

    @property
    def evidence(self) -> Evidence:
        """What the weights say about log p(V)."""
        evidence = evidence_of_weights(self.log_weights, "annealed back")
        return evidence._replace(value=-evidence.value)


class RoundsState(State):
    """Rounds of annealing there and back, each with twice as many temperatures; an iteration is a temperature.

    Parameters
    ----------
    make : function
        Of no arguments; returns new chains at the prior, Annealed.
    first : int
        Temperatures of the first round, each way.
    steps : int
        Leapfrog steps of each move.
    rng : Generator
        Draws where chains come back from.

    Attributes
    ----------
    evidence, back : Evidence or None
        What the round with the largest effective size, the smaller one of both ways, has found; None before the end
        of the first round.
    temperatures : int
        Of that round, each way.
    """

    is_dense = True

    def __init__(self, make, first: int, steps: int, rng: np.random.Generator):
        self._make, self._steps, self._rng = make, steps, rng
        self.evidence = self.back = None
        self.temperatures = 0
        self._begin(first)

    def _begin(self, temperatures: int) -> None:
        self._length, self._done = temperatures, 0
        self._run = self._make()
        self.priors = self._run.priors
        self._way_there, self._way_back = AnnealedState(self._run, temperatures, self._steps), None

    def advance(self, steps):
        """Go on by so many temperatures, of this round and the next ones."""
        while steps:
            now = self._way_there if self._done < self._length else self._way_back
            taken = min(steps, self._length - self._done % self._length)
            now.advance(taken)
            self._done += taken
            steps -= taken
            if self._done == self._length:
                self._turn()
            elif self._done == 2 * self._length:
                self._end()

    def _turn(self) -> None:
        """Let chains come back from states at β = 1, drawn by their weights."""
        run, weights = self._run, softmax(self._way_there.log_weights)
        self._arrived = self._way_there.factors(), self._way_there.expectation()
        chosen = self._rng.choice(run.chains, run.chains, p=weights)
        run.now = [logs[chosen] for logs in run.now]
        self._way_back = Returning(run, self._length, self._steps)

    def _end(self) -> None:
        """Keep the better round, and begin the next one."""
        there, back = self._way_there.evidence, self._way_back.evidence
        if min(there.effective_size, back.effective_size) > self.effective_size:
            self.evidence, self.back, self.temperatures = there, back, self._length
        self._begin(2 * self._length)

    @property
    def effective_size(self) -> float:
        """That of the best round so far, of the way that has less; 0 before there is one."""
        return 0.0 if self.evidence is None else min(self.evidence.effective_size, self.back.effective_size)

    def objective(self):
        """Return the estimate of the best round, in nats; None before there is one."""
        return None if self.evidence is None else self.evidence.value

    def factors(self):
        """Return W and H of the chain with the largest weight, of the last way to the posterior."""
        return self._arrived[0] if hasattr(self, "_arrived") else self._way_there.factors()

    def expectation(self):
        """Return E[V], averaged over the chains by their weights, of the last way to the posterior."""
        return self._arrived[1] if hasattr(self, "_arrived") else self._way_there.expectation()

    def active_components(self):
        """Return how many components have at least 1 % of Σ W H."""
        return self._way_there.active_components()


class EffectiveSizeReached:
    """Stop at the end of a round whose weights are worth enough, both ways.

    Parameters
    ----------
    state : RoundsState
    first : int
        As of the state: rounds end after 2, 6, 14, ... times as many iterations.
    size : float
    """

    parameter, is_off = "effective_size_goal", False

    def __init__(self, state: RoundsState, first: int, size: float):
        self._state, self._first, self.tolerance = state, first, size

    def next_after(self, iteration: int) -> int:
        """Return the first end of a round after `iteration`."""
        end = length = 2 * self._first
        while end <= iteration:
            length *= 2
            end += length
        return end

    def is_met(self, iteration: int) -> bool:
        """Whether to stop after `iteration`."""
        return self._state.effective_size > self.tolerance
