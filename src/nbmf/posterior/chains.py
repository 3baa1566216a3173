"""Several chains or starts of one method: do they agree, and what do they say together?

R-hat and effective sample sizes are those of quantities that do not depend on how components are
numbered, recorded at some of the kept sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from nbmf.errors import ConfigError
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.state import Factors
from nbmf.posterior.advice import advice_about
from nbmf.posterior.arviz import tree_of
from nbmf.posterior.co_clustering import refuse_without_memberships
from nbmf.posterior.diagnostics import MIN_CHAINS, MIN_DRAWS, UNKNOWN, Diagnostics, chain_diagnostics, settled
from nbmf.posterior.draws import Draws
from nbmf.posterior.recording import Plan, training_loss

if TYPE_CHECKING:
    import xarray

SETTLED_ENTRIES = 0.9  # of the recorded entries for chains to count as settled
AGREEMENT = 0.01  # how far apart starts may end: a probability, or relative to a log-likelihood
AT_REST = 1e-9  # relative difference that is rounding


class Quantity(NamedTuple):
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
    values : array (F, N)
        The matrix in the coding of the method's likelihood; of a binary one int8, 1, 0 and -1
        (missing).
    trace : dict of float arrays (chains, recorded sweeps, ...)
        objective (in nats; of the collapsed samplers the log joint), log likelihood of V given
        that sweep's factors in nats, components (K), active components, shares (of the largest
        components, in order; none where components have no shares), entries (of E[V] given that
        sweep's factors).
    """

    estimators: list[Factorization]
    values: np.ndarray
    trace: dict[str, np.ndarray]
    _kept: list[list[Factors]]
    _plan: Plan

    def __repr__(self) -> str:
        kind = "chains" if self.sampled else "starts"
        state = "settled" if self.settled else "not settled"
        return f"<{len(self.estimators)} {kind} of {self.name}, {state}>"

    @property
    def name(self) -> str:
        """The name of the method's class."""
        return type(self.estimators[0]).__name__

    @property
    def sampled(self) -> bool:
        """Whether the method is a sampler, so that these are chains and not starts."""
        return self.estimators[0].inference is Inference.SAMPLER

    @cached_property
    def losses(self) -> np.ndarray:
        """The training loss of each chain, D(V|V^) in nats per observed entry: (chains,)."""
        return np.array([training_loss(one, self.values).perplexity for one in self.estimators])

    @property
    def best(self) -> Factorization:
        """The chain with the smallest training loss."""
        return self.estimators[int(np.argmin(self.losses))]

    @cached_property
    def expectation(self) -> np.ndarray:
        """E[V], the mean over chains, float array (F, N); refused as `expectation_` may be."""
        return np.mean([one.expectation_ for one in self.estimators], axis=0)

    @cached_property
    def disagreement(self) -> np.ndarray:
        """The standard deviation of the chains' E[V], float array (F, N); NaN of a single chain.

        Its means over rows, or columns, say which of them the chains see differently.
        """
        if len(self.estimators) < MIN_CHAINS:
            return np.full(self.values.shape, np.nan)
        squares = sum((one.expectation_ - self.expectation) ** 2 for one in self.estimators)
        return np.sqrt(squares / (len(self.estimators) - 1))

    def predict(self, rows: Any, columns: Any) -> np.ndarray:
        """Return E[v] of single entries, the mean over chains; see Factorization.predict."""
        return np.mean([one.predict(rows, columns) for one in self.estimators], axis=0)

    @cached_property
    def draws(self) -> Draws | None:
        """The draws of all chains, one after another, components as in `best`; None without."""
        return self._all_kept() if self._plan.is_draws else None

    def _all_kept(self) -> Draws:
        return Draws(self.best, [factors for chain in self._kept for factors in chain])

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
            If the method has no posterior, or not even a few factors fit into max_memory_gb.
        NotSupportedError
            If components have no shares; see `Draws.co_clustering`.
        """
        if self.estimators[0].inference is Inference.POINT:
            raise ConfigError(f"co_clustering: {self.name} has no posterior distribution")
        refuse_without_memberships(self.estimators[0], axis)
        if not all(self._kept):
            raise ConfigError("co_clustering: W and H of the chains do not fit into max_memory_gb")
        return self._all_kept().co_clustering(axis)

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
        for quantity in self.quantities():
            values, n_chains = quantity.values, len(quantity.values)
            means = values.mean(axis=1)
            spread = means.std(ddof=1) if n_chains >= MIN_CHAINS else np.nan
            found, agrees = UNKNOWN, bool(spread <= AGREEMENT * quantity.scale)
            if self.sampled:
                found = chain_diagnostics(values)
                enough = n_chains >= MIN_CHAINS and values.shape[1] >= MIN_DRAWS
                agrees = settled(found.r_hat, found.ess_bulk, n_chains)
                agrees = agrees or (enough and quantity.at_rest())
            rows.append([quantity.name, means.mean(), spread, *found, agrees])
        columns = ["quantity", "mean", "spread", *Diagnostics._fields, "settled"]
        return pd.DataFrame(rows, columns=columns)

    def quantities(self) -> Iterator[Quantity]:
        """Yield what is diagnosed; the entries of E[V] come last."""
        trace = self.trace
        objective, likelihood = trace["objective"], trace["log likelihood"]
        if not np.isnan(objective).any():
            name = "log joint" if self.sampled else "objective"
            yield Quantity(name, objective, abs(objective.mean()))
        yield Quantity("log likelihood", likelihood, abs(likelihood.mean()))
        if np.ptp(trace["components"]):  # where K is no choice
            yield Quantity("components", trace["components"])
        yield Quantity("active components", trace["active components"])
        for rank, share in enumerate(np.moveaxis(trace["shares"], 2, 0), start=1):
            if share.mean() >= ACTIVE_SHARE:
                yield Quantity(f"share {rank}", share)
        for name, entry in zip(self.entry_names(), np.moveaxis(trace["entries"], 2, 0), strict=True):
            yield Quantity(f"E[v] {name}", entry)

    def entry_names(self) -> list[str]:
        """Return row and column of each recorded entry, by name where they have names."""
        rows, columns = self.line_names()
        return [f"{rows[f]}, {columns[n]}" for f, n in zip(*self._plan.places, strict=True)]

    def line_names(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the names of rows and columns, their numbers where they have none."""
        first = self.estimators[0]
        return tuple(
            np.arange(size) if names is None else names
            for names, size in zip((first.row_names_, first.column_names_), self.values.shape, strict=True)
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
        return advice_about(self)

    def to_arviz(self) -> xarray.DataTree:
        """Return the chains as an xarray DataTree with ArviZ's groups.

        - posterior, (chain, draw): active_components; share (of the largest components, where they
          have shares); expected_v, E[v_fn] given that sweep's factors, of some entries; with
          draws, those sweeps alone, and, if all have one K, their W and H, whose components are
          numbered as they come
        - sample_stats: lp, the objective in nats (of the collapsed samplers the log joint), and
          log_likelihood, of V given that sweep's factors
        - observed_data: V (row, column), float32, NaN where missing

        A method that does not sample has a single draw, its end, or the draws of its q(W) q(H).

        Raises
        ------
        ConfigError
            If xarray is not installed.
        """
        return tree_of(self, self._plan)
