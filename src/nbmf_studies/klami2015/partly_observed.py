"""Matrices of which a share of the entries is observed, to see what their fits cost."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.seeds import seed_sequence
from nbmf_studies.klami2015.simulation import SetUp, draw

MISSING = {"BinaryMatrix": (BinaryMatrix, -1), "RealMatrix": (RealMatrix, np.nan)}


def build(*, setup: list, seed: int, kind: str, share: float) -> NamedMatrix:
    """Draw the matrix of a binary set-up and a seed, and hide what is not observed, at random in each row.

    Parameters
    ----------
    setup, seed, kind
        As of `simulation.build`; binary data alone.
    share : float
        Of the entries of each row that are observed, to the nearest number, above 0 and at most 1.
    """
    X = draw(SetUp(*setup), seed).X
    key = *SetUp(*setup).key(seed), str(float(share))
    rng = np.random.default_rng(seed_sequence("klami2015", "observed", *key))
    order = rng.random(X.shape).argsort(axis=1)
    made, missing = MISSING[kind]
    values = X.astype(np.int8 if kind == "BinaryMatrix" else float)
    np.put_along_axis(values, order[:, max(1, round(share * X.shape[1])) :], missing, axis=1)
    return made.from_array(values)


def observe(matrix: NamedMatrix, **options) -> Callable[[Any], dict[str, float]]:
    """Return a function of a state that looks at nothing: the trace has CPU seconds alone."""
    return lambda state: {}
