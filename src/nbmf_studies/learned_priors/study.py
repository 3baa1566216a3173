"""What the study shows."""

from collections.abc import Iterator
from itertools import product

from nbmf import registry
from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.needs import BestFits, Matrix, tables
from nbmf_studies.framework.options import COUNT, NAMES, POSITIVE, closed, several, unknown_methods
from nbmf_studies.framework.plan import Plan
from nbmf_studies.learned_priors.recovery_data import LEARNED, priors
from nbmf_studies.learned_priors.structureless import KINDS

HERE = "nbmf_studies.learned_priors"
SHOWN = 15  # components of a dictionary

SETTINGS = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}}


def recovery_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits that learn one hyperparameter, where their class can, of matrices drawn with it."""
    options = plan.options["recovery"]
    size, K = options["size"], options["K"]
    for kind, truth, repetition in product(LEARNED, options["values"], range(options["repetitions"])):
        of_data = {"size": size, "K": K, "kind": kind, "truth": truth, "repetition": repetition}
        dataset, entry = drawn_dataset(f"{HERE}.recovery_data", of_data)
        for method, settings in options["methods"].items():
            learned = priors(kind, "learn")
            rules = registry.estimator_class(plan.entry(method)["class"]).rules
            if all(rules[name].holds("learn") for name in LEARNED[kind]):
                yield Case(
                    FitKey(dataset, f"{method}-recovery-{kind}", K, WHOLE, 0),
                    {"kind": kind, "truth": truth, "repetition": repetition, "method": method},
                    entry,
                    plan.variant(method, K, settings | learned),
                )


def structureless_cases(plan: Plan) -> Iterator[Case]:
    """Yield fits to held-out masks of matrices whose entries are independent."""
    options = plan.options["structureless"]
    for (rows, columns), kind in product(options["shapes"], KINDS):
        of_data = {"rows": rows, "columns": columns, "kind": kind}
        dataset, entry = drawn_dataset(f"{HERE}.structureless", of_data, measure=f"{HERE}.structureless:measure")
        for method, settings in options["methods"].items():
            yield Case(
                FitKey(dataset, f"{method}-structureless", options["K"], 0, 0),
                {"rows": rows, "columns": columns, "shares": kind, "method": method},
                entry,
                plan.variant(method, options["K"], settings),
            )


FINDINGS = Table("findings", "What was learned, fit by fit", ".findings:tabulate", common.masked_fits)
FINDINGS_SUMMARY = common.report_table(
    "findings_summary",
    "What was learned",
    ".findings:summarise",
    tables("findings", "scores"),
    digits=4,
    arguments=common.options_of("findings_summary", "sides"),
    options=closed(sides={"type": "object", "additionalProperties": NAMES}),
)
RATIOS = Table(
    "ratios",
    "One method against another",
    ".ratios:tabulate",
    tables("scores"),
    arguments=common.options_of("ratios", "pairs"),
    options=closed(pairs={"type": "array", "minItems": 1, "items": NAMES}),
    in_report=True,
    float_format="%.4f",
)
RECOVERY = common.case_table(
    "recovery",
    "Learned and true priors",
    recovery_cases,
    ".recovery:tabulate",
    in_reference=False,
    options=closed(size=COUNT, K=COUNT, values=several(POSITIVE), repetitions=COUNT, methods=SETTINGS),
    check=lambda plan: unknown_methods(plan, "recovery"),
)
STRUCTURELESS = common.case_table(
    "structureless",
    "Matrices without structure",
    structureless_cases,
    in_reference=False,
    options=closed(
        shapes={"type": "array", "minItems": 1, "items": {"type": "array", "items": COUNT}}, K=COUNT, methods=SETTINGS
    ),
    check=lambda plan: unknown_methods(plan, "structureless"),
    in_report=True,
    float_format="%.4f",
)
FIGURE_10 = Figure(
    "figure_10",
    "Figure 10 with learned priors",
    "nbmf.plotting.boxes:draw",
    tables("scores"),
    arguments=common.comparison_arguments,
    with_gaps=True,
)
FIGURE_RECOVERY = Figure(
    "recovery",
    "Learned and true priors",
    ".recovery_figure:draw",
    tables("recovery"),
    arguments=lambda plan: plan.labels_and_colours(plan.options["recovery"]["methods"]),
)


def _dictionaries(plan: Plan) -> Iterator[Figure]:
    """Yield a figure per dataset with unmasked fits."""
    for dataset in plan.unmasked:
        yield Figure(
            f"dictionaries_{dataset}",
            f"Dictionaries of {dataset}",
            ".dictionaries:draw",
            lambda plan, dataset=dataset: {"matrix": Matrix(dataset), "fits": BestFits(plan.candidates(dataset))},
            caption="learned_priors/captions/dictionaries.rst",
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
    experiments=(recovery_cases, structureless_cases),
)
