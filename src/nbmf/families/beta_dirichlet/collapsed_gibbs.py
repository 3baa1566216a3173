"""Posterior means from a collapsed Gibbs chain, streamed: no draw is stored."""

from typing import Protocol

import numpy as np

from nbmf.errors import Setting
from nbmf.families.beta_dirichlet.beta_dirichlet_estimator import MeanParameterized
from nbmf.families.beta_dirichlet.prior_learners import SliceLearner, split_at_renewals
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE
from nbmf.inference.state import Factors, State, put_back

WAITING = 256  # components of samples that are multiplied at once


@with_parameters
class CollapsedGibbs(MeanParameterized):
    """Base class of the samplers, with the parameters that all of them have."""

    inference = Inference.SAMPLER
    takes_threads = True

    n_components: int = 100
    burn_in: int = 4000
    n_samples: int = 1000
    start: str = "random"
    threads: int = 1
    random_state: RandomState = None

    @property
    def advice_if_stuck(self):
        """Another start, where there is one."""
        return Setting("start", "mean-field") if self.start == "random" else None


class SumOfH(Protocol):
    """The part of the sums that depends on the model: Σ E[H | Z] over samples.

    Columns are in the order in which the chain keeps them.
    """

    def add(self, used: np.ndarray) -> np.ndarray:
        """Add the current E[H | Z]; return its rows of the components `used`, float (U, N)."""

    def total(self, samples: int) -> np.ndarray:
        """Return the sum, float array (K, N)."""

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name."""


class PosteriorSums:
    """What a chain adds up over its samples, at the cost of the components in use, not of K.

    E[W | Z] = (γ + L) / s, and s_f = Σγ + n_f is the same for every Z. So

        Σ E[W | Z] = (samples γ + Σ L) / s,
        Σ E[W | Z] E[H | Z] = (γ Σ E[H | Z] + Σ L E[H | Z]) / s,

    where L E[H | Z] only needs the few components that any row uses. These products wait until
    WAITING components have come together: one product of matrices then serves several samples.
    """

    def __init__(self, chain, gamma: np.ndarray, sum_of_H: SumOfH, learns: bool):
        L = chain.row_counts()
        (F, K), N = L.shape, chain.expected_H(slice(0)).shape[1]
        self._chain, self._gamma, self._H = chain, gamma.copy(), sum_of_H
        self._n = L.sum(axis=1, keepdims=True)
        self._s = gamma.sum() + self._n
        self._samples = np.zeros((), int)
        # The sums of W, H and WH under earlier priors, and over how many samples.
        self._earlier = (np.zeros((F, K)), np.zeros((K, N)), np.zeros((F, N))) if learns else ()
        self._samples_earlier = np.zeros((), int)
        self._L = np.zeros_like(L)
        self._LH = np.zeros((F, N))
        self._n_waiting = np.zeros((), int)
        size = max(K, WAITING)
        self._waiting_L, self._waiting_H = np.zeros((size, F)), np.zeros((size, N))

    def add(self) -> None:
        """Add the means given the chain's current assignments."""
        L = self._chain.row_counts()
        used = np.flatnonzero(L.any(axis=0))
        if self._n_waiting + used.size > len(self._waiting_L):
            self._LH += self._waiting_product()
            self._n_waiting[...] = 0
        here = slice(self._n_waiting, self._n_waiting + used.size)
        self._waiting_L[here] = L.T[used]
        self._waiting_H[here] = self._H.add(used)
        self._n_waiting += used.size
        self._L += L
        self._samples += 1

    def current_expectation(self) -> np.ndarray:
        """Return E[W | Z] E[H | Z] of the current assignments alone, float array (F, N)."""
        L, H = self._chain.row_counts(), self._chain.expected_H(slice(None))
        used = np.flatnonzero(L.any(axis=0))
        total = L[:, used].astype(float) @ H[used]
        total += self._gamma @ H
        total /= self._s
        return self._chain.undo_columns(total)

    def _waiting_product(self) -> np.ndarray:
        """Return the sum of the products L E[H | Z] that wait, float array (F, N)."""
        return self._waiting_L[: self._n_waiting].T @ self._waiting_H[: self._n_waiting]

    def expected_W(self, L: np.ndarray) -> np.ndarray:
        """Return E[W | Z] for the counter L, or for a mean of it, eq. (28)."""
        return (self._gamma + L) / self._s

    @property
    def samples_now(self) -> int:
        """How many samples have been added under the current priors."""
        return int(self._samples)

    @property
    def samples(self) -> int:
        """How many samples have been added."""
        return int(self._samples + self._samples_earlier)

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of E[W | Z] and E[H | Z], eqs. (30)-(31)."""
        W, H, _ = self._means()
        return W, self._chain.undo_columns(H)

    def expectation(self) -> np.ndarray:
        """Return the mean of E[W | Z] E[H | Z], eq. (33) with means instead of draws.

        Same expectation, less variance, and labels may switch from sample to sample.
        """
        return self._chain.undo_columns(self._means()[2])

    def close(self) -> None:
        """Put away what was added under the priors that end now; call it before they change."""
        if self._samples:
            samples = int(self._samples)
            for total, mean in zip(self._earlier, self._means_now(), strict=True):
                total += samples * mean
            self._samples_earlier += samples
            for array in self._arrays_now().values():
                array[...] = 0

    def go_on(self, gamma: np.ndarray) -> None:
        """Add what follows under other priors, which the chain has by now."""
        self._gamma[:] = gamma
        self._s = gamma.sum() + self._n

    def _means(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the means of W, H and WH over all samples, columns in the order of the chain."""
        if not self._samples_earlier:
            return self._means_now()
        parts = self._earlier
        if self._samples:
            now = self._means_now()
            parts = [total + self._samples * mean for total, mean in zip(parts, now, strict=True)]
        return tuple(total / self.samples for total in parts)

    def _means_now(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the means of W, H and WH over the samples under the current priors."""
        samples, sum_of_H = int(self._samples), self._H.total(int(self._samples))
        WH = self._LH + self._waiting_product()
        WH += self._gamma @ sum_of_H
        WH /= samples * self._s
        return self.expected_W(self._L / samples), sum_of_H / samples, WH

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name; writing to them sets the state."""
        earlier = {f"earlier {name}": x for name, x in zip("WHV", self._earlier, strict=False)}
        return self._arrays_now() | earlier | {"earlier samples": self._samples_earlier}

    def _arrays_now(self) -> dict[str, np.ndarray]:
        arrays = {
            "samples": self._samples,
            "sum of L": self._L,
            "sum of L E[H]": self._LH,
            "waiting": self._n_waiting,
            "waiting L": self._waiting_L,
            "waiting E[H]": self._waiting_H,
        }
        return arrays | self._H.arrays()


class ChainState(State):
    """A chain and the running averages over its kept sweeps.

    Parameters
    ----------
    chain : BetaDirChain or DirDirChain
    model : module
        models.beta_dir or models.dir_dir, whose counts the chain has.
    learner : SliceLearner
        It has the priors, and renews those that are learned.
    sums : PosteriorSums
    burn_in : int
        Sweeps before the first that is kept.
    """

    resumable = True

    def __init__(self, chain, model, learner: SliceLearner, sums: PosteriorSums, burn_in):
        self._chain, self._model, self._learner, self._sums = chain, model, learner, sums
        self._burn_in, self._sweeps = burn_in, np.zeros((), int)
        self._priors = learner.tables()
        # Of the hyperparameters, over the samples under earlier ones.
        self._prior_sums = {name: np.zeros_like(x) for name, x in self._priors.items()}

    def advance(self, steps: int) -> None:
        """Sweep, and renew the priors in between, if they are learned."""
        learner = self._learner if self._learner.learns else None
        for renew, sweeps in split_at_renewals(int(self._sweeps), steps, learner):
            if renew:
                self._renew_priors()
            self._sweep(sweeps)

    def _renew_priors(self) -> None:
        for name, total in self._prior_sums.items():
            total += self._sums.samples_now * self._priors[name]
        self._sums.close()
        self._priors = self._learner.renew(int(self._sweeps))
        self._sums.go_on(self._priors["gamma"])

    def hyperparameters(self) -> dict[str, np.ndarray]:
        """Return the hyperparameters as tables by name: their means over the kept sweeps."""
        samples, now = self._sums.samples, self._sums.samples_now
        if samples == now:  # there are no others
            return self._priors
        sums = self._prior_sums
        return {name: (sums[name] + now * x) / samples for name, x in self._priors.items()}

    def _sweep(self, steps: int) -> None:
        """Sweep; after the burn-in add the means given each Z to the sums."""
        burnt = int(np.clip(self._burn_in - self._sweeps, 0, steps))
        if burnt:
            self._chain.sweep(burnt)
        for _ in range(steps - burnt):
            self._chain.sweep(1)
            self._sums.add()
        self._sweeps += steps

    def objective(self) -> float:
        """Return the log joint of data and current assignments, in nats."""
        return self._chain.log_joint()

    def active_components(self) -> int:
        """Return how many components the current assignments use for at least 1 %."""
        W = self._sums.expected_W(self._chain.row_counts())
        return int(np.count_nonzero(W.mean(axis=0) >= ACTIVE_SHARE))

    def factors(self) -> Factors:
        """Return E[W | Z] and E[H | Z] given the current assignments alone."""
        return Factors(*self._model.expected_factors(self._chain.counts(), **self._priors))

    def estimate(self) -> Factors:
        """Return the means of E[W | Z] and E[H | Z] over the kept sweeps."""
        return Factors(*self._sums.factors())

    def expectation(self) -> np.ndarray:
        """Return E[V] over the kept sweeps so far; before the first, given the current Z."""
        sums = self._sums
        return sums.expectation() if sums.samples else sums.current_expectation()

    def current_predictive(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return E[W | Z] E[H | Z] of the current assignments at some entries."""
        W, H, _ = self.factors()
        return (W @ H)[rows, columns]

    def draw(self, rng: np.random.Generator) -> Factors:
        """Draw W and H given the current assignments: with them, a posterior draw."""
        return Factors(*self._model.draw_factors(self._chain.counts(), **self._priors, rng=rng))

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return all that changes along the chain, by name."""
        state = {"sweeps": self._sweeps} | self._sums.arrays() | self._chain.arrays()
        if not self._learner.learns:
            return state
        learned = {f"learned {name}": array for name, array in self._learner.arrays().items()}
        return state | learned | {f"sum of {name}": x for name, x in self._prior_sums.items()}

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot."""
        put_back(self.snapshot(), snapshot)
        if self._learner.learns:
            self._priors = self._learner.tables()
            phi = self._chain.arrays()
            self._chain.set_priors(**self._priors)
            put_back(self._chain.arrays(), {name: snapshot[name] for name in phi})
            self._sums.go_on(self._priors["gamma"])
