"""What the paper's figures show, and the chains that it is made of."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from nbmf.errors import ConfigError
from nbmf.families.buffet.buffet_priors import buffet_prior
from nbmf.fit_key import WHOLE, FitKey
from nbmf.registry import make_estimator
from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.experiment import Case, drawn
from nbmf_studies.framework.needs import Cases, tables
from nbmf_studies.framework.options import COUNT, COUNTS, NAMES, POSITIVE, closed, several, unknown
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.ohn2022"
MAIN = "figure_2"  # the setting of the figure, among the others

SETTING = closed(
    ["label"], label={"type": "string", "minLength": 1}, by_column={"type": "boolean"}, settings={"type": "object"}
)


# --- Figure 1 ---------------------------------------------------------------------------------


def _priors_of_draws(plan: Plan) -> dict[str, Any]:
    return {name: plan.options["figure_1"][name] for name in ("p", "omega", "kappa", "alphas")}


FIGURE_1 = Figure(
    "figure_1",
    "Figure 1: draws from the priors",
    make=".draws:draw",
    arguments=_priors_of_draws,
    options=closed(p=COUNT, omega=POSITIVE, kappa=POSITIVE, alphas=several(POSITIVE), draws=COUNT),
)
DRAWS = Table("draws", "Draws from the priors", make=".draws:tabulate", arguments=lambda plan: plan.options["figure_1"])
DRAWS_SUMMARY = Table(
    "draws_summary",
    "Features and dishes of draws from the priors",
    make=".draws:summarise",
    needs=tables("draws"),
    in_report=True,
    float_format="%.4g",
)

# --- Figure 2: chains, and what they say of K+ ------------------------------------------------


def _engine(plan: Plan, method: str, settings: dict[str, Any]) -> list:
    """Return class, first capacity and settings of a method, some of these replaced."""
    entry = plan.entry(method)
    return [entry["class"], entry["K"][0], {**entry["settings"], **settings}]


def _prior(plan: Plan, method: str) -> list:
    """Return the values of a BuffetPrior."""
    settings = plan.entry(method)["settings"]
    return [settings.get("prior"), settings.get("mass"), settings.get("alpha", 0.0), settings.get("kappa")]


def _cases(plan: Plan, setting: str, sizes: list[int], replications: int, changed: dict[str, Any]) -> Iterator[Case]:
    """Yield the chains of one setting, from every start on every replication."""
    options = plan.options[MAIN]
    rest = options["n"], options["factors"], options["loaded"], changed.get("by_column", False)
    for method, p, replication in product(options["methods"], sizes, range(replications)):
        K, of_data = plan.entry(method)["K"][0], {"setup": [p, *rest], "replication": replication}
        dataset, entry = drawn(f"{HERE}.simulation", of_data, measure=f"{HERE}.sizes:measure")
        for seed, start in enumerate(options["starts"]):
            yield Case(
                FitKey(dataset, f"{method}-{setting}-{start}", K, WHOLE, seed),
                {"setting": setting, "method": method, "p": p, "replication": replication, "start": start},
                entry,
                plan.variant(method, K, {**changed.get("settings", {}), "start": start}),
            )


def cases_of_figure(plan: Plan) -> Iterator[Case]:
    """Yield the chains of Figure 2."""
    options = plan.options[MAIN]
    return _cases(plan, MAIN, options["sizes"], options["replications"], {})


def cases_of_others(plan: Plan) -> Iterator[Case]:
    """Yield the chains of every other setting."""
    options = plan.options["other_settings"]
    for setting, changed in options["settings"].items():
        yield from _cases(plan, setting, options["sizes"], options["replications"], changed)


def _chains(name: str, title: str, cases: Callable[[Plan], Iterator[Case]]) -> Table:
    return Table(name, title, make=".chains:tabulate", needs=lambda plan: {"fits": Cases.of(cases(plan))})


def _check_figure(plan: Plan) -> Iterator[str]:
    options = plan.options[MAIN]
    for i, p in enumerate(options["sizes"]):
        if p < options["loaded"]:
            yield f".sizes[{i}] = {p}: allowed is at least loaded = {options['loaded']}"
    for i, method in enumerate(options["methods"]):
        place = f".methods[{i}]"
        problems = list(unknown(place, method, plan.names("methods")))
        yield from problems or _problems_of_starts(plan, method, f"{place} = {method!r}", {})


def _check_others(plan: Plan) -> Iterator[str]:
    options, known = plan.options["other_settings"], plan.names("methods")
    for i, p in enumerate(options["sizes"]):
        if p < plan.options[MAIN]["loaded"]:
            yield f".sizes[{i}] = {p}: allowed is at least the loaded rows of {MAIN}"
    for name, changed in options["settings"].items():
        for method in filter(known.__contains__, plan.options[MAIN]["methods"]):
            settings = changed.get("settings", {})
            yield from _problems_of_starts(plan, method, f".settings.{name}", settings)


def _problems_of_starts(plan: Plan, method: str, place: str, settings: dict) -> Iterator[str]:
    """Yield why chains of a method cannot be made, or its prior has no fixed numbers."""
    class_name, K, settings = _engine(plan, method, settings)
    try:
        buffet_prior(*_prior(plan, method))
        for start in plan.options[MAIN]["starts"]:
            make_estimator(class_name, K, {**settings, "start": start})
    except (ConfigError, TypeError) as error:
        yield f"{place}: {error}"


def _labelled(plan: Plan) -> dict[str, Any]:
    return {"labels": plan.labels(plan.options[MAIN]["methods"])}


FIGURE_2 = Figure(
    MAIN,
    "Figure 2: the number of factors",
    make=".figure_2:draw",
    needs=tables("chains"),
    arguments=lambda plan: {
        **_labelled(plan),
        "colours": plan.colours(plan.options[MAIN]["methods"]),
        "factors": plan.options[MAIN]["factors"],
    },
    options=closed(sizes=COUNTS, n=COUNT, factors=COUNT, loaded=COUNT, replications=COUNT, starts=NAMES, methods=NAMES),
    check=_check_figure,
)


def _summary(name: str, title: str, chains: str, **more) -> Table:
    return Table(
        name,
        title,
        make=".estimates:summarise",
        needs=tables(chains=chains),
        arguments=lambda plan: {
            **_labelled(plan),
            "settings": {
                MAIN: "Figure 2",
                **{
                    setting: changed["label"] for setting, changed in plan.options["other_settings"]["settings"].items()
                },
            },
            "priors": {method: _prior(plan, method) for method in plan.options[MAIN]["methods"]},
        },
        in_report=True,
        float_format="%.4g",
        **more,
    )


ESTIMATES = _summary("estimates", "The number of factors", "chains")
OTHER_SETTINGS = _summary(
    "other_settings",
    "The number of factors in other settings",
    "other_chains",
    options=closed(
        sizes=COUNTS,
        replications=COUNT,
        settings={
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": r"^[a-z0-9_]+\Z"},
            "additionalProperties": SETTING,
        },
    ),
    check=_check_others,
)
IN_DOUBT = Table(
    "in_doubt",
    "Chains whose number of factors is in doubt",
    make=".estimates:in_doubt",
    needs=tables("chains"),
    in_report=True,
    float_format="%.4g",
)


CLAIMS = common.claims(
    needs=tables("chains", "draws"), arguments=lambda plan: {"factors": plan.options[MAIN]["factors"]}
)

STUDY = Study(
    "ohn2022",
    "Ohn (2022)",
    "I. Ohn, The convergent Indian buffet process, 2022",
    figures=(FIGURE_1, FIGURE_2),
    tables=(
        DRAWS,
        DRAWS_SUMMARY,
        _chains("chains", "K+ of every chain of Figure 2", cases_of_figure),
        _chains("other_chains", "K+ of every chain in other settings", cases_of_others),
        ESTIMATES,
        IN_DOUBT,
        OTHER_SETTINGS,
        *CLAIMS,
    ),
    front=(MAIN, "claims"),
    experiments=(cases_of_figure, cases_of_others),
)
