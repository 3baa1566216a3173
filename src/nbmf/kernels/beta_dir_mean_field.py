"""Mean-field variational inference of the Beta-Dir model: binary ICA (Kabán and Bingham 2008).

q(W) q(H) q(Z) are updated in turn. With W~ = exp E[log W], H1~ = exp E[log H] and
H0~ = exp E[log(1 - H)], the responsibility of k for a one is W~_fk H1~_kn / (W~ H1~)_fn, so the
expected counts need no responsibilities: five matrix products an iteration.
"""

import numpy as np
from scipy.special import betaln, digamma, gammaln

from nbmf.kernels.cells import random_assignments
from nbmf.models import beta_dir
from nbmf.models.beta_dir import Counts


class BetaDirMeanField:
    """The variational distribution q(W) q(H) q(Z) of the Beta-Dir model and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components.
    alpha, beta, gamma : float or array (K,)
        Beta and Dirichlet hyperparameters.
    seed : SeedSequence
        Source of the start, the counts of random assignments, unless Z is given.
    Z : int array (F, N), optional
        Initial assignments, -1 where missing.
    """

    def __init__(self, codes, K, alpha, beta, gamma, seed, *, Z=None):
        if Z is None:
            Z = random_assignments(codes, K, np.random.default_rng(seed))
        self._ones = (codes == 1).astype(float)
        self._zeros = (codes == 0).astype(float)
        self._alpha = np.broadcast_to(alpha, K).astype(float)[:, None]
        self._beta = np.broadcast_to(beta, K).astype(float)[:, None]
        self._gamma = np.broadcast_to(gamma, K).astype(float)
        self._counts = beta_dir.counts(codes, Z, K)

    def update(self, n_iter: int = 1) -> None:
        """Update q(W), q(H) and then q(Z), `n_iter` times."""
        for _ in range(n_iter):
            W, H1, H0 = self._geometric_means()
            ones = np.divide(
                self._ones, W @ H1, out=np.zeros_like(self._ones), where=self._ones > 0
            )
            zeros = np.divide(
                self._zeros, W @ H0, out=np.zeros_like(self._zeros), where=self._zeros > 0
            )
            self._counts = Counts(
                L=W * (ones @ H1.T + zeros @ H0.T), A=H1 * (W.T @ ones), B=H0 * (W.T @ zeros)
            )

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        return self._counts

    def bound(self) -> float:
        """Return the evidence lower bound in nats, at the best q(Z) for the current q(W) q(H).

        With that q(Z), E[log p(V, Z | W, H)] plus the entropy of q(Z) is Σ log (W~ H~)_fn.
        """
        W, H1, H0 = self._geometric_means()
        fit = _masked_log_sum(self._ones, W @ H1) + _masked_log_sum(self._zeros, W @ H0)
        L, A, B = self._counts
        row = self._gamma + L
        log_W = digamma(row) - digamma(row.sum(axis=1, keepdims=True))
        divergence_W = (
            gammaln(row.sum(axis=1)).sum()
            - L.shape[0] * gammaln(self._gamma.sum())
            - (gammaln(row) - gammaln(self._gamma)).sum()
            + (L * log_W).sum()
        )
        a, b = self._alpha + A, self._beta + B
        both = digamma(a + b)
        divergence_H = (
            betaln(self._alpha, self._beta)
            - betaln(a, b)
            + A * (digamma(a) - both)
            + B * (digamma(b) - both)
        ).sum()
        return float(fit - divergence_W - divergence_H)

    def _geometric_means(self):
        """Return W~, H1~ and H0~, the exponentials of expected logarithms."""
        L, A, B = self._counts
        row = self._gamma + L
        a, b = self._alpha + A, self._beta + B
        both = digamma(a + b)
        return (
            np.exp(digamma(row) - digamma(row.sum(axis=1, keepdims=True))),
            np.exp(digamma(a) - both),
            np.exp(digamma(b) - both),
        )


def _masked_log_sum(mask: np.ndarray, values: np.ndarray) -> float:
    """Return Σ log values over the entries where `mask` is one."""
    return float(np.log(values[mask > 0]).sum())
