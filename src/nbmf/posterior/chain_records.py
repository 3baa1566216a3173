"""What was recorded of several chains or starts of one method, and whether they agree.

R-hat and effective sample sizes are those of quantities that do not depend on how components are
numbered, recorded at some of the kept sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import ACTIVE_SHARE, Factorization
from nbmf.inference.starts import Starts
from nbmf.likelihoods.ordered import Ordered
from nbmf.posterior.diagnostics import MIN_CHAINS, MIN_DRAWS, UNKNOWN, Diagnostics, chain_diagnostics, have_converged
from nbmf.posterior.recording import RecordingPlan, training_loss

CONVERGED_ENTRIES = 0.9  # of the recorded entries for chains to count as converged
# How far apart starts may end: a probability; a part of a log-likelihood, of a larger E[v], or of all categories.
AGREEMENT = 0.01
ACTIVE = "active components"
ENTRY = "E[v]"  # begins what quantities of entries are called
REST_TOLERANCE = 1e-9  # relative difference that is rounding


class Quantity(NamedTuple):
    """name; values (chains, recorded); how large a difference has to be to matter, by AGREEMENT."""

    name: str
    values: np.ndarray
    scale: float = 1.0

    def is_at_rest(self) -> bool:
        """Return whether the quantity is the same always and in all chains, but for rounding."""
        return bool(np.ptp(self.values) <= REST_TOLERANCE * max(1.0, abs(self.values).max()))


@dataclass(frozen=True, eq=False)
class ChainRecords:
    """Several fits of one method to one matrix, and what was recorded of them; see Chains for the attributes."""

    estimators: list[Factorization]
    values: np.ndarray
    trace: dict[str, np.ndarray]
    _plan: RecordingPlan

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
        return np.array([training_loss(estimator, self.values).perplexity for estimator in self.estimators])

    @cached_property
    def starts(self) -> Starts | None:
        """The objectives of starts and which is the best; None of chains, and of methods without an objective."""
        objectives = [estimator.objective_ for estimator in self.estimators]
        return None if None in objectives else Starts.of(objectives)

    @property
    def place_of_best(self) -> int:
        """The start with the largest objective; where there is none the chain or start with the smallest loss."""
        return int(np.argmin(self.losses)) if self.starts is None else self.starts.kept

    @property
    def best(self) -> Factorization:
        """The estimator at `place_of_best`."""
        return self.estimators[self.place_of_best]

    @cached_property
    def diagnostics(self) -> pd.DataFrame:
        """What the chains say about quantities that do not depend on how components are numbered.

        Columns quantity, mean, spread (the standard deviation of the chains' means), r_hat,
        ess_bulk, ess_tail (Vehtari et al. 2021; NaN for methods that do not sample) and converged: whether it has
        converged.
        A sampler's quantity has converged if R-hat < 1.01 and its effective sample size is above 100
        per chain, or if it is at rest at the same value in all chains. Of other methods, it says
        whether the starts end together: a spread below 0.01, of log-likelihoods and of E[v] above 1 below 1 %, of
        E[v] of ordered categories below 1 % of the way from the lowest to the highest.
        """
        rows = []
        for quantity in self.quantities():
            values, n_chains = quantity.values, len(quantity.values)
            means = values.mean(axis=1)
            spread = means.std(ddof=1) if n_chains >= MIN_CHAINS else np.nan
            diagnostics, agrees = UNKNOWN, bool(spread <= AGREEMENT * quantity.scale)
            if self.sampled:
                diagnostics = chain_diagnostics(values)
                enough = n_chains >= MIN_CHAINS and values.shape[1] >= MIN_DRAWS
                agrees = have_converged(diagnostics.r_hat, diagnostics.ess_bulk, n_chains)
                agrees = agrees or (enough and quantity.is_at_rest())
            rows.append([quantity.name, means.mean(), spread, *diagnostics, agrees])
        columns = ["quantity", "mean", "spread", *Diagnostics._fields, "converged"]
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
        yield Quantity(ACTIVE, trace[ACTIVE])
        for rank, share in enumerate(np.moveaxis(trace["shares"], 2, 0), start=1):
            if share.mean() >= ACTIVE_SHARE:
                yield Quantity(f"share {rank}", share)
        for name, entry in zip(self.entry_names(), np.moveaxis(trace["entries"], 2, 0), strict=True):
            yield Quantity(f"{ENTRY} {name}", entry, max(1.0, self._size_of(entry)))

    def _size_of(self, entry: np.ndarray) -> float:
        """Return how large E[v] is: a count may be large, and of ordered categories it is as far from either end."""
        is_ordered = isinstance(self.estimators[0].likelihood, Ordered)
        return float(self.values.max() if is_ordered else abs(entry.mean()))

    def entry_names(self) -> list[str]:
        """Return row and column of each recorded entry, by name where they have names."""
        rows, columns = self.axis_names()
        return [f"{rows[f]}, {columns[n]}" for f, n in zip(*self._plan.places, strict=True)]

    def axis_names(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the names of rows and columns, their numbers where they have none."""
        first = self.estimators[0]
        return tuple(
            np.arange(size) if names is None else names
            for names, size in zip((first.row_names_, first.column_names_), self.values.shape, strict=True)
        )

    @property
    def converged(self) -> bool:
        """Whether all quantities of `diagnostics` have converged; of the entries nine in ten.

        Of fifty entries, one or two are above R-hat's limit by chance. How many components are active says nothing of
        starts: one whose share is near the limit counts in some of them.
        """
        table = self.diagnostics
        agree = (table["converged"] | ((table["quantity"] == ACTIVE) & (not self.sampled))).to_numpy(dtype=bool)
        n_entries = self._plan.places[0].size
        others, entries = np.split(agree, [agree.size - n_entries])
        return bool(others.all() and entries.mean() >= CONVERGED_ENTRIES)
