"""How sure a fit is: posterior draws, credible intervals, and checks of the model on its data.

What depends on how components are numbered is only what has to: the intervals of W and of H.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from threadpoolctl import threadpool_limits

from nbmf.data.matrix import MISSING, as_codes
from nbmf.errors import ConfigError, DataError
from nbmf.inference import parameters
from nbmf.inference.estimator import BayesianState, Factorization, Monitor, State
from nbmf.seeds import child

if TYPE_CHECKING:
    import pandas as pd

BYTES = 4  # of a float32
BLOCK = 2**24  # numbers that an interval is computed from at a time: 64 MB
ROUNDS = 10  # of matching components, at most
ENOUGH = 1e-3  # relative gain of a round for another one to be worth while
STEPS = 30  # of the power iteration
REPLICATE_LEVEL = 0.9  # of the interval that a predictive check shows
STATISTICS = (
    "share of ones",
    "sd of row means",
    "sd of column means",
    "largest singular value",
    "transitivity",
)


# --- Draws -----------------------------------------------------------------------------------


def posterior_draws(
    estimator: Factorization,
    V: Any,
    *,
    n_draws: int = 200,
    max_memory_gb: float = 1.0,
    monitor: Monitor | None = None,
) -> Draws:
    """Fit `estimator` to V and keep draws of (W, H) from the posterior.

    Gibbs samplers draw W and H given the assignments of `n_draws` evenly spaced kept sweeps,
    eqs. (26)-(27) and (62)-(63): these are draws from p(W, H | V), as correlated as the sweeps
    are. Variational methods draw from q(W) q(H) at their end: too narrow, since q leaves out how
    W, H and the assignments depend on each other, and sees one mode (docs/uncertainty.md says by
    how much). Draws have random numbers of their own, so the fit has the same bits as without.

    Parameters
    ----------
    estimator : Factorization
        It is fitted afterwards, as by `fit`.
    V : BinaryMatrix, array (F, N) or DataFrame
        1, 0 and missing (NaN or -1).
    n_draws : int
        S, for samplers at most n_samples.
    max_memory_gb : float
        Of the draws, S (F K + K N) numbers of 4 bytes.
    monitor : Monitor, optional
        As for `fit`. A checkpoint holds the draws so far as well.

    Raises
    ------
    ConfigError
        If the method has no posterior, or the draws exceed n_samples or the memory.
    DataError
        As for `fit`.
    """
    estimator.check_parameters()
    parameters.check_count("n_draws", n_draws, 1)
    F, N = as_codes(V).shape
    K = estimator.n_components
    refuse_too_much_memory((F, N), K, n_draws, max_memory_gb)
    W, H = np.zeros((n_draws, F, K), np.float32), np.zeros((n_draws, K, N), np.float32)
    store = DrawStore(estimator, W, H)
    if is_sampler(estimator):
        looks = [(kept_sweeps(estimator, n_draws), store.take)]
    else:
        looks = [((1,), store.refuse_without_posterior)]  # at once, not after the whole fit
    observer = Observer(looks, monitor, store.arrays())
    estimator.fit(V, monitor=observer)
    observer.finish()
    if not is_sampler(estimator):
        for number in range(n_draws):
            store.take(number, observer.state)
    return Draws(W, H, estimator.W_, estimator.H_)


def is_sampler(estimator: Factorization) -> bool:
    """Return whether a method keeps sweeps of a chain."""
    return {"burn_in", "n_samples"} <= estimator.get_params().keys()


def kept_sweeps(estimator: Factorization, count: int) -> list[int]:
    """Return `count` evenly spaced sweeps after the burn-in, the last sweep among them.

    Raises
    ------
    ConfigError
        If there are fewer.
    """
    if count > estimator.n_samples:
        raise ConfigError(
            f"n_draws = {count}: {type(estimator).__name__} keeps n_samples = "
            f"{estimator.n_samples} sweeps; allowed is 1 to {estimator.n_samples}"
        )
    return [
        estimator.burn_in + number * estimator.n_samples // count for number in range(1, count + 1)
    ]


class DrawStore:
    """Puts draws where they belong as they come.

    Parameters
    ----------
    estimator : Factorization
        Its random_state is the source of the draws' own random numbers.
    W, H : float32 arrays (S, F, K), (S, K, N)
        To be filled.
    """

    def __init__(self, estimator: Factorization, W: np.ndarray, H: np.ndarray):
        self._name, self._seed = type(estimator).__name__, estimator._seed()
        self._W, self._H = W, H

    def refuse_without_posterior(self, number: int, state: State) -> None:
        """Raise ConfigError if there is nothing to draw from."""
        if not hasattr(state, "draw_factors"):
            raise ConfigError(
                f"{self._name} has no posterior distribution to draw from; "
                "the Beta-Dir, Dir-Dir and Dir-Beta methods have one"
            )

    def take(self, number: int, state: BayesianState) -> None:
        """Draw W and H from the state as draw `number`."""
        self.refuse_without_posterior(number, state)
        rng = np.random.default_rng(child(self._seed, "draw", number))
        self._W[number], self._H[number] = state.draw_factors(rng)

    def take_means(self, number: int, state: BayesianState) -> None:
        """Take the means of W and H given the current assignments in the place of a draw."""
        self._W[number], self._H[number] = state.factors()

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all that changes, by name."""
        return {"draws of W": self._W, "draws of H": self._H}


def draws_that_fit(shape: tuple[int, int], K: int, max_memory_gb: float) -> int:
    """Return how many draws of W and H of an F x N matrix fit into the memory."""
    return int(max_memory_gb * 1e9 // (BYTES * sum(shape) * K))


def refuse_too_much_memory(
    shape: tuple[int, int], K: int, n_draws: int, max_memory_gb: float, chains: int = 1
) -> None:
    """Raise ConfigError, saying what would fit, if the draws of all chains need more memory."""
    parameters.check("max_memory_gb", max_memory_gb)
    if n_draws * chains <= draws_that_fit(shape, K, max_memory_gb):
        return
    most = {
        "n_draws": draws_that_fit(shape, K * chains, max_memory_gb),
        "n_components": draws_that_fit(shape, n_draws * chains, max_memory_gb),
    }
    fits = "".join(f"{name} up to {value}, or " for name, value in most.items() if value)
    of_chains = f" of each of {chains} chains" if chains > 1 else ""
    needed = BYTES * sum(shape) * K * n_draws * chains / 1e9
    raise ConfigError(
        f"n_draws = {n_draws}{of_chains} with n_components = {K} need {needed:.2g} GB, "
        f"max_memory_gb = {max_memory_gb}: what fits is {fits}a larger max_memory_gb"
    )


class Observer:
    """A monitor that looks at the state after some iterations, and lets another one do its own.

    Parameters
    ----------
    looks : list of (iterations, function)
        Increasing iterations, and what to call after each: with its number among them, from 0,
        and the state.
    monitor : Monitor, optional
        It is called when it would be called alone.
    arrays : dict of arrays
        What the looks fill, for a checkpoint of `monitor`'s to keep.

    Attributes
    ----------
    state : State
        The one seen last.
    """

    def __init__(
        self,
        looks: Sequence[tuple[Sequence[int], Callable[[int, State], None]]],
        monitor: Monitor | None,
        arrays: dict[str, np.ndarray],
    ):
        self._looks, self._monitor, self._arrays = looks, monitor, arrays
        self._due = 0  # the iteration that the monitor asked for
        self._skipped = None
        self.state = None

    def resume(self, state: State) -> int:
        """Let the monitor put back the state of an interrupted chain, with what was looked at."""
        return 0 if self._monitor is None else self._monitor.resume(self._with_arrays(state))

    def next_after(self, iteration: int) -> float:
        """Return the first iteration after `iteration` that anyone asks for."""
        if self._monitor is None:
            self._due = math.inf
        elif self._due <= iteration:  # it was called there: only then it is asked again
            self._due = self._monitor.next_after(iteration)
        asked = [self._due]
        for iterations, _ in self._looks:
            place = bisect.bisect_right(iterations, iteration)
            asked.append(iterations[place] if place < len(iterations) else math.inf)
        return min(asked)

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Look, if it is time to; call the monitor, if it asked to be or this is the end."""
        self.state = state
        looked = False
        for iterations, look in self._looks:
            place = bisect.bisect_left(iterations, iteration)
            if place < len(iterations) and iterations[place] == iteration:
                look(place, state)
                looked = True
        if self._monitor is None:
            return
        call = iteration, total, self._with_arrays(state)
        is_end = iteration == total or not looked  # nobody asked: the fit has converged
        is_its_turn = is_end or iteration == self._due
        self._skipped = None if is_its_turn else call
        if is_its_turn:
            self._monitor(*call)

    def finish(self) -> None:
        """After the fit: tell the monitor of its end if that fell together with a look."""
        if self._skipped is not None:
            self._monitor(*self._skipped)

    def _with_arrays(self, state):
        return _WithArrays(state, self._arrays) if self._arrays else state


class _WithArrays:
    """A state that has more to be saved."""

    def __init__(self, state, more):
        self._state, self._more = state, more

    def __getattr__(self, name):
        return getattr(self._state, name)

    def arrays(self):
        return self._state.arrays() | self._more


# --- What draws say --------------------------------------------------------------------------


def memberships(W: np.ndarray, H: np.ndarray) -> np.ndarray | None:
    """Return the factor that is a distribution over components, (lines, K), None without one.

    Rows of W under Beta-Dir and Dir-Dir, columns of H under Dir-Beta.
    """
    if _sum_to_one(W.T):
        return W
    return H.T if _sum_to_one(H) else None


def _sum_to_one(by_component: np.ndarray) -> bool:
    return np.allclose(by_component.sum(axis=0), 1, atol=1e-4)


# As in a fit: the rounding of products must not depend on the machine's load. Small products are
# faster so, too.
_on_one_thread = threadpool_limits.wrap(limits=1, user_api="blas")


class Alignment(NamedTuple):
    """Which component of each draw plays the role of component k of the estimator.

    order : int array (S, K)
        Component order[s, k] of draw s plays the role of k.
    moved : float
        The share of all weight that is in components with another number than their role: 0 if
        labels never switched.
    overlap : float array (K,)
        Mean cosine between what component k holds in a draw and what it holds on average: rows
        for Beta-Dir and Dir-Dir, columns for Dir-Beta. Near 1, a component is the same in every
        draw; far below, there is no such component, and its intervals mean nothing.
    """

    order: np.ndarray
    moved: float
    overlap: np.ndarray


@dataclass(frozen=True, eq=False)
class Draws:
    """Draws from the posterior of W and H.

    Parameters
    ----------
    W : float32 array (S, F, K)
    H : float32 array (S, K, N)
    W_reference, H_reference : float arrays (F, K), (K, N)
        The estimator's W_ and H_: intervals of W and H number components as these do.
    """

    W: np.ndarray
    H: np.ndarray
    W_reference: np.ndarray
    H_reference: np.ndarray

    @_on_one_thread
    def expectation_interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of E[v_fn] = Σ_k w_fk h_kn, every entry.

        Between the quantiles (1 - level) / 2 and (1 + level) / 2 of the draws by Weibull's rule,
        which puts the i-th smallest of S draws at i / (S + 1): another draw from the posterior
        falls into the interval with probability `level`. Needs about 0.2 GB beside the result.

        Returns
        -------
        lower, upper : float32 arrays (F, N)

        Raises
        ------
        ConfigError
            If `level` is not between 0 and 1.
        """
        S, F, _ = self.W.shape
        N = self.H.shape[2]
        lower, upper = np.empty((2, F, N), np.float32)
        for n in _blocks(N, S):
            for f in _blocks(F, S * (n.stop - n.start)):
                lower[f, n], upper[f, n] = _interval(self.W[:, f] @ self.H[:, :, n], level)
        return np.minimum(lower, 1), np.minimum(upper, 1)  # not above, by rounding

    def dictionary_interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of every w_fk, components as in W_.

        Labels may switch between draws, so components are matched first; see `alignment`, which
        also says where that fails.

        Returns
        -------
        lower, upper : float32 arrays (F, K)
        """
        return self._factor_interval(self.W, self.alignment.order[:, None, :], level)

    def activation_interval(self, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """Return the equal-tailed credible interval of every h_kn; see `dictionary_interval`.

        Returns
        -------
        lower, upper : float32 arrays (K, N)
        """
        turned = self.H.transpose(0, 2, 1)
        lower, upper = self._factor_interval(turned, self.alignment.order[:, None, :], level)
        return lower.T, upper.T

    @staticmethod
    def _factor_interval(factor, order, level):
        """Return the interval of a factor (S, lines, K), lines in blocks."""
        S, lines, K = factor.shape
        lower, upper = np.empty((2, lines, K), np.float32)
        for block in _blocks(lines, S * K):
            aligned = np.take_along_axis(factor[:, block], order, axis=2)
            lower[block], upper[block] = _interval(aligned, level)
        return lower, upper

    @cached_property
    @_on_one_thread
    def alignment(self) -> Alignment:
        """Which component of each draw is which component of the estimator, by matching.

        Every draw's components are assigned one to one to those of a reference, first W_ and H_,
        then the means of the draws so aligned, until little is gained: the assignment for which
        most entries of V are expected to be in matched components that say the same of them.
        This is a heuristic, and no matching helps where a component of one draw is split in two
        in another: `overlap` shows it.
        """
        S, _, K = self.W.shape
        reference = self.W_reference.astype(np.float32), self.H_reference.astype(np.float32)
        agreement = 0.0
        for _ in range(ROUNDS):
            before = agreement
            matches = [self._match(W, H, *reference) for W, H in self._pairs()]
            order = np.array([found for found, _ in matches])
            agreement = sum(agreed for _, agreed in matches)
            if agreement <= (1 + ENOUGH) * before:
                break
            reference = (
                np.mean([W[:, k] for (W, _), k in zip(self._pairs(), order, strict=True)], axis=0),
                np.mean([H[k] for (_, H), k in zip(self._pairs(), order, strict=True)], axis=0),
            )
        overlap = np.mean(
            [
                _cosines(memberships(W, H)[:, k], memberships(*reference))
                for (W, H), k in zip(self._pairs(), order, strict=True)
            ],
            axis=0,
        )
        roles = np.take_along_axis(self._shares, order, axis=1)
        moved = float(roles[order != np.arange(K)].sum() / S)
        return Alignment(order, moved, overlap)

    def _match(self, W, H, W_reference, H_reference):
        """Return the component of W and H for each of the reference, and how well they agree."""
        same_rows = _agreement(W.T, W_reference.T, self._rows_have_shares)
        same_columns = _agreement(H, H_reference, self._columns_have_shares)
        agreement = same_rows * same_columns
        found, roles = linear_sum_assignment(agreement, maximize=True)
        return found[np.argsort(roles)], float(agreement[found, roles].sum())

    def _pairs(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return zip(self.W, self.H, strict=True)

    @cached_property
    def _rows_have_shares(self) -> bool:
        return _sum_to_one(self.W[0].T)

    @cached_property
    def _columns_have_shares(self) -> bool:
        return _sum_to_one(self.H[0])

    @cached_property
    def _shares(self) -> np.ndarray:
        """The share of each component in each draw, (S, K)."""
        return np.array([memberships(W, H).mean(axis=0) for W, H in self._pairs()])

    def shares(self) -> np.ndarray:
        """Return the shares of all weight, largest first in each draw: float array (S, K)."""
        return -np.sort(-self._shares, axis=1)

    @_on_one_thread
    def co_clustering(self, axis: int = 0) -> np.ndarray:
        """Return how probably two rows (axis 0) or two columns (axis 1) go together.

        Of lines that are distributions over components (rows of Beta-Dir, columns of Dir-Beta,
        both of Dir-Dir) the probability that an entry of one and an entry of the other use the
        same component, E[Σ_k w_fk w_gk]. Of the others, the probability that they agree where
        both use one component, drawn by its share π: E[Σ_k π_k (h_kn h_km + (1 - h_kn)(1 - h_km))].
        How components are numbered does not matter. The diagonal is that of two entries of the
        same line.

        Returns
        -------
        float array (F, F) or (N, N)
            Symmetric.

        Raises
        ------
        ConfigError
            If `axis` is neither 0 nor 1.
        """
        if axis not in (0, 1):
            raise ConfigError(f"axis = {axis!r}: allowed are 0 (rows) and 1 (columns)")
        lines = self.W if axis == 0 else self.H.transpose(0, 2, 1)  # (S, lines, K)
        have_shares = self._rows_have_shares if axis == 0 else self._columns_have_shares
        total = np.zeros((lines.shape[1], lines.shape[1]))
        for X, shares in zip(lines, self._shares, strict=True):
            if have_shares:
                total += X @ X.T
            else:
                one = X @ shares
                total += 2 * (X * shares) @ X.T + 1 - one - one[:, None]
        return total / len(lines)

    @_on_one_thread
    def predictive_check(self, V: Any, seed: int = 0) -> pd.DataFrame:
        """Compare V with matrices that the model would make, one from each draw.

        A replicate is drawn from Bernoulli(WH) where V is observed. If V's value of a statistic T
        is rare among those of S replicates, the model misses what T measures. With
        a = (1 + #{T_rep >= T}) / (S + 1) and b = (1 + #{T_rep <= T}) / (S + 1), the two-sided
        posterior predictive p-value is min(1, 2 min(a, b)). It is conservative: V was used for
        the fit as well, so a true model gives p-values near 1/2 more often than a uniform law.

        Statistics are the share of ones; the standard deviations of row means and of column
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
        DataError
            If V has another shape than the draws.
        """
        import pandas as pd

        codes = as_codes(V)
        F, N = self.W.shape[1], self.H.shape[2]
        if codes.shape != (F, N):
            raise DataError(f"V has shape {codes.shape}: the draws are of a matrix of {(F, N)}")
        parameters.check("random_state", seed)
        rng = np.random.default_rng(seed)
        statistics = _Statistics(codes != MISSING)
        observed = statistics(codes == 1)
        replicates = np.array(
            [statistics(rng.random((F, N), np.float32) < W @ H) for W, H in self._pairs()]
        )
        lower, upper = _interval(replicates, REPLICATE_LEVEL)
        return pd.DataFrame(
            {
                "observed": observed,
                "mean": replicates.mean(axis=0),
                "lower": lower,
                "upper": upper,
                "p_value": predictive_p_values(observed, replicates),
            },
            index=pd.Index(STATISTICS, name="statistic"),
        )


def predictive_p_values(observed: np.ndarray, replicates: np.ndarray) -> np.ndarray:
    """Return two-sided posterior predictive p-values; see `Draws.predictive_check`.

    Parameters
    ----------
    observed : float array (statistics,)
    replicates : float array (S, statistics)
    """
    above = 1 + np.count_nonzero(replicates >= observed, axis=0)
    below = 1 + np.count_nonzero(replicates <= observed, axis=0)
    return np.minimum(1.0, 2 * np.minimum(above, below) / (len(replicates) + 1))


class _Statistics:
    """The statistics of a predictive check, of matrices with the same observed entries."""

    def __init__(self, observed: np.ndarray):
        self._observed = observed
        self._per_row = observed.sum(axis=1)
        self._per_column = observed.sum(axis=0)

    def __call__(self, ones: np.ndarray) -> np.ndarray:
        """Return all STATISTICS of a matrix whose ones are given, bool array (F, N)."""
        ones = np.where(self._observed, ones, False).astype(np.float32)
        in_row, in_column = (ones.sum(axis=axis, dtype=float) for axis in (1, 0))
        column_means = in_column / np.maximum(self._per_column, 1)
        centred = np.where(self._observed, ones - column_means.astype(np.float32), 0)
        has_rows, has_columns = self._per_row > 0, self._per_column > 0
        return np.array(
            [
                in_row.sum() / self._per_row.sum(),
                (in_row[has_rows] / self._per_row[has_rows]).std(),
                column_means[has_columns].std(),
                _largest_singular_value(centred),
                _transitivity(ones, in_row, in_column),
            ]
        )


def _largest_singular_value(matrix: np.ndarray) -> float:
    """Return it by power iteration, to less than the gap to the second where that is small."""
    x = np.random.default_rng(0).standard_normal(matrix.shape[1]).astype(np.float32)
    for _ in range(STEPS):
        x = (matrix @ x) @ matrix
        size = np.linalg.norm(x)
        if size == 0:
            return 0.0
        x /= size
    return float(np.linalg.norm(matrix @ x))


def _transitivity(ones, in_row, in_column) -> float:
    """Return the share of paths g - n - f - m of ones that (g, m) closes, 0 without a path."""
    common = ones @ ones.T if ones.shape[0] <= ones.shape[1] else ones.T @ ones
    np.fill_diagonal(common, 0)
    closed = (common * (common - 1)).sum(dtype=float)
    paths = (in_row - 1) @ ones @ (in_column - 1)
    return float(closed / paths) if paths > 0 else 0.0


def _agreement(X, Y, are_shares: bool):
    """Return Σ_n x_kn y_ln, of probabilities + (1 - x_kn)(1 - y_ln): float array (K, K)."""
    products = X @ Y.T
    if are_shares:
        return products
    return 2 * products + X.shape[1] - X.sum(axis=1)[:, None] - Y.sum(axis=1)


def _cosines(X, Y):
    """Return the cosine between the columns of X and those of Y, (K,)."""
    sizes = np.linalg.norm(X, axis=0) * np.linalg.norm(Y, axis=0)
    return (X * Y).sum(axis=0) / np.maximum(sizes, np.finfo(np.float32).tiny)


def _blocks(lines: int, per_line: int) -> Iterator[slice]:
    """Yield slices of as many lines as BLOCK allows, at least one."""
    step = max(1, BLOCK // per_line)
    for start in range(0, lines, step):
        yield slice(start, min(start + step, lines))


def _interval(draws: np.ndarray, level: float):
    """Return the lower and upper end of the interval over axis 0."""
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise ConfigError(f"level = {level!r}: allowed is a number between 0 and 1")
    ordered = np.sort(draws, axis=0)  # several times faster than numpy's quantile
    return (_quantile(ordered, (1 - level) / 2), _quantile(ordered, (1 + level) / 2))


def _quantile(ordered: np.ndarray, p: float) -> np.ndarray:
    """Return the quantile by Weibull's rule of S values in increasing order, axis 0."""
    S = len(ordered)
    place = min(max(p * (S + 1), 1), S) - 1
    below = int(place)
    above = min(below + 1, S - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
