"""New lines given the other factor: regressions by variational Bayes, all lines at once."""

from collections.abc import Callable

import numpy as np

MAX_ITER = 1000
TOL = 1e-7  # of the means of a line, in units of ψ
NUMBERS_AT_ONCE = 2**22  # 32 MB, of each of the few arrays that this needs

# From the cells' values (lines, n), E ψ and E ψ² to h and w of their forms h ψ - w ψ² / 2.
Weights = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def regress_lines(
    values: np.ndarray, design: np.ndarray, precisions: np.ndarray, offset: np.ndarray, weights: Weights
) -> np.ndarray:
    """Return the posterior means of the coefficients of each line given the design.

    With ψ_n = offset_n + x_n b and b ~ N(0, diag(precisions)⁻¹), a cell's law enters as
    h ψ - w ψ² / 2, so q(b) is N(m, S) with S⁻¹ = diag(precisions) + Σ_n w_n x_n x_n' and
    S⁻¹ m = Σ_n (h_n - w_n offset_n) x_n, where h and w are renewed at E ψ and E ψ² until m stands
    still. A missing cell has h = w = 0; a line without any keeps its prior. A line depends on no
    other.

    Parameters
    ----------
    values : array (lines, n)
        In the likelihood's coding.
    design : float array (n, D)
        Taken as known.
    precisions, offset : float arrays (D,), (n,)
    weights : Weights

    Returns
    -------
    float array (lines, D)
    """
    lines, (n, D) = len(values), design.shape
    at_once = max(1, NUMBERS_AT_ONCE // max(n, 1))
    found = np.zeros((lines, D))
    if D:
        for first in range(0, lines, at_once):
            part = slice(first, first + at_once)
            found[part] = _regress(values[part], design, precisions, offset, weights)
    return found


def _regress(values, design, precisions, offset, weights):
    lines, D = len(values), design.shape[1]
    first, second = np.triu_indices(D)
    pairs = design[:, first] * design[:, second]  # packed x x', (n, D (D + 1) / 2)
    doubled = np.where(first == second, 1.0, 2.0)  # x' S x from packed S
    means, packed_S = np.zeros((lines, D)), np.zeros((lines, first.size))
    packed_S[:, first == second] = 1.0 / precisions
    going = np.arange(lines)
    for _ in range(MAX_ITER):
        psi = offset + means[going] @ design.T
        square = psi**2 + (packed_S[going] * doubled) @ pairs.T
        h, w = weights(values[going], psi, np.maximum(square, psi**2))
        P = np.zeros((going.size, D, D))
        P[:, first, second] = P[:, second, first] = w @ pairs
        P[:, range(D), range(D)] += precisions
        S = np.linalg.inv(P)
        new = np.einsum("ldc,lc->ld", S, (h - w * offset) @ design)
        moves = np.abs(new - means[going]).max(axis=1) > TOL
        means[going], packed_S[going] = new, S[:, first, second]
        going = going[moves]
        if going.size == 0:
            break
    return means
