"""What a fit to votes says about "yes", and what predicts it without a model."""

from typing import Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.posterior.paths import paths_of
from nbmf_studies.votes_as_cast.sessions import column_years

DIGITS = 5  # of positions in a report


def measure_entries(estimator: Any, matrix: CategoryMatrix, mask: np.ndarray, **options: Any) -> dict[str, float]:
    """Return mean log losses of "yes" at held-out entries, in nats, and held-out entries per training entry.

    `yes` is that of the fit, `yes of columns` that of the proportion of yes in a roll call.
    """
    training = _is_yes(matrix, ~mask)
    return {
        "yes": yes_loss(matrix, mask, _predicted_yes(estimator, mask)),
        "yes of columns": yes_loss(matrix, mask, _hidden_chances(mask, proportions(training, 0))),
        "test ratio": np.count_nonzero(mask) / np.count_nonzero(training >= 0),
    }


def measure_answers(estimator: Any, matrix: CategoryMatrix, mask: np.ndarray, **options: Any) -> dict[str, float]:
    """Return mean log losses, in nats, of whether held-out answers are above 0; keys as of `measure_entries`."""
    above = matrix.above(0).codes
    training = np.where(mask, np.int8(-1), above)
    chances = {
        "yes": 1.0 - estimator.predictive(*np.nonzero(mask))[:, 0],
        "yes of columns": _hidden_chances(mask, proportions(training, 0)),
    }
    losses = {name: float(BERNOULLI.losses(above[mask], each).mean()) for name, each in chances.items()}
    return losses | {"test ratio": np.count_nonzero(mask) / np.count_nonzero(training >= 0)}


def measure_session(
    estimator: Any, matrix: CategoryMatrix, mask: np.ndarray, *, last: int, **options: Any
) -> dict[str, float]:
    """Return mean log losses of "yes" at held-out votes of the last session, in nats.

    Besides that of the fit, those of proportions of yes: of each country in all sessions before (`yes of rows`) and in
    the last session before (`yes of last session`), and of each roll call among the votes of it that are known (`yes
    of columns`, of all votes alike where none is).
    """
    training, years = _is_yes(matrix, ~mask), column_years(matrix)
    before = years < last
    latest = years == years[before].max()
    chances = {
        "yes of rows": proportions(training[:, before], 1),
        "yes of last session": proportions(training[:, latest], 1),
        "yes of columns": proportions(training, 0),
    }
    baselines = {name: yes_loss(matrix, mask, _hidden_chances(mask, each)) for name, each in chances.items()}
    return {"yes": yes_loss(matrix, mask, _predicted_yes(estimator, mask))} | baselines


def measure_paths(estimator: Any, matrix: CategoryMatrix, mask: None, *, level: float = 0.9, **options: Any) -> dict:
    """Return the paths of all countries with the ends of their intervals, and their votes in each session."""
    paths = paths_of(estimator.draws_, level)
    positions = {name: np.round(getattr(paths, name)[..., 0], DIGITS).tolist() for name in ("mean", "lower", "upper")}
    names = {"countries": [str(name) for name in matrix.row_names], "sessions": paths.times.astype(int).tolist()}
    return names | positions | {"votes": paths.entries.tolist(), "spans": paths.spans.tolist()}


def measure_dictionary(estimator: Any, matrix: CategoryMatrix, mask: None, **options: Any) -> dict:
    """Return where all countries are on each axis, what the axes say, and how many votes countries have."""
    return {
        "countries": [str(name) for name in matrix.row_names],
        "votes": matrix.observed.sum(axis=1).tolist(),
        "positions": np.round(estimator.W_, DIGITS).tolist(),
        "shares": np.round(estimator.shares_of(estimator.factors_), DIGITS).tolist(),
    }


def proportions(is_yes: np.ndarray, axis: int) -> np.ndarray:
    """Return (yes + 1) / (votes + 2) along an axis, which stays; where there is no vote that of all together.

    Parameters
    ----------
    is_yes : int array (F, N)
        1, 0, and -1 where there is no vote or it is held out.
    axis : int
    """
    yes, votes = (is_yes == 1).sum(axis=axis, keepdims=True), (is_yes >= 0).sum(axis=axis, keepdims=True)
    return np.where(votes > 0, (yes + 1) / (votes + 2), (yes.sum() + 1) / (votes.sum() + 2))


def yes_loss(matrix: CategoryMatrix, mask: np.ndarray, chances: np.ndarray) -> float:
    """Return the mean log loss of "yes", the last category, in nats: that of P(yes) at held-out entries, (n,)."""
    codes = _is_yes(matrix, mask)[mask]
    return float(BERNOULLI.losses(codes, chances).mean())


def _is_yes(matrix: CategoryMatrix, where: np.ndarray) -> np.ndarray:
    """Return 1 of yes and 0 of other votes at some entries, -1 at all others, int8 array (F, N)."""
    return np.where(where, matrix.above(matrix.ranks.max() - 1).codes, np.int8(-1))


def _predicted_yes(estimator: Any, mask: np.ndarray) -> np.ndarray:
    return estimator.predictive(*np.nonzero(mask))[:, -1]


def _hidden_chances(mask: np.ndarray, chances: np.ndarray) -> np.ndarray:
    return np.broadcast_to(chances, mask.shape)[mask]
