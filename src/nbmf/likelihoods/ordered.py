"""The likelihood of ordered categories: 0, 1, ..., C - 1 or missing, scored by the probability of each category."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nbmf.data.category_matrix import ALLOWED, LARGEST, CategoryMatrix, as_ranks
from nbmf.likelihoods.bernoulli import SMALLEST_PROBABILITY, loss_of_probabilities
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt, refuse_other_forms


class CategoryLoss(LossAt):
    """Scores probabilities of all categories; see Likelihood.loss_at."""

    def __init__(self, ranks: np.ndarray, entries: np.ndarray):
        self._ranks = self._take(ranks, entries).astype(np.int64)

    def __call__(self, prediction: np.ndarray) -> Loss:
        """Return the loss of probabilities at the entries, float array (n, C).

        A category beyond these C was predicted to be impossible.
        """
        return loss_of_probabilities(probability_of(self._ranks, prediction))


class Ordered(Likelihood):
    """Values are int8 ranks (F, N), places in the order of the categories, -1 where missing.

    E[v] is the mean place; what is scored, and what `predictive` of a model gives, is the probability of every
    category, float array (n, C).
    """

    name = "ordered-categories"
    matrix = CategoryMatrix
    limits = (0.0, LARGEST)
    loss = CategoryLoss
    most_categories = LARGEST + 1

    def values_of(self, V: Any) -> np.ndarray:
        """Return the ranks of a CategoryMatrix, an array or a DataFrame."""
        refuse_other_forms(V, ALLOWED)
        return as_ranks(V)

    def losses(self, values: np.ndarray, prediction: np.ndarray) -> np.ndarray:
        """Return the losses of the probabilities of all categories, (n, C): float array (n,)."""
        return -np.log(np.maximum(probability_of(values, prediction), SMALLEST_PROBABILITY))


ORDERED = Ordered()


def probability_of(ranks: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the probability of what was observed, float array (n,); 0 of a category that was not foreseen.

    Parameters
    ----------
    ranks : int array (n,)
    probabilities : float array (n, C)
    """
    is_foreseen = ranks < probabilities.shape[-1]
    category = np.where(is_foreseen, ranks, 0)
    return np.where(is_foreseen, np.take_along_axis(np.asarray(probabilities), category[:, None], axis=1)[:, 0], 0.0)


def named_probabilities(categories: Iterable[Any], probabilities: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of a table with the probability of each category, such as "P(yes)"; (n, C)."""
    return {f"P({name})": each for name, each in zip(categories, probabilities.T, strict=True)}
