"""What the study shows: on the list "choose" with the study, on "confirm" when it is asked for."""

from dataclasses import replace
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import MaskedMatrices, Reports, tables
from nbmf_studies.framework.plan import Plan

TITLES = {"datasets": "choose", "holdout": "confirm"}  # a key of the configuration, and the list
DEFAULT = "nbmf-fit"  # the method under test
ON_REQUEST = "confirm"
CONFIRM = f"{ON_REQUEST}_"  # before the names of what is made on request


def _shown(plan: Plan) -> dict[str, Any]:
    """Return which methods there are, and which of them is the default."""
    methods = plan.comparable(plan.methods)
    return {
        "labels": plan.labels(methods),
        "library": [name for name in methods if plan.is_shared(name) or name == DEFAULT],
        "default": DEFAULT,
    }


def _notes(plan: Plan, key: str) -> dict[str, str]:
    """Return what there is to say about the matrices of a list."""
    names = plan.datasets if key == "datasets" else plan.holdout
    without = {name: plan.overrides.get(name, {}).get("without", []) for name in names}
    notes = {name: f"without {', '.join(kinds)}" for name, kinds in without.items() if kinds}
    return notes | dict.fromkeys(plan.left_out_of(key), "left out: not here")


def _has_confirm(plan: Plan) -> bool:
    return bool(plan.holdout)


BASELINES = replace(common.BASELINES, in_report=False)


def _tables(prefix: str, key: str) -> list[Table]:
    """Return the tables of a list, from its scores and baselines."""
    sources = tables(scores=f"{prefix}scores", baselines=f"{prefix}baselines")
    of = TITLES[key]
    return [
        common.report_table(
            f"{prefix}losses",
            f"Every method on every matrix of the list {of}",
            ".outcome:tabulate",
            sources,
            digits=5,
            caption="trials/captions/losses.rst",
            arguments=_shown,
        ),
        common.report_table(
            f"{prefix}excess",
            f"The methods on the list {of}, in short",
            ".outcome:summarise",
            tables(losses=f"{prefix}losses"),
            digits=4,
            caption="trials/captions/excess.rst",
            arguments=_shown,
        ),
        common.report_table(
            f"{prefix}default",
            f"The default against the best of each kind, on the list {of}",
            ".outcome:compare_default",
            sources,
            digits=5,
            caption="trials/captions/default.rst",
            arguments=lambda plan: {**_shown(plan), "notes": _notes(plan, key)},
        ),
    ]


CONFIRM_TABLES = [
    replace(table, on_request=ON_REQUEST, applies=_has_confirm)
    for table in (
        replace(
            common.SCORES,
            name=f"{CONFIRM}scores",
            make=".outcome:gather",
            needs=lambda plan: {"fits": Reports(plan.fits_to_masks(plan.holdout))},
            in_reference=True,
        ),
        replace(
            BASELINES,
            name=f"{CONFIRM}baselines",
            needs=lambda plan: {"masked": MaskedMatrices(plan.masks_of(plan.holdout))},
        ),
        *_tables(CONFIRM, "holdout"),
    )
]
FIGURE = Figure(
    "excess",
    "Excess loss of every method",
    ".figure:draw",
    tables("scores", "baselines"),
    caption="trials/captions/figure.rst",
    arguments=lambda plan: {**_shown(plan), "colours": plan.colours(plan.methods), "title": TITLES["datasets"]},
    with_gaps=True,
)
CONFIRM_FIGURE = Figure(
    f"{CONFIRM}excess",
    "Excess loss of every method, on both lists",
    ".figure:draw_both",
    tables("scores", "baselines", f"{CONFIRM}scores", f"{CONFIRM}baselines"),
    caption="trials/captions/figure.rst",
    arguments=lambda plan: {**_shown(plan), "colours": plan.colours(plan.methods), "titles": list(TITLES.values())},
    applies=_has_confirm,
    on_request=ON_REQUEST,
)

STUDY = Study(
    "trials",
    "Which default",
    "no paper: public matrices of many shapes, from the sources that data/trials/README.md names",
    figures=(FIGURE, CONFIRM_FIGURE),
    tables=(common.SCORES, BASELINES, *_tables("", "datasets"), *CONFIRM_TABLES),
    front=("default", "excess"),
)
