"""What the cases of a study's experiments have found, as one table."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd


def results(fits: Iterable[tuple[dict[str, Any], str]]) -> pd.DataFrame:
    """Return a row per case: its columns, perplexity (nats), seconds, and what was measured."""
    rows = []
    for columns, path in fits:
        report = read_report(path)
        scores = {name: report[name] for name in ("perplexity", "seconds")}
        rows.append({**columns, **scores, **report.get("measures", {})})
    return pd.DataFrame(rows)


def traces(fits: Iterable[tuple[dict[str, Any], str]]) -> pd.DataFrame:
    """Return a row per case and point of its trace: its columns, iteration, seconds (CPU), what was observed."""
    parts = []
    for columns, path in fits:
        trace = pd.DataFrame(read_report(path)["trace"], dtype=float).dropna(subset="cpu_seconds")
        trace = trace.drop(columns=["perplexity", "objective", "active_components"])
        trace = trace.astype({"iteration": int}).rename(columns={"cpu_seconds": "seconds"})
        parts.append(pd.DataFrame({**columns, **trace}))
    return pd.concat(parts, ignore_index=True)


def read_report(path: str) -> dict[str, Any]:
    """Return the report of a fit."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
