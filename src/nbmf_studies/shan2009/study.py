"""What the paper's experiments show, and their fits."""

from collections.abc import Callable, Iterator
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import Need, tables
from nbmf_studies.framework.options import unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.shan2009 import further_experiments
from nbmf_studies.shan2009.experiments import EXPERIMENTS, Experiment, Part, cases, parts_of, with_data
from nbmf_studies.shan2009.further_experiments import FURTHER, Further

RUNS = ("uci", "ratings", "text", "flips", "topics")  # that claims are decided from
STOPS = ("stops", "stops_foodmart")
SURFACE_K = 20  # of Figure 6
ALONE = {  # datasets that a figure or table shows without the others of their experiment: it waits for no fits of these
    "uci": ("uci_wdbc", "uci_sonar"),
    "ratings": ("jester", "foodmart", "movielens"),
    "binary": ("jester_binary", "movielens_binary", "foodmart_binary"),
    "flips": ("jester_binary", "movielens_binary"),
    "topics": ("classic3",),
}


def _experiment_table(experiment: Experiment) -> Table:
    """Return the table of an experiment's fits to all datasets that are at hand."""

    def parts(plan: Plan) -> list[Part]:
        return with_data(parts_of(experiment, plan), plan)

    return common.case_table(
        experiment.name,
        f"{experiment.title}, fit by fit",
        lambda plan: (case for part in parts(plan) for case in part.cases(plan)),
        f".runs:tabulate_{experiment.look}",
        options=experiment.schema,
        check=_check_sets(experiment.name),
        applies=lambda plan: bool(parts(plan)),
    )


def _further_table(experiment: Further) -> Table:
    """Return the table of an experiment of the second readings."""
    return common.case_table(
        experiment.name,
        f"{experiment.title}, start by start",
        experiment.cases,
        ".runs:tabulate_starts",
        options=experiment.schema,
        check=_check_sets(experiment.name),
        applies=_any_has_data(experiment.name),
        float_format="%.10g",  # of thousands of fits: all digits are more than a megabyte
        on_request=common.READINGS,
    )


def _check_sets(name: str) -> Callable[[Plan], Iterator[str]]:
    """Return the check that the datasets of an experiment's options are known."""

    def check(plan: Plan) -> Iterator[str]:
        for dataset in plan.options[name]["sets"]:
            yield from unknown(f".sets.{dataset}", dataset, plan.names("datasets"))

    return check


def _any_has_data(*names: str) -> Callable[[Plan], bool]:
    """Return a function that tells whether any of these experiments has any of its datasets."""
    return lambda plan: any(FURTHER[name].sets(plan) for name in names)


def _further_needs(*names: str) -> Callable[[Plan], dict[str, Need]]:
    """Return the `needs` of a product that shows those of these experiments that have data."""
    return lambda plan: tables(*(name for name in names if FURTHER[name].sets(plan)))(plan)


def _test_ratios(*names: str) -> Callable[[Plan], dict[str, Any]]:
    """Return the `arguments` of a product that compares models on the folds of these experiments."""
    return lambda plan: {"test_ratio": {name: _test_ratio(plan, name) for name in names}}


def _test_ratio(plan: Plan, name: str) -> float:
    """Return how many rows the folds of an experiment hold out per row they train on."""
    return 1 / (plan.options[name]["folds"] - 1)


def _dataset_table(experiment: Experiment, dataset: str) -> Table:
    """Return the table of an experiment's fits to one dataset."""
    part = Part(experiment, dataset)
    make = f".runs:tabulate_{experiment.look}"
    title = f"{experiment.title}: {dataset}"
    return common.case_table(part.name, title, part.cases, make, in_reference=False, applies=part.is_asked_for)


def _each_has_data(*names: str) -> Callable[[Plan], bool]:
    """Return a function that tells whether each of these experiments has any of its datasets."""
    return lambda plan: all(with_data(parts_of(EXPERIMENTS[name], plan), plan) for name in names)


def _experiment_needs(*names: str) -> dict[str, Any]:
    """Return the needs of what shows whole experiments, and whether it is made: if they have data."""
    return {"needs": tables(*names), "applies": _each_has_data(*names)}


def _starts_needs(name: str) -> dict[str, Any]:
    """Return the same of what shows one further experiment."""
    return {"needs": tables(runs=name), "applies": _any_has_data(name)}


def _dataset_needs(experiment: str, dataset: str) -> dict[str, Any]:
    """Return `needs` and `applies` of a product that shows one dataset; it does not apply without its data."""
    part = Part(EXPERIMENTS[experiment], dataset)
    return {"needs": tables(runs=part.name), "applies": part.is_asked_for}


# --- Figures ----------------------------------------------------------------------------------


def _figure(name: str, title: str, make: str, **rest) -> Figure:
    return Figure(name, f"Figure {name.removeprefix('figure_')}: {title}", f".figures:draw_{make}", **rest)


def _has_surface(plan: Plan) -> bool:
    films = plan.options["ratings"]["sets"].get("movielens")
    return bool(films) and SURFACE_K in films["K"]


FIGURES = (
    _figure("figure_4", "Jester", "along_K", **_dataset_needs("ratings", "jester")),
    _figure("figure_5", "Foodmart", "along_K", **_dataset_needs("ratings", "foodmart")),
    _figure(
        "figure_6",
        "MovieLens against ε",
        "along_smoothing",
        needs=tables(runs="ratings_movielens"),
        arguments=lambda plan: {"K": SURFACE_K},
        applies=_has_surface,
    ),
    _figure("figure_7", "MovieLens over K and ε", "surfaces", **_dataset_needs("ratings", "movielens")),
    _figure("figure_8", "entropies of memberships on Wdbc", "histogram", **_dataset_needs("uci", "uci_wdbc")),
    _figure("figure_9", "entropies of memberships on Sonar", "histogram", **_dataset_needs("uci", "uci_sonar")),
    _figure("figure_10", "perplexity against entropy", "fifths", **_experiment_needs("uci")),
    _figure("figure_11", "entries flipped in steps of 1 %", "flip_curves", **_experiment_needs("flips")),
    _figure("figure_12", "flips on Jester, MMNB and LDA", "flip_panels", **_dataset_needs("flips", "jester_binary")),
    _figure(
        "figure_13", "flips on MovieLens, MMNB and LDA", "flip_panels", **_dataset_needs("flips", "movielens_binary")
    ),
    _figure("figure_14", "Fast LDA and LDA", "text", **_experiment_needs("text")),
    _figure("figure_15", "Fast MMNB and MMNB", "fast", **_experiment_needs("ratings")),
)

# --- Tables -----------------------------------------------------------------------------------


def _table(name: str, title: str, make: str, **rest) -> Table:
    return common.report_table(name, title, f".reported_tables:{make}", digits=4, **rest)


def _reading_table(name: str, title: str, make: str, **rest) -> Table:
    return common.report_table(name, title, f".reading_tables:{make}", digits=4, on_request=common.READINGS, **rest)


def _uci_table(name: str, title: str, measure: str) -> Table:
    return _table(
        name,
        title,
        "uci",
        needs=tables(runs="uci"),
        arguments=lambda plan: {"measure": measure},
        applies=_each_has_data("uci"),
    )


def _binary_table(name: str, title: str, dataset: str) -> Table:
    return _table(
        name, title, "binary", **_dataset_needs("binary", dataset), arguments=lambda plan: {"dataset": dataset}
    )


TABLES = (
    _uci_table("table_2", "Table 2: perplexity on UCI sets", "perplexity"),
    _uci_table("table_3", "Table 3: micro-precision on UCI sets", "precision"),
    _uci_table("table_4", "Table 4: mutual information on UCI sets", "information"),
    _table(
        "entropies",
        "Entropies of memberships on UCI sets",
        "entropies",
        needs=tables(runs="uci"),
        applies=_each_has_data("uci"),
    ),
    _binary_table("table_5", "Table 5: MMNB and LDA on Jester", "jester_binary"),
    _binary_table("table_6", "Table 6: MMNB and LDA on MovieLens", "movielens_binary"),
    _binary_table("table_7", "Table 7: MMNB and LDA on Foodmart", "foodmart_binary"),
    _table("table_8", "Table 8: micro-precision on texts", "precision_of_text", **_experiment_needs("topics")),
    _table("table_10", "Table 10: topics of Classic3", "words", **_dataset_needs("topics", "classic3")),
    _table(
        "fast",
        "Fast inference compared with full inference",
        "compare_fast_with_full",
        **_experiment_needs("ratings", "text"),
    ),
    *common.claims(**_experiment_needs(*RUNS)),
)

# --- Second readings ------------------------------------------------------------------------------

JUDGED_AGAIN = ("uci_starts", "foodmart_starts", *STOPS)
READING_TABLES = (
    *map(_further_table, FURTHER.values()),
    _reading_table(
        "several_starts",
        "UCI sets: the best of several starts",
        "several_starts",
        arguments=lambda plan: {"test_ratio": _test_ratio(plan, "uci_starts")},
        **_starts_needs("uci_starts"),
    ),
    _reading_table(
        "one_component",
        "Foodmart compared with one component",
        "compare_with_one_component",
        **_starts_needs("foodmart_starts"),
    ),
    _reading_table(
        "ways_of_alpha",
        "Foodmart compared with one component, by α",
        "compare_with_one_component",
        **_starts_needs("foodmart_ways"),
    ),
    _reading_table(
        "best_stops",
        "Stops of fast inference compared with full inference",
        "tabulate_stops",
        needs=_further_needs(*STOPS),
        arguments=_test_ratios(*STOPS),
        applies=_any_has_data(*STOPS),
    ),
    *common.readings(
        needs=lambda plan: tables("ratings")(plan) | _further_needs(*JUDGED_AGAIN)(plan),
        arguments=_test_ratios("ratings", *JUDGED_AGAIN),
        applies=_each_has_data(*RUNS),
    ),
)
STOPS_FIGURE = Figure(
    "stops_and_time",
    "Stops of fast inference: perplexity against time",
    ".reading_figures:draw_stops",
    _further_needs(*STOPS),
    applies=_any_has_data(*STOPS),
    on_request=common.READINGS,
)

STUDY = Study(
    "shan2009",
    "Shan and Banerjee (2009)",
    "H. Shan and A. Banerjee, Mixed-membership naive Bayes models, Technical Report 09-002, "
    "Department of Computer Science and Engineering, University of Minnesota (2009)",
    figures=(*FIGURES, STOPS_FIGURE),
    tables=(
        *(_dataset_table(EXPERIMENTS[name], dataset) for name, datasets in ALONE.items() for dataset in datasets),
        *map(_experiment_table, EXPERIMENTS.values()),
        *TABLES,
        *READING_TABLES,
    ),
    front=("figure_10", "claims"),
    experiments=(cases,),
    further_experiments=(further_experiments.cases,),
)
"""Shan and Banerjee (2009), Mixed-membership naive Bayes models: what its experiments show."""
