"""What the concentration η of Dir-Dir decides: fits with other η, on either side, and for longer.

W has rows from Dirichlet(γ) and H has columns from Dirichlet(η), so that V transposed has the same model with γ and η
exchanged. "columns" is the paper's model, γ = 1/K and η as given; "rows" is that of the transposed matrix on the same
masks, η = 1/K and γ as given.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from nbmf import registry
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import PER_K
from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.options import COUNT, POSITIVE, closed, several
from nbmf_studies.framework.plan import Plan
from nbmf_studies.lumbreras2020.eta_names import COLUMNS, DIR_DIR, OTHERS, ROWS

ETA = {"anyOf": [POSITIVE, {"const": PER_K}]}

OPTIONS = closed(
    values=several(ETA),
    one_side=closed(dataset={"type": "string"}),
    long=closed(dataset={"type": "string"}, masks=COUNT, left_out=COUNT, kept=COUNT),
    loss=closed(dataset={"type": "string"}, seeds=COUNT),
)


def _variants(plan: Plan) -> Iterator[tuple[dict[str, Any], str, dict[str, Any] | None]]:
    """Yield what tables say about each variant of Dir-Dir, its name, and its entry; None for what is there already."""
    K = plan.first_K(DIR_DIR)
    settings = plan.entry(DIR_DIR)["settings"]
    for value, side in product(plan.options["eta"]["values"], (COLUMNS, ROWS)):
        priors = {"gamma": PER_K, "eta": value} if side == COLUMNS else {"gamma": value, "eta": PER_K}
        columns = {"side": side, "eta": 1 / K if value == PER_K else value}
        if all(settings[name] == prior for name, prior in priors.items()):
            yield columns, DIR_DIR, None
        elif value != PER_K or side == COLUMNS:  # both at 1/K are one model
            name = f"{DIR_DIR}-{'eta' if side == COLUMNS else 'gamma'}-{_format_value(value)}"
            yield columns, name, plan.variant(DIR_DIR, K, priors)


def _format_value(value: float | str) -> str:
    return value.replace("/", "_") if isinstance(value, str) else f"{value:g}"


def cases(plan: Plan) -> Iterator[Case]:
    """Yield Dir-Dir with every η on either side, fitted to the masks of all datasets."""
    masks, K = plan.masks_of(plan.datasets), plan.first_K(DIR_DIR)
    for (columns, name, entry), dataset in product(_variants(plan), plan.datasets):
        for mask in range(masks[dataset]):
            key = FitKey(dataset, name, K, mask, 0)
            yield Case(key, {"dataset": dataset, "method": DIR_DIR, "K": K, **columns, "mask": mask}, None, entry)


def other_cases(plan: Plan) -> Iterator[Case]:
    """Yield the other mean-parameterised methods with the weights on the columns, for the paper's transposed matrix."""
    dataset = plan.options["eta"]["one_side"]["dataset"]
    if dataset not in plan.datasets:
        return
    for method in (name for name in OTHERS if name in plan.methods):
        for K, mask in product(plan.entry(method)["K"], range(plan.masks_of([dataset])[dataset])):
            key = FitKey(dataset, f"{method}-columns", K, mask, 0)
            columns = {"dataset": dataset, "method": method, "K": K, "side": ROWS, "mask": mask}
            yield Case(key, columns, None, plan.variant(method, plan.entry(method)["K"], {"orientation": COLUMNS}))


def long_cases(plan: Plan) -> Iterator[Case]:
    """Yield chains of the paper's η that are ten times as long."""
    chosen, K = plan.options["eta"]["long"], plan.first_K(DIR_DIR)
    if chosen["dataset"] not in plan.datasets:
        return
    lengths = registry.length_settings(plan.entry(DIR_DIR)["class"], chosen["left_out"], chosen["kept"])
    variant = plan.variant(DIR_DIR, K, lengths)
    for mask in range(min(chosen["masks"], plan.masks_of([chosen["dataset"]])[chosen["dataset"]])):
        key = FitKey(chosen["dataset"], f"{DIR_DIR}-long", K, mask, 0)
        columns = {"dataset": chosen["dataset"], "sweeps": chosen["left_out"] + chosen["kept"], "mask": mask}
        yield Case(key, columns, None, variant)


def loss_cases(plan: Plan) -> Iterator[Case]:
    """Yield Dir-Dir with every η on either side, fitted to the whole matrix whose D(V|V^) the paper prints."""
    chosen, K = plan.options["eta"]["loss"], plan.first_K(DIR_DIR)
    if chosen["dataset"] not in plan.unmasked:
        return
    for (columns, name, entry), seed in product(_variants(plan), range(chosen["seeds"])):
        key = FitKey(chosen["dataset"], name, K, None, seed)
        yield Case(key, {"dataset": chosen["dataset"], **columns, "seed": seed}, None, entry)
