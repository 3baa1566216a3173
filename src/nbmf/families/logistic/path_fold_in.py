"""New rows that move, given the columns: a regression in every period, tied by the walk, by variational Bayes."""

from typing import NamedTuple

import numpy as np

from nbmf.families.logistic.logistic_fold_in import MAX_ROUNDS, TOLERANCE, Weights
from nbmf.inference.blocks import in_blocks, refine

RELATIVE = 1e-12  # to the largest variance: positions do not vary along axes with less


class Walk(NamedTuple):
    """How rows move a priori.

    start_mean, start : float arrays (K,), (K, K)
        Mean and covariance of where a row is in its first period.
    step : float array (K, K)
        The covariance of a step over one unit of time.
    gaps : float array (T - 1,)
        The time from each period to the next.
    """

    start_mean: np.ndarray
    start: np.ndarray
    step: np.ndarray
    gaps: np.ndarray


def smooth(precision: np.ndarray, linear: np.ndarray, first: np.ndarray, walk: Walk) -> tuple[np.ndarray, np.ndarray]:
    """Return the means (R, T, K) and covariances (R, T, K, K) of the paths of R rows.

    The recursions of kernels.paths with a step of any covariance Q:

        L_(t+1) = P_(t+1) + (I + L_t Q)⁻¹ L_t,   u_t | u_(t+1) ~ N(A⁻¹ (Q l_t + u_(t+1)), A⁻¹ Q),   A = I + Q L_t

    Before a row's first period L is 0, so that there it walks backward.

    Parameters
    ----------
    precision, linear : float arrays (R, T, K, K), (R, T, K)
        Of each period b·u - u' P u / 2.
    first : int array (R,)
        The period of the start of each row.
    walk : Walk
    """
    R, T, K = linear.shape
    P, b, rows, eye = precision.copy(), linear.copy(), np.arange(R), np.eye(K)
    start = np.linalg.inv(walk.start)
    P[rows, first] += start
    b[rows, first] += start @ walk.start_mean
    L, filtered = P, b  # filtered in place
    steps = [gap * walk.step for gap in walk.gaps]
    for t, Q in enumerate(steps):
        A = eye + L[:, t] @ Q
        L[:, t + 1] += np.linalg.solve(A, L[:, t])
        filtered[:, t + 1] += np.linalg.solve(A, filtered[:, t, :, None])[..., 0]
    means, covariances = np.empty((R, T, K)), np.empty((R, T, K, K))
    covariances[:, -1] = np.linalg.inv(L[:, -1])
    means[:, -1] = np.einsum("rkc,rc->rk", covariances[:, -1], filtered[:, -1])
    for t in range(T - 2, -1, -1):
        Q = steps[t]
        back = np.linalg.inv(eye + Q @ L[:, t])
        means[:, t] = np.einsum("rkc,rc->rk", back, filtered[:, t] @ Q + means[:, t + 1])
        covariances[:, t] = back @ Q + back @ covariances[:, t + 1] @ back.transpose(0, 2, 1)
    return means, covariances


def regress_paths(
    values: np.ndarray, design: np.ndarray, periods: np.ndarray, offset: np.ndarray, walk: Walk, weights: Weights
) -> np.ndarray:
    """Return the posterior means of the paths of new rows given the columns, float array (R, T, K).

    As `regress_rows`: cells enter as h ψ - w ψ² / 2, renewed at E ψ and E ψ² until the means stand still. A row without
    entries has its prior; it starts in the first period. Along axes on which first positions do not vary, rows stay
    at the mean: steps have the same axes, since both were turned alike.

    Parameters
    ----------
    values : array (R, N)
        In the likelihood's coding.
    design, offset : float arrays (N, K), (N,)
        H' and the effects of columns.
    periods : int array (N,)
        Of the columns.
    walk : Walk
    weights : Weights
    """
    axes = _position_axes(walk.start)
    if axes.shape[1] < design.shape[1]:
        along = _project_walk(axes, walk), weights
        means = regress_paths(values, design @ axes, periods, offset + design @ walk.start_mean, *along)
        return walk.start_mean + means @ axes.T
    T, K = walk.gaps.size + 1, design.shape[1]
    means = np.empty((len(values), T, K))
    if K == 0:
        return means
    for block in in_blocks(len(values), design.shape[0] + T * K * K):
        means[block] = _regress(values[block], design, periods, offset, walk, weights)
    return means


def _position_axes(covariance: np.ndarray) -> np.ndarray:
    """Return orthonormal axes (K, r) along which positions vary: where W H is of lower rank than K, r is that rank."""
    variances, axes = np.linalg.eigh(covariance)
    return axes[:, variances > RELATIVE * variances.max(initial=0.0)]


def _project_walk(axes: np.ndarray, walk: Walk) -> Walk:
    """Return the walk of the coordinates along some axes (K, r), from 0 where positions have their mean."""
    start, step = (axes.T @ covariance @ axes for covariance in (walk.start, walk.step))
    return Walk(np.zeros(axes.shape[1]), start, step, walk.gaps)


def _regress(values, design, periods, offset, walk, weights):
    (R, N), (K, T) = values.shape, (design.shape[1], walk.gaps.size + 1)
    pairs = np.einsum("nk,nc->nkc", design, design).reshape(N, K * K)
    members = [np.flatnonzero(periods == t) for t in range(T)]
    means, covariances = np.tile(walk.start_mean, (R, T, 1)), np.tile(walk.start, (R, T, 1, 1))
    first = np.zeros(R, int)
    _, seen = weights(values, np.zeros(values.shape), np.ones(values.shape))  # 0 of missing cells alone

    def renew(rows):
        psi = offset + np.einsum("rnk,nk->rn", means[rows][:, periods], design)
        spread = np.einsum("rnk,nk->rn", covariances[rows].reshape(rows.size, T, -1)[:, periods], pairs)
        h, w = weights(values[rows], psi, psi**2 + np.maximum(spread, 0.0))
        P, b = np.zeros((rows.size, T, K, K)), np.zeros((rows.size, T, K))
        for t, here in enumerate(members):
            P[:, t] = (w[:, here] @ pairs[here]).reshape(-1, K, K)
            b[:, t] = (h - w * offset)[:, here] @ design[here]
        new, covariances[rows] = smooth(P, b, first[rows], walk)
        moved = np.abs(new - means[rows]).max(axis=(1, 2)) > TOLERANCE
        means[rows] = new
        return moved

    there = np.stack([(seen[:, here] > 0).any(axis=1) for here in members], axis=1)
    first[:] = there.argmax(axis=1)
    refine(R, renew, MAX_ROUNDS)
    return means
