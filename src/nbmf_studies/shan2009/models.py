"""The models of the study, how each is fitted, and the tables they are fitted to."""

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nbmf.data.feature_columns import WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.errors import CollapsedWarning, ConstantFeatureWarning, NotConvergedWarning
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.seeds import seed_sequence

WARM_UP = 30  # rows that a model is compiled on before its time is taken


class Kind(NamedTuple):
    """How a model of the study is fitted.

    model : str, of FeatureModel
    documents : bool, whether rows are documents; of a binary table the ones are words
    inner_max : int, rounds of an E-step
    """

    model: str
    documents: bool = False
    inner_max: int = 100


MODELS = {
    "mnb": Kind("mnb"),
    "mmnb": Kind("mmnb"),
    "fast-mmnb": Kind("fast-mmnb"),
    "fast-mmnb-5": Kind("fast-mmnb", inner_max=5),
    "unigrams": Kind("mnb", documents=True),
    "lda": Kind("mmnb", documents=True),
    "fast-lda": Kind("fast-mmnb", documents=True),
    "fast-lda-5": Kind("fast-mmnb", documents=True, inner_max=5),
}
LABELS = {
    "mnb": "MNB",
    "mmnb": "MMNB",
    "fast-mmnb": "Fast MMNB",
    "fast-mmnb-5": "Fast MMNB, 5 rounds",
    "unigrams": "mixture of unigrams",
    "lda": "LDA",
    "fast-lda": "Fast LDA",
    "fast-lda-5": "Fast LDA, 5 rounds",
}


class Setting(NamedTuple):
    """What a model is fitted with.

    name : str, of MODELS
    K : int
    smoothing : float, ε
    floors : (float, float), variance_floor and relative_floor of Gaussian features
    """

    name: str
    K: int
    smoothing: float = 0.1
    floors: tuple[float, float] = (1e-13, 0.0)

    def made(self, seed: np.random.SeedSequence | int, **settings) -> FeatureModel:
        """Return the model that is to be fitted."""
        kind = MODELS[self.name]
        return FeatureModel(
            self.K,
            model=kind.model,
            smoothing=self.smoothing,
            variance_floor=self.floors[0],
            relative_floor=self.floors[1],
            inner_max=kind.inner_max,
            random_state=seed,
            **settings,
        )


def fitted(table: FeatureTable, setting: Setting, key: tuple, starts: int) -> FeatureModel:
    """Return the fit with the largest objective of some starts.

    Parameters
    ----------
    table : FeatureTable
        As `seen_by` returns it.
    key : tuple of str and int
        Of the random streams, beside the number of the start: models with the same key start from
        the same rows.
    """
    with quiet():
        fits = [setting.made(seed_sequence("shan2009", "fit", *key, start)).fit(table) for start in range(starts)]
    return max(fits, key=lambda fit: fit.objective_)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Leave out the warnings of what tables of the study have columns for."""
    with warnings.catch_warnings():
        for one in (CollapsedWarning, ConstantFeatureWarning, NotConvergedWarning):
            warnings.simplefilter("ignore", one)
        yield


def warm_up(table: FeatureTable, names: list[str]) -> None:
    """Fit models to a few rows, so that no compilation is in the time of what comes."""
    some = table.take_rows(np.arange(min(WARM_UP, table.shape[0])))
    with quiet():
        for name in names:
            part = seen_by(name, without_unseen(some, some)[0])
            Setting(name, 2).made(0, max_iter=2).fit(part).evaluate(part, n_draws=4)


# --- Tables -----------------------------------------------------------------------------------


def seen_by(name: str, table: FeatureTable) -> FeatureTable:
    """Return what a model sees of a table: of a binary one LDA sees the ones, as words."""
    if not MODELS[name].documents or WORD in table.kinds:
        return table
    ones = take_cells(table, table.cells == 1)
    kinds = np.full(ones.kinds.size, WORD)
    return replace(ones, kinds=kinds, sizes=np.zeros(kinds.size, int), categories=np.array([], str))


def take_cells(table: FeatureTable, chosen: np.ndarray) -> FeatureTable:
    """Return the table of some cells, bool (cells,); the others are missing."""
    sizes = np.bincount(table.row_of_cell()[chosen], minlength=table.shape[0])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return replace(table, cells=table.cells[chosen], columns=table.columns[chosen], starts=starts)


def without_unseen(training: FeatureTable, *others: FeatureTable) -> list[FeatureTable]:
    """Return tables without the columns that have no cell in the first of them.

    Nothing can be learned of such a feature. Words stay: smoothing gives each a probability.
    """
    seen = np.bincount(training.columns, minlength=training.shape[1]) > 0
    if seen.all() or WORD in training.kinds:
        return [training, *others]
    return [_with_columns(table, seen) for table in (training, *others)]


def _with_columns(table: FeatureTable, kept: np.ndarray) -> FeatureTable:
    part = take_cells(table, kept[table.columns])
    return replace(
        part,
        columns=(np.cumsum(kept) - 1)[part.columns],
        kinds=table.kinds[kept],
        sizes=table.sizes[kept],
        categories=table.categories[np.repeat(kept, table.sizes)],
        column_names=table.column_names[kept],
    )
