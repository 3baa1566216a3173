"""The Dir-Dir model (paper, 3.1 and 5): w_f ~ Dirichlet, h_n ~ Dirichlet, V ~ Bernoulli(WH).

Assignments Z (row side) and C (column side) are int arrays (F, N), -1 where missing; an observed
entry is one exactly where they agree, eq. (49). Hyperparameters gamma, eta are scalars or
arrays (K,).
"""

from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet.models.urns import draw_weights, expected_weights, log_urns


class Counts(NamedTuple):
    """The counters of section 5.2: L (F, K) of Z along rows, Q (K, N) of C along columns."""

    L: np.ndarray
    Q: np.ndarray


def simulate(F: int, N: int, K: int, gamma, eta, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw W (F, K), H (K, N) from the prior and V (F, N, int8) from Bernoulli(WH)."""
    W = rng.dirichlet(np.broadcast_to(gamma, K), size=F)
    H = rng.dirichlet(np.broadcast_to(eta, K), size=N).T
    V = (rng.random((F, N)) < W @ H).astype(np.int8)
    return W, H, V


def random_partners(codes: np.ndarray, Z: np.ndarray, K: int, rng: np.random.Generator):
    """Return C: equal to Z at ones, and uniform over the other components at zeros."""
    others = (Z + 1 + rng.integers(max(K - 1, 1), size=codes.shape)) % K
    return np.where(codes == 0, others, Z)


def counts(Z: np.ndarray, C: np.ndarray, K: int) -> Counts:
    """Count the assignments of the observed entries."""
    components = np.arange(K)[None, :, None]
    return Counts(L=(Z[:, None, :] == components).sum(axis=2), Q=(C[:, None, :] == components).sum(axis=0))


def log_joint_of_counts(counts: Counts, gamma, eta) -> float:
    """Return log p(Z, C) in nats, eqs. (54)-(55): log p(V, Z, C) where Z and C agree with V."""
    K = counts.L.shape[1]
    gamma = np.broadcast_to(np.asarray(gamma, float), K)
    eta = np.broadcast_to(np.asarray(eta, float), K)
    return log_urns(counts.L, gamma) + log_urns(counts.Q.T, eta)


def log_joint(codes: np.ndarray, Z: np.ndarray, C: np.ndarray, K: int, gamma, eta) -> float:
    """Return log p(V, Z, C) in nats, eq. (53); -inf where Z and C contradict V, eq. (56)."""
    observed = codes >= 0
    if ((Z == C) != (codes == 1))[observed].any():
        return -np.inf
    return log_joint_of_counts(counts(Z, C, K), gamma, eta)


def expected_factors(counts: Counts, gamma, eta) -> tuple[np.ndarray, np.ndarray]:
    """Return E[W | Z] (F, K) and E[H | C] (K, N), the means of eqs. (62)-(63)."""
    K = counts.L.shape[1]
    gamma, eta = (np.broadcast_to(prior, K).astype(float) for prior in (gamma, eta))
    return expected_weights(counts.L, gamma), expected_weights(counts.Q.T, eta).T


def draw_factors(counts: Counts, gamma, eta, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw W (F, K) and H (K, N) given the assignments, eqs. (62)-(63)."""
    K = counts.L.shape[1]
    gamma, eta = (np.broadcast_to(prior, K).astype(float) for prior in (gamma, eta))
    return draw_weights(counts.L, gamma, rng), draw_weights(counts.Q.T, eta, rng).T
