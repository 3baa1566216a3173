"""What a study is asked to do in one run: its fits, and what its figures ask the methods for."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from nbmf import registry
from nbmf.catalogue import METHODS, colours_of
from nbmf.inference.declarations import Inference
from nbmf.studies.keys import FitKey


class Plan:
    """The configuration of one study, as its declarations see it.

    Attributes
    ----------
    key : str
        Of the study.
    datasets, methods : list of str
        Compared on held-out masks; without `methods`, those of methods.yaml that are comparable.
        Variants that a study or an overlay has for itself are not among them unless it names them.
    masks : int
    seeds : list of int
    fewer : dict
        Datasets that have fewer masks or seeds, and their `masks` and `seeds`.
    unmasked : dict of dict
        unmasked[dataset][method] has K (list of int) and seeds (int).
    options : dict
        What single figures and tables show, by their names.
    awaited : dict
        From each dataset whose raw files are not at hand, and are not downloaded unasked, to what
        to do about it, in lines.
    left_out : list of str
        Those of them that the study has: they are neither in `datasets` nor in `unmasked`.
    """

    def __init__(
        self, key: str, config: dict[str, Any], awaited: Mapping[str, list[str]] | None = None
    ):
        study = config["studies"][key]
        self.key = key
        self.awaited = awaited = awaited or {}
        named = dict.fromkeys([*study["datasets"], *study["unmasked"]])
        self.left_out: list[str] = [name for name in named if name in awaited]
        self.datasets: list[str] = [name for name in study["datasets"] if name not in awaited]
        self._methods: dict[str, dict] = config["methods"]
        self._datasets: dict[str, dict] = config["datasets"]
        self.methods: list[str] = (
            study["methods"]
            if "methods" in study
            else self.comparable(name for name in self._methods if name in METHODS)
        )
        self.masks: int = study["masks"]
        self.seeds: list[int] = study["seeds"]
        self.fewer: dict[str, dict] = study["fewer"]
        self.unmasked: dict[str, dict[str, dict]] = {
            dataset: grids for dataset, grids in study["unmasked"].items() if dataset not in awaited
        }
        self.options: dict[str, Any] = study["options"]

    @cached_property
    def masked_fits(self) -> list[FitKey]:
        """Every fit to what held-out masks leave."""
        return [
            FitKey(dataset, method, K, mask, seed)
            for dataset in self.datasets
            for method in self.methods
            for K in self.entry(method)["K"]
            for mask in range(self.fewer.get(dataset, {}).get("masks", self.masks))
            for seed in self._seeds_of(dataset, method)
        ]

    def _seeds_of(self, dataset: str, method: str) -> list[int]:
        """Return the seeds of fits to masks; one start is taken of a method that has no others."""
        seeds = self.fewer.get(dataset, {}).get("seeds", self.seeds)
        inference = registry.estimator_class(self.entry(method)["class"]).inference
        return seeds[:1] if inference is Inference.POINT else seeds

    @cached_property
    def unmasked_fits(self) -> list[FitKey]:
        """Every fit to a whole matrix."""
        return [
            FitKey(dataset, method, K, None, seed)
            for dataset, grids in self.unmasked.items()
            for method, grid in grids.items()
            for K in grid["K"]
            for seed in range(grid["seeds"])
        ]

    @cached_property
    def fits(self) -> list[FitKey]:
        """All of them."""
        return self.masked_fits + self.unmasked_fits

    @cached_property
    def unmasked_methods(self) -> list[str]:
        """The methods of unmasked fits, sorted."""
        return sorted({method for grids in self.unmasked.values() for method in grids})

    @cached_property
    def samplers(self) -> list[str]:
        """Those of them that sample, so that seeds are chains to be diagnosed."""
        return [method for method in self.unmasked_methods if self.is_sampler(method)]

    def entry(self, method: str) -> dict[str, Any]:
        """Return the entry of a method: class, label, K, settings ..."""
        return self._methods[method]

    def settings_of_dataset(self, dataset: str) -> dict[str, Any]:
        """Return the entry of a dataset."""
        return self._datasets[dataset]

    def names(self, kind: str) -> list[str]:
        """Return every name of a kind ("methods" or "datasets") that the configuration has."""
        return list({"methods": self._methods, "datasets": self._datasets}[kind])

    def is_sampler(self, method: str) -> bool:
        """Return whether a method samples."""
        return registry.is_sampler(self.entry(method)["class"])

    def comparable(self, methods: Iterable[str]) -> list[str]:
        """Return the methods that are scored per held-out entry of the same kind of matrix.

        The kind is that of the first of them: a method of counts is no rival on binary data.
        """
        classes = {name: self.entry(name)["class"] for name in methods}
        kinds = {
            name: registry.estimator_class(class_name).likelihoods[0].matrix
            for name, class_name in classes.items()
            if registry.scores_entries(class_name)
        }
        first = next(iter(kinds.values()), None)
        return [name for name, kind in kinds.items() if kind is first]

    def estimator(self, method: str) -> Any:
        """Return an estimator with the first K and the settings of a method."""
        entry = self.entry(method)
        return registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])

    def label(self, method: str, K: int | None = None) -> str:
        """Return the name of a method in figures, with its K where that was chosen: bICA-8."""
        label = self.entry(method)["label"]
        chosen = K is not None and not self.estimator(method).finds_components
        return f"{label}-{K}" if chosen else label

    def labels(self, methods: Iterable[str]) -> dict[str, str]:
        """Return the names of several methods, without K."""
        return {method: self.label(method) for method in methods}

    def colours(self, methods: Iterable[str]) -> dict[str, str]:
        """Return the colours of several methods (hexadecimal)."""
        every = colours_of(self._methods)
        return {method: every[method] for method in methods}
