"""Rows and columns of a fit to be looked up: what is told of each, and which are near."""

import numpy as np
import pytest
import scipy.sparse

import nbmf
from nbmf.posterior.components import components_of
from nbmf.posterior.draws import posterior_draws
from nbmf.reporting.fit_result import ReportedFit, credible_intervals
from nbmf.reporting.lookup_context import lookup_context
from nbmf.reporting.lookups import make_lookups
from nbmf.reporting.wording import Wording


def result_of(model, V, draws=None, **more):
    return ReportedFit(
        name="data",
        matrix=V,
        model=model,
        components=components_of(model, V),
        expectation=model.expectation_ if model.has_expectation else None,
        seconds=0.0,
        draws=draws,
        intervals=credible_intervals(draws, 0.9),
        **more,
    )


@pytest.fixture(scope="module")
def two_groups():
    rng = np.random.default_rng(0)
    kind = np.arange(40) % 2
    p = np.where(kind[:, None] == np.arange(12) % 2, 0.9, 0.1)
    rows = [f"r{i}" for i in range(40)]
    values = (rng.random(p.shape) < p).astype(int)
    return nbmf.BinaryMatrix.from_array(values, rows, [f"c{i}" for i in range(12)], np.where(kind, "b", "a"))


@pytest.fixture(scope="module")
def groups(two_groups):
    return nbmf.BetaDirVB(2, max_iter=100, random_state=0).fit(two_groups)


def test_a_row_has_the_memberships_of_the_report_and_its_like_are_near(two_groups, groups):
    result = result_of(groups, two_groups)
    rows, columns = make_lookups(result, Wording({}))
    assert (rows.noun, columns.noun) == ("row", "column")
    assert rows.groups.tolist() == two_groups.row_groups.tolist()
    assert columns.groups is None
    for k, measure in enumerate(rows.measures):
        assert measure.name == f"component {k + 1}"
        assert measure.is_share
        assert measure.values == pytest.approx(result.components.model.W_[:, k])
    kind = np.arange(40) % 2
    assert (kind[rows.nearest] == kind[:, None]).mean() > 0.95
    assert (columns.nearest % 2 == np.arange(12)[:, None] % 2).all()
    assert rows.sentences[0] == (
        "Where a row is: shares of components (W), for each component; 90% intervals come with "
        "method = 'beta-dir-gs', n_components = 2 and n_draws = 200."
    )
    assert "their predicted probabilities, its root mean square over all columns" in rows.sentences[1]
    assert "rise and fall together: by their correlation over all rows" in columns.sentences[1]


def test_draws_give_intervals_around_memberships(two_groups):
    model = nbmf.BetaDirGibbs(2, n_samples=100, burn_in=50, random_state=0)
    result = result_of(model, two_groups, posterior_draws(model, two_groups, n_draws=50))
    rows, columns = make_lookups(result, Wording({}))
    for lookup in (rows, columns):
        for measure in lookup.measures:
            assert (measure.lower <= measure.upper).all()
            assert np.mean((measure.lower <= measure.values) & (measure.values <= measure.upper)) > 0.9
        assert "with 90% intervals from draws" in lookup.sentences[0]


def test_a_row_has_the_position_of_the_scale_and_a_column_its_parameters(two_groups):
    model = nbmf.LogisticFactorVB(3, effects="columns", max_iter=100, random_state=0).fit(two_groups)
    result = result_of(model, two_groups)
    rows, columns = make_lookups(result, Wording({}))
    (axis,) = rows.measures
    scale = result.scale
    assert axis.name == "axis 1"
    assert axis.values.tolist() == scale.positions[:, 0].tolist()
    assert axis.lower.tolist() == scale.lower[:, 0].tolist()
    assert not rows.components
    assert [measure.name for measure in columns.measures] == [
        "discrimination",
        "ones at the low end",
        "ones at the high end",
        "difficulty",
    ]
    assert columns.measures[2].values.tolist() == scale.high[:, 0].tolist()
    table = lookup_context(rows)
    assert table["rows"][0][2] == f"{axis.values[0]:.2f} [{axis.lower[0]:.2f}, {axis.upper[0]:.2f}]"


def test_draws_of_a_scale_give_intervals_of_a_columns_parameters(two_groups):
    model = nbmf.LogisticFactorGibbs(1, effects="columns", n_samples=60, burn_in=60, random_state=0)
    result = result_of(model, two_groups, posterior_draws(model, two_groups, n_draws=60))
    _, columns = make_lookups(result, Wording({}))
    slope, _, _, difficulty = columns.measures
    for measure, ends in ((slope, result.scale.discrimination_ends[:, 0]), (difficulty, result.scale.difficulty_ends)):
        np.testing.assert_array_equal(measure.lower, ends[:, 0])
        np.testing.assert_array_equal(measure.upper, ends[:, 1])
        assert (measure.lower < measure.upper).all()


def test_of_an_undirected_network_each_is_there_once():
    rng = np.random.default_rng(0)
    p = np.where(np.arange(20)[:, None] % 2 == np.arange(20) % 2, 0.7, 0.05)
    upper = np.triu(rng.random(p.shape) < p, 1)
    names = [f"n{i}" for i in range(20)]
    V = nbmf.BinaryMatrix.from_array((upper | upper.T).astype(int), names, names)
    (both,) = make_lookups(result_of(nbmf.BetaDirVB(2, max_iter=50, random_state=0).fit(V), V), Wording({}))
    assert both.noun == "row"
    learned = nbmf.BetaDirVB(2, max_iter=50, orientation="columns", random_state=0).fit(V)
    (both,) = make_lookups(result_of(learned, V), Wording({}))
    assert both.noun == "column"  # of which the fit has memberships
    directed = nbmf.BinaryMatrix.from_array(upper.astype(int) + np.eye(20, dtype=int), names, names)
    assert (
        len(
            [
                *make_lookups(
                    result_of(nbmf.BetaDirVB(2, max_iter=50, random_state=0).fit(directed), directed), Wording({})
                )
            ]
        )
        == 2
    )


def test_of_a_large_sparse_matrix_nearness_is_that_of_rates(two_groups):
    sparse = nbmf.SparseBinaryMatrix.from_sparse(scipy.sparse.csr_array((two_groups.codes == 1).astype(float)))
    model = nbmf.BernoulliPoissonVB(2, max_iter=100, random_state=0).fit(sparse)
    rows, columns = make_lookups(
        ReportedFit("data", sparse, model, components_of(model, sparse), None, 0.0), Wording({})
    )
    assert "rates W H" in rows.sentences[1]
    kind = np.arange(40) % 2
    assert (kind[rows.nearest] == kind[:, None]).mean() > 0.9
    assert (columns.nearest % 2 == np.arange(12)[:, None] % 2).mean() > 0.9
