"""New rows and columns given the other factor: regressions by variational Bayes, all at once."""

from collections.abc import Callable

import numpy as np

from nbmf.inference.blocks import in_blocks, refine

MAX_ROUNDS = 1000
TOLERANCE = 1e-7  # of the coefficients of a row or column, in units of ψ
NEWTON_ROUNDS, HALVINGS = 60, 20
NEAR = 1e-3  # likewise, of what is only where to begin
STEP = 1e-4  # of ψ, over which a slope is differentiated

# From the cells' values (rows, n), E ψ and E ψ² to h and w of their forms h ψ - w ψ² / 2.
Weights = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def regress_rows(
    values: np.ndarray,
    design: np.ndarray,
    precisions: np.ndarray,
    centers: np.ndarray,
    offset: np.ndarray,
    weights: Weights,
    from_modes: bool = False,
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
    from_modes : bool
        Begin at the modes instead of at the centers: of large counts each round goes only a small part of the way.

    Returns
    -------
    float array (rows, D)
    """
    n, D = design.shape
    means = np.zeros((len(values), D))
    if D:
        for block in in_blocks(len(values), max(n, D**2)):
            given = values[block], design, precisions, centers, offset, weights
            means[block], _ = _regress(*given, modes(*given) if from_modes else None)
    return means


def regress_rows_with_variance(
    values: np.ndarray,
    design: np.ndarray,
    precisions: np.ndarray,
    centers: np.ndarray,
    offset: np.ndarray,
    weights: Weights,
    unit: np.ndarray | float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `regress_rows` does, (rows, D), and the variance of each ψ under q, float array (rows, n).

    `unit` is by how much ψ moves, about, with each coefficient (D,), in units of TOLERANCE.
    """
    n, D = design.shape
    means, variance = np.zeros((len(values), D)), np.zeros((len(values), n))
    if D:
        first, second = np.triu_indices(D)
        pairs = design[:, first] * design[:, second] * np.where(first == second, 1.0, 2.0)
        for block in in_blocks(len(values), max(n, D**2)):
            means[block], packed_S = _regress(values[block], design, precisions, centers, offset, weights, unit=unit)
            variance[block] = packed_S @ pairs.T
    return means, np.maximum(variance, 0.0)


def modes(values, design, precisions, centers, offset, weights):
    """Return the coefficients at which the posterior density of each row is largest: arguments as of `regress_rows`.

    By Newton's method. The slope of the log likelihood in ψ is h - w ψ where ψ has no variance, which falls with ψ; a
    step is halved until the slope at its end is hardly below 0.
    """
    first, second = np.triu_indices(design.shape[1])
    pairs = design[:, first] * design[:, second]
    means = np.tile(centers, (len(values), 1))

    def slopes(rows, psi):
        h, w = weights(values[rows], psi, psi**2)
        return h - w * psi

    def gradients(rows, at):
        return slopes(rows, offset + at @ design.T) @ design - precisions * (at - centers)

    def renew(rows):
        at, psi = means[rows], offset + means[rows] @ design.T
        curvature = np.maximum(slopes(rows, psi - STEP) - slopes(rows, psi + STEP), 0.0) / (2.0 * STEP)
        P = np.zeros((rows.size, len(centers), len(centers)))
        P[:, first, second] = P[:, second, first] = curvature @ pairs
        P[:, range(len(centers)), range(len(centers))] += precisions
        gradient = gradients(rows, at)
        step = np.linalg.solve(P, gradient[:, :, None])[:, :, 0]
        for _ in range(HALVINGS):
            rise = (gradient * step).sum(axis=1)
            too_far = (gradients(rows, at + step) * step).sum(axis=1) < -0.5 * rise
            if not too_far.any():
                break
            step[too_far] /= 2.0
        means[rows] = at + step
        return np.abs(step).max(axis=1) > NEAR

    refine(len(values), renew, NEWTON_ROUNDS)
    return means


def _regress(values, design, precisions, centers, offset, weights, start=None, unit=1.0):
    D = design.shape[1]
    first, second = np.triu_indices(D)
    pairs = design[:, first] * design[:, second]  # packed x x', (n, D (D + 1) / 2)
    doubled = np.where(first == second, 1.0, 2.0)  # x' S x from packed S
    means = np.tile(centers, (len(values), 1)) if start is None else start
    packed_S = np.zeros((len(values), first.size))
    if start is None:
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
        moved = (np.abs(new - means[rows]) * unit).max(axis=1) > TOLERANCE
        means[rows], packed_S[rows] = new, S[:, first, second]
        return moved

    if start is not None:
        renew(np.arange(len(values)))  # at a mode means stand still until there are variances
    refine(len(values), renew, MAX_ROUNDS)
    return means, packed_S
