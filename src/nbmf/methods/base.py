"""What every estimator has in common."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from threadpoolctl import threadpool_limits

from nbmf import parameters
from nbmf.matrix import as_codes

ACTIVE_SHARE = 0.01  # of all weight, for a component to count as active


class State(Protocol):
    """What a monitor may ask of a running fit."""

    def expectation(self) -> np.ndarray:
        """Return the current estimate of E[V], float array (F, N)."""

    def objective(self) -> float | None:
        """Return the log joint, bound or log-likelihood in nats; None if there is none."""

    def active_components(self) -> int:
        """Return how many components are active now; see Factorization.active_components_."""


class BayesianState(State, Protocol):
    """What a monitor may ask as well, of methods that have a posterior distribution."""

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of W (F, K) and H (K, N) given the current assignments or counts."""

    def draw_factors(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw W (F, K) and H (K, N) from the same distribution; the fit is not changed."""


class Monitor(Protocol):
    """An observer of a fit, called at the iterations it asks for and after the last one."""

    def resume(self, state: State) -> int:
        """Put back the state of an interrupted chain; return its iteration, 0 if there is none.

        Only chains ask: other fits are short.
        """

    def next_after(self, iteration: int) -> float:
        """Return the first iteration after `iteration` to be called at, math.inf if none."""

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Look at the state after `iteration` of at most `total` iterations."""


class Fit(NamedTuple):
    """What an inference returns.

    W : float array (F, K)
    H : float array (K, N)
    expectation : float array (F, N), E[V]
    shares : float array (K,), the mean of the factor that is a distribution over components
    n_iter : int
    converged : bool, None where the algorithm has no stopping rule
    """

    W: np.ndarray
    H: np.ndarray
    expectation: np.ndarray
    shares: np.ndarray
    n_iter: int
    converged: bool | None = None


class Factorization:
    """Base class: parameters, their checks, and `fit` around the subclass's `_factorize`.

    Attributes
    ----------
    W_ : float array (F, K)
        The dictionary.
    H_ : float array (K, N)
        The activations.
    expectation_ : float array (F, N)
        E[V], the predicted probability of a one, for missing entries too.
    n_iter_ : int
        Iterations or sweeps that were run.
    converged_ : bool or None
        Whether the stopping rule was met; None for methods that have none.
    active_components_ : int
        Components with a share of at least 1 % of the factor that is a distribution over
        components (the rows of W_; for Dir-Beta and LDA the columns of H_). All K for logPCA,
        which has no such factor.
    """

    def _factorize(
        self, codes: np.ndarray, seed: np.random.SeedSequence, monitor: Monitor | None
    ) -> Fit:
        raise NotImplementedError

    def fit(self, V: Any, *, monitor: Monitor | None = None) -> Self:
        """Factorize V.

        Parameters
        ----------
        V : BinaryMatrix, array (F, N) or DataFrame
            1, 0 and missing (NaN or -1).
        monitor : Monitor, optional
            Called as the fit goes on, for progress and traces.

        Raises
        ------
        ConfigError
            If a parameter has a value that is not allowed.
        DataError
            If V has a value that is not allowed or no observed entry.
        """
        self.check_parameters()
        codes = as_codes(V)
        # Matrix products on one thread: their rounding must not depend on the machine's load.
        with threadpool_limits(limits=1, user_api="blas"):
            fit = self._factorize(codes, self._seed(), monitor)
        self.W_, self.H_, self.expectation_ = fit.W, fit.H, fit.expectation
        self.n_iter_, self.converged_ = fit.n_iter, fit.converged
        self.active_components_ = count_active(fit.shares)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters and their values."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def check_parameters(self) -> None:
        """Raise ConfigError if a parameter has a value that is not allowed."""
        given = self.get_params()
        for name, value in given.items():
            parameters.check(name, value)
        for name in parameters.CONCENTRATIONS:
            if name in given:
                self._concentration(name)  # has the right length

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def _concentration(self, name: str) -> np.ndarray:
        return parameters.per_component(name, getattr(self, name), self.n_components)

    def _seed(self) -> np.random.SeedSequence:
        if isinstance(self.random_state, np.random.SeedSequence):
            return self.random_state
        return np.random.SeedSequence(self.random_state)


def count_active(shares: np.ndarray) -> int:
    """Return how many components hold at least ACTIVE_SHARE of all weight."""
    return int(np.count_nonzero(shares >= ACTIVE_SHARE))


def iterate(
    advance: Callable[[int], None],
    first: int,
    last: int,
    state: State,
    monitor: Monitor | None,
    total: int,
) -> None:
    """Do iterations `first` + 1 to `last` of `total` by `advance(steps)`, the monitor in between.

    The monitor is called when it asks to be, and after the last of all iterations.
    """
    done = first
    while done < last:
        called_at = last if monitor is None else monitor.next_after(done)
        stop = int(min(called_at, last))
        advance(stop - done)
        done = stop
        if monitor is not None and done in (called_at, total):
            monitor(done, total, state)
