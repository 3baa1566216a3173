"""Several chains or starts of one method: what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.errors import ConfigError, Setting
from nbmf.inference.declarations import Inference
from nbmf.inference.state import Factors
from nbmf.posterior.advice import convergence_advice
from nbmf.posterior.arviz import make_tree
from nbmf.posterior.chain_records import ChainRecords
from nbmf.posterior.co_clustering import refuse_without_memberships
from nbmf.posterior.diagnostics import MIN_CHAINS
from nbmf.posterior.draws import Draws

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True, eq=False)
class Chains(ChainRecords):
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

    _kept: list[list[Factors]]

    def __repr__(self) -> str:
        kind = "chains" if self.sampled else "starts"
        state = "converged" if self.converged else "not converged"
        return f"<{len(self.estimators)} {kind} of {self.name}, {state}>"

    @cached_property
    def expectation(self) -> np.ndarray:
        """E[V], the mean over chains, float array (F, N); refused as `expectation_` may be."""
        return np.mean([estimator.expectation_ for estimator in self.estimators], axis=0)

    @cached_property
    def disagreement(self) -> np.ndarray:
        """The standard deviation of the chains' E[V], float array (F, N); NaN of a single chain.

        Its means over rows, or columns, say which of them the chains see differently.
        """
        if len(self.estimators) < MIN_CHAINS:
            return np.full(self.values.shape, np.nan)
        squares = sum((estimator.expectation_ - self.expectation) ** 2 for estimator in self.estimators)
        return np.sqrt(squares / (len(self.estimators) - 1))

    def predict(self, rows: Any, columns: Any) -> np.ndarray:
        """Return E[v] of single entries, the mean over chains; see Factorization.predict."""
        return np.mean([estimator.predict(rows, columns) for estimator in self.estimators], axis=0)

    @cached_property
    def draws(self) -> Draws | None:
        """The draws of all chains, one after another, components as in `best`; None without.

        Of a point estimate they are those of the best start: other starts have ended at a lower mode.
        """
        return self._drawn_from(self._trusted) if self._plan.is_draws else None

    @property
    def _trusted(self) -> list[list[Factors]]:
        """What was kept of the chains whose draws count, see `draws`."""
        return [self._kept[self.place_of_best]] if self.best.inference is Inference.POINT else self._kept

    def _drawn_from(self, kept: list[list[Factors]]) -> Draws:
        return Draws(self.best, [factors for chain in kept for factors in chain])

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
        if self.estimators[0].inference is Inference.POINT and not self._plan.is_draws:
            raise ConfigError(f"co_clustering: {self.name} has no posterior distribution without draws")
        refuse_without_memberships(self.estimators[0], axis)
        if not all(self._kept):
            raise ConfigError("co_clustering: W and H of the chains do not fit into ", Setting("max_memory_gb"))
        return self._drawn_from(self._trusted).co_clustering(axis)

    @property
    def advice(self) -> str:
        """What to do about chains that have not converged; empty if they have."""
        return convergence_advice(self)

    def to_arviz(self) -> xarray.DataTree:
        """Return the chains as an xarray DataTree with ArviZ's groups.

        - posterior, (chain, draw): active_components; share (of the largest components, where they
          have shares); expected_v, E[v_fn] given that sweep's factors, of some entries; with
          draws, those sweeps alone, and, if all have one K, their W and H, whose components are
          numbered as they come
        - sample_stats: lp, the objective in nats (of the collapsed samplers the log joint), and
          log_likelihood, of V given that sweep's factors
        - observed_data: V (row, column), float32, NaN where missing

        A method that does not sample has a single draw, its end, or the draws that were kept of each start.

        Raises
        ------
        ConfigError
            If xarray is not installed.
        """
        return make_tree(self, self._plan, self._drawn_from(self._kept) if self._plan.is_draws else None)
