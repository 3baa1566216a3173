"""Perplexity of tables in which some of the held-out entries are flipped (section 6.4.2)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from nbmf.data.feature_table import FeatureTable
from nbmf.seeds import seed_sequence
from nbmf_studies.shan2009 import models
from nbmf_studies.shan2009.models import Setting


def flips(
    table: FeatureTable,
    dataset: str,
    K: int,
    names: list[str],
    smoothing: float,
    protocol: dict[str, Any],
    log: Callable[[str], None] = print,
) -> pd.DataFrame:
    """Fit models to what folds of entries leave, and flip more and more of the held-out ones.

    The perplexity is that of all entries together, (X_train, X_test). Flips are nested: a level
    has those of the one below.

    Parameters
    ----------
    table : FeatureTable
        Of Bernoulli features.
    dataset, K, names, smoothing, log
        As of fits.cross_validate.
    protocol : dict
        folds, of entries; starts, as there; steps, list of shares of the held-out entries that one
        level more flips; levels, their number beside that without a flip.

    Returns
    -------
    DataFrame
        A row per model, fold, step and level: dataset, K, model, fold, step, level, flipped
        (entries), perplexity.
    """
    order = np.random.default_rng(seed_sequence("shan2009", "flips", dataset))
    order = order.permutation(table.cells.size)
    rows, folds = [], protocol["folds"]
    for fold in range(folds):
        held_out = order[fold::folds]
        known = np.ones(table.cells.size, bool)
        known[held_out] = False
        for name in names:
            training = models.seen_by(name, models.take_cells(table, known))
            seen = models.without_unseen(training, training)[0]
            key = dataset, K, "entries", fold
            fit = models.fitted(seen, Setting(name, K, smoothing), key, protocol["starts"])
            for step in protocol["steps"]:
                for level in range(protocol["levels"] + 1):
                    count = round(level * step * held_out.size)
                    whole = models.seen_by(name, flipped(table, held_out[:count]))
                    whole = models.without_unseen(training, whole)[1]
                    row = {"dataset": dataset, "K": K, "model": name, "fold": fold}
                    row |= {"step": step, "level": level, "flipped": count}
                    rows.append(row | {"perplexity": fit.evaluate(whole).perplexity})
            log(f"{dataset}, fold {fold}, {name}: {row['step']}, {rows[-1]['perplexity']:.6g}")
    return pd.DataFrame(rows)


def flipped(table: FeatureTable, places: np.ndarray) -> FeatureTable:
    """Return a table with the cells at some places flipped, 1 to 0 and 0 to 1."""
    cells = table.cells.copy()
    cells[places] = 1 - cells[places]
    return replace(table, cells=cells)
