"""Figure 4: the bound of photographs against the number of templates, refined near its top."""

import time
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import NotConvergedWarning
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaVB
from nbmf.seeds import seed_sequence

LEARNED = ("shape_W", "mean_W", "shape_H", "mean_H")


def search(
    matrix: CountMatrix,
    dataset: str,
    start: int,
    orders: list[int],
    settings: dict[str, Any],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit every order of a grid, then halve the steps on both sides of the best, down to one.

    Parameters
    ----------
    matrix : CountMatrix
    dataset : str
        What it is called; part of the seeds.
    start : int
        Number of the random start: each refines its own grid.
    orders : list of int
        The grid.
    settings : dict
        Of PoissonGammaVB.
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        A row per order, sorted: dataset, start, order, bound (nats), iterations, converged, the
        numbers of the priors as they were learned, seconds (CPU).
    """
    found: dict[int, dict] = {}
    waiting = list(orders)
    while waiting:
        for K in waiting:
            found[K] = _fit(matrix, dataset, start, K, settings)
            log(f"{dataset}, start {start}, order {K}: {found[K]['bound']:.1f}")
        waiting = between(sorted(found), max(found, key=lambda K: found[K]["bound"]))
    return pd.DataFrame([found[K] for K in sorted(found)])


def between(orders: list[int], best: int) -> list[int]:
    """Return the orders half-way from the best one to its neighbours that are not there yet."""
    place = orders.index(best)
    neighbours = orders[max(place - 1, 0) : place] + orders[place + 1 : place + 2]
    halves = [(best + other) // 2 for other in neighbours]
    return [half for half in halves if half not in orders]


class _Last:
    """A monitor that keeps the last bound."""

    def next_after(self, iteration):
        return float("inf")

    def __call__(self, iteration, total, state):
        self.objective = state.objective()


def _fit(matrix, dataset, start, K, settings) -> dict[str, Any]:
    seed = seed_sequence("cemgil2009", "order", dataset, K, start)
    last, started = _Last(), time.process_time()
    model = PoissonGammaVB(K, **settings, random_state=seed)
    with warnings.catch_warnings():  # the table says whether it had
        warnings.simplefilter("ignore", NotConvergedWarning)
        model.fit(matrix, monitor=last)
    return {
        "dataset": dataset,
        "start": start,
        "order": K,
        "bound": last.objective,
        "iterations": model.n_iter_,
        "converged": model.converged_,
        **{name: float(getattr(model, f"{name}_").mean()) for name in LEARNED},
        "seconds": time.process_time() - started,
    }
