"""The likelihood of tokens: the ones of a column are draws from a distribution over rows."""

from typing import Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import DataError
from nbmf.likelihoods.bernoulli import BERNOULLI, loss_of_probabilities
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt, places


class TokenLoss(LossAt):
    """The loss of the ones among the entries, per token."""

    unit = "token"

    def __init__(self, codes: np.ndarray, entries: np.ndarray):
        rows, columns = places(codes, entries)
        is_token = codes[rows, columns] == 1
        self.rows, self.columns = rows[is_token], columns[is_token]
        if self.rows.size == 0:
            raise DataError("there is nothing to score: no token is held out")

    def __call__(self, prediction: np.ndarray) -> Loss:
        """Return the loss of P(a token of the column is the row), float array (n,)."""
        return loss_of_probabilities(np.array(prediction, float))


class Tokens(Likelihood):
    """Values are those of the Bernoulli likelihood; a missing entry counts as an absent token."""

    name = "tokens"
    unit = "token"
    matrix = BinaryMatrix
    limits = (0.0, 1.0)
    loss = TokenLoss

    def values_of(self, V: Any) -> np.ndarray:
        """Return int8 codes (F, N): 1 (a token), 0 and -1 (missing)."""
        return BERNOULLI.values_of(V)


TOKENS = Tokens()
