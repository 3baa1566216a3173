"""How sure a fit is: posterior draws, credible intervals, and checks of the model on its data.

What depends on how components are numbered is only what has to: the intervals of W and of H.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from nbmf.errors import ConfigError, NotSupportedError, choices, not_allowed
from nbmf.inference import parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import AUTO
from nbmf.inference.required import require_estimator
from nbmf.inference.state import Factors, Monitor
from nbmf.numerics.blas import one_blas_thread
from nbmf.posterior import co_clustering, intervals, predictive_check
from nbmf.posterior.alignment import Matching, match_components
from nbmf.posterior.observer import Observer
from nbmf.posterior.store import DrawStore, kept_sweeps, refuse_too_much_memory, refuse_without_posterior

if TYPE_CHECKING:
    import pandas as pd

# As in a fit: the rounding of products must not depend on the machine's load. Small products are
# faster so, too.
_on_one_thread = one_blas_thread()


DRAWS = 200


def posterior_draws(
    estimator: Factorization,
    V: Any,
    *,
    n_draws: int | None = None,
    max_memory_gb: float = 1.0,
    monitor: Monitor | None = None,
) -> Draws:
    """Fit `estimator` to V and keep draws of its factors from the posterior.

    Samplers draw the factors given the state after `n_draws` evenly spaced kept sweeps, of Gibbs
    samplers given the assignments, eqs. (26)-(27) and (62)-(63): these are draws from p(W, H | V),
    as correlated as the sweeps are. Variational methods draw from q(W) q(H) at their end: too
    narrow, since q leaves out how W, H and the assignments depend on each other, and sees one mode
    (docs/uncertainty.md says by how much). Of latent classes (MNB) a Gibbs sampler draws from where EM
    ends. Draws have random numbers of their own, so the fit has
    the same bits as without.

    Parameters
    ----------
    estimator : Factorization
        It is fitted afterwards, as by `fit`.
    V : BinaryMatrix, array (F, N) or DataFrame
        Values that the likelihood allows, for a binary one 1 and 0, and missing (NaN or -1).
    n_draws : int, optional
        S, for samplers at most n_samples. Default: 200, of samplers that keep fewer sweeps n_samples.
    max_memory_gb : float
        Of the draws, S (F K + K N) numbers of 4 bytes, and whatever else a model's factors have.
        The fit ends with an error when they exceed it, where K changes along the chain, say.
    monitor : Monitor, optional
        As for `fit`. A checkpoint holds the draws so far as well.

    Raises
    ------
    ConfigError
        If the estimator is none, a parameter has a value that is not allowed, the method has no posterior, or the
        draws exceed n_samples or the memory.
    DataError
        As for `fit`.
    """
    require_estimator(estimator)
    estimator.check_parameters()
    refuse_without_posterior(estimator)
    is_sampler = estimator.inference is Inference.SAMPLER
    if n_draws is None:
        n_draws = min(DRAWS, estimator.n_samples) if is_sampler else DRAWS
    parameters.check_count("n_draws", n_draws, 1)
    if estimator.n_components == AUTO:
        raise not_allowed("n_components", AUTO, "a number: nbmf.run_chains finds one and draws")
    shape = estimator.values_of(V).shape
    refuse_too_much_memory(shape, estimator.n_components, n_draws, max_memory_gb)
    store = DrawStore(estimator, max_memory_gb)
    looks = [(kept_sweeps(estimator, n_draws), store.draw)] if is_sampler else []
    observer = Observer(looks, monitor, [store])
    estimator.fit(V, monitor=observer)
    observer.finish()
    if not is_sampler:
        for number in range(n_draws):
            store.draw(number, observer.state)
    return Draws(copy.copy(estimator), store.factors)  # the object itself may be fitted again


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from the posterior of the factors; a sequence of Factors, in single precision.

    `len(draws)` is S, `draws[s]` are the Factors of one draw, `draws[:50]` are Draws again. A slice that has
    none of the draws raises a ConfigError.

    Parameters
    ----------
    estimator : Factorization
        The fit. Intervals of W and H number components as its W_ and H_ do.
    factors : list of Factors
        float32 arrays W (F, K), H (K, N), of any K each.
    """

    estimator: Factorization
    factors: Sequence[Factors]

    def __len__(self) -> int:
        return len(self.factors)

    def __getitem__(self, index: int | slice) -> Factors | Draws:
        chosen = self.factors[index]
        if not isinstance(index, slice):
            return chosen
        if not chosen:  # of which there is neither an interval nor anything else
            raise ConfigError(f"{index} has none of the draws, of which there are {len(self)}")
        return Draws(self.estimator, chosen)

    def __iter__(self) -> Iterator[Factors]:
        return iter(self.factors)

    def __repr__(self) -> str:
        return f"<{len(self)} draws of {type(self.estimator).__name__}>"

    @cached_property
    def W(self) -> np.ndarray:
        """W of all draws, float32 array (S, F, K): a copy.

        Raises
        ------
        NotSupportedError
            If K is not the same in all draws; iterate over the draws then.
        """
        self._require_one_K()
        return np.stack([factors.W for factors in self])

    @cached_property
    def H(self) -> np.ndarray:
        """H of all draws, float32 array (S, K, N): a copy; see W."""
        self._require_one_K()
        return np.stack([factors.H for factors in self])

    @property
    def sizes(self) -> np.ndarray:
        """K of each draw, int array (S,)."""
        return np.array([factors.W.shape[1] for factors in self], int)

    def _require_one_K(self) -> None:
        if np.ptp(self.sizes):
            raise NotSupportedError(
                f"draws of {type(self.estimator).__name__} have different numbers of components, "
                f"{self.sizes.min()} to {self.sizes.max()}: draws[s].W and draws[s].H are those of "
                "one draw"
            )

    @_on_one_thread
    def expectation_interval(self, level: float = 0.9, *, of_ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of E[v_fn], every entry.

        Between the quantiles (1 - level) / 2 and (1 + level) / 2 of the draws by Weibull's rule,
        which puts the i-th smallest of S draws at i / (S + 1): another draw from the posterior
        falls into the interval with probability `level`. That takes 2 / (1 - level) - 1 draws, 19 for 0.9; of fewer
        it is from the smallest to the largest one, with (S - 1) / (S + 1). It needs about 0.2 GB besides the result.

        Parameters
        ----------
        level : float
        of_ties : bool
            Of an undirected network: the interval of the mean of v_fn and v_nf.

        Returns
        -------
        lower, upper : float32 arrays (F, N)

        Raises
        ------
        ConfigError
            If `level` is not between 0 and 1.
        """
        return intervals.expectation_interval(self.estimator, self.factors, level, of_ties)

    def dictionary_interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of every w_fk, components as in W_.

        Labels may switch between draws, so components are matched first; see `alignment`, which
        also says where that fails.

        Returns
        -------
        lower, upper : float32 arrays (F, K)

        Raises
        ------
        NotSupportedError
            If components cannot be matched; see `alignment`.
        """
        return intervals.factor_interval([factors.W for factors in self], self.alignment, level)

    def activation_interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of every h_kn; see `dictionary_interval`.

        Returns
        -------
        lower, upper : float32 arrays (K, N)
        """
        columns = [factors.H.T for factors in self]
        lower, upper = intervals.factor_interval(columns, self.alignment, level)
        return lower.T, upper.T

    def other_interval(self, name: str, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of what a model has besides W and H.

        Parameters
        ----------
        name : str
            As in `draws[0].others`, for example "row effects". What is in the coordinates of W_, such as "group means"
            or "paths", is rotated as W is.
        level : float

        Returns
        -------
        lower, upper : float32 arrays of its shape

        Raises
        ------
        ConfigError
            If the model has nothing of this name.
        NotSupportedError
            If it is in the coordinates of each draw, and nothing says how to rotate it.
        """
        if name not in self[0].others:
            raise ConfigError(f"no {name!r} among the draws; {choices(name, self[0].others)}")
        if name in self.estimator.unturned_others:
            raise NotSupportedError(f"{name!r} has other coordinates in each draw, and no intervals")
        drawn = [one.others[name] for one in self]
        if name in self.estimator.turning_others:  # components are on the last axis
            flat = [each.reshape(-1, each.shape[-1]) for each in drawn]
            lower, upper = intervals.factor_interval(flat, self.alignment, level)
            return lower.reshape(drawn[0].shape), upper.reshape(drawn[0].shape)
        return intervals.interval(np.stack(drawn), level)

    @cached_property
    @_on_one_thread
    def alignment(self) -> Matching:
        """Which component of each draw is which component of the estimator.

        By the alignment that the class declares: by matching where components come in any order
        and by rotation where they are known up to one, see
        nbmf.posterior.alignment.match_components; as they are numbered where they keep their
        places.

        Raises
        ------
        NotSupportedError
            If K is not the same in all draws and W_.
        """
        return match_components(self.estimator, self.factors)

    def shares(self) -> np.ndarray:
        """Return the shares of all weight, largest first in each draw: float array (S, K).

        K is the largest of all draws; a draw with fewer components has shares of 0 for the rest.

        Raises
        ------
        NotSupportedError
            If neither factor is a distribution over components.
        """
        if not self.estimator.distributions:
            name = type(self.estimator).__name__
            raise NotSupportedError(f"components of {name} have no shares of all weight")
        shares = np.zeros((len(self), self.sizes.max(initial=0)), np.float32)
        for row, factors in zip(shares, self, strict=True):
            row[: factors.W.shape[1]] = -np.sort(-self.estimator.shares_of(factors))
        return shares

    @_on_one_thread
    def co_clustering(self, axis: int = 0) -> np.ndarray:
        """Return how probably two rows (axis 0) or two columns (axis 1) go together.

        Of rows or columns that are distributions over components (rows of Beta-Dir, columns of Dir-Beta,
        both of Dir-Dir) the probability that an entry of one and an entry of the other use the
        same component, E[Σ_k w_fk w_gk]. Of those that are probabilities of a one, the probability
        that they agree where both use one component, drawn by its share π:
        E[Σ_k π_k (h_kn h_km + (1 - h_kn)(1 - h_km))]. How components are numbered does not matter.
        The diagonal is that of two entries of the same row or column.

        Returns
        -------
        float array (F, F) or (N, N)
            Symmetric.

        Raises
        ------
        ConfigError
            If `axis` is neither 0 nor 1.
        NotSupportedError
            If neither factor is a distribution over components, or the rows or columns are neither of these.
        """
        return co_clustering.co_clustering(self.estimator, self.factors, axis)

    @_on_one_thread
    def predictive_check(self, V: Any, seed: int = 0) -> pd.DataFrame:
        """Compare V with matrices that the model would make, one from each draw.

        A replicate is drawn from Bernoulli(E[V | draw]) where V is observed; if V is symmetric, so is a replicate, from
        the means of E[V | draw] and its transpose. If V's value of a
        statistic T is rare among those of S replicates, the model misses what T measures. With
        a = (1 + #{T_rep >= T}) / (S + 1) and b = (1 + #{T_rep <= T}) / (S + 1), the two-sided
        posterior predictive p-value is min(1, 2 min(a, b)). It is conservative: V was used for
        the fit as well, so a true model gives p-values near 1/2 more often than a uniform distribution.

        Statistics are the proportion of ones; the standard deviations of row means and of column
        means; the largest singular value of the matrix less its column means, with 0 for missing;
        transitivity, how often rows f and g with a common one, of which f has another one, have
        that in common too (missing counts as no one).

        Parameters
        ----------
        V : BinaryMatrix, array (F, N) or DataFrame
            The matrix of the fit.
        seed : int
            Of the replicates.

        Returns
        -------
        DataFrame
            A row per statistic, columns observed, mean, lower, upper (90 % of the replicates)
            and p_value.

        Raises
        ------
        ConfigError
            If `seed` is no integer of at least 0.
        DataError
            If V has another shape than the draws, or other names than the matrix of the fit.
        NotSupportedError
            If the likelihood gives no probability of a one for each entry.
        """
        return predictive_check.predictive_check(self.estimator, self.factors, V, seed)
