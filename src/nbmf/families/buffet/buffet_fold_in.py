"""New rows and columns given the other factor: ridge regressions, logistic ones by mean field."""

import numpy as np

from nbmf.inference.blocks import in_blocks, refine

TOLERANCE = 1e-10  # of a row's or column's coefficients, between two rounds
ROUNDS = 500
NUMBERS_AT_ONCE = 2**21  # of the largest temporary array


def ridge_rows(weights: np.ndarray, targets: np.ndarray, design: np.ndarray, precisions: np.ndarray) -> np.ndarray:
    """Return the means of normal distributions, one for each row or column, float array (rows, J).

    Parameters
    ----------
    weights : float array (rows, entries)
        Precisions of the entries, 0 where missing.
    targets : float array (rows, entries)
        Precisions times values.
    design : float array (entries, J)
    precisions : float array (J,)
        Of the coefficients a priori, with mean 0.
    """
    J = design.shape[1]
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), J * J)
    A = (weights @ products).reshape(len(weights), J, J) + np.diag(precisions)
    return np.linalg.solve(A, (targets @ design)[:, :, None])[:, :, 0]


def logistic_rows(
    codes: np.ndarray, design: np.ndarray, offset: np.ndarray, precisions: np.ndarray, centers: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean-field means of logistic regressions, one for each row or column, (rows, J), and variances of ψ.

    These are of each entry, float array (rows, entries).

    q(coefficients) q(ω), ω ~ PG(1, ψ), which are Jaakkola and Jordan's bounds: E[ω] = tanh(c/2) /
    2c with c² = E[ψ²]. A row or column stops when it stands still, and depends on no other one.

    Parameters
    ----------
    codes : int8 array (rows, entries)
        1, 0, -1 (missing).
    design, precisions
        As for `ridge_rows`.
    offset : float array (entries,)
        What log-odds have besides the coefficients.
    centers : float array (J,)
        Means of the coefficients a priori.
    """
    J = max(1, design.shape[1])
    means, variances = np.zeros((len(codes), design.shape[1])), np.zeros(codes.shape)
    for block in in_blocks(len(codes), J * J + len(design), NUMBERS_AT_ONCE):
        means[block], variances[block] = _moments_of_block(codes[block], design, offset, precisions, centers)
    return means, variances


def _moments_of_block(codes, design, offset, precisions, centers):
    J = design.shape[1]
    means = np.tile(centers, (len(codes), 1))
    observed, signal = codes >= 0, np.where(codes < 0, 0.0, codes - 0.5)
    products = (design[:, :, None] * design[:, None, :]).reshape(len(design), J * J)
    second = np.broadcast_to(np.diag(1.0 / precisions), (len(codes), J, J)).copy()

    def renew(rows):
        mean, spread = means[rows], second[rows].reshape(rows.size, J * J)
        psi = offset + mean @ design.T
        c = np.sqrt(psi**2 + spread @ products.T)
        omega = observed[rows] * _expected_omega(c)
        A = (omega @ products).reshape(rows.size, J, J) + np.diag(precisions)
        covariance = np.linalg.inv(A)
        b = (signal[rows] - omega * offset) @ design + precisions * centers
        now = (covariance @ b[:, :, None])[:, :, 0]
        means[rows], second[rows] = now, covariance
        return np.abs(now - mean).max(axis=1, initial=0.0) > TOLERANCE

    refine(len(codes), renew, ROUNDS)
    return means, np.maximum(second.reshape(len(codes), J * J) @ products.T, 0.0)


def _expected_omega(c: np.ndarray) -> np.ndarray:
    """Return E[ω] of ω ~ PG(1, c), tanh(c/2) / 2c."""
    safe = np.maximum(c, 1e-6)  # below, it is 1/4 to the last digit
    return np.tanh(safe / 2) / (2 * safe)
