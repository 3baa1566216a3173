"""New rows and columns given the other factor: regressions by variational Bayes, all at once."""

from collections.abc import Callable

import numpy as np

from nbmf.inference.fold_in import in_blocks, refine

MAX_ROUNDS = 1000
TOLERANCE = 1e-7  # of the coefficients of a row or column, in units of ψ

# From the cells' values (rows, n), E ψ and E ψ² to h and w of their forms h ψ - w ψ² / 2.
Weights = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def regress_rows(
    values: np.ndarray,
    design: np.ndarray,
    precisions: np.ndarray,
    centers: np.ndarray,
    offset: np.ndarray,
    weights: Weights,
) -> np.ndarray:
    """Return the posterior means of the coefficients of each row or column given the design.

    With ψ_n = offset_n + x_n b and b ~ N(centers, diag(precisions)⁻¹), a cell's likelihood enters as
    h ψ - w ψ² / 2, so q(b) is N(m, S) with S⁻¹ = diag(precisions) + Σ_n w_n x_n x_n' and
    S⁻¹ m = precisions centers + Σ_n (h_n - w_n offset_n) x_n, where h and w are renewed at E ψ and E ψ² until m stands
    still. A missing cell has h = w = 0; a row or column without any keeps its prior. A row or column depends on no
    other.

    Parameters
    ----------
    values : array (rows, n)
        In the likelihood's coding.
    design : float array (n, D)
        Taken as known.
    precisions, centers, offset : float arrays (D,), (D,), (n,)
    weights : Weights

    Returns
    -------
    float array (rows, D)
    """
    n, D = design.shape
    means = np.zeros((len(values), D))
    if D:
        for block in in_blocks(len(values), n):
            means[block], _ = _regress(values[block], design, precisions, centers, offset, weights)
    return means


def regress_rows_with_variance(
    values: np.ndarray,
    design: np.ndarray,
    precisions: np.ndarray,
    centers: np.ndarray,
    offset: np.ndarray,
    weights: Weights,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `regress_rows` does, (rows, D), and the variance of each ψ under q, float array (rows, n)."""
    n, D = design.shape
    means, variance = np.zeros((len(values), D)), np.zeros((len(values), n))
    if D:
        first, second = np.triu_indices(D)
        pairs = design[:, first] * design[:, second] * np.where(first == second, 1.0, 2.0)
        for block in in_blocks(len(values), n):
            means[block], packed_S = _regress(values[block], design, precisions, centers, offset, weights)
            variance[block] = packed_S @ pairs.T
    return means, np.maximum(variance, 0.0)


def _regress(values, design, precisions, centers, offset, weights):
    D = design.shape[1]
    first, second = np.triu_indices(D)
    pairs = design[:, first] * design[:, second]  # packed x x', (n, D (D + 1) / 2)
    doubled = np.where(first == second, 1.0, 2.0)  # x' S x from packed S
    means, packed_S = np.tile(centers, (len(values), 1)), np.zeros((len(values), first.size))
    packed_S[:, first == second] = 1.0 / precisions

    def renew(rows):
        psi = offset + means[rows] @ design.T
        square = psi**2 + (packed_S[rows] * doubled) @ pairs.T
        h, w = weights(values[rows], psi, np.maximum(square, psi**2))
        P = np.zeros((rows.size, D, D))
        P[:, first, second] = P[:, second, first] = w @ pairs
        P[:, range(D), range(D)] += precisions
        S = np.linalg.inv(P)
        new = np.einsum("ldc,lc->ld", S, (h - w * offset) @ design + precisions * centers)
        moved = np.abs(new - means[rows]).max(axis=1) > TOLERANCE
        means[rows], packed_S[rows] = new, S[:, first, second]
        return moved

    refine(len(values), renew, MAX_ROUNDS)
    return means, packed_S
