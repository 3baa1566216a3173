"""What is recorded of one chain or start while it runs, and at its end."""

import math
from typing import Any, NamedTuple

import numpy as np

from nbmf.errors import HeldBack, hold_back_warnings
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parallel import fits_on
from nbmf.inference.state import Factors, Monitor, State, put_back
from nbmf.likelihoods.likelihood import Loss
from nbmf.posterior.observer import Observer
from nbmf.posterior.store import DrawStore, draws_that_fit, kept_sweeps
from nbmf.seeds import seed_sequence

RECORDED = 250  # sweeps of a chain at least, if it keeps so many
SNAPSHOTS = 10  # means of the factors that a chain keeps where there are no draws
ENTRIES = 50  # of E[V] whose R-hat is computed, at places that depend on the shape of V alone
SHARES = 5  # largest components whose shares are diagnosed


class RecordingPlan(NamedTuple):
    """What a chain records and keeps.

    is_draws : whether draws are kept, or factors given the assignments of a few sweeps
    n_kept : how many of them
    per_kept : recorded sweeps for each one that is kept
    n_recorded : recorded sweeps; 1 for a method that does not sample, its end
    places : rows and columns of the entries of E[V] that are recorded
    memory_gb : of the draws of each chain
    """

    is_draws: bool
    n_kept: int
    per_kept: int
    n_recorded: int
    places: tuple[np.ndarray, np.ndarray]
    memory_gb: float

    @classmethod
    def of(
        cls, estimator: Factorization, shape: tuple[int, int], n_draws: int, max_memory_gb: float, chains: int
    ) -> "RecordingPlan":
        """Return the plan for each of several chains, whose draws share the memory."""
        memory_gb = max_memory_gb / chains
        n_kept = n_draws
        if n_draws == 0 and _can_cluster(estimator):
            n_kept = min(SNAPSHOTS, draws_that_fit(shape, estimator.n_components * chains, max_memory_gb))
        places = _entry_places(shape)
        if estimator.inference is not Inference.SAMPLER:
            n_kept = n_draws or min(1, n_kept)
            return cls(n_draws > 0, n_kept, 1, 1, places, memory_gb)
        n_kept = n_draws or min(n_kept, estimator.n_samples)
        kept = max(1, n_kept)
        per_kept = max(1, min(math.ceil(RECORDED / kept), estimator.n_samples // kept))
        return cls(n_draws > 0, n_kept, per_kept, kept * per_kept, places, memory_gb)


def _can_cluster(estimator: Factorization) -> bool:
    """Whether there is a use for factors without draws: co-clustering."""
    return bool(estimator.distributions) and estimator.inference is not Inference.POINT


def _entry_places(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of ENTRIES different places, those of this shape."""
    size = math.prod(shape)
    rng = np.random.default_rng(seed_sequence("entries of E[V]", *shape))
    flat = np.sort(rng.choice(size, min(ENTRIES, size), replace=False))
    return np.unravel_index(flat, shape)


class Trace:
    """What is recorded at each of some sweeps: arrays (recorded, ...), NaN until then."""

    def __init__(self, n_recorded: int, n_entries: int):
        one = np.full(n_recorded, np.nan)
        self.arrays = {
            "objective": one.copy(),
            "log likelihood": one.copy(),
            "components": one.copy(),
            "active components": one.copy(),
            "shares": np.full((n_recorded, SHARES), np.nan),
            "entries": np.full((n_recorded, n_entries), np.nan),
        }

    def put(self, number: int, **values: Any) -> None:
        """Record what was found at one sweep, by name; a name's blank is _ here."""
        for name, value in values.items():
            self.arrays[name.replace("_", " ")][number] = value

    def snapshot(self) -> dict[str, np.ndarray]:
        """Return the arrays by names that no state has."""
        return {f"recorded {name}": array for name, array in self.arrays.items()}

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Take over a snapshot; KeyError if it holds none."""
        put_back(self.snapshot(), snapshot)


def combine_traces(traces: list[Trace]) -> dict[str, np.ndarray]:
    """Return the arrays of all chains, (chains, recorded, ...), with the shares that there are."""
    arrays = {name: np.array([trace.arrays[name] for trace in traces]) for name in traces[0].arrays}
    most = int(np.nanmax(arrays["components"], initial=0))
    has_shares = not np.isnan(arrays["shares"]).all()
    arrays["shares"] = arrays["shares"][..., : min(SHARES, most) if has_shares else 0]
    return arrays


class ChainRun:
    """One chain or start: its fit, and what is recorded of it.

    Parameters
    ----------
    estimator : Factorization
    values : array (F, N)
        The matrix in the likelihood's coding.
    plan : RecordingPlan
    monitor : Monitor or None
    """

    def __init__(self, estimator: Factorization, values: np.ndarray, plan: RecordingPlan, monitor: Monitor | None):
        self.estimator, self._plan = estimator, plan
        self.warnings: HeldBack = []  # of the fit
        self.trace = Trace(plan.n_recorded, plan.places[0].size)
        self.store = DrawStore(estimator, plan.memory_gb)
        likelihood = estimator.likelihood
        self._loss_at = likelihood.loss_at(values, likelihood.is_observed(values))
        looks = []
        if estimator.inference is Inference.SAMPLER:
            looks.append((kept_sweeps(estimator, plan.n_recorded), self._record))
        self._observer = Observer(looks, monitor, [self.trace, self.store])

    def fit(self, V: Any) -> None:
        """Fit the estimator, record what is asked for, and keep its warnings: not every start is worth one."""
        # Chains take the place of threads: several of each would hinder each other.
        with fits_on(self.estimator, 1), hold_back_warnings() as self.warnings:
            self.estimator.fit(V, monitor=self._observer)
        self._observer.finish()
        if self.estimator.inference is not Inference.SAMPLER:
            self._record_end(self._observer.state)

    def _record(self, number: int, state: State) -> None:
        """Record a sweep, all quantities given its factors."""
        loss_at, factors = self._loss_at, state.factors()
        self.trace.put(
            number,
            **self._common_values(state, factors),
            log_likelihood=-loss_at.of(state.current_predictive).total,
            active_components=state.active_components(),
            entries=self.estimator.mean_at(factors, *self._plan.places),
        )
        kept, rest = divmod(number + 1, self._plan.per_kept)
        if rest == 0 and kept <= self._plan.n_kept:
            self._keep(kept - 1, state)

    def _record_end(self, state: State) -> None:
        """Record a fit that does not sample."""
        fitted, loss_at = self.estimator, self._loss_at
        self.trace.put(
            0,
            **self._common_values(state, Factors(fitted.W_, fitted.H_)),
            log_likelihood=-loss_at.of(fitted.predictive).total,
            active_components=fitted.active_components_,
            entries=fitted.predict(*self._plan.places),
        )
        for number in range(self._plan.n_kept):
            self._keep(number, state)

    def _common_values(self, state: State, factors: Factors) -> dict[str, Any]:
        """Return what is recorded alike of a sweep and of an end."""
        objective, shares = state.objective(), self.estimator.shares_of(factors)
        largest = np.full(SHARES, np.nan)
        if shares is not None:  # a component that is not there now has a share of 0
            largest = np.pad(-np.sort(-shares), (0, SHARES))[:SHARES]
        return {
            "objective": np.nan if objective is None else objective,
            "components": factors.W.shape[1],
            "shares": largest,
        }

    def _keep(self, number: int, state: State) -> None:
        if self._plan.is_draws:
            self.store.draw(number, state)
        else:
            self.store.take_means(number, state)


def training_loss(estimator: Factorization, values: np.ndarray) -> Loss:
    """Return the training loss D(V|V^) in nats, in the likelihood's unit (LDA: tokens)."""
    likelihood = estimator.likelihood
    loss_at = likelihood.loss_at(values, likelihood.is_observed(values))
    return loss_at.of(estimator.predictive)
