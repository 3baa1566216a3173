"""Several independent chains or starts of one method, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from nbmf.errors import ChainsNotConvergedWarning, warn
from nbmf.inference.component_search import settle_components
from nbmf.inference.estimator import Factorization
from nbmf.inference.parallel import results_of
from nbmf.inference.parameters import check_count
from nbmf.inference.required import dense_values_of, require_estimator
from nbmf.inference.state import Monitor
from nbmf.numerics.processors import processors
from nbmf.posterior.chains import Chains
from nbmf.posterior.recording import ChainRun, RecordingPlan, combine_traces
from nbmf.posterior.store import refuse_too_much_memory, refuse_without_posterior
from nbmf.seeds import child


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
    """Fit the same method several times, each time with its own random numbers.

    Samplers give independent chains, to be diagnosed and averaged; other methods give starts, of
    which the best is taken. Chain 0 is the very fit that `estimator.fit(V)` makes, and every chain
    has the same bits whatever `chains` and `n_jobs` are. Each runs on one thread.

    Parameters
    ----------
    estimator : Factorization
        It is not fitted itself: the chains are copies.
    V : BinaryMatrix, array (F, N) or DataFrame
        Values that the likelihood allows, for a binary one 1 and 0, and missing (NaN or -1).
    chains : int
        R-hat needs at least 2; 4 are usual. With `n_components="auto"` all have the number that is found once.
    n_jobs : int, optional
        Chains at a time, in threads; by default as many as there are CPUs.
    n_draws : int
        Draws of the factors that each chain keeps; see `posterior_draws`.
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
        If the estimator is none, a parameter has a value that is not allowed, or draws exceed n_samples or the memory.
    DataError
        As for `fit`.

    Warns
    -----
    ChainsNotConvergedWarning
        If the chains of a sampler have not converged: see `Chains.advice`.
    NotConvergedWarning, WorseThanOneComponentWarning
        As `fit`, of the best of several starts only.
    """
    check_count("chains", chains, 1)
    check_count("n_draws", n_draws, 0)
    if n_jobs is None:
        n_jobs = processors()
    check_count("n_jobs", n_jobs, 1)
    require_estimator(estimator)
    estimator.check_parameters()
    if n_draws:
        refuse_without_posterior(estimator)
    estimator, _ = settle_components(estimator, V)
    values = dense_values_of(estimator, V, "run_chains")
    if chains > 1:
        estimator = estimator.for_several_starts(values)
    refuse_too_much_memory(values.shape, estimator.n_components, n_draws, max_memory_gb, chains)
    plan = RecordingPlan.of(estimator, values.shape, n_draws, max_memory_gb, chains)
    runs = [
        ChainRun(copy, values, plan, monitor_of and monitor_of(i)) for i, copy in enumerate(_copies(estimator, chains))
    ]
    results_of([partial(run.fit, V) for run in runs], n_jobs)
    trace, kept = combine_traces([run.trace for run in runs]), [run.store.factors for run in runs]
    result = Chains([run.estimator for run in runs], values, trace, plan, kept)
    _warn_of(result, runs)
    return result


def _warn_of(result: Chains, runs: Sequence[ChainRun]) -> None:
    """Say what the chains of a sampler had to say, once, and that they have not converged; of starts that of the best.

    A start that is bad is no matter where another one is taken.
    """
    counted = [run for run in runs if run.warnings and (result.sampled or run.estimator is result.best)]
    for message, category in dict.fromkeys(each for run in counted for each in run.warnings):
        warn(message, category)
    if result.sampled and not result.converged:
        warn(result.advice, ChainsNotConvergedWarning)


def _copies(estimator: Factorization, chains: int) -> Iterator[Factorization]:
    """Yield the estimators of the chains; the first has the seed of `estimator` itself."""
    given, seed = estimator.get_params(), estimator._seed()
    if given["random_state"] is None:
        given["random_state"] = seed
    yield type(estimator)(**given)
    for i in range(1, chains):
        yield type(estimator)(**given | {"random_state": child(seed, "chain", i)})
