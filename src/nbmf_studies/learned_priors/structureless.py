"""Matrices without structure: is one component found, and do shares predict as well?"""

from typing import Any

import numpy as np

from nbmf.data.masks import training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.likelihoods.bernoulli import perplexity
from nbmf.seeds import seed_sequence

SAME = 0.1  # two components whose probabilities differ nowhere by more are one group
KINDS = ("equal", "by row", "by column")


def build(*, rows: int, columns: int, kind: str) -> BinaryMatrix:
    """Draw independent entries with equal proportions of ones, or by row or column: see KINDS."""
    drawn = _truth(rows, columns, kind)
    return BinaryMatrix.from_array(
        (_stream(rows, columns, kind, "entries").random(drawn.shape) < drawn).astype(np.int8)
    )


def measure(estimator: Any, matrix: BinaryMatrix, mask: np.ndarray, **options) -> dict[str, Any]:
    """Return how near a fit is to one component and to the proportions of ones.

    orientation : str
    outside : float, the weight outside the heaviest group of components whose probabilities are
        those of one of them within SAME
    of_shares : float, the held-out perplexity of the column means (of the row means, if these differ
        and columns have the weights), in nats per entry
    excess : float, the perplexity above it, as a share
    truth : float, the perplexity of the true proportions
    """
    by_row = options["kind"] == "by row" and estimator.orientation_ == "columns"
    shares = shrunken_means(training_codes(matrix, mask), axis=1 if by_row else 0)
    of_fit, of_shares, truth = (
        perplexity(matrix.codes, mean, mask) for mean in (estimator.expectation_, shares, _truth(**options))
    )
    return {
        "orientation": estimator.orientation_,
        "outside": weight_outside(estimator),
        "of_shares": of_shares,
        "excess": of_fit / of_shares - 1.0,
        "truth": truth,
    }


def _truth(rows: int, columns: int, kind: str) -> np.ndarray:
    """Return the probability of a one in each entry, float array (rows, columns)."""
    shape = {"equal": (1, 1), "by row": (rows, 1), "by column": (1, columns)}[kind]
    rng = _stream(rows, columns, kind, "proportions")
    drawn = np.full(shape, 0.38) if kind == "equal" else rng.beta(2, 3, shape)
    return np.broadcast_to(drawn, (rows, columns))


def _stream(rows: int, columns: int, kind: str, what: str) -> np.random.Generator:
    return np.random.default_rng(seed_sequence("structureless", rows, columns, kind, what))


def shrunken_means(codes: np.ndarray, axis: int) -> np.ndarray:
    """Return the proportion of ones of each column (axis 0) or row (1), shrunk to a half, as (F, N)."""
    ones = (codes == 1).sum(axis=axis, keepdims=True)
    observed = (codes >= 0).sum(axis=axis, keepdims=True)
    return np.broadcast_to((ones + 1.0) / (observed + 2.0), codes.shape)


def weight_outside(fitted) -> float:
    """Return the share of weight outside the heaviest group of components."""
    shares = fitted.shares_of(fitted.factors_)
    of_components = fitted.H_ if fitted.orientation_ == "rows" else fitted.W_.T
    groups = [np.abs(of_components - one).max(axis=1) <= SAME for one in of_components]
    return float(1.0 - max(shares[group].sum() for group in groups))
