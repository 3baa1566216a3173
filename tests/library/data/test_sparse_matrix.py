"""Matrices too large for all of their entries: kept and read by their ones, and fitted so."""

import gzip
import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse

import nbmf
from nbmf.data.feature_columns import stored_entries
from nbmf.data.loading import load_matrix
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.sparse_counts import SparseCounts
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.io import coded_matrix


def codes_of(F, N, seed, missing=0.1):
    """Draw codes, a fifth of them ones."""
    rng = np.random.default_rng(seed)
    codes = (rng.random((F, N)) < 0.2).astype(np.int8)
    codes[rng.random((F, N)) < missing] = MISSING
    return codes


CODES = codes_of(7, 5, 0)


@pytest.fixture
def small(monkeypatch):
    """Let matrices of more than ten entries count as large."""
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 10)


def stored_of(codes):
    """Return the codes as scipy.sparse stores them."""
    return scipy.sparse.csr_array(np.where(codes == MISSING, np.nan, codes))


def same(matrix, other):
    """Whether a sparse matrix has the codes and names of another matrix."""
    codes = getattr(other, "codes", None)
    codes = other.toarray() if codes is None else codes
    names = ("row_names", "column_names", "row_groups")
    return np.array_equal(matrix.toarray(), codes) and all(
        np.array_equal(getattr(matrix, name), getattr(other, name)) for name in names
    )


# --- What it is --------------------------------------------------------------------------------


def test_it_says_the_same_as_the_matrix_with_all_entries():
    names = [f"r{f}" for f in range(7)], list("vwxyz")
    groups = list("aabbabb")
    dense = BinaryMatrix(CODES, *names, groups)
    for matrix in (
        SparseBinaryMatrix.from_sparse(stored_of(CODES), *names, groups),
        SparseBinaryMatrix.from_array(CODES, *names, groups),
    ):
        assert same(matrix, dense)
        assert matrix.counts() == dense.counts()
        assert matrix.shape == dense.shape
        assert same(matrix.T, dense.T)
        assert matrix.nnz == np.count_nonzero(CODES)
        assert matrix.n_observed == dense.n_observed == np.count_nonzero(CODES != MISSING)
        for axis in (0, 1):
            observed = (CODES != MISSING).sum(axis=axis)
            assert matrix.observed_along(axis).tolist() == observed.tolist()
            assert dense.observed_along(axis).tolist() == observed.tolist()
            assert matrix.ones_along(axis).tolist() == (CODES == 1).sum(axis=axis).tolist()
        assert matrix.diagonal().tolist() == dense.diagonal().tolist()
        bare = matrix.without_diagonal().toarray()
        np.fill_diagonal(expected := CODES.copy(), MISSING)
        np.testing.assert_array_equal(bare, expected)
    assert same(SparseBinaryMatrix.of(stored_of(CODES)), BinaryMatrix.from_array(CODES))
    assert same(SparseBinaryMatrix.of(CODES), BinaryMatrix.from_array(CODES))
    assert SparseBinaryMatrix.of(matrix) is matrix


@pytest.mark.parametrize(("f", "n"), [(0, 1), (3, 2)])
def test_symmetric_is_what_equals_its_transpose(f, n):
    half = np.triu(codes_of(5, 5, 1, missing=0.2))
    codes = np.maximum(half, half.T) + np.minimum(half, half.T) * (half != half.T)
    matrix = SparseBinaryMatrix.from_array(codes)
    assert np.array_equal(codes, codes.T)
    assert matrix.is_symmetric()
    assert BinaryMatrix.from_array(codes).is_symmetric()
    other = codes.copy()
    other[f, n] = 1 - abs(other[f, n])
    assert not SparseBinaryMatrix.from_array(other).is_symmetric()
    assert not SparseBinaryMatrix.from_array(CODES).is_symmetric()


def test_files_give_it_back(tmp_path):
    matrix = SparseBinaryMatrix.from_sparse(stored_of(CODES), None, None, list("aabbabb"))
    matrix.values  # noqa: B018  # which is kept, and not written
    matrix.save(tmp_path / "m.npz")
    for again in (
        SparseBinaryMatrix.load(tmp_path / "m.npz"),
        load_matrix(tmp_path / "m.npz"),
        nbmf.read(tmp_path / "m.npz", log=[].append),
    ):
        assert type(again) is SparseBinaryMatrix
        assert same(again, matrix)
    assert same(nbmf.read(tmp_path / "m.npz", transpose=True, log=[].append), matrix.T)


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ([[0, 2], [0, 1], [1, 1]], "a row is outside of 0 to 1"),
        ([[0, -1], [0, 1], [1, 1]], "a row is outside of 0 to 1"),
        ([[0, 1], [0, 3], [1, 1]], "a column is outside of 0 to 2"),
        ([[0, 1], [0, 1], [1, 2]], "allowed codes are 1 and -1"),
        ([[1, 0, 1], [2, 0, 2], [1, 1, 1]], "row 1, column 2 .* stored twice"),
        ([[0, 0, 0], [0, 1, 2], [-1, -1, -1]], "row 'a' has no observed entry"),
        ([[0, 1], [0, 0], [-1, -1]], "column 'x' has no observed entry"),
        ([[0.0], [0.0], [1.0]], r"integers \(3, n\) are needed, not float64"),
        ([[0], [0]], r"integers \(3, n\) are needed"),
    ],
)
def test_what_is_no_such_matrix_is_refused(stored, words):
    with pytest.raises(DataError, match=words):
        SparseBinaryMatrix(np.array(stored), ["a", "b"], ["x", "y", "z"])


def test_entries_come_in_any_order():
    matrix = SparseBinaryMatrix(np.array([[1, 0, 1], [2, 1, 0], [1, -1, 1]]), list("ab"), list("xyz"))
    assert matrix.toarray().tolist() == [[0, -1, 0], [1, 0, 1]]
    assert matrix.stored[:2].tolist() == [[0, 1, 1], [1, 0, 2]]


def test_too_many_entries_are_never_made():
    large = scipy.sparse.coo_array(([1.0], ([3], [4])), shape=(10**5, 10**5))
    matrix = SparseBinaryMatrix.from_sparse(large)
    assert matrix.counts()["zeros"] == 10**10 - 1
    for ask in (matrix.toarray, lambda: matrix.observed, lambda: BinaryMatrix.from_sparse(matrix)):
        with pytest.raises(DataError, match=r"\(100000, 100000\) has more than 268435456 entries"):
            ask()
    assert matrix.T.values.above_zero[[4], [3]] == 1


# --- Estimators --------------------------------------------------------------------------------


def test_estimators_take_it_as_what_scipy_stores():
    matrix = SparseBinaryMatrix.from_array(CODES, [f"r{f}" for f in range(7)], list("vwxyz"))
    settings = {"max_iter": 20, "relative_gain_tol": 0, "random_state": 0}
    one = nbmf.BernoulliPoissonVB(2, **settings).fit(matrix)
    other = nbmf.BernoulliPoissonVB(2, **settings).fit(stored_of(CODES))
    np.testing.assert_array_equal(one.W_, other.W_)
    np.testing.assert_array_equal(one.H_, other.H_)
    assert not one.has_expectation
    assert list(one.column_names_) == list("vwxyz")
    np.testing.assert_array_equal(one.transform(matrix), other.transform(stored_of(CODES)))


def test_others_say_who_takes_it():
    matrix = SparseBinaryMatrix.from_array(CODES)
    with pytest.raises(DataError, match=r"not a SparseBinaryMatrix, which nbmf\.Bernoulli"):
        nbmf.BetaDirVB(2).fit(matrix)
    with pytest.raises(DataError, match="a BinaryMatrix is needed, not a SparseBinaryMatrix"):
        BinaryMatrix.of(matrix)
    with pytest.raises(DataError, match="7 x 5 entries are too many for a mask"):
        nbmf.draw_mask(matrix, 0.1, np.random.SeedSequence(0))


# --- Reading -----------------------------------------------------------------------------------


def market(codes, field="integer"):
    """Return a Matrix Market file of the codes."""
    stream = io.BytesIO()
    scipy.io.mmwrite(stream, scipy.sparse.coo_array(codes), field=field)
    return stream.getvalue()


def read(folder, name, data, **options):
    """Write a file and read it; return the matrix and what was said."""
    (folder / name).write_bytes(data)
    said = []
    return nbmf.read(folder / name, log=said.append, **options), "\n".join(said)


def listed(codes, values=True):
    """Return a list of what is not 0, or of the ones."""
    lines = ["who,what,party" + ",value" * values]
    for (f, n), code in np.ndenumerate(codes):
        if code == 1 or (values and code):
            value = f",{'' if code == MISSING else code}" if values else ""
            lines.append(f"r{f},c{n},{'ab'[f % 2]}{value}")
    return "\n".join(lines).encode()


FILES = {
    "m.mtx": (market(CODES), {}),
    "m.mtx.gz": (gzip.compress(market(CODES)), {}),
    "transposed.mtx": (market(CODES), {"transpose": True}),
    "pattern.mtx": (market(CODES == 1, "pattern"), {}),
    "list.csv": (listed(CODES), {"layout": "long", "absent": "zeros", "value": "value"}),
    "ones.csv": (listed(CODES, False), {"layout": "presence", "groups": "party"}),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_read_without_zeros_as_they_are_with(name, tmp_path, monkeypatch):
    data, options = FILES[name]
    dense, said_of_dense = read(tmp_path, name, data, **options)
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 10)
    matrix, said = read(tmp_path, name, data, **options)
    assert type(dense) is BinaryMatrix
    assert type(matrix) is SparseBinaryMatrix
    assert same(matrix, dense)
    assert said.splitlines()[0] == said_of_dense.splitlines()[0]
    ones, missing = dense.counts()["ones"], dense.counts()["missing"]
    assert f": {ones} ones (" in said
    assert f"{missing} missing; zeros are not kept; " in said


def test_scipy_sparse_and_counts_above_a_number(small, tmp_path):
    counts = np.where(CODES == 1, 3 + np.arange(5), CODES)
    counts[0, 0], counts[2, 2] = 1, 17  # nobody rates like that
    scipy.sparse.save_npz(tmp_path / "saved.npz", scipy.sparse.csr_array(counts))
    data = (tmp_path / "saved.npz").read_bytes()
    matrix, said = read(tmp_path, "n.npz", data, above=1)
    assert "values above 1 are ones" in said
    np.testing.assert_array_equal(matrix.toarray(), np.where(counts > 0, counts > 1, counts))
    for options in ({}, {"counts": True}):
        with pytest.raises(DataError, match=r"7 x 5 entries: so large a one .* above = 0 makes"):
            read(tmp_path, "n.npz", data, **options)


def test_what_is_said_twice_counts_once_unless_it_contradicts(small, tmp_path):
    head = b"%%MatrixMarket matrix coordinate integer general\n4 4 4\n"
    matrix, said = read(tmp_path, "m.mtx", head + b"1 2 1\n3 3 1\n1 2 1\n2 2 0\n")
    assert "left out: 1 record that repeat" in said
    assert matrix.stored.tolist() == [[0, 2], [1, 2], [1, 1]]
    with pytest.raises(DataError, match="line 6: the entry is there already with another value, in line 3"):
        read(tmp_path, "m.mtx", head + b"1 2 1\n3 3 1\n3 3 1\n1 2 0\n")
    empty, _ = read(tmp_path, "e.mtx", b"%%MatrixMarket matrix coordinate pattern general\n4 4 0\n")
    assert empty.nnz == 0


def test_lines_without_an_observed_entry_are_left_out(small, tmp_path):
    codes = CODES.copy()
    codes[2], codes[:, 3] = MISSING, MISSING
    matrix, said = read(tmp_path, "m.mtx", market(codes))
    assert "1 row without an observed entry ('row 2')" in said
    assert "1 column without an observed entry ('column 3')" in said
    kept = np.delete(np.delete(codes, 2, 0), 3, 1)
    np.testing.assert_array_equal(matrix.toarray(), kept)
    assert "row 3" in matrix.row_names
    with pytest.raises(DataError, match="none of the 16 entries is observed"):
        read(tmp_path, "n.mtx", market(np.full((4, 4), MISSING)))


def test_too_many_lines_and_whole_matrices_are_refused(small, tmp_path, monkeypatch):
    array = b"%%MatrixMarket matrix array integer general\n4 4\n" + b"1\n" * 16
    with pytest.raises(DataError, match="4 x 4 entries; allowed: at most 10, since all of them"):
        read(tmp_path, "m.mtx", array)
    monkeypatch.setattr(coded_matrix, "MAX_NAMES", 8)
    for name in ("m.mtx", "ones.csv"):
        with pytest.raises(DataError, match="entries; allowed: at most 8 rows and columns"):
            read(tmp_path, name, *FILES[name][:1], **FILES[name][1])


def test_as_many_names_as_are_allowed_are_read():
    rows = coded_matrix.MAX_NAMES // 2
    coded_matrix.refuse_too_many_rows("m.mtx", rows, coded_matrix.MAX_NAMES - rows)
    with pytest.raises(DataError, match="allowed: at most 4194304 rows and columns together"):
        coded_matrix.refuse_too_many_rows("m.mtx", rows, coded_matrix.MAX_NAMES - rows + 1)


@pytest.mark.parametrize(
    ("dtype", "times", "words"), [(np.int8, 300, "300.0"), (np.uint8, 257, "257.0"), (np.float32, 2, "2.0")]
)
def test_what_is_stored_twice_is_added_up_in_a_type_that_holds_it(dtype, times, words):
    """In a byte 257 ones are 1, which a binary method would take."""
    places = np.zeros(times, int), np.zeros(times, int)
    V = scipy.sparse.coo_array((np.ones(times, dtype), places), shape=(2, 3))
    assert SparseCounts.of(V).above_zero.toarray()[0, 0] == times
    assert stored_entries(V)[2].tolist() == [times]
    for take in (BinaryMatrix.from_sparse, SparseBinaryMatrix.from_sparse):
        with pytest.raises(DataError, match=f"the value is {words}"):
            take(V)
    true = scipy.sparse.coo_array((np.ones(times, bool), places), shape=(2, 3))
    assert BinaryMatrix.from_sparse(true).codes.tolist() == [[1, 0, 0], [0, 0, 0]]
    once = scipy.sparse.coo_array((np.array([1, 1], dtype), ([0, 1], [2, 0])), shape=(2, 3))
    assert BinaryMatrix.from_sparse(once).codes.tolist() == [[0, 0, 1], [1, 0, 0]]


def test_sparse_codes_keep_a_byte_each():
    V = scipy.sparse.csr_array(np.array([[1.0, np.nan], [-1.0, 0.0]]))
    assert BinaryMatrix.from_sparse(V).codes.tolist() == [[1, -1], [-1, 0]]
    with pytest.raises(DataError, match="the stored values are of type complex128; allowed: numbers"):
        BinaryMatrix.from_sparse(V.astype(complex))


def test_a_sum_of_what_is_stored_twice_is_said_to_be_one():
    twice = scipy.sparse.coo_array((np.ones(3), ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    with pytest.raises(DataError, match=r"the value is 2.0; .*; what is stored more than once is added up"):
        SparseBinaryMatrix.from_sparse(twice)
    once = scipy.sparse.coo_array(([2.0, 1.0], ([0, 1], [0, 1])), shape=(2, 2))
    with pytest.raises(DataError, match=r"missing \(NaN or -1\)$"):
        SparseBinaryMatrix.from_sparse(once)
