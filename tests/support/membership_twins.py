"""Mixed membership straight from the equations, row by row and cell by cell."""

import itertools

import numpy as np
from scipy.special import gammaln, logsumexp, psi


def rows_of(cells, log_density):
    """Return for each row its weights (m,) and ln p (m, K)."""
    parts = [slice(*cells.starts[i : i + 2]) for i in range(cells.starts.size - 1)]
    return [(cells.weights[part], log_density[cells.atoms[part]]) for part in parts]


def exact(weights, log_p, alpha):
    """ln p(x | α, θ) of a row by summing over the components of all its cells; weights are 1."""
    assert (weights == 1).all()
    K, m = alpha.size, len(log_p)
    terms = []
    for z in itertools.product(range(K), repeat=m):
        n = np.bincount(np.array(z, int), minlength=K)
        log = gammaln(alpha.sum()) - gammaln(alpha.sum() + m)
        log += (gammaln(alpha + n) - gammaln(alpha)).sum()
        terms.append(log + log_p[np.arange(m), list(z)].sum())
    return logsumexp(terms)


def exact_shares(log_p, alpha):
    """E[π | x] of a row, by the same sum."""
    K, m = alpha.size, len(log_p)
    logs, shares = [], []
    for z in itertools.product(range(K), repeat=m):
        n = np.bincount(np.array(z, int), minlength=K)
        logs.append((gammaln(alpha + n)).sum() + log_p[np.arange(m), list(z)].sum())
        shares.append((alpha + n) / (alpha.sum() + m))
    w = np.exp(np.array(logs) - logsumexp(logs))
    return w @ np.array(shares)


def bound(weights, log_p, alpha, gamma, phi):
    """L(γ, φ) of a row, equation (15) term by term; φ (m, K)."""
    e_log_pi = psi(gamma) - psi(gamma.sum())
    w = weights[:, None]
    total = gammaln(alpha.sum()) - gammaln(alpha).sum() + ((alpha - 1) * e_log_pi).sum()
    total += (w * phi * e_log_pi).sum() + (w * phi * log_p)[phi > 0].sum()
    total -= gammaln(gamma.sum()) - gammaln(gamma).sum() + ((gamma - 1) * e_log_pi).sum()
    return total - (w * phi * np.log(np.where(phi > 0, phi, 1.0))).sum()


def profiled_phi(log_p, gamma):
    """The best φ (m, K) for a γ, equation (17)."""
    log = psi(gamma) + log_p
    return np.exp(log - logsumexp(log, axis=1, keepdims=True))


def full(weights, log_p, alpha, gamma, rounds):
    """Rounds of equations (16) and (17); return γ and φ (m, K)."""
    phi = np.zeros_like(log_p)
    for _ in range(rounds):
        phi = profiled_phi(log_p, gamma)
        gamma = alpha + weights @ phi
    return gamma, phi


def fast(weights, log_p, alpha, gamma, rounds):
    """Rounds of equations (26) and (27); return γ and φ (K,)."""
    m, s = weights.sum(), weights @ log_p
    phi = np.full(alpha.size, 1 / alpha.size)
    for _ in range(rounds if m > 0 else 0):
        log = psi(gamma) + s / m
        phi = np.exp(log - logsumexp(log))
        gamma = alpha + m * phi
    return gamma, phi


def log_density(table, cells, laws):
    """ln p of each atom (A, K), from laws by column: parameters (K,) or (r, K)."""
    out = []
    for n, x in zip(cells.columns, cells.values, strict=True):
        kind, law = str(table.kinds[n]), laws[n]
        if kind == "gaussian":
            mean, variance = law
            out.append(-0.5 * np.log(2 * np.pi * variance) - (x - mean) ** 2 / (2 * variance))
        elif kind == "poisson":
            out.append(x * np.log(law) - law - gammaln(x + 1))
        else:
            out.append(np.log(law[int(x)]))
    return np.array(out)


def m_step(table, counts, cells, epsilon, floor):
    """Laws by column from expected counts of atoms (A, K)."""
    laws = {}
    values, observed = table.values(), table.observed
    for n, kind in enumerate(table.kinds.tolist()):
        own = cells.columns == n
        x, R = cells.values[own], counts[own]
        if kind == "gaussian":
            mean = x @ R / R.sum(axis=0)
            variance = (R * (x[:, None] - mean) ** 2).sum(axis=0) / R.sum(axis=0)
            laws[n] = mean, np.maximum(variance, floor)
        elif kind == "poisson":
            overall = values[observed[:, n], n].mean()
            laws[n] = (x @ R + epsilon * overall) / (R.sum(axis=0) + epsilon)
        else:
            p = np.array([R[x == r].sum(axis=0) + epsilon for r in range(table.sizes[n])])
            laws[n] = p / p.sum(axis=0)
    return laws
