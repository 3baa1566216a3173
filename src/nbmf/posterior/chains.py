"""Several independent chains or starts of one method: do they agree, and what do they say together?

R-hat and effective sample sizes are those of quantities that do not depend on how components are
numbered, recorded at some of the kept sweeps.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import nbmf
from nbmf.data.matrix import MISSING, as_codes
from nbmf.errors import ConfigError, NotSettledWarning
from nbmf.inference.estimator import ACTIVE_SHARE, BayesianState, Factorization, Monitor, State
from nbmf.inference.parameters import check_count
from nbmf.likelihoods.bernoulli import EntryScorer, Score, scorer
from nbmf.numerics.threads import processors
from nbmf.posterior.diagnostics import (
    ESS_LIMIT,
    MIN_CHAINS,
    MIN_DRAWS,
    R_HAT_LIMIT,
    UNKNOWN,
    Diagnostics,
    chain_diagnostics,
    settled,
)
from nbmf.posterior.draws import (
    Draws,
    DrawStore,
    Observer,
    draws_that_fit,
    is_sampler,
    kept_sweeps,
    memberships,
    refuse_too_much_memory,
)
from nbmf.seeds import child, seed_sequence

if TYPE_CHECKING:
    import xarray

RECORDED = 250  # sweeps of a chain at least, if it keeps so many
SNAPSHOTS = 10  # means of W and H that a chain keeps where there are no draws
ENTRIES = 50  # of E[V] whose R-hat is computed, at places that depend on the shape of V alone
SETTLED_ENTRIES = 0.9  # of them for chains to count as settled
SHARES = 5  # largest components whose shares are diagnosed
STILL_MOVING = 1.05  # R-hat between the halves of one chain from which on it has not arrived
AGREEMENT = 0.01  # how far apart starts may end: a probability, or relative to a log-likelihood
AT_REST = 1e-9  # relative difference that is rounding
ENTRIES_BETWEEN_LOOKS = 5_000_000  # resampled between looks at whether to stop: a moment


def run_chains(
    estimator: Factorization,
    V: Any,
    *,
    chains: int = 4,
    n_jobs: int | None = None,
    n_draws: int = 0,
    max_memory_gb: float = 1.0,
    monitor_of: Callable[[int], Monitor | None] | None = None,
) -> Chains:
    """Fit the same method several times, each time with random numbers of its own.

    Gibbs samplers give independent chains, to be diagnosed and averaged; other methods give
    starts, of which the best is taken. Chain 0 is the very fit that `estimator.fit(V)` makes, and
    every chain has the same bits whatever `chains` and `n_jobs` are. Each runs on one thread.

    Parameters
    ----------
    estimator : Factorization
        It is not fitted itself: the chains are copies.
    V : BinaryMatrix, array (F, N) or DataFrame
        1, 0 and missing (NaN or -1).
    chains : int
        R-hat needs at least 2; 4 are usual.
    n_jobs : int, optional
        Chains at a time, in threads; by default as many as there are CPUs.
    n_draws : int
        Draws of (W, H) that each chain keeps; see `posterior_draws`.
    max_memory_gb : float
        Of the draws of all chains together.
    monitor_of : function, optional
        From the number of a chain to its monitor, which is called from the chain's thread.

    Returns
    -------
    Chains
        The fitted estimators, what was recorded of them, and whether they agree.

    Raises
    ------
    ConfigError
        If a parameter has a value that is not allowed, or draws exceed n_samples or the memory.
    DataError
        As for `fit`.

    Warns
    -----
    NotSettledWarning
        If the chains of a sampler have not settled: see `Chains.advice`.
    """
    check_count("chains", chains, 1)
    check_count("n_draws", n_draws, 0)
    if n_jobs is None:
        n_jobs = processors()
    check_count("n_jobs", n_jobs, 1)
    estimator.check_parameters()
    codes, K = as_codes(V), estimator.n_components
    refuse_too_much_memory(codes.shape, K, n_draws, max_memory_gb, chains)
    plan = _Plan.of(estimator, codes, n_draws, max_memory_gb, chains)
    W = np.zeros((chains, plan.n_kept, codes.shape[0], K), np.float32)
    H = np.zeros((chains, plan.n_kept, K, codes.shape[1]), np.float32)
    stop = threading.Event()
    runs = [
        _Run(one, codes, plan, DrawStore(one, W[i], H[i]), stop, monitor_of and monitor_of(i))
        for i, one in enumerate(_copies(estimator, chains))
    ]
    _run_all(runs, V, min(chains, n_jobs), stop)
    trace = {name: np.array([run.trace[name] for run in runs]) for name in runs[0].trace}
    result = Chains([run.estimator for run in runs], codes, trace, W, H, plan)
    if is_sampler(estimator) and not result.settled:
        warnings.warn(result.advice, NotSettledWarning, stacklevel=2)
    return result


def _copies(estimator: Factorization, chains: int) -> Iterator[Factorization]:
    """Yield the estimators of the chains; the first has the seed of `estimator` itself."""
    given, seed = estimator.get_params(), estimator._seed()
    if "threads" in given:  # chains take their place; two at a time would get into each other's way
        given["threads"] = 1
    if given["random_state"] is None:
        given["random_state"] = seed
    yield type(estimator)(**given)
    for i in range(1, chains):
        yield type(estimator)(**given | {"random_state": child(seed, "chain", i)})


# --- Running ---------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """What a chain records and keeps.

    is_draws : whether draws of W and H are kept, or means given the assignments of a few sweeps
    n_kept : how many of them
    per_kept : recorded sweeps for each one that is kept
    n_recorded : recorded sweeps; 1 for a method that does not sample, its end
    places : rows and columns of the entries of E[V] that are recorded
    """

    is_draws: bool
    n_kept: int
    per_kept: int
    n_recorded: int
    places: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, estimator, codes, n_draws, max_memory_gb, chains):
        n_kept = n_draws
        if n_draws == 0:
            fit = draws_that_fit(codes.shape, estimator.n_components * chains, max_memory_gb)
            n_kept = min(SNAPSHOTS, fit)
        places = _places(codes.shape)
        if not is_sampler(estimator):
            return cls(n_draws > 0, n_draws or min(1, n_kept), 1, 1, places)
        n_kept = n_draws or min(n_kept, estimator.n_samples)
        kept = max(1, n_kept)
        per_kept = max(1, min(math.ceil(RECORDED / kept), estimator.n_samples // kept))
        return cls(n_draws > 0, n_kept, per_kept, kept * per_kept, places)


def _places(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of ENTRIES different places, those of this shape."""
    size = math.prod(shape)
    rng = np.random.default_rng(seed_sequence("entries of E[V]", *shape))
    flat = np.sort(rng.choice(size, min(ENTRIES, size), replace=False))
    return np.unravel_index(flat, shape)


class _Stopped(Exception):
    """Another chain failed, or a person has interrupted."""


class _Run:
    """One chain or start: its fit, and what is recorded of it."""

    def __init__(self, estimator, codes, plan, store, stop, monitor):
        self.estimator = estimator
        self._codes, self._plan, self._store, self._stop = codes, plan, store, stop
        self._score = EntryScorer(codes, codes != MISSING)
        one = np.full(plan.n_recorded, np.nan)
        self.trace = {
            "objective": one.copy(),
            "log likelihood": one.copy(),
            "active components": one.copy(),
            "shares": np.full((one.size, min(SHARES, estimator.n_components)), np.nan),
            "entries": np.full((one.size, plan.places[0].size), np.nan),
        }
        every = max(1, ENTRIES_BETWEEN_LOOKS // codes.size)
        looks = [(range(every, 2**62, every), self._look_at_stop)]
        if is_sampler(estimator):
            looks.append((kept_sweeps(estimator, plan.n_recorded), self._record))
        elif plan.is_draws:
            looks.append(((1,), store.refuse_without_posterior))
        self._observer = Observer(looks, monitor, self.trace | store.arrays())

    def fit(self, V) -> None:
        """Fit the estimator; end early, without a result, if the event `stop` is set."""
        try:
            self._look_at_stop(0, None)
            self.estimator.fit(V, monitor=self._observer)
            self._observer.finish()
            if not is_sampler(self.estimator):
                self._record_end(self._observer.state)
        except _Stopped:
            pass
        except BaseException:
            self._stop.set()
            raise

    def _look_at_stop(self, number: int, state: State | None) -> None:
        if self._stop.is_set():
            raise _Stopped

    def _record(self, number: int, state: BayesianState) -> None:
        """Record a sweep, all quantities given its assignments."""
        W, H = state.factors()
        likelihood = -self._score(W @ H).total
        f, n = self._plan.places
        entries = np.einsum("ek,ke->e", W[f], H[:, n])
        self._put(number, state, likelihood, state.active_components(), W, H, entries)
        kept, rest = divmod(number + 1, self._plan.per_kept)
        if rest == 0 and kept <= self._plan.n_kept:
            (self._store.take if self._plan.is_draws else self._store.take_means)(kept - 1, state)

    def _record_end(self, state: State) -> None:
        """Record a fit that does not sample."""
        fitted = self.estimator
        likelihood = -loss(fitted, self._codes).total
        entries = fitted.expectation_[self._plan.places]
        active = fitted.active_components_
        self._put(0, state, likelihood, active, fitted.W_, fitted.H_, entries)
        for number in range(self._plan.n_kept):
            if self._plan.is_draws:
                self._store.take(number, state)
            elif hasattr(state, "draw_factors"):
                self._store.take_means(number, state)

    def _put(self, number, state, likelihood, active, W, H, entries):
        objective = state.objective()
        held = memberships(W, H)
        if held is not None:
            largest = -np.sort(-held.mean(axis=0))
            self.trace["shares"][number] = largest[: self.trace["shares"].shape[1]]
        self.trace["objective"][number] = np.nan if objective is None else objective
        self.trace["log likelihood"][number] = likelihood
        self.trace["active components"][number] = active
        self.trace["entries"][number] = entries


def _run_all(runs: list[_Run], V: Any, n_jobs: int, stop: threading.Event) -> None:
    """Fit all runs, `n_jobs` at a time; all stop soon after one fails or a person interrupts."""
    # Each fit limits BLAS to one thread and undoes that at its end, which in threads happens in
    # any order: around them all, the limit is what each finds and leaves.
    with (
        threadpool_limits(limits=1, user_api="blas"),
        ThreadPoolExecutor(n_jobs, thread_name_prefix="chain") as pool,
    ):
        futures = [pool.submit(run.fit, V) for run in runs]
        try:
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            raise


def loss(estimator: Factorization, codes: np.ndarray) -> Score:
    """Return the training loss D(V|V^) in nats, for LDA that of its tokens."""
    return scorer(estimator.scored_per_token)(codes, codes != MISSING)(estimator.expectation_)


# --- What chains say -------------------------------------------------------------------------


class _Quantity(NamedTuple):
    """name; values (chains, recorded); how large a difference has to be to matter, by AGREEMENT."""

    name: str
    values: np.ndarray
    scale: float = 1.0

    def at_rest(self) -> bool:
        """Return whether the quantity is the same always and in all chains, but for rounding."""
        return bool(np.ptp(self.values) <= AT_REST * max(1.0, abs(self.values).max()))


@dataclass(frozen=True, eq=False)
class Chains:
    """Several fits of one method to one matrix. `run_chains` makes it.

    Attributes
    ----------
    estimators : list of Factorization
        The fitted chains.
    codes : int8 array (F, N)
        The matrix: 1, 0, -1 (missing).
    trace : dict of float arrays (chains, recorded sweeps, ...)
        objective (log joint in nats), log likelihood of V given E[V | Z] in nats, active
        components, shares (of the largest components, in order), entries (of E[V | Z]).
    """

    estimators: list[Factorization]
    codes: np.ndarray
    trace: dict[str, np.ndarray]
    _W: np.ndarray
    _H: np.ndarray
    _plan: _Plan

    def __repr__(self) -> str:
        kind = "chains" if self._sampled else "starts"
        state = "settled" if self.settled else "not settled"
        return f"<{len(self.estimators)} {kind} of {self._name}, {state}>"

    @property
    def _name(self) -> str:
        return type(self.estimators[0]).__name__

    @property
    def _sampled(self) -> bool:
        return is_sampler(self.estimators[0])

    @cached_property
    def losses(self) -> np.ndarray:
        """The training loss of each chain, D(V|V^) in nats per observed entry: (chains,)."""
        return np.array([loss(one, self.codes).perplexity for one in self.estimators])

    @property
    def best(self) -> Factorization:
        """The chain with the smallest training loss."""
        return self.estimators[int(np.argmin(self.losses))]

    @cached_property
    def expectation(self) -> np.ndarray:
        """E[V], the mean over chains, float array (F, N)."""
        return np.mean([one.expectation_ for one in self.estimators], axis=0)

    @cached_property
    def draws(self) -> Draws | None:
        """The draws of all chains, one after another, components as in `best`; None without."""
        return self._kept() if self._plan.is_draws else None

    def _kept(self) -> Draws:
        W, H = (array.reshape(-1, *array.shape[2:]) for array in (self._W, self._H))
        return Draws(W, H, self.best.W_, self.best.H_)

    def co_clustering(self, axis: int = 0) -> np.ndarray:
        """Return how probably two rows (axis 0) or columns (axis 1) go together.

        See `Draws.co_clustering`. Without draws it is the mean over 10 sweeps of each chain given
        their assignments, and for variational methods over the starts.

        Returns
        -------
        float array (F, F) or (N, N)

        Raises
        ------
        ConfigError
            If the method has no posterior, or not even a few W and H fit into max_memory_gb.
        """
        if self._W.shape[1] == 0:
            raise ConfigError("co_clustering: W and H of the chains do not fit into max_memory_gb")
        if not self._W.any():  # nothing was kept
            raise ConfigError(f"co_clustering: {self._name} has no posterior distribution")
        return self._kept().co_clustering(axis)

    @cached_property
    def diagnostics(self) -> pd.DataFrame:
        """What the chains say about quantities that do not depend on how components are numbered.

        Columns quantity, mean, spread (the standard deviation of the chains' means), r_hat,
        ess_bulk, ess_tail (Vehtari et al. 2021; NaN for methods that do not sample) and settled.
        A sampler's quantity has settled if R-hat < 1.01 and there are 100 effective draws per
        chain, or if it is at rest at the same value in all chains. Of other methods, it says
        whether the starts end together: a spread below 0.01, of log-likelihoods below 1 %.
        """
        rows = []
        for quantity in self._quantities():
            values, n_chains = quantity.values, len(quantity.values)
            means = values.mean(axis=1)
            spread = means.std(ddof=1) if n_chains >= MIN_CHAINS else np.nan
            found, agrees = UNKNOWN, bool(spread <= AGREEMENT * quantity.scale)
            if self._sampled:
                found = chain_diagnostics(values)
                enough = n_chains >= MIN_CHAINS and values.shape[1] >= MIN_DRAWS
                agrees = settled(found.r_hat, found.ess_bulk, n_chains)
                agrees = agrees or (enough and quantity.at_rest())
            rows.append([quantity.name, means.mean(), spread, *found, agrees])
        columns = ["quantity", "mean", "spread", *Diagnostics._fields, "settled"]
        return pd.DataFrame(rows, columns=columns)

    def _quantities(self) -> Iterator[_Quantity]:
        """Yield what is diagnosed; the entries of E[V] come last."""
        objective, likelihood = self.trace["objective"], self.trace["log likelihood"]
        if not np.isnan(objective).any():
            name = "log joint" if self._sampled else "objective"
            yield _Quantity(name, objective, abs(objective.mean()))
        yield _Quantity("log likelihood", likelihood, abs(likelihood.mean()))
        yield _Quantity("active components", self.trace["active components"])
        for rank, share in enumerate(np.moveaxis(self.trace["shares"], 2, 0), start=1):
            if share.mean() >= ACTIVE_SHARE:
                yield _Quantity(f"share {rank}", share)
        for name, entry in zip(
            self._entry_names(), np.moveaxis(self.trace["entries"], 2, 0), strict=True
        ):
            yield _Quantity(f"E[v] {name}", entry)

    def _entry_names(self) -> list[str]:
        rows, columns = self._line_names()
        return [f"{rows[f]}, {columns[n]}" for f, n in zip(*self._plan.places, strict=True)]

    def _line_names(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the names of rows and columns, their numbers where they have none."""
        first = self.estimators[0]
        return tuple(
            np.arange(size) if names is None else names
            for names, size in zip(
                (first.row_names_, first.column_names_), self.codes.shape, strict=True
            )
        )

    @property
    def settled(self) -> bool:
        """Whether all quantities of `diagnostics` have settled; of the entries nine in ten.

        Of fifty entries, one or two are above R-hat's limit by chance.
        """
        verdicts = self.diagnostics["settled"].to_numpy(dtype=bool)
        n_entries = self._plan.places[0].size
        others, entries = np.split(verdicts, [verdicts.size - n_entries])
        return bool(others.all() and entries.mean() >= SETTLED_ENTRIES)

    @property
    def advice(self) -> str:
        """What to do about chains that have not settled; empty if they have."""
        n_chains = len(self.estimators)
        if self.settled:
            return ""
        if n_chains < MIN_CHAINS:
            return f"a single run of {self._name} cannot show what another would: take 4 chains"
        if not self._sampled:
            return (
                f"{n_chains} starts of {self._name} end in different places, with losses from "
                f"{self.losses.min():.4f} to {self.losses.max():.4f} nats per entry: "
                "take .best, or more starts"
            )
        return self._advice_to_a_sampler(n_chains)

    def _advice_to_a_sampler(self, n_chains: int) -> str:
        settings = self.estimators[0].get_params()
        burn_in, n_samples = settings["burn_in"], settings["n_samples"]
        table = self.diagnostics[~self.diagnostics["settled"]]
        worst = table.loc[table["r_hat"].fillna(np.inf).idxmax()]
        values = next(q.values for q in self._quantities() if q.name == worst["quantity"])
        if values.shape[1] < MIN_DRAWS:
            return (
                f"n_samples = {n_samples} of {self._name} is too few to tell whether "
                f"{n_chains} chains have settled: try n_samples = 1000"
            )
        text = f"{n_chains} chains of {self._name} have not settled: {worst['quantity']} "
        instead = "use .expectation, the mean over chains, and .best for pictures"
        if settings.get("start") == "random":
            instead += ", or try start = 'mean-field'"
        if np.isnan(worst["r_hat"]):
            return f"{text}stands still in a chain, and not at the same value in all: {instead}"
        text += (
            f"has R-hat {worst['r_hat']:.3f} and {worst['ess_bulk']:.0f} effective draws; settled "
            f"is below {R_HAT_LIMIT} and above {ESS_LIMIT * n_chains}. "
        )
        if worst["r_hat"] < STILL_MOVING:
            factor = int(np.clip(np.ceil(ESS_LIMIT * n_chains / worst["ess_bulk"]), 2, 10))
            return text + f"They agree but move slowly: try n_samples = {factor * n_samples}"
        if _between_halves(values) >= STILL_MOVING:
            return text + (
                f"They are still on their way: try burn_in = {2 * (burn_in + n_samples)}, "
                f"n_samples = {2 * n_samples}; or {instead}"
            )
        return f"{text}Each stays in a place of its own, so longer chains hardly help: {instead}"

    def to_arviz(self) -> xarray.DataTree:
        """Return the chains as an xarray DataTree with ArviZ's groups.

        - posterior, (chain, draw): active_components; share (of the largest components);
          expected_v, E[v_fn | Z] of some entries; with draws, those sweeps alone, and their W and
          H, whose components are numbered as they come
        - sample_stats: lp, the log joint in nats, and log_likelihood, of V given E[V | Z]
        - observed_data: V (row, column), float32, NaN where missing

        A method that does not sample has a single draw, its end, or the draws of its q(W) q(H).

        Raises
        ------
        ConfigError
            If xarray is not installed.
        """
        try:
            import xarray
        except ImportError as error:
            raise ConfigError("to_arviz needs the package xarray: pip install xarray") from error

        groups = {
            "posterior": self._posterior(),
            "sample_stats": self._sample_stats(),
            "observed_data": {
                "V": (("row", "column"), np.where(self.codes < 0, np.float32("nan"), self.codes))
            },
        }
        rows, columns = self._line_names()
        names = {"row": rows, "column": columns, "entry": self._entry_names()}
        about = {
            "inference_library": "nbmf",
            "inference_library_version": nbmf.__version__,
            "creation_library": "nbmf",
            "method": repr(self.estimators[0]),
        }
        datasets = {}
        for group, variables in groups.items():
            sizes = {}
            for dims, values in variables.values():
                sizes |= dict(zip(dims, values.shape, strict=True))
            coordinates = {dim: names.get(dim, np.arange(size)) for dim, size in sizes.items()}
            datasets[group] = xarray.Dataset(variables, coordinates, about)
        return xarray.DataTree.from_dict(datasets)

    def _posterior(self) -> dict[str, tuple]:
        """Return dimensions and values of the variables of ArviZ's group posterior."""
        sampled = ("chain", "draw")
        variables = {
            "active_components": (sampled, self._at_draws("active components")),
            "share": ((*sampled, "rank"), self._at_draws("shares")),
            "expected_v": ((*sampled, "entry"), self._at_draws("entries")),
        }
        if self._plan.is_draws:
            variables["W"] = (*sampled, "row", "component"), self._W
            variables["H"] = (*sampled, "component", "column"), self._H
        return variables

    def _sample_stats(self) -> dict[str, tuple]:
        """Return dimensions and values of the variables of ArviZ's group sample_stats."""
        names = {"lp": "objective", "log_likelihood": "log likelihood"}
        return {
            name: (("chain", "draw"), self._at_draws(own))
            for name, own in names.items()
            if not np.isnan(self.trace[own]).any()
        }

    def _at_draws(self, name: str) -> np.ndarray:
        """Return a trace at the sweeps of the draws, or at all that were recorded without draws."""
        trace, plan = self.trace[name], self._plan
        if not plan.is_draws:
            return trace
        if not self._sampled:  # its end, for each draw from it
            return np.repeat(trace, plan.n_kept, axis=1)
        return trace[:, plan.per_kept - 1 :: plan.per_kept]


def _between_halves(values: np.ndarray) -> float:
    """Return the median over chains of R-hat between the halves of one; inf where none is known."""
    length = values.shape[1] // 2
    halves = [np.array([chain[:length], chain[-length:]]) for chain in values]
    known = [x for x in (chain_diagnostics(two).r_hat for two in halves) if not np.isnan(x)]
    return float(np.median(known)) if known else np.inf
