"""Statistical checks shared by the tests of all samplers, and the cases they run on.

Every check ends in one p-value and fails below FALSE_ALARM: a correct sampler fails one check in a
million, and a few hundred checks together less than once in a thousand choices of the fixed seeds.
With the seeds fixed, a check that passes once passes always, until the code changes.
"""

import os
import subprocess
import sys

import naive
import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betaln, gammaln

FALSE_ALARM = 1e-6

# Property tests: the examples are a fixed function of the test, as all other seeds here.
PROPERTY = settings(deadline=None, max_examples=30, derandomize=True)


def seed_sequence(*key):
    return np.random.SeedSequence(key)


# --- Random matrices for property tests ------------------------------------------------------


@st.composite
def matrices(draw, max_rows=6, max_columns=7):
    """Draw codes (F, N) with about a third ones, zeros, missing; empty rows and columns occur."""
    F, N = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    codes = draw(st.lists(st.integers(-1, 1), min_size=F * N, max_size=F * N))
    if max(codes) < 0:  # a matrix of which nothing is observed is refused at the door
        codes[0] = 1
    return np.array(codes, np.int8).reshape(F, N)


@st.composite
def hyperparameters(draw, K, n):
    """Draw n hyperparameters, each a scalar or an array (K,), between 0.1 and 3."""
    value = st.floats(0.1, 3.0)
    array = st.lists(value, min_size=K, max_size=K).map(np.array)
    return tuple(draw(value | array) for _ in range(n))


@st.composite
def problems(draw, n_hyperparameters, min_K=1):
    """Draw (codes, K, hyperparameters, NumPy generator)."""
    K = draw(st.integers(min_K, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return draw(matrices()), K, draw(hyperparameters(K, n_hyperparameters)), rng


def large_matrix(F, N, p_missing, rng, empty_row=None, empty_column=None):
    """Return codes with two kinds of rows and columns, some cells missing at random."""
    p = np.where((np.arange(F)[:, None] % 2) == (np.arange(N)[None] % 2), 0.8, 0.15)
    codes = np.where(rng.random((F, N)) < p, 1, 0).astype(np.int8)
    codes[rng.random((F, N)) < p_missing] = -1
    if empty_row is not None:
        codes[empty_row] = -1
    if empty_column is not None:
        codes[:, empty_column] = -1
    return codes


def widening(data, codes):
    """Draw where an empty row and an empty column go; return a function that puts them into a matrix like `codes`."""
    F, N = codes.shape
    row, column = data.draw(st.integers(0, F)), data.draw(st.integers(0, N))
    return lambda x: np.insert(np.insert(x, row, -1, axis=0), column, -1, axis=1)


def tiled_matrix(n_tiles, F, N, rng):
    """Return codes observed only in n_tiles blocks of F x N along the diagonal.

    Each row has N and each column F observed cells, so that single counts weigh much, and there are
    many of them.
    """
    codes = np.full((n_tiles * F, n_tiles * N), -1, np.int8)
    for t in range(n_tiles):
        codes[t * F : (t + 1) * F, t * N : (t + 1) * N] = rng.random((F, N)) < 0.5
    return codes


# --- Checks ----------------------------------------------------------------------------------


def chi_square_p(observed, probabilities):
    """Return the p-value of counts against exact probabilities, pooling cells expecting < 5."""
    expected = observed.sum() * np.asarray(probabilities)
    assert (observed[expected == 0] == 0).all(), "an impossible state was visited"
    order = np.argsort(expected)
    pooled = np.searchsorted(np.cumsum(expected[order]), 5.0) + 1
    groups = [order[:pooled], *(np.array([i]) for i in order[pooled:] if expected[i] >= 5)]
    # Cells after the pool that still expect less than 5 go to the pool as well.
    groups[0] = np.append(groups[0], [i for i in order[pooled:] if expected[i] < 5]).astype(int)
    O = np.array([observed[g].sum() for g in groups])  # noqa: E741
    E = np.array([expected[g].sum() for g in groups])
    return stats.chi2.sf(((O - E) ** 2 / E).sum(), len(groups) - 1)


def batch_means(x, n_batches=50):
    """Return mean and standard error (t law, n_batches - 1) of a correlated series, axis 0."""
    x = np.asarray(x, float)
    batches = x[: len(x) // n_batches * n_batches].reshape(n_batches, -1, *x.shape[1:]).mean(axis=1)
    return batches.mean(axis=0), batches.std(axis=0, ddof=1) / np.sqrt(n_batches)


def means_p(mean, standard_error, expected, degrees=49):
    """Return the p-value of several means against their expectations (Bonferroni over them)."""
    # Where no draw can differ (a cell without data in its row and column), the mean is exact.
    error = np.maximum(standard_error, 1e-12)
    p = 2 * stats.t.sf(np.abs(mean - expected) / error, degrees)
    assert np.isfinite(p).all()
    return min(1.0, p.min() * p.size)


def assert_exact_posterior(chain, labels, exact, thin=10, n_samples=20_000, burn_in=100):
    """Compare the states of a thinned chain with an enumerated posterior, by chi-square.

    test_slow_twins shows that the slowest mode of the cases below has decayed to less than 1 %
    after `thin` sweeps, so the samples count as independent.
    """
    chain.sweep(burn_in)
    visits = np.zeros(len(exact.states))
    for _ in range(n_samples):
        chain.sweep(thin)
        visits[exact.index(labels(chain))] += 1
    p = chi_square_p(visits, exact.posterior)
    assert p > FALSE_ALARM, f"distribution over assignments differs from the exact one, p = {p:.1e}"


def assert_posterior_mean(chain, predict, exact, n_samples=20_000, burn_in=100):
    """Compare the running mean of E[V | Z] along a chain with the enumerated E[V | data]."""
    chain.sweep(burn_in)
    draws = np.empty((n_samples, *exact.mean.shape))
    for draw in draws:
        chain.sweep()
        draw[:] = predict(chain)
    p = means_p(*batch_means(draws), exact.mean)
    assert p > FALSE_ALARM, f"posterior mean of V differs from the exact one, p = {p:.1e}"


def run_apart(script, cache, **environment):
    """Run `script` in a new process whose compiled code is in the folder `cache`; return what it prints."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | environment
    command = [sys.executable, "-W", "ignore", "-c", script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


def assert_threads_run_their_own_code(cache, module, model, n_priors, step, compiled):
    """Sweep a model on one thread and on two: the parallel version is compiled anew.

    numba files compiled code under function and signature, not under parallel=True: without care, whichever of the
    serial and the parallel version comes first is served for both.
    """
    script = f"""
import numpy as np
from nbmf.families.beta_dirichlet.kernels import {module} as module
codes, priors = np.ones((4, 4), np.int8), [1.0] * {n_priors}
for threads in 1, 2:
    module.{model}(codes, 2, *priors, np.random.SeedSequence(1), threads=threads).{step}()
print(sum(module.{compiled}.stats.cache_hits.values()))
"""
    assert run_apart(script, cache) == "0"


class Replay:
    """Checks that the draws of a sweep follow the conditional laws the twin computes.

    Given the assignments before and after a sweep and its order, each draw saw the new values of
    the cells before it and the old values of those after it. So the law of every single draw is
    known; given the past, the transformed draws are independent and uniform (Rosenblatt), and sums
    of draws minus expectations are martingales. This works for any size and K, and it sees the
    sampler's every path (sparse, rejection, fallback), not only its equilibrium.
    """

    def __init__(self, rng):
        self.rng = rng
        self.uniforms = []
        self.sums = {}  # name -> [sum of differences, sum of variances]

    def add(self, p, k, features):
        """Record that k was drawn from p; features are functions of the label, arrays like p."""
        assert p[k] > 0, "a label of probability zero was drawn"
        self.uniforms.append(p[:k].sum() + self.rng.random() * p[k])
        for name, values in features.items():
            mean = p @ values
            totals = self.sums.setdefault(name, [0.0, 0.0])
            totals[0] += values[k] - mean
            totals[1] += p @ (values - mean) ** 2

    def assert_right(self):
        p_values = {"uniform": stats.kstest(self.uniforms, "uniform").pvalue}
        for name, (difference, variance) in self.sums.items():
            p_values[name] = 2 * stats.norm.sf(abs(difference) / max(variance, 1e-12) ** 0.5)
        worst = min(p_values, key=p_values.get)
        assert p_values[worst] * len(p_values) > FALSE_ALARM, f"draws differ: {worst}, {p_values}"


def label_features(name, p, old, counts):
    """Return the features of a draw that a wrong sampler is likely to get wrong."""
    labels = np.arange(len(p))
    features = {
        "stays": (labels == old).astype(float),
        "label": labels.astype(float),
        "last": (labels == len(p) - 1).astype(float),
        "new": (counts == 0).astype(float),
        "count": np.log1p(counts),
        "log p": np.log(np.maximum(p, 1e-300)),
    }
    return {f"{name}, {feature}": values for feature, values in features.items()}


def replay_beta_dir(replay, codes, before, after, K, hyperparameters, order):
    """Add the draws of one Beta-Dir sweep."""
    Z = before.copy()
    for f, n in order:
        old, Z[f, n] = Z[f, n], -1
        p = naive.beta_dir_conditional(codes, Z, f, n, K, *hyperparameters)
        replay.add(p, after[f, n], label_features(f"v={codes[f, n]}", p, old, naive.tally(Z[f], K)))
        Z[f, n] = after[f, n]


def replay_dir_dir(replay, codes, before, after, K, hyperparameters, order, scheme="joint"):
    """Add the draws of one Dir-Dir sweep; before and after are pairs (Z, C)."""
    Z, C = (x.copy() for x in before)
    for f, n in order:
        old_z, old_c, z, c = Z[f, n], C[f, n], after[0][f, n], after[1][f, n]
        row = naive.tally(np.delete(Z[f], n), K)
        column = naive.tally(np.delete(C[:, n], f), K)
        if codes[f, n] == 1 or scheme == "joint":
            p = naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters)
            # As two steps: z from its marginal, then c given z.
            p_z, p_c = p.sum(axis=1), p[z] / max(p[z].sum(), 1e-300)
            Z[f, n] = z
        else:  # eqs. (60)-(61): c sees the new z
            p_z = naive.dir_dir_z_given_c(codes, Z, C, f, n, K, *hyperparameters)
            Z[f, n] = z
            p_c = naive.dir_dir_c_given_z(codes, Z, C, f, n, K, *hyperparameters)
        replay.add(p_z, z, label_features(f"v={codes[f, n]} z", p_z, old_z, row))
        if codes[f, n] == 0:  # for a one, c is z
            replay.add(p_c, c, label_features("v=0 c", p_c, old_c, column))
        else:
            assert c == z
        C[f, n] = c


# --- Geweke's joint-distribution test --------------------------------------------------------


def assert_same_joint(marginal, successive):
    """Compare the means of statistics (rows: draws) of independent draws and of a chain."""
    mean, error = batch_means(successive)
    error = np.hypot(error, marginal.std(axis=0, ddof=1) / np.sqrt(len(marginal)))
    p = means_p(mean, error, marginal.mean(axis=0))
    scores = (mean - marginal.mean(axis=0)) / error
    assert p > FALSE_ALARM, f"joint distributions differ, p = {p:.1e}, t = {np.round(scores, 1)}"


def beta_dir_statistics(codes, Z, K, hyperparameters):
    """Return statistics (M, 10) of M matrices and assignments; any functions would do."""
    alpha, beta, gamma = (naive.vector(x, K) for x in hyperparameters)
    observed = codes >= 0
    V = np.where(observed, codes, 0)
    one_hot = Z[..., None] == np.arange(K)
    L, M = one_hot.sum(axis=2), one_hot.sum(axis=1)
    A = (one_hot & (codes == 1)[..., None]).sum(axis=1)
    log_joint = gammaln(gamma + L).sum(axis=(1, 2)) + (betaln(alpha + A, beta + M - A) - betaln(alpha, beta)).sum(
        axis=(1, 2)
    )
    return np.column_stack(
        [
            V.mean(axis=(1, 2)),
            (L.sum(axis=1) > 0).sum(axis=1),
            log_joint,
            (L**2).sum(axis=(1, 2)),
            (A**2).sum(axis=(1, 2)),
            (V.sum(axis=1) ** 2).sum(axis=1),
            (V.sum(axis=2) ** 2).sum(axis=1),
            (Z * V).sum(axis=(1, 2)),
            (Z * observed).sum(axis=(1, 2)),
            (L[..., 0] ** 2).sum(axis=1),
        ]
    )


def dir_dir_statistics(codes, Z, C, K, hyperparameters):
    """Return statistics (M, 11) of M matrices and pairs of assignments."""
    gamma, eta = (naive.vector(x, K) for x in hyperparameters)
    observed = codes >= 0
    V, Z_0, C_0 = (np.where(observed, x, 0) for x in (codes, Z, C))
    L = (Z[..., None] == np.arange(K)).sum(axis=2)
    Q = (C[..., None] == np.arange(K)).sum(axis=1)
    return np.column_stack(
        [
            V.mean(axis=(1, 2)),
            (L.sum(axis=1) > 0).sum(axis=1),
            gammaln(gamma + L).sum(axis=(1, 2)) + gammaln(eta + Q).sum(axis=(1, 2)),
            (L**2).sum(axis=(1, 2)),
            (Q**2).sum(axis=(1, 2)),
            (V.sum(axis=1) ** 2).sum(axis=1),
            (V.sum(axis=2) ** 2).sum(axis=1),
            Z_0.sum(axis=(1, 2)),
            C_0.sum(axis=(1, 2)),
            (Z_0 * C_0).sum(axis=(1, 2)),
            (Z_0 * V).sum(axis=(1, 2)),
        ]
    )


def draw_labels(P, rng):
    """Return one label for each row of probabilities P (..., K)."""
    return (rng.random(P.shape[:-1])[..., None] > np.cumsum(P, axis=-1)[..., :-1]).sum(axis=-1)


def beta_dir_V_given_Z(Z, K, alpha, beta, rng):
    """Draw V given Z from the model: h from its prior, then v_fn ~ Bernoulli(h_zn)."""
    N = Z.shape[1]
    a, b = naive.vector(alpha, K)[:, None], naive.vector(beta, K)[:, None]
    H = rng.beta(a, b, (K, N))
    ones = rng.random(Z.shape) < H[Z, np.arange(N)]  # Z = -1 reads a valid entry, then is hidden
    return np.where(Z < 0, -1, ones).astype(np.int8)


def geweke_beta_dir(sweep, mask, K, hyperparameters, rng, n_marginal=4000, n_successive=20_000):
    """Geweke's test: sweep(codes, Z, i) has to leave p(V, Z) invariant.

    Independent draws of (V, Z) against a chain that alternates V | Z with one sweep of Z | V. Cells
    outside `mask` are missing.
    """
    alpha, beta, gamma = hyperparameters
    F, N = mask.shape

    def from_prior():
        W = rng.dirichlet(naive.vector(gamma, K), F)
        Z = np.where(mask, draw_labels(np.repeat(W[:, None], N, 1), rng), -1)
        return beta_dir_V_given_Z(Z, K, alpha, beta, rng), Z

    marginal = [from_prior() for _ in range(n_marginal)]
    Z, successive = from_prior()[1], []
    for i in range(n_successive):
        codes = beta_dir_V_given_Z(Z, K, alpha, beta, rng)
        Z = sweep(codes, Z, i)
        successive.append((codes, Z))
    assert_same_joint(
        *(
            beta_dir_statistics(*map(np.array, zip(*draws, strict=True)), K, hyperparameters)
            for draws in (marginal, successive)
        )
    )


def geweke_dir_dir(sweep, mask, K, hyperparameters, rng, n_marginal=4000, n_successive=20_000):
    """Geweke's test for (V, Z, C): sweep(codes, Z, C, i) returns new Z, C.

    V is a function of Z and C, so a chain over V | Z, C would never change V. Its other half is
    therefore W, H | Z, C, eqs. (62)-(63), followed by Z, C, V | W, H.
    """
    gamma, eta = hyperparameters
    F, N = mask.shape

    def forward(W, H):
        Z = np.where(mask, draw_labels(np.repeat(W[:, None], N, 1), rng), -1)
        C = np.where(mask, draw_labels(np.repeat(H.T[None], F, 0), rng), -1)
        return np.where(mask, Z == C, -1).astype(np.int8), Z, C

    def factors(L, Q):
        W = rng.standard_gamma(naive.vector(gamma, K) + L)
        H = rng.standard_gamma(naive.vector(eta, K)[:, None] + Q)
        return W / W.sum(axis=1, keepdims=True), H / H.sum(axis=0)

    def from_prior():
        return forward(*factors(np.zeros((F, K)), np.zeros((K, N))))

    marginal = [from_prior() for _ in range(n_marginal)]
    (_, Z, C), successive = from_prior(), []
    for i in range(n_successive):
        L = (Z[..., None] == np.arange(K)).sum(axis=1)
        Q = (C[..., None] == np.arange(K)).sum(axis=0).T
        codes, Z, C = forward(*factors(L, Q))
        Z, C = sweep(codes, Z, C, i)
        successive.append((codes, Z, C))
    assert_same_joint(
        *(
            dir_dir_statistics(*map(np.array, zip(*draws, strict=True)), K, hyperparameters)
            for draws in (marginal, successive)
        )
    )


# --- Tiny matrices with an exact posterior ---------------------------------------------------

# (codes, K, alpha, beta, gamma)
BETA_DIR_CASES = {
    "2x3 K=3 one missing": (np.array([[1, 0, 1], [0, -1, 1]], np.int8), 3, 1.0, 1.0, 0.7),
    "3x2 K=2 asymmetric": (
        np.array([[1, 0], [-1, 1], [0, 1]], np.int8),
        2,
        np.array([2.0, 0.5]),
        np.array([0.4, 1.5]),
        np.array([0.3, 1.2]),
    ),
    "3x3 K=2 empty row and column": (
        np.array([[1, 0, -1], [-1, -1, -1], [1, 1, -1]], np.int8),
        2,
        0.6,
        1.1,
        np.array([0.5, 0.8]),
    ),
    "1x5 K=3 one row": (
        np.array([[1, 1, 0, 1, 0]], np.int8),
        3,
        np.array([2.0, 0.5, 1.0]),
        np.array([0.5, 2.0, 1.0]),
        np.array([0.2, 0.9, 0.4]),
    ),
}

# (codes, K, gamma, eta)
DIR_DIR_CASES = {
    "2x2 K=3 one missing": (np.array([[1, 0], [0, -1]], np.int8), 3, 0.7, 1.0),
    "2x3 K=2 asymmetric": (np.array([[1, 0, 0], [0, 1, -1]], np.int8), 2, np.array([0.5, 1.3]), np.array([1.1, 0.6])),
    "3x3 K=3 empty row and column": (
        np.array([[1, 0, -1], [-1, -1, -1], [1, -1, -1]], np.int8),
        3,
        np.array([0.5, 0.8, 1.0]),
        np.array([1.0, 0.5, 0.3]),
    ),
}
