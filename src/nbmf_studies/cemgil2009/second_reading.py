"""What the second reading shows, made on request: Figures 3, 4 and 7 again, and the claims judged by them."""

from collections.abc import Iterator

from nbmf_studies.cemgil2009.criteria import PRINTED
from nbmf_studies.cemgil2009.names import title_of
from nbmf_studies.cemgil2009.options import OF_FIGURE_3_SCALE, OF_FIGURE_4_STOPPED, OF_FIGURE_7_TIES
from nbmf_studies.cemgil2009.reading_experiments import scale_cases, stopped_cases, tied_cases
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure
from nbmf_studies.framework.needs import Need, TableOf, tables
from nbmf_studies.framework.options import unknown
from nbmf_studies.framework.plan import Plan


def _true_order(plan: Plan) -> dict[str, int]:
    return {"K": plan.options["figure_3_scale"]["truth"]["K"]}


def _stopped_datasets(plan: Plan) -> list[str]:
    return [name for name in plan.options["figure_4_stopped"] if name not in plan.missing_sources]


def _has_stopped(plan: Plan) -> bool:
    return bool(_stopped_datasets(plan))


def _has_ties(plan: Plan) -> bool:
    return plan.options["figure_7_ties"]["dataset"] not in plan.missing_sources


def _check_stopped(plan: Plan) -> Iterator[str]:
    for dataset in plan.options["figure_4_stopped"]:
        yield from unknown(".", dataset, plan.names("datasets"))


EVIDENCE_AGAIN = common.case_table(
    "evidence_scale",
    "Evidence if b is a scale",
    scale_cases,
    ".reading_tables:evidence_again",
    on_request=common.READINGS,
    in_report=True,
    float_format="%.6g",
)
FIGURE_3_SCALE = Figure(
    "figure_3_scale",
    "Figure 3 again, with b as a scale",
    ".reading_figures:draw_scale",
    tables(estimates="evidence_scale"),
    arguments=_true_order,
    options=OF_FIGURE_3_SCALE,
    on_request=common.READINGS,
)
ORDERS_STOPPED = common.case_table(
    "orders_stopped",
    "Bounds of photographs at a stop, from two starts and from neighbours",
    lambda plan: (case for case in stopped_cases(plan) if case.key.dataset not in plan.missing_sources),
    ".reading_tables:stopped_orders",
    applies=_has_stopped,
    on_request=common.READINGS,
    in_report=True,
    float_format="%.8g",
)
FIGURE_4_STOPPED = Figure(
    "figure_4_stopped",
    "Figure 4 again, with fits to a stop",
    ".reading_figures:draw_stopped",
    tables(orders="orders_stopped"),
    arguments=lambda plan: {"printed": PRINTED, "titles": {name: title_of(name) for name in _stopped_datasets(plan)}},
    applies=_has_stopped,
    options=OF_FIGURE_4_STOPPED,
    check=_check_stopped,
    on_request=common.READINGS,
)
FILLED_TIES = common.case_table(
    "filled_ties",
    "Filled patches with different ties of the means",
    tied_cases,
    ".reading_tables:filled_again",
    applies=_has_ties,
    on_request=common.READINGS,
    in_report=True,
    float_format="%.8g",
)
FIGURE_7_TIES = Figure(
    "figure_7_ties",
    "Figure 7 again, with different ties of the means",
    ".reading_figures:draw_ties",
    tables(scores="filled_ties"),
    applies=_has_ties,
    options=OF_FIGURE_7_TIES,
    check=lambda plan: unknown(".dataset", plan.options["figure_7_ties"]["dataset"], plan.names("datasets")),
    on_request=common.READINGS,
)


def _evidence_of_readings(plan: Plan) -> dict[str, Need]:
    """Return all tables that there are; without photographs that is the first."""
    needs: dict[str, Need] = {"estimates": TableOf("evidence_scale")}
    if _has_stopped(plan):
        needs["orders"] = TableOf("orders_stopped")
    if _has_ties(plan):
        needs["scores"] = TableOf("filled_ties")
    return needs


FIGURES_AGAIN = (FIGURE_3_SCALE, FIGURE_4_STOPPED, FIGURE_7_TIES)
TABLES_AGAIN = (EVIDENCE_AGAIN, ORDERS_STOPPED, FILLED_TIES)
VERDICTS_AGAIN = common.readings(needs=_evidence_of_readings, arguments=_true_order)
