"""The Dir-Dir Gibbs kernel: the probability of every outcome of every draw, to 1e-9."""

import bisection
import ladder
import naive
import numpy as np
import pytest

from nbmf.families.beta_dirichlet.kernels import dir_dir_gibbs
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain

CODES = np.array([[1, 0, 1, 1], [0, -1, 1, 0], [1, 1, 0, -1]], np.int8)
K = 3
PRIORS = {  # gamma, eta
    "numbers": (0.3, 0.8),
    "vectors": (np.array([1.5, 0.6, 0.2]), np.array([0.3, 1.0, 2.0])),
}


def law_of(codes, Z, C, f, n, hyperparameters, scheme):
    if codes[f, n] == 1 or scheme == "joint":
        p = naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters)
        return {divmod(pair, K): p.flat[pair] for pair in np.flatnonzero(p)}
    p_z, law = naive.dir_dir_z_given_c(codes, Z, C, f, n, K, *hyperparameters), {}
    for Z[f, n] in np.flatnonzero(p_z):
        p_c = naive.dir_dir_c_given_z(codes, Z, C, f, n, K, *hyperparameters)
        z = int(Z[f, n])
        law |= {(z, int(c)): p_z[z] * p_c[c] for c in np.flatnonzero(p_c)}
    return law


def explore(monkeypatch, hyperparameters, scheme, codes=CODES, **options):
    chain = DirDirChain(codes, K, *hyperparameters, ladder.seed_sequence(5), n_blocks=max(codes.shape), scheme=scheme)

    def changing(given):
        assigned, urns = given.assigned, given.urns
        return assigned.z, assigned.c, urns.L, urns.component, urns.slot, urns.length, urns.Q, given.fresh

    return bisection.explore_sweeps(
        monkeypatch,
        dir_dir_gibbs,
        chain,
        changing,
        lambda given, i: (int(given.assigned.z[i]), int(given.assigned.c[given.assigned.place[i]])),
        lambda f, n: law_of(codes, chain.Z, chain.C, f, n, hyperparameters, scheme),
        **options,
    )


@pytest.mark.parametrize("scheme", ["joint", "alternating"])
@pytest.mark.parametrize("name", PRIORS)
def test_every_pair_has_the_probability_of_eqs_59_to_61(monkeypatch, name, scheme):
    monkeypatch.setattr(dir_dir_gibbs, "MAX_TRIES", 1)
    cells = explore(monkeypatch, PRIORS[name], scheme)
    assert len(cells) == 2 * np.count_nonzero(CODES >= 0)


def test_every_column_has_its_own_urn(monkeypatch):
    # Where one column's cells end and the next one's begin, after many.
    codes = np.full((2, 22), -1, np.int8)
    codes[:, ::3] = [[0], [1]]
    codes[:, 21] = 0
    monkeypatch.setattr(dir_dir_gibbs, "MAX_TRIES", 1)
    assert explore(monkeypatch, (0.3, 0.8), "joint", codes=codes, sweeps=1)


def test_sixteen_collisions_and_the_fallback_make_up_the_distribution_of_a_pair(monkeypatch):
    codes, hyperparameters = np.array([[0, 1]], np.int8), (np.array([0.6, 0.02, 0.1]), 0.1)
    assert explore(monkeypatch, hyperparameters, "joint", codes=codes, sweeps=1)


@pytest.mark.parametrize("n_blocks", [1, 2])
def test_compiled_sweeps_give_the_bits_of_plain_python(monkeypatch, n_blocks):
    codes = np.random.default_rng(1).integers(-1, 2, (9, 11)).astype(np.int8)
    gamma = np.linspace(0.1, 0.9, 4)

    def chains():
        return [
            DirDirChain(codes, 4, gamma, 0.8, ladder.seed_sequence(1), n_blocks=n_blocks, scheme=scheme)
            for scheme in ("joint", "alternating")
        ]

    bisection.assert_same_bits(monkeypatch, chains, dir_dir_gibbs)
