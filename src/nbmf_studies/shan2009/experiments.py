"""The experiments of the study: their options, and the fits that they ask for."""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from nbmf.fit_key import WHOLE, FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.options import COUNT, COUNTS, POSITIVE, closed, several
from nbmf_studies.framework.plan import Plan
from nbmf_studies.shan2009.names import MODELS

KEY = "shan2009"
HERE = f"nbmf_studies.{KEY}"
BASE = f"{KEY}-model"  # the method of the configuration that every model is a variant of

FLOORS = {"paper": [1e-13, 0.0]}  # where an experiment names none
SMOOTHING, STARTS = [0.1], 1  # where a dataset names none


SET = closed(["K"], K=COUNTS, smoothing=several(POSITIVE), starts=COUNT)
FLOOR = {"type": "number", "minimum": 0}
SETS = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": r"^[a-z0-9_]+\Z"},
    "additionalProperties": {"anyOf": [SET, {"type": "null"}]},  # null: dropped by an overlay
}
OPTIONS = {
    "sets": SETS,
    "models": several({"enum": list(MODELS)}),
    "folds": {"type": "integer", "minimum": 2},
    "draws": {"type": "integer", "minimum": 2},
    "floors": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": "array", "minItems": 2, "maxItems": 2, "items": FLOOR},
    },
    "steps": several(POSITIVE),
    "levels": COUNT,
}


class Experiment(NamedTuple):
    """One experiment: fits of all models to what folds leave of some datasets, or to whole ones.

    name, title : str
    look : str, what is measured: `measures.measure_<look>` looks at its fits, and `runs.tabulate_<look>` gathers them
    held_out : str, "rows" or "entries" of each fold, "" where fits see whole tables
    columns : tuple of str, by which its table knows a fit
    passed : tuple of str, the options that are passed to `look`
    varied : tuple of str, further options
    """

    name: str
    title: str
    look: str
    held_out: str
    columns: tuple[str, ...]
    passed: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its options."""
        keys = ["sets", "models", *(["folds"] if self.held_out else []), *self.passed, *self.varied]
        return closed(**{key: OPTIONS[key] for key in keys})


FOLDED = "rows", "rows", ("dataset", "K", "floor", "smoothing", "model", "fold", "start"), ("draws",)
FLIPPED = "flips", "entries", ("dataset", "K", "model", "fold", "start"), ("steps", "levels")
EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment("uci", "UCI sets", *FOLDED, ("floors",)),
        Experiment("ratings", "Jester, Foodmart and MovieLens", *FOLDED),
        Experiment("binary", "The same in ones and zeros", *FOLDED),
        Experiment("text", "Collections of documents", *FOLDED),
        Experiment("flips", "Flipped entries", *FLIPPED),
        Experiment("topics", "Topics of whole collections", "topics", "", ("dataset", "K", "model", "start")),
    )
}


class Part(NamedTuple):
    """One experiment on one dataset."""

    experiment: Experiment
    dataset: str

    @property
    def name(self) -> str:
        """The name of its table."""
        return f"{self.experiment.name}_{self.dataset.removeprefix('uci_')}"

    @property
    def data(self) -> str:
        """The name of the dataset as this experiment holds it out and looks at it."""
        return f"{KEY}-{self.experiment.name}-{self.dataset}"

    def is_asked_for(self, plan: Plan) -> bool:
        """Whether the configuration has the dataset in this experiment."""
        return bool(plan.options[self.experiment.name]["sets"].get(self.dataset))

    def cases(self, plan: Plan) -> Iterator[Case]:
        """Yield its fits: of each fold every model, every start."""
        experiment = self.experiment
        options = plan.options[experiment.name]
        settings, data, folds = options["sets"][self.dataset], self._data(plan), [WHOLE]
        smoothings = settings.get("smoothing", SMOOTHING)
        if experiment.held_out:
            folds = range(options["folds"])
        if "smoothing" not in experiment.columns:
            smoothings = smoothings[:1]
        floors, starts = options.get("floors", FLOORS).items(), range(settings.get("starts", STARTS))
        for K, fold, floor, smoothing, model, start in product(
            settings["K"], folds, floors, smoothings, options["models"], starts
        ):
            known = {"dataset": self.dataset, "K": K, "floor": floor[0], "smoothing": smoothing}
            known |= {"model": model, "fold": fold, "start": start}
            method, entry = variant(plan, model, smoothing, floor[1])
            columns = {name: known[name] for name in experiment.columns}
            yield Case(FitKey(self.data, method, K, fold, start), columns, data, entry)

    def _data(self, plan: Plan) -> dict[str, Any]:
        """Return the entry of its dataset."""
        experiment, options = self.experiment, plan.options[self.experiment.name]
        looks = {"measure": f"{HERE}.measures:measure_{experiment.look}"}
        looks["arguments"] = {name: options[name] for name in experiment.passed}
        held_out = {"held_out": experiment.held_out, "folds": options["folds"]} if experiment.held_out else {}
        return {**plan.dataset_entry(self.dataset), **looks, **held_out}


def variant(
    plan: Plan, model: str, smoothing: float, floors: list[float], varied: dict[str, Any] | None = None
) -> tuple[str, dict[str, Any]]:
    """Return the name and the entry of a model with some settings; all of them start as BASE does.

    Its grid has every K of the study's own experiments: they share an entry.
    """
    label, settings = MODELS[model]
    varied = varied or {}
    given = {"smoothing": smoothing, "variance_floor": floors[0], "relative_floor": floors[1]}
    named = [
        f"{name}-{value:.12g}" if isinstance(value, float) else f"{name}-{value}" for name, value in varied.items()
    ]
    name = "-".join([KEY, model, *(f"{value:.12g}" for value in given.values()), *named])
    sets = [own for experiment in EXPERIMENTS for own in plan.options[experiment]["sets"].values() if own]
    grid = sorted({K for own in sets for K in own["K"]})
    return name, {**plan.variant(BASE, grid[0], {**settings, **given, **varied}), "K": grid, "label": label}


def parts_of(experiment: Experiment, plan: Plan) -> list[Part]:
    """Return an experiment dataset by dataset, in the order of the configuration."""
    every = (Part(experiment, dataset) for dataset in plan.options[experiment.name]["sets"])
    return [part for part in every if part.is_asked_for(plan)]


def with_data(parts: list[Part], plan: Plan) -> list[Part]:
    """Return the parts whose raw files are at hand, or are downloaded unasked."""
    return [part for part in parts if part.data not in plan.missing_sources]


def cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of all experiments."""
    for experiment in EXPERIMENTS.values():
        for part in parts_of(experiment, plan):
            yield from part.cases(plan)
