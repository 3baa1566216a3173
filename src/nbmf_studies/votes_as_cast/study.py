"""What the study shows: a third category, forecasts, paths, seats, senators, and moods."""

from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import Matrix, tables
from nbmf_studies.framework.plan import Plan
from nbmf_studies.votes_as_cast import experiments

# --- A third category ------------------------------------------------------------------------------

THIRD_CATEGORY = common.case_table(
    "third_category",
    "Two and three categories, mask by mask",
    experiments.cases_of_categories,
    ".third_category:tabulate",
    options=experiments.CATEGORY_OPTIONS,
    check=experiments.check_categories,
)
THIRD_CATEGORY_SUMMARY = Table(
    "third_category_summary",
    "Does the third category predict yes?",
    make=".third_category:summarise",
    needs=tables("third_category"),
    in_report=True,
    float_format="%.5g",
)

DICTIONARIES = common.case_table(
    "dictionaries",
    "Positions in the Cold War, by two codings",
    experiments.cases_of_dictionaries,
    ".dictionaries:tabulate",
    arguments=lambda plan: {name: plan.options["dictionaries"][name] for name in ("countries", "components", "below")},
    options=experiments.DICTIONARY_OPTIONS,
    check=experiments.check_dictionaries,
    float_format="%.5g",
)
AGREEMENT = Table(
    "dictionaries_agreement",
    "Do two and three categories show the same Cold War?",
    make=".dictionaries:agreement",
    needs=tables("dictionaries"),
    in_report=True,
    float_format="%.3g",
)
DICTIONARIES_FIGURE = Figure(
    "dictionaries",
    "Positions in the Cold War, by two codings",
    make=".dictionaries:draw",
    needs=tables("dictionaries"),
    dpi=300,
)

# --- Moods ------------------------------------------------------------------------------------------


ANSWERS = common.case_table(
    "answers",
    "Moods, mask by mask",
    experiments.cases_of_answers,
    ".third_category:tabulate",
    options=experiments.ANSWER_OPTIONS,
    check=experiments.check_answers,
)
ANSWERS_SUMMARY = Table(
    "answers_summary",
    "Do answers from 0 to 3 predict whether a mood was felt?",
    make=".answers:summarise",
    needs=tables("answers"),
    in_report=True,
    float_format="%.5g",
)

# --- Forecasts -------------------------------------------------------------------------------------


def _methods_of_forecasts(plan: Plan) -> dict[str, Any]:
    moving, *staying = plan.options["forecasts"]["methods"]
    return {"moving": moving, "staying": staying}


FORECASTS = common.case_table(
    "forecasts",
    "Forecasts of sessions",
    experiments.cases_of_forecasts,
    ".forecasts:tabulate",
    options=experiments.FORECAST_OPTIONS,
    check=experiments.check_forecasts,
)
FORECASTS_SUMMARY = Table(
    "forecasts_summary",
    "Forecasts of the next session",
    make=".forecasts:summarise",
    needs=tables("forecasts"),
    arguments=lambda plan: {
        "labels": plan.labels(plan.options["forecasts"]["methods"]),
        "compared": _methods_of_forecasts(plan)["moving"],
    },
    in_report=True,
    float_format="%.5g",
)
FORECASTS_FIGURE = Figure(
    "forecasts",
    "Forecasts of the next session",
    make=".forecasts:draw",
    needs=tables("forecasts"),
    arguments=lambda plan: plan.labels_and_colours(plan.options["forecasts"]["methods"]),
)

# --- Paths and seats -------------------------------------------------------------------------------

PATHS = common.case_table(
    "paths",
    "Positions of all countries, session by session",
    experiments.cases_of_paths,
    ".paths:tabulate",
    arguments=lambda plan: {"below": plan.options["paths"]["below"]},
    options=experiments.PATH_OPTIONS,
    check=experiments.check_paths,
    float_format="%.5g",
)
PATHS_FIGURE = Figure(
    "paths",
    "Positions in the General Assembly",
    make=".paths:draw",
    needs=tables("paths"),
    arguments=lambda plan: {"names": plan.options["paths"]["names"]},
)
POSITIONS = Table(
    "positions",
    "Positions in some sessions",
    make=".paths:positions",
    needs=tables("paths"),
    arguments=lambda plan: {name: plan.options["paths"][name] for name in ("names", "sessions")},
    in_report=True,
    float_format="%.3g",
)
SEATS = Table(
    "seats",
    "Names that end or pause",
    make=".seats:tabulate",
    needs=lambda plan: {"matrix": Matrix(experiments.dataset_of_paths(plan))},
    in_report=True,
)

# --- Senators --------------------------------------------------------------------------------------


def _about_senate(plan: Plan) -> dict[str, Any]:
    options = plan.options["senate"]
    counts = plan.dataset_entry(options["dataset"])["counts"]
    return {"labels": plan.labels(options["methods"]), "observed": counts["ones"] + counts["zeros"]}


def _has_senate(plan: Plan) -> bool:
    return plan.options["senate"]["dataset"] not in plan.missing_sources


SENATE = common.case_table(
    "senate",
    "Static samplers on votes of senators, mask by mask",
    experiments.cases_of_senate,
    ".senate:tabulate",
    options=experiments.SENATE_OPTIONS,
    check=experiments.check_senate,
    applies=_has_senate,
)
SENATE_SUMMARY = Table(
    "senate_summary",
    "Static samplers on votes of senators",
    make=".senate:summarise",
    needs=tables("senate"),
    arguments=_about_senate,
    applies=_has_senate,
    in_report=True,
    float_format="%.5g",
)

STUDY = Study(
    "votes_as_cast",
    "Votes as they were cast",
    "no paper: the main paper's votes with their abstentions, and with time",
    figures=(PATHS_FIGURE, FORECASTS_FIGURE, DICTIONARIES_FIGURE),
    tables=(
        THIRD_CATEGORY,
        THIRD_CATEGORY_SUMMARY,
        DICTIONARIES,
        AGREEMENT,
        ANSWERS,
        ANSWERS_SUMMARY,
        *common.claims(needs=tables("third_category", "forecasts", "answers"), arguments=_methods_of_forecasts),
        FORECASTS,
        FORECASTS_SUMMARY,
        PATHS,
        POSITIONS,
        SEATS,
        SENATE,
        SENATE_SUMMARY,
    ),
    front=("paths", "third_category_summary"),
    experiments=(
        experiments.cases_of_categories,
        experiments.cases_of_dictionaries,
        experiments.cases_of_answers,
        experiments.cases_of_forecasts,
        experiments.cases_of_paths,
        experiments.cases_of_senate,
    ),
)
