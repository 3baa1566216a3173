"""K by what held-out entries say: twice as many components as long as it pays, then those near the best.

Of tables of mixed columns see `nbmf.choose_components`, which is `nbmf.evaluation.component_choice`.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.named import has_same_names
from nbmf.data.symmetry import one_loss_per_pair
from nbmf.errors import ConfigError, Setting
from nbmf.inference.folds import FEWEST_ENTRIES, eligible_of, fit_to_fold
from nbmf.inference.parameters import AUTO
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.numerics.clustered_errors import clustered_error, format_error
from nbmf.seeds import child

if TYPE_CHECKING:
    from nbmf.inference.estimator import Factorization

GRID = (2, 4, 8, 16, 32, 64)
SAME = 5e-7  # nats, that are 0 in all digits that are shown: further components are empty
REFINED = 16  # the best up to which K near it are tried: three groups are not four, five are not six


def component_grid(shape: tuple[int, int]) -> list[int]:
    """Return the K that a search may try for a matrix of a shape: those below the number of rows and of columns."""
    return [K for K in GRID if min(shape) > K] or [1]


def most_components(n_components: int | str, shape: tuple[int, int]) -> int:
    """Return how many components fits to a matrix of a shape have at most, given a number or "auto"."""
    return component_grid(shape)[-1] if n_components == AUTO else n_components


class ComponentSearch(NamedTuple):
    """What K was taken, and why.

    - K : int, the smallest of those tried that the best leads by no more than a standard error of the difference
    - tried : tuple of int, in ascending order
    - losses : tuple of float, theirs, in nats per held-out entry
    - next_K : int or None, the next larger that was tried
    - behind, error : float or None, by how much its loss is larger, and the standard error of that; entries of a row or
      of a column are not taken as independent
    """

    K: int
    tried: tuple[int, ...]
    losses: tuple[float, ...]
    next_K: int | None = None
    behind: float | None = None
    error: float | None = None

    def __str__(self) -> str:
        loss = self.losses[self.tried.index(self.K)]
        of = f", of {', '.join(map(str, self.tried))}" if len(self.tried) > 1 else ""
        taken = f"K = {self.K} was taken{of}, with {loss:.4f} nats per entry held out to choose it"
        if self.next_K is None:
            return f"{taken}; it is the largest that was tried"
        if max(abs(self.behind), self.error) < SAME:
            return f"{taken}; K = {self.next_K} has the same"
        direction = "more" if self.behind > 0 else "less"
        return f"{taken}; K = {self.next_K} has {format_error(abs(self.behind), self.error)} {direction}"


def search_components(estimator: "Factorization", V: Any) -> ComponentSearch:
    """Return the number of components that predicts held-out entries best, or a smaller one that is about as good.

    Cross-validation over the observed entries (answers to one question together) compares fits with
    K = 2, 4, 8, ... up to 64, below the number of rows and of columns, as long as the mean loss falls; then, of a best
    K up to REFINED, the K halfway to its neighbours, until both next to it have been tried.

    Parameters
    ----------
    estimator : Factorization
        Its `n_components` is not looked at.
    V : BinaryMatrix, CountMatrix, array (F, N) or DataFrame
        Values that it takes.

    Raises
    ------
    ConfigError
        If V is sparse, or has fewer than 20 observed entries, or the method does not predict entries one by one.
    """
    estimator, likelihood = estimator.for_matrix(V), estimator.likelihood
    if not searches_components(estimator, V):
        what = "a sparse matrix" if is_sparse(V) else f"the likelihood {likelihood.name}"
        raise ConfigError(Setting("n_components", AUTO), f": with {what} no K is searched for; allowed: a number")
    values = likelihood.values_of(V)
    eligible = eligible_of(values, likelihood)
    if not eligible.suffice():
        few = f": {eligible.number} entries can be held out, needed are {FEWEST_ENTRIES}"
        raise ConfigError(Setting("n_components", AUTO), few)
    held_out = eligible.folds(np.random.default_rng(child(estimator._seed(), "components")))
    losses: dict[int, np.ndarray] = {}
    grid = component_grid(values.shape)
    for K in grid:
        losses[K] = _losses(estimator, K, values, held_out)
        if np.nanmean(losses[K]) > min(np.nanmean(each) for each in losses.values()):
            break
    while near := refined_grid(min(losses, key=lambda K: np.nanmean(losses[K])), losses):
        losses |= {K: _losses(estimator, K, values, held_out) for K in near}
    losses = dict(sorted(losses.items()))
    if eligible.in_pairs:
        losses = {K: one_loss_per_pair(each) for K, each in losses.items()}
    return _choose_smallest(losses, eligible.in_pairs or has_same_names(V))


def searches_components(estimator: "Factorization", V: Any) -> bool:
    """Return whether K can be searched for: V is not sparse, and the method predicts entries one by one."""
    return not is_sparse(V) and type(estimator.likelihood).losses is not Likelihood.losses


def refined_grid(best: int, tried: Collection[int]) -> list[int]:
    """Return the K halfway from the best to those tried on either side, none next to it or above REFINED."""
    below = max((K for K in tried if best > K), default=best)
    above = min((K for K in tried if best < K), default=best)
    return [K for K in ((below + best) // 2, (best + above) // 2) if best <= REFINED and K not in tried]


def _losses(estimator: "Factorization", K: int, values: np.ndarray, held_out: list[np.ndarray]) -> np.ndarray:
    """Return the losses of fits with K components, float array (F, N), NaN where nothing was held out."""
    likelihood, losses = estimator.likelihood, np.full(values.shape, np.nan)
    made = type(estimator)(**estimator.get_params() | {"n_components": K})
    for number, fold in enumerate(held_out):
        fitted = fit_to_fold(made, likelihood.hide(values, fold), number, None)
        losses[fold] = likelihood.losses(values[fold], fitted.predictive(*np.nonzero(fold)))
    return losses


def _choose_smallest(losses: dict[int, np.ndarray], is_network: bool) -> ComponentSearch:
    """Return the search that takes the smallest K about as good as the best, by losses with NaN where none counts."""
    means = {K: float(np.nanmean(each)) for K, each in losses.items()}
    best = losses[min(means, key=means.get)]
    leads = {K: each - best for K, each in losses.items()}
    taken = next(K for K, lead in leads.items() if np.nanmean(lead) <= clustered_error(lead, is_network))
    larger = [K for K in losses if taken < K]
    if not larger:
        return ComponentSearch(taken, tuple(losses), tuple(means.values()))
    difference = losses[larger[0]] - losses[taken]
    behind, error = float(np.nanmean(difference)), clustered_error(difference, is_network)
    return ComponentSearch(taken, tuple(losses), tuple(means.values()), larger[0], behind, error)


@contextmanager
def searched_components(estimator: "Factorization", V: Any) -> Iterator[None]:
    """Give an estimator with `n_components="auto"` the number for V as long as it is fitted, and keep the search."""
    vars(estimator).pop("component_search_", None)  # of an earlier fit
    if estimator.n_components != AUTO:
        yield
        return
    search = search_components(estimator, V)
    estimator.n_components = search.K
    try:
        yield
    finally:
        estimator.n_components = AUTO
    estimator.component_search_ = [list(each) if isinstance(each, tuple) else each for each in search]


def settle_components(estimator: "Factorization", V: Any) -> tuple["Factorization", ComponentSearch | None]:
    """Return an estimator with the number of components that a fit to V would find, and the search for it.

    Several fits to V then have the same number. Where `n_components` is no "auto" it is the estimator itself, and None.
    """
    if estimator.n_components != AUTO:
        return estimator, None
    seed = estimator._seed()  # the same for the search and for the fits, where random_state is None
    given = estimator.get_params() | {"random_state": seed}
    search = search_components(type(estimator)(**given), V)
    return type(estimator)(**given | {"n_components": search.K}), search
