"""What the paper's experiments show, and their fits."""

from collections.abc import Callable, Iterator
from typing import Any

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import Cases, TableOf
from nbmf_studies.framework.options import unknown
from nbmf_studies.framework.plan import Plan
from nbmf_studies.shan2009.experiments import EXPERIMENTS, HERE, Experiment, Part, cases, parts_of, with_data

CAPTIONS = "shan2009/captions"
RUNS = ("uci", "ratings", "text", "flips")  # that claims are decided from
SURFACE_K = 20  # of Figure 6


def _parts(plan: Plan) -> Iterator[Table]:
    """Yield a table per experiment and dataset: its figures take no more."""
    for experiment in EXPERIMENTS.values():
        for part in parts_of(experiment, plan):
            yield Table(
                part.name,
                f"{experiment.title}: {part.dataset}",
                "captions/scores.rst",
                f"{HERE}.runs:{experiment.look}",
                needs=lambda plan, part=part: {"fits": Cases.of(part.cases(plan))},
            )


def _gathered(experiment: Experiment) -> Table:
    def parts(plan: Plan) -> list[Part]:
        return with_data(parts_of(experiment, plan), plan)

    return common.gathered(
        experiment.name,
        f"{experiment.title}, fit by fit",
        parts,
        options=experiment.schema,
        check=_check(experiment),
        applies=lambda plan: bool(parts(plan)),
    )


def _check(experiment: Experiment):
    def check(plan: Plan) -> Iterator[str]:
        for name in plan.options[experiment.name]["sets"]:
            yield from unknown(f".sets.{name}", name, plan.names("datasets"))

    return check


def _runs(*names: str) -> Callable:
    return lambda plan: {name: TableOf(name) for name in names}


def _has(*names: str) -> Callable[[Plan], bool]:
    """Return a function: whether any dataset of each of these experiments is there."""
    return lambda plan: all(with_data(parts_of(EXPERIMENTS[name], plan), plan) for name in names)


def _of_dataset(experiment: str, dataset: str, K: int | None = None) -> dict[str, Any]:
    """Return `needs` and `applies` of what shows one dataset, or K of it: it is left out with its data."""

    def chosen(plan: Plan) -> list[Part]:
        parts = [part for part in parts_of(EXPERIMENTS[experiment], plan) if part.dataset == dataset]
        return [part for part in parts if K in (None, *plan.options[experiment]["sets"][dataset]["K"])]

    return {"needs": lambda plan: common.of_jobs(chosen(plan)), "applies": lambda plan: bool(chosen(plan))}


# --- Figures ----------------------------------------------------------------------------------


def _figure(name: str, title: str, make: str, **rest) -> Figure:
    number = name.removeprefix("figure_")
    made = f"{HERE}.figures:{make}"
    return Figure(name, f"Figure {number}: {title}", f"{CAPTIONS}/{name}.rst", made, **rest)


def _histogram(name: str, shown: str) -> Figure:
    dataset = f"uci_{shown.lower()}"
    return _figure(name, f"entropies of memberships on {shown}", "histogram", **_of_dataset("uci", dataset))


FIGURES = (
    _figure("figure_4", "Jester", "along_K", **_of_dataset("ratings", "jester")),
    _figure("figure_5", "Foodmart", "along_K", **_of_dataset("ratings", "foodmart")),
    _figure(
        "figure_6",
        "MovieLens along ε",
        "along_smoothing",
        **_of_dataset("ratings", "movielens", SURFACE_K),
        arguments=lambda plan: {"K": SURFACE_K},
    ),
    _figure("figure_7", "MovieLens over K and ε", "surfaces", **_of_dataset("ratings", "movielens")),
    _histogram("figure_8", "Wdbc"),
    _histogram("figure_9", "Sonar"),
    _figure("figure_10", "perplexity along entropy", "fifths", needs=_runs("uci"), applies=_has("uci")),
    _figure("figure_11", "entries flipped in steps of 1 %", "flip_curves", needs=_runs("flips"), applies=_has("flips")),
    _figure("figure_12", "flips on Jester, MMNB and LDA", "flip_panels", **_of_dataset("flips", "jester_binary")),
    _figure("figure_13", "flips on MovieLens, MMNB and LDA", "flip_panels", **_of_dataset("flips", "movielens_binary")),
    _figure("figure_14", "Fast LDA and LDA", "text", needs=_runs("text"), applies=_has("text")),
    _figure("figure_15", "Fast MMNB and MMNB", "fast", needs=_runs("ratings"), applies=_has("ratings")),
)

# --- Tables -----------------------------------------------------------------------------------


def _table(name: str, title: str, make: str, **rest) -> Table:
    shown = f"{CAPTIONS}/{name}.rst"
    made = f"{HERE}.{make}"
    return Table(name, title, shown, made, in_report=True, float_format="%.4g", **rest)


def _of_uci(name: str, title: str, measure: str) -> Table:
    return _table(
        name,
        title,
        "reported_tables:uci",
        needs=lambda plan: {"runs": TableOf("uci")},
        arguments=lambda plan: {"measure": measure},
        applies=_has("uci"),
    )


def _of_binary(name: str, number: int, shown: str) -> Table:
    dataset = f"{shown.lower()}_binary"
    return _table(
        name,
        f"Table {number}: MMNB and LDA on {shown}",
        "reported_tables:binary",
        **_of_dataset("binary", dataset),
        arguments=lambda plan: {"dataset": dataset},
    )


TABLES = (
    _of_uci("table_2", "Table 2: perplexity on UCI sets", "perplexity"),
    _of_uci("table_3", "Table 3: micro-precision on UCI sets", "precision"),
    _of_uci("table_4", "Table 4: mutual information on UCI sets", "information"),
    _table(
        "entropies",
        "Entropies of memberships on UCI sets",
        "reported_tables:entropies",
        needs=lambda plan: {"runs": TableOf("uci")},
        applies=_has("uci"),
    ),
    _of_binary("table_5", 5, "Jester"),
    _of_binary("table_6", 6, "MovieLens"),
    _of_binary("table_7", 7, "Foodmart"),
    _table(
        "table_8",
        "Table 8: micro-precision on texts",
        "reported_tables:precision_of_text",
        needs=_runs("topics"),
        applies=_has("topics"),
    ),
    _table(
        "table_10",
        "Table 10: topics of Classic3",
        "reported_tables:words",
        **_of_dataset("topics", "classic3"),
        arguments=lambda plan: {"dataset": "classic3"},
    ),
    _table(
        "fast",
        "Fast inference beside full inference",
        "reported_tables:against_full",
        needs=_runs("ratings", "text"),
        applies=_has("ratings", "text"),
    ),
    *common.claims(HERE, needs=_runs(*RUNS), applies=_has(*RUNS)),
)

STUDY = Study(
    "shan2009",
    "Shan and Banerjee (2009)",
    "H. Shan and A. Banerjee, Mixed-membership naive Bayes models, Technical Report 09-002, "
    "Department of Computer Science and Engineering, University of Minnesota (2009)",
    figures=FIGURES,
    tables=(_parts, *(_gathered(one) for one in EXPERIMENTS.values()), *TABLES),
    front=("figure_10", "claims"),
    experiments=(cases,),
)
"""Shan and Banerjee (2009), Mixed-membership naive Bayes models: what its experiments show."""
