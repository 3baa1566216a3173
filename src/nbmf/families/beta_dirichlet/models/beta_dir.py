"""The Beta-Dir model (paper, 3.1 and 4): h_kn ~ Beta, w_f ~ Dirichlet, V ~ Bernoulli(WH).

Assignments Z are an int array (F, N): the component of each observed entry, -1 where missing.
Hyperparameters alpha, beta, gamma are scalars or arrays (K,).
"""

from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet.models.urns import (
    draw_weights,
    expected_weights,
    log_rising,
    log_urns,
)


class Counts(NamedTuple):
    """The counters of section 4.2.

    L : array (F, K), how often row f uses component k;
    A : array (K, N), how often component k explains a one of column n;
    B : array (K, N), how often it explains a zero.
    """

    L: np.ndarray
    A: np.ndarray
    B: np.ndarray


def simulate(
    F: int, N: int, K: int, alpha, beta, gamma, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw W (F, K), H (K, N) from the prior and V (F, N, int8) from Bernoulli(WH)."""
    W = rng.dirichlet(np.broadcast_to(gamma, K), size=F)
    H = rng.beta(np.broadcast_to(alpha, K)[:, None], np.broadcast_to(beta, K)[:, None], (K, N))
    V = (rng.random((F, N)) < W @ H).astype(np.int8)
    return W, H, V


def counts(codes: np.ndarray, Z: np.ndarray, K: int) -> Counts:
    """Count the assignments Z of the observed entries of `codes` (int8, 1, 0, -1)."""
    one_hot = Z[:, None, :] == np.arange(K)[None, :, None]  # F x K x N; -1 matches nothing
    return Counts(
        L=one_hot.sum(axis=2),
        A=(one_hot & (codes == 1)[:, None, :]).sum(axis=0),
        B=(one_hot & (codes == 0)[:, None, :]).sum(axis=0),
    )


def log_joint_of_counts(counts: Counts, alpha, beta, gamma) -> float:
    """Return log p(V, Z) in nats, eqs. (22)-(24), from the counters."""
    L, A, B = counts
    K = L.shape[1]
    alpha, beta, gamma = (np.broadcast_to(x, K).astype(float) for x in (alpha, beta, gamma))
    return log_urns(L, gamma) + log_likelihood(A, B, alpha, beta)


def log_likelihood(A: np.ndarray, B: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> float:
    """Return log p(V | Z) in nats, eq. (23), from the counters A and B (K, N); alpha, beta (K,).

    Components without counts may be left out.
    """
    alpha, beta = alpha[:, None], beta[:, None]
    return log_rising(A, alpha) + log_rising(B, beta) - log_rising(A + B, alpha + beta)


def log_joint(codes: np.ndarray, Z: np.ndarray, K: int, alpha, beta, gamma) -> float:
    """Return log p(V, Z) in nats, eqs. (22)-(24)."""
    return log_joint_of_counts(counts(codes, Z, K), alpha, beta, gamma)


def conditional(codes: np.ndarray, Z: np.ndarray, f: int, n: int, K: int, alpha, beta, gamma):
    """Return p(z_fn = k | all other z, V), array (K,), eq. (25)."""
    others = Z.copy()
    others[f, n] = -1
    L, A, B = counts(codes, others, K)
    likelihood = (alpha + A[:, n]) if codes[f, n] == 1 else (beta + B[:, n])
    weights = (gamma + L[f]) * likelihood / (alpha + beta + A[:, n] + B[:, n])
    return weights / weights.sum()


def expected_factors(counts: Counts, alpha, beta, gamma) -> tuple[np.ndarray, np.ndarray]:
    """Return E[W | Z] (F, K) and E[H | Z] (K, N), eqs. (28)-(29).

    Expected counts E_q[L], E_q[A], E_q[B] give the variational means, eqs. (37)-(38).
    """
    K = counts.L.shape[1]
    W = expected_weights(counts.L, np.broadcast_to(gamma, K).astype(float))
    return W, expected_H(counts.A, counts.B, np.broadcast_to(alpha, K), np.broadcast_to(beta, K))


def expected_H(A: np.ndarray, B: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Return E[H | Z] (K, N) from the counters A and B (K, N), eq. (29); alpha, beta (K,)."""
    alpha, beta = alpha[:, None], beta[:, None]
    return (alpha + A) / (alpha + beta + A + B)


def draw_factors(
    counts: Counts, alpha, beta, gamma, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw W (F, K) and H (K, N) given the assignments, eqs. (26)-(27).

    Expected counts give a draw from the variational q(W) q(H).
    """
    L, A, B = counts
    K = L.shape[1]
    alpha, beta, gamma = (np.broadcast_to(x, K).astype(float) for x in (alpha, beta, gamma))
    return draw_weights(L, gamma, rng), rng.beta(alpha[:, None] + A, beta[:, None] + B)
