"""What the paper's experiments show, and their fits."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from nbmf import registry
from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.experiment import Case, drawn
from nbmf_studies.framework.needs import Cases, tables
from nbmf_studies.framework.options import COUNT, NAMES, closed, unknown_methods
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015.engines import BOHNING, GAUSSIAN, SOFTPLUS
from nbmf_studies.klami2015.simulation import LAWS, SetUp, set_ups

HERE = "nbmf_studies.klami2015"
FIGURES = ("figure_1", "figure_2")
WORDS = {"bernoulli": "binary", "negative-binomial": "negative binomial", "poisson": "Poisson"}

NUMBER = {"type": "number"}
SET_UP = closed(["law", "s", "b"], law={"enum": list(LAWS)}, s=NUMBER, b=NUMBER, inside={"type": "boolean"})
OF_FIGURE = closed(
    size={"type": "array", "minItems": 2, "maxItems": 2, "items": COUNT},
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


def _variant(plan: Plan, option: str, method: str, K: int) -> dict[str, Any]:
    """Return the entry of a method with as many iterations as an option asks for."""
    chosen, class_name = plan.options[option], plan.entry(method)["class"]
    iterations = chosen["iterations"]
    before = min(chosen.get("left_out", 0), iterations // 2)  # of a sampler, before averages begin
    variant = plan.variant(method, K, registry.length_settings(class_name, before, iterations - before))
    return {**variant, "starts_as": chosen["methods"][0]}  # the same random numbers for all of them


def trace_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of both figures: every method to every matrix of every set-up."""
    for figure in FIGURES:
        options = plan.options[figure]
        for (set_up, setup), method, seed in product(set_ups(options).items(), options["methods"], plan.seeds):
            entry = plan.entry(method)
            kind = registry.estimator_class(entry["class"]).likelihoods[0].matrix.__name__
            of_data = {"setup": list(setup), "seed": seed, "kind": kind}
            dataset, data = drawn(f"{HERE}.simulation", of_data, observe=f"{HERE}.errors:observe")
            K = entry["K"][0]
            yield Case(
                FitKey(dataset, f"{method}-{figure}", K, WHOLE, 0),
                {"set_up": set_up, "method": method, "seed": seed},
                data,
                _variant(plan, figure, method, K),
            )


def pattern_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits to repeated patterns."""
    options = plan.options["patterns"]
    for method, seed in product(options["methods"], plan.seeds):
        of_data = {"prototypes": options["prototypes"], "seed": seed}
        dataset, data = drawn(f"{HERE}.patterns", of_data, observe=f"{HERE}.patterns:observe")
        yield Case(
            FitKey(dataset, f"{method}-patterns", options["K"], WHOLE, 0),
            {"method": method, "seed": seed},
            data,
            _variant(plan, "patterns", method, options["K"]),
        )


PATTERNS = Table(
    "patterns",
    "Repeated patterns with flipped bits",
    make=common.TRACES_OF_CASES,
    needs=lambda plan: {"fits": Cases.of(pattern_cases(plan))},
    options=closed(prototypes=COUNT, K=COUNT, iterations=COUNT, methods=NAMES),
    check=lambda plan: unknown_methods(plan, "patterns"),
)
TRACES = Table(
    "traces",
    "Errors along the CPU time of every fit",
    make=".traces:gather",
    needs=lambda plan: {"fits": Cases.of(trace_cases(plan))},
)

# --- What they show ---------------------------------------------------------------------------


def _title(setup: SetUp) -> str:
    b = f" {'+' if setup.b > 0 else '−'} {abs(setup.b):g}" if setup.b else ""
    psi = f"{setup.s:g} (uv'{b})" if setup.inside else f"{setup.s:g} uv'{b}"
    return f"{WORDS[setup.law]}, ψ = {psi}"


def _dash(method: str) -> str:
    """Return how a line is drawn: comparison methods dotted, what is not the paper's dashed."""
    if method in (GAUSSIAN, BOHNING, SOFTPLUS):
        return ":"
    return "--" if method.endswith("-search") else "-"


def _drawn(figure: str, unit: str):
    def arguments(plan: Plan) -> dict[str, Any]:
        options = plan.options[figure]
        labels, colours = plan.labels(options["methods"]), plan.colours(options["methods"])
        return {
            "set_ups": {name: _title(one) for name, one in set_ups(options).items()},
            "series": {method: [labels[method], colours[method], _dash(method)] for method in options["methods"]},
            "unit": unit,
        }

    return arguments


def _figure(name: str, title: str, unit: str) -> Figure:
    return Figure(
        name,
        title,
        make=".figures:draw",
        needs=tables("traces"),
        arguments=_drawn(name, unit),
        options=OF_FIGURE,
        check=lambda plan: unknown_methods(plan, name),
    )


def _methods(plan: Plan) -> list[str]:
    return list(dict.fromkeys(m for name in FIGURES for m in plan.options[name]["methods"]))


CLAIMS = common.claims(
    needs=tables("traces", "patterns"),
    arguments=lambda plan: {
        "K": {set_up: plan.options[figure]["K"] for figure in FIGURES for set_up in plan.options[figure]["set_ups"]}
    },
)
LAST_ERRORS = Table(
    "last_errors",
    "What the fits end with",
    make=".reported_values:last_errors",
    needs=tables("traces"),
    arguments=lambda plan: {"labels": plan.labels(_methods(plan))},
    in_report=True,
    float_format="%.4g",
)
PRINTED = Table(
    "paper_numbers",
    "Numbers of the paper and ours",
    make=".reported_values:printed",
    needs=tables("traces"),
    in_report=True,
    float_format="%.4g",
)

STUDY = Study(
    "klami2015",
    "Klami (2015)",
    "A. Klami, Pólya-gamma augmentations for factor models, Proceedings of the Asian Conference "
    "on Machine Learning, JMLR Workshop and Conference Proceedings 39 (2015), 112-128",
    figures=(
        _figure("figure_1", "Figure 1: binary data", "probability"),
        _figure("figure_2", "Figure 2: counts", "expected count"),
    ),
    tables=(TRACES, PATTERNS, LAST_ERRORS, PRINTED, *CLAIMS),
    front=("figure_1", "claims"),
    experiments=(trace_cases, pattern_cases),
)
