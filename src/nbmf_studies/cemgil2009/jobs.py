"""The jobs that the simulations are cut into: one matrix, one start or one run each."""

from collections.abc import Iterator
from typing import Any

from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.declaration import Table
from nbmf_studies.framework.needs import Matrix
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.cemgil2009"
FITTED = ["PoissonGammaVB", "PoissonGammaGibbs", "PoissonGammaICM", "PoissonGammaEM"]


def are_there(plan: Plan, figure: str) -> bool:
    """Whether the photographs of a figure are at hand."""
    return not set(plan.options[figure]["datasets"]) & plan.missing_sources.keys()


def estimates_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per matrix; Chib's method is for the first of them."""
    options = plan.options["figure_3"]
    chib = options["chib"]
    for place, seed in enumerate(plan.seeds):
        runs = chib["runs"] if place < chib["matrices"] else 0
        yield Table(
            f"evidence_{seed}",
            f"Evidence of matrix {seed}",
            "captions/scores.rst",
            f"{HERE}.order_evidence:estimates",
            needs=lambda plan: {},
            arguments=lambda plan, seed=seed, runs=runs: {
                "seed": seed,
                "truth": list(Truth(**options["truth"])),
                "orders": options["orders"],
                "bound": options["bound"],
                "chib": {"runs": runs, "sweeps": chib["sweeps"]},
                "annealing": options["annealing"],
            },
            classes=lambda plan: FITTED[:2],
            minutes=60,
        )


def searches_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per dataset and start."""
    options = plan.options["figure_4"]
    for dataset in options["datasets"] if are_there(plan, "figure_4") else []:
        for start in range(options["starts"]):
            yield Table(
                f"orders_{dataset}_{start}",
                f"Bounds of {dataset}, start {start}",
                "captions/scores.rst",
                f"{HERE}.order_search:search",
                needs=lambda plan, dataset=dataset: {"matrix": Matrix(dataset)},
                arguments=lambda plan, dataset=dataset, start=start: {
                    "dataset": dataset,
                    "start": start,
                    "orders": options["orders"],
                    "settings": options["settings"],
                },
                classes=lambda plan: FITTED[:1],
                minutes=180,
            )


def setting_of(plan: Plan, dataset: str, run: int) -> dict[str, Any]:
    """Return what the jobs of both figures are asked to fill."""
    options = plan.options["figure_7"]
    shared = {name: options[name] for name in ("images", "per_person")}
    patch = options["patches"][run % len(options["patches"])]
    return {"dataset": dataset, "run": run, "patch": patch, **shared}


def scores_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per dataset and run."""
    options = plan.options["figure_7"]
    for dataset in options["datasets"] if are_there(plan, "figure_7") else []:
        for run in range(options["runs"]):
            yield Table(
                f"filled_{dataset}_{run}",
                f"Patches of {dataset}, run {run}",
                "captions/scores.rst",
                f"{HERE}.filling:score",
                needs=lambda plan, dataset=dataset: {"matrix": Matrix(dataset)},
                arguments=lambda plan, dataset=dataset, run=run: {
                    "setting": setting_of(plan, dataset, run),
                    "orders": options["orders"],
                    "iterations": options["iterations"],
                },
                classes=lambda plan: FITTED,
                minutes=60,
            )
