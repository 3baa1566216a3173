"""The experiments of the second readings: fits from several starts, and models whose settings vary.

Folds and random streams are others than those of the study's own experiments, as datasets have names of their own.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.options import COUNT, POSITIVE, closed, several
from nbmf_studies.framework.plan import Plan
from nbmf_studies.shan2009.experiments import FLOORS, HERE, KEY, SETS, SMOOTHING, variant
from nbmf_studies.shan2009.names import MODELS

VARIED = {  # settings of ModelOfSeen
    "inner_max": several(COUNT),
    "warm": several({"enum": ["always", "late", "never"]}),
    "first_alpha": several({"anyOf": [POSITIVE, {"type": "null"}]}),
    "alpha_held": several({"type": "integer", "minimum": 0}),
}


class Further(NamedTuple):
    """One experiment: fits to folds of rows, each from several starts, of models with varied settings.

    name, title : str
    varied : tuple of str, the settings that its models may vary
    """

    name: str
    title: str
    varied: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its options.

        models : from each model to its grid; every combination of the values is a fit
        folds, fitted_folds : into how many rows are dealt, and how many of these are held out in turn
        starts, draws : as `measures.measure_starts` takes them
        """
        grid = closed([], **{name: VARIED[name] for name in self.varied})
        models = {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"enum": list(MODELS)},
            "additionalProperties": grid,
        }
        two = {"type": "integer", "minimum": 2}
        return closed(sets=SETS, models=models, folds=two, fitted_folds=COUNT, starts=COUNT, draws=two)

    def sets(self, plan: Plan) -> dict[str, Any]:
        """Return the sets of the configuration whose data are at hand, or are downloaded unasked."""
        asked = plan.options[self.name]["sets"].items()
        return {name: own for name, own in asked if own and name not in plan.missing_sources}

    def cases(self, plan: Plan) -> Iterator[Case]:
        """Yield its fits: of each fold every model with every combination of its settings."""
        options = plan.options[self.name]
        for dataset, own in self.sets(plan).items():
            data = self._data(plan, dataset)
            smoothing = own.get("smoothing", SMOOTHING)[0]
            for K, fold, (model, grid) in product(own["K"], range(options["fitted_folds"]), options["models"].items()):
                for values in product(*grid.values()):
                    varied = dict(zip(grid, values, strict=True))
                    method, entry = variant(plan, model, smoothing, FLOORS["paper"], varied)
                    columns = {"dataset": dataset, "K": K, "model": model, **dict.fromkeys(self.varied), **varied}
                    key = FitKey(f"{KEY}-{self.name}-{dataset}", method, K, fold, 0)
                    yield Case(key, {**columns, "fold": fold}, data, entry)

    def _data(self, plan: Plan, dataset: str) -> dict[str, Any]:
        """Return the entry of its dataset."""
        options = plan.options[self.name]
        looks = {"measure": f"{HERE}.measures:measure_starts"}
        looks["arguments"] = {name: options[name] for name in ("starts", "draws")}
        return {**plan.dataset_entry(dataset), **looks, "held_out": "rows", "folds": options["folds"]}


FURTHER = {
    one.name: one
    for one in (
        Further("uci_starts", "UCI sets from several starts"),
        Further("foodmart_starts", "Foodmart from several starts"),
        Further("foodmart_ways", "Foodmart from several values of α", ("first_alpha", "alpha_held")),
        Further("stops", "Stops of fast inference", ("inner_max", "warm")),
        Further("stops_foodmart", "Stops of fast inference on Foodmart", ("inner_max", "warm")),
    )
}


def cases(plan: Plan) -> Iterator[Case]:
    """Yield the fits of all of them."""
    for experiment in FURTHER.values():
        yield from experiment.cases(plan)
