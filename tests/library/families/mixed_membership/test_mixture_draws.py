"""Draws of a mixture of binary features: each conditional, the exact posterior of small matrices, and intervals."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import betaln, gammaln

import nbmf
from nbmf.errors import ConfigError
from nbmf.families.mixed_membership.e_steps import MixtureStep
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.mixture_draws import MixtureChain
from nbmf.inference.declarations import CLASS_SIZES
from nbmf.inference.starts import Starts

CODES = np.array([[1, 0, 1], [1, 1, -1], [0, 0, 1], [-1, -1, -1], [0, 1, 0]], np.int8)
PI, H = np.array([0.3, 0.7]), np.array([[0.9, 0.2, 0.6], [0.1, 0.5, 0.8]])


def by_hand(codes, pi, H):
    """Return the probabilities of classes, one entry after another."""
    r = np.tile(pi, (len(codes), 1))
    for f, k, n in itertools.product(range(len(codes)), range(len(pi)), range(codes.shape[1])):
        if codes[f, n] >= 0:
            r[f, k] *= H[k, n] if codes[f, n] else 1 - H[k, n]
    return r / r.sum(axis=1, keepdims=True)


def chain_of(codes, epsilon, pi=PI, H=H):
    return MixtureChain(Cells.of_codes(codes), MixtureStep(), epsilon, pi, H)


def test_the_probabilities_of_classes_are_those_given_sizes_and_probabilities():
    np.testing.assert_allclose(chain_of(CODES, 1.0).shares(), by_hand(CODES, PI, H), rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 2.5])
def test_each_draw_has_the_law_of_its_conditional(epsilon):
    """Classes by a uniform number on either side of where they change; the parameters of what is drawn given them."""
    edges = by_hand(CODES, PI, H)[:, 0]
    for nudge, first in ((-1e-9, True), (1e-9, False)):
        u, given = edges + nudge, []
        u[0] = 1 - 1e-12  # the last class
        rng = SimpleNamespace(
            random=lambda n, u=u: u[:n],
            dirichlet=lambda a, given=given: given.append(a) or PI,
            beta=lambda a, b, given=given: given.extend((a, b)) or H.T,
        )
        chain_of(CODES, epsilon).sweep(rng)
        z = np.array([1, *[0 if first else 1] * 4])
        seen = (CODES >= 0).any(axis=1)
        np.testing.assert_allclose(given[0], [1 + np.count_nonzero(seen & (z == k)) for k in (0, 1)])
        for value, parameters in ((1, given[1]), (0, given[2])):
            counts = [[np.count_nonzero((CODES[:, n] == value) & (z == k)) for k in (0, 1)] for n in range(3)]
            np.testing.assert_allclose(parameters, 1 + epsilon + np.array(counts))


def exact(codes, epsilon, K):
    """Return the posterior probability of each z, all rows having cells, and what is expected given it."""
    weights, together, means = [], [], []
    for z in itertools.product(range(K), repeat=len(codes)):
        members = np.eye(K)[list(z)]
        n = members.sum(axis=0)
        ones, zeros = members.T @ (codes == 1), members.T @ (codes == 0)
        a, b = 1 + epsilon + ones, 1 + epsilon + zeros
        weights.append(gammaln(1 + n).sum() + (betaln(a, b) - betaln(1 + epsilon, 1 + epsilon)).sum())
        together.append(members @ members.T)
        means.append(((1 + n) / (K + len(codes))) @ (a / (a + b)))
    weights = np.exp(np.array(weights) - max(weights))
    weights /= weights.sum()
    return np.einsum("z,zfg->fg", weights, together), weights @ np.array(means)


@pytest.mark.statistics
@pytest.mark.parametrize(("epsilon", "K"), [(0.0, 2), (1.0, 3)])
def test_the_chain_has_the_exact_posterior(epsilon, K):
    """How probably two rows are in one class, and the mean proportion of ones of each column, by batches of sweeps."""
    codes = CODES[[0, 1, 2, 4]]
    together, means = exact(codes, epsilon, K)
    rng = np.random.default_rng(K)
    chain = chain_of(codes, epsilon, np.full(K, 1 / K), rng.random((K, 3)))
    seen = []
    for _ in range(12_000):
        chain.sweep(rng)
        r = chain.shares()
        pairs = r @ r.T  # classes of two rows are independent given the rest
        seen.append(np.concatenate([pairs[np.triu_indices(4, 1)], chain.sizes @ chain.H]))
    batches = np.array(seen).reshape(60, 200, -1).mean(axis=1)
    expected = np.concatenate([together[np.triu_indices(4, 1)], means])
    z = (batches.mean(axis=0) - expected) / (batches.std(axis=0, ddof=1) / 60**0.5)
    assert abs(z).max() < 4.5


def classes(seed, rows=300):
    """Draw rows of two classes of unequal sizes, and return what they are drawn by."""
    rng = np.random.default_rng(seed)
    pi, H = np.array([0.65, 0.35]), np.vstack([np.linspace(0.6, 0.9, 8), np.linspace(0.4, 0.1, 8)])
    return (rng.random((rows, 8)) < H[rng.choice(2, rows, p=pi)]).astype(np.int8), pi, H


@pytest.mark.statistics
def test_intervals_hold_the_truth_as_often_as_they_say():
    inside = []
    for seed in range(30):
        V, pi, H = classes(seed)
        draws = nbmf.posterior_draws(nbmf.MNB(2, random_state=seed), V, n_draws=100)
        lower, upper = draws.activation_interval(0.9)
        ends = draws.other_interval(CLASS_SIZES, 0.9)
        true = np.argsort(np.argsort(-draws.estimator.weights_))  # the larger class is the first of those drawn
        inside += [*((lower <= H[true]) & (H[true] <= upper)).ravel()]
        inside += [*((ends[0] <= pi[true]) & (pi[true] <= ends[1]))]
    assert 0.85 < np.mean(inside) < 0.95


def test_draws_are_those_of_one_chain_from_where_the_fit_ends():
    V, _, _ = classes(1)
    fitted, drawn = nbmf.MNB(2, random_state=3).fit(V), nbmf.MNB(2, random_state=3)
    draws = nbmf.posterior_draws(drawn, V, n_draws=30)
    np.testing.assert_array_equal(drawn.H_, fitted.H_)  # the fit is the same with draws and without
    again = nbmf.posterior_draws(nbmf.MNB(2, random_state=3), V, n_draws=30)
    np.testing.assert_array_equal(again.H, draws.H)
    assert abs(draws.W.sum(axis=2) - 1).max() < 1e-6
    np.testing.assert_allclose(draws[0].others[CLASS_SIZES].sum(), 1, rtol=1e-6)
    assert abs(draws.H.mean(axis=0) - fitted.H_).max() < 0.1
    assert draws.H.std(axis=0).min() > 0.005


def test_draws_of_columns_are_those_of_rows_of_the_transposed_matrix():
    V, _, _ = classes(2, 60)
    of_rows = nbmf.posterior_draws(nbmf.MNB(2, random_state=0), V, n_draws=5)
    of_columns = nbmf.posterior_draws(nbmf.MNB(2, orientation="columns", random_state=0), V.T, n_draws=5)
    np.testing.assert_array_equal(of_columns.H, of_rows.W.transpose(0, 2, 1))
    np.testing.assert_array_equal(of_columns.W, of_rows.H.transpose(0, 2, 1))
    for level in (0.5, 0.9):
        np.testing.assert_array_equal(
            of_columns.other_interval(CLASS_SIZES, level), of_rows.other_interval(CLASS_SIZES, level)
        )


def test_of_several_starts_the_best_is_drawn_from(monkeypatch):
    monkeypatch.setattr(Starts, "of", staticmethod(lambda objectives: Starts((0.0, 0.0, 0.0), 1)))
    V, _, _ = classes(3, 60)
    chains = nbmf.run_chains(nbmf.MNB(2, random_state=0), V, chains=3, n_draws=4)
    alone = nbmf.posterior_draws(type(chains.best)(**chains.estimators[1].get_params()), V, n_draws=4)
    assert chains.best is chains.estimators[1]
    np.testing.assert_array_equal(chains.draws.H, alone.H)
    assert chains.co_clustering(0).shape == (60, 60)
    posterior = chains.to_arviz()["posterior"]
    assert posterior["H"].shape == (3, 4, 2, 8)  # of all starts
    np.testing.assert_array_equal(posterior["H"].to_numpy()[1], alone.H)
    without = nbmf.run_chains(nbmf.MNB(2, random_state=0), V, chains=2)
    with pytest.raises(ConfigError, match="co_clustering: MNB has no posterior distribution without draws"):
        without.co_clustering(0)


@pytest.mark.parametrize("model", [nbmf.MMNB(2), nbmf.FastMMNB(2)])
def test_mixed_memberships_have_no_draws(model):
    with pytest.raises(ConfigError, match="has no posterior distribution to draw from"):
        nbmf.posterior_draws(model, CODES)
