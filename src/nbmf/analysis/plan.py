"""What an analysis will do, known before it begins: which methods it tests, and that all of it fits into memory."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nbmf import registry
from nbmf.analysis.mixture import further_members, memory_of
from nbmf.analysis.request import Request
from nbmf.analysis.settings import configured_estimator
from nbmf.analysis.size import is_small
from nbmf.analysis.structure import tried_methods, why_untestable
from nbmf.catalogue import CANDIDATES, IF_MEMORY_IS_SHORT, METHODS, candidates_for, methods_for
from nbmf.data.named import NamedMatrix
from nbmf.errors import ConfigError, DataError, Setting, choices
from nbmf.inference.declarations import Inference, View
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import AUTO
from nbmf.posterior.scale_axes import KINDS
from nbmf.posterior.store import draws_that_fit, kept_sweeps, refuse_too_much_memory, refuse_without_posterior

CHAINS, STARTS = 4, 4
DRAWS, DRAWS_GB = 100, 1.0  # posterior draws of each chain of a sampled scale or of classes; what draws may take


class Plan(NamedTuple):
    """What an analysis will do.

    tested : dict, the methods among which held-out entries choose, not fitted, by their ids; a single one if nothing
        is chosen
    further : dict or None, those that take part in the mixture besides, by their names; None without a mixture
    tries : int, how many methods the level of the test is divided among
    view : View or None, the one that is asked for
    holds_out : bool, whether there is a test
    reason : str, why there is none although it was asked for, or why other methods than usual are taken; "" if nothing
        has to be reported
    """

    tested: Mapping[str, Factorization]
    further: Mapping[str, Factorization] | None
    tries: int
    view: View | None
    holds_out: bool
    reason: str = ""


def make_plan(matrix: NamedMatrix, request: Request) -> Plan:
    """Return the plan of an analysis.

    Raises
    ------
    ConfigError
        If something is asked for that the method does not have, or that does not fit into memory, or none is named
        and there is no usual one for such a matrix.
    """
    if request.method is None and type(matrix).__name__ not in CANDIDATES:
        kind, methods = type(matrix).__name__, methods_for(type(matrix))
        if not methods:
            classes = ", ".join(f"nbmf.{name}" for name in registry.classes_for(type(matrix)))
            raise DataError(f"V is a {kind}, which is not analyzed; allowed: to fit it by {classes}")
        words = f": a {kind} is analyzed by a method that is named; {choices('', methods)}"
        raise ConfigError(Setting("method", None), words)
    known, reason = _known_methods(matrix, request)
    view = View(request.view) if request.view else None
    methods = _methods_to_test(request, known, view)
    tested = {
        method: configured_estimator(
            method,
            seed=request.seed,
            iterations=request.iterations,
            components=request.n_components,
            settings=request.settings,
        )
        for method in methods
    }
    for estimator in tested.values():
        _refuse_too_large(estimator, matrix, request)
    why_not = why_untestable(matrix, next(iter(tested.values()))) if request.check else None
    holds_out = request.check and why_not is None
    further = further_members(tested, matrix, request.seed, request.iterations) if holds_out and not reason else None
    return Plan(tested, further, len({*known, *methods}), view, holds_out, why_not or reason)


def _known_methods(matrix: NamedMatrix, request: Request) -> tuple[Sequence[str], str]:
    """Return the methods that are tried if none is named, and why they are not the usual ones."""
    if request.method is not None:
        return candidates_for(type(matrix).__name__, matrix.n_observed), ""
    components = None if request.n_components == AUTO else request.n_components
    return tried_methods(matrix, components=components, settings=request.settings)


def _methods_to_test(request: Request, known: Sequence[str], view: View | None) -> Sequence[str]:
    """Return the methods to choose from: one if it is named, or anything of its own, or nothing is held out."""
    methods = (request.method,) if request.method else known
    views = {method: registry.estimator_class(METHODS[method]["class"])().view for method in methods}
    seen = [method for method in methods if view in (None, views[method])]
    if not seen:
        raise ConfigError(Setting("view", request.view), f": {', '.join(methods)} shows {views[methods[0]]}")
    return methods if request.is_open else seen[:1]


def number_of_chains(estimator: Factorization, matrix: NamedMatrix, request: Request) -> int:
    """Return how many chains or starts there are; by default it depends on no clock."""
    if request.chains:
        return request.chains
    if matrix.dense is not None:
        return 1
    if estimator.inference is Inference.SAMPLER:
        return CHAINS
    # Ascents without an objective end in different places as well; their best start has the smallest training loss.
    starts_differ = estimator.takes_starts or estimator.inference is Inference.ASCENT
    return STARTS if starts_differ and is_small(estimator, matrix) else 1


def number_of_draws(estimator: Factorization, matrix: NamedMatrix, request: Request) -> int:
    """Return how many posterior draws of each chain are kept: by default those for intervals of scales and classes."""
    if request.n_draws is not None:
        return request.n_draws
    is_sampled_scale = estimator.inference is Inference.SAMPLER and isinstance(estimator, KINDS)
    has_small_classes = estimator.has_classes and estimator.has_posterior and is_small(estimator, matrix)
    if not (is_sampled_scale or has_small_classes) or matrix.dense is not None:
        return 0
    possible = draws_that_fit(matrix.shape, estimator.n_components, DRAWS_GB) // number_of_chains(
        estimator, matrix, request
    )
    most = estimator.n_samples if estimator.inference is Inference.SAMPLER else DRAWS
    return min(DRAWS, most) if possible >= DRAWS else 0


def _refuse_too_large(estimator: Factorization, matrix: NamedMatrix, request: Request) -> None:
    """Raise ConfigError if a fit, or its draws, would be refused for memory: before anything is fitted."""
    if matrix.dense is not None:
        _refuse_for_sparse(matrix, request)
        return
    needed, limit = memory_of(estimator, matrix), estimator.memory_budget_gb
    if needed > limit:
        K = estimator.n_components
        raise ConfigError(
            Setting("n_components", K),
            f" with {matrix.n_observed} observed entries needs {needed:.2g} GB, ",
            Setting("max_memory_gb", limit),
            ": what fits is ",
            Setting("n_components"),
            f" up to {int(K * limit / needed) // 8 * 8}, or a larger ",
            Setting("max_memory_gb"),
            *_alternative_advice(matrix),
        )
    if request.n_draws:
        chains = number_of_chains(estimator, matrix, request)
        refuse_without_posterior(estimator)
        if estimator.inference is Inference.SAMPLER:
            kept_sweeps(estimator, request.n_draws)  # refuses more than there are
        if estimator.n_components != AUTO:
            refuse_too_much_memory(matrix.shape, estimator.n_components, request.n_draws, DRAWS_GB, chains)


def _alternative_advice(matrix: NamedMatrix) -> Sequence[str | Setting]:
    methods = IF_MEMORY_IS_SHORT.get(type(matrix).__name__, ())
    return ("; ", Setting("method", methods[0]), " takes such a matrix as it is") if methods else ()


def _refuse_for_sparse(matrix: NamedMatrix, request: Request) -> None:
    """Raise ConfigError if more is asked of a large sparse matrix than one fit."""
    asked = (
        ("chains", request.chains or 1, 1, "is one chain or start"),
        ("n_draws", request.n_draws or 0, 0, "are no draws"),
    )
    for name, given, most, what in asked:
        if given > most:
            raise ConfigError(Setting(name, given), f": of a matrix with {matrix.words} there {what}")
