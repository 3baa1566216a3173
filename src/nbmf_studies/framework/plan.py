"""What a study is asked to do in one run: its fits, and what its figures ask the methods for."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from nbmf import registry
from nbmf.catalogue import METHODS, colours_of
from nbmf.fit_key import FitKey
from nbmf.inference.declarations import Inference


class Plan:
    """The configuration of one study, as its declarations see it.

    Attributes
    ----------
    key : str
        Of the study.
    datasets, methods : list of str
        Compared on held-out masks; without `methods`, those of methods.yaml that are comparable.
        Variants that a study or an overlay has for itself are not among them unless it names them,
        in `methods` or in addition to the others in `further_methods`.
    holdout : list of str
        Datasets that no figure or table shows but those that are made on request.
    masks : int
    seeds : list of int
    overrides : dict
        Datasets that have fewer masks, seeds or methods: their `masks`, their `seeds`, and those
        they are `without`, by names or by a kind of inference, such as "sampler".
    unmasked : dict of dict
        unmasked[dataset][method] has K (list of int) and seeds (int).
    options : dict
        What single figures and tables show, by their names.
    missing_sources : dict
        From each dataset whose raw files are not at hand, and are not downloaded unasked, to what
        to do about it, in lines.
    left_out : list of str
        Those of them that the study has: they are neither in `datasets` nor in `holdout` nor in
        `unmasked`.
    without_package : dict
        From each method that the study has, and whose package is not installed, to that package:
        it is not in `methods`.
    """

    def __init__(self, key: str, config: dict[str, Any], missing_sources: Mapping[str, list[str]] | None = None):
        study = self._study = config["studies"][key]
        self.key = key
        self.missing_sources = missing_sources = missing_sources or {}
        named = dict.fromkeys([*study["datasets"], *study["holdout"], *study["unmasked"]])
        self.left_out: list[str] = [name for name in named if name in missing_sources]
        self.datasets: list[str] = [name for name in study["datasets"] if name not in missing_sources]
        self.holdout: list[str] = [name for name in study["holdout"] if name not in missing_sources]
        self._methods: dict[str, dict] = config["methods"]
        self._datasets: dict[str, dict] = config["datasets"]
        methods = (
            study["methods"]
            if "methods" in study
            else self.comparable(name for name in self._methods if name in METHODS)
        )
        wanted = {name: self.entry(name).get("package") for name in methods}
        wanted |= {name: self.entry(name).get("package") for name in study["further_methods"]}
        self.without_package: dict[str, str] = {
            name: package for name, package in wanted.items() if not _is_installed(package)
        }
        self.methods: list[str] = [name for name in wanted if name not in self.without_package]
        self.masks: int = study["masks"]
        self.seeds: list[int] = study["seeds"]
        self.overrides: dict[str, dict] = study["overrides"]
        self.unmasked: dict[str, dict[str, dict]] = {
            dataset: grids for dataset, grids in study["unmasked"].items() if dataset not in missing_sources
        }
        self.options: dict[str, Any] = study["options"]

    @cached_property
    def masked_fits(self) -> list[FitKey]:
        """Every fit to what held-out masks leave of `datasets`."""
        return self.fits_to_masks(self.datasets)

    def fits_to_masks(self, datasets: Iterable[str]) -> list[FitKey]:
        """Return every fit to what held-out masks leave of some datasets."""
        masks = self.masks_of(datasets)
        return [
            FitKey(dataset, method, K, mask, seed)
            for dataset in masks
            for method in self._methods_of(dataset)
            for K in self.entry(method)["K"]
            for mask in range(masks[dataset])
            for seed in self._seeds_of(dataset, method)
        ]

    def left_out_of(self, key: str) -> list[str]:
        """Return what of the study's "datasets" or "holdout" is left out, see `missing_sources`."""
        return [name for name in self._study[key] if name in self.missing_sources]

    def masks_of(self, datasets: Iterable[str]) -> dict[str, int]:
        """Return how many masks each dataset has."""
        return {name: self.overrides.get(name, {}).get("masks", self.masks) for name in datasets}

    def _methods_of(self, dataset: str) -> list[str]:
        """Return the methods that are fitted to a dataset."""
        without = self.overrides.get(dataset, {}).get("without", [])
        return [
            name
            for name in self.methods
            if name not in without and registry.estimator_class(self.entry(name)["class"]).inference not in without
        ]

    def _seeds_of(self, dataset: str, method: str) -> list[int]:
        """Return the seeds of fits to masks; one start is taken of a method that has no others."""
        seeds = self.overrides.get(dataset, {}).get("seeds", self.seeds)
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

    def candidates(self, dataset: str, shown: Mapping[str, int | None] | None = None) -> list[list]:
        """Return method, label and fits to a whole matrix, of all methods or of those given with a K, for BestFits."""
        if shown is None:
            shown = dict.fromkeys(self.unmasked.get(dataset, ()))
        return [
            [method, self.label(method, K), self._unmasked_fits_of(dataset, method, K)] for method, K in shown.items()
        ]

    def _unmasked_fits_of(self, dataset: str, method: str, K: int | None) -> list[FitKey]:
        of_method = [key for key in self.unmasked_fits if (key.dataset, key.method) == (dataset, method)]
        return of_method if K is None else [key for key in of_method if key.K == K]

    @cached_property
    def chains(self) -> list[FitKey]:
        """The unmasked fits of methods that sample."""
        return [key for key in self.unmasked_fits if self.is_sampler(key.method)]

    @cached_property
    def fits(self) -> list[FitKey]:
        """Every fit, to masks and to whole matrices."""
        return self.masked_fits + self.unmasked_fits

    @cached_property
    def unmasked_methods(self) -> list[str]:
        """The methods of unmasked fits, sorted."""
        return sorted({method for grids in self.unmasked.values() for method in grids})

    @cached_property
    def samplers(self) -> list[str]:
        """The methods of unmasked fits that sample, so that seeds are chains to be diagnosed."""
        return [method for method in self.unmasked_methods if self.is_sampler(method)]

    def entry(self, method: str) -> dict[str, Any]:
        """Return the entry of a method: class, label, K, settings ..."""
        return self._methods[method]

    def first_K(self, method: str) -> int:
        """Return the number of components of a method, the first one of its grid."""
        return self.entry(method)["K"][0]

    def variant(self, method: str, K: int | list[int], settings: dict[str, Any]) -> dict[str, Any]:
        """Return the entry of a method with another K, or grid, and some settings replaced; it starts as that does."""
        entry = self.entry(method)
        changed = {"K": K if isinstance(K, list) else [K], "settings": {**entry["settings"], **settings}}
        return {**entry, **changed, "starts_as": entry.get("starts_as", method)}

    def dataset_entry(self, dataset: str) -> dict[str, Any]:
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

    def is_shared(self, method: str) -> bool:
        """Return whether a method is one of methods.yaml, not a variant for a study or overlay."""
        return method in METHODS

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

    def labels_and_colours(self, methods: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return the labels and the colours of several methods, as arguments of a function that draws."""
        methods = list(methods)
        return {"labels": self.labels(methods), "colours": self.colours(methods)}


def _is_installed(package: str | None) -> bool:
    """Whether a package is installed, by the name of its distribution; None always is."""
    try:
        return package is None or bool(version(package))
    except PackageNotFoundError:
        return False
