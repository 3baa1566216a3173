"""Figures 6 to 9, which show the factors of unmasked fits: what is declared of them."""

from collections.abc import Iterator

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure
from nbmf_studies.framework.needs import BestFits, Matrix, Need
from nbmf_studies.framework.options import COUNT, K_OF_METHOD, closed, unknown
from nbmf_studies.framework.plan import Plan

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
    dataset = plan.options[figure]["dataset"]
    return {"matrix": Matrix(dataset), "fits": BestFits(plan.candidates(dataset, shown_K(plan, figure)))}


def _check_factors(plan: Plan, figure: str) -> Iterator[str]:
    chosen = plan.options[figure]
    yield from unknown(".dataset", chosen["dataset"], plan.names("datasets"))
    grids = plan.unmasked.get(chosen["dataset"], {})
    for method, K in chosen["K"].items():
        yield from unknown(f".K.{method}", method, plan.names("methods"))
        if method in grids and K not in grids[method]["K"]:
            yield (
                f".K.{method} = {K}: must be one of the K of studies.{plan.key}.unmasked."
                f"{chosen['dataset']}.{method}, {grids[method]['K']}"
            )


FIGURE_6 = Figure(
    "figure_6",
    "Figure 6: reconstructions",
    ".figure_6:draw",
    lambda plan: _factors(plan, "figure_6"),
    options=closed(dataset={"type": "string"}, K=K_OF_METHOD),
    check=lambda plan: _check_factors(plan, "figure_6"),
    applies=lambda plan: is_shown(plan, "figure_6"),
)


def dictionaries(name: str) -> Figure:
    """Return the declaration of Figure 7, 8 or 9, which differ in what their options say."""

    def needs(plan: Plan) -> dict[str, Need]:
        return {**_factors(plan, name), **common.diagnostics_needs(plan)}

    return Figure(
        name,
        lambda plan: f"Figure {name[-1]}: dictionaries of {plan.options[name]['dataset']}",
        ".dictionaries:draw",
        needs,
        arguments=common.options_of(name, "dataset", "columns"),
        options=closed(dataset={"type": "string"}, columns=COUNT, K=K_OF_METHOD),
        check=lambda plan: _check_factors(plan, name),
        applies=lambda plan: is_shown(plan, name),
        dpi=300,
    )
