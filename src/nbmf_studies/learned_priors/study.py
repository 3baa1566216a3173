"""What the study shows."""

from collections.abc import Iterator
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import BestFits, Matrix, Reports, TableOf
from nbmf_studies.framework.options import closed
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.learned_priors"
CAPTIONS = "learned_priors/captions"
SHOWN = 15  # components of a dictionary

NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
NUMBERS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "number", "exclusiveMinimum": 0}}
COUNT = {"type": "integer", "minimum": 1}
SETTINGS = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}}


def _methods(plan: Plan, chosen: dict[str, dict]) -> dict[str, list]:
    """Return the class and the settings of methods, some of them replaced."""
    entries = {name: plan.entry(name) for name in chosen}
    return {
        name: [entries[name]["class"], {**entries[name]["settings"], **settings}] for name, settings in chosen.items()
    }


def _experiment(name: str):
    def arguments(plan: Plan) -> dict[str, Any]:
        options = plan.options[name]
        return {**options, "methods": _methods(plan, options["methods"])}

    return arguments


def _classes(name: str):
    return lambda plan: [plan.entry(method)["class"] for method in plan.options[name]["methods"]]


FINDINGS = Table(
    "findings",
    "What was learned, fit by fit",
    f"{CAPTIONS}/findings.rst",
    f"{HERE}.findings:tabulate",
    needs=lambda plan: {"fits": Reports(plan.masked_fits)},
)
FINDINGS_SUMMARY = Table(
    "findings_summary",
    "What was learned",
    f"{CAPTIONS}/findings.rst",
    f"{HERE}.findings:summarise",
    needs=lambda plan: {"findings": TableOf("findings"), "scores": TableOf("scores")},
    arguments=lambda plan: {"sides": plan.options["findings_summary"]["sides"]},
    options=closed(["sides"], sides={"type": "object", "additionalProperties": NAMES}),
    in_report=True,
    float_format="%.4g",
)
RATIOS = Table(
    "ratios",
    "One method against another",
    f"{CAPTIONS}/ratios.rst",
    f"{HERE}.ratios:tabulate",
    needs=lambda plan: {"scores": TableOf("scores")},
    arguments=lambda plan: {"pairs": plan.options["ratios"]["pairs"]},
    options=closed(["pairs"], pairs={"type": "array", "minItems": 1, "items": NAMES}),
    in_report=True,
    float_format="%.4f",
)
RECOVERY = Table(
    "recovery",
    "Learned and true priors",
    f"{CAPTIONS}/recovery.rst",
    f"{HERE}.recovery:tabulate",
    needs=lambda plan: {},
    arguments=_experiment("recovery"),
    options=closed(
        ["size", "K", "values", "repetitions", "methods"],
        size=COUNT,
        K=COUNT,
        values=NUMBERS,
        repetitions=COUNT,
        methods=SETTINGS,
    ),
    classes=_classes("recovery"),
    minutes=30,
)
STRUCTURELESS = Table(
    "structureless",
    "Matrices without structure",
    f"{CAPTIONS}/structureless.rst",
    f"{HERE}.structureless:tabulate",
    needs=lambda plan: {},
    arguments=_experiment("structureless"),
    options=closed(
        ["shapes", "K", "methods"],
        shapes={"type": "array", "minItems": 1, "items": {"type": "array", "items": COUNT}},
        K=COUNT,
        methods=SETTINGS,
    ),
    classes=_classes("structureless"),
    in_report=True,
    float_format="%.4f",
    minutes=30,
)
FIGURE_10 = Figure(
    "figure_10",
    "Figure 10 with learned priors",
    f"{CAPTIONS}/figure_10.rst",
    "nbmf.plotting.boxes:draw",
    needs=lambda plan: {"scores": TableOf("scores")},
    arguments=common.compared,
    with_gaps=True,
)
FIGURE_RECOVERY = Figure(
    "recovery",
    "Learned and true priors",
    f"{CAPTIONS}/recovery.rst",
    f"{HERE}.recovery_figure:draw",
    needs=lambda plan: {"recovery": TableOf("recovery")},
    arguments=lambda plan: {
        "labels": plan.labels(plan.options["recovery"]["methods"]),
        "colours": plan.colours(plan.options["recovery"]["methods"]),
    },
)


def _dictionaries(plan: Plan) -> Iterator[Figure]:
    """Yield a figure per dataset with unmasked fits."""
    for dataset, grids in plan.unmasked.items():
        candidates = [
            [method, plan.label(method), [key for key in plan.unmasked_fits if key[:2] == (dataset, method)]]
            for method in grids
        ]
        yield Figure(
            f"dictionaries_{dataset}",
            f"Dictionaries of {dataset}",
            f"{CAPTIONS}/dictionaries.rst",
            f"{HERE}.dictionaries:draw",
            needs=lambda plan, dataset=dataset, candidates=candidates: {
                "matrix": Matrix(dataset),
                "fits": BestFits(candidates),
            },
            arguments=lambda plan: {"columns": SHOWN},
            dpi=300,
        )


STUDY = Study(
    "learned_priors",
    "Learned priors",
    "no paper: the priors that the main one fixes",
    figures=(FIGURE_10, common.CALIBRATION_FIGURE, FIGURE_RECOVERY, _dictionaries),
    tables=(
        common.SCORES,
        common.SUMMARY,
        RATIOS,
        FINDINGS,
        FINDINGS_SUMMARY,
        *(STRUCTURELESS, RECOVERY, *common.CALIBRATION_TABLES),
    ),
    front=("figure_10", "ratios"),
)
