"""The tables: every method on every matrix, the methods in short, and the default against the best.

A method stands for itself at the K of its grid with the smallest mean over the masks that are
scored, as everywhere in this package (`nbmf.best_K`): one with a grid looks a little
better than it is, one with a single K does not.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.best_K import best_K, mean_by_mask
from nbmf.evaluation.recommendation import margin_of
from nbmf.evaluation.score_table import gather_scores

LIBRARY, OTHERS, BASELINE = "library", "others", "no components"
KINDS = (LIBRARY, OTHERS, BASELINE)
WORSE = 0.02  # than the best of the library: from there on the default has to be explained
COMPARISON_COLUMNS = (
    "dataset",
    "against",
    "method",
    "label",
    "K",
    "masks",
    "loss",
    "default_loss",
    "excess",
    "behind",
    "uncertainty",
    "significant",
    "flagged",
    "seconds",
    "default_seconds",
    "note",
)


class MethodResult(NamedTuple):
    """A method on a matrix, at its best K.

    kind : str, one of KINDS
    losses : Series, nats per held-out entry for each mask
    seconds : float, of a fit, median over masks
    not_converged : int, fits that had not converged
    """

    kind: str
    method: str
    label: str
    K: int
    losses: pd.Series
    seconds: float
    not_converged: int

    @property
    def mean(self) -> float:
        """The mean loss over masks."""
        return float(self.losses.mean())


def gather(fits: Iterable[tuple[dict, str]]) -> pd.DataFrame:
    """Return a row per fit, as `gather_scores` does, without settings: with them the published table is too large."""
    return gather_scores(fits).drop(columns="settings")


def tabulate(
    scores: pd.DataFrame, baselines: pd.DataFrame, labels: dict[str, str], library: list[str], **_
) -> pd.DataFrame:
    """Return a row per matrix and method, the best first.

    Parameters
    ----------
    scores : DataFrame
        As `nbmf.evaluation.score_table.gather_scores` makes it.
    baselines : DataFrame
        As `nbmf.evaluation.baselines.tabulate` makes it.
    labels : dict
        The methods and their names.
    library : list of str
        Those of them that are methods of this package's list.

    Returns
    -------
    DataFrame
        `loss` is the mean over masks, in nats per held-out entry; `excess` by which share
        it exceeds that of the best method of the library; `seconds` of a fit, median over masks.
    """
    rows = []
    for dataset, results in results_by_matrix(scores, baselines, labels, library).items():
        best = min((result.mean for result in results if result.kind == LIBRARY), default=np.nan)
        for rank, result in enumerate(sorted(results, key=lambda result: result.mean), start=1):
            key = {"dataset": dataset, "rank": rank, "kind": result.kind, "method": result.method}
            fits = {"label": result.label, "K": result.K, "masks": len(result.losses)}
            loss = {"loss": result.mean, "excess": result.mean / best - 1}
            rows.append(key | fits | loss | {"seconds": result.seconds, "not_converged": result.not_converged})
    return pd.DataFrame(rows)


def results_by_matrix(
    scores: pd.DataFrame, baselines: pd.DataFrame | None, labels: dict[str, str], library: list[str]
) -> dict[str, list[MethodResult]]:
    """Return the methods on each matrix; one without a K that has all masks is left out."""
    outcomes = {}
    for dataset in scores["dataset"].unique():
        of_dataset = scores[scores["dataset"] == dataset]
        outcomes[dataset] = [
            *_method_results(of_dataset, labels, library),
            *_baseline_results(None if baselines is None else baselines[baselines["dataset"] == dataset]),
        ]
    return outcomes


def _method_results(scores: pd.DataFrame, labels: dict[str, str], library: list[str]) -> Iterator[MethodResult]:
    for method, label in labels.items():
        fits = scores[scores["method"] == method]
        K = best_K(fits) if len(fits) else None
        if K is None:
            continue
        at_best = fits[fits["K"] == K]
        kind = LIBRARY if method in library else OTHERS
        losses, seconds = mean_by_mask(at_best, "perplexity"), float(at_best["seconds"].median())
        not_converged = int((at_best["status"] != "ok").sum())
        yield MethodResult(kind, method, label, K, losses, seconds, not_converged)


def _baseline_results(baselines: pd.DataFrame | None) -> Iterator[MethodResult]:
    if baselines is None:
        return
    for name, of_name in baselines.groupby("baseline", sort=False):
        label = of_name["label"].iloc[0]
        yield MethodResult(BASELINE, name, label, 0, mean_by_mask(of_name, "perplexity"), 0.0, 0)


def summarise(losses: pd.DataFrame, default: str, **_) -> pd.DataFrame:
    """Return a row per method: its excess over the best of the library, over matrices.

    Parameters
    ----------
    losses : DataFrame
        As `tabulate` makes it.
    default : str
        The method under test.

    Returns
    -------
    DataFrame
        The smallest mean first. A method is on as many `matrices` as it was fitted to;
        `default_there` is the mean excess of the default on these. `first` counts the matrices on
        which the method has the smallest loss of all, `worse` those on which it exceeds the best of
        the library by more than WORSE.
    """
    of_default = losses[losses["method"] == default].set_index("dataset")["excess"]
    rows = []
    for (kind, method, label), fits in losses.groupby(["kind", "method", "label"], sort=False):
        excess = fits.set_index("dataset")["excess"]
        row = {
            "kind": kind,
            "method": method,
            "label": label,
            "matrices": len(fits),
            "mean_excess": excess.mean(),
            "default_there": of_default.reindex(excess.index).mean(),
            "median_excess": excess.median(),
            "largest_excess": excess.max(),
            "largest_on": excess.idxmax(),
            "first": int((fits["rank"] == 1).sum()),
            "worse": int((excess > WORSE).sum()),
            "seconds": fits["seconds"].median(),
            "most_seconds": fits["seconds"].max(),
        }
        rows.append(row)
    return pd.DataFrame(rows).sort_values("mean_excess", kind="stable", ignore_index=True)


def compare_default(
    scores: pd.DataFrame,
    baselines: pd.DataFrame,
    labels: dict[str, str],
    library: list[str],
    default: str,
    notes: dict[str, str],
    **_,
) -> pd.DataFrame:
    """Return the default against the best of each kind, matrix by matrix.

    Parameters
    ----------
    scores, baselines, labels, library
        As for `tabulate`.
    default : str
        The method under test.
    notes : dict
        From matrices to what the table says about them: which methods they are without, or why they are left
        out themselves.

    Returns
    -------
    DataFrame
        COMPARISON_COLUMNS. `behind` is the mean over masks of the default's loss minus the other's, in nats
        per held-out entry, and `uncertainty` half the width of its 95 % interval (Nadeau and Bengio
        2003, see `margin_of`; missing from a single mask); `significant`: whether that interval
        leaves out 0 (missing where it is); `excess` by which share the default's loss is larger;
        `flagged`: whether that of the library's best is exceeded by more than WORSE. The library's best
        is the best of its other methods, so that `behind` is negative where the default is the best.
    """
    rows = []
    for dataset, results in results_by_matrix(scores, baselines, labels, library).items():
        sizes = baselines[baselines["dataset"] == dataset]
        ratio = sizes["n_test"].mean() / sizes["n_train"].mean()
        mine = next((result for result in results if result.method == default), None)
        for kind in KINDS if mine else ():
            rivals = [result for result in results if result.kind == kind and result is not mine]
            if rivals:
                best = min(rivals, key=lambda result: result.mean)
                rows.append([dataset, kind, *_comparison_values(mine, best, ratio), notes.get(dataset, "")])
    table = pd.DataFrame(rows, columns=list(COMPARISON_COLUMNS))
    gone = [name for name in notes if name not in set(table["dataset"])]
    left_out = pd.DataFrame({"dataset": gone, "note": [notes[name] for name in gone]})
    return pd.concat([table, left_out], ignore_index=True) if gone else table


def _comparison_values(mine: MethodResult, best: MethodResult, ratio: float) -> list:
    """Return what COMPARISON_COLUMNS says between `against` and `note`."""
    margin = margin_of((mine.losses - best.losses).to_numpy(), ratio)
    excess = mine.mean / best.mean - 1
    is_tested = not np.isnan(margin.uncertainty)
    is_significant = abs(margin.mean) > margin.uncertainty if is_tested else None
    flagged = bool(excess > WORSE) if best.kind == LIBRARY else None
    key = [best.method, best.label, best.K, len(best.losses), best.mean, mine.mean, excess]
    return [*key, *margin, is_significant, flagged, best.seconds, mine.seconds]
