"""What the paper shows, figure by figure, and what each of them needs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nbmf import registry
from nbmf.errors import ConfigError, choices
from nbmf.studies import common
from nbmf.studies.declaration import Figure, Study, Table
from nbmf.studies.needs import BestFits, Matrices, Matrix, Need, TableOf
from nbmf.studies.plan import Plan

HERE = "nbmf.studies.lumbreras2020"
K_OF_METHOD = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}


def closed(required: list[str], **properties) -> dict[str, Any]:
    """Return the schema of a mapping with these keys and no others."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def unknown(place: str, name: str, known: list[str]) -> Iterator[str]:
    """Yield a problem if `name` is none of the `known` names."""
    if name not in known:
        yield f"{place} = {name!r}: {choices(name, known)}"


# --- Figures 2 and 5: the matrices ------------------------------------------------------------


def _check_figure_2(plan: Plan) -> Iterator[str]:
    for i, panel in enumerate(plan.options["figure_2"]):
        yield from unknown(f"[{i}].dataset", panel["dataset"], plan.names("datasets"))


FIGURE_2 = Figure(
    "figure_2",
    "Figure 2: matrices drawn from the models",
    "lumbreras2020/captions/figure_2.rst",
    f"{HERE}.figure_2:draw",
    needs=lambda plan: {
        "matrices": Matrices(
            [[panel["title"], panel["dataset"]] for panel in plan.options["figure_2"]]
        )
    },
    options={
        "type": "array",
        "minItems": 1,
        "items": closed(["dataset", "title"], dataset={"type": "string"}, title={"type": "string"}),
    },
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
    "lumbreras2020/captions/figure_5.rst",
    f"{HERE}.figure_5:draw",
    needs=_figure_5_needs,
    arguments=lambda plan: {
        "labels": {name: plan.settings_of_dataset(name)["axes"] for name in plan.datasets}
    },
    options=closed(["abstentions"], abstentions={"type": "string"}),
    check=lambda plan: unknown(
        ".abstentions", plan.options["figure_5"]["abstentions"], plan.names("datasets")
    ),
)

# --- Figures 6 to 9: the factors of unmasked fits ---------------------------------------------

OF_FACTORS = ("figure_6", "figure_7", "figure_8", "figure_9")


def shown_K(plan: Plan, figure: str) -> dict[str, int]:
    """Return the methods that Figure 6, 7, 8 or 9 shows, and the K of each."""
    chosen = plan.options[figure]
    grids = plan.unmasked[chosen["dataset"]]
    return {method: chosen["K"].get(method, grid["K"][0]) for method, grid in grids.items()}


def is_shown(plan: Plan, figure: str) -> bool:
    """Return whether the fits that Figure 6, 7, 8 or 9 shows are part of this run."""
    return plan.options[figure]["dataset"] in plan.unmasked


def _factors(plan: Plan, figure: str) -> dict[str, Need]:
    dataset, shown = plan.options[figure]["dataset"], shown_K(plan, figure)
    return {
        "matrix": Matrix(dataset),
        "fits": BestFits(
            [
                [
                    method,
                    plan.label(method, K),
                    [key for key in plan.unmasked_fits if key[:3] == (dataset, method, K)],
                ]
                for method, K in shown.items()
            ]
        ),
    }


def _check_factors(plan: Plan, figure: str) -> Iterator[str]:
    chosen = plan.options[figure]
    yield from unknown(".dataset", chosen["dataset"], plan.names("datasets"))
    grids = plan.unmasked.get(chosen["dataset"], {})
    for method, K in chosen["K"].items():
        yield from unknown(f".K.{method}", method, plan.names("methods"))
        if method in grids and K not in grids[method]["K"]:
            yield (
                f".K.{method} = {K}: allowed are the K of studies.{plan.key}.unmasked."
                f"{chosen['dataset']}.{method}, {grids[method]['K']}"
            )


FIGURE_6 = Figure(
    "figure_6",
    "Figure 6: reconstructions",
    "lumbreras2020/captions/figure_6.rst",
    f"{HERE}.figure_6:draw",
    needs=lambda plan: _factors(plan, "figure_6"),
    options=closed(["dataset", "K"], dataset={"type": "string"}, K=K_OF_METHOD),
    check=lambda plan: _check_factors(plan, "figure_6"),
    applies=lambda plan: is_shown(plan, "figure_6"),
)


def _dictionaries(name: str) -> Figure:
    def needs(plan: Plan) -> dict[str, Need]:
        return {**_factors(plan, name), "diagnostics": TableOf("diagnostics")}

    def arguments(plan: Plan) -> dict[str, Any]:
        return {key: plan.options[name][key] for key in ("dataset", "columns")}

    return Figure(
        name,
        lambda plan: f"Figure {name[-1]}: dictionaries of {plan.options[name]['dataset']}",
        f"lumbreras2020/captions/{name}.rst",
        f"{HERE}.dictionaries:draw",
        needs,
        arguments,
        options=closed(
            ["dataset", "columns", "K"],
            dataset={"type": "string"},
            columns={"type": "integer", "minimum": 1},
            K=K_OF_METHOD,
        ),
        check=lambda plan: _check_factors(plan, name),
        applies=lambda plan: is_shown(plan, name),
        dpi=300,
    )


# --- Figures 10 and 11: held-out perplexity ---------------------------------------------------


FIGURE_10 = Figure(
    "figure_10",
    "Figure 10: held-out perplexity",
    "lumbreras2020/captions/figure_10.rst",
    "nbmf.plots.boxes:draw",
    needs=lambda plan: {"scores": TableOf("scores"), **common.diagnostics_if_any(plan)},
    arguments=common.compared,
    with_gaps=True,
)


def _series(plan: Plan) -> dict[str, Any]:
    shown = [
        (method, K)
        for method, K in plan.options["figure_11"].items()
        if method in plan.methods and K in plan.entry(method)["K"]
    ]
    colours = plan.colours(method for method, _ in shown)
    return {
        "series": [[method, K, plan.label(method, K), colours[method]] for method, K in shown],
        "datasets": plan.datasets,
    }


def _check_figure_11(plan: Plan) -> Iterator[str]:
    for method in plan.options["figure_11"]:
        yield from unknown(f".{method}", method, plan.names("methods"))


FIGURE_11 = Figure(
    "figure_11",
    "Figure 11: perplexity along iterations",
    "lumbreras2020/captions/figure_11.rst",
    "nbmf.plots.progress:draw",
    needs=lambda plan: {"traces": TableOf("traces")},
    arguments=_series,
    options=K_OF_METHOD,
    check=_check_figure_11,
)

# --- Section 6.2: sensitivity to the concentrations -------------------------------------------


def _experiment(plan: Plan) -> dict[str, Any]:
    chosen = plan.options["sensitivity"]
    return {
        "sizes": chosen["sizes"],
        "K": chosen["K"],
        "estimator_concentrations": chosen["concentrations"],
        "masks": chosen["masks"],
        "methods": {
            method: [plan.entry(method)["class"], {**plan.entry(method)["settings"], **settings}]
            for method, settings in chosen["methods"].items()
        },
    }


def _check_sensitivity(plan: Plan) -> Iterator[str]:
    from nbmf.studies.lumbreras2020 import sensitivity_fits  # loads what fits need

    chosen = plan.options["sensitivity"]
    for method, settings in chosen["methods"].items():
        yield from unknown(f".methods.{method}", method, plan.names("methods"))
        class_name = plan.entry(method)["class"]
        try:
            registry.check_settings(f".methods.{method}", class_name, [chosen["K"]], settings)
        except ConfigError as error:
            yield str(error)
        try:
            sensitivity_fits.check_method(
                class_name, chosen["K"], settings, chosen["concentrations"]
            )
        except ConfigError as error:
            yield f".methods.{method}: {error}"


SENSITIVITY_FITS = Table(
    "sensitivity",
    "Sensitivity to hyperparameters, fit by fit",
    "captions/scores.rst",
    f"{HERE}.sensitivity_fits:tabulate",
    needs=lambda plan: {},
    arguments=_experiment,
    options=closed(
        ["sizes", "K", "concentrations", "masks", "methods"],
        sizes={
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"type": "integer", "minimum": 5},
        },
        K={"type": "integer", "minimum": 2},
        concentrations={
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"type": "number", "exclusiveMinimum": 0},
        },
        masks={"type": "integer", "minimum": 1},
        # method: settings that replace those of its entry
        methods={
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": "object"},
        },
    ),
    check=_check_sensitivity,
    classes=lambda plan: [
        plan.entry(method)["class"] for method in plan.options["sensitivity"]["methods"]
    ],
    minutes=60,
)
SENSITIVITY = Figure(
    "sensitivity",
    "Sensitivity to hyperparameters",
    "lumbreras2020/captions/sensitivity.rst",
    f"{HERE}.sensitivity:draw",
    needs=lambda plan: {"scores": TableOf("sensitivity")},
    arguments=lambda plan: {
        "labels": plan.labels(plan.options["sensitivity"]["methods"]),
        "colours": plan.colours(plan.options["sensitivity"]["methods"]),
    },
)

# --- The fit against K, which the paper only mentions -----------------------------------------


def _against_K(plan: Plan) -> dict[str, Any]:
    chosen = [
        method for method in plan.unmasked_methods if not plan.estimator(method).finds_components
    ]
    figures = [figure for figure in OF_FACTORS if is_shown(plan, figure)]
    return {
        "labels": plan.labels(chosen),
        "colours": plan.colours(chosen),
        "shown_K": {plan.options[figure]["dataset"]: shown_K(plan, figure) for figure in figures},
    }


FIT_AGAINST_K = Figure(
    "fit_against_K",
    "Fit against K",
    "lumbreras2020/captions/fit_against_K.rst",
    "nbmf.plots.fit_against_K:draw",
    needs=lambda plan: {"scores": TableOf("unmasked_scores")},
    arguments=_against_K,
    applies=lambda plan: any(is_shown(plan, figure) for figure in OF_FACTORS),
)

# --- Tables -----------------------------------------------------------------------------------


def _claims(name: str, title: str) -> Table:
    return Table(
        name,
        title,
        f"lumbreras2020/captions/{name}.rst",
        f"{HERE}.claims:{name}",
        needs=lambda plan: {"scores": TableOf("scores"), "traces": TableOf("traces")},
        in_report=True,
    )


PAPER_NUMBERS = Table(
    "paper_numbers",
    "Numbers of the paper and ours",
    "lumbreras2020/captions/paper_numbers.rst",
    f"{HERE}.claims:paper_numbers",
    needs=lambda plan: {"unmasked_scores": TableOf("unmasked_scores")},
    applies=common.has_unmasked_fits,
    in_report=True,
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
        *(_dictionaries(name) for name in OF_FACTORS[1:]),
        FIGURE_10,
        FIGURE_11,
        SENSITIVITY,
        FIT_AGAINST_K,
        common.traces_of_samplers,
    ),
    tables=(
        *common.MASKED_TABLES,
        *common.UNMASKED_TABLES[:2],
        replace(common.UNMASKED_SUMMARY, caption="lumbreras2020/captions/unmasked_summary.rst"),
        common.DIAGNOSTICS,
        SENSITIVITY_FITS,
        _claims("claims", "Claims"),
        _claims("claims_parts", "Claims, part by part"),
        PAPER_NUMBERS,
    ),
)
