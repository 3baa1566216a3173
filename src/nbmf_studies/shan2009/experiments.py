"""The experiments of the study: their options, and the jobs that they are cut into."""

from typing import Any, NamedTuple

from nbmf_studies.framework.options import closed
from nbmf_studies.framework.plan import Plan

COUNT = {"type": "integer", "minimum": 1}
POSITIVE = {"type": "number", "exclusiveMinimum": 0}
FLOOR = {"type": "number", "minimum": 0}
MODEL = ("mnb", "mmnb", "fast-mmnb", "fast-mmnb-5", "unigrams", "lda", "fast-lda", "fast-lda-5")
FLOORS = {"paper": [1e-13, 0.0]}  # where an experiment names none
SMOOTHING, STARTS = [0.1], 1  # where a dataset names none


def _some(items: dict[str, Any], **rest) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": items, **rest}


SET = closed(["K"], K=_some(COUNT), smoothing=_some(POSITIVE), starts=COUNT)
SETS = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": r"^[a-z0-9_]+\Z"},
    "additionalProperties": {"anyOf": [SET, {"type": "null"}]},  # null: dropped by an overlay
}
OPTIONS = {
    "sets": SETS,
    "models": _some({"enum": list(MODEL)}),
    "folds": {"type": "integer", "minimum": 2},
    "draws": {"type": "integer", "minimum": 2},
    "floors": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": _some(FLOOR, uniqueItems=False, minItems=2, maxItems=2),
    },
    "steps": _some(POSITIVE),
    "levels": COUNT,
}


class Experiment(NamedTuple):
    """One experiment.

    name, title : str
    make : str, the function of its jobs, below the study
    keys : tuple of str, its options
    """

    name: str
    title: str
    make: str
    keys: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its options."""
        return closed(list(self.keys), **{key: OPTIONS[key] for key in self.keys})


FOLDED = ("sets", "models", "folds", "draws")
EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment("uci", "UCI sets", "fits:cross_validate", (*FOLDED, "floors")),
        Experiment("ratings", "Jester, Foodmart and MovieLens", "fits:cross_validate", FOLDED),
        Experiment("binary", "The same in ones and zeros", "fits:cross_validate", FOLDED),
        Experiment("text", "Collections of documents", "fits:cross_validate", FOLDED),
        Experiment("flips", "Flipped entries", "flips:flips", ("sets", "models", "folds", "steps", "levels")),
        Experiment("topics", "Topics of whole collections", "fits:topics", ("sets", "models")),
    )
}


class Job(NamedTuple):
    """The fits of one experiment to one dataset with one K.

    name : str, of its table
    arguments : dict, of the function that makes it, beside the table
    """

    name: str
    dataset: str
    K: int
    arguments: dict[str, Any]


def jobs_of(experiment: Experiment, plan: Plan) -> list[Job]:
    """Return the jobs of an experiment in the order of the configuration."""
    options, jobs = plan.options[experiment.name], []
    own = {key: options[key] for key in experiment.keys if key not in ("sets", "models")}
    if experiment.make == "fits:cross_validate":
        own.setdefault("floors", FLOORS)
    for dataset, entry in options["sets"].items():
        for K in entry["K"] if entry else ():
            smoothing = entry.get("smoothing", SMOOTHING)
            several = {"smoothings": smoothing} if "floors" in own else {"smoothing": smoothing[0]}
            arguments = {"dataset": dataset, "K": K, "names": options["models"], **several}
            arguments["protocol"] = {"starts": entry.get("starts", STARTS), **own}
            name = f"{experiment.name}_{dataset.removeprefix('uci_')}_{K}"
            jobs.append(Job(name, dataset, K, arguments))
    return jobs


def with_data(jobs: list[Job], plan: Plan) -> list[Job]:
    """Return the jobs whose raw files are at hand, or are downloaded unasked."""
    return [job for job in jobs if job.dataset not in plan.missing_sources]
