"""What a comparison has found: scores, their summary, the figure and the recommendation."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from nbmf import registry
from nbmf.best_K import best_K
from nbmf.catalogue import METHODS, colours_of
from nbmf.errors import DataError
from nbmf.evaluation.baselines import LABELS
from nbmf.evaluation.recommendation import Candidate, Recommendation, recommend
from nbmf.evaluation.replications import interval
from nbmf.evaluation.score_table import summarise

RANKED = {"recall_at_20": "recall@20", "ndcg_at_100": "NDCG@100"}  # scores of what is recommended, and their names
SHOWN = ["method", "K", "mean", "median", "unit", "brier", "fits", "seconds"]  # of the summary, where it is printed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` has found; `print` shows the summary and the recommendation.

    Only methods that are scored per entry are compared.

    Attributes
    ----------
    scores : DataFrame
        A row per fit: dataset, method, K, mask, seed, n_test (held-out entries), perplexity (nats
        per held-out entry), brier (mean of (v - p)^2; missing where no probability of a one is
        predicted), unit, saturated (held-out entries predicted impossible, 36.7 nats each),
        seconds, n_iter, converged, active_components, status: "ok", "not converged", or why there
        is no perplexity. The baselines are in it with K = 0.
    methods : dict
        The entries that were compared, by their ids, in the form of nbmf/methods.yaml.
    name : str
        Of the matrix.
    test_ratio : float
        Held-out entries per training entry, mean over masks; of a sparse matrix ones.
    unit : str
        What the log loss is of: "entry", or "one" of a sparse matrix, whose scores have recall_at_20 and
        ndcg_at_100 as well, means over rows.
    """

    scores: pd.DataFrame
    methods: dict[str, dict[str, Any]]
    name: str
    test_ratio: float
    unit: str = "entry"

    def summary(self) -> pd.DataFrame:
        """Return a row per method and K: mean, median and quartiles over masks, seconds per fit.

        Further columns: brier (mean), of a sparse matrix recall_at_20 and ndcg_at_100 (means), fits, failed (of
        these), not_converged, saturated, unit, active_components (median). The baselines come last.
        """
        key = ["dataset", "method", "K"]
        groups = self.scores.groupby(key, sort=False)
        failed = groups["perplexity"].agg(lambda values: int(values.isna().sum()))
        table = summarise(self.scores).set_index(key)  # new columns are aligned by it
        table.insert(0, "mean", groups["perplexity"].mean())
        table.insert(4, "brier", groups["brier"].mean())
        for column in (name for name in RANKED if name in self.scores):
            table[column] = groups[column].mean()
        table["not_converged"] -= failed  # summarise counts whatever is not ok
        return table.assign(failed=failed).reset_index().drop(columns="dataset")

    @functools.cached_property
    def recommendation(self) -> Recommendation:
        """The best method, its margin to the best of the others, and how certain that is.

        The best method has the smallest mean log loss over masks with its best K. The margin is
        the mean of the paired differences over masks, with the corrected uncertainty of Nadeau and
        Bengio (2003): see nbmf.evaluation.recommendation.margin_of.

        K is chosen on the masks that are scored, and so is the best method: a method with many K
        has more chances to look good, and the best looks a little better than it is.

        Raises
        ------
        DataError
            If no comparable method has a log loss for every mask.
        """
        candidates = list(self._candidates())
        if not candidates:
            raise DataError(
                "nothing to recommend: no comparable method has a log loss for every mask; the "
                "column status of the scores says why"
            )
        baselines = {
            label: self.by_mask(name, 0).to_numpy()
            for name, label in LABELS.items()
            if name in set(self.scores["method"])
        }
        return recommend(candidates, baselines, self.test_ratio, self.unit)

    def _candidates(self) -> Iterator[Candidate]:
        """Yield each comparable method with its best K, see nbmf.best_K."""
        for method, entry in self.methods.items():
            K = best_K(self.scores[self.scores["method"] == method]) if _comparable(entry) else None
            if K is not None:
                seconds = float(self._rows(method, K)["seconds"].median())
                yield Candidate(method, K, _label_with_K(entry, K), self.by_mask(method, K).to_numpy(), seconds)

    def remarks(self) -> list[str]:
        """Return a sentence for each method that gets better towards an end of its K, unless a baseline is better."""
        of_baselines = self.scores.loc[self.scores["method"].isin(LABELS)].groupby("method")["perplexity"].mean()
        remarks = []
        for candidate in self._candidates():
            if candidate.mean > of_baselines.min():
                continue
            grid = sorted(self.methods[candidate.method]["K"])
            label = self.methods[candidate.method]["label"]
            if len(grid) > 1 and grid[-1] == candidate.K:
                fewer = self.by_mask(candidate.method, grid[-2]).to_numpy()
                gain = interval(fewer - candidate.perplexities, self.test_ratio)
                if gain.mean < gain.error:  # it has levelled off
                    continue
                more = f"K = {grid[-1] + 1} to {2 * grid[-1]} may do better"
                remarks.append(f"{label} is best with the largest K that was tried: {more}.")
            elif len(grid) > 1 and candidate.K == grid[0] > 1:
                remarks.append(f"{label} is best with the smallest K that was tried, {grid[0]}.")
        return remarks

    def figure(self) -> Figure:
        """Return Figure 10 for this matrix, or, of more than twelve methods, a row for each; `figure.savefig(path)`.

        The baselines are named below the boxes, and drawn as lines where they lie among them, or have rows too.
        """
        from nbmf.plotting import boxes, dots

        shown = {name: entry for name, entry in self.methods.items() if _comparable(entry)}
        if not shown:
            raise DataError("nothing to draw: no method is scored per held-out entry")
        colours = colours_of({**METHODS, **self.methods})
        scores = self.scores[self.scores["method"].isin(shown)]
        of_baselines = self.scores[self.scores["method"].isin(LABELS)]
        labels = of_baselines["method"].map(LABELS)
        baselines = of_baselines.assign(label=labels)
        baselines = None if baselines.empty else baselines
        draw = boxes.draw if len(shown) <= boxes.MOST else dots.draw
        return draw(scores, shown, [self.name], colours, baselines=baselines)

    def __str__(self) -> str:
        table = self.summary()[SHOWN].to_string(index=False, float_format="{:.4f}".format)
        try:
            sentence = self.recommendation.sentence
        except DataError as error:
            sentence = str(error)
        title = f"Held-out log loss of {self.name}, mean and median over masks: smaller is better"
        return f"{title}\n{table}\n\n{sentence}"

    def __repr__(self) -> str:
        return f"<comparison of {', '.join(self.methods)} on {self.name}>"

    def by_mask(self, method: str, K: int) -> pd.Series:
        """Return the log loss for each mask, NaN where the fit failed; baselines have K = 0."""
        return self._rows(method, K).set_index("mask")["perplexity"]

    def _rows(self, method: str, K: int) -> pd.DataFrame:
        return self.scores[(self.scores["method"] == method) & (self.scores["K"] == K)]


def _comparable(entry: Mapping[str, Any]) -> bool:
    """Whether a method is scored per entry: scores of other units cannot be compared with these."""
    return registry.scores_entries(entry["class"])


def _label_with_K(entry: Mapping[str, Any], K: int) -> str:
    """Return the method's label, with its K where there was a choice."""
    return f"{entry['label']} with K = {K}" if len(entry["K"]) > 1 else entry["label"]
