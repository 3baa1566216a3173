"""What the study shows: the methods under test against other packages, the library's methods and baselines."""

from dataclasses import replace
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import tables
from nbmf_studies.framework.plan import Plan

OURS = ["stacking", "nbmf-fit"]  # the methods under test
OUTCOME = "nbmf_studies.trials.outcome"
SOURCES = tables("scores", "baselines")


def _shown(plan: Plan) -> dict[str, Any]:
    """Return which methods there are, which are the library's, and which are under test."""
    methods = plan.comparable(plan.methods)
    library = [name for name in methods if plan.is_shared(name) or name in OURS]
    return {"labels": plan.labels(methods), "library": library, "default": OURS[1], "ours": OURS}


STUDY = Study(
    "rivals",
    "Against other packages",
    "no paper: fourteen public matrices, from the sources that data/trials/README.md names",
    figures=(
        Figure(
            "excess",
            "Excess loss of every method",
            make="nbmf_studies.trials.figure:draw",
            caption="rivals/captions/figure.rst",
            needs=SOURCES,
            arguments=lambda plan: {**_shown(plan), "colours": plan.colours(plan.methods), "title": "third"},
            with_gaps=True,
        ),
    ),
    tables=(
        common.SCORES,
        replace(common.BASELINES, in_report=False),
        Table(
            "losses",
            "Every method on every matrix",
            make=f"{OUTCOME}:tabulate",
            caption="rivals/captions/losses.rst",
            needs=SOURCES,
            arguments=_shown,
            in_report=True,
            float_format="%.5g",
        ),
        Table(
            "excess",
            "The methods in short",
            make=f"{OUTCOME}:summarise",
            caption="trials/captions/excess.rst",
            needs=tables("losses"),
            arguments=_shown,
            in_report=True,
            float_format="%.4g",
        ),
        Table(
            "against",
            "Stacking and the default against each rival",
            make=".comparison:compare",
            caption="rivals/captions/against.rst",
            needs=SOURCES,
            arguments=_shown,
            in_report=True,
            float_format="%.4g",
        ),
    ),
    front=("against", "excess"),
)
