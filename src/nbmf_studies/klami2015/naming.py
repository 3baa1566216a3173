"""How set-ups and engines are named and drawn, in every figure and table of the study."""

from collections.abc import Iterable
from typing import Any

from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015.engines import BOHNING, GAUSSIAN, SOFTPLUS
from nbmf_studies.klami2015.experiments import FIGURES
from nbmf_studies.klami2015.simulation import SetUp

WORDS = {"bernoulli": "binary", "negative-binomial": "negative binomial", "poisson": "Poisson"}


def title_of(setup: SetUp) -> str:
    """Return what a panel of a set-up is called."""
    b = f" {'+' if setup.b > 0 else '−'} {abs(setup.b):g}" if setup.b else ""
    psi = f"{setup.s:g} (uv'{b})" if setup.inside else f"{setup.s:g} uv'{b}"
    return f"{WORDS[setup.law]}, ψ = {psi}"


def dash_of(method: str) -> str:
    """Return how a line is drawn: comparison methods dotted, what is not the paper's dashed."""
    if method in (GAUSSIAN, BOHNING, SOFTPLUS):
        return ":"
    return "--" if method.endswith("-search") else "-"


def series_of(plan: Plan, methods: Iterable[str]) -> dict[str, list]:
    """Return label, colour and dash of each method."""
    labels, colours = plan.labels(methods), plan.colours(methods)
    return {method: [labels[method], colours[method], dash_of(method)] for method in methods}


def labels_argument(plan: Plan) -> dict[str, Any]:
    """Return the labels of the methods of both figures, as an argument."""
    return {"labels": plan.labels(method for name in FIGURES for method in plan.options[name]["methods"])}
