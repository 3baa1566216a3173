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
from nbmf_studies.framework.needs import Cases, TableOf
from nbmf_studies.framework.options import closed, unknown
from nbmf_studies.framework.plan import Plan

HERE = "nbmf_studies.ohn2022"
CAPTIONS = "ohn2022/captions"
MAIN = "figure_2"  # the setting of the figure, among the others

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
SIZES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": COUNT}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string"}}
SETTING = closed(
    ["label"], label={"type": "string", "minLength": 1}, by_column={"type": "boolean"}, settings={"type": "object"}
)


# --- Figure 1 ---------------------------------------------------------------------------------


def _priors_of_draws(plan: Plan) -> dict[str, Any]:
    return {name: plan.options["figure_1"][name] for name in ("p", "omega", "kappa", "alphas")}


FIGURE_1 = Figure(
    "figure_1",
    "Figure 1: draws from the priors",
    f"{CAPTIONS}/figure_1.rst",
    f"{HERE}.draws:draw",
    needs=lambda plan: {},
    arguments=_priors_of_draws,
    options=closed(
        ["p", "omega", "kappa", "alphas", "draws"],
        p=COUNT,
        omega=POSITIVE,
        kappa=POSITIVE,
        alphas={"type": "array", "minItems": 1, "uniqueItems": True, "items": POSITIVE},
        draws=COUNT,
    ),
)
DRAWS = Table(
    "draws",
    "Draws from the priors",
    "captions/scores.rst",
    f"{HERE}.draws:tabulate",
    needs=lambda plan: {},
    arguments=lambda plan: plan.options["figure_1"],
)
DRAWS_SUMMARY = Table(
    "draws_summary",
    "Features and dishes of draws from the priors",
    f"{CAPTIONS}/draws_summary.rst",
    f"{HERE}.draws:summarise",
    needs=lambda plan: {"draws": TableOf("draws")},
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
    return Table(
        name,
        title,
        "captions/scores.rst",
        f"{HERE}.chains:tabulate",
        needs=lambda plan: {"fits": Cases.of(cases(plan))},
    )


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
    f"{CAPTIONS}/figure_2.rst",
    f"{HERE}.figure_2:draw",
    needs=lambda plan: {"chains": TableOf("chains")},
    arguments=lambda plan: {
        **_labelled(plan),
        "colours": plan.colours(plan.options[MAIN]["methods"]),
        "factors": plan.options[MAIN]["factors"],
    },
    options=closed(
        ["sizes", "n", "factors", "loaded", "replications", "starts", "methods"],
        sizes=SIZES,
        n=COUNT,
        factors=COUNT,
        loaded=COUNT,
        replications=COUNT,
        starts=NAMES,
        methods=NAMES,
    ),
    check=_check_figure,
)


def _summary(name: str, title: str, chains: str, **more) -> Table:
    return Table(
        name,
        title,
        f"{CAPTIONS}/{name}.rst",
        f"{HERE}.estimates:summarise",
        needs=lambda plan: {"chains": TableOf(chains)},
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
        ["sizes", "replications", "settings"],
        sizes=SIZES,
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
    f"{CAPTIONS}/in_doubt.rst",
    f"{HERE}.estimates:in_doubt",
    needs=lambda plan: {"chains": TableOf("chains")},
    in_report=True,
    float_format="%.4g",
)


CLAIMS = common.claims(
    HERE,
    needs=lambda plan: {"chains": TableOf("chains"), "draws": TableOf("draws")},
    arguments=lambda plan: {"factors": plan.options[MAIN]["factors"]},
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
