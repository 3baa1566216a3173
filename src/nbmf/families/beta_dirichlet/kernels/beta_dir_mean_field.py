"""Mean-field variational inference of the Beta-Dir model: binary ICA (Kabán and Bingham 2008).

q(W), q(H) and q(Z) are updated alternately. With W~ = exp E[log W], H1~ = exp E[log H] and
H0~ = exp E[log(1 - H)], the responsibility of k for a one is W~_fk H1~_kn / (W~ H1~)_fn, so the
expected counts need no responsibilities. Ones and zeros stand side by side, H~ = [H1~ H0~] and
V~ = [V 1-V]: three matrix products an iteration.
"""

import numpy as np
from scipy.special import betaln, digamma, gammaln

from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.models.beta_dir import Counts
from nbmf.numerics.cells import random_assignments
from nbmf.numerics.compilation import kernel
from nbmf.seeds import children

# The products are float32 where that is safe: with priors from here on, up to the largest allowed,
# W~ H~ stays above 1e-30, whereas exp(digamma(0.01)) is 1e-44.
SMALLEST_PRIOR_IN_FLOAT32 = 0.1
# The start "mean-field", that of the paper's scripts.
START_COMPONENTS, START_ITERATIONS = 10, 100


class BetaDirMeanField:
    """The variational distribution q(W) q(H) q(Z) of the Beta-Dir model and its updates.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    K : int
        Number of components.
    alpha, beta : float, array (K,), or array (1, N) for a prior per column
        Beta hyperparameters.
    gamma : float or array (K,)
        Dirichlet hyperparameters.
    seed : SeedSequence
        Source of the start, the counts of random assignments, unless Z is given.
    Z : int array (F, N), optional
        Initial assignments, -1 where missing.
    dtype : dtype, optional
        Of the matrix products; by default float32 where the priors make it safe, else float64.
    """

    def __init__(self, codes, K, alpha, beta, gamma, seed, *, Z=None, dtype=None):
        if Z is None:
            Z = random_assignments(codes, K, np.random.default_rng(seed))
        if dtype is None:
            dtype = _safe_dtype(alpha, beta, gamma)
        self._codes = np.ascontiguousarray(codes)
        # W~ H~, then V~ / (W~ H~), F x 2N
        self._work = np.empty((codes.shape[0], 2 * codes.shape[1]), dtype)
        self._observed = np.flatnonzero(np.hstack([codes == 1, codes == 0]))  # of F x 2N
        self._alpha, self._beta = beta_dir.broadcast_to_H(alpha, K), beta_dir.broadcast_to_H(beta, K)
        self._gamma = np.broadcast_to(gamma, K).astype(float)
        self._counts = beta_dir.counts(codes, Z, K)

    def set_priors(self, alpha, beta, gamma) -> None:
        """Go on with other hyperparameters, of the kinds that the constructor takes.

        q(W) and q(H) stay, so that the bound changes by its priors alone: until the next update
        the counts are those that make the same posterior of the new priors.
        """
        K, (L, A, B) = self._gamma.size, self._counts
        new = beta_dir.broadcast_to_H(alpha, K), beta_dir.broadcast_to_H(beta, K)
        self._counts = Counts(L=L + (self._gamma - gamma), A=A + (self._alpha - new[0]), B=B + (self._beta - new[1]))
        (self._alpha, self._beta), self._gamma = new, np.array(gamma, float)
        if _safe_dtype(alpha, beta, gamma) is np.float64:
            self._work = self._work.astype(np.float64, copy=False)

    def update(self, n_iter: int = 1) -> None:
        """Update q(W), q(H) and then q(Z), `n_iter` times."""
        N = self._codes.shape[1]
        for _ in range(n_iter):
            W, H = self._geometric_means()
            W_short, H_short = W.astype(self._work.dtype), H.astype(self._work.dtype)
            np.matmul(W_short, H_short, out=self._work)
            _divide(self._codes, self._work, np.finfo(self._work.dtype).tiny)
            by_value = H * (W_short.T @ self._work)
            L = W * (self._work @ H_short.T)
            self._counts = Counts(L=L, A=by_value[:, :N], B=by_value[:, N:])

    def counts(self) -> Counts:
        """Return the expected counters E[L] (F, K), E[A] and E[B] (K, N)."""
        return self._counts

    def expected_logs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return E[log W] (F, K), E[log H] (K, N) and E[log(1 - H)] (K, N)."""
        L, A, B = self._counts
        row = self._gamma + L
        a, b = self._alpha + A, self._beta + B
        both = digamma(a + b)
        log_W = digamma(row) - digamma(row.sum(axis=1, keepdims=True))
        return log_W, digamma(a) - both, digamma(b) - both

    def draw_assignments(self, rng: np.random.Generator) -> np.ndarray:
        """Draw Z from q(Z), the best one for the current q(W) q(H): int array (F, N), -1 missing.

        Row by row, so that no array of F x N x K numbers is needed.
        """
        W, H = self._geometric_means()
        N = self._codes.shape[1]
        Z = np.full(self._codes.shape, -1)
        uniforms = rng.random(self._codes.shape)
        for f, codes in enumerate(self._codes):
            n = np.flatnonzero(codes >= 0)
            cumulative = np.cumsum(W[f] * H[:, n + N * (codes[n] == 0)].T, axis=1)
            below = uniforms[f, n, None] * cumulative[:, -1:] >= cumulative
            Z[f, n] = np.minimum(below.sum(axis=1), W.shape[1] - 1)
        return Z

    def bound(self) -> float:
        """Return the evidence lower bound in nats, at the best q(Z) for the current q(W) q(H).

        With that q(Z), E[log p(V, Z | W, H)] plus the entropy of q(Z) is Σ log (W~ H~)_fn.
        """
        W, H = self._geometric_means()
        fit = np.log((W @ H).ravel()[self._observed]).sum()
        (L, A, B), (log_W, log_H, log_rest) = self._counts, self.expected_logs()
        row = self._gamma + L
        divergence_W = (
            gammaln(row.sum(axis=1)).sum()
            - L.shape[0] * gammaln(self._gamma.sum())
            - (gammaln(row) - gammaln(self._gamma)).sum()
            + (L * log_W).sum()
        )
        posterior = betaln(self._alpha + A, self._beta + B)
        divergence_H = (betaln(self._alpha, self._beta) - posterior + A * log_H + B * log_rest).sum()
        return float(fit - divergence_W - divergence_H)

    def _geometric_means(self):
        """Return W~ (F, K) and H~ (K, 2N), the exponentials of expected logarithms."""
        log_W, log_H, log_rest = self.expected_logs()
        return np.exp(log_W), np.exp(np.hstack([log_H, log_rest]))


def starting_Z(start: str, codes: np.ndarray, K: int, seed: np.random.SeedSequence) -> np.ndarray | None:
    """Return the assignments a chain starts from, int array (F, N); None for random ones.

    The start "mean-field" draws them from bICA with at most 10 components after 100 iterations.
    """
    if start == "random":
        return None
    fit_seed, draw_seed = children(seed, 4)[2:]  # the chain itself takes the first two
    mean_field = BetaDirMeanField(codes, min(START_COMPONENTS, K), 1.0, 1.0, 1.0, fit_seed)
    mean_field.update(START_ITERATIONS)
    return mean_field.draw_assignments(np.random.default_rng(draw_seed))


def _safe_dtype(alpha, beta, gamma) -> type:
    """Return the type of the matrix products: float32 where the priors make it safe."""
    smallest = min(np.min(alpha), np.min(beta), np.min(gamma))
    return np.float32 if smallest >= SMALLEST_PRIOR_IN_FLOAT32 else np.float64


@kernel
def _divide(codes, product, smallest):
    """Turn W~ H~ into V~ / (W~ H~) in place; one division serves both values of an entry.

    Products that underflow count as `smallest`: an infinite ratio times a zero would be NaN.
    """
    F, N = np.uint64(codes.shape[0]), np.uint64(codes.shape[1])
    zero, one = product.dtype.type(0), product.dtype.type(1)
    for f in range(F):
        for n in range(N):  # both are read before they are chosen from: this loop vectorises
            of_one, of_zero = product[f, n], product[f, N + n]
            is_one, is_zero = codes[f, n] == 1, codes[f, n] == 0
            ratio = one / max(of_one if is_one else of_zero, smallest)
            product[f, n] = ratio if is_one else zero
            product[f, N + n] = ratio if is_zero else zero
