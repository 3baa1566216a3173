"""Whether a run repeats another: every row of its scores is compared with that of a reference folder."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from nbmf.errors import DataError, NbmfError

# The tables of a study that are compared, and what names a row.
KEYS = {
    "scores": ["dataset", "method", "K", "mask", "seed", "settings"],
    "unmasked_scores": ["dataset", "method", "K", "seed", "settings"],
}
GROUP = ["table", "dataset", "method", "K"]
NUMBERS = ["perplexity", "loss", "active_components", "n_iter", "n_test", "saturated", "W_min", "W_max"]
# Numbers that references of earlier versions lack: compared where the reference has them.
LATER = ["brier"]
SIDES = {"both": "both", "left_only": "only here", "right_only": "only in the reference"}

# The same versions on the same family of CPUs give the same bits. Elsewhere variational methods
# and logPCA differ by rounding, and samplers draw other samples from the same distribution: then the medians
# over masks have to agree.
IDENTICAL = 1e-12
ROUNDING = 1e-3
MEDIANS = 0.02

LISTED = 20  # rows of an error message; the log has them all


def read_tables(folder: str | os.PathLike) -> dict[str, pd.DataFrame]:
    """Read the tables of scores in a folder, by the names of KEYS, which are those of their files.

    Raises
    ------
    DataError
        If the folder has none of them.
    """
    tables = {}
    for table in KEYS:
        path = Path(folder) / f"{table}.csv"
        if path.is_file():
            tables[table] = pd.read_csv(path)
    if not tables:
        raise DataError(f"{folder}: no table of scores ({', '.join(f'{table}.csv' for table in KEYS)})")
    return tables


def compare_runs(ours: dict[str, pd.DataFrame], theirs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Put each row of a run next to its partner in a reference.

    Parameters
    ----------
    ours, theirs : dict of str to DataFrame
        As `read_tables` gives them. A table that only one side has is one without partners.

    Returns
    -------
    DataFrame
        A row per fit of either side: `table`, the key of the fit (`mask` is missing for fits
        without held-out entries), `side` ("both", "only here" or "only in the reference"),
        `largest` (the largest relative difference of NUMBERS, and of those of LATER that the
        reference has) and `worst` (of which of them), and `perplexity` and `perplexity_reference`,
        nats per entry (or token).

    Raises
    ------
    DataError
        If a table lacks a column, has settings that are no JSON or two rows of one key.
    """
    parts = [_match(table, ours.get(table), theirs.get(table)) for table in KEYS if table in ours or table in theirs]
    return pd.concat(parts, ignore_index=True)


def describe_uncompared(theirs: dict[str, pd.DataFrame]) -> list[str]:
    """Return in words which numbers are not compared, since the reference does not have them."""
    return [
        f"{table}: {name} is not compared, the reference has no such column"
        for table, frame in theirs.items()
        for name in LATER
        if name not in _numbers(frame)
    ]


def summarise_comparison(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what `compare_runs` found, per table, dataset, method and K.

    Returns
    -------
    DataFrame
        `fits` compared, how many of them are `identical` (all numbers within 1e-12), the largest
        relative difference, that of the medians of perplexity, rows `only_here` and
        `only_in_reference`, and the `result`: "identical" (every fit), "rounding" (every
        perplexity within 1e-3), "same median" (within 2 %), "differs", or "no partner".
    """
    return pd.DataFrame(
        [{**dict(zip(GROUP, key, strict=True)), **_summarise(group)} for key, group in rows.groupby(GROUP, sort=False)]
    )


def counts(rows: pd.DataFrame) -> str:
    """Return how many rows of each table are identical, as "267 of 267" of each."""
    parts = [f"{int(_identical(group).sum())} of {len(group)}" for _, group in rows.groupby("table", sort=False)]
    return f"{' and '.join(parts) or '0 of 0'} rows identical"


def unmatched_keys(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the keys of the rows that only one side has, and which side that is."""
    alone = rows[rows["side"] != "both"]
    return alone[["side", "table", *KEYS["scores"]]]


def require_repeated(rows: pd.DataFrame) -> None:
    """Raise NbmfError where a run is no repetition: another likelihood, or nothing to compare."""
    if not (rows["side"] == "both").any():
        raise NbmfError("no fit of this run is in the reference: other datasets, methods, K, masks, seeds or settings")
    table = summarise_comparison(rows)
    different = table[table["result"] == "differs"]
    if not different.empty:
        raise NbmfError(f"scores differ from the reference:\n{different.to_string(index=False)}")


def require_identical(rows: pd.DataFrame) -> None:
    """Raise NbmfError unless every row of either side has an identical partner."""
    other = rows[~_identical(rows)]
    if rows.empty or not other.empty:
        lines = [_line(row) for row in other.head(LISTED).itertuples()]
        more = [f"and {len(other) - LISTED} more"] if len(other) > LISTED else []
        raise NbmfError("\n".join([counts(rows), *lines, *more]))


def _match(table: str, ours: pd.DataFrame | None, theirs: pd.DataFrame | None) -> pd.DataFrame:
    """Compare one table; None is one that is not there."""
    key, numbers = KEYS[table], _numbers(theirs)
    left, right = (
        _canonical(frame, table, where, numbers) for frame, where in ((ours, "this run"), (theirs, "the reference"))
    )
    both = left.merge(right, on=key, how="outer", sort=False, suffixes=("", "_reference"), indicator="side")
    differences = pd.DataFrame({name: _relative(both[name], both[f"{name}_reference"]) for name in numbers})
    worst = differences.idxmax(axis=1) if len(both) else pd.Series(dtype=str)
    return both.assign(
        table=table,
        mask=both["mask"] if "mask" in key else pd.NA,
        side=both["side"].astype(str).map(SIDES),
        largest=differences.max(axis=1),
        worst=worst,
    )[["table", *KEYS["scores"], "side", "largest", "worst", "perplexity", "perplexity_reference"]]


def _numbers(theirs: pd.DataFrame | None) -> list[str]:
    """Return the numbers that are compared with those of a table of the reference."""
    return NUMBERS + [name for name in LATER if theirs is not None and name in theirs.columns]


def _canonical(frame: pd.DataFrame | None, table: str, where: str, numbers: list[str]) -> pd.DataFrame:
    """Return the key, with settings in one spelling, and the numbers of a table."""
    key = KEYS[table]
    if frame is None:
        frame = pd.DataFrame(columns=[*key, *numbers])
    missing = [name for name in (*key, *numbers) if name not in frame.columns]
    if missing:
        raise DataError(f"{table} of {where}: lacks the columns {', '.join(missing)}")
    try:
        frame = frame.assign(settings=_parsed(frame["settings"]))
        integers = [name for name in key if name in ("K", "mask", "seed")]
        frame = frame.astype(dict.fromkeys(numbers, float) | dict.fromkeys(integers, int))
    except (ValueError, TypeError) as error:
        raise DataError(f"{table} of {where}: not a table of scores ({error})") from error
    repeated = frame[frame.duplicated(key)]
    if not repeated.empty:
        line = _key_text(next(repeated.itertuples()))
        raise DataError(f"{table} of {where}: two rows of one fit ({line})")
    return frame[[*key, *numbers]]


def _parsed(settings: Iterable[str]) -> list[str]:
    """Return JSON texts in one spelling: keys sorted, 1.0 as 1."""
    return [json.dumps(_plain(json.loads(text)), sort_keys=True) for text in settings]


def _plain(value):
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _relative(ours: pd.Series, theirs: pd.Series) -> np.ndarray:
    """Return the differences relative to the larger; infinite where only one is a number."""
    ours, theirs = ours.to_numpy(float), theirs.to_numpy(float)
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.abs(ours - theirs) / np.maximum(np.abs(ours), np.abs(theirs))
    return np.where(same, 0.0, np.where(np.isnan(difference), np.inf, difference))


def _identical(rows: pd.DataFrame) -> pd.Series:
    return (rows["side"] == "both") & (rows["largest"] <= IDENTICAL)


def _summarise(group: pd.DataFrame) -> dict:
    """Return the summary of the rows of one table, dataset, method and K."""
    fits = group[group["side"] == "both"]
    ours, theirs = fits["perplexity"], fits["perplexity_reference"]
    medians = float(_relative_to_reference(ours.median(), theirs.median()))
    summary = {
        "fits": len(fits),
        "identical": int(_identical(fits).sum()),
        "largest": fits["largest"].max(),
        "medians": medians,
        "only_here": int((group["side"] == SIDES["left_only"]).sum()),
        "only_in_reference": int((group["side"] == SIDES["right_only"]).sum()),
    }
    return {**summary, "result": _result(summary, _relative(ours, theirs), medians)}


def _relative_to_reference(ours: float, theirs: float) -> float:
    return 0.0 if ours == theirs else abs((ours - theirs) / theirs) if theirs else np.inf


def _result(counts_of_group: dict, perplexities: np.ndarray, medians: float) -> str:
    if not counts_of_group["fits"]:
        return "no partner"
    if counts_of_group["identical"] == counts_of_group["fits"]:
        return "identical"
    if perplexities.max() <= ROUNDING:
        return "rounding"
    return "same median" if medians <= MEDIANS else "differs"


def _line(row) -> str:
    """Return one row of `compare_runs` in words."""
    if row.side == "both":
        return f"{row.table}, {_key_text(row)}: {row.worst} differs by {row.largest:.3g} of itself"
    return f"{row.table}, {_key_text(row)}, settings {row.settings}: {row.side}"


def _key_text(row) -> str:
    mask = getattr(row, "mask", None)
    masked = [] if mask is None or pd.isna(mask) else [f"mask {mask}"]
    return ", ".join([row.dataset, row.method, f"K {row.K}", *masked, f"seed {row.seed}"])
