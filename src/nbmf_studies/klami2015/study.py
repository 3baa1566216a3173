"""What the paper's experiments show, and the jobs that their fits are cut into."""

from collections.abc import Iterator
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import TableOf
from nbmf_studies.framework.options import closed, unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015.engines import BOHNING, GAUSSIAN, SOFTPLUS, short
from nbmf_studies.klami2015.simulation import LAWS, SetUp, set_ups

HERE = "nbmf_studies.klami2015"
CAPTIONS = "klami2015/captions"
FIGURES = ("figure_1", "figure_2")
WORDS = {"bernoulli": "binary", "negative-binomial": "negative binomial", "poisson": "Poisson"}

COUNT = {"type": "integer", "minimum": 1}
NUMBER = {"type": "number"}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
SET_UP = closed(["law", "s", "b"], law={"enum": list(LAWS)}, s=NUMBER, b=NUMBER, inside={"type": "boolean"})
OF_FIGURE = closed(
    ["size", "K", "iterations", "left_out", "set_ups", "methods"],
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


def _engine(plan: Plan, method: str, K: int | None = None) -> list:
    """Return class, K and settings of a method, its own K if none is given."""
    entry = plan.entry(method)
    return [entry["class"], entry["K"][0] if K is None else K, entry["settings"]]


def _check_methods(name: str):
    def check(plan: Plan) -> Iterator[str]:
        for i, method in enumerate(plan.options[name]["methods"]):
            yield from unknown(f".methods[{i}]", method, plan.names("methods"))

    return check


# --- One job per set-up and engine ------------------------------------------------------------


def _trace(figure: str, set_up: str, setup: SetUp, method: str) -> Table:
    def arguments(plan: Plan) -> dict[str, Any]:
        options = plan.options[figure]
        return {
            "set_up": set_up,
            "setup": list(setup),
            "method": method,
            "engine_of": _engine(plan, method),
            "iterations": options["iterations"],
            "left_out": options["left_out"],
            "seeds": plan.seeds,
        }

    return Table(
        f"trace_{set_up}_{short(method)}",
        f"{method} on {set_up}",
        "captions/scores.rst",
        f"{HERE}.fits:trace",
        needs=lambda plan: {},
        arguments=arguments,
        classes=lambda plan: [plan.entry(method)["class"]],
        minutes=30,
    )


def traces_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per set-up and engine of both figures."""
    for figure in FIGURES:
        options = plan.options[figure]
        for set_up, setup in set_ups(options).items():
            for method in options["methods"]:
                yield _trace(figure, set_up, setup, method)


PATTERNS = Table(
    "patterns",
    "Repeated patterns with flipped bits",
    "captions/scores.rst",
    f"{HERE}.fits:patterns",
    needs=lambda plan: {},
    arguments=lambda plan: {
        "prototypes": plan.options["patterns"]["prototypes"],
        "iterations": plan.options["patterns"]["iterations"],
        "seeds": plan.seeds,
        "engines": {
            method: _engine(plan, method, plan.options["patterns"]["K"])
            for method in plan.options["patterns"]["methods"]
        },
    },
    options=closed(
        ["prototypes", "K", "iterations", "methods"], prototypes=COUNT, K=COUNT, iterations=COUNT, methods=NAMES
    ),
    check=_check_methods("patterns"),
    classes=lambda plan: [plan.entry(method)["class"] for method in plan.options["patterns"]["methods"]],
)
TRACES = common.gathered("traces", "Errors along the CPU time of every fit", traces_of)

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
        f"{CAPTIONS}/{name}.rst",
        f"{HERE}.figures:draw",
        needs=lambda plan: {"traces": TableOf("traces")},
        arguments=_drawn(name, unit),
        options=OF_FIGURE,
        check=_check_methods(name),
    )


def _methods(plan: Plan) -> list[str]:
    return list(dict.fromkeys(m for name in FIGURES for m in plan.options[name]["methods"]))


def _claims(name: str, title: str) -> Table:
    return Table(
        name,
        title,
        f"{CAPTIONS}/{name}.rst",
        f"{HERE}.claims:{name}",
        needs=lambda plan: {"traces": TableOf("traces"), "patterns": TableOf("patterns")},
        arguments=lambda plan: {
            "K": {set_up: plan.options[figure]["K"] for figure in FIGURES for set_up in plan.options[figure]["set_ups"]}
        },
        in_report=True,
    )


LAST_ERRORS = Table(
    "last_errors",
    "What the fits end with",
    f"{CAPTIONS}/last_errors.rst",
    f"{HERE}.numbers:last_errors",
    needs=lambda plan: {"traces": TableOf("traces")},
    arguments=lambda plan: {"labels": plan.labels(_methods(plan))},
    in_report=True,
    float_format="%.4g",
)
PRINTED = Table(
    "paper_numbers",
    "Numbers of the paper and ours",
    f"{CAPTIONS}/paper_numbers.rst",
    f"{HERE}.numbers:printed",
    needs=lambda plan: {"traces": TableOf("traces")},
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
    tables=(
        traces_of,
        TRACES,
        PATTERNS,
        LAST_ERRORS,
        PRINTED,
        _claims("claims", "Claims"),
        _claims("claims_parts", "Claims, part by part"),
    ),
    front=("figure_1", "claims"),
)
