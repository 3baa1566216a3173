"""Columns recommended to rows old and new, against all entries sorted by hand."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.inference.recommending import best

RNG = np.random.default_rng(4)
V = (RNG.random((24, 17)) < 0.35).astype(np.int8)
V[RNG.random(V.shape) < 0.2] = -1
V[3] = 1  # nothing is left
F, N = V.shape
PLACES = np.nonzero(V)
SPARSE = scipy.sparse.csr_array((np.where(V[PLACES] < 0, np.nan, 1.0), PLACES), V.shape)
METHODS = {
    "vb": nbmf.BernoulliPoissonVB(3, scales="both", max_iter=40, relative_gain_tol=0, random_state=0),
    "gibbs": nbmf.BernoulliPoissonGibbs(3, burn_in=10, n_samples=12, random_state=0),
    "dense": nbmf.BinaryICA(3, max_iter=20, mean_change_tol=0, random_state=0),
}


def by_hand(mean, known, n):
    """Columns of each row, the largest mean first, -1 where none is left."""
    found = np.full((len(mean), n), -1)
    for row, (values, is_known) in enumerate(zip(mean, known, strict=True)):
        left = sorted((column for column in range(N) if not is_known[column]), key=lambda c: -values[c])[:n]
        found[row, : len(left)] = left
    return found


def known_of(values, exclude):
    return values == 1 if exclude == "ones" else values >= 0


def check(found, mean, known, n):
    expected = by_hand(mean, known, n)
    np.testing.assert_array_equal(found.columns, expected)
    numbers = np.where(expected < 0, np.nan, np.take_along_axis(mean, np.maximum(expected, 0), axis=1))
    np.testing.assert_allclose(found.expectation, numbers, rtol=1e-5)


@pytest.fixture(params=[1, 40, 2**22], ids=["a row at a time", "two rows", "all rows"])
def blocks(request, monkeypatch):
    monkeypatch.setattr("nbmf.inference.blocks.NUMBERS_AT_ONCE", request.param)


@pytest.mark.usefixtures("blocks")
@pytest.mark.parametrize("kind", [nbmf.BinaryMatrix, nbmf.SparseBinaryMatrix])
def test_rows_of_a_network_are_not_recommended_to_themselves(kind):
    """Its diagonal is missing: there are no links of a node to itself, which are most probable in a block."""
    names = [f"p{n}" for n in range(N)]
    network = kind.from_array(V[:N], names, names).without_diagonal()
    model = METHODS["vb"].fit(network)
    codes, itself, rows = np.where(np.eye(N) == 1, -1, V[:N]), np.eye(N) == 1, np.arange(N)[::-1]
    mean = model.expectation_[rows]
    check(model.recommend(rows, 4, known=network), mean, ((codes == 1) | itself)[rows], 4)
    check(model.recommend(rows, 4), mean, itself[rows], 4)
    check(model.recommend(rows, 4, known=network, itself=True), mean, (codes == 1)[rows], 4)
    assert (model.recommend(rows, N, known=network).columns != rows[:, None]).all()
    unnamed = METHODS["vb"].fit(V)
    check(unnamed.recommend(rows, 4, itself=False), unnamed.expectation_[rows], itself[rows], 4)
    check(unnamed.recommend(rows, 4), unnamed.expectation_[rows], np.zeros((N, N), bool), 4)


@pytest.mark.usefixtures("blocks")
def test_a_tie_without_a_direction_has_one_mean_whichever_of_its_nodes_asks():
    names = [f"p{n}" for n in range(N)]
    codes = np.triu(V[:N], 1) + np.triu(V[:N], 1).T
    network = nbmf.BinaryMatrix.from_array(codes, names, names)
    model, rows = METHODS["dense"].fit(network), np.arange(N)[::-1]
    mean = (model.expectation_ + model.expectation_.T) / 2
    assert np.abs(model.expectation_ - mean).max() > 0.05
    check(model.recommend(rows, 4, known=network), mean[rows], ((codes == 1) | np.eye(N, dtype=bool))[rows], 4)
    directed = nbmf.BinaryMatrix.from_array(V[:N], names, names)
    known = ((V[:N] == 1) | np.eye(N, dtype=bool))[rows]
    check(model.recommend(rows, 4, known=directed), model.expectation_[rows], known, 4)


@pytest.mark.parametrize("name", ["BernoulliPoissonVB", "BernoulliPoissonGibbs"])
def test_a_tie_has_one_mean_where_the_network_was_fitted_as_a_sparse_matrix(name):
    """Such a fit keeps no E[V], and a sampler's has single precision: recommendations were those of one direction."""
    upper = np.triu(np.random.default_rng(3).random((14, 14)) < 0.3, k=1)
    network = nbmf.BinaryMatrix.from_array((upper | upper.T).astype(int))
    lengths = {"burn_in": 5, "n_samples": 5} if name.endswith("Gibbs") else {"max_iter": 20}
    model = getattr(nbmf, name)(2, random_state=0, **lengths).fit(scipy.sparse.csr_array((upper | upper.T).astype(int)))
    assert not model.has_expectation
    found = model.recommend(np.arange(14), 14, known=network, itself=True)
    mean = np.where(network.codes == 1, np.nan, (model.expectation_ + model.expectation_.T) / 2)
    places = found.columns >= 0
    expected = np.take_along_axis(mean, found.columns, axis=1)
    np.testing.assert_allclose(found.expectation[places], expected[places], rtol=1e-5)
    assert np.count_nonzero(places) == np.count_nonzero(network.codes == 0)


@pytest.mark.usefixtures("blocks")
def test_rows_are_not_recommended_to_themselves_where_not_all_names_are_on_both_sides():
    """Of rows p0, p1, ... and columns p2, p3, ..., the row at place n is the column at n - 2."""
    names = [f"p{n}" for n in range(N + 2)]
    model = METHODS["vb"].fit(nbmf.BinaryMatrix.from_array(V[:N], names[:N], names[2:]))
    rows, own = np.arange(N), np.eye(N, k=-2) == 1
    check(model.recommend(rows, 4), model.expectation_, own, 4)
    check(model.recommend(rows, 4, itself=True), model.expectation_, np.zeros((N, N), bool), 4)
    new = nbmf.BinaryMatrix.from_array(V[2:4], names[2:4], names[2:])
    assert not (model.recommend(new, N).columns == np.array([[0], [1]])).any()
    numbers = [str(n) for n in range(N + 2)]  # which may be ids of two kinds of things
    model = METHODS["vb"].fit(nbmf.BinaryMatrix.from_array(V[:N], numbers[:N], numbers[2:]))
    check(model.recommend(rows, 4), model.expectation_, np.zeros((N, N), bool), 4)


@pytest.mark.parametrize("exclude", ["ones", "observed"])
@pytest.mark.parametrize("n", [1, 5, 17, 20])
@pytest.mark.parametrize(("name", "given"), [("vb", SPARSE), ("vb", V), ("gibbs", SPARSE), ("dense", V)])
@pytest.mark.usefixtures("blocks")
def test_rows_of_the_fit_have_what_is_most_probable(name, given, n, exclude):
    model = METHODS[name].fit(given)
    rows = np.array([5, 3, 0, 23, 5])
    found = model.recommend(rows, n, known=given, exclude=exclude)
    check(found, model.expectation_[rows], known_of(V, exclude)[rows], n)
    everything = model.recommend(rows, n)
    check(everything, model.expectation_[rows], np.zeros((5, N), bool), n)


@pytest.mark.parametrize("exclude", ["ones", "observed"])
@pytest.mark.parametrize(("name", "given"), [("vb", SPARSE), ("gibbs", SPARSE), ("dense", V)])
@pytest.mark.usefixtures("blocks")
def test_new_rows_have_what_fold_in_says(name, given, exclude):
    model = METHODS[name].fit(given)
    new = np.where(RNG.random((6, N)) < 0.3, 1, 0).astype(np.int8)
    new[2, :5] = -1
    found = model.recommend(new, 4, exclude=exclude)
    check(found, model.predict_rows(new), known_of(new, exclude), 4)
    if name != "dense":
        places = np.nonzero(new)
        sparse = scipy.sparse.csr_array((np.where(new[places] < 0, np.nan, 1.0), places), new.shape)
        np.testing.assert_array_equal(model.recommend(sparse, 4, exclude=exclude).columns, found.columns)


def test_new_rows_may_be_lists():
    model = METHODS["dense"].fit(V)
    names = [f"new {f}" for f in range(3)]
    np.testing.assert_array_equal(
        model.recommend(V[:3].tolist(), 4, names=names).columns, model.recommend(V[:3], 4, names=names).columns
    )
    np.testing.assert_array_equal(model.recommend([2, 0], 4).columns, model.recommend(np.array([2, 0]), 4).columns)


def test_counts_above_zero_are_known():
    counts = np.random.default_rng(0).poisson(0.7, (12, 9))
    model = nbmf.PoissonGammaVB(2, max_iter=20, relative_gain_tol=0, random_state=0).fit(counts)
    found = model.recommend(np.arange(12), 3, known=counts)
    left = (counts == 0).sum(axis=1)
    np.testing.assert_array_equal((found.columns >= 0).sum(axis=1), np.minimum(left, 3))
    rows, places = np.nonzero(found.columns >= 0)
    assert not counts[rows, found.columns[rows, places]].any()


def test_equal_means_come_in_the_order_of_columns():
    found = best(np.array([[0.5, 0.7, 0.5, 0.7, 0.1]]), np.zeros((1, 5), bool), 4)
    np.testing.assert_array_equal(found.columns, [[1, 3, 0, 2]])


def test_no_rows_have_no_recommendations():
    model = METHODS["vb"].fit(SPARSE)
    for nothing in (np.empty(0, int), []):
        assert model.recommend(nothing, 3).columns.shape == (0, 3)


@pytest.mark.parametrize(
    ("rows", "given", "error", "message"),
    [
        ([0, 24], {}, DataError, "row 24: must be 0 to 23"),
        ([-1], {}, DataError, "row -1: must be 0 to 23"),
        ([0.5], {}, DataError, "rows: must be integers"),
        ([0], {"n": 0}, ConfigError, "n = 0"),
        ([0], {"exclude": "zeros"}, ConfigError, "exclude = 'zeros': must be ones or observed"),
        ([0], {"known": V[:5]}, DataError, r"known has shape \(5, 17\): must be \(24, 17\)"),
        (V[:2], {"known": V}, DataError, "known: new rows say themselves"),
        (V[:, :9], {}, DataError, "expecting 17 features"),
        ([[0, 1], [1]], {}, DataError, "rows of a matrix have the same length"),
    ],
)
def test_what_is_not_allowed_is_named(rows, given, error, message):
    with pytest.raises(error, match=message):
        METHODS["vb"].fit(SPARSE).recommend(rows, **given)


def swapped(names, is_swapped):
    return [names[1], names[0], *names[2:]] if is_swapped else names


@pytest.mark.parametrize(("axis", "message"), [(0, "row 0 .* of known is 'r1'.* it is 'r0'"), (1, "column 0 .*'c1'")])
def test_what_is_known_has_the_names_of_the_fit(axis, message):
    frame = pd.DataFrame(V, [f"r{f}" for f in range(len(V))], [f"c{n}" for n in range(V.shape[1])])
    model = METHODS["dense"].fit(frame)
    np.testing.assert_array_equal(model.recommend([0], known=frame).columns, model.recommend([0], known=V).columns)
    with pytest.raises(DataError, match=message):
        model.recommend([0], known=pd.DataFrame(V, *(swapped(n, axis == i) for i, n in enumerate(frame.axes))))


# --- Groups of rows ----------------------------------------------------------------------------


def in_groups():
    """Return a matrix whose rows are of two groups that differ, new rows of them, and a fit that knows the groups."""
    groups = np.array(["left", "right"])[np.arange(40) % 2]
    p = np.where((np.arange(40) % 2)[:, None] == np.arange(9) % 2, 0.9, 0.1)
    codes = (np.random.default_rng(0).random(p.shape) < p).astype(int)
    matrix = nbmf.BinaryMatrix.from_array(codes, row_groups=groups)
    model = nbmf.LogisticFactorVB(1, effects="both", row_groups="matrix", random_state=0, max_iter=50).fit(matrix)
    new = np.full((4, 9), -1)
    new[:, 0] = 1
    return matrix, np.array(["left", "right", "left", "right"]), new, model


def test_new_rows_of_a_group_are_recommended_what_it_has():
    matrix, groups, new, model = in_groups()
    named = nbmf.BinaryMatrix.from_array(matrix.codes[:4], row_groups=groups)
    for rows, given in ((new, groups), (named, None)):
        found = model.recommend(rows, 9, groups=given, exclude="observed" if given is not None else "ones")
        expected = model.predict_rows(rows, given) if given is not None else model.predict_rows(rows)
        for f in range(4):
            kept = found.columns[f] >= 0
            np.testing.assert_allclose(found.expectation[f][kept], expected[f, found.columns[f][kept]], rtol=1e-12)
    assert not np.allclose(model.recommend(new, 2, groups=groups).expectation, model.recommend(new, 2).expectation)


def test_a_mixture_knows_the_groups_of_its_members():
    matrix, groups, new, member = in_groups()
    other = nbmf.LogisticFactorVB(2, random_state=0, max_iter=50).fit(matrix)
    stack = nbmf.Stacking.of({"grouped": member, "other": other}, np.array([0.25, 0.75]), matrix)
    codes = np.where(new == -1, 0, new)
    named = nbmf.BinaryMatrix.from_array(codes, row_groups=groups)
    expected = 0.25 * member.predict_rows(codes, groups) + 0.75 * other.predict_rows(codes)
    np.testing.assert_allclose(stack.predict_rows(named), expected, rtol=1e-12)
    found = stack.recommend(codes, 2, groups=groups)
    np.testing.assert_allclose(found.expectation[1], np.sort(np.where(codes[1] > 0, 0, expected[1]))[::-1][:2])


def test_groups_that_a_model_does_not_have_are_refused():
    _, groups, new, model = in_groups()
    plain = nbmf.LogisticFactorVB(1, random_state=0, max_iter=5).fit(np.where(new == -1, 0, new))
    with pytest.raises(DataError, match="fitted without groups of rows"):
        plain.recommend(new, groups=groups)
    with pytest.raises(DataError, match="those of rows of the fit are known"):
        model.recommend(np.arange(2), groups=groups[:2])
    with pytest.raises(DataError, match="3 labels of 4 rows"):
        model.recommend(new, groups=groups[:3])
