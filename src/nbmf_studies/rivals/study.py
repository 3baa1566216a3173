"""What the study shows: the methods under test against other packages, the library's methods and baselines."""

from dataclasses import replace
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study
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
            "nbmf_studies.trials.figure:draw",
            SOURCES,
            caption="rivals/captions/figure.rst",
            arguments=lambda plan: {**_shown(plan), "colours": plan.colours(plan.methods), "title": "third"},
            with_gaps=True,
        ),
    ),
    tables=(
        common.SCORES,
        replace(common.BASELINES, in_report=False),
        common.report_table(
            "losses", "Every method on every matrix", f"{OUTCOME}:tabulate", SOURCES, digits=5, arguments=_shown
        ),
        common.report_table(
            "excess",
            "The methods in short",
            f"{OUTCOME}:summarise",
            tables("losses"),
            digits=4,
            caption="trials/captions/excess.rst",
            arguments=_shown,
        ),
        common.report_table(
            "against",
            "Stacking and the default against each rival",
            ".comparison:compare",
            SOURCES,
            digits=4,
            arguments=_shown,
        ),
    ),
    front=("against", "excess"),
)
