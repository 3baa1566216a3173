"""Poisson-gamma models written straight from their equations, and exact answers for tiny matrices.

W is (F, K), H (K, N), V has -1 where it is missing; a prior is (shape, mean), numbers or arrays.
"""

import itertools
import math

import numpy as np
from scipy.special import digamma, gammaln, logsumexp


def sources(V, L_W, L_H, is_binary=False):
    """Return E[s_fkn], (F, K, N): of each observed entry above zero shared out by its weights."""
    found = np.zeros((*L_W.shape, V.shape[1]))
    for f, n in np.argwhere(V > 0):
        weights = [L_W[f, k] * L_H[k, n] for k in range(L_W.shape[1])]
        rate = sum(weights)
        count = rate / (1 - math.exp(-rate)) if is_binary else V[f, n]
        found[f, :, n] = [count * weight / rate for weight in weights]
    return found


def observed_sums(V, W, H):
    """Return Σ_n m_fn h_kn (F, K) and Σ_f m_fn w_fk (K, N)."""
    observed = (V >= 0).astype(float)
    return observed @ H.T, W.T @ observed


def vb_step(V, L_W, L_H, E_H, prior_W, prior_H, is_binary=False):
    """Return (α, scale) of q(W), then of q(H) with the new E[W]: both from the old L."""
    s = sources(V, L_W, L_H, is_binary)
    alpha_W = prior_W[0] + s.sum(axis=2)
    rate_W = prior_W[0] / prior_W[1] + observed_sums(V, L_W, E_H)[0]
    E_W = alpha_W / rate_W
    alpha_H = prior_H[0] + s.sum(axis=0)
    rate_H = prior_H[0] / prior_H[1] + observed_sums(V, E_W, L_H)[1]
    return (alpha_W, 1 / rate_W), (alpha_H, 1 / rate_H)


def mean_and_geometric_mean(alpha, scale):
    return alpha * scale, np.exp(digamma(alpha)) * scale


def bound_with_sources(V, s, q_W, q_H, prior_W, prior_H):
    """Return the bound (A.12) of counts, with q(S) multinomial of means s (F, K, N)."""
    (E_W, L_W), (E_H, L_H) = (mean_and_geometric_mean(*q) for q in (q_W, q_H))
    total = 0.0
    for f, n in np.argwhere(V >= 0):
        total -= E_W[f] @ E_H[:, n]
        if V[f, n] == 0:
            continue
        share = s[f, :, n] / s[f, :, n].sum()
        # E[log p(s | w, h)] + entropy of q(s): log s! cancels, log x! is left of the entropy.
        total += s[f, :, n] @ (np.log(L_W[f] * L_H[:, n]) - np.log(share)) - gammaln(V[f, n] + 1)
    return total - divergence(*q_W, *prior_W) - divergence(*q_H, *prior_H)


def divergence(alpha, scale, shape, mean):
    """KL(Gamma(α, scale) || Gamma(shape, mean)) by its definition, E_q[log q - log p]."""
    log = digamma(alpha) + np.log(scale)
    E = alpha * scale
    log_q = (alpha - 1) * log - E / scale - alpha * np.log(scale) - gammaln(alpha)
    rate = shape / mean
    log_p = (shape - 1) * log - E * rate + shape * np.log(rate) - gammaln(shape)
    return float(np.sum(np.broadcast_to(log_q - log_p, np.shape(alpha))))


# --- Exact answers -------------------------------------------------------------------------------


class Exact:
    """Integrals over W of two rows and one component, H integrated out, by the trapezoid rule.

    Parameters
    ----------
    prior_W, prior_H : (shape, mean), numbers
    points : int
        Of the grid in each log w.
    """

    def __init__(self, prior_W, prior_H, points=240):
        (a, b), self._of_H = prior_W, prior_H
        log_w = np.linspace(min(-8.0, -34.0 / a), 5.0 + math.log(b), points)
        w = np.exp(log_w)
        log_p = a * log_w + a * math.log(a / b) - a / b * w - gammaln(a)  # of log w
        log_p += math.log(log_w[1] - log_w[0])
        self._w = np.stack(np.broadcast_arrays(w[:, None], w[None]))
        self._log_w = np.log(self._w)
        self._log_p = log_p[:, None] + log_p
        self._kept = {}

    def integral(self, exponents, columns, power=()):
        """Return log E[Π_f w_f^x_f Π_n g_n], and E's of w_f h_n under the same weights.

        exponents : x_f of the two rows
        columns : for each column n the pair (s, rows): g_n = E[h^s exp(-h Σ_{f in rows} w_f)]
        power : extra (row, column) whose w_f h_n is averaged
        """
        key = (tuple(exponents), tuple(columns), power)
        if key not in self._kept:
            self._kept[key] = self._compute(*key)
        return self._kept[key]

    def _compute(self, exponents, columns, power):
        a, b = self._of_H
        rate = a / b
        log_f = self._log_p + sum(x * lw for x, lw in zip(exponents, self._log_w, strict=True))
        extra = 0.0
        for n, (s, rows) in enumerate(columns):
            own = rate + sum((self._w[f] for f in rows), np.zeros(1))
            log_f = log_f + gammaln(a + s) - gammaln(a) + a * math.log(rate) - (a + s) * np.log(own)
            if power and power[1] == n:
                extra = self._log_w[power[0]] + np.log(a + s) - np.log(own)
        return float(logsumexp(log_f + extra))


def poisson_evidence(V, K, prior_W, prior_H):
    """Return log p(V) and E[W H | V] (2, N), by enumeration of the sources of all events."""
    exact = Exact(prior_W, prior_H)
    observed = [tuple(np.flatnonzero(column >= 0)) for column in V.T]
    places = [(f, n) for f, n in np.argwhere(V > 0)]
    logs, means = [], []
    for shares in itertools.product(*(compositions(int(V[f, n]), K) for f, n in places)):
        log_p, parts = 0.0, []
        for k in range(K):
            s = np.zeros(V.shape, int)
            for (f, n), share in zip(places, shares, strict=True):
                s[f, n] = share[k]
            columns = tuple(zip(s.sum(axis=0).tolist(), observed, strict=True))
            rows = tuple(s.sum(axis=1).tolist())
            parts.append((rows, columns))
            log_p += exact.integral(rows, columns) - gammaln(s + 1.0).sum()
        logs.append(log_p)
        means.append(
            [
                [
                    sum(math.exp(exact.integral(*part, (f, n)) - exact.integral(*part)) for part in parts)
                    for n in range(V.shape[1])
                ]
                for f in range(2)
            ]
        )
    evidence = float(logsumexp(logs))
    weights = np.exp(np.array(logs) - evidence)
    return evidence, np.einsum("s,sfn->fn", weights, np.array(means))


def compositions(total, parts):
    """Yield all ways to write `total` as an ordered sum of `parts` whole numbers from 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def binary_evidence(V, K, prior_W, prior_H, exact=None):
    """Return log p(V) of the Bernoulli-Poisson model, by inclusion and exclusion over the ones."""
    exact = exact or Exact(prior_W, prior_H)
    ones, total = [tuple(place) for place in np.argwhere(V == 1)], 0.0
    for size in range(len(ones) + 1):
        for subset in itertools.combinations(ones, size):
            silent = [tuple(place) for place in np.argwhere(V == 0)] + list(subset)
            columns = tuple((0, tuple(int(f) for f, m in sorted(silent) if m == n)) for n in range(V.shape[1]))
            total += (-1) ** size * math.exp(K * exact.integral((0, 0), columns))
    return math.log(total)


# --- Scales ----------------------------------------------------------------------------------------


def scale_step(E, shape, mean, c):
    """Return (α, scale) of q(x_f), (rows,), given E[w_fk]: numbers a, b, c; row by row."""
    found = []
    for row in E:
        alpha, rate = c, c
        for w in row:
            alpha += shape
            rate += w * shape / mean
        found.append((alpha, 1 / rate))
    return np.array(found).T


def scaled_divergence(q, q_x, shape, mean, c):
    """KL of q(w) q(x) from p(w | x) p(x) by its definition; q (rows, K), q_x (rows,)."""
    total = divergence(*q_x, c, 1.0)
    for f, (alphas, scales) in enumerate(zip(*q, strict=True)):
        E_x, log_x = q_x[0][f] * q_x[1][f], digamma(q_x[0][f]) + np.log(q_x[1][f])
        for alpha, scale in zip(alphas, scales, strict=True):
            log_w = digamma(alpha) + np.log(scale)
            entropy = alpha + np.log(scale) + gammaln(alpha) + (1 - alpha) * digamma(alpha)
            log_p = shape * (np.log(shape / mean) + log_x) - gammaln(shape) + (shape - 1) * log_w
            total -= entropy + log_p - alpha * scale * E_x * shape / mean
    return total


def scaled_draws(rng, draws, size, shape, mean, c):
    """Draw factors (draws, rows, K) with scales, and the scales (draws, rows)."""
    x = rng.gamma(c, 1 / c, (draws, size[0]))
    return rng.gamma(shape, 1.0, (draws, *size)) * mean / shape / x[:, :, None], x
