"""What the paper's simulations show."""

from collections.abc import Iterator

from nbmf_studies.cemgil2009.criteria import PRINTED
from nbmf_studies.cemgil2009.experiments import evidence_cases, filling_cases, order_cases, patched_dataset, shown_cases
from nbmf_studies.cemgil2009.names import title_of
from nbmf_studies.cemgil2009.options import OF_FIGURE_3, OF_FIGURE_4, OF_FIGURE_5, OF_FIGURE_6, OF_FIGURE_7
from nbmf_studies.cemgil2009.reading_experiments import scale_cases, stopped_cases, tied_cases
from nbmf_studies.cemgil2009.second_reading import FIGURES_AGAIN, TABLES_AGAIN, VERDICTS_AGAIN
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import BestFits, Cases, Matrix, Need, TableOf, tables
from nbmf_studies.framework.options import unknown
from nbmf_studies.framework.plan import Plan


def _has_photographs(plan: Plan, figure: str) -> bool:
    """Whether the photographs of a figure are at hand."""
    return not set(plan.options[figure]["datasets"]) & plan.missing_sources.keys()


def _check_datasets(name: str):
    def check(plan: Plan) -> Iterator[str]:
        option = plan.options[name]
        listed = option.get("datasets") or [option["dataset"]]
        for dataset in listed:
            yield from unknown(".datasets", dataset, plan.names("datasets"))

    return check


# --- Figure 3 --------------------------------------------------------------------------------


EVIDENCE = common.case_table(
    "evidence",
    "Evidence for every order: bound, Chib and annealing",
    evidence_cases,
    ".order_evidence:tabulate",
    in_report=True,
    float_format="%.6g",
)
FIGURE_3 = Figure(
    "figure_3",
    "Figure 3: the number of sources",
    ".figures:draw_evidence",
    tables(estimates="evidence"),
    arguments=lambda plan: {"K": plan.options["figure_3"]["truth"]["K"]},
    options=OF_FIGURE_3,
)

# --- Figure 4 --------------------------------------------------------------------------------


ORDERS_TABLE = common.case_table(
    "orders",
    "Bounds of photographs for every order",
    order_cases,
    ".order_bounds:tabulate",
    in_report=True,
    float_format="%.8g",
)
FIGURE_4 = Figure(
    "figure_4",
    "Figure 4: the number of templates of photographs",
    ".figures:draw_orders",
    tables("orders"),
    arguments=lambda plan: {
        "printed": PRINTED,
        "titles": {name: title_of(name) for name in plan.options["figure_4"]["datasets"]},
    },
    options=OF_FIGURE_4,
    check=_check_datasets("figure_4"),
)

# --- Figure 5 --------------------------------------------------------------------------------


def _shapes(plan: Plan) -> dict[str, list[float]]:
    """Return the shapes of W and H of each method of the unmasked fits."""
    settings = {name: plan.entry(name)["settings"] for name in plan.unmasked_methods}
    return {name: [of["shape_W"], of["shape_H"]] for name, of in settings.items()}


BOUNDS = common.report_table(
    "template_bounds",
    "Bounds of fits with fixed shapes of the priors",
    ".templates:tabulate",
    tables(traces="unmasked_traces"),
    digits=8,
    arguments=lambda plan: {"shapes": _shapes(plan)},
    applies=common.has_unmasked_fits,
)
FIGURE_5 = Figure(
    "figure_5",
    "Figure 5: templates under different priors",
    ".images:draw_templates",
    lambda plan: {
        "matrix": Matrix(plan.options["figure_5"]["dataset"]),
        "fits": BestFits(plan.candidates(plan.options["figure_5"]["dataset"])),
        "bounds": TableOf("template_bounds"),
    },
    arguments=common.options_of("figure_5"),
    options=OF_FIGURE_5,
    check=_check_datasets("figure_5"),
    dpi=300,
)

# --- Figures 6 and 7 -------------------------------------------------------------------------


def _check_shown(plan: Plan) -> Iterator[str]:
    """Yield what Figure 6 shows that Figure 7 does not have; what that has wrong it says itself."""
    shown, fitted = plan.options["figure_6"], plan.options["figure_7"]
    there = {"dataset": fitted["datasets"], "run": range(fitted["runs"]), "order": fitted["orders"]}
    if set(fitted["datasets"]) <= set(plan.names("datasets")):
        for name, allowed in there.items():
            if shown[name] not in allowed:
                yield f".{name} = {shown[name]!r}: must be one of those of figure_7, {', '.join(map(str, allowed))}"


FILLED = common.case_table(
    "filled", "Filled patches: signal-to-noise ratios", filling_cases, ".filling:tabulate", float_format="%.6g"
)
RECONSTRUCTED = Table(
    "reconstructed",
    "Pixels of a typical run",
    ".filling:reconstruct",
    lambda plan: {
        "matrix": Matrix(patched_dataset(plan, plan.options["figure_6"]["dataset"])[0]),
        "fits": Cases.of(shown_cases(plan)),
    },
    arguments=common.options_of("figure_6", "run"),
    float_format="%.5g",
)
FIGURE_6 = Figure(
    "figure_6",
    "Figure 6: filled patches in a typical run",
    ".images:draw_filled",
    tables(pixels="reconstructed", scores="filled"),
    arguments=common.options_of("figure_6"),
    options=OF_FIGURE_6,
    check=_check_shown,
    dpi=300,
)
FIGURE_7 = Figure(
    "figure_7",
    "Figure 7: signal-to-noise ratio against the number of templates",
    ".figures:draw_scores",
    tables(scores="filled"),
    arguments=lambda plan: {"titles": {name: title_of(name) for name in plan.options["figure_7"]["datasets"]}},
    options=OF_FIGURE_7,
    check=_check_datasets("figure_7"),
)

# --- What they say ---------------------------------------------------------------------------


def _evidence_of_claims(plan: Plan) -> dict[str, Need]:
    """Return all tables that there are; without photographs that is the first."""
    needs: dict[str, Need] = {"estimates": TableOf("evidence")}
    if _has_photographs(plan, "figure_4"):
        needs["orders"] = TableOf("orders")
    if common.has_unmasked_fits(plan):
        needs["bounds"] = TableOf("template_bounds")
    if _has_photographs(plan, "figure_7"):
        needs["scores"] = TableOf("filled")
    return needs


def _true_order(plan: Plan) -> dict[str, int]:
    return {"K": plan.options["figure_3"]["truth"]["K"]}


REPORTED_VALUES = common.report_table(
    "paper_numbers",
    "Numbers of the paper and ours",
    ".reported_values:printed",
    _evidence_of_claims,
    arguments=_true_order,
)

STUDY = Study(
    "cemgil2009",
    "Cemgil (2009)",
    "A. T. Cemgil, Bayesian inference for nonnegative matrix factorisation models, Computational "
    "Intelligence and Neuroscience 2009, 785152, doi:10.1155/2009/785152",
    figures=(FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7, *FIGURES_AGAIN),
    tables=(
        EVIDENCE,
        ORDERS_TABLE,
        common.UNMASKED_TRACES,
        BOUNDS,
        FILLED,
        RECONSTRUCTED,
        *common.claims(needs=_evidence_of_claims, arguments=_true_order),
        REPORTED_VALUES,
        *TABLES_AGAIN,
        *VERDICTS_AGAIN,
    ),
    front=("figure_3", "claims"),
    experiments=(evidence_cases, order_cases, filling_cases),
    further_experiments=(scale_cases, stopped_cases, tied_cases),
)
