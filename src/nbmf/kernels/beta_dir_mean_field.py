"""Mean-field variational inference of the Beta-Dir model: binary ICA (Kabán and Bingham 2008).

q(W) q(H) q(Z) are updated in turn. With W~ = exp E[log W], H1~ = exp E[log H] and
H0~ = exp E[log(1 - H)], the responsibility of k for a one is W~_fk H1~_kn / (W~ H1~)_fn, so the
expected counts need no responsibilities. Ones and zeros stand side by side, H~ = [H1~ H0~] and
V~ = [V 1-V]: three matrix products an iteration.
"""

import numpy as np
from scipy.special import betaln, digamma, gammaln

from nbmf.kernels.cells import random_assignments
from nbmf.models import beta_dir
from nbmf.models.beta_dir import Counts

SMALLEST = np.finfo(float).tiny  # keeps 0 / 0 out of unobserved entries whose factors underflow


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
        self._observed = np.hstack([codes == 1, codes == 0]).astype(float)  # V~, F x 2N
        self._ratio = np.empty_like(self._observed)  # V~ / (W~ H~)
        self._alpha = np.broadcast_to(alpha, K).astype(float)[:, None]
        self._beta = np.broadcast_to(beta, K).astype(float)[:, None]
        self._gamma = np.broadcast_to(gamma, K).astype(float)
        self._counts = beta_dir.counts(codes, Z, K)

    def update(self, n_iter: int = 1) -> None:
        """Update q(W), q(H) and then q(Z), `n_iter` times."""
        N = self._observed.shape[1] // 2
        for _ in range(n_iter):
            W, H = self._geometric_means()
            np.matmul(W, H, out=self._ratio)
            np.maximum(self._ratio, SMALLEST, out=self._ratio)
            np.divide(self._observed, self._ratio, out=self._ratio)
            by_value = H * (W.T @ self._ratio)
            self._counts = Counts(L=W * (self._ratio @ H.T), A=by_value[:, :N], B=by_value[:, N:])

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        return self._counts

    def bound(self) -> float:
        """Return the evidence lower bound in nats, at the best q(Z) for the current q(W) q(H).

        With that q(Z), E[log p(V, Z | W, H)] plus the entropy of q(Z) is Σ log (W~ H~)_fn.
        """
        W, H = self._geometric_means()
        fit = np.log((W @ H)[self._observed > 0]).sum()
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
        """Return W~ (F, K) and H~ (K, 2N), the exponentials of expected logarithms."""
        L, A, B = self._counts
        row = self._gamma + L
        a, b = self._alpha + A, self._beta + B
        both = digamma(a + b)
        return (
            np.exp(digamma(row) - digamma(row.sum(axis=1, keepdims=True))),
            np.exp(np.hstack([digamma(a) - both, digamma(b) - both])),
        )
