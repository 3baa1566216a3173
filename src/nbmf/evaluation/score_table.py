"""The tidy table of scores, from which all figures and claims are made, and its summary."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pandas as pd

from nbmf.errors import DataError
from nbmf.files import atomic_path

FACTS = [
    "n_test",
    "perplexity",
    "loss",
    "unit",
    "saturated",
    "seconds",
    "n_iter",
    "converged",
    "active_components",
    "W_min",
    "W_max",
    "status",
    "settings",
]
FURTHER = ["brier"]  # of a report's further scores, those that are one number
CALIBRATION = ["bin", "entries", "mean_p", "share_of_ones"]
TRACE = ["iteration", "perplexity", "objective", "active_components"]


def gather_scores(fits: Iterable[tuple[dict, str | os.PathLike]]) -> pd.DataFrame:
    """Return one row per fit: the columns of its key, then FACTS and FURTHER.

    What a likelihood does not score is missing: `brier` of LDA, whose score is per token.

    Parameters
    ----------
    fits : iterable of (dict, path)
        The key of each fit (dataset, method, K and so on) and its file.

    Raises
    ------
    DataError
        If a file is damaged; the message names it.
    """
    table = pd.DataFrame([{**key, **_read_scores(path)} for key, path in fits])
    settings = [json.dumps(values, sort_keys=True) for values in table["settings"]]
    return table.assign(settings=settings)


def with_gaps(scores: pd.DataFrame, gaps: Iterable[tuple[dict, str]]) -> pd.DataFrame:
    """Return `scores` with a row for each fit that is not there: its key and, as status, why."""
    rows = [{**key, "status": status} for key, status in gaps]
    return pd.concat([scores, pd.DataFrame(rows)], ignore_index=True)[scores.columns]


def gather_traces(fits: Iterable[tuple[dict, str | os.PathLike]]) -> pd.DataFrame:
    """Return one row per fit and recorded iteration: the columns of the key, then the trace.

    Arguments and errors as for `gather_scores`.
    """
    parts = [_read_trace(path).assign(**key) for key, path in fits]
    traces = pd.concat(parts, ignore_index=True)
    keys = [name for name in traces.columns if name not in TRACE]
    return traces[keys + TRACE]


def gather_calibration(fits: Iterable[tuple[dict, str | os.PathLike]]) -> pd.DataFrame:
    """Return one row per fit and bin of its predicted probabilities of a one.

    Arguments and errors as for `gather_scores`.

    Returns
    -------
    DataFrame
        The columns of the key, then CALIBRATION: `bin` (0 for the smallest probabilities),
        `entries` (how many were predicted there), `mean_p` (of these predictions) and
        `share_of_ones` (observed among them). Bins without an entry are left out, and fits whose
        likelihood does not predict probabilities of a one.
    """
    parts = [(key, _read_calibration(path)) for key, path in fits]
    rows = [{**key, **bin_} for key, bins in parts for bin_ in bins]
    keys = dict.fromkeys(name for key, _ in parts for name in key)
    return pd.DataFrame(rows, columns=[*keys, *CALIBRATION])


def _read_scores(path: str | os.PathLike) -> dict:
    """Return FACTS and FURTHER of the file of a fit."""
    scores = _read(path, [*FACTS, "further_scores"])
    further = scores.pop("further_scores")
    with _naming(path):
        return scores | {name: dict(further).get(name) for name in FURTHER}


def _read_calibration(path: str | os.PathLike) -> list[dict]:
    """Return the bins of a fit that have an entry, each with CALIBRATION."""
    further = _read(path, ["further_scores"])["further_scores"]
    with _naming(path):
        bins = dict(further).get("calibration", {"entries": [], "sum_p": [], "ones": []})
        counted = zip(bins["entries"], bins["sum_p"], bins["ones"], strict=True)
        return [
            dict(zip(CALIBRATION, (i, n, sum_p / n, ones / n), strict=True))
            for i, (n, sum_p, ones) in enumerate(counted)
            if n
        ]


def _read(path: str | os.PathLike, names: list[str]) -> dict:
    """Return the named parts of the file of a fit."""
    with _naming(path), open(path, encoding="utf-8") as file:
        content = json.load(file)
        return {name: content[name] for name in names}


def _read_trace(path: str | os.PathLike) -> pd.DataFrame:
    """Return the trace of a fit, columns TRACE."""
    trace = _read(path, ["trace"])["trace"]
    with _naming(path):
        return pd.DataFrame({name: trace[name] for name in TRACE})


@contextmanager
def _naming(path: str | os.PathLike) -> Iterator[None]:
    """Turn an error about the content of a fit's file into one that names the file."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a whole report of a fit ({error!r}); remove it and run again") from error


def summarise(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the quartiles of the log loss (column perplexity), and median seconds, per dataset, method and K.

    The order of rows is that of their first appearance in `scores`.
    """
    groups = scores.groupby(["dataset", "method", "K"], sort=False)
    quartiles = groups["perplexity"].quantile([0.25, 0.5, 0.75]).unstack()
    quartiles = quartiles.reindex(groups.size().index)  # unstack has its own order of K
    quartiles.columns = ["lower_quartile", "median", "upper_quartile"]
    return quartiles.assign(
        fits=groups.size(),
        unit=groups["unit"].first(),
        saturated=groups["saturated"].sum(),
        not_converged=groups["status"].agg(lambda status: int((status != "ok").sum())),
        active_components=groups["active_components"].median(),
        seconds=groups["seconds"].median(),
    ).reset_index()


def summarise_unmasked(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the spread of D(V|V^) and of active components over seeds, per dataset, method, K.

    `best_seed` is the seed with the smallest D(V|V^), the one that figures show.
    """
    groups = scores.groupby(["dataset", "method", "K"], sort=False)
    return pd.DataFrame(
        {
            "seeds": groups.size(),
            "min_loss": groups["loss"].min(),
            "median_loss": groups["loss"].median(),
            "max_loss": groups["loss"].max(),
            "min_active": groups["active_components"].min(),
            "median_active": groups["active_components"].median(),
            "max_active": groups["active_components"].max(),
            "best_seed": scores.loc[groups["loss"].idxmin()].set_index(["dataset", "method", "K"])["seed"],
            "seconds": groups["seconds"].median(),
        }
    ).reset_index()


def best_fit(paths: Iterable[str]) -> tuple[str, dict]:
    """Return the path and report (loss, active_components) of the fit with the smallest loss."""
    reports = {path: _read(path, ["loss", "active_components"]) for path in paths}
    path = min(reports, key=lambda path: reports[path]["loss"])
    return path, reports[path]


def write_table(path: str | os.PathLike, table: pd.DataFrame, float_format: str | None = None) -> None:
    """Write a table as CSV, atomically; `float_format` as of `DataFrame.to_csv`."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, index=False, float_format=float_format)
