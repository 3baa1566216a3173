"""What other readings of the paper show, made on request: `snakemake lumbreras2020_readings`."""

from collections.abc import Callable, Iterator
from typing import Any

from nbmf.fit_key import FitKey
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Table
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.needs import BestFits, Matrix, Need, tables
from nbmf_studies.framework.options import COUNT, closed, several
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020 import eta
from nbmf_studies.lumbreras2020.datasets import has_paper_dataset
from nbmf_studies.lumbreras2020.eta_names import OTHERS, PRINTED_LOSS

LOGPCA, RANGES_METHOD = "logpca", "logpca-ranges"  # the method, and its fits with K that the study does not have


def _reading_table(name: str, title: str, make: str, **rest) -> Table:
    return Table(name, title, make, applies=has_paper_dataset, on_request=common.READINGS, **rest)


def _fit_table(name: str, title: str, cases: Callable[[Plan], Iterator[Case]], **rest) -> Table:
    return common.case_table(name, title, cases, applies=has_paper_dataset, on_request=common.READINGS, **rest)


def _range_fits(plan: Plan) -> dict[str, Need]:
    """Return, for each printed range whose matrix is at hand, the fits of logPCA with every K."""
    return {
        dataset: BestFits([[LOGPCA, plan.label(LOGPCA, K), [FitKey(dataset, RANGES_METHOD, K, None, 0)]] for K in Ks])
        for dataset, Ks in plan.options["ranges"]["K"].items()
        if dataset in plan.unmasked
    }


def _paper_cases(cases: Callable[[Plan], Iterator[Case]]) -> Callable[[Plan], Iterator[Case]]:
    """Return a function that yields the same cases, but none without a dataset of the paper."""
    return lambda plan: cases(plan) if has_paper_dataset(plan) else iter(())


def range_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of logPCA whose ranges are compared with those of the captions."""
    for dataset, Ks in plan.options["ranges"]["K"].items():
        if dataset in plan.unmasked:
            entry = plan.variant(LOGPCA, sorted({K for of in plan.options["ranges"]["K"].values() for K in of}), {})
            for K in Ks:
                yield Case(FitKey(dataset, RANGES_METHOD, K, None, 0), {"dataset": dataset, "K": K}, method=entry)


def _panels(name: str, dataset: str, columns: int) -> Figure:
    """Return the figure of logPCA's dictionary with the caption's K, and with the K whose range is the printed one."""

    def needs(plan: Plan) -> dict[str, Need]:
        Ks = plan.options["ranges"]["panels"].get(dataset, [])
        fits = [[LOGPCA, plan.label(LOGPCA, K), [FitKey(dataset, RANGES_METHOD, K, None, 0)]] for K in Ks]
        return {"matrix": Matrix(dataset), "fits": BestFits(fits)}

    return Figure(
        f"{name}_of_logpca",
        f"logPCA in Figure {name[-1]}: with the caption's K, and with the K of the printed range",
        ".dictionaries:draw",
        needs,
        caption="lumbreras2020/captions/panels_of_logpca.rst",
        arguments=lambda plan: {"dataset": dataset, "columns": columns},
        applies=lambda plan: has_paper_dataset(plan) and dataset in plan.unmasked,
        on_request=common.READINGS,
        dpi=300,
    )


def observed_counts(plan: Plan) -> dict[str, Any]:
    """Return how many entries of each dataset were observed, which the paired tests need."""
    counts = {name: plan.dataset_entry(name).get("counts", {}) for name in plan.datasets}
    return {"observed": {name: of["rows"] * of["columns"] - of.get("missing", 0) for name, of in counts.items() if of}}


ETA_TABLES = (
    _fit_table("eta", "Dir-Dir with other η, fit by fit", eta.cases, options=eta.OPTIONS),
    _fit_table("one_side", "Other methods with the weights on the columns, fit by fit", eta.other_cases),
    _fit_table("long_chains", "Dir-Dir with longer chains, fit by fit", eta.long_cases),
    _fit_table(
        "eta_losses", "Dir-Dir with other η, fitted to a whole matrix", eta.loss_cases, make=".eta_losses:tabulate"
    ),
)
ETA_FIGURE = Figure(
    "eta",
    "Dir-Dir with other concentrations η",
    ".eta_figure:draw",
    tables("eta", "scores", "one_side", losses="eta_losses"),
    arguments=lambda plan: {
        "others": plan.labels(name for name in OTHERS if name in plan.methods),
        "printed": PRINTED_LOSS,
    },
    applies=has_paper_dataset,
    on_request=common.READINGS,
)
RANGES = _reading_table(
    "ranges",
    "Ranges of logPCA: printed in captions, and ours",
    ".ranges:tabulate",
    needs=_range_fits,
    options=closed(
        K={"type": "object", "additionalProperties": several(COUNT)},
        panels={"type": "object", "additionalProperties": several(COUNT)},
    ),
    in_report=True,
    float_format="%.6g",
)
READINGS = common.readings(
    needs=tables("scores", "eta", "one_side", long="long_chains", losses="eta_losses"),
    arguments=observed_counts,
    applies=has_paper_dataset,
)

FIGURES = (ETA_FIGURE, _panels("figure_8", "unvotes_coldwar", 8), _panels("figure_9", "paleo", 7))
TABLES = (*ETA_TABLES, RANGES, *READINGS)
EXPERIMENTS = tuple(map(_paper_cases, (eta.cases, eta.other_cases, eta.long_cases, eta.loss_cases, range_cases)))
