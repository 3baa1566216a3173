"""The chains of the study: those of Figure 2, of other settings, and of several variances of loadings."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from nbmf.errors import ConfigError
from nbmf.families.buffet.buffet_priors import buffet_prior
from nbmf.fit_key import WHOLE, FitKey
from nbmf.registry import make_estimator
from nbmf_studies.framework.experiment import Case, drawn_dataset
from nbmf_studies.framework.options import COUNT, COUNTS, NAMES, closed, unknown
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.ohn2022"
MAIN = "figure_2"  # the setting of the figure, among the others
OTHERS, SLABS = "other_settings", "slab_variances"  # options, each with settings of its own

SETTINGS = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": r"^[a-z0-9_]+\Z"},
    "additionalProperties": closed(
        ["label"], label={"type": "string", "minLength": 1}, by_column={"type": "boolean"}, settings={"type": "object"}
    ),
}
OF_FIGURE = closed(sizes=COUNTS, n=COUNT, factors=COUNT, loaded=COUNT, replications=COUNT, starts=NAMES, methods=NAMES)
OF_OTHERS = closed(sizes=COUNTS, replications=COUNT, settings=SETTINGS)
OF_SLABS = closed(sizes=COUNTS, first_replication=COUNT, replications=COUNT, starts=NAMES, settings=SETTINGS)


def prior_of(plan: Plan, method: str) -> list:
    """Return the values of a BuffetPrior."""
    settings = plan.entry(method)["settings"]
    return [settings.get("prior"), settings.get("mass"), settings.get("alpha", 0.0), settings.get("kappa")]


def labels_of_settings(plan: Plan, option: str) -> dict[str, str]:
    """Return what the settings of an option are called."""
    return {setting: changed["label"] for setting, changed in plan.options[option]["settings"].items()}


# --- Chains -----------------------------------------------------------------------------------


def _cases(
    plan: Plan,
    setting: str,
    sizes: list[int],
    replications: Iterable[int],
    starts: list[str],
    changed: dict[str, Any],
    measure: str = "sizes:measure",
) -> Iterator[Case]:
    """Yield the chains of one setting, from every start on every replication."""
    options = plan.options[MAIN]
    rest = options["n"], options["factors"], options["loaded"], changed.get("by_column", False)
    for method, p, replication in product(options["methods"], sizes, replications):
        K, of_data = plan.first_K(method), {"setup": [p, *rest], "replication": replication}
        dataset, entry = drawn_dataset(f"{HERE}.simulation", of_data, measure=f"{HERE}.{measure}")
        for seed, start in enumerate(starts):
            yield Case(
                FitKey(dataset, f"{method}-{setting}-{start}", K, WHOLE, seed),
                {"setting": setting, "method": method, "p": p, "replication": replication, "start": start},
                entry,
                plan.variant(method, K, {**changed.get("settings", {}), "start": start}),
            )


def cases_of_figure(plan: Plan) -> Iterator[Case]:
    """Yield the chains of Figure 2."""
    options = plan.options[MAIN]
    return _cases(plan, MAIN, options["sizes"], range(options["replications"]), options["starts"], {})


def cases_of_others(plan: Plan) -> Iterator[Case]:
    """Yield the chains of every other setting."""
    options = plan.options[OTHERS]
    for setting, changed in options["settings"].items():
        yield from _cases(
            plan, setting, options["sizes"], range(options["replications"]), plan.options[MAIN]["starts"], changed
        )


def cases_of_slabs(plan: Plan) -> Iterator[Case]:
    """Yield the chains of every variance of loadings, on replications of their own, which give the error of BB'."""
    options = plan.options[SLABS]
    first = options["first_replication"]
    replications = range(first, first + options["replications"])
    for setting, changed in options["settings"].items():
        kept = {**changed, "settings": {**changed.get("settings", {}), "keep_covariance": True}}
        yield from _cases(
            plan, setting, options["sizes"], replications, options["starts"], kept, "covariance_errors:measure"
        )


# --- What cannot be run -----------------------------------------------------------------------


def check_figure(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with the options of Figure 2."""
    options = plan.options[MAIN]
    for i, p in enumerate(options["sizes"]):
        if p < options["loaded"]:
            yield f".sizes[{i}] = {p}: must be at least loaded = {options['loaded']}"
    for i, method in enumerate(options["methods"]):
        key_path = f".methods[{i}]"
        problems = list(unknown(key_path, method, plan.names("methods")))
        yield from problems or _problems_of_starts(plan, method, options["starts"], f"{key_path} = {method!r}", {})


def check_slabs(plan: Plan) -> Iterator[str]:
    """Yield what is wrong with the options of several variances; their data shall be those of no other chain."""
    options = plan.options[SLABS]
    others = max(plan.options[MAIN]["replications"], plan.options[OTHERS]["replications"])
    if options["first_replication"] < others:
        first = options["first_replication"]
        yield f".first_replication = {first}: must be at least {others}, so that data are new"
    yield from problems_of_settings(plan, SLABS, options["starts"])


def problems_of_settings(plan: Plan, option: str, starts: list[str]) -> Iterator[str]:
    """Yield what is wrong with the options of several settings, whose chains have these starts."""
    options, known = plan.options[option], plan.names("methods")
    for i, p in enumerate(options["sizes"]):
        if p < plan.options[MAIN]["loaded"]:
            yield f".sizes[{i}] = {p}: must be at least the loaded rows of {MAIN}"
    for name, changed in options["settings"].items():
        for method in filter(known.__contains__, plan.options[MAIN]["methods"]):
            yield from _problems_of_starts(plan, method, starts, f".settings.{name}", changed.get("settings", {}))


def _problems_of_starts(plan: Plan, method: str, starts: list[str], place: str, changed: dict) -> Iterator[str]:
    """Yield why chains of a method cannot be made, or its prior has no fixed numbers."""
    entry = plan.entry(method)
    try:
        buffet_prior(*prior_of(plan, method))
        for start in starts:
            make_estimator(entry["class"], entry["K"][0], {**entry["settings"], **changed, "start": start})
    except (ConfigError, TypeError) as error:
        yield f"{place}: {error}"
