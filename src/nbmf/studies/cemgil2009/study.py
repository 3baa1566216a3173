"""What the paper's simulations show, and the jobs that they are cut into."""

from collections.abc import Callable, Iterator
from typing import Any

from nbmf.studies import common
from nbmf.studies.cemgil2009.parts import PRINTED
from nbmf.studies.cemgil2009.simulation import Truth
from nbmf.studies.declaration import Figure, Study, Table
from nbmf.studies.needs import BestFits, Matrix, Need, TableOf
from nbmf.studies.options import closed, unknown
from nbmf.studies.plan import Plan

HERE = "nbmf.studies.cemgil2009"
CAPTIONS = "cemgil2009/captions"
FITTED = ["PoissonGammaVB", "PoissonGammaGibbs", "PoissonGammaICM", "PoissonGammaEM"]

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
TOLERANCE = {"type": "number", "minimum": 0}
ORDERS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": COUNT}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
TRUTH = closed(
    list(Truth._fields),
    **{name: COUNT if name in ("rows", "columns", "K") else POSITIVE for name in Truth._fields},
)
OF_FIGURE_3 = closed(
    ["truth", "orders", "bound", "chib", "annealing"],
    truth=TRUTH,
    orders=ORDERS,
    bound=closed(["starts", "max_iter", "tol"], starts=COUNT, max_iter=COUNT, tol=TOLERANCE),
    chib=closed(
        ["matrices", "runs", "sweeps"],
        matrices={"type": "integer", "minimum": 0}, runs=COUNT,
        sweeps={"type": "object", "additionalProperties": COUNT},
    ),
    annealing=closed(["temperatures", "chains"], temperatures=COUNT, chains=COUNT),
)  # fmt: skip
OF_FIGURE_4 = closed(
    ["datasets", "orders", "starts", "settings"],
    datasets=NAMES, orders=ORDERS, starts=COUNT, settings={"type": "object"},
)  # fmt: skip
OF_FIGURE_5 = closed(
    ["dataset", "image"], dataset={"type": "string"}, image={"type": "integer", "minimum": 0}
)
PATCH = {"type": "array", "minItems": 4, "maxItems": 4,
         "items": {"type": "integer", "minimum": 0, "maximum": 16}}  # fmt: skip
OF_FIGURE_6 = closed(
    ["dataset", "run", "order"], dataset={"type": "string"}, order=COUNT,
    run={"type": "integer", "minimum": 0},
)  # fmt: skip
OF_FIGURE_7 = closed(
    ["datasets", "orders", "iterations", "runs", "patches", "images", "per_person"],
    datasets=NAMES, orders=ORDERS, iterations=COUNT, runs=COUNT, images=COUNT, per_person=COUNT,
    patches={"type": "array", "minItems": 1, "items": PATCH},
)  # fmt: skip


def _are_there(plan: Plan, figure: str) -> bool:
    """Whether the photographs of a figure are at hand."""
    return not set(plan.options[figure]["datasets"]) & plan.awaited.keys()


def _gathered(figure: str, tables_of: Callable[[Plan], Iterator[Table]]):
    """Return a function of the plan: the tables of all jobs, or the photographs they wait for."""

    def needs(plan: Plan) -> dict[str, Need]:
        if _are_there(plan, figure):
            return {table.name: TableOf(table.name) for table in tables_of(plan)}
        return {"matrix": Matrix(plan.options[figure]["datasets"][0])}

    return needs


def _check_datasets(name: str):
    def check(plan: Plan) -> Iterator[str]:
        option = plan.options[name]
        listed = option.get("datasets") or [option["dataset"]]
        for dataset in listed:
            yield from unknown(".datasets", dataset, plan.names("datasets"))

    return check


def _title(dataset: str) -> str:
    side = dataset.rpartition("_")[2]
    return f"{side} × {side}"


# --- Figure 3 --------------------------------------------------------------------------------


def _estimates_of(plan: Plan) -> Iterator[Table]:
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


EVIDENCE = Table(
    "evidence",
    "Evidence of every order, by bound, Chib and annealing",
    f"{CAPTIONS}/evidence.rst",
    f"{HERE}.averages:gather",
    needs=lambda plan: {table.name: TableOf(table.name) for table in _estimates_of(plan)},
    in_report=True,
    float_format="%.6g",
)
FIGURE_3 = Figure(
    "figure_3",
    "Figure 3: how many sources there are",
    f"{CAPTIONS}/figure_3.rst",
    f"{HERE}.figures:draw_evidence",
    needs=lambda plan: {"estimates": TableOf("evidence")},
    arguments=lambda plan: {"K": plan.options["figure_3"]["truth"]["K"]},
    options=OF_FIGURE_3,
)

# --- Figure 4 --------------------------------------------------------------------------------


def _searches_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per dataset and start."""
    options = plan.options["figure_4"]
    for dataset in options["datasets"] if _are_there(plan, "figure_4") else []:
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


ORDERS_TABLE = Table(
    "orders",
    "Bounds of photographs for every order",
    f"{CAPTIONS}/orders.rst",
    f"{HERE}.averages:gather",
    needs=_gathered("figure_4", _searches_of),
    in_report=True,
    float_format="%.8g",
)
FIGURE_4 = Figure(
    "figure_4",
    "Figure 4: how many templates photographs have",
    f"{CAPTIONS}/figure_4.rst",
    f"{HERE}.figures:draw_orders",
    needs=lambda plan: {"orders": TableOf("orders")},
    arguments=lambda plan: {
        "printed": PRINTED,
        "titles": {name: _title(name) for name in plan.options["figure_4"]["datasets"]},
    },
    options=OF_FIGURE_4,
    check=_check_datasets("figure_4"),
)

# --- Figure 5 --------------------------------------------------------------------------------


def _shapes(plan: Plan) -> dict[str, list[float]]:
    """Return the shapes of W and H of each method of the unmasked fits."""
    settings = {name: plan.entry(name)["settings"] for name in plan.unmasked_methods}
    return {name: [of["shape_W"], of["shape_H"]] for name, of in settings.items()}


def _candidates(plan: Plan) -> list[list]:
    dataset = plan.options["figure_5"]["dataset"]
    return [
        [
            method,
            plan.label(method),
            [key for key in plan.unmasked_fits if (key.dataset, key.method) == (dataset, method)],
        ]
        for method in plan.unmasked.get(dataset, {})
    ]


BOUNDS = Table(
    "template_bounds",
    "Bounds of fits with fixed shapes of the priors",
    f"{CAPTIONS}/template_bounds.rst",
    f"{HERE}.templates:tabulate",
    needs=lambda plan: {"traces": TableOf("unmasked_traces")},
    arguments=lambda plan: {"shapes": _shapes(plan)},
    applies=common.has_unmasked_fits,
    in_report=True,
    float_format="%.8g",
)
FIGURE_5 = Figure(
    "figure_5",
    "Figure 5: templates under different priors",
    f"{CAPTIONS}/figure_5.rst",
    f"{HERE}.images:draw_templates",
    needs=lambda plan: {
        "matrix": Matrix(plan.options["figure_5"]["dataset"]),
        "fits": BestFits(_candidates(plan)),
        "bounds": TableOf("template_bounds"),
    },
    arguments=lambda plan: plan.options["figure_5"],
    options=OF_FIGURE_5,
    check=_check_datasets("figure_5"),
    dpi=300,
)

# --- Figures 6 and 7 -------------------------------------------------------------------------


def _setting(plan: Plan, dataset: str, run: int) -> dict[str, Any]:
    """Return what the jobs of both figures are asked to fill."""
    options = plan.options["figure_7"]
    shared = {name: options[name] for name in ("images", "per_person")}
    patch = options["patches"][run % len(options["patches"])]
    return {"dataset": dataset, "run": run, "patch": patch, **shared}


def _scores_of(plan: Plan) -> Iterator[Table]:
    """Yield a table per dataset and run."""
    options = plan.options["figure_7"]
    for dataset in options["datasets"] if _are_there(plan, "figure_7") else []:
        for run in range(options["runs"]):
            yield Table(
                f"filled_{dataset}_{run}",
                f"Patches of {dataset}, run {run}",
                "captions/scores.rst",
                f"{HERE}.filling:score",
                needs=lambda plan, dataset=dataset: {"matrix": Matrix(dataset)},
                arguments=lambda plan, dataset=dataset, run=run: {
                    "setting": _setting(plan, dataset, run),
                    "orders": options["orders"],
                    "iterations": options["iterations"],
                },
                classes=lambda plan: FITTED,
                minutes=60,
            )


FILLED = Table(
    "filled",
    "Patches filled: signal-to-noise ratios",
    f"{CAPTIONS}/filled.rst",
    f"{HERE}.averages:gather",
    needs=_gathered("figure_7", _scores_of),
    float_format="%.6g",
)
RECONSTRUCTED = Table(
    "reconstructed",
    "Pixels of a typical run",
    "captions/scores.rst",
    f"{HERE}.filling:reconstruct",
    needs=lambda plan: {"matrix": Matrix(plan.options["figure_6"]["dataset"])},
    arguments=lambda plan: {
        "setting": _setting(
            plan, plan.options["figure_6"]["dataset"], plan.options["figure_6"]["run"]
        ),
        "order": plan.options["figure_6"]["order"],
        "iterations": plan.options["figure_7"]["iterations"],
    },
    classes=lambda plan: FITTED,
    float_format="%.5g",
    minutes=30,
)
FIGURE_6 = Figure(
    "figure_6",
    "Figure 6: patches filled in a typical run",
    f"{CAPTIONS}/figure_6.rst",
    f"{HERE}.images:draw_filled",
    needs=lambda plan: {"pixels": TableOf("reconstructed"), "scores": TableOf("filled")},
    arguments=lambda plan: plan.options["figure_6"],
    options=OF_FIGURE_6,
    check=_check_datasets("figure_6"),
    dpi=300,
)
FIGURE_7 = Figure(
    "figure_7",
    "Figure 7: signal-to-noise ratio against the number of templates",
    f"{CAPTIONS}/figure_7.rst",
    f"{HERE}.figures:draw_scores",
    needs=lambda plan: {"scores": TableOf("filled")},
    arguments=lambda plan: {
        "titles": {name: _title(name) for name in plan.options["figure_7"]["datasets"]}
    },
    options=OF_FIGURE_7,
    check=_check_datasets("figure_7"),
)

# --- What they say ---------------------------------------------------------------------------


def _evidence_of_claims(plan: Plan) -> dict[str, Need]:
    """Return all tables that there are; without photographs that is the first."""
    needs: dict[str, Need] = {"estimates": TableOf("evidence")}
    if _are_there(plan, "figure_4"):
        needs["orders"] = TableOf("orders")
    if common.has_unmasked_fits(plan):
        needs["bounds"] = TableOf("template_bounds")
    if _are_there(plan, "figure_7"):
        needs["scores"] = TableOf("filled")
    return needs


def _judged(name: str, title: str, make: str) -> Table:
    return Table(
        name,
        title,
        f"{CAPTIONS}/{name}.rst",
        f"{HERE}.{make}",
        needs=_evidence_of_claims,
        arguments=lambda plan: {"K": plan.options["figure_3"]["truth"]["K"]},
        in_report=True,
    )


STUDY = Study(
    "cemgil2009",
    "Cemgil (2009)",
    "A. T. Cemgil, Bayesian inference for nonnegative matrix factorisation models, Computational "
    "Intelligence and Neuroscience 2009, 785152, doi:10.1155/2009/785152",
    figures=(FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_7),
    tables=(
        _estimates_of,
        EVIDENCE,
        _searches_of,
        ORDERS_TABLE,
        common.UNMASKED_TRACES,
        BOUNDS,
        _scores_of,
        FILLED,
        RECONSTRUCTED,
        _judged("claims", "Claims", "claims:claims"),
        _judged("claims_parts", "Claims, part by part", "claims:claims_parts"),
        _judged("paper_numbers", "Numbers of the paper and ours", "numbers:printed"),
    ),
    front=("figure_3", "claims"),
)
