"""What a figure or table is made from: files of the workflow, and how the job reads them.

A need says which files it is; the workflow knows where they lie and makes them; the job that draws
or tabulates reads them and hands the function what `load` returns. Between the two it travels as
JSON (`description_of`, `need_from`).
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from nbmf.fit_key import FitKey
from nbmf_studies.framework.experiment import Case
from nbmf_studies.framework.loaded import MaskedMatrix, ShownFit

NAMES = ("dataset", "method")  # columns of tables that name something


class Places(Protocol):
    """Where the files of the workflow lie."""

    def matrix(self, dataset: str) -> str:
        """Return the path of a matrix."""

    def mask(self, dataset: str, mask: int) -> str:
        """Return the path of a held-out mask."""

    def report(self, key: FitKey) -> str:
        """Return the path of a fit's report."""

    def factors(self, key: FitKey) -> str:
        """Return the path of an unmasked fit's factors."""

    def table(self, name: str) -> str:
        """Return the path of a table of the same study."""


class Need:
    """Base class: what is needed, as values that JSON can hold."""

    modules: ClassVar[tuple[str, ...]] = ()  # that decide what `load` returns

    def files(self, places: Places) -> list[str]:
        """Return the paths of the files."""
        raise NotImplementedError

    def load(self, files: list[str]) -> Any:
        """Read the files, in the order of `files`."""
        raise NotImplementedError

    def datasets(self) -> list[str]:
        """Return the datasets that have to be built for it, as far as it names them itself."""
        return []


@dataclass(frozen=True)
class Matrix(Need):
    """A matrix: loads as one of its kind, a BinaryMatrix for example."""

    dataset: str
    modules = ("nbmf.data.loading",)

    def files(self, places):
        """Return the paths of the files."""
        return [places.matrix(self.dataset)]

    def load(self, files):
        """Read the files, in the order of `files`."""
        from nbmf.data.loading import load_matrix

        return load_matrix(files[0])

    def datasets(self):
        """Return the datasets that have to be built."""
        return [self.dataset]


@dataclass(frozen=True)
class Matrices(Need):
    """Several matrices by the names they are shown under: loads as a dict.

    shown : list of [name, dataset]
    """

    shown: list[list[str]]
    modules = ("nbmf.data.loading",)

    def files(self, places):
        """Return the paths of the files."""
        return [places.matrix(dataset) for _, dataset in self.shown]

    def load(self, files):
        """Read the files, in the order of `files`."""
        from nbmf.data.loading import load_matrix

        names = [name for name, _ in self.shown]
        return dict(zip(names, map(load_matrix, files), strict=True))

    def datasets(self):
        """Return the datasets that have to be built."""
        return [dataset for _, dataset in self.shown]


@dataclass(frozen=True)
class MaskedMatrices(Need):
    """Matrices with all their masks: loads as an iterator over MaskedMatrix, mask by mask.

    masks : dict, from each dataset to how many it has
    """

    masks: dict[str, int]
    modules = ("nbmf.data.loading", "nbmf.data.masks")

    def files(self, places):
        """Return the paths of the files."""
        return [
            path
            for dataset, count in self.masks.items()
            for path in (places.matrix(dataset), *(places.mask(dataset, number) for number in range(count)))
        ]

    def load(self, files):
        """Read the files, in the order of `files`."""
        from nbmf.data.loading import load_matrix
        from nbmf.data.masks import load_mask

        waiting = iter(files)
        for dataset, count in self.masks.items():
            matrix = load_matrix(next(waiting))
            for number in range(count):
                yield MaskedMatrix(dataset, number, matrix, load_mask(next(waiting), matrix))

    def datasets(self):
        """Return the datasets that have to be built."""
        return list(self.masks)


@dataclass(frozen=True)
class TableOf(Need):
    """Another table of the same study: loads as a DataFrame."""

    name: str

    def files(self, places):
        """Return the paths of the files."""
        return [places.table(self.name)]

    def load(self, files):
        """Read the files, in the order of `files`."""
        import pandas as pd

        table = pd.read_csv(files[0])
        if names := [name for name in NAMES if name in table]:  # a dataset may be called 2019, or NA
            table[names] = pd.read_csv(files[0], usecols=names, dtype=str, keep_default_na=False)[names]
        return table


def tables(*names: str, **names_of: str) -> Callable[[Any], dict[str, Need]]:
    """Return the `needs` of what is made from tables of the same study, by their names or by roles of its own."""
    needed = {name: TableOf(name) for name in names} | {role: TableOf(name) for role, name in names_of.items()}
    return lambda plan: needed


@dataclass(frozen=True)
class Reports(Need):
    """The reports of fits: loads as a list of (columns of the key, path), for score tables."""

    keys: list[FitKey]

    def files(self, places):
        """Return the paths of the files."""
        return [places.report(key) for key in self.keys]

    def load(self, files):
        """Read the files, in the order of `files`."""
        return [(FitKey(*key).columns(), file) for key, file in zip(self.keys, files, strict=True)]


@dataclass(frozen=True)
class Cases(Need):
    """The reports of an experiment's cases: loads as a list of (columns of the case, path)."""

    columns: list[dict[str, Any]]
    keys: list[FitKey]

    @classmethod
    def of(cls, cases: Iterable[Case]) -> Self:
        """Return the need of some cases."""
        cases = list(cases)
        return cls([case.columns for case in cases], [case.key for case in cases])

    def files(self, places):
        """Return the paths of the files."""
        return [places.report(key) for key in self.keys]

    def load(self, files):
        """Read the files, in the order of `files`."""
        return list(zip(self.columns, files, strict=True))

    def datasets(self):
        """Return the datasets that have to be built."""
        return list(dict.fromkeys(key.dataset for key in self.keys))


@dataclass(frozen=True)
class BestFits(Need):
    """Of several methods the unmasked fit with the smallest loss: loads as a list of ShownFit.

    candidates : list of [method, label, keys]: what it is called, and the fits of all its seeds
    """

    candidates: list[list]
    modules = ("nbmf.evaluation.score_table",)

    def files(self, places):
        """Return the paths of the files."""
        return [
            path for _, _, keys in self.candidates for key in keys for path in (places.report(key), places.factors(key))
        ]

    def load(self, files):
        """Read the files, in the order of `files`."""
        from nbmf.evaluation.score_table import best_fit
        from nbmf.files import read_arrays

        waiting, shown = iter(files), []
        for method, label, keys in self.candidates:
            pairs = [(next(waiting), next(waiting)) for _ in keys]
            factors = dict(pairs)
            path, report = best_fit(list(factors))
            print(f"{label}: {path}, D = {report['loss']:.1f}")
            arrays_of_fit = read_arrays(factors[path], "factors")
            arrays = {name: arrays_of_fit.get(name) for name in ("W", "H", "expectation")}
            numbers = report["loss"], report["active_components"]
            shown.append(ShownFit(method, label, *numbers, **arrays))
        return shown


KINDS = {kind.__name__: kind for kind in Need.__subclasses__()}


def description_of(need: Need) -> list:
    """Return a need as what JSON can hold: its kind and its values."""
    return [type(need).__name__, dataclasses.asdict(need)]


def need_from(description: list) -> Need:
    """Return the need that `description_of` has described."""
    kind, values = description
    return KINDS[kind](**values)
