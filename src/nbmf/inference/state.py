"""The contract between a family's inference and everything that looks at it while it runs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from nbmf.errors import ConfigError, Setting


class Factors(NamedTuple):
    """What the mean of V is computed from: two factors and, in some models, more.

    W : float array (F, K)
    H : float array (K, N); K is that of these factors, which may differ from draw to draw
    others : arrays by name, for example main effects (N,)
    """

    W: np.ndarray
    H: np.ndarray
    others: Mapping[str, np.ndarray] = {}


class State(ABC):
    """A running fit: it can advance, and it can report where it is.

    What a family defines for one of its methods. The loop (nbmf.inference.loop) advances it;
    monitors (progress, traces, checkpoints, draws) look at it in between and change nothing.
    """

    resumable: ClassVar[bool] = False  # whether `snapshot` is worth writing to a disk

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Do so many iterations or sweeps."""

    @abstractmethod
    def objective(self) -> float | None:
        """Return the log joint, bound or log-likelihood in nats; None if there is none."""

    @abstractmethod
    def active_components(self) -> int:
        """Return how many components are active now; see Factorization.active_components_."""

    @abstractmethod
    def factors(self) -> Factors:
        """Return the factors now: of a chain their means given the current assignments."""

    def estimate(self) -> Factors:
        """Return the factors that a fit ends with: of a chain averages over kept sweeps."""
        return self.factors()

    @abstractmethod
    def expectation(self) -> np.ndarray:
        """Return the current estimate of E[V], float array (F, N): over kept sweeps of a chain."""

    def predictive(self, rows: np.ndarray, columns: np.ndarray) -> Any:
        """Return what the likelihood scores at some entries, for index arrays (n,).

        E[v_fn] for the Bernoulli likelihood, float array (n,). States whose dense E[V] may not fit
        into memory override it.
        """
        return self.expectation()[rows, columns]

    def current_predictive(self, rows: np.ndarray, columns: np.ndarray) -> Any:
        """Return the same given `factors()` alone: of a chain that of the last sweep.

        `expectation` is its mean over the kept sweeps.
        """
        return self.predictive(rows, columns)

    def draw(self, rng: np.random.Generator) -> Factors:
        """Draw the factors from the (approximate) posterior given the state, which stays."""
        raise NotImplementedError(f"{type(self).__name__} has no distribution to draw from")

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return copies or views of all that changes, by name: what `restore` needs.

        Names and shapes may differ from sweep to sweep.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot be saved while it runs")

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot; names that are not the state's own are passed over."""
        raise NotImplementedError(f"{type(self).__name__} cannot be saved while it runs")


class Monitor(Protocol):
    """An observer of a fit, called at the iterations it asks for and after the last one."""

    def resume(self, state: State) -> int:
        """Put back the state of an interrupted fit; return its iteration, 0 if there is none.

        Only resumable states ask: other fits are short.
        """

    def next_after(self, iteration: int) -> float:
        """Return the first iteration after `iteration` to be called at, math.inf if none."""

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Look at the state after `iteration` of at most `total` iterations."""


def require_monitor(given: Any) -> None:
    """Raise ConfigError unless it is a monitor or None: a function does not say when it is to be called."""
    if given is not None and not (callable(given) and hasattr(given, "next_after")):
        what = f" is of type {type(given).__name__}; allowed: an object with the methods of "
        raise ConfigError(Setting("monitor"), what + f"{Monitor.__module__}.{Monitor.__name__}")


def put_back(arrays: dict[str, np.ndarray], snapshot: dict[str, np.ndarray]) -> None:
    """Write a snapshot into the arrays it was made of, all of the same shape as then."""
    for name, array in arrays.items():
        array[...] = snapshot[name]
