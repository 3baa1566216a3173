"""The Beta-Dir model (paper, 3.1 and 4): h_kn ~ Beta, w_f ~ Dirichlet, V ~ Bernoulli(WH).

Assignments Z are an int array (F, N): the component of each observed entry, -1 where missing.
Hyperparameters are scalars or arrays (K,); alpha and beta may also be tables that broadcast to
(K, N), such as (1, N) where a column has a prior of its own.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

from nbmf.families.beta_dirichlet.models.urns import draw_weights, expected_weights, log_rising, log_urns


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
    H = rng.beta(broadcast_to_H(alpha, K), broadcast_to_H(beta, K), (K, N))
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
    return log_urns(L, np.broadcast_to(gamma, L.shape[1]).astype(float)) + log_likelihood(A, B, alpha, beta)


def broadcast_to_H(prior, K: int) -> np.ndarray:
    """Return a Beta hyperparameter as a table that broadcasts to (K, N)."""
    prior = np.asarray(prior, float)
    return prior if prior.ndim == 2 else np.broadcast_to(prior, K)[:, None]


def log_likelihood(A: np.ndarray, B: np.ndarray, alpha, beta) -> float:
    """Return log p(V | Z) in nats, eq. (23), from the counters A and B (K, N).

    Components without counts may be left out.
    """
    alpha, beta = broadcast_to_H(alpha, len(A)), broadcast_to_H(beta, len(A))
    return log_rising(A, alpha) + log_rising(B, beta) - log_rising(A + B, alpha + beta)


def log_joint(codes: np.ndarray, Z: np.ndarray, K: int, alpha, beta, gamma) -> float:
    """Return log p(V, Z) in nats, eqs. (22)-(24)."""
    return log_joint_of_counts(counts(codes, Z, K), alpha, beta, gamma)


def log_joint_of_one(codes: np.ndarray, alpha, beta, gamma: np.ndarray) -> float:
    """Return log p(V, Z) in nats where one component explains all entries: the one that does it best.

    With K = 1 this is log p(V): columns are beta-binomial. gamma is an array (K,).
    """
    alpha, beta = broadcast_to_H(alpha, gamma.size), broadcast_to_H(beta, gamma.size)
    ones, zeros, observed = (codes == 1).sum(axis=0), (codes == 0).sum(axis=0), (codes >= 0).sum(axis=1)
    of_columns = (betaln(alpha + ones, beta + zeros) - betaln(alpha, beta)).sum(axis=1)
    of_rows = (gammaln(gamma + observed[:, None]) - gammaln(gamma)).sum(axis=0)
    of_all_rows = (gammaln(gamma.sum() + observed) - gammaln(gamma.sum())).sum()
    return float((of_columns + of_rows).max() - of_all_rows)


def expected_factors(counts: Counts, alpha, beta, gamma) -> tuple[np.ndarray, np.ndarray]:
    """Return E[W | Z] (F, K) and E[H | Z] (K, N), eqs. (28)-(29).

    Expected counts E_q[L], E_q[A], E_q[B] give the variational means, eqs. (37)-(38).
    """
    K = counts.L.shape[1]
    W = expected_weights(counts.L, np.broadcast_to(gamma, K).astype(float))
    return W, expected_H(counts.A, counts.B, alpha, beta)


def expected_H(A: np.ndarray, B: np.ndarray, alpha, beta) -> np.ndarray:
    """Return E[H | Z] (K, N) from the counters A and B (K, N), eq. (29)."""
    alpha, beta = broadcast_to_H(alpha, len(A)), broadcast_to_H(beta, len(A))
    return (alpha + A) / (alpha + beta + A + B)


def draw_factors(counts: Counts, alpha, beta, gamma, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw W (F, K) and H (K, N) given the assignments, eqs. (26)-(27).

    Expected counts give a draw from the variational q(W) q(H).
    """
    L, A, B = counts
    K = L.shape[1]
    W = draw_weights(L, np.broadcast_to(gamma, K).astype(float), rng)
    return W, rng.beta(broadcast_to_H(alpha, K) + A, broadcast_to_H(beta, K) + B)
