"""The log likelihood, BIC and entropies of latent classes, from the model's probabilities alone."""

import re

import numpy as np
import pytest
from scipy.special import logsumexp, xlogy

import nbmf
from nbmf.reporting.latent_classes import class_facts, mode_sentences


def log_likelihoods(V, sizes, ones):
    """Return ln p of each row, and the probabilities of its classes."""
    of_each = sum(np.nan_to_num(xlogy(part, p)) for part, p in ((V[:, None], ones), (1 - V[:, None], 1 - ones)))
    joint = of_each.sum(axis=2) + np.log(sizes)
    total = logsumexp(joint, axis=1)
    return total, np.exp(joint - total[:, None])


@pytest.mark.parametrize("members", ["rows", "columns"])
@pytest.mark.parametrize("K", [1, 3])
def test_facts_of_a_fit_are_those_of_its_probabilities(members, K):
    rng = np.random.default_rng(0)
    V = (rng.random((60, 9)) < rng.beta(0.5, 0.5, (3, 9))[rng.integers(0, 3, 60)]).astype(float)
    V[rng.random(V.shape) < 0.1] = np.nan
    given = V if members == "rows" else V.T
    model = nbmf.MNB(K, orientation=members, random_state=0).fit(given)
    ones = model.H_ if members == "rows" else model.W_.T
    likelihood, chances = log_likelihoods(V, model.weights_, ones)
    highest = np.sum(likelihood)
    sizes = model.weights_
    for _ in range(2000):  # EM without smoothing, in the words of a textbook
        _, r = log_likelihoods(V, sizes, ones)
        sizes, ones = r.mean(axis=0), (r.T @ np.nan_to_num(V)) / (r.T @ ~np.isnan(V))
    maximum = log_likelihoods(V, sizes, ones)[0].sum()
    assert maximum > highest + (1 if K > 1 else 0)
    told = "; ".join(class_facts(model, nbmf.BinaryMatrix.from_array(given)))
    numbers = [float(text) for text in re.findall(r"-?\d+\.?\d*", told)]
    parameters = K - 1 + 9 * K
    bic = parameters * np.log(60) - 2 * maximum
    assert numbers[:3] == pytest.approx([maximum, parameters, bic], abs=0.11)
    if K == 1:
        assert "entropy" not in told
    else:
        mean, sizes = -xlogy(chances, chances).sum(axis=1).mean(), chances.mean(axis=0)
        r2 = 1 + mean / xlogy(sizes, sizes).sum()
        assert numbers[3:5] == pytest.approx([1 - mean / np.log(K), r2], abs=0.0051)
        assert f"the class of each {members.removesuffix('s')} is certain" in told


def test_of_an_undirected_network_no_likelihood_is_told_in_which_each_tie_counts_twice():
    V = np.triu(np.random.default_rng(0).random((30, 30)) < 0.3, 1).astype(float)
    for matrix, is_told in ((V + V.T, False), (V, True)):
        model = nbmf.MNB(2, random_state=0).fit(matrix)
        told = "; ".join(class_facts(model, nbmf.BinaryMatrix.from_array(matrix)))
        assert ("parameters; BIC" in told) == is_told
        assert ("each tie is in two rows" in told) != is_told
        assert "the class of each row is certain" in told


@pytest.mark.parametrize(("certain", "expected"), [(False, "0.71, entropy R² 0.00"), (True, "1.00, entropy R² 1.00")])
def test_rows_that_say_nothing_of_their_classes_have_no_entropy_explained(certain, expected):
    """Of classes of 95 and 5 % the relative entropy is 0.71 where these are the chances of each row."""
    matrix = nbmf.BinaryMatrix.from_array(np.repeat(np.eye(2), 10, axis=0).repeat(4, axis=1))
    model = nbmf.MNB(2, random_state=0).fit(matrix)
    model.W_ = np.repeat(np.eye(2), [19, 1], axis=0) if certain else np.tile([0.95, 0.05], (20, 1))
    assert class_facts(model, matrix)[-1].startswith(f"relative entropy {expected} (1: ")
    model.W_ = np.tile([1.0, 0.0], (20, 1))
    assert class_facts(model, matrix)[-1].startswith("relative entropy 1.00 (1: ")


@pytest.mark.parametrize("n_draws", [None, 0])
def test_classes_have_intervals_of_their_sizes_and_probabilities(n_draws):
    rng = np.random.default_rng(1)
    V = (rng.random((200, 6)) < np.array([[0.9], [0.2]])[rng.integers(0, 2, 200)]).astype(int)
    found = nbmf.analyze(
        V, method="mnb-rows", n_components=2, check=False, chains=2, n_draws=n_draws, log=lambda line: None
    )
    told, components = " ".join(str(found).split()), found.tables["components"]
    size = r"component 1: \d+% \[(\d+)%, (\d+)%\] of the rows, a latent class"
    if n_draws == 0:
        assert "point estimates (EM), without intervals" in told
        assert not re.search(size, told)
        assert "share_lower" not in components
        return
    assert "90% intervals in brackets are of the posterior around it" in told
    assert "too narrow" not in told
    assert ">99%, " in told
    assert "[>99%, >99%]" not in told
    ends = [float(end) / 100 for end in re.search(size, told).groups()]
    np.testing.assert_allclose(components[["share_lower", "share_upper"]].iloc[0], ends, atol=0.0051)
    assert (components["share_lower"] < components["share"]).all()
    assert (components["share"] < components["share_upper"]).all()
    assert (found.tables["H_lower"].to_numpy() < found.tables["H"].to_numpy()).all()


def deviant_rows():
    """Return answers of 100 people, 20 to a question; the last five answer the other way round."""
    rng = np.random.default_rng(3)
    common = rng.choice([0.15, 0.85], 20)
    V = (rng.random((100, 20)) < common).astype(int)
    V[95:] = rng.random((5, 20)) < 1 - common
    return V


def test_a_class_of_nearly_all_rows_is_a_class_and_no_intercept():
    """As one, the five rows of the other class were called all of the other rows, with an interval from 2 to 10 %."""
    found = nbmf.analyze(deviant_rows(), method="mnb-rows", n_components=2, check=False, log=lambda line: None)
    told = " ".join(str(found).split())
    for share in ("95", "5"):
        assert re.search(rf"component \d: {share}% \[\d+%, \d+%\] of the rows, a latent class", told)
    one = nbmf.analyze(deviant_rows(), method="mnb-rows", n_components=1, check=False, log=lambda line: None)
    assert "component 1: how common ones are in each of the columns" in " ".join(str(one).split())


def test_the_larger_of_two_opposite_classes_has_columns_too():
    rng = np.random.default_rng(0)
    of_class = np.array([[0.7] * 4 + [0.3] * 4 + [0.5] * 8, [0.3] * 4 + [0.7] * 4 + [0.5] * 8])
    V = (rng.random((150, 16)) < of_class[(np.arange(150) >= 95).astype(int)]).astype(int)
    found = nbmf.analyze(V, method="mnb-rows", n_components=2, check=False, log=lambda line: None)
    told = " ".join(str(found).split())
    assert told.count("a latent class") == 2
    assert "as common as in all of the data" not in told
    assert told.count(" columns + column ") == told.count(" columns - column ") == 2


@pytest.mark.parametrize("members", ["rows", "columns"])
def test_where_the_posterior_is_elsewhere_than_the_mode_it_is_said(members):
    V = np.repeat(np.eye(2), 10, axis=0).repeat(4, axis=1)
    V = V if members == "rows" else V.T
    model = nbmf.MNB(2, orientation=members, random_state=0).fit(V)
    factor, mode = ("W", model.W_) if members == "rows" else ("H", model.H_)
    names = np.array([f"n{i}" for i in range(20)])
    near = {factor: (mode - 0.05, mode - 0.05), "expectation": None}
    assert not [*mode_sentences(model, near, names)]
    assert not [*mode_sentences(model, {}, names)]
    less_sure, far = np.where(mode > 0.5, 0.6, 0.4), np.where(mode > 0.5, 0.4, 0.6)
    assert not [*mode_sentences(model, {factor: (less_sure - 0.1, less_sure)}, names)]  # but of the same classes
    part = np.s_[2:8] if members == "rows" else np.s_[:, 2:8]
    upper = less_sure.copy()
    upper[part] = far[part]
    (said,) = mode_sentences(model, {factor: (upper - 0.1, upper)}, names)
    assert said.startswith(f"for 6 of 20 {members} (n2, n3, n4, n5, n6, ...) most of the posterior is at other classes")


def test_classes_that_are_alike_in_the_mode_count_where_the_likelihood_has_its_maximum():
    """Smoothing holds them together, and without it they part: as many parameters are counted as differ there."""
    V = (np.random.default_rng(1).random((100, 10)) < 0.3).astype(np.int8)
    model = nbmf.MNB(2, smoothing=100.0, random_state=0).fit(V)
    maximum = model.maximum_likelihood(V)
    assert (model.distinct_classes, maximum.distinct) == (1, 2)
    assert "with 21 parameters" in class_facts(model, nbmf.BinaryMatrix.from_array(V))[0]


def test_a_climb_that_takes_too_long_has_no_maximum(monkeypatch):
    V = (np.random.default_rng(1).random((100, 10)) < 0.3).astype(np.int8)
    model = nbmf.MNB(2, random_state=0).fit(V)
    monkeypatch.setattr("nbmf.families.mixed_membership.naive_bayes.VISITS", 20_000)
    assert model.maximum_likelihood(V) is None
    assert "BIC" not in " ".join(class_facts(model, nbmf.BinaryMatrix.from_array(V)))


def test_a_report_of_latent_classes_needs_no_more_than_their_declaration(tmp_path, monkeypatch):
    """Another model than MNB, which is no maximum likelihood estimate, has no BIC and none of MNB's attributes."""
    monkeypatch.setattr(nbmf.BetaDirVB, "has_classes", True)
    V = np.repeat(np.eye(2), 20, axis=0).repeat(5, axis=1)
    found = nbmf.analyze(V, method="beta-dir-vb", n_components=2, check=False, chains=1, seed=1)
    found.save(tmp_path / "saved")
    told = " ".join(str(found).split())
    shares = found.model.memberships(found.model.factors_)
    r2 = 1 + xlogy(shares, shares).sum(axis=1).mean() / np.log(2)
    assert (
        f"relative entropy {r2:.2f}, entropy R² {r2:.2f} (1: the class of each row is certain)" in told
    )  # equal sizes
    assert "latent class" in told
    assert "BIC" not in told
    assert "(EM)" not in told
