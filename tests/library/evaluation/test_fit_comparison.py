"""Two fits side by side: components, rows and predictions against what is known of them."""

import copy

import numpy as np
import pytest
from scipy import stats

import nbmf
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError
from nbmf.evaluation import fit_comparison
from nbmf.evaluation.described_fit import FitDescription
from nbmf.evaluation.fit_comparison import Fit, compare_fits
from nbmf.evaluation.held_out import EntryMeasure, HeldOutLosses
from nbmf.evaluation.linked_positions import rescale_positions
from nbmf.posterior.components import components_of
from nbmf.posterior.groups import main_components_of
from nbmf.reporting.fit_comparison_report import fit_comparison_report
from nbmf.reporting.text import render

F, N, K = 60, 24, 3


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    W = np.eye(K)[np.arange(F) % K] * 0.9 + 0.1 / K
    H = np.where(np.arange(N) % K == np.arange(K)[:, None], 0.95, 0.05)
    codes = (rng.random((F, N)) < W @ H).astype(int)
    return BinaryMatrix(codes, [f"r{f}" for f in range(F)], [f"c{n}" for n in range(N)])


V = drawn()


def fitted(matrix=V, **settings):
    return nbmf.BetaDirVB(**{"n_components": K, "random_state": 0, "max_iter": 100} | settings).fit(matrix)


def reordered(model, order):
    other = copy.copy(model)
    other.W_, other.H_ = model.W_[:, order], model.H_[order]
    return other


def test_a_fit_and_itself_with_rows_columns_and_components_in_other_orders():
    model, rows, columns = fitted(), np.arange(F)[::-1], np.roll(np.arange(N), 5)
    other = copy.copy(model)
    other.W_, other.H_ = model.W_[rows], model.H_[:, columns]
    turned = BinaryMatrix(V.codes[np.ix_(rows, columns)], V.row_names[rows], V.column_names[columns])
    found = compare_fits(Fit(model, V), Fit(reordered(other, [2, 0, 1]), turned), predict=False)
    np.testing.assert_allclose(found.matched[["rows", "columns"]], 1)
    assert not found.rows["moved"].any()
    assert found.rows["row"].tolist() == V.row_names.tolist()
    assert (found.rows["first"] == found.rows["as in first"]).all()
    assert (found.only, found.differing) == ((0, 0, 0, 0), 0)


def test_rows_that_change_their_component_moved():
    model = fitted()
    other = copy.copy(model)
    other.W_ = model.W_.copy()
    other.W_[:4] = np.roll(model.W_[:4], 1, axis=1)
    found = compare_fits(Fit(model, V), Fit(other, V), predict=False)
    assert found.rows["row"][found.rows["moved"]].tolist() == ["r0", "r1", "r2", "r3"]


def test_components_without_a_partner_and_names():
    found = compare_fits(Fit(fitted(), V, ["left", "right"]), Fit(fitted(n_components=2), V), predict=False)
    assert set(found.matched["first"]) == {"left", "right", "component 3"}
    assert (found.matched["second"] == "").sum() == 1
    alone = found.matched["first"][found.matched["second"] == ""].item()
    assert found.rows["moved"][found.rows["first"] == alone].all()


def test_other_rows_with_the_same_columns():
    """Components are matched by columns alone; nobody can have moved."""
    others = BinaryMatrix(drawn(1).codes, [f"new {f}" for f in range(F)], V.column_names)
    found = compare_fits(Fit(fitted(), V), Fit(fitted(others), others))
    assert np.isnan(found.matched["rows"]).all()
    assert (found.matched["columns"] > 0.9).all()
    assert found.only == (F, F, 0, 0)
    assert found.prediction is None
    assert "only 0 observed entries are the same in both" in found.not_predicted
    apart = BinaryMatrix(V.codes, others.row_names, [f"x{n}" for n in range(N)])
    with pytest.raises(DataError, match="have 0 rows and 0 columns in common; needed are 3"):
        compare_fits(Fit(fitted(), V), Fit(fitted(apart), apart))


def test_the_better_method_is_found_on_the_same_entries():
    good, bad = Fit(fitted(), V), Fit(fitted(n_components=1), V)
    found = compare_fits(good, bad).prediction
    assert found.lead > 0
    assert found.p < 0.001
    assert found.lead == pytest.approx(found.second - found.first)
    assert found.entries == F * N
    turned = compare_fits(bad, good).prediction
    assert turned.lead == pytest.approx(-found.lead)
    same = compare_fits(good, good).prediction
    assert (same.lead, same.p) == (0, 1)


def test_the_probability_of_a_difference_is_that_of_either_sign(monkeypatch):
    """By hand, of rows that differ as wholes: a mean of five and its standard error, with 5 - 1 degrees of freedom."""
    leads = np.array([0.5, 0.3, -0.1, 0.2, 0.1])
    ours = np.full((5, 5), 0.4)
    theirs = ours + leads[:, None]
    held_out = HeldOutLosses([ours, theirs], {}, 25, 10, 25, EntryMeasure(), V.codes)
    monkeypatch.setattr(fit_comparison, "held_out_losses", lambda *_: held_out)
    fit, places = Fit(nbmf.BetaDirVB(2), V), [(np.arange(F),) * 2, (np.arange(N),) * 2]
    found, _ = fit_comparison._compare_predictions((fit, fit), V.codes, places, 0, None)
    assert (found.lead, found.error) == pytest.approx((0.2, leads.std(ddof=1) / np.sqrt(5)), rel=1e-12)
    two_sided = stats.ttest_1samp(leads, 0.0).pvalue
    assert found.p == pytest.approx(two_sided, rel=1e-9)
    held_out.losses.reverse()
    turned, _ = fit_comparison._compare_predictions((fit, fit), V.codes, places, 0, None)
    assert (turned.lead, turned.p) == pytest.approx((-0.2, two_sided), rel=1e-9)


def test_values_that_differ_are_reported_and_left_out():
    codes = V.codes.copy()
    codes[0, :5] = 1 - codes[0, :5]
    other = BinaryMatrix(codes, V.row_names, V.column_names)
    found = compare_fits(Fit(fitted(), V), Fit(fitted(other), other))
    assert found.differing == 5
    assert found.prediction.entries == F * N - 5


def test_where_only_equal_values_are_left_nothing_is_predicted():
    """Of two years in which the same people said no, and different ones yes; it ended in an error."""
    codes = np.where((V.codes == 0) & (np.arange(N) % 2 == 0), 0, 1 - V.codes)
    other = BinaryMatrix(codes, V.row_names, V.column_names)
    found = compare_fits(Fit(fitted(), V), Fit(fitted(other), other))
    same = np.count_nonzero(codes == V.codes)
    assert 20 < same == F * N - found.differing
    assert found.not_predicted == f"all {same} entries that are the same in both have one value"


def test_scales_are_matched_up_to_their_direction():
    rng = np.random.default_rng(3)
    codes = (rng.random((F, N)) < 1 / (1 + np.exp(-np.outer(rng.normal(size=F), rng.normal(1, 1, N))))).astype(int)
    matrix = BinaryMatrix(codes, V.row_names, V.column_names)
    model = nbmf.LogisticFactorVB(n_components=1, effects="columns", random_state=0).fit(matrix)
    turned = BinaryMatrix(1 - codes, V.row_names, V.column_names)  # of which the other end is called high
    other = nbmf.LogisticFactorVB(n_components=1, effects="columns", random_state=0).fit(turned)
    found = compare_fits(Fit(model, matrix), Fit(other, turned), predict=False)
    assert found.matched["rows"].abs().item() > 0.99
    np.testing.assert_allclose(found.rows["first"], found.rows["second"], atol=0.1)
    assert not found.rows["moved"].any()
    far = copy.copy(other)
    far.W_ = other.W_.copy()
    place = int(found.rows["first"].argmax())
    far.W_[place] *= -1
    moved = compare_fits(Fit(model, matrix), Fit(far, turned), predict=False).rows
    assert moved["row"][moved["moved"]].tolist() == [f"r{place}"]
    mixed = compare_fits(Fit(model, matrix), Fit(fitted(matrix), matrix), predict=False)
    assert mixed.rows is None
    assert mixed.how_moved.startswith("one shows groups and the other a scale")


def test_axes_without_intervals_are_matched_up_to_their_signs():
    model = nbmf.LogisticPCA(n_components=2, random_state=0, max_iter=100).fit(V)
    turned = copy.copy(model)
    turned.W_, turned.H_ = -model.W_, -model.H_
    found = compare_fits(Fit(model, V), Fit(turned, V), predict=False)
    np.testing.assert_allclose(found.matched[["rows", "columns"]], -1)
    assert found.rows is None
    assert found.how_moved == "positions have no intervals, so that no row can be said to have moved"
    assert found.how_moved in render(fit_comparison_report(found, ("a", "b")))


def test_weights_that_are_no_shares_are_told_as_weights():
    counts = nbmf.CountMatrix(V.codes, V.row_names, V.column_names)
    model = nbmf.PoissonGammaVB(n_components=K, random_state=0, max_iter=100).fit(counts)
    larger = copy.copy(model)
    larger.W_, larger.H_ = model.W_ * 100, model.H_ / 100
    larger.W_[:2] = np.roll(larger.W_[:2], 1, axis=1)
    found = compare_fits(Fit(model, counts), Fit(larger, counts), predict=False)
    assert found.rows["row"][found.rows["moved"]].tolist() == ["r0", "r1"]
    main = main_components_of(components_of(larger, counts).model)
    np.testing.assert_allclose(found.rows["weight in second"], larger.W_[np.arange(F), order_of(larger, counts)[main]])
    assert "%" not in render(fit_comparison_report(found, ("a", "b")))


def order_of(model, matrix):
    """Return the places of components in W_, in the order of the report."""
    return np.concatenate(components_of(model, matrix).members)


def test_the_axis_that_both_fits_have_is_named_where_they_have_not_as_many():
    names, rng = np.array(["r0", "r1", "r2", "r3"]), np.random.default_rng(0)
    row_values, column_values = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    two = FitDescription(
        ["axis 1", "axis 2"], row_values, column_values, names, np.arange(5), row_values - 0.1, row_values + 0.1
    )
    second = [each[:, 1:] for each in (row_values, column_values)]
    one = FitDescription(["axis 1"], *second, names, np.arange(5), second[0] - 0.1, second[0] + 0.1)
    pairs, _ = fit_comparison._match_components(two, one)
    assert pairs == [(1, 0, 1.0)]
    rows, how = fit_comparison._compare_rows(two, one, pairs)
    assert how == "intervals on axis 2 and axis 1 that do not overlap"
    np.testing.assert_array_equal(rows["first"], rows["second"])


def test_a_row_moved_if_it_did_on_any_axis():
    names, rng = np.array(["r0", "r1", "r2", "r3"]), np.random.default_rng(0)
    row_values, column_values = rng.normal(size=(4, 2)), rng.normal(size=(5, 2))
    axes = ["anxiety", "extraversion"]
    first = FitDescription(axes, row_values, column_values, names, np.arange(5), row_values - 0.1, row_values + 0.1)
    moved = row_values.copy()
    moved[2, 1] += 0.5
    second = FitDescription(axes, moved, column_values, names, np.arange(5), moved - 0.1, moved + 0.1)
    rows, how = fit_comparison._compare_rows(first, second, [(1, 1, 1.0), (0, 0, 1.0)])
    assert rows["moved"].tolist() == [False, False, True, False]
    assert rows.loc[2, ["axis", "second"]].tolist() == ["extraversion", moved[2, 1]]
    np.testing.assert_array_equal(rows["second on extraversion"], moved[:, 1])
    assert how == "intervals on anxiety or extraversion that do not overlap"


# --- Settings of single rows and columns -----------------------------------------------------------


def in_orders(matrix, rows, columns, groups=None):
    return BinaryMatrix(
        matrix.codes[np.ix_(rows, columns)],
        matrix.row_names[rows],
        matrix.column_names[columns],
        None if groups is None else groups[rows],
    )


@pytest.mark.parametrize("given", ["matrix", "labels"])
def test_groups_of_rows_go_with_them(given):
    """The same fit of the same rows in another order, and of part of them, predicts the same entries as well."""
    groups = np.array(["x", "y", "z"])[np.arange(F) % 3]
    rows, columns = np.arange(F)[::-1], np.arange(N)
    matrices = in_orders(V, np.arange(F), columns, groups), in_orders(V, rows, columns, groups)
    labels = [each.row_groups.tolist() if given == "labels" else "matrix" for each in matrices]
    fits = [
        Fit(nbmf.LogisticFactorVB(1, effects="both", max_iter=20, random_state=0, row_groups=of).fit(each), each)
        for of, each in zip(labels, matrices, strict=True)
    ]
    found = compare_fits(*fits).prediction
    assert found.lead == pytest.approx(0, abs=1e-12)
    part = in_orders(V, np.arange(30), columns, groups)
    of = part.row_groups.tolist() if given == "labels" else "matrix"
    fewer = Fit(nbmf.LogisticFactorVB(1, effects="both", max_iter=20, random_state=0, row_groups=of).fit(part), part)
    assert compare_fits(fits[0], fewer).prediction.lead == pytest.approx(0, abs=1e-12)


def test_periods_of_columns_go_with_them():
    periods, columns = np.arange(N) // 8, np.arange(N)[::-1]
    settings = {"n_components": 1, "burn_in": 10, "n_samples": 10, "random_state": 0}
    back = in_orders(V, np.arange(F), columns)
    fits = [
        Fit(nbmf.DynamicFactorGibbs(periods=of.tolist(), **settings).fit(matrix), matrix)
        for of, matrix in ((periods, V), (periods[columns], back))
    ]
    assert compare_fits(*fits).prediction.lead == 0


def test_a_scale_of_other_rows_as_well_is_put_in_the_units_of_the_first():
    """Where 0 and 1 are depends on all rows of a fit: without the line no row of the same place would overlap."""
    names, rng = np.array([f"r{f}" for f in range(20)]), np.random.default_rng(0)
    place, column_values = rng.normal(size=(20, 1)), rng.normal(size=(5, 1))
    here = FitDescription(["axis 1"], place, column_values, names, np.arange(5), place - 0.1, place + 0.1)
    far = (place - 1.5) / 1.8
    there = FitDescription(["axis 1"], -far, column_values, names, np.arange(5), -far - 0.05, -far + 0.05)
    pairs, _ = fit_comparison._match_components(here, there)
    rows, _ = fit_comparison._compare_rows(here, there, pairs)
    np.testing.assert_allclose(rows["second"], rows["first"], atol=1e-9)
    assert not rows["moved"].any()
    gone = there.row_values.copy()
    gone[4] += 1.0
    rows, _ = fit_comparison._compare_rows(
        here, there._replace(row_values=gone, lower=gone - 0.05, upper=gone + 0.05), pairs
    )
    assert rows["row"][rows["moved"]].tolist() == ["r4"]
    two = [each.take([0, 1], range(5)) for each in (here, there)]
    rows, _ = fit_comparison._compare_rows(*two, [(0, 0, -1.0)])
    np.testing.assert_allclose(rows["second"], far[:2, 0])


def test_categories_are_the_same_by_their_names():
    ranks = np.random.default_rng(0).integers(0, 3, (6, 4))
    ranks[0, 0], ranks[1, 1] = -1, 2
    lines = [f"r{f}" for f in range(6)], [f"c{n}" for n in range(4)]
    first = nbmf.CategoryMatrix(ranks.astype(np.int8), *lines, categories=["1", "2", "3"])
    more = np.where(ranks >= 0, ranks + 1, -1)
    more[1, 1] = 0  # which the first has no name for
    second = nbmf.CategoryMatrix(more.astype(np.int8), *lines, categories=["0", "1", "2", "3"])
    places = [(np.arange(size), np.arange(size)) for size in (6, 4)]
    shared, differing = fit_comparison._shared_values(first, second, places)
    assert differing == 1
    expected = np.where(ranks < 0, np.nan, ranks)
    expected[1, 1] = np.nan
    np.testing.assert_array_equal(shared, expected)


def test_gaps_of_real_matrices_do_not_differ_and_minus_one_is_a_value():
    values = np.random.default_rng(0).normal(size=(8, 5))
    values[0, :3], values[2] = np.nan, -1.0
    first = RealMatrix.from_array(values)
    values[0, 0], values[1, 1], values[2, 2:4] = 3.0, np.nan, 2.0  # two gaps that only one has, and two entries
    second = RealMatrix.from_array(values)
    fits = [
        Fit(nbmf.GaussianFactorVB(1, max_iter=50, random_state=0).fit(matrix), matrix) for matrix in (first, second)
    ]
    assert compare_fits(*fits).differing == 2
    shared, _ = fit_comparison._shared_values(first, second, [(np.arange(8),) * 2, (np.arange(5),) * 2])
    np.testing.assert_array_equal(shared[2], [-1, -1, np.nan, np.nan, -1])
    assert np.isnan(shared).sum() == 6


def test_counts_of_two_likelihoods_are_predicted_by_each():
    rates = np.exp(np.random.default_rng(0).normal(size=(20, 2)) @ np.random.default_rng(1).normal(size=(2, 12)))
    counts = nbmf.CountMatrix.from_array(np.random.default_rng(2).poisson(rates))
    fits = [
        Fit(model.fit(counts), counts)
        for model in (
            nbmf.PoissonGammaVB(2, max_iter=50, random_state=0),
            nbmf.NegativeBinomialFactorVB(2, max_iter=50, random_state=0),
        )
    ]
    found, turned = compare_fits(*fits).prediction, compare_fits(*fits[::-1]).prediction
    alone = [nbmf.verdict(counts, fit.model).loss for fit in fits]
    np.testing.assert_allclose([found.first, found.second], alone, rtol=1e-9)
    np.testing.assert_allclose([turned.first, turned.second], alone[::-1], rtol=1e-9)


@pytest.mark.parametrize("noise", [(0.1, 1.0), (1.0, 0.1)])
def test_neither_fits_noise_makes_the_others_positions_smaller(noise):
    rng = np.random.default_rng(1)
    place = rng.normal(size=400)
    first, second = (place + scale * rng.normal(size=400) for scale in noise)
    there, back = (list(rescale_positions(*pair)) for pair in ((first, second), (second, first)))
    slope, other = (np.ptp(read[0]) / np.ptp(given) for read, given in ((there, second), (back, first)))
    assert slope * other == pytest.approx(1, rel=1e-9)
    assert slope == pytest.approx(first.std() / second.std(), rel=0.15)
