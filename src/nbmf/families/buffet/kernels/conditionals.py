"""The conditional distributions that the samplers of this family draw from, one function each.

Of a row, P holds the precisions of its cells (0 where missing) and e = P r, where r is what of its
pseudo-data the other terms leave over: no division by a small precision anywhere.
"""

import math

from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.normal_effects import draw_inverse_gamma
from nbmf.numerics.random import uniform
from nbmf.numerics.variates import standard_gamma, standard_normal

PROPOSED = 1.0  # mean of the number of proposed singletons
MOST_PROPOSED = 101  # for a row: proposed_singletons gives fewer
NOBODY = math.exp(-PROPOSED)
SURE = 700.0  # log odds: e^SURE is about the largest double
HUGE = 1e200  # of a product, before it is put away as a logarithm


@inner_kernel
def loading_variance(s2, slab):
    """Return the variance τ^ of a loading that is there, and ½ log(τ^/τ), given s2 = Σ P z²."""
    variance = 1.0 / (s2 + 1.0 / slab)
    return variance, 0.5 * math.log(variance / slab)


@inner_kernel
def loading_mean(s1, variance, half_log):
    """Return the mean β^ of a loading that is there, and the log of its Bayes factor.

    s1 = Σ P z (r + β z), and the rest is that of `loading_variance`. The factor, ½ log(τ^/τ) + β^²/(2τ^), is
    that of ξ = 1 against ξ = 0 with the loading integrated out.
    """
    mean = variance * s1
    return mean, half_log + 0.5 * mean * s1


@inner_kernel
def draw_loading(mean, variance, log_odds, generator):
    """Draw (ξ, β) at once given the log odds of ξ = 1; return 0 for ξ = 0. inf makes ξ = 1."""
    u, y = uniform(generator), -log_odds
    # e^y is above its series: most loadings that are not there need no exponential.
    if y > 0.0 and u * (2.0 + y * (1.0 + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0))))) >= 1.0:
        return 0.0
    if u * (1.0 + math.exp(min(y, SURE))) < 1.0:
        return mean + math.sqrt(variance) * standard_normal(generator)
    return 0.0


@inner_kernel
def proposed_singletons(generator):
    """Draw the number of proposed singletons from Poisson(PROPOSED)."""
    u, s, p = uniform(generator), 0, NOBODY
    while u >= p and s < 100:
        u -= p
        s += 1
        p *= PROPOSED / s
    return s


@inner_kernel
def ask_row(share, room, generator):
    """Return whether a row is asked for births and deaths, and the number of singletons it proposes.

    The number is -1 if there is no `room` for them; the generator then is as before.
    """
    s0, s1, s2, s3 = generator[0], generator[1], generator[2], generator[3]
    asked = share >= 1.0 or uniform(generator) < share
    proposed = proposed_singletons(generator) if asked else 0
    if proposed > room:
        generator[0], generator[1], generator[2], generator[3] = s0, s1, s2, s3
        proposed = -1
    return asked, proposed


@inner_kernel
def propose_loadings(proposed, slab, new_loadings, generator):
    """Draw the loadings of proposed singletons from their prior; return the sum of their squares."""
    v = 0.0
    for s in range(proposed):
        new_loadings[s] = math.sqrt(slab) * standard_normal(generator)
        v += new_loadings[s] * new_loadings[s]
    return v


@inner_kernel
def singletons_log_likelihood(e, P, n, v):
    """Return ℓ(v), the log-likelihood ratio of singletons with Σ β² = v against none.

    Their scores are integrated out: ½ Σ [e² v / (1 + P v) - log(1 + P v)].
    """
    if v == 0.0:
        return 0.0
    fit, logs, product = 0.0, 0.0, 1.0
    for i in range(n):
        scale = 1.0 + P[i] * v
        fit += e[i] * e[i] / scale
        product *= scale
        if product > HUGE:
            logs += math.log(product)
            product = 1.0
    return 0.5 * (fit * v - logs - math.log(product))


@inner_kernel
def product(x, y, n):
    """Return Σ x y of n numbers: four sums at once are faster than one."""
    a0 = a1 = a2 = a3 = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a0 += x[i] * y[i]
        a1 += x[i + 1] * y[i + 1]
        a2 += x[i + 2] * y[i + 2]
        a3 += x[i + 3] * y[i + 3]
    for i in range(whole, n):
        a0 += x[i] * y[i]
    return (a0 + a1) + (a2 + a3)


@inner_kernel
def gain_by_sums(R, n, noise, v, v_new):
    """Return ℓ(v*) - ℓ(v) where all n cells have the variance `noise`, R = Σ r²."""
    before, after = noise + v, noise + v_new
    return 0.5 * (R * (v_new - v) / (before * after) - n * math.log(after / before))


@inner_kernel
def acceptance(gain, singletons, proposed, log_rate):
    """Return log A of replacing singletons: `gain` is ℓ(v*) - ℓ(v), `log_rate` log λ_p."""
    return gain + (proposed - singletons) * (log_rate - math.log(PROPOSED))


@inner_kernel
def score_distribution(e, P, v):
    """Return mean and variance of the score of a cell along the loadings of new features, of norm √v."""
    variance = 1.0 / (1.0 + P * v)
    return math.sqrt(v) * e * variance, variance


@inner_kernel
def draw_new_scores(e, P, n, new_loadings, v, first, last, Z, generator):
    """Draw the scores Z[first:last] of new features, Σ β² = v of their loadings, cell by cell.

    Along u = β / √v the distribution is that of `score_distribution`, in other directions N(0, 1).
    """
    norm = math.sqrt(v)
    for i in range(n):
        along = 0.0
        for k in range(first, last):
            Z[k, i] = standard_normal(generator)
            along += Z[k, i] * new_loadings[k - first] / norm
        mean, variance = score_distribution(e[i], P[i], v)
        shift = mean + math.sqrt(variance) * along - along
        for k in range(first, last):
            Z[k, i] += shift * new_loadings[k - first] / norm


@inner_kernel
def log_scale_density(t, a, b, power):
    """Return the log density of t = log of the factor that scales loadings up and scores down.

    a = ‖b_k‖²/τ, b = ‖z_k‖², power = m_k - n, which counts the Jacobian.
    """
    return power * t - 0.5 * (math.exp(2.0 * t) * a + math.exp(-2.0 * t) * b)


@inner_kernel
def draw_scale(a, b, m, n, generator):
    """Return the factor of a Metropolis step in t from t = 0, m = m_k; 1 where it is rejected."""
    t = 2.4 / math.sqrt(2.0 * (m + n)) * standard_normal(generator)
    power = m - n
    gain = log_scale_density(t, a, b, power) - log_scale_density(0.0, a, b, power)
    return math.exp(t) if math.log(1.0 - uniform(generator)) < gain else 1.0


@inner_kernel
def draw_variance(number, count, squares, numbers, number_priors, generator):
    """Draw a variance from its inverse Gamma distribution given the sum of `count` squares, if learned."""
    if number_priors[number, 0] > 0.0:
        shape, rate = number_priors[number, 0], number_priors[number, 1]
        numbers[number] = draw_inverse_gamma(generator, count, squares, shape, rate)


@inner_kernel
def draw_mass(number, K, features_per_mass, numbers, number_priors, generator):
    """Draw the mass from Gamma(shape + K+, rate + E[K+] per unit of it), if it is learned."""
    if number_priors[number, 0] > 0.0:
        shape = number_priors[number, 0] + K
        numbers[number] = standard_gamma(generator, shape) / (number_priors[number, 1] + features_per_mass)


@inner_kernel
def make_room(order, K, row, state):
    """Delete the columns of `row` that nobody else has; return how many are left.

    The last column comes to the place of one that goes: order[k] >= k is where column k was.
    """
    B, Z, feature_counts = state.B, state.Z, state.feature_counts
    for k in range(K):
        order[k] = k
    k = 0
    while k < K:
        if B[row, k] != 0.0 and feature_counts[k] == 1:
            K -= 1
            order[k] = order[K]
            feature_counts[k] = feature_counts[K]
            for j in range(B.shape[0]):
                B[j, k] = B[j, K]
                B[j, K] = 0.0
            for i in range(Z.shape[1]):
                Z[k, i] = Z[K, i]
        else:
            k += 1
    return K
