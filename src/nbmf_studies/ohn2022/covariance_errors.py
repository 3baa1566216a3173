"""What a chain is measured by besides K+: how far the posterior mean of BB' is from the truth."""

from typing import Any

import numpy as np

from nbmf_studies.ohn2022 import sizes
from nbmf_studies.ohn2022.simulation import SetUp, covariance

NORMS = {"frobenius error": "fro", "operator error": 2}  # of a symmetric matrix the latter is its largest |eigenvalue|


def measure(estimator: Any, matrix: Any, mask: Any, *, setup: list, replication: int) -> dict[str, Any]:
    """Return what `sizes.measure` does, and the norms of E[BB'] - B_0 B_0' over those of B_0 B_0'."""
    truth = covariance(SetUp(*setup), replication)
    away = estimator.loading_covariance_ - truth
    errors = {name: np.linalg.norm(away, norm) / np.linalg.norm(truth, norm) for name, norm in NORMS.items()}
    return sizes.measure(estimator, matrix, mask) | errors
