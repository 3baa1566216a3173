"""Matrices without structure: is one component found, and do shares predict as well?"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.likelihoods.bernoulli import perplexity
from nbmf.registry import make_estimator
from nbmf.seeds import seed_sequence

SAME = 0.1  # two components whose probabilities differ nowhere by more are one group
TEST_PROBABILITY = 0.25
KINDS = ("equal", "by row", "by column")
COLUMNS = (
    "rows",
    "columns",
    "shares",
    "method",
    "orientation",
    "outside",
    "perplexity",
    "of_shares",
    "excess",
    "truth",
)


def tabulate(
    shapes: list[list[int]], K: int, methods: dict[str, tuple[str, dict[str, Any]]], log: Callable[[str], None] = print
) -> pd.DataFrame:
    """Fit matrices whose entries are independent, with equal shares of ones, or by row or column.

    Parameters
    ----------
    shapes : list of [rows, columns]
    K : int
    methods : dict
        Name to (class, settings).
    log : function
        Takes a line of text.

    Returns
    -------
    DataFrame
        COLUMNS. outside: the weight outside the heaviest group of components whose probabilities
        are those of one of them within SAME; perplexity: nats per held-out entry; of_shares: that
        of the shares of columns (of rows, if these differ and columns have the weights); excess:
        perplexity above it, as a share; truth: that of the true shares.
    """
    rows = []
    for (F, N), kind in product(shapes, KINDS):
        seed = seed_sequence("structureless", F, N, kind)
        rng = np.random.default_rng(seed)
        shares = {"equal": np.full((1, 1), 0.38), "by row": rng.beta(2, 3, (F, 1))}
        truth = np.broadcast_to(shares.get(kind, rng.beta(2, 3, (1, N))), (F, N))
        names = np.arange(F).astype(str), np.arange(N).astype(str)
        matrix = BinaryMatrix((rng.random((F, N)) < truth).astype(np.int8), *names)
        mask = draw_mask(matrix, TEST_PROBABILITY, seed_sequence("structureless", F, N, "mask"))
        training = training_codes(matrix, mask)

        def score(mean, matrix=matrix, mask=mask):
            return perplexity(matrix.codes, mean, mask)

        for name, (class_name, settings) in methods.items():
            fitted = make_estimator(class_name, K, settings, seed).fit(training)
            side, loss = fitted.orientation_, score(fitted.expectation_)
            by_row = kind == "by row" and side == "columns"
            of_shares = score(shares_of_lines(training, axis=1 if by_row else 0))
            excess = loss / of_shares - 1.0
            row = [F, N, kind, name, side, weight_outside(fitted), loss]
            rows.append([*row, of_shares, excess, score(truth)])
        log(f"{F} x {N}, {kind}")
    return pd.DataFrame(rows, columns=list(COLUMNS))


def shares_of_lines(codes: np.ndarray, axis: int) -> np.ndarray:
    """Return the share of ones of each column (axis 0) or row (1), shrunk to a half, as (F, N)."""
    ones = (codes == 1).sum(axis=axis, keepdims=True)
    observed = (codes >= 0).sum(axis=axis, keepdims=True)
    return np.broadcast_to((ones + 1.0) / (observed + 2.0), codes.shape)


def weight_outside(fitted) -> float:
    """Return the share of weight outside the heaviest group of components."""
    shares = fitted.shares_of(fitted.factors_)
    of_components = fitted.H_ if fitted.orientation_ == "rows" else fitted.W_.T
    groups = [np.abs(of_components - one).max(axis=1) <= SAME for one in of_components]
    return float(1.0 - max(shares[group].sum() for group in groups))
