"""α of the Dirichlet prior of memberships, by Newton's method (equation 24, corrected).

L(α) = n [ln Γ(Σα) - Σ ln Γ(α_c)] + Σ α_c S_c, S_c = Σ_i (Ψ(γ_ic) - Ψ(Σ_c γ_ic)), is concave. Its
Hessian is diagonal plus a constant, so a step costs O(K). The paper halves a step until α > 0; that
lets L fall, so a step is halved until L does not fall as well.
"""

import numpy as np
from scipy.special import gammaln, polygamma, psi

SMALLEST, LARGEST = 1e-4, 1e4  # of each α_c
MAX_STEPS, MAX_HALVINGS = 20, 40
ENOUGH = 1e-7  # of a gain per row, in nats: then α stands still


def objective(alpha: np.ndarray, n: int, sums: np.ndarray) -> float:
    """Return L(α) in nats, but for what does not depend on α."""
    return float(n * (gammaln(alpha.sum()) - gammaln(alpha).sum()) + alpha @ sums)


def newton_step(alpha: np.ndarray, n: int, sums: np.ndarray) -> np.ndarray:
    """Return the full step of Newton's method, (24): to be subtracted from α."""
    g = n * (psi(alpha.sum()) - psi(alpha)) + sums
    h = -n * polygamma(1, alpha)
    w = n * polygamma(1, alpha.sum())
    u = (g / h).sum() / (1.0 / w + (1.0 / h).sum())
    return (g - u) / h


def learn_alpha(alpha: np.ndarray, n: int, sums: np.ndarray) -> np.ndarray:
    """Return the α that maximises L, from a start; L of the result is no lower.

    Parameters
    ----------
    alpha : float array (K,)
        The start. One component needs no α: it stays.
    n : int
        Rows.
    sums : float array (K,)
        S.
    """
    if alpha.size == 1 or n == 0:
        return alpha
    now = objective(alpha, n, sums)
    for _ in range(MAX_STEPS):
        before, step = now, newton_step(alpha, n, sums)
        for _ in range(MAX_HALVINGS):
            tried = alpha - step
            if (tried > 0).all():
                tried = np.clip(tried, SMALLEST, LARGEST)
                reached = objective(tried, n, sums)
                if reached >= now:
                    alpha, now = tried, reached
                    break
            step = step / 2
        if now - before < ENOUGH * n:
            break
    return alpha
