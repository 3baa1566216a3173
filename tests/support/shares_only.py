"""Matrices without structure: every entry has a chance by its row and its column alone."""

import numpy as np
from scipy.special import expit

# Standard deviations, in log-odds, of the shares of rows and of columns.
KINDS = {"equal": (0, 0), "rows": (1, 0), "columns": (0, 1), "rows and columns": (1, 1)}


def shares_only(F, N, kind, seed):
    """Draw a matrix whose entries depend on row and column alone, int8 (F, N)."""
    rng = np.random.default_rng([F, N, seed, *map(ord, kind)])
    of_rows, of_columns = KINDS[kind]
    odds = -0.5 + of_rows * rng.normal(size=(F, 1)) + of_columns * rng.normal(size=N)
    return (rng.random((F, N)) < expit(odds)).astype(np.int8)


def questions_only(F, answers, seed, evenness=3.0):
    """Draw answers to questions that have nothing to do with each other, a column for each answer, int8 (F, N)."""
    rng = np.random.default_rng([F, *answers, seed])
    chosen = [rng.choice(count, F, p=rng.dirichlet(np.full(count, evenness))) for count in answers]
    return np.hstack([np.eye(count, dtype=np.int8)[each] for count, each in zip(answers, chosen, strict=True)])
