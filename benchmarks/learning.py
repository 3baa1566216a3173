"""What learning of priors adds to a fit: the renewals inside it, and the choice before it."""

import time
from collections.abc import Callable
from contextlib import contextmanager

import numpy as np

from common import Table, load_training, number, say
from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.families.beta_dirichlet import orientation
from nbmf.families.beta_dirichlet.collapsed_gibbs import ChainState
from nbmf.families.beta_dirichlet.prior_learners import CVB0Learner

DATASETS = ("animals", "parliament", "paleo", "lastfm", "unvotes")
# The method, the function that renews its priors, and the iterations that are timed after as many
# that are not: a share of them stands for a share of the whole.
CASES = {"beta-dir-vb-learned": (CVB0Learner, "renew", 50), "beta-dir-gs-learned": (ChainState, "_renew_priors", 200)}


def run() -> list[Table]:
    """Return the table of all datasets."""
    return [cost_of_learning({name: load_training(name) for name in DATASETS}, CASES)]


def cost_of_learning(datasets: dict[str, np.ndarray], cases: dict) -> Table:
    """Time fits with learned priors, and what of it is learning."""
    table = Table(
        "Learning of priors",
        "Methods and settings of methods.yaml, first mask, 25 % held out, one thread. Renewals: "
        "time for new priors, with all that follows from them (tables, sums of a chain), per cent "
        "of the rest of the fit. Choice: of side and start, before the fit, as seconds and per "
        "cent of a whole fit.",
        ["dataset", "method", "ms an iteration", "renewals, %", "choice, s", "choice, %"],
    )
    for dataset, codes in datasets.items():
        for method, (owner, name, iterations) in cases.items():
            say(f"{dataset}, {method}")
            entry = METHODS[method]
            made = registry.make_estimator(entry["class"], entry["K"][0], entry["settings"], 0)
            made._start(codes, np.random.SeedSequence(0))  # loads what is compiled
            with timed(orientation, "choose") as choosing:
                state = made._start(codes, np.random.SeedSequence(0))
            state.advance(iterations)  # compiles, and leaves the start
            with timed(owner, name) as renewing:
                started = time.perf_counter()
                state.advance(iterations)
                total = time.perf_counter() - started
            rest = total - renewing[0]
            whole = rest / iterations * made.n_iterations
            row = [1e3 * rest / iterations, 100 * renewing[0] / rest]
            row += [choosing[0], 100 * choosing[0] / whole]
            table.rows.append([dataset, method, *map(number, row)])
    return table


@contextmanager
def timed(owner, name: str):
    """Yield a list whose only entry grows by the seconds that a function of `owner` takes."""
    function: Callable = getattr(owner, name)
    seconds = [0.0]

    def wrapper(*args, **kwargs):
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            seconds[0] += time.perf_counter() - started

    setattr(owner, name, wrapper)
    try:
        yield seconds
    finally:
        setattr(owner, name, function)
