"""The Beta-Dir Gibbs kernel: the probability of every outcome of every draw, to 1e-9."""

import bisection
import ladder
import naive
import numpy as np
import pytest

from nbmf.families.beta_dirichlet.kernels import beta_dir_gibbs
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain

LISTS, REJECTION = 10**6, 0
ways = pytest.mark.parametrize("dense_row", [LISTS, REJECTION], ids=["lists", "rejection"])
CODES = np.array([[1, 0, 1, 1], [0, -1, 1, 0], [1, 1, 0, -1]], np.int8)
K = 3
PRIORS = {  # alpha, beta, gamma
    "numbers": (0.7, 1.2, 0.3),
    "vectors": (np.array([0.4, 1.0, 2.0]), np.array([0.8, 0.3, 1.0]), np.array([1.5, 0.6, 0.2])),
    "per column": (np.array([[0.5, 1.1, 0.3, 2.0]]), np.array([[0.9, 0.4, 1.6, 0.7]]), 0.5),
}


def law_of(codes, Z, f, n, hyperparameters):
    alpha, beta, gamma = hyperparameters
    alpha, beta = (x[0, n] if np.ndim(x) == 2 else x for x in (alpha, beta))
    p = naive.beta_dir_conditional(codes, Z, f, n, K, alpha, beta, gamma)
    return dict(enumerate(p))


def explore(monkeypatch, hyperparameters, dense_row, codes=CODES, **options):
    chain = BetaDirChain(
        codes, K, *hyperparameters, ladder.seed_sequence(5), n_blocks=max(codes.shape), dense_row=dense_row
    )

    def changing(given):
        return given.z, *given.lists, given.columns.counts, given.columns.phi, given.columns.sums

    return bisection.explore_sweeps(
        monkeypatch,
        beta_dir_gibbs,
        chain,
        changing,
        lambda given, i: int(given.z[i]),
        lambda f, n: law_of(codes, chain.Z, f, n, hyperparameters),
        **options,
    )


@pytest.mark.statistics
@ways
@pytest.mark.parametrize("name", PRIORS)
def test_every_outcome_has_the_probability_of_eq_25(monkeypatch, name, dense_row):
    monkeypatch.setattr(beta_dir_gibbs, "MAX_TRIES", 2)  # so that what comes after weighs much
    cells = explore(monkeypatch, PRIORS[name], dense_row)
    assert len(cells) == 2 * np.count_nonzero(CODES >= 0)


@ways
def test_sixteen_tries_and_the_fallback_make_up_eq_25(monkeypatch, dense_row):
    # A one that the prior hardly expects: most proposals are rejected.
    codes, hyperparameters = np.array([[1, 0]], np.int8), (0.05, 4.0, 0.6)
    assert explore(monkeypatch, hyperparameters, dense_row, codes=codes, sweeps=1)


@pytest.mark.parametrize("n_blocks", [1, 2])
def test_compiled_sweeps_give_the_bits_of_plain_python(monkeypatch, n_blocks):
    codes = np.random.default_rng(1).integers(-1, 2, (9, 11)).astype(np.int8)
    alpha, beta, gamma = np.linspace(0.4, 2.0, 4), 1.2, np.linspace(0.1, 0.9, 4)

    def chains():
        return [
            BetaDirChain(codes, 4, alpha, beta, gamma, ladder.seed_sequence(1), n_blocks=n_blocks, dense_row=dense_row)
            for dense_row in (LISTS, REJECTION, 2)
        ]

    bisection.assert_same_bits(monkeypatch, chains, beta_dir_gibbs)
