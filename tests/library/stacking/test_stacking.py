"""Stacking: weights at the optimum, learned on what members have not seen; members within a budget; files."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from matrices import blocks_matrix
from scipy.optimize import minimize
from shares_only import questions_only
from still_state import Still

import nbmf
from nbmf import registry
from nbmf.catalogue import METHODS
from nbmf.errors import ConfigError, DataError, NotFittedError
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import FEWEST_ENTRIES
from nbmf.inference.parameters import TOLERANCES
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.stacking import state as module
from nbmf.stacking.members import MEMBERS, make_members, members_within_budget, visits
from nbmf.stacking.weights import NEGLIGIBLE, TOLERANCE, mixture_losses, mixture_weights

CODES = blocks_matrix(probability=0.8)
BRIEF = {"max_iter": 20, "random_state": 0}


# Members.


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_is_the_method_of_its_name_but_for_its_length_and_K(name):
    entry, member = METHODS[name], make_members([name], 8, 1000)[name]
    given = registry.make_estimator(entry["class"], member.n_components, entry["settings"], None)
    lengths = {"max_iter", "burn_in", "n_samples", *TOLERANCES}
    assert type(member) is type(given)
    one, other = (
        {key: each.get_params()[key] for key in each.get_params() if key not in lengths} for each in (member, given)
    )
    assert one == other


# Weights.


def drawn_losses(n, M, seed, shift=0.0):
    """Draw losses of M predictions of n entries that have something in common; the last is worse by `shift`."""
    rng = np.random.default_rng(seed)
    odds = 1.5 * rng.normal(size=(n, 1)) + rng.normal(size=(n, M))
    odds[:, -1] -= shift
    return np.logaddexp(0.0, -odds)


def smallest_loss(losses):
    """Return the smallest mean loss of a mixture, by sequential least squares."""
    M, probability = losses.shape[1], np.exp(-losses)
    found = minimize(
        lambda w: -np.log(probability @ w).mean(),
        np.full(M, 1 / M),
        jac=lambda w: -(probability / (probability @ w)[:, None]).mean(axis=0),
        method="SLSQP",
        bounds=[(0, 1)] * M,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize(("n", "M", "shift"), [(60, 2, 0), (400, 5, 0), (400, 5, 2), (30, 4, 5)])
def test_weights_have_the_smallest_loss_of_all_mixtures(n, M, shift):
    losses = drawn_losses(n, M, seed=n + M, shift=shift)
    weights = mixture_weights(losses)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    reached = mixture_losses(losses, weights).mean()
    # A weight that is left out costs at most its own size.
    assert 0 <= reached - smallest_loss(losses) + 1e-9 <= TOLERANCE + M * NEGLIGIBLE
    assert reached <= losses.mean(axis=0).min() + TOLERANCE
    assert reached < smallest_loss(losses) + 2e-5


def test_a_member_that_is_always_worse_has_no_weight():
    losses = drawn_losses(200, 3, seed=1)
    losses[:, 2] = losses[:, 0] + 1.0
    assert mixture_weights(losses)[2] == 0
    np.testing.assert_allclose(mixture_weights(losses[:, :2]), mixture_weights(losses)[:2], atol=5e-3)


def test_two_members_that_are_right_in_turn_have_the_weights_of_their_turns():
    """By hand: entries that one of two gives 0.9 and the other 0.1: w is the share of its turns, stretched."""
    first = np.repeat([True, False], [70, 30])
    probability = np.where(first[:, None] == [True, False], 0.9, 0.1)
    # d/dw of 0.7 log(0.1 + 0.8 w) + 0.3 log(0.9 - 0.8 w) is zero at w = 0.75.
    np.testing.assert_allclose(mixture_weights(-np.log(probability)), [0.75, 0.25], atol=5e-3)


def test_losses_of_a_mixture_are_those_of_its_probabilities_even_where_these_underflow():
    losses, weights = drawn_losses(50, 3, seed=2), np.array([0.2, 0.5, 0.3])
    np.testing.assert_allclose(mixture_losses(losses, weights), -np.log(np.exp(-losses) @ weights))
    np.testing.assert_allclose(mixture_losses(losses + 2000, weights), 2000 - np.log(np.exp(-losses) @ weights))
    np.testing.assert_allclose(mixture_weights(losses + 2000), mixture_weights(losses), atol=1e-12)


# Members.


def test_members_that_are_too_dear_are_passed_over():
    members = make_members(MEMBERS, 4, 100)
    costs = {name: visits(each, 50) for name, each in members.items()}
    assert costs["logistic-vb"] == 50 * 100 * 4
    assert costs["indian-buffet"] == 50 * 100 * 10
    assert costs["beta-dir-vb-learned"] == 50 * 100 * 100
    all_of_them = sum(costs.values())
    assert list(members_within_budget(members, 50, 3, 3 * all_of_them)) == list(MEMBERS)
    assert list(members_within_budget(members, 50, 3, 3 * all_of_them - 1)) == list(MEMBERS)[:-1]
    assert list(members_within_budget(members, 50, 1, costs["logistic-vb"])) == ["logistic-vb-columns"]
    assert not members_within_budget(members, 50, 1, costs["logistic-vb"] - 1)


def test_the_budget_counts_the_folds_and_the_fit_to_all_entries():
    n_fits = 10 + 1  # of 154 entries tenths are held out until all have been
    least = n_fits * visits(make_members(MEMBERS, 4, 20)["logistic-vb"], int((CODES >= 0).sum()))
    two = nbmf.Stacking(4, max_visits=2 * least, **BRIEF).fit(CODES)
    assert set(two.members_) <= {"logistic-vb-columns", "bernoulli-poisson-vb"}
    one = nbmf.Stacking(4, max_visits=2 * least - 1, **BRIEF).fit(CODES)
    assert (list(one.members_), one.weights_.tolist()) == (["logistic-vb-columns"], [1.0])
    none = nbmf.Stacking(4, max_visits=1, members=["logistic-vb", "indian-buffet"], **BRIEF).fit(CODES)
    assert list(none.members_) == ["logistic-vb"]


@pytest.mark.parametrize("members", ["logistic-vb", [], ["lda"], ["logistic-vb", "logistic-vb"], [["logistic-vb"]], 3])
def test_other_members_are_refused(members):
    with pytest.raises(ConfigError, match=r"members = .*: must be None or some of logistic-vb-columns, "):
        nbmf.Stacking(members=members).fit(CODES)


# Estimates.


class Memory(Factorization):
    """Is certain of the entries it has seen, and says a half of the others."""

    inference, likelihoods, alignment = Inference.POINT, (BERNOULLI,), Alignment.NONE
    max_iter = 1

    def __init__(self, n_components=1, *, random_state=None):
        self.n_components, self.random_state = n_components, random_state

    def _start(self, codes, seed):
        return Remembered(np.where(codes >= 0, np.clip(codes, 0.001, 0.999), 0.5))

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        return factors.others["seen"][rows][:, columns]


class Share(Memory):
    """Says the proportion of ones everywhere."""

    def _start(self, codes, seed):
        return Remembered(np.full(codes.shape, (codes == 1).sum() / (codes >= 0).sum()))


class Remembered(Still):
    def __init__(self, expectation):
        self._expectation = expectation

    def factors(self):
        return Factors(self._expectation[:, :1], self._expectation[:1])

    def expectation(self):
        return self._expectation


def weight_of_share(V):
    return nbmf.Stacking(random_state=0).fit(V).findings["weight of share"]


def test_members_are_weighed_by_entries_that_they_have_not_seen(monkeypatch):
    monkeypatch.setattr(module, "make_members", lambda names, K, max_iter: {"memory": Memory(), "share": Share()})
    V = (np.random.default_rng(0).random((20, 15)) < 0.9).astype(int)
    assert weight_of_share(V) > 0.8


def test_a_mirror_image_is_not_seen_either(monkeypatch):
    """A member that copies mirror images has no weight."""

    class Mirror(Memory):
        def _start(self, codes, seed):
            seen = codes.T
            return Remembered(np.where(seen >= 0, np.clip(seen, 0.001, 0.999), 0.5))

    monkeypatch.setattr(module, "make_members", lambda names, K, max_iter: {"mirror": Mirror(), "share": Share()})
    upper = np.triu(np.random.default_rng(0).random((20, 20)) < 0.8, k=1)
    assert weight_of_share((upper | upper.T).astype(int)) > 0.8


def test_ties_are_weighed_by_the_mean_of_both_directions(monkeypatch):
    """A member whose two predictions of a tie are wrong by as much in either direction has nearly all the weight.

    Where ties have directions, a mixture with more of the share is better: predictions are less sure.
    """
    rng, group = np.random.default_rng(0), np.arange(40) % 2
    chance = np.where(group[:, None] == group, 0.7, 0.3)

    class Leaning(Memory):
        def _start(self, codes, seed):
            return Remembered(chance + 0.29 * np.sign(np.arange(40) - np.arange(40)[:, None]))

    monkeypatch.setattr(module, "make_members", lambda names, K, max_iter: {"leaning": Leaning(), "share": Share()})
    upper = np.triu(rng.random((40, 40)) < chance, k=1)
    assert weight_of_share((upper | upper.T).astype(int)) < 0.2
    directed = (rng.random((40, 40)) < chance).astype(int)
    assert weight_of_share(directed) > 0.5


def test_the_other_answers_to_a_question_are_not_seen_either(monkeypatch):
    """A member that says what nobody has answered yet has no weight."""

    class Remainder(Memory):
        def _start(self, codes, seed):
            answered = (codes.reshape(len(codes), -1, 3) == 1).any(axis=2).repeat(3, axis=1)
            return Remembered(np.where(answered, 0.001, 0.999))

    monkeypatch.setattr(module, "make_members", lambda names, K, max_iter: {"rest": Remainder(), "share": Share()})
    assert weight_of_share(questions_only(60, [3] * 8, 0)) > 0.8


def mixture_of(names, weights):
    """Return a mixture of short fits with weights that are given."""
    members = make_members(names, 3, 20)
    with warnings.catch_warnings(action="ignore"):
        fitted = {name: each.set_params(random_state=0).fit(CODES) for name, each in members.items()}
    return nbmf.Stacking.of(fitted, np.array(weights), CODES)


def test_predictions_are_mixtures_of_those_of_members():
    stack = mixture_of(MEMBERS, [0.1, 0.15, 0.1, 0.05, 0.15, 0.2, 0.1, 0.15])
    members, weights = stack.members_.values(), stack.weights_

    def mixed(predict):
        return sum(w * predict(member) for w, member in zip(weights, members, strict=True))

    np.testing.assert_allclose(stack.expectation_, mixed(lambda member: member.expectation_), atol=1e-12)
    new = CODES[:3]
    np.testing.assert_allclose(stack.predict_rows(new), mixed(lambda member: member.predict_rows(new)), atol=1e-12)
    columns = CODES[:, :2]
    np.testing.assert_allclose(
        stack.predict_columns(columns), mixed(lambda member: member.predict_columns(columns)), atol=1e-12
    )
    np.testing.assert_allclose(  # the score of held-out entries, too
        stack._predictive_of_rows(new)(new)(np.arange(3), np.arange(3)), stack.predict_rows(new)[range(3), range(3)]
    )
    folded = mixed(lambda member: member.inverse_transform(member.transform(new)))
    np.testing.assert_allclose(stack.inverse_transform(stack.transform(new)), folded, atol=1e-12)
    assert stack.findings == {f"weight of {name}": w for name, w in zip(stack.members_, weights, strict=True)}


@pytest.mark.parametrize("weights", [[0.4], [1.5, -0.5], [1.0], [np.nan, 1.0], [0.5, 0.4]])
def test_weights_that_are_given_have_to_be_those_of_a_mixture(weights):
    fitted = {name: nbmf.BinaryICA(1, max_iter=2, random_state=0).fit(CODES) for name in ("one", "two")}
    with pytest.raises(ConfigError, match=r"weights = .*: must be 2 numbers of at least 0 with the sum 1"):
        nbmf.Stacking.of(fitted, weights, CODES)


def test_too_few_entries_to_hold_any_out_have_equal_weights():
    V = np.where(np.arange(30).reshape(5, 6) < FEWEST_ENTRIES - 1, CODES[:5, :6] == 1, -1)
    stack = nbmf.Stacking(2, members=["logistic-vb", "indian-buffet"], **BRIEF).fit(V)
    assert stack.weights_.tolist() == [0.5, 0.5]


def test_one_seed_has_one_result_however_many_fits_run_at_a_time():
    def losses(jobs):
        entry = {"stacking": {"settings": {"max_iter": 20, "members": ["logistic-vb", "indian-buffet"]}}}
        found = nbmf.compare(CODES, entry, 3, masks=3, n_jobs=jobs, log=lambda fit: None)
        return found.scores.query("method == 'stacking'")["perplexity"].tolist()

    assert losses(1) == losses(3)
    first, second = (
        nbmf.Stacking(3, members=["logistic-vb", "beta-dir-vb-learned"], **BRIEF).fit(CODES) for _ in range(2)
    )
    np.testing.assert_array_equal(first.expectation_, second.expectation_)


def test_methods_that_are_fitted_already_are_mixed():
    matrix = nbmf.BinaryMatrix.from_array(CODES, [f"r{f}" for f in range(14)], None)
    one, two = nbmf.BinaryICA(2, max_iter=5).fit(matrix), nbmf.BinaryICA(3, max_iter=5).fit(matrix)
    stack = nbmf.Stacking.of({"one": one, "two": two, "none": nbmf.MNB()}, np.array([0.25, 0.75, 0.0]), matrix)
    np.testing.assert_allclose(stack.expectation_, 0.25 * one.expectation_ + 0.75 * two.expectation_)
    assert list(stack.members_) == ["one", "two"]
    assert stack.row_names_[0] == "r0"


def test_ties_of_an_undirected_network_have_one_probability():
    rng = np.random.default_rng(0)
    upper = np.triu(rng.random((20, 20)) < 0.3, k=1)
    V = (upper | upper.T).astype(int)
    model = nbmf.BinaryICA(3, max_iter=5, random_state=0).fit(V)
    assert not np.allclose(model.expectation_, model.expectation_.T, atol=0.01)
    mean = (model.expectation_ + model.expectation_.T) / 2
    stack = nbmf.Stacking.of({"ica": model}, [1.0], V)
    np.testing.assert_allclose(stack.expectation_, mean)
    np.testing.assert_allclose(stack.predict([2, 7], [7, 2]), mean[2, 7])
    fitted = nbmf.Stacking(3, members=["beta-dir-vb-learned", "bernoulli-poisson-vb"], **BRIEF).fit(V)
    np.testing.assert_array_equal(fitted.expectation_, fitted.expectation_.T)
    directed = np.triu(V) + np.tril(V[::-1, ::-1])
    of_directed = nbmf.Stacking.of({"ica": model.fit(directed)}, [1.0], directed)
    np.testing.assert_array_equal(of_directed.expectation_, model.expectation_)


def test_methods_that_were_fitted_to_something_else_are_not_mixed():
    """Entries are mixed by their places: what else is at a place would be mixed in silence."""
    frame = pd.DataFrame(CODES, columns=[f"c{n}" for n in range(CODES.shape[1])])
    one, other = (nbmf.BinaryICA(2, max_iter=5, random_state=0).fit(V) for V in (frame, frame.iloc[:, ::-1]))
    counts = nbmf.PoissonGammaEM(2, max_iter=5, random_state=0).fit(CODES.clip(0))
    topics = nbmf.LDA(2, max_iter=5, random_state=0).fit(CODES.clip(0))
    smaller = nbmf.BinaryICA(2, max_iter=5, random_state=0).fit(CODES[:9])
    for member, error, words in (
        (other, DataError, r"column 0 .* of V is 'c0'; in the matrix that was fitted it is 'c10'"),
        (counts, DataError, "second does not predict the entries of a binary matrix"),
        (topics, DataError, "second does not predict the entries of a binary matrix"),
        (smaller, DataError, r"second has to be of a matrix of shape \(14, 11\)"),
        (nbmf.BinaryICA(2), NotFittedError, "this BinaryICA is not fitted yet"),
    ):
        with pytest.raises(error, match=words):
            nbmf.Stacking.of({"first": one, "second": member}, np.array([0.5, 0.5]), frame)


def test_members_with_groups_of_rows_take_those_of_the_matrix_in_all_that_is_said_of_new_rows():
    groups = [["left", "right"][f % 2] for f in range(14)]
    matrix = nbmf.BinaryMatrix.from_array(CODES, None, None, groups)
    grouped = nbmf.LogisticFactorVB(2, row_groups="matrix", **BRIEF).fit(matrix)
    other = nbmf.BinaryICA(3, max_iter=5, random_state=0).fit(matrix)
    alone = nbmf.Stacking.of({"grouped": grouped}, np.array([1.0]), matrix)
    both = nbmf.Stacking.of({"grouped": grouped, "other": other}, np.array([0.25, 0.75]), matrix)
    assert grouped.score(matrix) != grouped.score(CODES)
    assert alone.score(matrix) == pytest.approx(grouped.score(matrix), rel=1e-12)
    np.testing.assert_array_equal(alone.transform(matrix), grouped.transform(matrix))
    np.testing.assert_array_equal(
        both.transform(matrix), np.hstack([grouped.transform(matrix), other.transform(matrix)])
    )
    np.testing.assert_array_equal(both.factors_of_rows(matrix).W, both.transform(matrix))
    assert both.set_output(transform="pandas").transform(matrix).index[0] == "row 0"


# Files.


@pytest.fixture
def saved(tmp_path):
    mixture_of(["logistic-vb", "indian-buffet"], [0.25, 0.75]).save(tmp_path / "stack.npz")
    return tmp_path / "stack.npz"


def rewritten(path, change):
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    change(arrays, about)
    np.savez(path, **{**arrays, "about": np.array(json.dumps(about))})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda arrays, about: arrays.update(weights_=np.array([0.5])), "weights_ has to be 2 numbers"),
        (lambda arrays, about: arrays.update(weights_=np.array([0.5, 0.6])), "weights_ has to be numbers above 0 with"),
        (lambda arrays, about: arrays.update(weights_=np.array([1.5, -0.5])), "weights_ has to be numbers above 0"),
        (lambda arrays, about: arrays.pop("weights_"), "weights_ has to be an array of floats with 1 axes"),
        (lambda arrays, about: about.pop("parts"), "weights_ has to be 0 numbers"),
        (lambda arrays, about: arrays.pop("logistic-vb/W_"), "W_ has to be an array of floats"),
        (lambda arrays, about: about["parts"].update({"logistic-vb": 3}), "a model file names a class, parameters"),
        (lambda arrays, about: about["parts"]["logistic-vb"].update({"class": "os:system"}), "is no class of"),
        (lambda arrays, about: about.update({"class": "LogisticFactorVB", "parameters": {}}), "."),
    ],
)
def test_a_file_whose_members_do_not_fit_is_refused(change, words, saved):
    nbmf.load(saved)
    rewritten(saved, change)
    with pytest.raises(DataError, match=rf"stack\.npz: .*{words}"):
        nbmf.load(saved)


def test_a_member_of_another_matrix_is_refused(saved, tmp_path):
    with warnings.catch_warnings(action="ignore"):
        nbmf.LogisticFactorVB(2, max_iter=5, random_state=0).fit(CODES[:5]).save(tmp_path / "other.npz")
    with np.load(tmp_path / "other.npz") as file:
        other = {f"logistic-vb/{name}": array for name, array in file.items() if name != "about"}
        about = json.loads(str(file["about"]))

    def change(arrays, mine):
        arrays.update(other)
        mine["parts"]["logistic-vb"] = {key: about[key] for key in ("class", "parameters", "learned")}

    rewritten(saved, change)
    with pytest.raises(DataError, match=r"logistic-vb has to be of a matrix of shape \(14, 11\)"):
        nbmf.load(saved)


def test_other_models_have_no_parts(saved, tmp_path):
    nbmf.BinaryICA(2, max_iter=5).fit(CODES).save(tmp_path / "model.npz")
    with np.load(saved) as file:
        about = json.loads(str(file["about"]))
        parts = {name: array for name, array in file.items() if "/" in name}

    def change(arrays, mine):
        arrays.update(parts)
        mine["parts"] = about["parts"]

    rewritten(tmp_path / "model.npz", change)
    with pytest.raises(DataError, match="BinaryICA has no parts, and the file has logistic-vb, indian-buffet"):
        nbmf.load(tmp_path / "model.npz")
