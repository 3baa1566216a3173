"""The probability of every outcome of every draw of the Gibbs kernels, to 1e-9, without sampling.

Matrices are cut into as many blocks as they have lines, so that each block is one cell. Before each
cell of two sweeps its tree of proposals, acceptances and fallbacks is explored (bisection.py) and
compared with the slow twin given the assignments of that moment; then one of its ways is taken.
What a sweep carries along (counts, lists, φ, running sums) is therefore what the kernel made of it.
"""

from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom, multinomial, poisson

import bisection
import ladder
import naive
from nbmf.families.beta_dirichlet.kernels import beta_dir_gibbs, dir_dir_gibbs
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.poisson_gamma.kernels import sources
from nbmf.families.poisson_gamma.tables import tables
from nbmf.numerics import random, row_lists, urns

TOLERANCE = 1e-9
LISTS, REJECTION = 10**6, 0
ways = pytest.mark.parametrize("dense_row", [LISTS, REJECTION], ids=["lists", "rejection"])
CODES = np.array([[1, 0, 1, 1], [0, -1, 1, 0], [1, 1, 0, -1]], np.int8)
K = 3


@pytest.fixture
def explore(monkeypatch):
    """Return a function that runs a chain of `module` and checks the law of each of its draws."""

    def run(module, chain, changing, drawn, twin, sweeps=2):
        script = bisection.plain(monkeypatch, module, urns, row_lists)
        sweep_block, rng, cells = module._sweep_block, np.random.default_rng(3), []

        def explored(*arguments):
            given = SimpleNamespace(**dict(zip(names, arguments, strict=True)))
            f, n = int(arguments[0]), int(arguments[1])
            B = given.cells.block_start.size - 1
            segment = given.cells.start[f * B + n : f * B + n + 2]
            if segment.size < 2 or segment[0] == segment[1]:  # no such row, or not observed
                return
            i = segment[0]
            arrays = changing(given)
            before = [array.copy() for array in arrays]

            def draw():
                for array, values in zip(arrays, before, strict=True):
                    array[...] = values
                sweep_block(*arguments)
                return drawn(given, i)

            script.arrays = arrays
            expected = twin(chain, f, n)
            tree = bisection.Tree(lambda numbers: script.run(draw, numbers))
            assert set(tree.law) <= set(expected), "an impossible outcome"
            found = np.array([tree.law[outcome] for outcome in expected])
            np.testing.assert_allclose(found, list(expected.values()), rtol=0, atol=TOLERANCE)
            for _ in range(5):
                numbers = rng.random(80)
                assert script.run(draw, numbers) == ("drew", tree.walk(numbers))
            cells.append((f, n))

        code = sweep_block.__code__
        names = code.co_varnames[: code.co_argcount]
        monkeypatch.setattr(module, "_sweep_block", explored)
        chain.sweep(sweeps)
        return cells

    return run


# --- Beta-Dir --------------------------------------------------------------------------------

PRIORS = {  # alpha, beta, gamma
    "numbers": (0.7, 1.2, 0.3),
    "vectors": (np.array([0.4, 1.0, 2.0]), np.array([0.8, 0.3, 1.0]), np.array([1.5, 0.6, 0.2])),
    "per column": (np.array([[0.5, 1.1, 0.3, 2.0]]), np.array([[0.9, 0.4, 1.6, 0.7]]), 0.5),
}


def beta_dir_law(chain, f, n, codes, hyperparameters):
    alpha, beta, gamma = hyperparameters
    alpha, beta = (x[0, n] if np.ndim(x) == 2 else x for x in (alpha, beta))
    Z = chain.Z
    p = naive.beta_dir_conditional(codes, Z, f, n, K, alpha, beta, gamma)
    return dict(enumerate(p))


def explore_beta_dir(explore, hyperparameters, dense_row, codes=CODES, **options):
    chain = BetaDirChain(
        codes, K, *hyperparameters, ladder.seed_sequence(5), n_blocks=max(codes.shape),
        dense_row=dense_row,
    )  # fmt: skip

    def changing(given):
        return given.z, *given.lists, given.column_counts, given.phi, given.sums

    return explore(
        beta_dir_gibbs, chain, changing, lambda given, i: int(given.z[i]),
        lambda chain, f, n: beta_dir_law(chain, f, n, codes, hyperparameters), **options,
    )  # fmt: skip


@ways
@pytest.mark.parametrize("name", PRIORS)
def test_every_outcome_has_the_probability_of_eq_25(explore, monkeypatch, name, dense_row):
    monkeypatch.setattr(beta_dir_gibbs, "MAX_TRIES", 2)  # so that what comes after weighs much
    cells = explore_beta_dir(explore, PRIORS[name], dense_row)
    assert len(cells) == 2 * np.count_nonzero(CODES >= 0)


@ways
def test_sixteen_tries_and_the_fallback_make_up_eq_25(explore, dense_row):
    # A one that the prior hardly expects: most proposals are rejected.
    codes, hyperparameters = np.array([[1, 0]], np.int8), (0.05, 4.0, 0.6)
    assert explore_beta_dir(explore, hyperparameters, dense_row, codes=codes, sweeps=1)


# --- Dir-Dir ---------------------------------------------------------------------------------

WEIGHTS = {  # gamma, eta
    "numbers": (0.3, 0.8),
    "vectors": (np.array([1.5, 0.6, 0.2]), np.array([0.3, 1.0, 2.0])),
}


def dir_dir_law(chain, f, n, codes, hyperparameters, scheme):
    Z, C = chain.Z, chain.C
    if codes[f, n] == 1 or scheme == "joint":
        p = naive.dir_dir_conditional(codes, Z, C, f, n, K, *hyperparameters)
        return {divmod(pair, K): p.flat[pair] for pair in np.flatnonzero(p)}
    p_z, law = naive.dir_dir_z_given_c(codes, Z, C, f, n, K, *hyperparameters), {}
    for Z[f, n] in np.flatnonzero(p_z):
        p_c = naive.dir_dir_c_given_z(codes, Z, C, f, n, K, *hyperparameters)
        z = int(Z[f, n])
        law |= {(z, int(c)): p_z[z] * p_c[c] for c in np.flatnonzero(p_c)}
    return law


def explore_dir_dir(explore, hyperparameters, scheme, codes=CODES, **options):
    chain = DirDirChain(
        codes, K, *hyperparameters, ladder.seed_sequence(5), n_blocks=max(codes.shape),
        scheme=scheme,
    )  # fmt: skip

    def changing(given):
        return given.z, given.c, given.L, *given.lists, given.Q, given.fresh

    return explore(
        dir_dir_gibbs, chain, changing,
        lambda given, i: (int(given.z[i]), int(given.c[given.place[i]])),
        lambda chain, f, n: dir_dir_law(chain, f, n, codes, hyperparameters, scheme), **options,
    )  # fmt: skip


@pytest.mark.parametrize("scheme", ["joint", "alternating"])
@pytest.mark.parametrize("name", WEIGHTS)
def test_every_pair_has_the_probability_of_eqs_59_to_61(explore, monkeypatch, name, scheme):
    monkeypatch.setattr(dir_dir_gibbs, "MAX_TRIES", 1)
    cells = explore_dir_dir(explore, WEIGHTS[name], scheme)
    assert len(cells) == 2 * np.count_nonzero(CODES >= 0)


def test_sixteen_collisions_and_the_fallback_make_up_the_law_of_a_pair(explore):
    codes, hyperparameters = np.array([[0, 1]], np.int8), (np.array([0.6, 0.02, 0.1]), 0.1)
    assert explore_dir_dir(explore, hyperparameters, "joint", codes=codes, sweeps=1)


# --- Poisson-gamma ---------------------------------------------------------------------------


@pytest.mark.parametrize("few", [16, 0], ids=["one by one", "shared out"])
def test_sources_of_a_count_are_multinomial(monkeypatch, few):
    # Three events of ten components, which are more than a block of lanes.
    script = bisection.plain(monkeypatch, sources)
    monkeypatch.setattr(sources, "FEW", few)
    components, events = (10, 2) if few else (4, 3)
    rng = np.random.default_rng(4)
    W, H = tables((2, 3), components)
    W[:, :components], H[:, :components] = (rng.gamma(1.0, 1.0, (n, components)) for n in (2, 3))
    start, index, value = np.array([0, 0, 1]), np.array([2], np.uint32), np.array([float(events)])
    S_W, S_H = script.arrays = tables((2, 3), components)

    def draw():
        sources.draw_sources(start, index, value, W, H, components, False, None, S_W, S_H)
        assert not S_W[0].any()
        assert not S_H[:2].any()
        np.testing.assert_array_equal(S_W[1], S_H[2])
        return tuple(S_W[1, :components].astype(int))

    tree = bisection.Tree(lambda numbers: script.run(draw, numbers))
    p = W[1, :components] * H[2, :components]
    law = multinomial(events, p / p.sum())
    counts = [x for x in product(range(events + 1), repeat=components) if sum(x) == events]
    found = np.array([tree.law[x] for x in counts])
    np.testing.assert_allclose(found, law.pmf(counts), rtol=0, atol=TOLERANCE)


def edge_of(is_below):
    """Return the number in [0, 1) at which a condition ceases to hold."""
    low, high = 0.0, 1.0
    while high - low > bisection.NARROW:
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def law_of_rejection(script, draw, values):
    """Return what a try with the numbers u, v gives each value: ∫ P(accepted | u) du over its u's.

    While the value stays the same, the edge of v at which it is accepted is a smooth function of u.
    """

    def proposed(end):  # as the kernel's local x, if it asks for the numbers of a further try
        return end[1] if end[0] == "drew" else dict(end[1][0][0][2:])["x"]

    def accepted(u):  # v counts from 1 down
        return 1 - edge_of(lambda v: script.run(draw, [u, v])[0] == "asks")

    def begins(x):
        return edge_of(lambda u: proposed(script.run(draw, [u, 0.5])) < x)

    nodes, weights = np.polynomial.legendre.leggauss(12)
    found = []
    for value in values:
        low, high = begins(value), begins(value + 1)
        middles = [0.5] if low < 0.5 < high else []
        found.append(
            sum(
                weights @ [accepted((a + b) / 2 + x * (b - a) / 2) for x in nodes] * (b - a) / 2
                for a, b in pairwise([low, *middles, high])
            )
        )
    return np.array(found)


@pytest.mark.parametrize(
    ("name", "numbers", "law"),
    [("large_poisson", (10.5,), poisson(10.5)), ("large_poisson", (300.0,), poisson(300)),
     ("large_binomial", (40, 0.3), binom(40, 0.3)), ("large_binomial", (21, 0.5), binom(21, 0.5))],
    ids=lambda x: str(x) if isinstance(x, tuple) else "",
)  # fmt: skip
def test_large_numbers_are_accepted_in_proportion_to_their_law(monkeypatch, name, numbers, law):
    # Values down to 1e-6 of the law, of a wide one each sixth.
    script, kernel = bisection.plain(monkeypatch, sources), getattr(sources, name)
    least, most = law.ppf(1e-6), law.ppf(1 - 1e-6)
    values = np.unique(np.linspace(least, most, 30).astype(int))
    found = law_of_rejection(script, lambda: kernel(*numbers, None), values)
    chances = law.pmf(values)
    np.testing.assert_allclose(found / found.sum(), chances / chances.sum(), rtol=0, atol=TOLERANCE)


# --- Compiled code ---------------------------------------------------------------------------


def chains(n_blocks):
    """Return chains of every variant on a matrix with missing cells."""
    codes = np.random.default_rng(1).integers(-1, 2, (9, 11)).astype(np.int8)
    alpha, beta, gamma = np.linspace(0.4, 2.0, 4), 1.2, np.linspace(0.1, 0.9, 4)
    options = {"n_blocks": n_blocks}
    for dense_row in LISTS, REJECTION, 2:
        seed = ladder.seed_sequence(1)
        yield BetaDirChain(codes, 4, alpha, beta, gamma, seed, dense_row=dense_row, **options)
    for scheme in "joint", "alternating":
        yield DirDirChain(codes, 4, gamma, 0.8, ladder.seed_sequence(1), scheme=scheme, **options)


@pytest.mark.parametrize("n_blocks", [1, 2])
def test_compiled_kernels_give_the_bits_of_plain_python(monkeypatch, n_blocks):
    compiled, interpreted = list(chains(n_blocks)), list(chains(n_blocks))
    for chain in compiled:
        chain.sweep(8)
    uniform = random.uniform
    for module in beta_dir_gibbs, dir_dir_gibbs, urns, row_lists, random:
        bisection.plain(monkeypatch, module)
    for module in beta_dir_gibbs, dir_dir_gibbs, urns:
        monkeypatch.setattr(module, "uniform", uniform.py_func)
    with np.errstate(over="ignore"):
        for chain in interpreted:
            chain.sweep(8)
    for one, other in zip(compiled, interpreted, strict=True):
        for name, array in one.arrays().items():
            np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)
