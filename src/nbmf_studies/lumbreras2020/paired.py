"""Methods compared on the same masks: differences of their log perplexity, a mask at a time."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import Interval, holm, interval
from nbmf_studies.framework.gathering import rows_of

LEVEL = 0.05  # of the tests of one claim together


class Comparison(NamedTuple):
    """One comparison of two methods: what it is called, and the interval of the mean log ratio of perplexities."""

    where: str
    log_ratio: Interval

    def reversed(self) -> "Comparison":
        """Return the comparison of the second method with the first."""
        log_ratio = self.log_ratio
        return self._replace(
            log_ratio=log_ratio._replace(mean=-log_ratio.mean, low=-log_ratio.high, high=-log_ratio.low)
        )

    def __str__(self) -> str:
        ratio, low, high = (np.exp(value) for value in (self.log_ratio.mean, self.log_ratio.low, self.log_ratio.high))
        return f"ratio {ratio:.3f} (95 % interval {low:.3f} to {high:.3f})"


@dataclass(frozen=True, eq=False)
class Scores:
    """Held-out perplexities of fits to the same masks.

    table : DataFrame, with dataset, method, K, mask, perplexity and n_test, the held-out entries of the mask
    observed : dict, the observed entries of each dataset
    """

    table: pd.DataFrame
    observed: Mapping[str, int]

    def test_ratio(self, dataset: str) -> float:
        """Return how many entries a mask holds out per training entry, by the mean over masks."""
        held_out = float(self.table.loc[self.table["dataset"] == dataset, "n_test"].mean())
        return held_out / (self.observed[dataset] - held_out)

    def log_perplexity(self, dataset: str, method: str, K: int | None = None) -> pd.Series:
        """Return the log perplexity of each mask; the mean over all K without one."""
        of_method = rows_of(self.table, dataset=dataset, method=method)
        if K is not None:
            of_method = of_method[of_method["K"] == K]
        return np.log(of_method["perplexity"]).groupby(of_method["mask"]).mean()

    def best_and_worst_K(self, dataset: str, method: str) -> tuple[int, int]:
        """Return the K with the smallest and with the largest median over masks."""
        medians = rows_of(self.table, dataset=dataset, method=method).groupby("K")["perplexity"].median()
        return int(medians.idxmin()), int(medians.idxmax())

    def log_perplexity_at_best(self, dataset: str, method: str) -> pd.Series:
        """Return the log perplexity of each mask at the best K."""
        return self.log_perplexity(dataset, method, self.best_and_worst_K(dataset, method)[0])

    def compare(self, dataset: str, one: pd.Series, other: pd.Series, where: str = "") -> Comparison:
        """Return the comparison of two methods whose log perplexities are given per mask."""
        return Comparison(where or dataset, interval((one - other).dropna(), self.test_ratio(dataset)))


def are_below(comparisons: Iterable[Comparison]) -> list[bool]:
    """Return which of the first methods are better: their mean is below, with Holm's correction over all of them."""
    comparisons = list(comparisons)
    adjusted = holm(one.log_ratio.p for one in comparisons)
    return [one.log_ratio.mean < 0.0 and p < LEVEL for one, p in zip(comparisons, adjusted, strict=True)]
