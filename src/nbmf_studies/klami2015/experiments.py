"""The fits of the study: those of the figures, and those on which claims are judged again."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

from nbmf import registry
from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.options import COUNT, NAMES, POSITIVE, closed, several, unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015.engines import USUAL_SCALE, describe_update
from nbmf_studies.klami2015.simulation import DISTRIBUTIONS, SetUp, set_ups

HERE = "nbmf_studies.klami2015"
FIGURES = ("figure_1", "figure_2")
STARTS, COMPARED = "starts_of_v", "line_search"  # what is varied of fits to binary data
MORE_PATTERNS, SIZES, OBSERVED = "more_patterns", "sizes", "observed_entries"

NUMBER = {"type": "number"}
SET_UP = closed(["law", "s", "b"], law={"enum": list(DISTRIBUTIONS)}, s=NUMBER, b=NUMBER, inside={"type": "boolean"})
SIZE = {"type": "array", "minItems": 2, "maxItems": 2, "items": COUNT}
OF_FIGURE = closed(
    size=SIZE,
    K=COUNT,
    iterations=COUNT,
    left_out=COUNT,
    set_ups={
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": r"^[a-z0-9_]+\Z"},
        "additionalProperties": SET_UP,
    },
    methods=NAMES,
)
OF_PATTERNS = closed(prototypes=COUNT, K=COUNT, iterations=COUNT, methods=NAMES)
ITERATIONS = {"type": "object", "minProperties": 1, "additionalProperties": COUNT}  # of each method
SEEDS = {"first_seed": COUNT, "seeds": COUNT}
COMPARED_OPTIONS = closed(**SEEDS, set_ups=NAMES, methods=ITERATIONS)
STARTS_OPTIONS = closed(**SEEDS, set_ups=NAMES, scales=several(POSITIVE), methods=NAMES, searching=NAMES)
MORE_PATTERNS_OPTIONS = closed(**SEEDS)
SIZES_OPTIONS = closed(**SEEDS, set_ups=NAMES, sizes={"type": "array", "minItems": 1, "items": SIZE}, methods=NAMES)
SHAPE = closed(size=SIZE, share={"type": "number", "exclusiveMinimum": 0, "maximum": 1})
OBSERVED_OPTIONS = closed(
    **SEEDS,
    set_up={"type": "string"},
    shapes={"type": "array", "minItems": 1, "items": SHAPE},
    iterations=COUNT,
    methods=NAMES,
)


def _variant(plan: Plan, method: str, K: int, iterations: int, left_out: int, starts_as: str, **changed) -> dict:
    """Return the entry of a method with as many iterations, of which a sampler leaves some out of its averages.

    Engines that start as the same one have the same random numbers.
    """
    before = min(left_out, iterations // 2)
    lengths = registry.length_settings(plan.entry(method)["class"], before, iterations - before)
    return {**plan.variant(method, K, lengths | changed), "starts_as": starts_as}


def _drawn_dataset(plan: Plan, method: str, setup: SetUp, seed: int, observe: str) -> tuple[str, dict[str, Any]]:
    """Return the dataset of a set-up and a seed as the kind of matrix that a method takes."""
    likelihood = registry.estimator_class(plan.entry(method)["class"]).likelihoods[0]
    of_data = {"setup": list(setup), "seed": seed, "kind": likelihood.matrix.__name__}
    return drawn_dataset(f"{HERE}.simulation", of_data, observe=f"{HERE}.{observe}")


def _seeds(options: dict[str, Any]) -> range:
    return range(options["first_seed"], options["first_seed"] + options["seeds"])


# --- Of the figures ---------------------------------------------------------------------------


def trace_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of both figures: every method to every matrix of every set-up."""
    for figure in FIGURES:
        options = plan.options[figure]
        length = options["iterations"], options["left_out"], options["methods"][0]
        for (set_up, setup), method, seed in product(set_ups(options).items(), options["methods"], plan.seeds):
            dataset, data = _drawn_dataset(plan, method, setup, seed, "errors:observe")
            K = plan.first_K(method)
            yield Case(
                FitKey(dataset, f"{method}-{figure}", K, WHOLE, 0),
                {"set_up": set_up, "method": method, "seed": seed},
                data,
                _variant(plan, method, K, *length),
            )


def pattern_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits to repeated patterns."""
    return _pattern_cases(plan, plan.seeds)


def more_pattern_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits to repeated patterns of further seeds."""
    return _pattern_cases(plan, _seeds(plan.options[MORE_PATTERNS]))


def _pattern_cases(plan: Plan, seeds: Iterable[int]) -> Iterator[Case]:
    options = plan.options["patterns"]
    for method, seed in product(options["methods"], seeds):
        of_data = {"prototypes": options["prototypes"], "seed": seed}
        dataset, data = drawn_dataset(f"{HERE}.patterns", of_data, observe=f"{HERE}.patterns:observe")
        yield Case(
            FitKey(dataset, f"{method}-patterns", options["K"], WHOLE, 0),
            {"method": method, "seed": seed},
            data,
            _variant(plan, method, options["K"], options["iterations"], 0, options["methods"][0]),
        )


# --- On which claims are judged again ---------------------------------------------------------


class Way(NamedTuple):
    """How an engine is fitted to binary data.

    method : str
    searches : bool, whether it takes the best step along its direction, where its entry has a fixed one; it then has
        the iterations of COMPARED, which are fewer than those of Figure 1
    scale : float, standard deviation of V at the start; samplers begin as they always do
    """

    method: str
    searches: bool
    scale: float = USUAL_SCALE


def _fit_case(plan: Plan, way: Way, setup: SetUp, seed: int, columns: dict[str, Any]) -> Case:
    """Return the case of one fit, whose sizes of factors are looked at."""
    method, searches, scale = way
    entry, is_sampler, figure = plan.entry(method), plan.is_sampler(method), plan.options["figure_1"]
    has_step, K = "step" in entry["settings"], entry["K"][0]
    changed = ({"step": None} if searches and has_step else {}) | ({} if is_sampler else {"start_scale": scale})
    name = f"{method}{'-searching' if searches else ''}{'' if is_sampler else f'-from-{scale:g}'}"
    iterations = plan.options[COMPARED]["methods"][method] if searches else figure["iterations"]
    dataset, data = _drawn_dataset(plan, method, setup, seed, "factor_sizes:observe")
    update = describe_update(entry["settings"] | changed, is_sampler)
    return Case(
        FitKey(dataset, name, K, WHOLE, 0),
        {**columns, "method": method, "update": update, "scale": scale, "seed": seed},
        data,
        _variant(plan, method, K, iterations, figure["left_out"], figure["methods"][0], **changed),
    )


def compared_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits of every engine with the best step along its direction, from the usual start."""
    return _binary_cases(plan, COMPARED, [Way(method, True) for method in plan.options[COMPARED]["methods"]])


def start_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits from starts of V of several scales, with the step of the entry (`methods`) and with the best one."""
    options = plan.options[STARTS]
    given = [(method, name == "searching") for name in ("methods", "searching") for method in options[name]]
    return _binary_cases(plan, STARTS, [Way(*one, scale) for one in given for scale in options["scales"]])


def _binary_cases(plan: Plan, option: str, ways: list[Way]) -> Iterator[Case]:
    options, known = plan.options[option], set_ups(plan.options["figure_1"])
    for set_up, way, seed in product(options["set_ups"], ways, _seeds(options)):
        yield _fit_case(plan, way, known[set_up], seed, {"set_up": set_up})


def binary_cases(plan: Plan) -> list[Case]:
    """Return the compared fits and those from other starts, each of them once."""
    return list({case.key: case for case in (*compared_cases(plan), *start_cases(plan))}.values())


def size_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits to matrices of other sizes, with the best step from the usual start."""
    options, known = plan.options[SIZES], set_ups(plan.options["figure_1"])
    for (N, D), set_up, method, seed in product(
        options["sizes"], options["set_ups"], options["methods"], _seeds(options)
    ):
        columns = {"set_up": set_up, "N": N, "D": D}
        yield _fit_case(plan, Way(method, True), known[set_up]._replace(N=N, D=D), seed, columns)


def observed_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits to matrices of which a share of the entries is observed, for the time that they take."""
    options = plan.options[OBSERVED]
    known, length = set_ups(plan.options["figure_1"])[options["set_up"]], (options["iterations"], 0)
    for shape, method, seed in product(options["shapes"], options["methods"], _seeds(options)):
        (N, D), share = shape["size"], shape["share"]
        likelihood = registry.estimator_class(plan.entry(method)["class"]).likelihoods[0]
        kind, setup = likelihood.matrix.__name__, list(known._replace(N=N, D=D))
        of_data = {"setup": setup, "seed": seed, "kind": kind, "share": share}
        dataset, data = drawn_dataset(f"{HERE}.partly_observed", of_data, observe=f"{HERE}.partly_observed:observe")
        K = plan.first_K(method)
        yield Case(
            FitKey(dataset, f"{method}-{OBSERVED}", K, WHOLE, 0),
            {"N": N, "D": D, "share": share, "method": method, "seed": seed},
            data,
            _variant(plan, method, K, *length, options["methods"][0]),
        )


# --- What cannot be run -----------------------------------------------------------------------


def check_reading_options(plan: Plan, option: str) -> Iterator[str]:
    """Yield what is wrong with an option of the second reading.

    Methods and set-ups that are unknown, methods that search without iterations of COMPARED, and seeds that fits of the
    figures have seen.
    """
    options, known = plan.options[option], plan.options["figure_1"]["set_ups"]
    searching = plan.options[COMPARED]["methods"]
    allowed = {"searching": searching, "methods": searching if option == SIZES else plan.names("methods")}
    for name, methods in allowed.items():
        for method in options.get(name, ()):
            yield from unknown(f".{name}.{method}", method, methods)
    for set_up in [*options.get("set_ups", ()), *filter(None, [options.get("set_up")])]:
        yield from unknown(f".set_ups.{set_up}", set_up, known)
    if options["first_seed"] <= max(plan.seeds):
        first = options["first_seed"]
        yield f".first_seed = {first}: must be more than {max(plan.seeds)}, so that matrices are new"
