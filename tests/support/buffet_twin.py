"""Slow twins of the Indian buffet samplers, written from the model, and Geweke's test of chains."""

import itertools
import math

import ladder
import numpy as np
from scipy import stats
from scipy.special import gammaln

from nbmf.families.buffet.buffet_priors import buffet_prior, left_order
from nbmf.families.buffet.chain import BuffetChain
from nbmf.families.buffet.engines import Matrix
from nbmf.families.buffet.kernels.numbers import COLUMN_EFFECT, INTERCEPT, MASS, NOISE, ROW_EFFECT, SLAB
from nbmf.families.buffet.states import Numbers

FIXED = np.zeros((6, 2))
LEARNED = np.array([[2.0, 1.5], [3.0, 3.0], [3.0, 2.0], [3.0, 2.0], [3.0, 1.0], [0.6, 0.0]])


def numbers(mass=0.8, noise=0.5, slab=1.3, row=0.4, column=0.7, intercept=0.0):
    """Return numbers of a chain; of a variance of 0 there are no such effects."""
    return np.array([mass, noise, slab, row, column, intercept])


def means_of_effects(numbers):
    """Return the means of row and of column effects a priori: those of columns have the intercept if there are any."""
    return (0.0, numbers[INTERCEPT]) if numbers[COLUMN_EFFECT] else (numbers[INTERCEPT], 0.0)


def priors_of(*learned):
    """Return the shapes and rates with only some of the numbers learned."""
    table = FIXED.copy()
    table[list(learned)] = LEARNED[list(learned)]
    return table


# --- The laws of the priors -------------------------------------------------------------------


def log_pmf(prior, Xi):
    """Return the log probability of the class of Ξ (p, K+), columns in any order, eq. (3.3)."""
    Xi = np.asarray(Xi, int)
    _, alike = np.unique(Xi.T, axis=0, return_counts=True)
    return prior.log_density(Xi.sum(axis=0), len(Xi)) - gammaln(alike + 1.0).sum()


def draw_by_hierarchy(prior, p, rng):
    """Draw Ξ by the hierarchy of Definition 2, left-ordered; the IBP, with infinitely many dishes, has none.

    K ~ Poisson(γ), θ_k ~ Beta(α, κ + 1), ξ_jk ~ Bernoulli(θ_k); empty columns are dropped.
    """
    theta = rng.beta(prior.alpha, prior.kappa + 1.0, rng.poisson(prior.mass))
    Xi = rng.random((p, theta.size)) < theta
    Xi = Xi[:, Xi.any(axis=0)].astype(np.int8)
    return Xi[:, left_order(Xi)]


# --- The full log joint, from the model -------------------------------------------------------


def log_joint(values, logit, prior, state, numbers, table=FIXED):
    """Return log p(V, Ξ, B, Z, effects, numbers) of features as a set; NaN in V is missing."""
    B, Z, rows, columns = state
    p, n = values.shape
    fit = B @ Z
    total = 0.0
    for j in range(p):
        for i in range(n):
            if np.isnan(values[j, i]):
                continue
            if logit:
                psi = rows[j] + columns[i] + fit[j, i]
                total += -math.log1p(math.exp(-psi if values[j, i] == 1 else psi))
            else:
                total += stats.norm.logpdf(values[j, i], fit[j, i], math.sqrt(numbers[NOISE]))
    prior = prior._replace(mass=numbers[MASS])
    total += prior.log_density((B != 0).sum(axis=0), p)
    total += stats.norm.logpdf(B[B != 0], 0, math.sqrt(numbers[SLAB])).sum()
    total += stats.norm.logpdf(Z).sum()
    if logit:
        means = means_of_effects(numbers)
        for number, effects, mean in zip((ROW_EFFECT, COLUMN_EFFECT), (rows, columns), means, strict=True):
            if numbers[number]:
                total += stats.norm.logpdf(effects, mean, math.sqrt(numbers[number])).sum()
    for k, (shape, rate) in enumerate(table):
        if shape and k == INTERCEPT:
            total += stats.norm.logpdf(numbers[k], 0, math.sqrt(shape))
        elif shape and k == MASS:
            total += (shape - 1) * math.log(numbers[k]) - rate * numbers[k]
        elif shape:
            total += -(shape + 1) * math.log(numbers[k]) - rate / numbers[k]
    return total


# --- Draws from the model ---------------------------------------------------------------------


def draw_numbers(start, table, rng):
    drawn = start.copy()
    for k, (shape, rate) in enumerate(table):
        if shape and k == INTERCEPT:
            drawn[k] = rng.normal(0, math.sqrt(shape))
        elif shape and start[k]:
            gamma = rng.gamma(shape) / rate
            drawn[k] = gamma if k == MASS else 1 / gamma
    return drawn


def draw_state(prior, start, table, shape, logit, rng):
    """Draw (B, Z, row effects, column effects) and the numbers from the prior."""
    drawn = draw_numbers(start, table, rng)
    Xi = prior._replace(mass=drawn[MASS]).draw(shape[0], rng)
    B = Xi * rng.normal(0, math.sqrt(drawn[SLAB]), Xi.shape)
    Z = rng.standard_normal((Xi.shape[1], shape[1]))
    rows, columns = np.zeros(shape[0]), np.zeros(shape[1])
    if logit:
        means = means_of_effects(drawn)
        rows = rng.normal(means[0], math.sqrt(drawn[ROW_EFFECT]), shape[0])
        columns = rng.normal(means[1], math.sqrt(drawn[COLUMN_EFFECT]), shape[1])
    return (B, Z, rows, columns), drawn


def draw_values(state, drawn, logit, rng):
    """Draw V given the state, all cells of it."""
    B, Z, rows, columns = state
    fit = B @ Z
    if logit:
        psi = rows[:, None] + columns + fit
        return (rng.random(fit.shape) < 1 / (1 + np.exp(-psi))).astype(float)
    return fit + rng.normal(0, math.sqrt(drawn[NOISE]), fit.shape)


# --- Geweke's test ----------------------------------------------------------------------------


def statistics(values, observed, state, drawn, logit):
    """Return statistics of data and state; squares go through log1p, tails are heavy."""
    B, Z, rows, columns = state
    takers, fit = (B != 0).sum(axis=0), B @ Z
    V = np.where(observed, values, 0.0)
    out = [
        takers.size,
        takers.size**2,
        takers.sum(),
        (takers == 1).sum(),
        (takers == len(B)).sum(),
        math.log1p((B**2).sum()),
        math.log1p((Z**2).sum()),
        math.log1p((fit**2).sum()),
        math.log1p((V**2).sum()),
        math.tanh((V * fit).sum()),
        math.log(drawn[MASS]),
        math.log(drawn[SLAB]),
    ]
    if logit:
        out += [
            V[0].sum() * rows[0],
            V[:, 0].sum() * columns[0],
            math.log1p((rows**2).sum()),
            math.log1p((columns**2).sum()),
            math.log(drawn[ROW_EFFECT] or 1.0),
            math.log(drawn[COLUMN_EFFECT] or 1.0),
            drawn[INTERCEPT],
            math.log1p(drawn[INTERCEPT] ** 2),
            math.tanh(drawn[INTERCEPT] * (rows.sum() + columns.sum())),
        ]
    else:
        out += [math.log(drawn[NOISE])]
    return out


def chain_on(values, observed, logit, prior, start, table, seed, **options):
    """Return a chain on a matrix of which cells outside `observed` are missing."""
    signal = np.where(observed, values - 0.5 if logit else values, 0.0)
    matrix = Matrix(logit, signal, observed.copy())
    return BuffetChain(matrix, prior, Numbers(start, table), ladder.seed_sequence(*seed), **options)


def put(chain, state, drawn):
    """Set the state of a chain."""
    B, Z, rows, columns = state
    chain._put(B, Z)
    arrays = chain._state
    arrays.row_effects[:], arrays.column_effects[:], arrays.numbers[:] = rows, columns, drawn


def take(chain):
    """Return the state of a chain and its numbers."""
    K, arrays = chain.K, chain._state
    state = arrays.B[:, :K], arrays.Z[:K], arrays.row_effects, arrays.column_effects
    return state, arrays.numbers


def geweke(logit, prior, table, observed, seed, sweeps, share=1.0, marginal=20_000, start=None, **options):
    """Compare draws from the model with a chain that alternates V | state and a sweep."""
    rng = np.random.default_rng(seed)
    shape, start = observed.shape, numbers(mass=prior.mass) if start is None else start

    def one():
        state, drawn = draw_state(prior, start, table, shape, logit, rng)
        return draw_values(state, drawn, logit, rng), state, drawn

    expected = [statistics(V, observed, state, drawn, logit) for V, state, drawn in (one() for _ in range(marginal))]
    values, state, drawn = one()
    chain = chain_on(values, observed, logit, prior, start, table, (seed,), **options)
    put(chain, state, drawn)
    signal, found = chain._matrix.signal, np.empty((sweeps, len(expected[0])))
    for number in range(sweeps):
        state, drawn = take(chain)
        V = draw_values(state, drawn, logit, rng)
        signal[:] = np.where(observed, V - 0.5 if logit else V, 0.0)
        chain._engine.take(chain.K, chain._state.Z)
        chain.sweep(1, share)
        state, drawn = take(chain)
        found[number] = statistics(V, observed, state, drawn, logit)
    return np.array(expected), found


def scores_of(expected, found):
    """Return how many standard errors the means of the statistics are apart, (statistics,)."""
    mean, error = ladder.batch_means(found)
    error = np.hypot(error, expected.std(axis=0, ddof=1) / math.sqrt(len(expected)))
    fixed = (found.std(axis=0) < 1e-12) & (expected.std(axis=0) < 1e-12)
    return np.where(fixed, 0.0, (mean - expected.mean(axis=0)) / np.maximum(error, 1e-12))


def assert_same(expected, found):
    """Compare means of the statistics, of draws from the model and of a chain."""
    scores = scores_of(expected, found)
    p = min(1.0, 2 * stats.t.sf(np.abs(scores).max(), 49) * scores.size)
    assert p > ladder.FALSE_ALARM, f"p = {p:.1e}, standard errors apart {np.round(scores, 1)}"


def assert_no_bit_changed(made):
    """Compare chains with little and much room, and one that goes on from a snapshot.

    `made` returns a chain with room for so many columns at first, and for 30 kept sweeps.
    """
    chains = [made(capacity) for capacity in (1, 200)]
    for chain in chains:
        chain.sweep(30)
    chains.append(made(3))
    chains[2].restore({name: x.copy() for name, x in chains[0].snapshot().items()})
    for chain in chains:
        chain.sweep(30, keep=True)
    snapshots = [chain.snapshot() for chain in chains]
    assert snapshots[0]["sizes"].max() > 5
    for other, (name, array) in itertools.product(snapshots[1:], snapshots[0].items()):
        np.testing.assert_array_equal(array, other[name], err_msg=name)


def prior_of(name, mass=0.8, alpha=1.2, kappa=0.9):
    return buffet_prior(name, mass, alpha if name == "cibp" else 0, kappa)
