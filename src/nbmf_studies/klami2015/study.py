"""What the paper's experiments show, and their fits."""

from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import tables
from nbmf_studies.framework.options import unknown_methods
from nbmf_studies.framework.plan import Plan
from nbmf_studies.klami2015 import experiments, reading_products
from nbmf_studies.klami2015.experiments import FIGURES
from nbmf_studies.klami2015.naming import labels_argument, series_of, title_of
from nbmf_studies.klami2015.simulation import set_ups

PATTERNS = common.case_table(
    "patterns",
    "Repeated patterns with flipped bits",
    experiments.pattern_cases,
    common.TRACES_OF_CASES,
    options=experiments.OF_PATTERNS,
    check=lambda plan: unknown_methods(plan, "patterns"),
)
TRACES = common.case_table(
    "traces",
    "Errors against the CPU time of every fit",
    experiments.trace_cases,
    ".traces:gather",
    in_reference=False,  # 14,000 rows
)
ENDS = Table("ends", "Every fit at its end", ".traces:ends", tables("traces"), in_reference=True, float_format="%.6g")

# --- What they show ---------------------------------------------------------------------------


def _drawn(figure: str, unit: str):
    def arguments(plan: Plan) -> dict[str, Any]:
        options = plan.options[figure]
        return {
            "set_ups": {name: title_of(one) for name, one in set_ups(options).items()},
            "series": series_of(plan, options["methods"]),
            "unit": unit,
        }

    return arguments


def _figure(name: str, title: str, unit: str) -> Figure:
    return Figure(
        name,
        title,
        ".figures:draw",
        tables("traces"),
        arguments=_drawn(name, unit),
        options=experiments.OF_FIGURE,
        check=lambda plan: unknown_methods(plan, name),
    )


CLAIMS = common.claims(
    needs=tables("traces", "patterns"),
    arguments=lambda plan: {
        "K": {set_up: plan.options[figure]["K"] for figure in FIGURES for set_up in plan.options[figure]["set_ups"]}
    },
)
LAST_ERRORS = common.report_table(
    "last_errors",
    "Errors at the end of the fits",
    ".reported_values:last_errors",
    tables("traces"),
    digits=4,
    arguments=labels_argument,
)
PRINTED = common.report_table(
    "paper_numbers", "Numbers of the paper and ours", ".reported_values:printed", tables("traces"), digits=4
)

STUDY = Study(
    "klami2015",
    "Klami (2015)",
    "A. Klami, Pólya-gamma augmentations for factor models, Proceedings of the Asian Conference "
    "on Machine Learning, JMLR Workshop and Conference Proceedings 39 (2015), 112-128",
    figures=(
        _figure("figure_1", "Figure 1: binary data", "probability"),
        _figure("figure_2", "Figure 2: counts", "expected count"),
        *reading_products.FIGURES,
    ),
    tables=(TRACES, ENDS, PATTERNS, LAST_ERRORS, PRINTED, *CLAIMS, *reading_products.TABLES),
    front=("figure_1", "claims"),
    experiments=(experiments.trace_cases, experiments.pattern_cases),
    further_experiments=(
        experiments.binary_cases,
        experiments.more_pattern_cases,
        experiments.size_cases,
        experiments.observed_cases,
    ),
)
