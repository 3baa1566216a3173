"""The tidy table of scores, from which all figures and claims are made, and its summary."""

import json
import os
from collections.abc import Iterable

import pandas as pd

from nbmf.errors import DataError

KEY = ["dataset", "method", "K", "mask", "seed"]
FACTS = [
    "n_test",
    "perplexity",
    "unit",
    "saturated",
    "seconds",
    "n_iter",
    "converged",
    "active_components",
    "status",
]


def gather_scores(fits: Iterable[tuple[dict, str | os.PathLike]]) -> pd.DataFrame:
    """Return one row per fit from its key and its file.

    Raises
    ------
    DataError
        If a file is no complete fit; the message names it.
    """
    rows = []
    for key, path in fits:
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            rows.append({**key, **{fact: content[fact] for fact in FACTS}})
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{path}: not a complete fit ({error!r}); remove it and run again"
            ) from error
    return pd.DataFrame(rows, columns=KEY + FACTS)


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the quartiles of perplexity, and median seconds, per dataset, method and K.

    The order of datasets and methods is that of `scores`.
    """
    groups = scores.groupby(["dataset", "method", "K"], sort=False)
    quartiles = groups["perplexity"].quantile([0.25, 0.5, 0.75]).unstack()
    quartiles.columns = ["lower_quartile", "median", "upper_quartile"]
    return quartiles.assign(
        fits=groups.size(),
        unit=groups["unit"].first(),
        saturated=groups["saturated"].sum(),
        not_converged=groups["status"].agg(lambda status: int((status != "ok").sum())),
        active_components=groups["active_components"].median(),
        seconds=groups["seconds"].median(),
    ).reset_index()
