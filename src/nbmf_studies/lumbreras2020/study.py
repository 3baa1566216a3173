"""What the paper shows, figure by figure, and what each of them needs."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from nbmf import registry
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.simulation import MODELS
from nbmf.fit_key import FitKey
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.needs import Matrices, Matrix, Need, TableOf, tables
from nbmf_studies.framework.options import COUNT, K_OF_METHOD, POSITIVE, closed, several, unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020 import second_reading
from nbmf_studies.lumbreras2020.datasets import has_paper_dataset
from nbmf_studies.lumbreras2020.factors import FIGURE_6, OF_FACTORS, dictionaries, is_shown, shown_K

HERE = "nbmf_studies.lumbreras2020"

# --- Figures 2 and 5: the matrices ------------------------------------------------------------


def _check_figure_2(plan: Plan) -> Iterator[str]:
    for i, panel in enumerate(plan.options["figure_2"]):
        yield from unknown(f"[{i}].dataset", panel["dataset"], plan.names("datasets"))


FIGURE_2 = Figure(
    "figure_2",
    "Figure 2: matrices drawn from the models",
    ".figure_2:draw",
    lambda plan: {"matrices": Matrices([[panel["title"], panel["dataset"]] for panel in plan.options["figure_2"]])},
    options={"type": "array", "minItems": 1, "items": closed(dataset={"type": "string"}, title={"type": "string"})},
    applies=has_paper_dataset,
    check=_check_figure_2,
)


def _figure_5_needs(plan: Plan) -> dict[str, Need]:
    needs: dict[str, Need] = {"matrices": Matrices([[name, name] for name in plan.datasets])}
    if "unvotes" in plan.datasets:
        needs["abstentions"] = Matrix(plan.options["figure_5"]["abstentions"])
    return needs


FIGURE_5 = Figure(
    "figure_5",
    "Figure 5: the datasets",
    ".figure_5:draw",
    _figure_5_needs,
    arguments=lambda plan: {"labels": {name: plan.dataset_entry(name)["axes"] for name in plan.datasets}},
    options=closed(abstentions={"type": "string"}),
    check=lambda plan: unknown(".abstentions", plan.options["figure_5"]["abstentions"], plan.names("datasets")),
)

# --- Figures 10 and 11: held-out log loss -----------------------------------------------------


FIGURE_10 = Figure(
    "figure_10",
    "Figure 10: held-out log loss",
    "nbmf.plotting.boxes:draw",
    lambda plan: {"scores": TableOf("scores"), **common.diagnostics_needs(plan)},
    arguments=common.comparison_arguments,
    with_gaps=True,
)


def _series(plan: Plan) -> dict[str, Any]:
    """Return the lines that are named, also those of a K that is not fitted, of which the figure says so."""
    named = plan.options["figure_11"]
    colours = plan.colours(named)
    return {
        "series": [[method, K, plan.label(method, K), colours[method]] for method, K in named.items()],
        "datasets": plan.datasets,
    }


def _check_figure_11(plan: Plan) -> Iterator[str]:
    for method in plan.options["figure_11"]:
        yield from unknown(f".{method}", method, plan.names("methods"))


FIGURE_11 = Figure(
    "figure_11",
    "Figure 11: log loss along iterations",
    "nbmf.plotting.progress:draw",
    tables("traces"),
    arguments=_series,
    options=K_OF_METHOD,
    check=_check_figure_11,
)

# --- Section 6.2: sensitivity to the concentrations -------------------------------------------


def sensitivity_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of section 6.2: every method to matrices of its own model, with other priors.

    Methods of one model see the same matrices and masks, and a method begins with the same random
    numbers whatever its concentrations are: only the prior differs.
    """
    if not has_paper_dataset(plan):
        return
    chosen = plan.options["sensitivity"]
    K = chosen["K"]
    for size, number, (method, settings) in product(chosen["sizes"], range(chosen["masks"]), chosen["methods"].items()):
        family = registry.estimator_class(plan.entry(method)["class"])
        options = {"model": family.model, "size": size, "K": K, "number": number}
        dataset, entry = drawn_dataset(f"{HERE}.sensitivity_data", options, measure=f"{HERE}.sensitivity_data:measure")
        for concentration in chosen["concentrations"]:
            priors = dict.fromkeys(family.concentrations(), concentration)
            variant = f"{method}-sensitivity-{concentration:g}"
            yield Case(
                FitKey(dataset, variant, K, 0, 0),
                {"size": size, "method": method, "concentration": concentration, "mask": number},
                entry,
                plan.variant(method, K, settings | priors),
            )


def _check_sensitivity(plan: Plan) -> Iterator[str]:
    chosen = plan.options["sensitivity"]
    for method, settings in chosen["methods"].items():
        key_path = f".methods.{method}"
        yield from unknown(key_path, method, plan.names("methods"))
        class_name = plan.entry(method)["class"]
        family = registry.estimator_class(class_name)
        if getattr(family, "model", None) not in MODELS:
            models = ", ".join(MODELS)
            yield f"{key_path}: {class_name} is of none of the models {models}: there are no toy data to draw for it"
            continue
        for concentration in chosen["concentrations"]:
            priors = dict.fromkeys(family.concentrations(), concentration)
            try:
                registry.check_settings(key_path, class_name, [chosen["K"]], settings | priors)
            except ConfigError as error:
                yield str(error)


SENSITIVITY_FITS = common.case_table(
    "sensitivity",
    "Sensitivity to hyperparameters, fit by fit",
    sensitivity_cases,
    in_reference=False,
    options=closed(
        sizes=several({"type": "integer", "minimum": 5}),
        K={"type": "integer", "minimum": 2},
        concentrations=several(POSITIVE),
        masks=COUNT,
        # method: settings that replace those of its entry
        methods={"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}},
    ),
    check=_check_sensitivity,
    applies=has_paper_dataset,
)
SENSITIVITY = Figure(
    "sensitivity",
    "Sensitivity to hyperparameters",
    ".sensitivity:draw",
    tables(scores="sensitivity"),
    arguments=lambda plan: plan.labels_and_colours(plan.options["sensitivity"]["methods"]),
    applies=has_paper_dataset,
)

# --- The fit against K, which the paper only mentions -----------------------------------------


def _K_arguments(plan: Plan) -> dict[str, Any]:
    chosen = [method for method in plan.unmasked_methods if not plan.estimator(method).finds_components]
    figures = [figure for figure in OF_FACTORS if is_shown(plan, figure)]
    K_by_dataset = {plan.options[figure]["dataset"]: shown_K(plan, figure) for figure in figures}
    return {**plan.labels_and_colours(chosen), "shown_K": K_by_dataset}


FIT_AGAINST_K = Figure(
    "fit_against_K",
    "Fit against K",
    "nbmf.plotting.fit_against_K:draw",
    tables(scores="unmasked_scores"),
    arguments=_K_arguments,
    applies=lambda plan: any(is_shown(plan, figure) for figure in OF_FACTORS),
)

# --- Tables -----------------------------------------------------------------------------------


CLAIMS = common.claims(needs=tables("scores", "traces"), applies=has_paper_dataset)
PAPER_NUMBERS = common.report_table(
    "paper_numbers",
    "Numbers of the paper and ours",
    ".claims:paper_numbers",
    tables("unmasked_scores"),
    applies=lambda plan: has_paper_dataset(plan) and common.has_unmasked_fits(plan),
)

STUDY = Study(
    "lumbreras2020",
    "Lumbreras, Filstroff and Févotte (2020)",
    "A. Lumbreras, L. Filstroff and C. Févotte, Bayesian mean-parameterized nonnegative binary "
    "matrix factorization, Data Mining and Knowledge Discovery 34 (2020), "
    "https://doi.org/10.1007/s10618-020-00712-w",
    figures=(
        FIGURE_2,
        FIGURE_5,
        FIGURE_6,
        *map(dictionaries, OF_FACTORS[1:]),
        FIGURE_10,
        FIGURE_11,
        SENSITIVITY,
        FIT_AGAINST_K,
        common.traces_of_samplers,
        *second_reading.FIGURES,
    ),
    tables=(
        *common.MASKED_TABLES,
        *common.UNMASKED_TABLES,
        SENSITIVITY_FITS,
        *CLAIMS,
        PAPER_NUMBERS,
        *second_reading.TABLES,
    ),
    front=("figure_10", "claims"),
    experiments=(sensitivity_cases,),
    further_experiments=second_reading.EXPERIMENTS,
)
