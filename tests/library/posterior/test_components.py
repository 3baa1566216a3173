"""Components as a person meets them: merged where they say the same, intercepts named, the rest computed."""

import numpy as np
import pytest

import nbmf
from nbmf.posterior.components import components_of, is_intercept, is_shared, merged_places, profile_difference
from nbmf.reporting.component_entries import component_entry
from nbmf.reporting.fit_report import fit_facts
from nbmf.reporting.fit_result import ReportedFit

ROWS, COLUMNS, PARTS = 120, 30, 60


def drawn(W, H, seed=0):
    """Return a matrix drawn from W H, and a model that has found these."""
    matrix = nbmf.BinaryMatrix.from_array(
        (np.random.default_rng(seed).random((len(W), H.shape[1])) < W @ H).astype(int)
    )
    model = nbmf.BinaryICA(len(H))
    model.W_, model.H_, model._expectation = W, H, W @ H
    model.gamma_, model.n_iter_, model.converged_ = 1e-9, 1, None
    return matrix, model


def result_of(matrix, model):
    return ReportedFit("drawn", matrix, model, components_of(model, matrix), model.expectation_, 0.0)


@pytest.fixture(scope="module")
def large_group():
    """Half of the rows are one group, in sixty components of 0.8 % each; the others are two groups."""
    rng = np.random.default_rng(1)
    W = np.zeros((ROWS, PARTS + 2))
    W[: ROWS // 2, :PARTS] = rng.dirichlet(np.full(PARTS, 50.0), ROWS // 2)
    W[ROWS // 2 : 90, PARTS], W[90:, PARTS + 1] = 1.0, 1.0
    large, other, third = rng.choice([0.1, 0.9], (3, COLUMNS))
    H = np.vstack([np.clip(large + rng.normal(0, 0.005, (PARTS, COLUMNS)), 0, 1), other, third])
    return drawn(W, H)


def test_a_large_group_in_components_of_less_than_one_percent_is_one_component(large_group):
    matrix, model = large_group
    assert model.shares_of(model.factors_)[:PARTS].max() < 0.01
    found = components_of(model, matrix)
    assert (found.active, sorted(map(len, found.members))) == (3, [1, 1, PARTS])
    assert sorted(found.members[0]) == list(range(PARTS))  # the heaviest
    np.testing.assert_allclose(found.shares, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(found.model.W_ @ found.model.H_, model.expectation_, atol=0.01)
    said = list(fit_facts(result_of(matrix, model)))
    assert any(f"component 1 stands for {PARTS} components of the fit" in line for line in said)
    assert not any("of the weight is in" in line for line in said)
    assert component_entry(0, result_of(matrix, model)).title == "component 1: 50% of the weight"


def test_small_components_that_differ_stay_apart_and_are_reported_as_what_they_are():
    """Forty components of under 1 % with profiles of their own have a third of the weight."""
    rng = np.random.default_rng(2)
    W = np.zeros((ROWS, 41))
    W[:80, 0], W[80:, 1:] = 1.0, 1 / 40
    H = np.vstack([np.full(COLUMNS, 0.1), rng.choice([0.02, 0.98], (40, COLUMNS), p=[0.3, 0.7])])
    matrix, model = drawn(W, H)
    result = result_of(matrix, model)
    assert (result.components.active, len(result.components.members)) == (1, 41)
    (said,) = (line for line in fit_facts(result) if "smaller" in line)
    assert said.startswith("the other 33% of the weight is in 40 smaller components; together they differ from all ")
    assert "prior" not in said


def test_small_components_that_say_no_more_than_the_means_are_reported_so():
    rng = np.random.default_rng(3)
    means = rng.uniform(0.2, 0.8, COLUMNS)
    W = np.full((ROWS, 31), 0.2 / 30)
    W[:, 0] = 0.8
    apart = np.tile(np.where(np.arange(30) % 2, 1, -1)[:, None], COLUMNS) * np.where(
        np.arange(COLUMNS) % 2, 0.15, -0.15
    )
    matrix, model = drawn(W, np.vstack([means, means + apart]))
    result = result_of(matrix, model)
    result = ReportedFit(**{**vars(result), "components": result.components._replace(active=1)})
    assert any("together they say no more than how common each column is" in line for line in fit_facts(result))


def test_a_chain_of_small_steps_is_not_one_component_from_end_to_end():
    steps = np.linspace(0.1, 0.9, 21)
    profiles = np.full((21, 10), 0.5)
    profiles[:, :5], profiles[:, 5:] = steps[:, None], 1 - steps[:, None]
    assert profile_difference(profiles[0], profiles[1]) < 0.1
    groups = merged_places(profiles, np.ones(21))
    assert sorted(k for places in groups for k in places) == list(range(21))
    assert 2 < len(groups) < 21
    assert all(np.ptp(steps[places]) < 0.3 for places in groups)
    assert [len(places) for places in merged_places(None, np.ones(3))] == [1, 1, 1]


def test_the_heaviest_of_merged_components_comes_first():
    assert [places.tolist() for places in merged_places(np.full((3, 4), 0.3), np.array([1.0, 3.0, 2.0]))] == [[1, 2, 0]]


@pytest.mark.parametrize("sign", [1, -1])
def test_an_intercept_is_on_one_side_and_hardly_varies(sign):
    rng = np.random.default_rng(0)
    assert is_intercept(sign * rng.normal(2, 0.3, 200))
    assert not is_intercept(sign * rng.normal(0, 1, 200))
    assert not is_intercept(sign * rng.gamma(0.5, 1, 200))  # on one side, of few rows
    assert not is_intercept(sign * np.r_[np.ones(80), -np.ones(20)])
    assert not is_intercept(np.zeros(5))
    assert not is_intercept(np.array([]))


def test_a_component_that_a_few_rows_have_little_of_is_not_shared_by_all():
    """As on dune: sixteen rows wholly in it, four with a fifth of it."""
    assert is_shared(np.random.default_rng(0).uniform(0.7, 0.9, 50))
    assert is_intercept(np.r_[np.ones(16), np.full(4, 0.2)])
    assert not is_shared(np.r_[np.ones(16), np.full(4, 0.2)])
    assert not is_shared(np.zeros(5))
    assert not is_shared(np.array([]))


@pytest.fixture(scope="module")
def with_intercept():
    """All rows have 70 % of one component; the rest sets two groups of them apart."""
    rng = np.random.default_rng(4)
    W = np.tile([0.7, 0.05, 0.25], (ROWS, 1)) + rng.uniform(-0.02, 0.02, (ROWS, 1)) * [1, -1, 0]
    W[:80, 1:] = W[:80, :0:-1]
    common = rng.uniform(0.1, 0.9, COLUMNS)
    apart = np.where(np.arange(COLUMNS) < 15, 0.1, 0.9)
    return drawn(W, np.vstack([common, apart, 1 - apart]))


@pytest.mark.parametrize("turned", [False, True])
def test_an_intercept_says_how_common_each_column_is_and_shares_are_without_it(with_intercept, turned):
    matrix, model = with_intercept
    axis, others = ("rows", "columns") if turned else ("columns", "rows")
    if turned:
        matrix, model = drawn_turned(model)
    result = result_of(matrix, model)
    found = result.components
    assert found.intercepts == ("", "", axis[:-1])
    assert np.isnan(found.own_shares[2])
    np.testing.assert_allclose(found.own_shares[:2].sum(), 1)
    assert found.labels(3)[2] == "3\ncommon"
    entry = component_entry(2, result)
    assert (
        entry.title
        == f"component 3: how common ones are in each of the {axis}, nearly alike for all {others} (70% of all weight)"
    )
    assert [label for label, _ in entry.lines] == ["most", "least"]
    share = found.shares[1] / found.shares[:2].sum()
    assert component_entry(1, result).title == f"component 2: {share:.0%} of the other weight"


def drawn_turned(model):
    """Return the same with the columns mixing."""
    matrix, _ = drawn(model.H_.T.copy(), model.W_.T.copy())
    turned = nbmf.BetaDirVB(3, orientation="columns")
    turned.W_, turned.H_, turned._expectation = model.H_.T.copy(), model.W_.T.copy(), model.expectation_.T
    turned.orientation_, turned.n_iter_, turned.converged_ = "columns", 1, None
    turned.gamma_ = np.full(3, 1 / 3)
    return matrix, turned


def test_an_axis_with_all_rows_on_one_side_is_an_intercept():
    rng = np.random.default_rng(5)
    model = nbmf.LogisticFactorVB(2)
    model.W_, model.H_ = np.c_[rng.normal(2, 0.2, 50), rng.normal(0, 1, 50)], rng.normal(0, 1, (2, 20))
    assert components_of(model).intercepts == ("", "column")


def test_columns_of_an_axis_are_in_the_order_of_what_it_adds_to_them():
    """All rows are on the negative side: columns with the largest loadings have fewest ones."""
    rng = np.random.default_rng(6)
    matrix = nbmf.BinaryMatrix.from_array(rng.integers(0, 2, (50, 4)), None, ["w", "x", "y", "z"])
    model = nbmf.LogisticFactorVB(2)
    model.W_, model.H_ = (
        np.c_[rng.normal(-2, 0.2, 50), rng.normal(0, 1, 50)],
        np.array([[4.0, 3, 2, 1], [1, -1, 1, -1]]),
    )
    result = ReportedFit("drawn", matrix, model, components_of(model), None, 0.0)
    entry = component_entry(1, result)
    mean = model.W_[:, 0].mean()
    assert entry.lines[0] == (
        "most",
        ", ".join(f"{name} {mean * h:.1f}" for name, h in zip("zyxw", (1, 2, 3, 4), strict=True)),
    )
    assert [label for label, _ in entry.lines] == ["most", "least"]


def test_a_component_that_is_as_all_of_the_data_names_no_column():
    rng = np.random.default_rng(7)
    means = rng.uniform(0.2, 0.8, COLUMNS)
    apart = np.where(np.arange(COLUMNS) % 2, 0.9, 0.1)
    W = np.zeros((ROWS, 3))
    W[:80, 0], W[80:100, 1], W[100:, 2] = 1, 1, 1
    matrix, model = drawn(W, np.vstack([means, apart, 1 - apart]))
    model.H_[0] = (matrix.codes == 1).mean(axis=0) + 0.04
    result = result_of(matrix, model)
    (said,) = (text for label, text in component_entry(0, result).lines if label == "columns")
    assert said == "as common as in all of the data, to within 4%"
    model.H_[0, 0] += 0.1  # in a single column
    assert [label for label, _ in component_entry(0, result_of(matrix, model)).lines][1:] == ["columns +", "columns -"]
    assert [label for label, _ in component_entry(1, result).lines] == ["rows", "columns +", "columns -"]
