"""What the paper's figures show, and what is judged again for several variances of loadings."""

from collections.abc import Callable
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import tables
from nbmf_studies.framework.options import COUNT, POSITIVE, closed, several
from nbmf_studies.framework.plan import Plan
from nbmf_studies.ohn2022 import experiments

CHAINS = ".chains:tabulate"

# --- Figure 1 ---------------------------------------------------------------------------------


FIGURE_1 = Figure(
    "figure_1",
    "Figure 1: draws from the priors",
    ".draws:draw",
    arguments=common.options_of("figure_1", "p", "omega", "kappa", "alphas"),
    options=closed(p=COUNT, omega=POSITIVE, kappa=POSITIVE, alphas=several(POSITIVE), draws=COUNT),
)
DRAWS = Table("draws", "Draws from the priors", ".draws:tabulate", arguments=common.options_of("figure_1"))
DRAWS_SUMMARY = common.report_table(
    "draws_summary", "Features and dishes of draws from the priors", ".draws:summarise", tables("draws"), digits=4
)

# --- Figure 2: chains, and what they say about K+ ------------------------------------------------


def _labels_argument(plan: Plan) -> dict[str, Any]:
    return {"labels": plan.labels(plan.options[experiments.MAIN]["methods"])}


def _colours_argument(plan: Plan) -> dict[str, Any]:
    return plan.labels_and_colours(plan.options[experiments.MAIN]["methods"])


_factors_argument = common.options_of(experiments.MAIN, "factors")
FIGURE_2 = Figure(
    experiments.MAIN,
    "Figure 2: the number of factors",
    ".figure_2:draw",
    tables("chains"),
    arguments=lambda plan: {**_colours_argument(plan), **_factors_argument(plan)},
    options=experiments.OF_FIGURE,
    check=experiments.check_figure,
)


def _summary_table(name: str, title: str, chains: str, settings: Callable[[Plan], dict[str, str]], **more) -> Table:
    return common.report_table(
        name,
        title,
        ".estimates:summarise",
        tables(chains=chains),
        digits=4,
        arguments=lambda plan: {
            **_labels_argument(plan),
            "settings": settings(plan),
            "priors": {
                method: experiments.prior_of(plan, method) for method in plan.options[experiments.MAIN]["methods"]
            },
        },
        **more,
    )


ESTIMATES = _summary_table("estimates", "The number of factors", "chains", lambda plan: {experiments.MAIN: "Figure 2"})
OTHER_SETTINGS = _summary_table(
    experiments.OTHERS,
    "The number of factors in other settings",
    "other_chains",
    lambda plan: experiments.labels_of_settings(plan, experiments.OTHERS),
    options=experiments.OF_OTHERS,
    check=lambda plan: experiments.problems_of_settings(
        plan, experiments.OTHERS, plan.options[experiments.MAIN]["starts"]
    ),
)
IN_DOUBT = common.report_table(
    "in_doubt", "Chains whose number of factors is in doubt", ".estimates:doubtful_chains", tables("chains"), digits=4
)
CLAIMS = common.claims(needs=tables("chains", "draws"), arguments=_factors_argument)

# --- Several variances of loadings, on request ------------------------------------------------


def _slab_arguments(plan: Plan) -> dict[str, Any]:
    return {"settings": experiments.labels_of_settings(plan, experiments.SLABS)}


SLAB_FIGURE = Figure(
    experiments.SLABS,
    "The number of factors for several variances of loadings",
    ".figure_2:draw_settings",
    tables(chains="slab_chains"),
    arguments=lambda plan: {**_colours_argument(plan), **_factors_argument(plan), **_slab_arguments(plan)},
    options=experiments.OF_SLABS,
    check=experiments.check_slabs,
    on_request=common.READINGS,
)
COVARIANCE_FIGURE = Figure(
    "covariance_errors",
    "The error of BB' for several variances of loadings",
    ".covariance:draw",
    tables(chains="slab_chains"),
    arguments=lambda plan: {**_colours_argument(plan), **_slab_arguments(plan)},
    on_request=common.READINGS,
)
SLAB_ESTIMATES = _summary_table(
    "slab_estimates",
    "The number of factors for several variances of loadings",
    "slab_chains",
    lambda plan: experiments.labels_of_settings(plan, experiments.SLABS),
    on_request=common.READINGS,
)
COVARIANCE_TABLE = common.report_table(
    "covariance_differences",
    "The error of BB' under either prior",
    ".covariance:compare",
    tables(chains="slab_chains"),
    digits=4,
    arguments=_slab_arguments,
    on_request=common.READINGS,
)

STUDY = Study(
    "ohn2022",
    "Ohn (2022)",
    "I. Ohn, The convergent Indian buffet process, 2022",
    figures=(FIGURE_1, FIGURE_2, SLAB_FIGURE, COVARIANCE_FIGURE),
    tables=(
        DRAWS,
        DRAWS_SUMMARY,
        common.case_table("chains", "K+ of every chain of Figure 2", experiments.cases_of_figure, CHAINS),
        common.case_table("other_chains", "K+ of every chain in other settings", experiments.cases_of_others, CHAINS),
        ESTIMATES,
        IN_DOUBT,
        OTHER_SETTINGS,
        *CLAIMS,
        common.case_table(
            "slab_chains",
            "K+ and the error of BB' of every chain, for several variances of loadings",
            experiments.cases_of_slabs,
            CHAINS,
            float_format="%.7g",
            on_request=common.READINGS,
        ),
        SLAB_ESTIMATES,
        COVARIANCE_TABLE,
        *common.readings(needs=tables(chains="slab_chains"), arguments=_factors_argument),
    ),
    front=(experiments.MAIN, "claims"),
    experiments=(experiments.cases_of_figure, experiments.cases_of_others),
    further_experiments=(experiments.cases_of_slabs,),
)
