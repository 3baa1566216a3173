"""The contract that every estimator keeps, and what single methods promise on top of it."""

import functools
import inspect
from copy import deepcopy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matrices import classes_of_means
from promises import Promises
from scipy.special import expit
from sklearn.base import clone

import nbmf
from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.families.beta_dirichlet.collapsed_gibbs import starting_Z
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.logistic.logistic_estimator import FactorModel
from nbmf.families.poisson_gamma.poisson_gamma_estimator import Rates
from nbmf.inference.parameters import TOLERANCES
from nbmf.likelihoods.bernoulli import loss_of
from nbmf.reporting.sampler_advice import sampler_arguments
from nbmf_studies.pipeline.raw_files import located
from nbmf_studies.recipes import parliament

CLASSES = [name for name in classes_of_means() if name != "Stacking"]  # whose fits are those of others
TIES = ("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H")
CONCENTRATIONS = ("alpha", "beta", "gamma", "eta")
BETA_DIR = ["BetaDirGibbs", "BetaDirVB", "CollapsedBinaryICA", "BinaryICA"]
DIR_BETA = ["DirBetaGibbs", "DirBetaVB"]
DIR_DIR = ["DirDirGibbs", "DirDirVB"]
GIBBS = ["BetaDirGibbs", "DirDirGibbs", "DirBetaGibbs"]
FACTOR_MODELS = [n for n in CLASSES if issubclass(registry.estimator_class(n), FactorModel)]
RATES = [n for n in CLASSES if issubclass(registry.estimator_class(n), Rates)]
FOUND = ["IndianBuffetLogistic"]  # whose K is found, and may be 0
STARTED_AT_RANDOM = [name for name in CLASSES if name != "LogisticPCA"]
PARAMETERS = {name: list(inspect.signature(getattr(nbmf, name)).parameters) for name in CLASSES}
BRIEF = {"max_iter": 20, "burn_in": 6, "n_samples": 6}
LONGER = {"max_iter": 50, "burn_in": 60, "n_samples": 20}


def concentrations(name):
    """Return which parameters of a class are concentrations, one or one per component."""
    has_any = hasattr(registry.estimator_class(name), "concentrations")
    return [key for key in CONCENTRATIONS if has_any and key in PARAMETERS[name]]


promise = Promises()


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_keeps_what_is_promised(name):
    """By the functions below that are promises: they are this test."""
    promise.check(name)


def make(name, K=3, random_state=0, threads=1, lengths=BRIEF, **settings):
    """Return an estimator with few iterations (those of `lengths` it has) and given settings."""
    lengths = {key: lengths[key] for key in lengths if key in PARAMETERS[name]}
    return registry.make_estimator(name, K, lengths | settings, random_state, threads)


def random_codes(F=14, N=11, p_missing=0.15, seed=1):
    rng = np.random.default_rng(seed)
    p = np.where(np.arange(F)[:, None] % 2 == np.arange(N) % 2, 0.8, 0.2)
    codes = (rng.random((F, N)) < p).astype(np.int8)
    codes[rng.random((F, N)) < p_missing] = -1
    return codes


CODES = random_codes()


@functools.cache
def fitted(name):
    """Return a fit that nobody changes."""
    return make(name).fit(CODES)


def easy_matrix():
    """Two kinds of rows and of columns, one in ten entries against its kind."""
    groups = np.arange(40)[:, None] % 2 == np.arange(36) % 2
    probability = np.where(groups, 0.9, 0.1)
    return BinaryMatrix.from_array(np.random.default_rng(3).random(groups.shape) < probability)


EASY = easy_matrix()


def assert_same_bits(one, other):
    for attribute in ("W_", "H_", "expectation_"):
        np.testing.assert_array_equal(getattr(one, attribute), getattr(other, attribute))


class Recorder:
    """A monitor that keeps what it sees."""

    def __init__(self, every):
        self._every = every
        self.iterations, self.totals, self.expectations, self.objectives = [], [], [], []

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return (iteration // self._every + 1) * self._every

    def __call__(self, iteration, total, state):
        self.iterations.append(iteration)
        self.totals.append(total)
        self.expectations.append(state.expectation().copy())
        self.objectives.append(state.objective())


# --- What fit returns ------------------------------------------------------------------------


@promise
def fit_learns_factors_of_the_right_shapes(name):
    estimator = make(name)
    assert estimator.fit(CODES) is estimator
    (F, N), K = CODES.shape, estimator.n_components_ if name in FOUND else 3
    assert estimator.W_.shape == (F, K)
    assert estimator.H_.shape == (K, N)
    assert estimator.expectation_.shape == (F, N)
    for array in (estimator.W_, estimator.H_, estimator.expectation_):
        assert array.dtype == np.float64
        assert np.isfinite(array).all()
    assert min(1, K) <= estimator.active_components_ <= K
    if name == "MNB":  # whose EM stands still early
        assert estimator.n_iter_ <= 20
        assert estimator.converged_
        return
    assert estimator.n_iter_ == (12 if registry.is_sampler(name) else 20)
    assert estimator.converged_ is (False if any(getattr(estimator, tol, 0) > 0 for tol in TOLERANCES) else None)


@promise
def expectations_are_probabilities(name):
    estimator = fitted(name)
    expectation, (low, high) = estimator.expectation_, estimator.likelihood.limits
    assert expectation.min() >= low
    assert expectation.max() <= high
    if not registry.scores_entries(name):  # of a token of the column, not of a one
        np.testing.assert_allclose(expectation.sum(axis=0), 1)
    else:
        assert 0.1 < expectation.mean() < 0.9


# Which axis of which factor holds a distribution; the entries of every factor are probabilities.
DISTRIBUTIONS = {
    **{name: [("W_", 1)] for name in BETA_DIR},
    **{name: [("H_", 0)] for name in DIR_BETA},
    **{name: [("W_", 1), ("H_", 0)] for name in DIR_DIR},
    "LDA": [("W_", 0), ("H_", 0)],
    "VariationalLDA": [("W_", 0), ("H_", 0)],
    "MMNB": [("W_", 1)],
}


@promise.of(DISTRIBUTIONS)
def factors_are_the_distributions_of_the_model(name):
    estimator = fitted(name)
    for factor in (estimator.W_, estimator.H_):
        assert (factor > 0).all()
        assert (factor < 1).all()
    sums = [(f, axis) for f in ("W_", "H_") for axis in (0, 1) if np.allclose(getattr(estimator, f).sum(axis=axis), 1)]
    assert sums == DISTRIBUTIONS[name]


@promise.of(
    [
        "BetaDirVB",
        "CollapsedBinaryICA",
        "BinaryICA",
        "DirBetaVB",
        "DirDirVB",
        "LDA",
        "VariationalLDA",
        "FastLDA",
        "MNB",
        "MMNB",
        "FastMMNB",
    ]
)
def the_expectation_is_the_product_of_the_means(name):
    estimator = fitted(name)
    np.testing.assert_allclose(estimator.expectation_, estimator.W_ @ estimator.H_, rtol=1e-12)


# Those of rows that move count positions in every period.
@promise.of([name for name in CLASSES if name != "DynamicFactorGibbs"])
def active_components_have_a_hundredth_of_the_weight(name):
    estimator = make(name, K=30, lengths=LONGER).fit(EASY.codes)
    over_columns = name in DIR_BETA or not registry.scores_entries(name)
    shares = estimator.H_.mean(axis=1) if over_columns else estimator.W_.mean(axis=0)
    if name in FACTOR_MODELS:  # of the squares of orthogonal components
        shares = (estimator.H_**2).sum(axis=1) / (estimator.H_**2).sum()
    if name in FOUND:
        shares = (estimator.W_**2).sum(axis=0) * (estimator.H_**2).sum(axis=1)
        shares /= shares.sum()
    if name in RATES:  # of all weight that both factors have
        shares = estimator.W_.sum(axis=0) * estimator.H_.sum(axis=1)
        shares /= shares.sum()
    expected = 30 if name == "LogisticPCA" else np.count_nonzero(shares >= 0.01)
    assert estimator.active_components_ == expected


@promise.of(["BetaDirGibbs", "DirBetaGibbs", "DirDirGibbs"])
def a_small_concentration_leaves_components_inactive(name):
    assert 2 <= make(name, K=30, lengths=LONGER).fit(EASY.codes).active_components_ < 20


# --- The same data, the same bits ------------------------------------------------------------

AS_FLOAT = np.where(CODES < 0, np.nan, CODES)
SPELLINGS = {
    "NaN": AS_FLOAT,
    "float -1": CODES.astype(float),
    "DataFrame": pd.DataFrame(AS_FLOAT),
    "nullable DataFrame": pd.DataFrame(AS_FLOAT).astype("Int8"),
    "BinaryMatrix": BinaryMatrix.from_array(CODES),
    "masked array": np.ma.MaskedArray(np.maximum(CODES, 0), CODES < 0),
    "list": CODES.tolist(),
}


@promise
def any_form_of_the_same_matrix_gives_the_same_bits(name):
    """Spellings of missing, memory order, booleans: and none of them is changed by the fit.

    What reads them is of a likelihood: all are given to its first class, one to the others.
    """
    likelihoods = [registry.estimator_class(each).likelihoods[0] for each in CLASSES]
    is_first = CLASSES[likelihoods.index(fitted(name).likelihood)] == name
    some = SPELLINGS.values() if is_first else [SPELLINGS["nullable DataFrame"]]
    for V in (*some, np.asfortranarray(CODES)):
        given = V if isinstance(V, BinaryMatrix) else deepcopy(V)
        assert_same_bits(make(name).fit(given), fitted(name))
        if not isinstance(V, BinaryMatrix):
            pd.testing.assert_frame_equal(pd.DataFrame(given), pd.DataFrame(V))
    complete = np.maximum(CODES, 0)
    assert_same_bits(make(name).fit(complete == 1), make(name).fit(complete))


@promise
def a_second_fit_and_another_estimator_give_the_same_bits(name):
    estimator = make(name).fit(CODES)
    first = estimator.expectation_.copy()
    np.testing.assert_array_equal(estimator.fit(CODES).expectation_, first)
    assert_same_bits(fitted(name), estimator)


@promise
def a_seed_sequence_is_not_used_up(name):
    seed = np.random.SeedSequence(5)
    estimator = make(name, random_state=seed)
    first = estimator.fit(CODES).expectation_.copy()
    np.testing.assert_array_equal(estimator.fit(CODES).expectation_, first)
    assert_same_bits(make(name, random_state=5).fit(CODES), estimator)


@promise.of(STARTED_AT_RANDOM)
def another_seed_gives_another_fit(name):
    one, other = fitted(name), make(name, random_state=1).fit(CODES)
    if name in FOUND:  # there may be no W
        assert not np.allclose(one.expectation_, other.expectation_, rtol=1e-2)
    else:
        assert not np.allclose(one.W_, other.W_, rtol=1e-2)


def test_logistic_pca_needs_no_seed():
    one, other = (make("LogisticPCA", random_state=seed).fit(CODES) for seed in (0, None))
    assert_same_bits(one, other)


@promise.of([name for name in CLASSES if "threads" in PARAMETERS[name]])
def threads_do_not_change_a_bit(name):
    codes = random_codes(F=70, N=66)  # large enough for more than one block
    assert_same_bits(make(name, threads=2).fit(codes), make(name, threads=1).fit(codes))


@promise
def hidden_values_cannot_influence_the_fit(name):
    matrix = BinaryMatrix.from_array(CODES)
    mask = draw_mask(matrix, 0.25, np.random.SeedSequence(2))
    flipped = BinaryMatrix.from_array(np.where(mask, 1 - CODES, CODES))
    fits = [make(name).fit(training_codes(each, mask)) for each in (matrix, flipped)]
    assert_same_bits(*fits)


@promise
def fit_leaves_its_parameters_alone(name):
    arrays = {key: np.full(3, 0.5) for key in concentrations(name)}
    estimator = make(name, **arrays)
    before = {key: np.copy(value) for key, value in estimator.get_params().items()}
    estimator.fit(CODES)
    for key, value in estimator.get_params().items():
        np.testing.assert_array_equal(value, before[key])


@promise.of(BETA_DIR + DIR_BETA)
def a_hyperparameter_per_component_equals_the_same_number(name):
    array, number = (make(name, alpha=alpha).fit(CODES) for alpha in (np.full(3, 2.0), 2))
    assert_same_bits(array, number)
    assert not np.allclose(make(name, alpha=0.5).fit(CODES).expectation_, number.expectation_)


# --- Parameters ------------------------------------------------------------------------------


@promise
def parameters_make_a_round_trip(name):
    estimator = make(name, K=4, random_state=7)
    parameters = estimator.get_params()
    assert list(parameters) == PARAMETERS[name]
    assert parameters["n_components"] == 4
    assert parameters["random_state"] == 7
    printed = eval(repr(estimator), {name: type(estimator)})
    for copy in (type(estimator)(**parameters), clone(estimator), printed):
        assert type(copy) is type(estimator)
        assert copy.get_params() == parameters


@promise
def the_constructor_stores_what_it_is_given(name):
    given = {key: object() for key in PARAMETERS[name]}
    assert getattr(nbmf, name)(**given).get_params() == given


AT_LEAST_ONE = (0, -1, 2.5, "3", None, True, [3])
CONCENTRATION = (0, -1, "1", None, np.nan, np.inf, True, [], [1, 0, 1], [1, "1", 1], {"a": 1})
WRONG = {
    "n_components": AT_LEAST_ONE,
    "alpha": (*CONCENTRATION, "1/K"),
    "beta": (*CONCENTRATION, "1/K"),
    "gamma": (*CONCENTRATION, "1/k"),
    "eta": (*CONCENTRATION, "1/k"),
    "max_iter": AT_LEAST_ONE,
    "burn_in": (-1, 2.5, "3", None, True),
    "n_samples": AT_LEAST_ONE,
    "threads": AT_LEAST_ONE,
    "max_memory_gb": (0, -1.0, "4", None, np.inf),
    **dict.fromkeys(TOLERANCES, (-1e-9, "small", None, np.nan, np.inf, True)),
    "scheme": ("both", None, 1, ["joint"]),
    "start": ("vb", None, 1, ["random"]),
    "block_moves": ("yes", None, 1),
    "orientation": ("both", None, 1, ["rows"]),
    "effects": ("all", None, 1, ["rows"]),
    "ard": ("yes", None, 1),
    "a0": (0, -1.0, "1", None, np.inf),
    "b0": (0, -1.0, "1", None, np.inf),
    "covariance": ("diagonal", None, 1),
    "bound": ("jaakkola", None, 1),
    "noise": ("yes", None, 1),
    "step": (0, 1.5, "1", np.nan),
    "start_scale": (0, -1, "1", None, np.nan, np.inf, True),
    "smoothing": (-1, "small", None, np.nan, np.inf, True),
    "inner_max": AT_LEAST_ONE,
    "inner_tol": (-1e-9, "small", None, np.nan, np.inf, True),
    "random_state": (-1, 1.5, "0", True, np.random.default_rng(0)),
    **dict.fromkeys(("shape_W", "shape_H", "mean_W"), (0, -1, 1e9, "1", None, np.nan, True, [1.0])),
    "mean_H": (0, -1, 1e9, "1", np.nan, True, [1.0]),
    **dict.fromkeys(TIES, ("rows", None, 1, ["all"])),
    "precision": ("half", None, 1),
    "mode": ("both", None, 1),
    "effect_scale": (0, -1, "1", None, np.nan, np.inf, True),
    "intercept": ("yes", None, 1),
    "row_groups": (1, "party", True),
    "scales": ("all", None, 1),
    "shape_scales": (0, -1, "1", np.nan, np.inf, True),
    "periods": (1, True, 2.5),
    "walk_variance": ("columns", 0, -1, None, np.nan, np.inf, True),
    **dict.fromkeys(("walk_shape", "walk_rate"), (0, -1, "1", None, np.nan, np.inf, True)),
}

OF_BUFFETS = {
    "prior": ("cipb", None, 1),
    "mass": (0, -1, "1", None, np.nan, np.inf, True, []),
    "alpha": (0, -1, "1", np.nan, np.inf, True, []),
    "kappa": (-1, "1", None, np.nan, np.inf, True, []),
    "slab_variance": (0, -1, "1", None, np.nan, np.inf, True, []),
    "start": ("random", None, 1),
    "column_moves": ("yes", None, 1),
    "scale_moves": ("yes", None, 1),
}
OWN_WRONG = {"IndianBuffetLogistic": OF_BUFFETS}


@promise
def wrong_parameters_are_refused_by_name(name):
    wrong = WRONG | OWN_WRONG.get(name, {})
    for parameter in PARAMETERS[name]:
        for value in wrong[parameter]:
            estimator = getattr(nbmf, name)(**{parameter: value})  # the constructor only stores
            with pytest.raises(ConfigError) as caught:
                estimator.fit(CODES)
            assert str(caught.value).startswith(f"{parameter} = {value!r}: must be ")


MOVES = ("block_moves", "column_moves", "scale_moves")
LIMITS = {"burn_in": 0, **dict.fromkeys(TOLERANCES, 0), "random_state": None}


@promise
def the_least_allowed_values_are_allowed(name):
    texts = ("scheme", "start", "orientation", "effects", "covariance", "bound", "ard", "noise")
    texts = (*texts, *MOVES, "prior", *TIES, "precision", "mode", "intercept", "scales", "row_groups", "periods")
    least = {key: LIMITS.get(key, 1) for key in PARAMETERS[name] if key not in texts}
    least["n_components"] = 2 if name in DIR_DIR else 1
    assert np.isfinite(getattr(nbmf, name)(**least).fit(CODES).expectation_).all()


@pytest.mark.parametrize(("name", "parameter"), [(name, key) for name in CLASSES for key in concentrations(name)])
def test_a_hyperparameter_of_the_wrong_length_is_refused_by_name(name, parameter):
    with pytest.raises(ConfigError, match=rf"^{parameter} .*\(2,\).* one per component, 3"):
        make(name, **{parameter: [1, 1]}).fit(CODES)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("BinaryICA", {"alpha": np.array(1.0)}),
        ("BinaryICA", {"alpha": [[1], [2, 3]]}),
        ("DirDirGibbs", {"scheme": np.array(["joint", "joint"])}),
        ("BetaDirVB", {"alpha": 1e300}),  # expectation_ is NaN
    ],
    ids=["array without axes", "ragged", "array scheme", "huge"],
)
def test_more_wrong_parameters_are_refused_by_name(name, wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        make(name, **wrong).fit(CODES)


# --- Unusual matrices ------------------------------------------------------------------------


@promise
def a_matrix_without_observations_is_refused(name):
    with pytest.raises(DataError, match="none of the 6 entries"):
        make(name, K=2).fit(np.full((2, 3), np.nan))


@promise
def other_values_are_refused_by_place(name):
    with pytest.raises(DataError, match="row 1, column 0"):
        make(name).fit([[0, 1], [0.5, 1]])


def with_empty_lines():
    codes = random_codes()
    codes[[3, 9]] = -1
    codes[:, [0, 7]] = -1
    return codes


@promise
def lines_without_observations_are_legal(name):
    estimator = make(name).fit(with_empty_lines())
    low, high = estimator.likelihood.limits
    assert np.isfinite(estimator.expectation_).all()
    assert estimator.expectation_.min() >= low
    assert estimator.expectation_.max() <= high


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


@promise
@np.errstate(divide="ignore", invalid="ignore")  # LDA has no tokens
def constant_matrices_are_fitted(name):
    lengths = LONGER if name in RATES else BRIEF  # a start may be far from a matrix of ones
    ones, zeros = (make(name, lengths=lengths).fit(np.full((8, 6), value, np.int8)).expectation_ for value in (1, 0))
    if not registry.scores_entries(name):  # no row is a likelier token than another
        np.testing.assert_allclose(ones, 1 / 8)
        np.testing.assert_allclose(zeros, 1 / 8)
    else:
        assert zeros.max() < 0.5 < ones.min()


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


@promise.of(STARTED_AT_RANDOM)
def more_components_than_lines(name):
    for shape in [(14, 11), (1, 6), (6, 1)]:
        estimator = make(name, K=40).fit(random_codes(*shape))
        K = estimator.n_components_ if name in FOUND else 40
        assert estimator.W_.shape == (shape[0], K)
        assert np.isfinite(estimator.expectation_).all()


def test_logistic_pca_needs_fewer_components_than_lines():
    assert make("LogisticPCA", K=10).fit(CODES).active_components_ == 10
    with pytest.raises(ConfigError, match=r"n_components = 11: .*\(14, 11\) allows 1 to 10"):
        make("LogisticPCA", K=11).fit(CODES)


# --- Monitors --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "total", "every", "expected"),
    [
        *[(name, 20, 6, [6, 12, 18, 20]) for name in CLASSES if not registry.is_sampler(name)],
        *[(name, 12, 3, [3, 6, 9, 12]) for name in CLASSES if registry.is_sampler(name)],
        *[(name, 12, 100, [12]) for name in ("BetaDirVB", "LogisticPCA")],
        ("BetaDirGibbs", 12, 5, [5, 10, 12]),  # across the end of the burn-in
    ],
)
def test_a_monitor_sees_the_iterations_it_asked_for_and_the_last(name, total, every, expected):
    recorder = Recorder(every)
    short = {} if registry.is_sampler(name) else {"max_iter": total}
    short |= {tolerance: 0 for tolerance in TOLERANCES if tolerance in PARAMETERS[name]}
    estimator = make(name, **short).fit(CODES, monitor=recorder)
    assert recorder.iterations == expected
    assert set(recorder.totals) == {total} == {estimator.n_iter_}


@promise
def a_monitor_sees_the_final_result_and_changes_nothing(name):
    recorder = Recorder(every=4)
    watched = make(name).fit(CODES, monitor=recorder)
    assert_same_bits(watched, fitted(name))
    np.testing.assert_array_equal(recorder.expectations[-1], watched.expectation_)
    assert not np.array_equal(recorder.expectations[0], watched.expectation_)


def test_a_monitor_sees_where_logistic_pca_stops():
    recorder = Recorder(every=3)
    estimator = make("LogisticPCA", max_iter=500, deviance_gain_tol=1e-2).fit(CODES, monitor=recorder)
    assert estimator.converged_
    assert recorder.iterations[-1] == estimator.n_iter_ < 500
    np.testing.assert_array_equal(recorder.expectations[-1], estimator.expectation_)


@promise.of(["BetaDirVB", "CollapsedBinaryICA", "DirBetaVB", "DirDirVB"])
def cvb0_has_no_objective(name):
    recorder = Recorder(every=4)
    make(name).fit(CODES, monitor=recorder)
    assert set(recorder.objectives) == {None}


# --- Single methods --------------------------------------------------------------------------


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


def test_mean_field_reports_a_bound_that_never_decreases():
    recorder = Recorder(every=1)
    make("BinaryICA", max_iter=40).fit(CODES, monitor=recorder)
    assert (np.diff(recorder.objectives) > -1e-9).all()
    assert recorder.objectives[-1] > recorder.objectives[0]


@pytest.mark.parametrize("codes", [CODES, CODES.T, np.maximum(CODES, 0)], ids=["F > N", "F < N", "complete"])
def test_logistic_pca_never_gets_worse(codes):
    recorder = Recorder(every=1)
    estimator = make("LogisticPCA", max_iter=100, deviance_gain_tol=0).fit(codes, monitor=recorder)
    likelihood = np.array(recorder.objectives)
    assert len(likelihood) > 50
    assert (np.diff(likelihood) > -1e-9 * np.abs(likelihood[:-1])).all()
    final = loss_of(codes, estimator.expectation_, codes >= 0).total
    np.testing.assert_allclose(-likelihood[-1], final, rtol=1e-9)


@pytest.mark.parametrize("codes", [CODES, CODES.T], ids=["F > N", "F < N"])
def test_logistic_pca_explains_its_expectation(codes):
    estimator = make("LogisticPCA").fit(codes)
    W, H = estimator.W_, estimator.H_
    assert estimator.main_effects_.shape == (codes.shape[1],)
    np.testing.assert_allclose(estimator.expectation_, expit(estimator.main_effects_ + W @ H), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(H @ H.T, np.eye(3), atol=1e-9)
    gram = W.T @ W
    np.testing.assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-8 * gram.max())
    assert (np.diff(np.diag(gram)) < 0).all()  # the strongest component first


def test_logistic_pca_stops_when_the_deviance_stands_still():
    recorder = Recorder(every=1)
    estimator = make("LogisticPCA", max_iter=1000, deviance_gain_tol=1e-3).fit(CODES, monitor=recorder)
    deviance = -np.array(recorder.objectives) / np.count_nonzero(CODES >= 0)
    gains = -np.diff(deviance)
    assert estimator.converged_
    assert gains[-1] < 1e-3 <= gains[3:-1].min()


def test_logistic_pca_goes_on_as_long_as_it_gains_tol():
    class Deviances(Recorder):
        def __call__(self, iteration, total, state):
            self.objectives.append(state.now.mean_deviance)

    recorder = Deviances(every=1)
    make("LogisticPCA", deviance_gain_tol=0).fit(CODES, monitor=recorder)
    gains = -np.diff(recorder.objectives)  # of iterations 2, 3, ...
    assert (np.diff(gains) < 0).all()
    assert make("LogisticPCA", deviance_gain_tol=gains[8]).fit(CODES).n_iter_ == 11


@pytest.fixture(scope="module")
def catalan_parliament():
    """The whole parliament matrix, from the raw files that travel with the repository."""
    root = Path(__file__).resolve().parents[4]
    sources = yaml.safe_load((root / "config/sources.yaml").read_text(encoding="utf-8"))["sources"]
    paths = {
        role: root / "data/mirror" / located(sources[f"parliament_{role}"])["path"] for role in ("follows", "parties")
    }
    return parliament.build(**paths)


def test_logistic_pca_has_the_published_likelihood_and_range(catalan_parliament):
    """Known values of a fit that depends on no random start; the paper prints 1,783."""
    estimator = nbmf.LogisticPCA(8).fit(catalan_parliament)
    codes = catalan_parliament.codes
    loss = loss_of(codes, estimator.expectation_, codes >= 0).total
    assert estimator.converged_
    assert loss == pytest.approx(1782.8, abs=0.05)
    # [-207.2, 217.9], up to the sign of each component.
    W = estimator.W_
    extremes = np.concatenate([W.max(axis=0), -W.min(axis=0)])
    assert np.sort(extremes)[-2:] == pytest.approx([207.2, 217.9], abs=0.05)


# --- Prediction ------------------------------------------------------------------------------


# Maximum likelihood of counts calls impossible what it has not seen.
@promise.of([name for name in CLASSES if name != "PoissonGammaEM"])
def an_easy_matrix_is_predicted_better_than_by_its_base_rate(name):
    mask = draw_mask(EASY, 0.25, np.random.SeedSequence(4))
    train = training_codes(EASY, mask)
    K = 1 if name == "LogisticPCA" else 2  # main effects and one component make two kinds
    lengths = {"burn_in": 300, "n_samples": 20} if name in FOUND else LONGER
    estimator = make(name, K=K, lengths=lengths).fit(train)
    if not registry.scores_entries(name):  # the base rate of a token is its share of all tokens
        rate = (train == 1).sum(axis=1, keepdims=True) / (train == 1).sum()
    else:
        rate = np.mean(train[train >= 0] == 1)
    loss_at = estimator.likelihood.loss_at(EASY.codes, mask)
    places = loss_at.rows, loss_at.columns
    base = loss_at(np.broadcast_to(rate, EASY.shape)[places]).perplexity
    assert loss_at(estimator.predict(*places)).perplexity < base - 0.1


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


def test_a_variational_method_declares_its_sampler():
    expected = {
        "beta-dir-vb": "beta-dir-gs",
        "beta-dir-vb-learned": "beta-dir-gs-learned",
        "logistic-vb-columns": "logistic-gs",
        "bernoulli-poisson-vb": "bernoulli-poisson-gs",
        "poisson-gamma-vb": "poisson-gamma-gs",
        "negative-binomial-vb": "negative-binomial-gs",
        "dir-dir-vb": "dir-dir-gs",
        "dir-beta-vb": "dir-beta-gs",
        "softplus-poisson-vb": "negative-binomial-gs",
        "bica": "beta-dir-gs",
        "mmnb-rows": None,
    }
    for name, sampler in expected.items():
        entry = METHODS[name]
        model = registry.make_estimator(entry["class"], 2, entry["settings"])
        method = next((each.value for each in sampler_arguments(model)), None)
        assert method == sampler, name
