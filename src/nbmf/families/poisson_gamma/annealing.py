"""Annealed importance sampling from the prior of W and H to their posterior (Neal 2001).

States are (log W, log H) of several chains at once, the target at temperature β

    β log p(V | W, H) + log p(log W) + log p(log H),

moves are Hamiltonian Monte Carlo with steps in proportion to 1 / sqrt(a + β n), where n is a
row or column's sum of counts over K: about the width of the target. Scales of rows and columns are integrated out:
p(log w_f) is in proportion to Π_k w_fk^a / (c + Σ_k w_fk a / b)^(c + Σ_k a).
"""

import itertools

import numpy as np
from scipy.special import gammaln, softmax, xlogy

from nbmf.families.poisson_gamma.gamma_priors import GammaPrior
from nbmf.families.poisson_gamma.lookup_tables import RateState, chance, identity
from nbmf.families.poisson_gamma.weights import Evidence, evidence_of_weights
from nbmf.inference.state import Factors

FIRST = 1e-7  # β above 0, from which on temperatures are evenly spaced in log β
STEP = 0.3  # of a leapfrog, in widths of the target; each move takes 0.7 to 1.3 of it
SMALLEST = 1e-300  # of a rate
ROWS, COLUMNS = 0, 1  # sides
OF_COMPONENTS = -1, -2  # the axes of components in tables (chains, F, K) and (chains, K, N)


class Annealed:
    """Chains between the prior and the posterior.

    Parameters
    ----------
    values : int array (F, N), -1 where missing
    priors : (GammaPrior, GammaPrior)
        Those of W and of H'.
    is_binary : bool
        The link.
    chains : int
    rng : Generator

    Attributes
    ----------
    now : list of float arrays (chains, F, K), (chains, K, N)
        log W and log H.
    """

    def __init__(
        self,
        values: np.ndarray,
        priors: tuple[GammaPrior, GammaPrior],
        is_binary: bool,
        chains: int,
        rng: np.random.Generator,
    ):
        self._observed = (values >= 0).astype(float)
        self._x = np.maximum(values, 0).astype(float)
        self._is_binary, self._rng = is_binary, rng
        self._constant = 0.0 if is_binary else float(gammaln(self._x + 1.0).sum())
        self.priors = W, H = priors
        K = W.size[1]
        self._shapes = [np.broadcast_to(W.shape, W.size), np.broadcast_to(H.shape, H.size).T]
        self._rates = [np.broadcast_to(each.shape / each.mean, each.size) for each in priors]
        self._rates[1] = self._rates[1].T
        self._of_scales = [None if each.scales is None else float(each.scales.prior.shape[0, 0]) for each in priors]
        sums = self._x.sum(axis=1, keepdims=True), self._x.sum(axis=0, keepdims=True)
        self._widths = [total / K for total in sums]
        self.now = [self._drawn(side, chains) for side in (ROWS, COLUMNS)]

    def _drawn(self, side: int, chains: int) -> np.ndarray:
        """Return logarithms of a factor of each chain, drawn from the prior."""
        a, rate, c = self._shapes[side], self._rates[side], self._of_scales[side]
        table = self._rng.standard_gamma(a, (chains, *a.shape)) / rate
        if c is not None:
            table = table / (self._rng.standard_gamma(c, table.sum(OF_COMPONENTS[side], keepdims=True).shape) / c)
        return np.log(np.maximum(table, SMALLEST))

    def _log_prior(self, side: int, log: np.ndarray) -> np.ndarray:
        """Return log p(log W), or of log H, up to a constant, (chains,)."""
        shape, expected, c = self._shapes[side], self._rates[side] * np.exp(log), self._of_scales[side]
        if c is None:
            return (shape * log - expected).sum(axis=(1, 2))
        axis = OF_COMPONENTS[side]
        power = c + shape.sum(axis)
        return (shape * log).sum(axis=(1, 2)) - (power * np.log(c + expected.sum(axis))).sum(axis=1)

    def _gradient_of_prior(self, side: int, table: np.ndarray) -> np.ndarray:
        """Return its gradient less the shapes, with the sign changed, given the factor itself."""
        expected, c = self._rates[side] * table, self._of_scales[side]
        if c is None:
            return expected
        total = {"axis": OF_COMPONENTS[side], "keepdims": True}
        return expected * (c + self._shapes[side].sum(**total)) / (c + expected.sum(**total))

    @property
    def chains(self) -> int:
        """How many there are."""
        return len(self.now[0])

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return W (chains, F, K) and H (chains, K, N) now."""
        W, H = map(np.exp, self.now)
        return W, H

    def means(self) -> np.ndarray:
        """Return E[V] given them, (chains, F, N)."""
        W, H = self.factors()
        return (chance if self._is_binary else identity)(W @ H)

    def log_likelihood(self, logs) -> np.ndarray:
        """Return log p(V | W, H) of each chain, in nats."""
        rate = np.maximum(np.exp(logs[0]) @ np.exp(logs[1]), SMALLEST)
        expected = (self._observed * rate).sum(axis=(1, 2))
        if self._is_binary:  # log(1 - e^-r) at ones, -r elsewhere
            of_ones = self._x * (np.log(-np.expm1(-rate)) + rate)
            return of_ones.sum(axis=(1, 2)) - expected
        return xlogy(self._x, rate).sum(axis=(1, 2)) - expected - self._constant

    def log_target(self, logs, beta: float) -> np.ndarray:
        """Return the log density that is sampled from, up to a constant, of each chain."""
        total = beta * self.log_likelihood(logs)
        for side, log in enumerate(logs):
            total += self._log_prior(side, log)
        return total

    def gradient(self, logs, beta: float) -> list[np.ndarray]:
        """Return the gradient of the target in (log W, log H)."""
        W, H = np.exp(logs[0]), np.exp(logs[1])
        rate = np.maximum(W @ H, SMALLEST)
        ratio = 1.0 / -np.expm1(-rate) if self._is_binary else 1.0 / rate
        G = beta * (self._x * ratio - self._observed)
        likelihood = W * (G @ H.transpose(0, 2, 1)), H * (W.transpose(0, 2, 1) @ G)
        return [
            part + self._shapes[side] - self._gradient_of_prior(side, table)
            for side, (part, table) in enumerate(zip(likelihood, (W, H), strict=True))
        ]

    def move(self, beta: float, steps: int) -> np.ndarray:
        """Move all chains once; return which of them accepted."""
        rng, now, chains = self._rng, self.now, self.chains
        size = STEP * rng.uniform(0.7, 1.3, (chains, 1, 1))
        widths = [size / np.sqrt(shape + beta * width) for shape, width in zip(self._shapes, self._widths, strict=True)]
        momentum = [rng.standard_normal(log.shape) for log in now]
        start = self.log_target(now, beta) - _kinetic(momentum)
        logs, momentum = self.leapfrog(now, momentum, widths, beta, steps)
        end = self.log_target(logs, beta) - _kinetic(momentum)
        accepted = np.log1p(-rng.random(chains)) < end - start  # False where the end is no number
        self.now = [np.where(accepted[:, None, None], new, old) for new, old in zip(logs, now, strict=True)]
        return accepted

    def leapfrog(self, logs, momentum, widths, beta: float, steps: int):
        """Return positions and momenta of all chains after some leapfrog steps of these widths."""
        gradient = self.gradient(logs, beta)
        for _ in range(steps):
            momentum = [p + 0.5 * e * g for p, e, g in zip(momentum, widths, gradient, strict=True)]
            logs = [x + e * p for x, e, p in zip(logs, widths, momentum, strict=True)]
            gradient = self.gradient(logs, beta)
            momentum = [p + 0.5 * e * g for p, e, g in zip(momentum, widths, gradient, strict=True)]
        return logs, momentum


def temperatures_of(count: int) -> np.ndarray:
    """Return β: 0, and so many from FIRST to 1, evenly spaced in log β."""
    return np.concatenate([[0.0], np.geomspace(FIRST, 1.0, count)])


class AnnealedState(RateState):
    """Chains on their way; an iteration is a temperature.

    Parameters
    ----------
    run : Annealed
    temperatures : int
        Values of β above 0, the last of which is 1.
    steps : int
        Leapfrog steps of each move.

    Attributes
    ----------
    log_weights : float array (chains,)
        At β = 1 those of the evidence.
    """

    is_dense = True

    def __init__(self, run: Annealed, temperatures: int, steps: int):
        self._run, self._steps, self.priors = run, steps, run.priors
        self._pairs = itertools.pairwise(temperatures_of(temperatures))
        self.log_weights = np.zeros(run.chains)

    def advance(self, steps):
        """Go on by so many temperatures."""
        run = self._run
        for before, beta in itertools.islice(self._pairs, steps):
            self.log_weights += (beta - before) * run.log_likelihood(run.now)
            if beta < 1.0:  # the last state is not asked for
                run.move(beta, self._steps)

    @property
    def evidence(self) -> Evidence:
        """What the weights say: of log p(V) when β is 1."""
        return evidence_of_weights(self.log_weights, "annealed")

    def objective(self):
        """Return the estimate of the log of the mean of p(V | W, H)^β under the prior, in nats."""
        return self.evidence.value

    def factors(self):
        """Return W and H of the chain with the largest weight."""
        heaviest = int(np.argmax(self.log_weights))
        return Factors(*(table[heaviest].copy() for table in self._run.factors()))

    def expectation(self):
        """Return E[V], averaged over the chains by their weights."""
        return np.tensordot(softmax(self.log_weights), self._run.means(), axes=1)


def _kinetic(momentum) -> np.ndarray:
    return 0.5 * sum((p * p).sum(axis=(1, 2)) for p in momentum)
