"""What the models of this family promise on top of the contract of every class."""

import numpy as np
import pandas as pd
import pytest
from promises import Promises
from short_fits import (
    AS_FLOAT,
    BETA_DIR,
    CODES,
    DIR_BETA,
    DIR_DIR,
    EASY,
    GIBBS,
    LONGER,
    Recorder,
    assert_same_bits,
    make,
    random_codes,
    with_empty_lines,
)

import nbmf
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField, starting_Z

promise = Promises()


@pytest.mark.parametrize("name", BETA_DIR + DIR_BETA + DIR_DIR)
def test_every_class_keeps_what_is_promised(name):
    """By the functions below that are promises: they are this test."""
    promise.check(name)


@promise.of(["BetaDirGibbs", "DirBetaGibbs", "DirDirGibbs"])
def a_small_concentration_leaves_components_inactive(name):
    assert 2 <= make(name, K=30, lengths=LONGER).fit(EASY.codes).active_components_ < 20


@promise.of(BETA_DIR + DIR_BETA)
def a_hyperparameter_per_component_equals_the_same_number(name):
    array, number = (make(name, alpha=alpha).fit(CODES) for alpha in (np.full(3, 2.0), 2))
    assert_same_bits(array, number)
    assert not np.allclose(make(name, alpha=0.5).fit(CODES).expectation_, number.expectation_)


@promise.of(BETA_DIR + DIR_BETA)
def lines_without_observations_are_predicted_from_the_prior(name):
    """A Beta line nobody has seen has mean α / (α + β); a Dirichlet line mixes the others."""
    estimator = make(name, alpha=1, beta=3).fit(with_empty_lines())
    beta_rows, dirichlet_rows = estimator.expectation_[:, [0, 7]].T, estimator.W_[[3, 9]]
    if name in DIR_BETA:
        beta_rows, dirichlet_rows = estimator.expectation_[[3, 9]], estimator.H_[:, [0, 7]].T
    np.testing.assert_allclose(beta_rows, 1 / 4, atol=1e-6)
    np.testing.assert_allclose(dirichlet_rows, 1 / 3, atol=1e-6)


@promise.of(DIR_DIR)
def dir_dir_predicts_lines_without_observations_from_the_prior(name):
    prior = {"gamma": [1, 2, 5], "eta": [3, 3, 6]}
    estimator = make(name, **prior).fit(with_empty_lines())
    np.testing.assert_allclose(estimator.W_[[3, 9]], [[1 / 8, 2 / 8, 5 / 8]] * 2)
    np.testing.assert_allclose(estimator.H_[:, [0, 7]].T, [[1 / 4, 1 / 4, 1 / 2]] * 2)
    crossing = (1 * 1 + 2 * 1 + 5 * 2) / (8 * 4)
    np.testing.assert_allclose(estimator.expectation_[3, [0, 7]], crossing)


@promise.of(BETA_DIR + DIR_BETA)
def one_component_has_the_exact_posterior_mean(name):
    """With K = 1 every column (row, for Dir-Beta) is one coin with a Beta prior."""
    axis = 1 if name in DIR_BETA else 0
    ones, seen = (CODES == 1).sum(axis=axis), (CODES >= 0).sum(axis=axis)
    expected = np.expand_dims((2 + ones) / (2 + 3 + seen), axis)
    estimator = make(name, K=1, alpha=2, beta=3).fit(CODES)
    expected = np.broadcast_to(expected, CODES.shape)
    np.testing.assert_allclose(estimator.expectation_, expected, atol=1e-6)
    assert estimator.active_components_ == 1


@promise.of(DIR_DIR)
def dir_dir_needs_two_components(name):
    with pytest.raises(ConfigError, match=r"n_components = 1: .*at least 2"):
        make(name, K=1).fit(CODES)


@promise.of(["BetaDirVB", "CollapsedBinaryICA", "DirBetaVB", "DirDirVB"])
def cvb0_has_no_objective(name):
    recorder = Recorder(every=4)
    make(name).fit(CODES, monitor=recorder)
    assert set(recorder.objectives) == {None}


def test_binary_ica_and_its_collapsed_twin_start_from_the_same_counts():
    for seed in (0, 1):
        starts = [
            make(name, random_state=seed)._start(CODES, np.random.SeedSequence(seed)).factors()
            for name in ("BinaryICA", "CollapsedBinaryICA")
        ]
        for one, other in zip(*(start[:2] for start in starts), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("transposed", "plain"), [("DirBetaVB", "BetaDirVB"), ("DirBetaGibbs", "BetaDirGibbs")])
def test_dir_beta_is_beta_dir_of_the_transpose(transposed, plain):
    hyperparameters = {"alpha": 2, "beta": [1, 2, 3]}
    one, other = Recorder(every=6), Recorder(every=6)
    dir_beta = make(transposed, eta=[0.5, 1, 2], **hyperparameters).fit(CODES, monitor=one)
    beta_dir = make(plain, gamma=[0.5, 1, 2], **hyperparameters).fit(CODES.T, monitor=other)
    np.testing.assert_array_equal(dir_beta.W_, beta_dir.H_.T)
    np.testing.assert_array_equal(dir_beta.H_, beta_dir.W_.T)
    np.testing.assert_array_equal(dir_beta.expectation_, beta_dir.expectation_.T)
    np.testing.assert_array_equal(one.expectations, np.transpose(other.expectations, (0, 2, 1)))
    assert one.objectives == other.objectives


@promise.of(GIBBS)
def gibbs_does_not_multiply_averaged_factors(name):
    estimator = make(name, burn_in=0).fit(CODES)
    assert np.abs(estimator.expectation_ - estimator.W_ @ estimator.H_).max() > 0.01


def test_gibbs_averages_the_kept_samples_of_its_chain():
    alpha, beta, gamma = 2.0, 3.0, 0.5
    chain = BetaDirChain(CODES, 3, alpha, beta, gamma, np.random.SeedSequence(9))
    chain.sweep(4)
    Ws, Hs = [], []
    for _ in range(5):
        chain.sweep()
        L, A, B = chain.counts()
        Ws.append((gamma + L) / (3 * gamma + L.sum(axis=1, keepdims=True)))
        Hs.append((alpha + A) / (alpha + beta + A + B))
    kept = {"burn_in": 4, "n_samples": 5, "alpha": alpha, "beta": beta, "gamma": gamma}
    estimator = make("BetaDirGibbs", random_state=9, **kept).fit(CODES)
    products = [W @ H for W, H in zip(Ws, Hs, strict=True)]
    np.testing.assert_allclose(estimator.expectation_, np.mean(products, axis=0), rtol=1e-12)
    np.testing.assert_allclose(estimator.W_, np.mean(Ws, axis=0), rtol=1e-12)
    np.testing.assert_allclose(estimator.H_, np.mean(Hs, axis=0), rtol=1e-12)


def test_the_start_mean_field_is_drawn_from_binary_ica():
    """At most 10 components after 100 iterations with flat priors, as in the paper's scripts."""
    seed = np.random.SeedSequence(9)
    fit_seed, draw_seed = seed.spawn(4)[2:]
    for K, started in (12, 10), (3, 3):
        mean_field = BetaDirMeanField(CODES, started, 1.0, 1.0, 1.0, fit_seed)
        mean_field.update(100)
        Z = mean_field.draw_assignments(np.random.default_rng(draw_seed))
        np.testing.assert_array_equal(starting_Z("mean-field", CODES, K, seed), Z)
        assert Z.max() == started - 1


@promise.of(GIBBS)
def the_start_matters_to_a_chain_that_has_not_moved(name):
    """Both starts are legal; a chain of one sweep tells them apart."""
    drawn, random = (
        make(name, burn_in=0, n_samples=1, start=start).fit(CODES).expectation_ for start in ("mean-field", "random")
    )
    assert not np.array_equal(drawn, random)


@promise.of(GIBBS)
def the_start_mean_field_keeps_the_contract(name):
    """Same bits for any threads and spelling; hidden values stay hidden; any matrix will do."""

    def fit(codes, K=3, **options):
        return make(name, K, start="mean-field", **options).fit(codes)

    assert_same_bits(fit(CODES, threads=2), fit(CODES))
    assert_same_bits(fit(pd.DataFrame(AS_FLOAT)), fit(CODES))
    matrix = BinaryMatrix.from_array(CODES)
    mask = draw_mask(matrix, 0.25, np.random.SeedSequence(2))
    flipped = BinaryMatrix.from_array(np.where(mask, 1 - CODES, CODES))
    assert_same_bits(*(fit(training_codes(each, mask)) for each in (matrix, flipped)))
    for codes in with_empty_lines(), np.ones((8, 6), np.int8), random_codes(1, 6):
        for K in 2, 40:
            assert np.isfinite(fit(codes, K).expectation_).all()


@promise.of(GIBBS)
def a_gibbs_monitor_sees_the_chain_before_the_first_sample_and_then_the_average(name):
    """Averages over 12 samples move less from one sweep to the next than the chain itself."""
    recorder = Recorder(every=1)
    make(name, burn_in=12, n_samples=12).fit(CODES, monitor=recorder)
    steps = np.abs(np.diff(recorder.expectations, axis=0)).mean(axis=(1, 2))
    assert steps[-5:].max() < steps[:5].min() / 2
    assert np.isfinite(recorder.objectives).all()


def test_the_alternating_scheme_needs_three_components():
    # Of two, z given c is certain: the chain would keep the zeros as they started, and E[V] depend on the start.
    with pytest.raises(ConfigError, match="n_components = 2: needed are 3 with scheme = 'alternating'"):
        nbmf.DirDirGibbs(2, scheme="alternating").fit(CODES)
    with pytest.raises(ConfigError, match="n_components = 'auto': needed are 3 with scheme = 'alternating'"):
        nbmf.DirDirGibbs("auto", gamma=1.0, scheme="alternating").fit(CODES)  # of which 2 would be tried first
    options = {"burn_in": 100, "n_samples": 20_000, "gamma": 0.5, "eta": 0.8, "random_state": 0}
    codes = np.eye(2, dtype=np.int8)
    by_scheme = [nbmf.DirDirGibbs(3, scheme=scheme, **options).fit(codes) for scheme in ("joint", "alternating")]
    np.testing.assert_allclose(*(fitted.expectation_ for fitted in by_scheme), atol=0.01)


def test_mean_field_reports_a_bound_that_never_decreases():
    recorder = Recorder(every=1)
    make("BinaryICA", max_iter=40).fit(CODES, monitor=recorder)
    assert (np.diff(recorder.objectives) > -1e-9).all()
    assert recorder.objectives[-1] > recorder.objectives[0]


def test_a_fit_beyond_the_memory_budget_is_refused_with_what_would_fit():
    observed = int(np.count_nonzero(CODES >= 0))
    fits = 16 * 4 * observed / 1e9  # sixteen components at four bytes
    with pytest.raises(ConfigError, match="what fits is n_components up to 16,"):
        nbmf.BetaDirVB(17, max_memory_gb=fits, max_iter=1).fit(CODES)
    nbmf.BetaDirVB(16, max_memory_gb=fits, max_iter=1).fit(CODES)
    with pytest.raises(ConfigError, match="up to 8,"):
        nbmf.BetaDirVB(9, max_memory_gb=0.99 * fits, max_iter=1).fit(CODES)


@pytest.mark.parametrize("name", GIBBS)
def test_an_idle_component_has_what_the_prior_gives_it_in_each_row_or_column(name):
    """γ_k / (Σγ + n) of each row of n observed entries (of Dir-Beta each column), and then the mean."""
    model = getattr(nbmf, name)(3)
    model.gamma_ = model.eta_ = np.array([0.2, 0.7, 1.1])
    model.H_ = np.zeros((3, 4))
    observed = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0]], bool)
    sizes = observed.sum(axis=0 if name == "DirBetaGibbs" else 1)
    expected = [np.mean([gamma / (2.0 + n) for n in sizes]) for gamma in (0.2, 0.7, 1.1)]
    np.testing.assert_allclose(model.idle_shares(observed), expected, rtol=1e-12)
