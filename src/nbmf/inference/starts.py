"""Which of several starts is kept: the one with the largest objective of its own, never the best held-out score.

The one rule of `nbmf.run_chains`, `nbmf.choose_components`, of fits of the workflow whose method has `starts`, and of
studies that look at fewer of the starts that were made.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self


class Starts(NamedTuple):
    """Several starts of one fit.

    objectives : tuple of float, what each ended with, in nats
    kept : int, the number of the one that is kept, the first of equals
    """

    objectives: tuple[float, ...]
    kept: int

    @classmethod
    def of(cls, objectives: Sequence[float], ranks: Sequence[int] | None = None) -> Self:
        """Return what becomes of starts with these objectives; one that is no number (NaN) comes last.

        ranks : of each start, what counts before the objective, such as how many of its components differ
        """
        known = [-math.inf if math.isnan(objective) else float(objective) for objective in objectives]
        order = list(zip(ranks or [0] * len(known), known, strict=True))
        return cls(tuple(map(float, objectives)), order.index(max(order)))

    @property
    def spread(self) -> float:
        """How far the objectives are apart, in nats: the largest less the smallest; NaN if one is no finite number."""
        if not all(map(math.isfinite, self.objectives)):
            return math.nan
        return max(self.objectives) - min(self.objectives)

    @property
    def reaching(self) -> int:
        """How many starts, the kept one among them, end less than a nat below the objective of the one that is kept."""
        return sum(self.objectives[self.kept] - objective < 1.0 for objective in self.objectives)
