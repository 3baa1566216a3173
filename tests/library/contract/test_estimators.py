"""The conventions of estimators: parameters, names, files, and when variational fits stop."""

import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from held_out_score import held_out_score
from matrices import blocks_matrix, classes_of_means
from promises import Promises
from short_fits import QUICK_MEMBERS
from still_state import Still

import nbmf
from nbmf import registry
from nbmf.data.masks import draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.errors import ConfigError, DataError, NotConvergedWarning, NotFittedError
from nbmf.fits import FitRequest, run_fit
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import TOLERANCES
from nbmf.inference.state import Factors
from nbmf.inference.stopping import has_converged
from nbmf.likelihoods.bernoulli import BERNOULLI

BRIEF = {"max_iter": 20, "burn_in": 6, "n_samples": 6, **dict.fromkeys(TOLERANCES, 0)}
BRIEF["members"] = QUICK_MEMBERS
CLASSES = classes_of_means()
VARIATIONAL = ["BetaDirVB", "CollapsedBinaryICA", "BinaryICA", "DirBetaVB", "DirDirVB"]
promise = Promises()


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_keeps_what_is_promised(name, tmp_path):
    """By the functions below that are promises: they are this test."""
    promise.check(name, tmp_path=tmp_path)


def make(name, K=3, random_state=0, **settings):
    brief = {key: BRIEF[key] for key in BRIEF if key in registry.settings_of(name)}
    return registry.make_estimator(name, K, brief | settings, random_state)


CODES = blocks_matrix(probability=0.8)
MATRIX = BinaryMatrix.from_array(CODES, [f"r{f}" for f in range(14)], [f"c{n}" for n in range(11)])


# --- Parameters and attributes ---------------------------------------------------------------


@promise
def parameters_are_set_by_name(name):
    estimator = make(name)
    assert estimator.set_params(n_components=5, random_state=9) is estimator
    assert (estimator.n_components, estimator.get_params()["random_state"]) == (5, 9)
    assert estimator.set_params() is estimator


def test_an_unknown_parameter_is_refused_with_the_nearest_and_nothing_is_set():
    estimator = make("BetaDirVB", K=3)
    with pytest.raises(
        ConfigError,
        match=r"BetaDirVB has no parameter 'gama'; allowed: .*\(did "
        r"you mean 'gamma'\?\)",
    ):
        estimator.set_params(n_components=9, gama=1)
    assert estimator.n_components == 3


EXPORTED = [getattr(nbmf, name) for name in nbmf.EXPORTS]


@pytest.mark.parametrize("cls", [each for each in EXPORTED if hasattr(each, "parameter_names")])
def test_an_unknown_argument_is_refused_in_the_name_of_the_class(cls):
    with pytest.raises(TypeError, match=rf"^{cls.__name__}\.__init__\(\) got an unexpected keyword argument 'colour'"):
        cls(colour="red")


@promise
def the_names_of_scikit_learn_mean_the_same_things(name):
    estimator = make(name)
    for attribute in ("components_", "n_features_in_", "feature_names_in_"):
        assert not hasattr(estimator, attribute)
    estimator.fit(MATRIX, None)
    assert estimator.components_ is estimator.H_
    assert estimator.n_features_in_ == 11
    assert estimator.feature_names_in_.dtype == object
    assert list(estimator.feature_names_in_) == [f"c{n}" for n in range(11)]
    assert not hasattr(estimator.fit(CODES), "feature_names_in_")


@pytest.mark.parametrize(
    "method", ["transform", "transform_columns", "score", "predict_columns", "inverse_transform", "save"]
)
def test_before_fit_everything_else_is_refused(method, tmp_path):
    argument = tmp_path / "model.npz" if method == "save" else CODES
    with pytest.raises(NotFittedError, match=r"this BinaryICA is not fitted yet: call fit\(V\)"):
        getattr(nbmf.BinaryICA(), method)(argument)


@promise.of([name for name in CLASSES if registry.scores_entries(name)])
def fit_transform_treats_training_rows_as_new_ones(name):
    W = make(name).fit_transform(CODES)
    np.testing.assert_array_equal(W, make(name).fit(CODES).transform(CODES))
    # Those of which a fit ends with what a fold-in does, or may find no component.
    if name not in ("MNB", "MMNB", "FastMMNB", "IndianBuffetLogistic"):
        assert not np.array_equal(W, make(name).fit(CODES).W_)


# Of the others, that are scored by more than E[v], their own tests have it.
BY_MEANS = [name for name in CLASSES if registry.estimator_class(name).predictive is Factorization.predictive]


@promise.of([name for name in BY_MEANS if registry.scores_entries(name)])
def the_score_is_the_mean_log_likelihood_of_what_was_not_folded_in(name):
    estimator = make(name).fit(CODES)
    assert estimator.score(CODES) == pytest.approx(held_out_score(estimator, estimator.values_of(CODES)))
    if registry.further_scores(name):  # of a count it matters how many there are
        assert estimator.score(CODES) > estimator.score(1 - np.abs(CODES))


@promise
def a_fit_in_single_steps_has_the_same_bits(name):
    """The loop's pieces depend on the clock: no result may depend on them."""
    estimator = make(name).fit(CODES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbmf.inference.loop.MOMENT", 0.0)
        stepped = make(name).fit(CODES)
    assert_equal(stepped, estimator)


class Interrupted(Exception):
    pass


class InterruptedAtOnce:
    """A monitor in the place of a person: the fit has begun, and ends here."""

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return iteration + 1

    def __call__(self, iteration, total, state):
        raise Interrupted


@promise
def an_interrupted_refit_leaves_the_fit_that_there_was(name):
    estimator = make(name).fit(CODES)
    if "orientation" in estimator.get_params():
        estimator.set_params(orientation="columns" if estimator.orientation != "columns" else "rows")
    before = dict(vars(estimator))
    with pytest.raises(Interrupted):
        estimator.fit(CODES[::-1, :-1], monitor=InterruptedAtOnce())
    assert vars(estimator).keys() == before.keys()
    assert all(vars(estimator)[key] is value for key, value in before.items())
    unfitted = make(name)
    with pytest.raises(Interrupted):
        unfitted.fit(CODES, monitor=InterruptedAtOnce())
    assert not [key for key in vars(unfitted) if key.endswith("_")]


@promise
def an_orientation_that_is_set_after_the_fit_changes_no_meaning(name):
    estimator = make(name).fit(CODES)
    if "orientation" not in estimator.get_params():
        return
    meanings = estimator.distributions, estimator.probabilities, estimator.meanings, estimator.label
    estimator.set_params(orientation="columns" if estimator.orientation != "columns" else "rows")
    assert (estimator.distributions, estimator.probabilities, estimator.meanings, estimator.label) == meanings


def predictions(estimator):
    """Return what is predicted of entries, known rows, new rows and columns, by names of methods."""
    methods = ["transform_columns", "predict_columns"]
    if registry.scores_entries(type(estimator).__name__):  # others know no new row
        methods += ["transform", "predict_rows", "score"]
    found = {"predict": estimator.predict(*np.indices(CODES.shape))}
    found["inverse_transform"] = estimator.inverse_transform(estimator.W_)
    return found | {method: getattr(estimator, method)(CODES) for method in methods}


# What other parameters would have the fit say; any text is no value of most.
OTHERS = {"alpha": "learn", "beta": "learn", "gamma": 1.0, "eta": 1.0, "scales": "both"}


def said_of_fit(estimator):
    """Return what a fit says of itself, and the bytes of its factors and of the mean that they give."""
    factors, places = estimator.factors_, np.indices(CODES.shape).reshape(2, -1)
    means = [estimator.mean(factors), estimator.mean_at(factors, *places), estimator.predictive_of(factors, *places)]
    arrays = {"W": factors.W, "H": factors.H, **factors.others, **dict(enumerate(means))}
    words = [estimator.title, estimator.findings, estimator.findings_of([0]), estimator.finds_components]
    return words, {name: np.asarray(array).tobytes() for name, array in arrays.items()}


@promise
def a_parameter_that_is_set_after_the_fit_changes_nothing_of_it(name, tmp_path):
    estimator = make(name).fit(CODES)
    if type(estimator)._predict is Factorization._predict:
        estimator._expectation = None  # which a large matrix has not either
    given, before = estimator.get_params(), predictions(estimator)
    said = said_of_fit(estimator)
    others = {key: OTHERS.get(key, "another") for key in given if key != "threads"}
    found = [predictions(each) for each in (estimator.set_params(**others), pickle.loads(pickle.dumps(estimator)))]
    assert estimator.get_params() == given | others
    assert said_of_fit(estimator) == said
    estimator.save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert loaded.get_params() == given
    for each in (*found, predictions(loaded)):
        for method, expected in before.items():
            np.testing.assert_array_equal(each[method], expected, err_msg=method)


@pytest.mark.parametrize(
    ("name", "settings", "others"),
    [
        ("LogisticFactorVB", {"effects": "columns", "noise": True}, {"effects": "none", "noise": False}),
        ("PoissonGammaVB", {}, {"scales": "both", "tie_mean_H": "all"}),
        ("BernoulliPoissonVB", {"scales": "both"}, {"scales": "none"}),
        ("BetaDirVB", {}, {"alpha": "learn-columns", "beta": "learn-columns", "orientation": "auto"}),
        ("BetaDirVB", {"gamma": 1.0}, {"gamma": "1/K", "n_components": 7}),
        ("GaussianFactorVB", {}, {"limits": (0.4, 0.6), "ard": True}),
    ],
)
def test_what_a_fit_says_is_of_the_parameters_that_it_had(name, settings, others):
    estimator = make(name, **settings).fit(np.where(CODES < 0, np.nan, CODES))
    said = said_of_fit(estimator)
    assert said_of_fit(estimator.set_params(**others)) == said
    assert said_of_fit(estimator.fit(CODES)) != said


def test_whether_the_next_fit_may_search_for_components_depends_on_its_own_parameters():
    estimator = nbmf.BetaDirVB(2, max_iter=5, random_state=0).fit(CODES)
    estimator.set_params(n_components="auto", gamma=1.0).check_parameters()
    estimator.set_params(n_components=2).fit(CODES).set_params(n_components="auto", gamma="1/K")
    with pytest.raises(ConfigError, match="n_components = 'auto': must be an integer from 1 to 1000000, of which"):
        estimator.check_parameters()


# --- Names -----------------------------------------------------------------------------------

FRAME = pd.DataFrame(np.where(CODES < 0, np.nan, CODES), MATRIX.row_names, MATRIX.column_names)


@pytest.mark.parametrize("V", [MATRIX, FRAME], ids=["BinaryMatrix", "DataFrame"])
def test_names_are_kept(V):
    estimator = make("BetaDirVB").fit(V)
    np.testing.assert_array_equal(estimator.row_names_, MATRIX.row_names)
    np.testing.assert_array_equal(estimator.column_names_, MATRIX.column_names)


@pytest.mark.parametrize("V", [CODES, pd.DataFrame(CODES), CODES.tolist()])
def test_what_only_numbers_its_lines_has_no_names(V):
    estimator = make("BetaDirVB").fit(V)
    assert estimator.row_names_ is estimator.column_names_ is None


def test_other_columns_than_those_of_the_fit_are_refused_by_name():
    estimator = make("BetaDirVB").fit(FRAME)
    estimator.transform(FRAME.iloc[:3])  # other rows are the point
    estimator.transform(CODES)  # without names nothing is known
    with pytest.raises(
        DataError,
        match=r"column 0 \(counted from 0\) of V is 'c10'; in the matrix "
        "that was fitted it is 'c0'",
    ):
        estimator.transform(FRAME[FRAME.columns[::-1]])
    with pytest.raises(DataError, match=r"row 13 .* of V is 'x'; .* it is 'r13'"):
        estimator.transform_columns(FRAME.rename({"r13": "x"})[["c3"]])


# --- Files -----------------------------------------------------------------------------------


def assert_equal(one, other):
    assert type(one) is type(other)
    assert repr(one) == repr(other)
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        if name.endswith("_"):
            np.testing.assert_array_equal(value, vars(other)[name])
            assert type(value) is type(vars(other)[name])


@promise
def a_saved_estimator_comes_back(name, tmp_path):
    for V in (CODES, MATRIX):  # without names and with
        estimator = make(name).fit(V)
        estimator.save(tmp_path / "model.npz")
        loaded = nbmf.load(tmp_path / "model.npz")
        assert_equal(loaded, estimator)
        np.testing.assert_array_equal(loaded.transform_columns(V), estimator.transform_columns(V))
        if registry.scores_entries(name):
            np.testing.assert_array_equal(loaded.transform(V), estimator.transform(V))


def rewritten(path, about=lambda parts: None, **arrays):
    """Change what a model file says."""
    with np.load(path) as file:
        held = dict(file)
    parts = json.loads(str(held["about"]))
    about(parts)
    np.savez(path, **(held | arrays | {"about": np.array(json.dumps(parts))}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"W_": lambda W: -W}, "W_ has numbers outside of 0 to 1"),
        ({"H_": lambda H: H + 1}, "H_ has numbers outside of 0 to 1"),
        ({"expectation_": lambda E: E + 1}, "expectation_ has numbers outside of 0 to 1"),
    ],
)
def test_a_model_file_of_impossible_numbers_is_refused(change, words, tmp_path):
    path = tmp_path / "model.npz"
    estimator = make("BetaDirVB").fit(CODES)
    estimator.save(path)
    held = {"W_": estimator.W_, "H_": estimator.H_, "expectation_": estimator.expectation_}
    rewritten(path, **{name: f(held[name]) for name, f in change.items()})
    with pytest.raises(DataError, match=words):
        nbmf.load(path)


def test_a_model_file_of_countless_components_is_refused_before_any_memory_is_taken(tmp_path):
    path = tmp_path / "model.npz"
    make("BetaDirVB").fit(CODES).save(path)
    rewritten(path, lambda parts: parts["parameters"].update(n_components=10**9))
    with pytest.raises(DataError, match="n_components = 1000000000: must be an integer from 1 to 1000000"):
        nbmf.load(path)


def test_a_device_is_no_model_file():
    with pytest.raises(DataError, match=r"/dev/zero: not a complete nbmf model file .a device or a pipe"):
        nbmf.load("/dev/zero")


@pytest.mark.parametrize("size", [1e101, -1e308, 1e-101])
def test_reals_too_large_or_too_small_to_compute_with_are_refused(size):
    V = np.array([[1.0, 2.0], [size, 0.0]])
    with pytest.raises(DataError, match=r"row 1, column 0 .*of a size from 1e-100 to 1e100"):
        nbmf.GaussianFactorVB(1).fit(V)


@pytest.mark.parametrize("size", [1e100, 1e-100])
def test_reals_of_the_last_allowed_size_are_fitted(size):
    V = np.random.default_rng(0).choice([-size, 0.0, size], (6, 5))
    with warnings.catch_warnings(action="ignore"):
        for estimator in (
            nbmf.GaussianFactorVB(2, max_iter=20, random_state=0),
            nbmf.IndianBuffetGaussian(2, burn_in=10, n_samples=10, random_state=0),
        ):
            assert np.isfinite(estimator.fit(V).expectation_).all()


def test_parameters_of_all_kinds_come_back(tmp_path):
    seed = np.random.SeedSequence([1, 2**70], spawn_key=(3, 4))
    alpha, gamma = np.array([1.0, 2.0, 0.1]), (1, 2, 3)
    made = make("BetaDirVB", alpha=alpha, gamma=gamma, beta=np.float64(0.3), random_state=seed)
    made.fit(CODES).save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    assert (loaded.alpha, loaded.gamma, loaded.beta) == ([1.0, 2.0, 0.1], [1, 2, 3], 0.3)
    before = made.expectation_
    np.testing.assert_array_equal(loaded.fit(CODES).expectation_, before)


def test_a_seed_with_another_pool_comes_back(tmp_path):
    made = make("BetaDirVB", random_state=np.random.SeedSequence(5, pool_size=8)).fit(CODES)
    made.save(tmp_path / "model.npz")
    loaded, before = nbmf.load(tmp_path / "model.npz"), made.expectation_
    assert loaded.random_state.pool_size == 8
    np.testing.assert_array_equal(loaded.fit(CODES).expectation_, before)


class Constant(Factorization):
    """A class outside the package."""

    inference, likelihoods, alignment = Inference.POINT, (BERNOULLI,), Alignment.PERMUTATION
    max_iter = 1

    def __init__(self, n_components=1, *, note=None, random_state=None):
        self.n_components, self.note, self.random_state = n_components, note, random_state

    def _start(self, codes, seed):
        return ConstantState(codes)

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        return factors.W[rows] @ factors.H[:, columns]


class ConstantState(Still):
    def __init__(self, codes):
        F, N = codes.shape
        self._W, self._H = np.ones((F, 1)), np.full((1, N), (codes == 1).sum() / (codes >= 0).sum())

    def factors(self):
        return Factors(self._W, self._H)

    def expectation(self):
        return self._W @ self._H


def test_a_class_of_ones_own_comes_back_where_it_has_been_imported(tmp_path):
    path = tmp_path / "model.npz"
    Constant(note="mine").fit(CODES).save(path)
    assert nbmf.load(path).note == "mine"
    code = "import sys, nbmf; print(nbmf.load(sys.argv[1]))"
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    last = ran.stderr.strip().splitlines()[-1]
    assert last.endswith(f"{path}: a model of class '{__name__}:Constant': import {__name__} first")


def test_a_class_without_fold_in_says_so():
    with pytest.raises(AttributeError, match="Constant has no fold-in of new rows"):
        Constant().fit(CODES).transform(CODES)


def test_a_parameter_that_is_no_data_cannot_be_saved(tmp_path):
    with pytest.raises(ConfigError, match=r"note = .* cannot be saved; allowed: numbers, texts"):
        Constant(note=object()).fit(CODES).save(tmp_path / "model.npz")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def parts(tmp_path):
    """What a file holds: the arrays, and what it says of itself."""
    make("LogisticPCA").fit(MATRIX).save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as file:
        arrays = dict(file)
    return arrays, json.loads(str(arrays.pop("about")))


def changed(parts, change, path):
    arrays, about = parts
    change(arrays, about)
    np.savez(path, about=np.array(json.dumps(about)), **arrays)
    return path


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, about: arrays.pop("W_"), "W_ has to be an array of floats with 2 axes"),
        (lambda arrays, about: arrays.update(W_=arrays["W_"][0]), "W_ has to be"),
        (lambda arrays, about: arrays.update(H_=arrays["H_"][:2]), r"H_ .*of shape \(3, 11\)"),
        (lambda arrays, about: arrays["W_"].fill(np.nan), "W_ has to be finite"),
        (lambda arrays, about: arrays.update(main_effects_=np.zeros(3)), "main_effects_ has to be"),
        (lambda arrays, about: arrays.update(row_names_=np.zeros(14)), "row_names_ .* 14 texts"),
        (lambda arrays, about: arrays.pop("row_names_"), "row_names_ is missing"),
        (lambda arrays, about: about["learned"].pop("n_iter_"), "n_iter_ is missing"),
        (lambda arrays, about: about["learned"].update(n_iter_="many"), "n_iter_ is missing or of"),
        (lambda arrays, about: about["learned"].update(fit=1), "'fit' is nothing that is learned"),
        (lambda arrays, about: about["parameters"].update(deviance_gain_tol=-1), "deviance_gain_tol = -1: must be"),
        (lambda arrays, about: about["parameters"].update(colour=1), "colour"),
        (lambda arrays, about: about["parameters"].update(deviance_gain_tol={"a": 1}), "a parameter is damaged"),
        (lambda arrays, about: about.update(format="nbmf model 9"), "allowed: 'nbmf model 1'"),
        (lambda arrays, about: about.update(parameters=[]), "names a class, parameters"),
        (lambda arrays, about: about.update({"class": "LogisticPca"}), "mean 'LogisticPCA'"),
        (lambda arrays, about: about.update({"class": "draw_mask"}), "no class 'draw_mask'"),
        (lambda arrays, about: about.update({"class": "antigravity:x"}), "import antigrav"),
        (lambda arrays, about: about.update({"class": "os:system"}), "'os:system' is no class of"),
        (lambda arrays, about: about.update({"class": "os:nothing"}), "which os does not have"),
    ],
)
def test_a_file_that_is_not_as_it_was_written_is_refused(change, words, parts, tmp_path):
    path = changed(parts, change, tmp_path / "bad.npz")
    with pytest.raises(DataError, match=rf"bad\.npz: .*{words}"):
        nbmf.load(path)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("count", [0.0, -1e17])
def test_counts_of_topics_have_to_be_positive(count, tmp_path):
    """The kernel would look for the digamma of what is far below zero without end."""
    model = make("LDA").fit(MATRIX)
    model.topic_counts_[2, 1] = count
    model.save(tmp_path / "bad.npz")
    with pytest.raises(DataError, match=r"bad\.npz: .*topic_counts_ has to be positive"):
        nbmf.load(tmp_path / "bad.npz")


def test_other_files_are_refused(tmp_path):
    make("BetaDirVB").fit(CODES).save(tmp_path / "model.npz")
    whole = (tmp_path / "model.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.npz").write_text("W,H\n")
    MATRIX.save(tmp_path / "matrix.npz")
    np.savez(tmp_path / "pickled.npz", about=np.array([{"class": "os"}], dtype=object))
    np.savez(tmp_path / "words.npz", about=np.array("no JSON"))
    for name, words in {
        "half": "not a complete nbmf model file",
        "text": "not a complete nbmf model file",
        "matrix": "no model, .*; it holds codes, column_names, row_names",
        "pickled": "not a complete nbmf model file .*pickle",
        "words": "not a complete nbmf model file",
    }.items():
        with pytest.raises(DataError, match=rf"{name}\.npz: {words}"):
            nbmf.load(tmp_path / f"{name}.npz")
    with pytest.raises(FileNotFoundError):
        nbmf.load(tmp_path / "nowhere.npz")


# --- When variational fits stop ----------------------------------------------------------------


class Expectations:
    """A monitor that keeps E[V] after some iterations."""

    def __init__(self, every):
        self._every, self.seen, self.totals = every, {}, []

    def resume(self, state):
        return 0

    def next_after(self, iteration):
        return (iteration // self._every + 1) * self._every

    def __call__(self, iteration, total, state):
        assert iteration not in self.seen
        self.seen[iteration] = state.expectation().copy()
        self.totals.append(total)


def changes(name, max_iter=200):
    """The mean change of E[V] in iterations 11 to 20, 21 to 30, ..."""
    recorder = Expectations(every=10)
    make(name, max_iter=max_iter).fit(CODES, monitor=recorder)
    E = np.array(list(recorder.seen.values()))
    return np.abs(np.diff(E, axis=0)).mean(axis=(1, 2))


@promise.of(VARIATIONAL)
def a_fit_stops_at_the_first_look_that_finds_less_change_than_its_tolerance(name):
    found = changes(name)
    tolerance = np.sort(found)[5]
    met = (found[1:] < tolerance) & (found[1:] <= found[:-1])
    stop = 30 + 10 * int(np.flatnonzero(met)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotConvergedWarning)
        estimator = make(name, max_iter=200, mean_change_tol=tolerance).fit(CODES)
    assert (estimator.n_iter_, estimator.converged_) == (stop, True)
    plain = make(name, max_iter=stop).fit(CODES)
    np.testing.assert_array_equal(estimator.expectation_, plain.expectation_)


def test_a_fit_does_not_stop_at_a_saddle_where_changes_grow():
    """The changes of bICA on paleo with a quarter of the entries held out."""
    paleo = [1.8e-4, 7.0e-4, 2.2e-3, 4.1e-3, 3.9e-3, 6.0e-4, 5.6e-4]
    looks = [has_converged(paleo[: look + 1], 1e-3) for look in range(len(paleo))]
    assert looks == [False] * 5 + [True] * 2


@pytest.mark.parametrize("name", VARIATIONAL)
@pytest.mark.parametrize("max_iter", [5, 10, 25])
def test_a_fit_that_runs_out_of_iterations_warns_with_what_to_do(name, max_iter):
    words = (
        rf"{name} had not converged after max_iter = {max_iter} iterations, by mean_change_tol = 1e-12: "
        "raise max_iter, or mean_change_tol"
    )
    with pytest.warns(NotConvergedWarning, match=words):
        estimator = make(name, max_iter=max_iter, mean_change_tol=1e-12).fit(CODES)
    assert (estimator.n_iter_, estimator.converged_) == (max_iter, False)
    plain = make(name, max_iter=max_iter).fit(CODES)
    np.testing.assert_array_equal(estimator.expectation_, plain.expectation_)
    assert plain.converged_ is None


@pytest.mark.parametrize("every", [3, 10, 10**6])
def test_a_monitor_sees_the_iteration_at_which_a_fit_stops(every):
    recorder = Expectations(every)
    estimator = make("BetaDirVB", max_iter=500, mean_change_tol=1e-3).fit(CODES, monitor=recorder)
    last = max(recorder.seen)
    assert last == estimator.n_iter_ < 500
    np.testing.assert_array_equal(recorder.seen[last], estimator.expectation_)


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
@pytest.mark.parametrize(("tolerance", "status"), [(1e-3, "ok"), (1e-12, "not converged")])
@pytest.mark.parametrize(
    ("name", "parameter"), [("BetaDirVB", "mean_change_tol"), ("LogisticPCA", "deviance_gain_tol")]
)
def test_the_workflow_reports_how_a_fit_ended(name, parameter, tolerance, status, tmp_path):
    """Traces end with the fit, where checkpoints are on too."""
    mask = draw_mask(MATRIX, 0.25, np.random.SeedSequence(2))
    request = FitRequest(name, 3, {"max_iter": 100, parameter: tolerance}, ["fit"])
    report = run_fit(MATRIX, mask, request, checkpoint=tmp_path / "c.npz", log=lambda line: None).report
    assert (report["status"], report["converged"]) == (status, status == "ok")
    assert report["trace"]["iteration"][-1] == report["n_iter"]
    assert report["trace"]["perplexity"][-1] == report["perplexity"]


def test_the_benchmark_of_early_stopping_says_where_fits_stop(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[3] / "benchmarks")
    import early_stopping

    mask = draw_mask(MATRIX, 0.25, np.random.SeedSequence(2))
    rows = early_stopping.early_stopping_table({"tiny": (MATRIX, mask)}, ["c-bica"], 200, (1e-3, 1e-12)).rows
    made = early_stopping.METHODS["c-bica"](200).set_params(mean_change_tol=1e-3)
    made.fit(np.where(mask, -1, CODES))
    assert rows[0][:2] == ["tiny", "c-bica"]
    assert rows[0][3].startswith(f"{made.n_iter_}: ")
    assert rows[0][4] == "–"
    cost = nbmf.perplexity(CODES, made.expectation_, mask) - float(rows[0][2])
    assert float(rows[0][3].split()[1]) == pytest.approx(cost, abs=2e-4)
