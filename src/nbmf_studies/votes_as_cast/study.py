"""What the study shows: a third category, forecasts, paths, seats, senators, and moods."""

from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study
from nbmf_studies.framework.needs import Matrix, tables
from nbmf_studies.framework.options import unknown_methods
from nbmf_studies.framework.plan import Plan
from nbmf_studies.votes_as_cast import experiments

# --- A third category ------------------------------------------------------------------------------

THIRD_CATEGORY = common.case_table(
    "third_category",
    "Two and three categories, mask by mask",
    experiments.cases_of_categories,
    ".third_category:tabulate",
    options=experiments.CATEGORY_OPTIONS,
    check=lambda plan: experiments.unknown_methods_of(plan, "third_category", experiments.CATEGORIES),
)
THIRD_CATEGORY_SUMMARY = common.report_table(
    "third_category_summary",
    "Does the third category predict yes?",
    ".third_category:summarise",
    tables("third_category"),
    digits=5,
)

DICTIONARIES = common.case_table(
    "dictionaries",
    "Positions in the Cold War, by two codings",
    experiments.cases_of_dictionaries,
    ".dictionaries:tabulate",
    arguments=common.options_of("dictionaries", "countries", "components", "below"),
    options=experiments.DICTIONARY_OPTIONS,
    check=experiments.check_dictionaries,
    float_format="%.5g",
)
AGREEMENT = common.report_table(
    "dictionaries_agreement",
    "Do two and three categories show the same Cold War?",
    ".dictionaries:agreement",
    tables("dictionaries"),
    digits=3,
)
DICTIONARIES_FIGURE = Figure(
    "dictionaries", "Positions in the Cold War, by two codings", ".dictionaries:draw", tables("dictionaries"), dpi=300
)

# --- Moods ------------------------------------------------------------------------------------------


ANSWERS = common.case_table(
    "answers",
    "Moods, mask by mask",
    experiments.cases_of_answers,
    ".third_category:tabulate",
    options=experiments.ANSWER_OPTIONS,
    check=lambda plan: experiments.unknown_methods_of(plan, "answers", experiments.MOOD_CATEGORIES),
)
ANSWERS_SUMMARY = common.report_table(
    "answers_summary",
    "Do answers from 0 to 3 predict whether a mood was felt?",
    ".answers:summarise",
    tables("answers"),
    digits=5,
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
    check=lambda plan: unknown_methods(plan, "forecasts"),
)
FORECASTS_SUMMARY = common.report_table(
    "forecasts_summary",
    "Forecasts of the next session",
    ".forecasts:summarise",
    tables("forecasts"),
    digits=5,
    arguments=lambda plan: {
        "labels": plan.labels(plan.options["forecasts"]["methods"]),
        "compared": _methods_of_forecasts(plan)["moving"],
    },
)
FORECASTS_FIGURE = Figure(
    "forecasts",
    "Forecasts of the next session",
    ".forecasts:draw",
    tables("forecasts"),
    arguments=lambda plan: plan.labels_and_colours(plan.options["forecasts"]["methods"]),
)

# --- Paths and seats -------------------------------------------------------------------------------

PATHS = common.case_table(
    "paths",
    "Positions of all countries, session by session",
    experiments.cases_of_paths,
    ".paths:tabulate",
    arguments=common.options_of("paths", "below"),
    options=experiments.PATH_OPTIONS,
    check=lambda plan: experiments.unknown_methods_of(plan, "paths", ["method"]),
    float_format="%.5g",
)
PATHS_FIGURE = Figure(
    "paths",
    "Positions in the General Assembly",
    ".paths:draw",
    tables("paths"),
    arguments=common.options_of("paths", "names"),
)
POSITIONS = common.report_table(
    "positions",
    "Positions in some sessions",
    ".paths:positions",
    tables("paths"),
    digits=3,
    arguments=common.options_of("paths", "names", "sessions"),
)
SEATS = common.report_table(
    "seats",
    "Names that end or pause",
    ".seats:tabulate",
    lambda plan: {"matrix": Matrix(next(experiments.cases_of_paths(plan)).key.dataset)},
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
SENATE_SUMMARY = common.report_table(
    "senate_summary",
    "Static samplers on votes of senators",
    ".senate:summarise",
    tables("senate"),
    digits=5,
    arguments=_about_senate,
    applies=_has_senate,
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
