"""How far a fit is from the truth that its matrix was drawn from."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmf.data.named import NamedMatrix
from nbmf.likelihoods.bernoulli import perplexity
from nbmf_studies.klami2015.simulation import SetUp, draw

PRESENT = 0.01  # mean v² of a factor that has not been pruned
EXTREME = 0.05  # probabilities below it, and above 1 - it


def observe(matrix: NamedMatrix, setup: list, seed: int, kind: str) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state: how far it is from the truth.

    error : mean of |E x - its true value|, E x being clipped to the values that the distribution allows
    extreme_error, high_error : the same where the true probability is below .05 or above .95, and
        above .95
    log_likelihood : mean of log p(x) under E x, in nats per entry, of binary data
    factors : how many have a mean v² above 0.01
    """
    set_up = SetUp(*setup)
    drawn, is_binary = draw(set_up, seed), set_up.law == "bernoulli"
    top = 1.0 if is_binary else np.inf
    high = drawn.mean > 1 - EXTREME
    extreme, every = high | (drawn.mean < EXTREME), np.ones(drawn.X.shape, bool)

    def look(state: Any) -> dict[str, float]:
        mean = np.clip(state.expectation(), 0.0, top)
        away = np.abs(mean - drawn.mean)
        row = {"error": away.mean()}
        if is_binary:
            row["extreme_error"] = away[extreme].mean() if extreme.any() else np.nan
            row["high_error"] = away[high].mean() if high.any() else np.nan
            row["log_likelihood"] = -perplexity(drawn.X, mean, every)
        squares = (state.factors().H ** 2).mean(axis=1)
        return row | {"factors": int(np.count_nonzero(squares > PRESENT))}

    return look
