"""The fits of Figures 3, 4, 6 and 7: to matrices that are drawn, to photographs, and to photographs with gaps."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.cemgil2009.names import ADAPTED, ANNEALED, BOUND, CHIB, ORDER, WAYS, method_of
from nbmf_studies.cemgil2009.simulation import Truth
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.cemgil2009"


def evidence_cases(plan: Plan) -> Iterator[Case]:
    """Yield the estimates of Figure 3: of every matrix, for every order, of every kind.

    The models have the priors that a matrix is drawn from, or begin to learn there. Chib's method is
    for the first matrices.
    """
    options = plan.options["figure_3"]
    truth, chib = Truth(**options["truth"]), options["chib"]
    for place, seed in enumerate(plan.seeds):
        of_data = {"truth": list(truth), "seed": seed}
        dataset, data = drawn_dataset(f"{HERE}.simulation", of_data, observe=f"{HERE}.simulation:observe")
        runs = {CHIB: chib["runs"] if place < chib["matrices"] else 0, ANNEALED: 1}
        runs |= dict.fromkeys((ADAPTED, BOUND), options["starts"])
        for order, kind in product(options["orders"], runs):
            method, entry = _method(plan, "figure_3", kind, truth.priors)
            for run in range(runs[kind]):
                key = FitKey(dataset, method, order, WHOLE, run)
                yield Case(key, {"seed": seed, "order": order, "kind": kind, "run": run}, data, entry)


def order_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of Figure 4: every order from every start, to all photographs."""
    options = plan.options["figure_4"]
    method, entry = _method(plan, "figure_4", ORDER)
    for dataset, start, order in product(options["datasets"], range(options["starts"]), options["orders"]):
        key = FitKey(dataset, method, order, WHOLE, start)
        yield Case(key, {"dataset": dataset, "start": start, "order": order}, method=entry)


def filling_cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of Figures 6 and 7: every way to fill the patches, with every order."""
    options = plan.options["figure_7"]
    for name, run, order, way in product(options["datasets"], range(options["runs"]), options["orders"], WAYS):
        dataset, data = patched_dataset(plan, name)
        method, entry = _method(plan, "figure_7", way)
        key = FitKey(dataset, method, order, run, 0)
        yield Case(key, {"dataset": name, "run": run, "order": order, "way": way}, data, entry)


def _method(plan: Plan, figure: str, name: str, settings: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
    """Return name and entry of what the configuration has for a kind, a way or ORDER, with a figure's orders as K."""
    method = method_of(name)
    return f"{method}-{figure}", plan.variant(method, plan.options[figure]["orders"], settings or {})


def patched_dataset(plan: Plan, name: str) -> tuple[str, dict[str, Any]]:
    """Return name and entry of the first photographs of a dataset, whose masks are patches."""
    entry, images = plan.dataset_entry(name), plan.options["figure_7"]["images"]
    shared = {key: entry[key] for key in ("recipe", "files", "axes")}
    looks = {"held_out": f"{HERE}.patches:half_with_patch", "measure": f"{HERE}.patches:measure"}
    return f"{name}-first-{images}", {**shared, "options": {**entry["options"], "images": images}, **looks}


def shown_cases(plan: Plan) -> Iterator[Case]:
    """Yield those of them that Figure 6 shows."""
    shown = plan.options["figure_6"]
    for case in filling_cases(plan):
        if all(case.columns[name] == shown[name] for name in shown):
            yield case
