"""The table: what the default and stacking lose or gain against each rival, over matrices, and on single ones."""

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import holm, interval
from nbmf_studies.trials.outcome import LIBRARY, MethodResult, results_by_matrix

LEVEL = 0.05
COLUMNS = (
    "ours",
    "kind",
    "rival",
    "label",
    "matrices",
    "lower_by",
    "low",
    "high",
    "p",
    "p_holm",
    "smaller_loss",
    "significantly_better",
    "significantly_worse",
)


def compare(
    scores: pd.DataFrame, baselines: pd.DataFrame, labels: dict[str, str], library: list[str], ours: list[str], **_
) -> pd.DataFrame:
    """Return a row for each of our methods and each other method or baseline.

    Parameters
    ----------
    scores, baselines, labels, library
        As for `nbmf_studies.trials.outcome.tabulate`.
    ours : list of str
        The methods under test.

    Returns
    -------
    DataFrame
        COLUMNS. `lower_by` is one minus the geometric mean over matrices of our mean loss over that of the rival: the
        proportion by which ours is lower; `low` and `high` are the ends of its 95 % t-interval over matrices, and `p`
        belongs to it. `p_holm` is adjusted for all rivals of one of ours that are no methods of the library (Holm
        1979), apart from those that are. `smaller_loss` counts matrices on which our mean loss is smaller,
        `significantly_better` and `_worse` those on which the paired difference over masks is significant (Nadeau and
        Bengio 2003), adjusted for all matrices and all such rivals together.
    """
    results = results_by_matrix(scores, baselines, labels, library)
    ratios = {}
    for dataset in results:
        sizes = baselines[baselines["dataset"] == dataset]
        ratios[dataset] = sizes["n_test"].mean() / sizes["n_train"].mean()
    parts = []
    for method in ours:
        for is_library in (False, True):
            rows = _rival_rows(method, results, ratios, labels, is_library)
            if rows:
                parts.append(_adjust_p_values(rows))
    return pd.concat(parts, ignore_index=True)[list(COLUMNS)] if parts else pd.DataFrame(columns=list(COLUMNS))


def _rival_rows(
    method: str,
    results: dict[str, list[MethodResult]],
    ratios: dict[str, float],
    labels: dict[str, str],
    is_library: bool,
) -> list[dict]:
    """Return what is known about one of our methods against each rival; p-values of single matrices not adjusted."""
    pairs: dict[str, list] = {}
    for dataset, dataset_results in results.items():
        mine = next((result for result in dataset_results if result.method == method), None)
        for rival in dataset_results if mine else ():
            if rival is not mine and (rival.kind == LIBRARY) is is_library:
                pairs.setdefault(rival.method, []).append((dataset, mine, rival))
    rows = []
    for name, of_rival in pairs.items():
        logs = np.log([mine.mean / rival.mean for _, mine, rival in of_rival])
        over = interval(logs)
        singles = [interval(mine.losses - rival.losses, ratios[dataset]) for dataset, mine, rival in of_rival]
        row = {
            "ours": labels[method],
            "kind": of_rival[0][2].kind,
            "rival": name,
            "label": of_rival[0][2].label,
            "matrices": len(of_rival),
            "lower_by": -np.expm1(over.mean),
            "low": -np.expm1(over.high),
            "high": -np.expm1(over.low),
            "p": over.p,
            "smaller_loss": int((logs < 0).sum()),
            "singles": singles,
        }
        rows.append(row)
    return rows


def _adjust_p_values(rows: list[dict]) -> pd.DataFrame:
    """Return the rows with p-values adjusted among them, the closest rival first."""
    adjusted = iter(holm(np.nan_to_num([one.p for row in rows for one in row["singles"]], nan=1.0)))
    for row, p in zip(rows, holm(np.nan_to_num([row["p"] for row in rows], nan=1.0)), strict=True):
        signs = [np.sign(one.mean) if next(adjusted) < LEVEL else 0 for one in row.pop("singles")]
        row |= {"p_holm": p, "significantly_better": signs.count(-1), "significantly_worse": signs.count(1)}
    return pd.DataFrame(rows).sort_values("lower_by", kind="stable")
