"""What fits of every class of means promise: shapes, bits, parameters, unusual matrices, monitors."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
from promises import Promises
from short_fits import (
    AS_FLOAT,
    BETA_DIR,
    BRIEF,
    CLASSES,
    CODES,
    DIR_BETA,
    DIR_DIR,
    EASY,
    FOUND,
    LONGER,
    PARAMETERS,
    Recorder,
    assert_same_bits,
    fitted,
    make,
    random_codes,
    with_empty_lines,
)
from sklearn.base import clone

import nbmf
from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError
from nbmf.families.logistic.logistic_estimator import FactorModel
from nbmf.families.poisson_gamma.poisson_gamma_estimator import Rates
from nbmf.inference.parameters import TOLERANCES
from nbmf.posterior.observer import Observer
from nbmf.posterior.store import kept_sweeps
from nbmf.reporting.sampler_advice import sampler_arguments

TIES = ("tie_shape_W", "tie_mean_W", "tie_shape_H", "tie_mean_H")
CONCENTRATIONS = ("alpha", "beta", "gamma", "eta")
FACTOR_MODELS = [n for n in CLASSES if issubclass(registry.estimator_class(n), FactorModel)]
RATES = [n for n in CLASSES if issubclass(registry.estimator_class(n), Rates)]
STARTED_AT_RANDOM = [name for name in CLASSES if name != "LogisticPCA"]


def concentrations(name):
    """Return which parameters of a class are concentrations, one or one per component."""
    has_any = hasattr(registry.estimator_class(name), "concentrations")
    return [key for key in CONCENTRATIONS if has_any and key in PARAMETERS[name]]


promise = Promises()


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_keeps_what_is_promised(name):
    """By the functions below that are promises: they are this test."""
    promise.check(name)


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
    stops = any(getattr(estimator, tolerance, 0) > 0 for tolerance in TOLERANCES)
    assert estimator.converged_ in ([False, True] if stops else [None])
    iterations = 12 if registry.is_sampler(name) else 20
    assert estimator.n_iter_ <= iterations if estimator.converged_ else estimator.n_iter_ == iterations


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


@promise
def a_part_of_the_mean_is_that_of_the_whole(name):
    estimator, rows, columns = fitted(name), np.array([5, 0, 5]), np.array([2, 1, 4])
    factors = estimator.factors_
    whole = estimator.mean(factors)
    for part in ((rows, slice(1, 4)), (slice(None), columns), (slice(2, 3), slice(None))):
        np.testing.assert_allclose(estimator.mean(factors, *part), whole[part], rtol=1e-12)
    np.testing.assert_allclose(estimator.mean_at(factors, rows, columns), whole[rows, columns], rtol=1e-12)


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
    has_shares = estimator.shares_of(estimator.factors_) is not None
    assert estimator.active_components_ == (np.count_nonzero(shares >= 0.01) if has_shares else 30)


# --- The same data, the same bits ------------------------------------------------------------


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
    """In its last digits at least: fits to a small matrix may end in the same place."""
    one, other = fitted(name), make(name, random_state=1).fit(CODES)
    assert not np.array_equal(one.expectation_, other.expectation_)


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


AT_LEAST_ONE = (0, -1, 2.5, "3", None, True, [3], np.array([3, 4]))


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
    "ard_after": (-1, 2.5, "1", None, np.nan, True),
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
    "penalty": (0, -1, 1e-7, "1", None, np.nan, np.inf, True),
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


OWN_WRONG = {
    "IndianBuffetLogistic": OF_BUFFETS,
    "LogisticFactorMAP": {"n_components": AT_LEAST_ONE[1:]},  # 0 with column effects, which it has by default
}


@promise
def wrong_parameters_are_refused_by_name(name):
    wrong = WRONG | OWN_WRONG.get(name, {})
    for parameter in PARAMETERS[name]:
        assert parameter in wrong, f"{name} has a parameter {parameter}: add values to WRONG that have to be refused"
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


@promise
def lines_without_observations_are_legal(name):
    estimator = make(name).fit(with_empty_lines())
    low, high = estimator.likelihood.limits
    assert np.isfinite(estimator.expectation_).all()
    assert estimator.expectation_.min() >= low
    assert estimator.expectation_.max() <= high


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


@promise.of(STARTED_AT_RANDOM)
def more_components_than_lines(name):
    for shape in [(14, 11), (1, 6), (6, 1)]:
        estimator = make(name, K=40).fit(random_codes(*shape))
        K = estimator.n_components_ if name in FOUND else 40
        assert estimator.W_.shape == (shape[0], K)
        assert np.isfinite(estimator.expectation_).all()


@promise.of([name for name in CLASSES if registry.scores_entries(name)])
def missing_entries_are_neither_zeros_nor_ones(name):
    is_missing = np.random.default_rng(5).random((16, 12)) < 0.5
    for observed, sign in ((1, 1), (0, -1)):
        means = [
            make(name, lengths=LONGER).fit(np.where(is_missing, missing, observed).astype(np.int8)).expectation_.mean()
            for missing in (-1, 1 - observed)
        ]
        assert sign * (means[0] - means[1]) > 0.01


# --- Objectives and draws --------------------------------------------------------------------


@promise.of([name for name in CLASSES if not registry.is_sampler(name)])
def an_objective_is_higher_at_the_end_than_at_the_start(name):
    recorder = Recorder(every=1)
    make(name).fit(EASY, monitor=recorder)
    if recorder.objectives[0] is not None:
        assert recorder.objectives[-1] > recorder.objectives[0]


@promise.of([name for name in CLASSES if registry.is_sampler(name)])
def a_chain_averages_the_sweeps_after_the_burn_in(name):
    estimator, kept, places = make(name), [], np.indices(CODES.shape).reshape(2, -1)
    looks = kept_sweeps(estimator, estimator.n_samples), lambda _, state: kept.append(state.current_predictive(*places))
    estimator.fit(CODES, monitor=Observer([looks], None, []))
    np.testing.assert_allclose(estimator.expectation_.ravel(), np.mean(kept, axis=0), atol=1e-6)


@promise.of([name for name in CLASSES if make(name).has_posterior])
def draws_lie_around_the_expectation(name):
    draws = nbmf.posterior_draws(make(name, K=2, lengths=LONGER), EASY, n_draws=20)
    drawn = np.mean([draws.estimator.mean(draw) for draw in draws], axis=0)
    assert np.corrcoef(drawn.ravel(), draws.estimator.expectation_.ravel())[0, 1] > 0.7


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
    # A rule that is off is never met; of logPCA it is not off.
    assert estimator.converged_ is (False if name == "LogisticPCA" else None)


@promise
def a_monitor_sees_the_final_result_and_changes_nothing(name):
    recorder = Recorder(every=4)
    watched = make(name).fit(CODES, monitor=recorder)
    assert_same_bits(watched, fitted(name))
    np.testing.assert_array_equal(recorder.expectations[-1], watched.expectation_)
    if not registry.is_sampler(name):  # whose result is a mean over sweeps
        assert recorder.active[-1] == watched.active_components_
    assert not np.array_equal(recorder.expectations[0], watched.expectation_)


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
