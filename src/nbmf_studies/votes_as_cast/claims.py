"""What the study asks, each question decided by a rule that was fixed before the run at full size."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import Interval, interval
from nbmf_studies.framework.verdicts import Claim, Part, verdict_functions
from nbmf_studies.votes_as_cast import forecasts, third_category
from nbmf_studies.votes_as_cast.answers import FOUR

MINUTES = 10.0


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from.

    third_category, forecasts, answers : DataFrame, as the modules of these names make them
    moving : str, the method whose positions move
    staying : list of str, those whose positions stay
    """

    third_category: pd.DataFrame
    forecasts: pd.DataFrame
    answers: pd.DataFrame
    moving: str
    staying: list[str]

    def difference(self, known: str, other: str) -> Interval:
        """Return the mean over sessions of the loss of positions that move minus that of another prediction."""
        losses = forecasts.losses(self.forecasts, known)
        return interval(losses[self.moving] - losses[other])


def _more_categories_predict(scores: pd.DataFrame, more: str, unit: str) -> Iterator[Part]:
    losses = third_category.losses_by_mask(scores, more)
    difference = interval(losses[more] - losses[third_category.TWO], scores["test_ratio"].mean())
    if np.isfinite(difference.error):
        yield Part(f"{len(losses)} masks", difference.high < 0, _format_nats(difference, unit))


def forecasts_better_than_positions_that_stay(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 2, one for each amount that is known and each static model."""
    for known, title in forecasts.TITLES.items():
        for method in run.staying:
            difference = run.difference(known, method)
            if np.isfinite(difference.error):
                yield Part(f"{title}; {method}", difference.high < 0, _format_nats(difference))


def forecasts_better_than_proportions(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 3, decided by its rule."""
    for known, title in forecasts.TITLES.items():
        difference = run.difference(known, forecasts.LATEST)
        if np.isfinite(difference.error):
            yield Part(title, difference.high < 0, _format_nats(difference))


def is_fast(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 4, decided by its rule."""
    minutes = run.third_category.groupby("categories")["minutes"].median()[third_category.THREE]
    yield Part(f"{third_category.SWEEPS} sweeps", minutes <= MINUTES, f"{minutes:.1f} minutes")


def _format_nats(difference: Interval, unit: str = "vote") -> str:
    return f"{difference.mean:.4f} ({difference.low:.4f} to {difference.high:.4f}) nats per {unit}"


CLAIMS = [
    Claim(
        "Abstentions as a category of their own predict yes better than abstentions that count as no.",
        "The 95 % interval of the mean difference of the log losses of yes over masks, three categories minus two, is "
        "below 0.",
        lambda run: _more_categories_predict(run.third_category, third_category.THREE, "vote"),
    ),
    Claim(
        "Positions that move forecast the next session better than positions that stay.",
        "The 95 % t-interval of the mean difference of the log losses of yes over sessions is below 0, for each static "
        "model, whether nothing or a fifth of the session is known.",
        forecasts_better_than_positions_that_stay,
    ),
    Claim(
        "Positions that move forecast the next session better than each country's proportion of yes in the last one.",
        "The same interval is below 0, whether nothing or a fifth of the session is known.",
        forecasts_better_than_proportions,
    ),
    Claim(
        "2,000 sweeps over all votes with their abstentions take at most ten minutes on one core.",
        f"The median over masks of the time of a sweep, in proportion to the votes, is at most {MINUTES:g} minutes for "
        f"{third_category.SWEEPS} sweeps.",
        is_fast,
    ),
    Claim(
        "Answers from 0 to 3 predict whether a mood was felt at all better than their cut version.",
        "The 95 % interval of the mean difference of the log losses over masks, four categories minus two, is below 0.",
        lambda run: _more_categories_predict(run.answers, FOUR, "answer"),
    ),
]

claims, claims_parts = verdict_functions(CLAIMS, Results, of_paper=False)
