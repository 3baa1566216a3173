"""The fits of the study: held-out entries, sessions that are forecast, paths, senators, and moods."""

from collections.abc import Iterable, Iterator
from typing import Any

from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.options import COUNT, COUNTS, NAMES, closed, unknown, unknown_methods
from nbmf_studies.framework.plan import Plan
from nbmf_studies.votes_as_cast.answers import FOUR
from nbmf_studies.votes_as_cast.third_category import THREE, TWO

KEY = "votes_as_cast"
HERE = f"nbmf_studies.{KEY}"
FILES = {"votes": "unvotes_votes", "roll_calls": "unvotes_roll_calls"}
YEAR = {"type": "integer", "minimum": 1946}
CATEGORIES = {TWO: 2, THREE: 3}
MOOD_CATEGORIES = {TWO: 2, FOUR: 4}
MOODS = {"answers": "trials_msq_answers"}
KNOWN = {"none": 0, "a fifth": 1}  # of the session that is forecast, and the number of the mask (masks.SEEN)

CATEGORY_OPTIONS = closed(first=YEAR, last=YEAR, masks=COUNT, two={"type": "string"}, three={"type": "string"})
FORECAST_OPTIONS = closed(sessions=COUNTS, window=COUNT, methods=NAMES)
PATH_OPTIONS = closed(
    first=YEAR,
    last=YEAR,
    method={"type": "string"},
    chains=COUNT,
    below={"type": "string"},
    names=NAMES,
    sessions=COUNTS,
)
DICTIONARY_OPTIONS = closed(first=YEAR, last=YEAR, countries=COUNT, components=COUNT, below={"type": "string"})
ANSWER_OPTIONS = closed(masks=COUNT, two={"type": "string"}, four={"type": "string"})
SENATE_OPTIONS = closed(dataset={"type": "string"}, masks=COUNT, methods=NAMES)


def votes(what: str, first: int, last: int, categories: int = 3, **looks: str) -> tuple[str, dict[str, Any]]:
    """Return name and entry of a dataset: votes of sessions from `first` to `last`, for one use of them.

    looks : what the entry says of masks and of what is measured
    """
    options = {"categories": categories, "first": first, "last": last}
    entry = {"recipe": f"{HERE}.ballots", "files": FILES, "options": options, **looks}
    return "-".join([KEY, what, *map(str, options.values())]), entry


def cases_of_categories(plan: Plan) -> Iterator[Case]:
    """Yield fits of two and of three categories to the same masks."""
    options = plan.options["third_category"]
    looks = {"held_out": f"{HERE}.masks:hold_out_entries", "measure": f"{HERE}.measures:measure_entries"}
    for name, categories in CATEGORIES.items():
        dataset, entry = votes("entries", options["first"], options["last"], categories, **looks)
        method = options[name]
        for mask in range(options["masks"]):
            key = FitKey(dataset, method, plan.first_K(method), mask, 0)
            yield Case(key, {"categories": name, "mask": mask}, entry)


def cases_of_dictionaries(plan: Plan) -> Iterator[Case]:
    """Yield fits of two and of three categories, by the methods of the third category, to all votes."""
    options = plan.options["dictionaries"]
    for name, categories in CATEGORIES.items():
        looks = {"measure": f"{HERE}.measures:measure_dictionary"}
        dataset, entry = votes("dictionary", options["first"], options["last"], categories, **looks)
        method = plan.options["third_category"][name]
        yield Case(FitKey(dataset, method, plan.first_K(method), WHOLE, 0), {"categories": name}, entry)


def cases_of_forecasts(plan: Plan) -> Iterator[Case]:
    """Yield fits to the sessions before one that is forecast, of which nothing or a fifth of the votes is known."""
    options = plan.options["forecasts"]
    looks = {"held_out": f"{HERE}.masks:hold_out_session", "measure": f"{HERE}.measures:measure_session"}
    for known, mask in KNOWN.items():
        for session in options["sessions"]:
            dataset, entry = votes("forecast", session - options["window"], session, **looks)
            for method in options["methods"]:
                key = FitKey(dataset, method, plan.first_K(method), mask, 0)
                yield Case(key, {"known": known, "session": session, "method": method}, entry)


def cases_of_paths(plan: Plan) -> Iterator[Case]:
    """Yield chains over all votes."""
    options = plan.options["paths"]
    dataset, entry = votes("paths", options["first"], options["last"], measure=f"{HERE}.measures:measure_paths")
    for chain in range(options["chains"]):
        method = options["method"]
        yield Case(FitKey(dataset, method, plan.first_K(method), WHOLE, chain), {"chain": chain}, entry)


def cases_of_senate(plan: Plan) -> Iterator[Case]:
    """Yield fits of static models to masks of the votes of senators."""
    options = plan.options["senate"]
    for method in options["methods"]:
        for mask in range(options["masks"]):
            key = FitKey(options["dataset"], method, plan.first_K(method), mask, 0)
            yield Case(key, {"method": method, "mask": mask})


def cases_of_answers(plan: Plan) -> Iterator[Case]:
    """Yield fits of two and of four categories to the same masks of moods."""
    options = plan.options["answers"]
    looks = {"held_out": f"{HERE}.masks:hold_out_answers", "measure": f"{HERE}.measures:measure_answers"}
    for name, categories in MOOD_CATEGORIES.items():
        settings = {"files": MOODS, "options": {"categories": categories}}
        entry = {"recipe": f"{HERE}.mood_answers", **settings, **looks}
        method = options[name]
        for mask in range(options["masks"]):
            key = FitKey(f"{KEY}-moods-{categories}", method, plan.first_K(method), mask, 0)
            yield Case(key, {"matrix": "moods", "categories": name, "mask": mask}, entry)


def check_dictionaries(plan: Plan) -> Iterator[str]:
    """Yield whether there are fewer components than are shown."""
    for name in CATEGORIES:
        method, shown = plan.options["third_category"][name], plan.options["dictionaries"]["components"]
        if method in plan.names("methods") and shown > (K := plan.first_K(method)):
            yield f".components = {shown}: {method} has {K}"


def check_senate(plan: Plan) -> Iterator[str]:
    """Yield which methods, or whether the dataset, are unknown."""
    yield from unknown_methods(plan, "senate")
    yield from unknown(".dataset", plan.options["senate"]["dataset"], plan.names("datasets"))


def unknown_methods_of(plan: Plan, option: str, keys: Iterable[str]) -> Iterator[str]:
    """Yield which keys of an option name no method."""
    for key in keys:
        yield from unknown(f".{key}", plan.options[option][key], plan.names("methods"))
