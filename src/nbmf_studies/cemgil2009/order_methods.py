"""Variational fits that go on to a stop, for Figure 4: accelerated, and from a fit with one template more or less.

Plain updates gain little each for tens of thousands of iterations where templates are sparse: between two orders the
bound then compares how far the fits have come. After `plain` updates each iteration is a cycle of SQUAREM (Varadhan and
Roland, "Simple and globally convergent methods for accelerating the convergence of any EM algorithm", Scandinavian
Journal of Statistics 35, 2008): two updates, a step along the parabola through them, and an update from there. A long
step may lower the bound: where it is lower after CHECKED cycles than before, they are done again as plain updates. So a
fit that stops has stopped gaining, and has not just lost.
"""

from itertools import starmap

import numpy as np

from nbmf.errors import not_allowed
from nbmf.families.poisson_gamma.gamma_priors import ALL, GammaPrior
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaVB
from nbmf.families.poisson_gamma.poisson_gamma_variational import VariationalState
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import at_least
from nbmf.inference.stopping import RelativeGainBelow
from nbmf.seeds import child

CHECKED = 5  # cycles between two looks at the bound, which costs as much as three updates
LONGEST, FACTOR = 1024.0, 4.0  # steps, in units of two updates, and how their limit grows and shrinks
LOGS = -345.0, 50.0  # of what a step may lead to
SPLIT, PRUNED = "split", "pruned"
UNEVEN = 0.5  # each pixel's share of a half of a split template is from 0.5 to 1.5 halves


class AcceleratedState(VariationalState):
    """q(W) q(H), whose updates are accelerated after some plain ones.

    Attributes
    ----------
    plain : int, these
    """

    def __init__(self, *parts, plain: int):
        super().__init__(*parts)
        self.plain, self._iterations = plain, 0
        self._limit = FACTOR

    def advance(self, steps):
        """Update so many times, or do so many cycles."""
        for _ in range(steps):
            cycles = self._iterations - self.plain
            if cycles < 0:
                super().advance(1)
            else:
                if cycles == 0:
                    self._keep()
                self._cycle()
                if (cycles + 1) % CHECKED == 0:
                    self._undo_losses()
            self._iterations += 1

    def _tables(self) -> list[np.ndarray]:
        """Return what the next update depends on, all above zero; writing to the arrays sets it."""
        W, H = self.W, self.H
        priors = [numbers for side in (W, H) for numbers in side.prior.arrays().values()]
        return [W.L[:, : W.K], H.L[:, : H.K], H.E[:, : H.K], *priors]

    def _logs(self) -> list[np.ndarray]:
        return [np.log(table) for table in self._tables()]

    def _put(self, logs: list[np.ndarray]) -> None:
        for table, log in zip(self._tables(), logs, strict=True):
            table[:] = np.exp(log)

    def _length(self, steps: list[np.ndarray]) -> float:
        """Return the length of a change of logarithms, each weighed by its information: the shape of its gamma."""
        shapes = [self.W.alpha, self.H.alpha, self.H.alpha]
        weights = [*shapes, *(np.full(1, self.W.alpha.size) for _ in steps[3:])]
        return float(np.sqrt(sum((weight * step**2).sum() for weight, step in zip(weights, steps, strict=True))))

    def _cycle(self) -> None:
        start = self._logs()
        super().advance(1)
        once = self._logs()
        super().advance(1)
        twice = self._logs()
        change = list(starmap(np.subtract, zip(once, start, strict=True)))
        bend = [b - 2 * a + x for b, a, x in zip(twice, once, start, strict=True)]
        length = min(self._length(change) / max(self._length(bend), 1e-300), self._limit)
        if length > 1.0:
            steps = zip(start, change, bend, strict=True)
            self._put([np.clip(x + 2 * length * r + length**2 * v, *LOGS) for x, r, v in steps])
        super().advance(1)
        if length == self._limit:
            self._limit = min(self._limit * FACTOR, LONGEST)

    def _keep(self) -> None:
        self._bound, self._kept = self.objective(), self._logs()

    def _undo_losses(self) -> None:
        """Do the cycles since the last look again by plain updates if the bound has fallen; then take shorter steps."""
        if not self.objective() >= self._bound:  # or is no number
            self._put(self._kept)
            super().advance(3 * CHECKED)
            self._limit = max(self._limit / FACTOR**2, 1.0)
        self._keep()


@with_parameters
class AcceleratedVB(PoissonGammaVB):
    """Variational Bayes to a stop.

    Parameters
    ----------
    plain : int
        Updates before the first cycle; max_iter counts both, and the stopping rule looks at cycles alone.
    n_components, shape_W, mean_W, shape_H, mean_H, relative_gain_tol, max_iter, precision, threads, random_state
        As for PoissonGammaVB; all four numbers are learned, each shared by a factor.
    """

    rules = PoissonGammaVB.rules | {"plain": at_least(0)}

    tie_shape_W: str = ALL
    tie_mean_W: str = ALL
    tie_shape_H: str = ALL
    tie_mean_H: str = ALL
    plain: int = 6000

    def _state_of(self, *parts):
        return AcceleratedState(*parts, plain=self.plain)

    def _stopping_rule(self, state):
        return RelativeGainBelow(state.objective, self.relative_gain_tol, after=self.plain)


@with_parameters
class FromNeighbour(AcceleratedVB):
    """AcceleratedVB from a fit with one template less, the largest of which is split, or one more, the smallest pruned.

    Parameters
    ----------
    neighbour : {"split", "pruned"}
    plain : int
        Updates of the neighbour too, which has no cycles.
    """

    neighbour: str = SPLIT

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.neighbour not in (SPLIT, PRUNED):
            raise not_allowed("neighbour", self.neighbour, (SPLIT, PRUNED))

    def _start(self, values, seed):
        K = self.n_components + (1 if self.neighbour == PRUNED else -1)
        numbers = {name: getattr(self, name) for name in ("shape_W", "mean_W", "shape_H", "mean_H", "precision")}
        lengths = {"max_iter": self.plain, "relative_gain_tol": 0}
        first = PoissonGammaVB(K, **numbers, **lengths, tie_mean_W=ALL, tie_mean_H=ALL, random_state=seed)
        self._neighbour = first.fit(values)
        return super()._start(values, child(seed, self.neighbour))

    def _starting_tables(self, data, means, seed):
        first, rng = self._neighbour, np.random.default_rng(seed)
        W, H = first.W_, first.H_.T
        order = np.argsort(-first.shares_of(first.factors_))
        W, H = W[:, order], H[:, order]
        if self.neighbour == PRUNED:
            return W[:, :-1], H[:, :-1]
        share = 0.5 * rng.uniform(1 - UNEVEN, 1 + UNEVEN, len(W))
        return np.column_stack([share * W[:, 0], W[:, 1:], (1 - share) * W[:, 0]]), np.column_stack([H, H[:, 0]])

    def _priors(self, data):
        """Return those that the neighbour has learned."""
        first, K = self._neighbour, self.n_components
        return tuple(
            GammaPrior(
                float(getattr(first, f"shape_{factor}_")[0]),
                float(getattr(first, f"mean_{factor}_")[0]),
                self._ties(factor),
                (size, K),
            )
            for factor, size in zip("WH", data.shape, strict=True)
        )
