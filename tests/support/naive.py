"""Slow twins of the compiled kernels, written from the paper's equations and nothing else.

No counters are kept here: every conditional recounts the assignments it needs, so that there is
nothing to forget to add or subtract. Two kinds of ground truth need no sampling at all:

- enumeration of all assignments of a tiny matrix, for exact posteriors and log evidences;
- quadrature over W and H of the plain likelihood, eq. (11), which never hears of assignments. The
  likelihood is a polynomial in every factor, so Gauss-Jacobi rules integrate it exactly.

Codes are int8 (F, N): 1, 0, or -1 where missing. Assignments are int (F, N), -1 where missing.
Equation numbers are those of Lumbreras, Filstroff and Févotte (2020).
"""

import itertools
from math import fsum, log

import numpy as np
from scipy.special import digamma, logsumexp, roots_jacobi
from scipy.stats import beta as beta_law
from scipy.stats import betabinom
from scipy.stats import dirichlet as dirichlet_law

# --- Shared by all twins ---------------------------------------------------------------------


def vector(value, K):
    """Return a hyperparameter as float array (K,)."""
    return np.broadcast_to(np.asarray(value, float), K)


def table(value, K):
    """Return a Beta hyperparameter as float array that broadcasts to (K, N), tables as they are."""
    return value if np.ndim(value) == 2 else vector(value, K)[:, None]


def tally(labels, K):
    """Return how often each of 0..K-1 occurs in `labels`; -1 is not counted."""
    return np.bincount(labels[labels >= 0], minlength=K)


def row_scan(codes, n_blocks=1):
    """Return the observed cells in the order of a sweep along rows, as in algorithm 1.

    With B blocks, block b has every B-th row (column), beginning with b. In round r = 0..B-1 the
    blocks of rows b and of columns (b + r) mod B meet, each meeting a scan row by row. Meetings of
    one round share no row and no column, so their relative order has no effect.
    """
    (F, N), B = codes.shape, n_blocks
    cells = []
    for r, b in itertools.product(range(B), range(B)):
        block = itertools.product(range(b, F, B), range((b + r) % B, N, B))
        cells += [(f, n) for f, n in block if codes[f, n] >= 0]
    return cells


def column_scan(codes):
    """Return the observed cells column by column."""
    return [(f, n) for n, f in row_scan(codes.T)]


def interleaved_scan(codes, n_blocks=1):
    """Return the observed cells in the order of CVB0: four columns of a block in turns.

    Blocks and rounds are those of `row_scan`. Where blocks meet, the columns come in fours, and
    each column begins with its first observed cell one turn after the one before it.
    """
    (F, N), B = codes.shape, n_blocks
    cells = []
    for r, b in itertools.product(range(B), range(B)):
        columns = list(range(b, N, B))
        for four in (columns[i : i + 4] for i in range(0, len(columns), 4)):
            queues = [
                [None] * j + [(f, n) for f in range((b + r) % B, F, B) if codes[f, n] >= 0] for j, n in enumerate(four)
            ]
            for turn in itertools.zip_longest(*queues):
                cells += [cell for cell in turn if cell is not None]
    return cells


def random_assignments(codes, K, rng):
    """Return independent uniform assignments of the observed entries."""
    return np.where(codes >= 0, rng.integers(K, size=codes.shape), -1)


def draw(p, rng):
    """Return one label drawn from p (K,), by inverting the cumulative sum."""
    return min(int(np.searchsorted(np.cumsum(p), rng.random(), side="right")), len(p) - 1)


# --- Beta-Dir: collapsed Gibbs sampling ------------------------------------------------------


def beta_dir_weights(v, L, A, B, alpha, beta, gamma):
    """Return eqs. (25) and (36), normalised: the law of one z given counters without its cell."""
    likelihood = (alpha + A if v == 1 else beta + B) / (alpha + beta + A + B)
    weights = (gamma + L) * likelihood
    return weights / weights.sum()


def beta_dir_conditional(codes, Z, f, n, K, alpha, beta, gamma):
    """Return p(z_fn = k | all other z, V); whatever Z[f, n] holds is ignored."""
    row, column = Z[f].copy(), Z[:, n].copy()
    row[n] = column[f] = -1
    A = tally(column[codes[:, n] == 1], K)
    B = tally(column[codes[:, n] == 0], K)
    return beta_dir_weights(codes[f, n], tally(row, K), A, B, alpha, beta, gamma)


def beta_dir_sweep(codes, Z, K, alpha, beta, gamma, rng, order=None):
    """Return Z after one sweep of algorithm 1, or in another order of cells."""
    Z = Z.copy()
    for f, n in order or row_scan(codes):
        Z[f, n] = draw(beta_dir_conditional(codes, Z, f, n, K, alpha, beta, gamma), rng)
    return Z


def beta_dir_log_joint(codes, Z, K, alpha, beta, gamma):
    """Return log p(V, Z) by the chain rule: one urn per row, one beta-Bernoulli per (k, n).

    Eqs. (23)-(24) say the same in Gamma functions; this form only uses the predictive laws (40).
    """
    alpha, beta, gamma = (vector(x, K) for x in (alpha, beta, gamma))
    F, N = codes.shape
    L, A, B = np.zeros((F, K)), np.zeros((K, N)), np.zeros((K, N))
    total = 0.0
    for f, n in row_scan(codes):
        k, v = Z[f, n], codes[f, n]
        total += log((gamma[k] + L[f, k]) / (gamma.sum() + L[f].sum()))
        p_one = (alpha[k] + A[k, n]) / (alpha[k] + beta[k] + A[k, n] + B[k, n])
        total += log(p_one if v == 1 else 1 - p_one)
        L[f, k] += 1
        (A if v == 1 else B)[k, n] += 1
    return total


def beta_dir_factors(codes, Z, K, alpha, beta, gamma):
    """Return E[W | Z] and E[H | Z, V], eqs. (28)-(29)."""
    alpha, beta, gamma = (vector(x, K) for x in (alpha, beta, gamma))
    F, N = codes.shape
    W, H = np.zeros((F, K)), np.zeros((K, N))
    for f in range(F):
        W[f] = (gamma + tally(Z[f], K)) / (gamma.sum() + (codes[f] >= 0).sum())
    for n in range(N):
        ones = tally(Z[codes[:, n] == 1, n], K)
        H[:, n] = (alpha + ones) / (alpha + beta + tally(Z[:, n], K))
    return W, H


# --- Dir-Dir: collapsed Gibbs sampling -------------------------------------------------------


def dir_dir_urns(Z, C, f, n, K, gamma, eta):
    """Return the prior weights (57) of z_fn and (58) of c_fn given all other cells."""
    row, column = Z[f].copy(), C[:, n].copy()
    row[n] = column[f] = -1
    return gamma + tally(row, K), eta + tally(column, K)


def dir_dir_conditional(codes, Z, C, f, n, K, gamma, eta):
    """Return p(z_fn = j, c_fn = k | all others, V) as (K, K): urns restricted to [j = k] = v."""
    a, b = dir_dir_urns(Z, C, f, n, K, gamma, eta)
    weights = np.outer(a, b) * (np.eye(K) == codes[f, n])
    return weights / weights.sum()


def dir_dir_z_given_c(codes, Z, C, f, n, K, gamma, eta):
    """Return eq. (60): p(z_fn | c_fn, others) of a zero."""
    weights = dir_dir_urns(Z, C, f, n, K, gamma, eta)[0] * (np.arange(K) != C[f, n])
    return weights / weights.sum()


def dir_dir_c_given_z(codes, Z, C, f, n, K, gamma, eta):
    """Return eq. (61): p(c_fn | z_fn, others) of a zero."""
    weights = dir_dir_urns(Z, C, f, n, K, gamma, eta)[1] * (np.arange(K) != Z[f, n])
    return weights / weights.sum()


def dir_dir_sweep(codes, Z, C, K, gamma, eta, rng, scheme="joint", order=None):
    """Return Z, C after one sweep of algorithm 2, or with pairs drawn at once ("joint")."""
    Z, C = Z.copy(), C.copy()
    for f, n in order or row_scan(codes):
        if codes[f, n] == 1 or scheme == "joint":
            p = dir_dir_conditional(codes, Z, C, f, n, K, gamma, eta)
            Z[f, n], C[f, n] = divmod(draw(p.ravel(), rng), K)
        else:
            Z[f, n] = draw(dir_dir_z_given_c(codes, Z, C, f, n, K, gamma, eta), rng)
            C[f, n] = draw(dir_dir_c_given_z(codes, Z, C, f, n, K, gamma, eta), rng)
    return Z, C


def dir_dir_log_joint(codes, Z, C, K, gamma, eta):
    """Return log p(V, Z, C), the chain rule of urns (57)-(58); -inf where (49) is violated."""
    gamma, eta = vector(gamma, K), vector(eta, K)
    L, Q = np.zeros((codes.shape[0], K)), np.zeros((K, codes.shape[1]))
    total = 0.0
    for f, n in row_scan(codes):
        j, k = Z[f, n], C[f, n]
        if (j == k) != (codes[f, n] == 1):
            return -np.inf
        total += log((gamma[j] + L[f, j]) / (gamma.sum() + L[f].sum()))
        total += log((eta[k] + Q[k, n]) / (eta.sum() + Q[:, n].sum()))
        L[f, j] += 1
        Q[k, n] += 1
    return total


def dir_dir_factors(codes, Z, C, K, gamma, eta):
    """Return E[W | Z] and E[H | C], the means of eqs. (62)-(63)."""
    gamma, eta = vector(gamma, K), vector(eta, K)
    W = np.array([(gamma + tally(z, K)) / (gamma.sum() + (z >= 0).sum()) for z in Z])
    H = np.array([(eta + tally(c, K)) / (eta.sum() + (c >= 0).sum()) for c in C.T]).T
    return W, H


def random_pairs(codes, K, rng):
    """Return Z, C drawn cell by cell, uniform among the pairs that agree with V."""
    Z = random_assignments(codes, K, rng)
    other = (Z + rng.integers(1, max(K, 2), size=codes.shape)) % K
    return Z, np.where(codes == 0, other, Z)


# --- Exact posteriors by enumeration ---------------------------------------------------------


def all_assignments(codes, options):
    """Return every labelling of the observed cells, (S, F, N); options(v) lists a cell's labels."""
    cells = column_scan(codes)
    labels = np.array(list(itertools.product(*(options(codes[cell]) for cell in cells))), int)
    states = np.full((len(labels), *codes.shape), -1)
    for i, (f, n) in enumerate(cells):
        states[:, f, n] = labels[:, i]
    return states


class Exact:
    """The posterior of a tiny matrix over all its assignments.

    states : int array (S, F, N), labels of the observed cells; for Dir-Dir label = z K + c.
    posterior : array (S,), log_evidence : float, mean : array (F, N), E[WH | V].
    """

    def __init__(self, states, log_joints, means):
        self.states = states
        self.log_evidence = logsumexp(log_joints)
        self.posterior = np.exp(log_joints - self.log_evidence)
        self.mean = np.tensordot(self.posterior, means, 1)
        self._number = {state.tobytes(): i for i, state in enumerate(states)}

    def index(self, labels):
        """Return the number of the state with these labels (F, N); KeyError if impossible."""
        return self._number[np.ascontiguousarray(labels, self.states.dtype).tobytes()]


def enumerate_beta_dir(codes, K, alpha, beta, gamma):
    """Return the exact posterior p(Z | V)."""
    states = all_assignments(codes, lambda v: range(K))
    joints = [beta_dir_log_joint(codes, Z, K, alpha, beta, gamma) for Z in states]
    factors = [beta_dir_factors(codes, Z, K, alpha, beta, gamma) for Z in states]
    # Given Z, w_f and h_n are independent: E[WH | Z, V] = E[W | Z] E[H | Z, V].
    return Exact(states, np.array(joints), np.array([W @ H for W, H in factors]))


def split_pairs(labels, K):
    """Return Z, C of labels z K + c, keeping -1."""
    return np.where(labels < 0, -1, labels // K), np.where(labels < 0, -1, labels % K)


def enumerate_dir_dir(codes, K, gamma, eta):
    """Return the exact posterior p(Z, C | V) over the labels z K + c."""
    pairs = [(j, k) for j in range(K) for k in range(K)]
    states = all_assignments(codes, lambda v: [j * K + k for j, k in pairs if (j == k) == (v == 1)])
    split = [split_pairs(labels, K) for labels in states]
    joints = [dir_dir_log_joint(codes, Z, C, K, gamma, eta) for Z, C in split]
    factors = [dir_dir_factors(codes, Z, C, K, gamma, eta) for Z, C in split]
    return Exact(states, np.array(joints), np.array([W @ H for W, H in factors]))


def sweep_matrix(exact, codes, conditional):
    """Return the transition matrix (S, S) of one sweep along rows over the exact states.

    conditional(labels, f, n) is the law of the new label of cell (f, n).
    """
    S = len(exact.states)
    total = np.eye(S)
    for f, n in row_scan(codes):
        step = np.zeros((S, S))
        for i, state in enumerate(exact.states):
            p = conditional(state, f, n)
            for label in np.flatnonzero(p):
                moved = state.copy()
                moved[f, n] = label
                step[i, exact.index(moved)] += p[label]
        total = total @ step
    return total


# --- Exact evidence by quadrature over the factors -------------------------------------------


def beta_rule(a, b, degree):
    """Return nodes and weights exact for E[polynomial of this degree] under Beta(a, b)."""
    x, weights = roots_jacobi(degree // 2 + 1, b - 1, a - 1)
    return (1 + x) / 2, weights / weights.sum()


def product_rule(rules):
    """Return the nodes (P, D) and weights (P,) of D one-dimensional rules."""
    nodes = np.array(list(itertools.product(*(x for x, _ in rules))))
    weights = np.array([np.prod(w) for w in itertools.product(*(w for _, w in rules))])
    return nodes, weights


def beta_column_rule(K, alpha, beta, degree):
    """Return the rule for h_n with independent Beta(alpha_k, beta_k) entries."""
    pairs = zip(vector(alpha, K), vector(beta, K), strict=True)
    return product_rule([beta_rule(a, b, degree) for a, b in pairs])


def dirichlet_rule(K, concentration, degree):
    """Return the rule for a Dirichlet vector, by breaking sticks: beta-distributed fractions."""
    c = vector(concentration, K)
    if K == 1:
        return np.ones((1, 1)), np.ones(1)
    rules = [beta_rule(c[k], c[k + 1 :].sum(), degree) for k in range(K - 1)]
    sticks, weights = product_rule(rules)
    rest = np.cumprod(np.hstack([np.ones((len(sticks), 1)), 1 - sticks]), axis=1)
    return rest * np.hstack([sticks, np.ones((len(sticks), 1))]), weights


def quadrature(codes, row_rule, column_rule):
    """Return log p(V) and E[WH | V], integrating eq. (11) over w_f and h_n.

    The rules must be exact for degree N + 1 (rows) and F + 1 (columns).
    """
    (w, row_weights), (h, column_weights) = row_rule, column_rule
    F, N = codes.shape
    evidence, moments = 0.0, np.zeros((F, N))
    for choice in itertools.product(range(len(h)), repeat=N):
        chosen = list(choice)
        p = w @ h[chosen].T  # nodes of w_f x N
        terms = np.where(codes[:, None] == 1, p, np.where(codes[:, None] == 0, 1 - p, 1.0))
        row_laws = terms.prod(axis=2) * row_weights  # F x nodes of w_f; given H, rows part ways
        rows = row_laws.sum(axis=1)
        weight = column_weights[chosen].prod() * rows.prod()
        evidence += weight
        moments += weight * (row_laws @ p) / rows[:, None]
    return log(evidence), moments / evidence


def quadrature_beta_dir(codes, K, alpha, beta, gamma):
    """Return log p(V) and E[WH | V] of Beta-Dir."""
    F, N = codes.shape
    return quadrature(codes, dirichlet_rule(K, gamma, N + 1), beta_column_rule(K, alpha, beta, F + 1))


def quadrature_dir_dir(codes, K, gamma, eta):
    """Return log p(V) and E[WH | V] of Dir-Dir."""
    F, N = codes.shape
    return quadrature(codes, dirichlet_rule(K, gamma, N + 1), dirichlet_rule(K, eta, F + 1))


# --- Beta-Dir: variational inference ---------------------------------------------------------


def one_hot(codes, Z, K):
    """Return responsibilities (F, N, K) that put all mass on Z, zero at missing cells."""
    R = np.zeros((*codes.shape, K))
    for f, n in row_scan(codes):
        R[f, n, Z[f, n]] = 1
    return R


def expected_counts(codes, R):
    """Return E[L] (F, K), E[A] (K, N), E[B] (K, N)."""
    A = (R * (codes == 1)[..., None]).sum(axis=0).T
    B = (R * (codes == 0)[..., None]).sum(axis=0).T
    return R.sum(axis=1), A, B


def cvb0_update(codes, R, alpha, beta, gamma, order=None):
    """Return the responsibilities after one pass of eq. (36) over the cells, in float64."""
    R = R.copy()
    for f, n in order or interleaved_scan(codes):
        R[f, n] = 0
        ones, zeros = codes[:, n] == 1, codes[:, n] == 0
        L, A, B = R[f].sum(axis=0), R[ones, n].sum(axis=0), R[zeros, n].sum(axis=0)
        R[f, n] = beta_dir_weights(codes[f, n], L, A, B, alpha, beta, gamma)
    return R


def dir_dir_pair(v, L, Q, gamma, eta):
    """Return q(z = j, c = k) (K, K) given expected counters without its cell.

    The joint law of a pair, eqs. (56)-(58), with every count replaced by its expectation, as eq.
    (36) does with eq. (25).
    """
    P = np.outer(gamma + L, eta + Q)
    P[np.eye(len(P), dtype=bool) != (v == 1)] = 0
    return P / P.sum()


def dir_dir_cvb0_update(codes, RZ, RC, gamma, eta, order=None):
    """Return the responsibilities of z and of c (F, N, K) after one pass over the cells."""
    RZ, RC = RZ.copy(), RC.copy()
    for f, n in order or interleaved_scan(codes):
        RZ[f, n] = RC[f, n] = 0
        P = dir_dir_pair(codes[f, n], RZ[f].sum(axis=0), RC[:, n].sum(axis=0), gamma, eta)
        RZ[f, n], RC[f, n] = P.sum(axis=1), P.sum(axis=0)
    return RZ, RC


def mean_field_logs(L, A, B, alpha, beta, gamma):
    """Return E log w (F, K), E log h (K, N), E log(1 - h) under the factors of eqs. (37)-(38)."""
    K = L.shape[1]
    a, b, g = table(alpha, K) + A, table(beta, K) + B, gamma + L
    return (
        digamma(g) - digamma(g.sum(axis=1, keepdims=True)),
        digamma(a) - digamma(a + b),
        digamma(b) - digamma(a + b),
    )


def mean_field_responsibilities(codes, L, A, B, alpha, beta, gamma):
    """Return the optimal q(z), proportional to exp(E log w + v E log h + (1 - v) E log(1 - h))."""
    log_w, log_h, log_1h = mean_field_logs(L, A, B, alpha, beta, gamma)
    R = np.zeros((*codes.shape, L.shape[1]))
    for f, n in row_scan(codes):
        logits = log_w[f] + (log_h if codes[f, n] == 1 else log_1h)[:, n]
        R[f, n] = np.exp(logits - logsumexp(logits))
    return R


def evidence_bound(codes, R, L, A, B, alpha, beta, gamma):
    """Return E_q[log p(V, Z, W, H)] - E_q[log q] in nats, every term spelled out.

    q(z) is R, q(w_f) = Dirichlet(gamma + L_f), q(h_kn) = Beta(alpha + A, beta + B); the counts
    need not be those of R, so the bound can be taken between any two of the updates.
    """
    F, K = L.shape
    gamma = vector(gamma, K)
    alpha, beta = (np.broadcast_to(table(x, K), A.shape) for x in (alpha, beta))
    log_w, log_h, log_1h = mean_field_logs(L, A, B, alpha, beta, gamma)
    bound = 0.0
    for f, n in row_scan(codes):
        r = R[f, n]
        log_v = (log_h if codes[f, n] == 1 else log_1h)[:, n]
        bound += r @ (log_w[f] + log_v) - r[r > 0] @ np.log(r[r > 0])
    # Prior and entropy of the factors. E_q log Dir(w; gamma) = sum (gamma - 1) E log w - log B.
    for f in range(F):
        bound += (gamma - 1) @ log_w[f]
        if K > 1:  # Dirichlet of one component: the constant 1, without a density
            middle = np.full(K, 1 / K)  # the density at one point gives its constant
            bound += dirichlet_law.logpdf(middle, gamma) - (gamma - 1) @ np.log(middle)
            bound += dirichlet_law.entropy(gamma + L[f])
    for k, n in itertools.product(range(K), range(A.shape[1])):
        a, b = alpha[k, n], beta[k, n]
        log_norm = beta_law.logpdf(0.5, a, b) - (a + b - 2) * log(0.5)
        bound += log_norm + (a - 1) * log_h[k, n] + (b - 1) * log_1h[k, n]
        bound += beta_law.entropy(a + A[k, n], b + B[k, n])
    return bound


# --- Learned priors --------------------------------------------------------------------------


def rising(x, n):
    """Return log x (x + 1) ... (x + n - 1), factor by factor."""
    return fsum(log(x + j) for j in range(n))


def chance_of_some(r):
    """Return the chance that any of some cells is in a component, with chances r each."""
    with np.errstate(divide="ignore"):  # r = 1
        return -np.expm1(np.log1p(-r).sum())


def expected_digamma_difference(x, mean, some):
    """Return E[psi(x + n) - psi(x)] of a count n with this mean that is not 0 with chance `some`.

    Teh, Kurihara and Welling (2008), the part of zeroth order in n given n > 0.
    """
    if mean == 0:
        return 0.0
    return some * (digamma(x + mean / some) - digamma(x))


def expected_digammas(codes, R, alpha, beta):
    """Return the sums over components for A and alpha, B and beta, and both: array (3, N).

    alpha, beta : arrays (N,). Cells are independent under q.
    """
    (_, N), K = codes.shape, R.shape[2]
    sums = np.zeros((3, N))
    for n, k in itertools.product(range(N), range(K)):
        r_ones, r_zeros = R[codes[:, n] == 1, n, k], R[codes[:, n] == 0, n, k]
        some_A, some_B = chance_of_some(r_ones), chance_of_some(r_zeros)
        A, B, a, b = r_ones.sum(), r_zeros.sum(), alpha[n], beta[n]
        sums[0, n] += expected_digamma_difference(a, A, some_A)
        sums[1, n] += expected_digamma_difference(b, B, some_B)
        some = some_A + some_B - some_A * some_B
        sums[2, n] += expected_digamma_difference(a + b, A + B, some)
    return sums


def minka_step(codes, R, alpha, beta):
    """Return the next alpha and beta, floats, by Minka's fixed point and a Gamma(2, 1) prior."""
    N = codes.shape[1]
    of_alpha, of_beta, of_both = expected_digammas(codes, R, np.full(N, alpha), np.full(N, beta)).sum(axis=1)
    return (1 + alpha * of_alpha) / (1 + of_both), (1 + beta * of_beta) / (1 + of_both)


def minka_step_of_strength(codes, R, strength, means):
    """Return the next strength s of alpha_n = s m_n and beta_n = s (1 - m_n)."""
    sums = expected_digammas(codes, R, strength * means, strength * (1 - means))
    gain = sum(m * a + (1 - m) * b for m, a, b in zip(means, sums[0], sums[1], strict=True))
    return (1 + strength * gain) / (1 + sums[2].sum())


def shrunk_shares(codes, common, observations):
    """Return m_n: the proportion of ones of column n, and of so many more entries at the common one."""
    observed = [column[column >= 0] for column in codes.T]
    return np.array([(own.sum() + observations * common) / (own.size + observations) for own in observed])


def log_likelihood_of_shrinkage(codes, common, observations):
    """Return the log probability of the counts of ones of columns: each is beta-binomial."""
    observed = [column[column >= 0] for column in codes.T]
    a, b = observations * common, observations * (1 - common)
    return sum(betabinom.logpmf(own.sum(), own.size, a, b) for own in observed)


def twin_probabilities(line, weights, alpha, beta, sweeps=4000):
    entries = np.flatnonzero(line >= 0)
    prior = np.where((line == 1)[:, None], alpha, beta)
    q = np.zeros(weights.shape)
    q[entries] = weights[entries] * prior[entries]
    q[entries] /= q[entries].sum(axis=1, keepdims=True)
    for _ in range(sweeps):
        for n in entries:
            of_value = prior[n] + q[line == line[n]].sum(axis=0) - q[n]
            q[n] = weights[n] * of_value / (alpha + beta + q[entries].sum(axis=0) - q[n])
            q[n] /= q[n].sum()
    A, B = q[line == 1].sum(axis=0), q[line == 0].sum(axis=0)
    return (alpha + A) / (alpha + beta + A + B)
