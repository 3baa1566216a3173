"""Networks in which some names are of rows or of columns alone."""

import numpy as np
import pytest

import nbmf
from nbmf.data import matrix as matrix_module
from nbmf.errors import DataError
from nbmf.io import coded_matrix

PAIRS = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e"), ("x", "a"), ("a", "c")]  # x sends alone


@pytest.fixture(autouse=True, params=[matrix_module.MAX_ENTRIES, 1], ids=["all entries", "ones alone"])
def here(tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", request.param)
    return tmp_path


def read(pairs, **options):
    with open("ties.csv", "w") as file:
        file.write("from,to\n" + "".join(f"{one},{other}\n" for one, other in pairs))
    said = []
    matrix = nbmf.read("ties.csv", layout="presence", log=lambda line: said.append(str(line)), **options)
    codes = matrix.toarray() if isinstance(matrix, nbmf.SparseBinaryMatrix) else matrix.codes
    return matrix, codes, said


def test_entries_of_a_name_with_itself_are_missing():
    matrix, codes, said = read(PAIRS, diagonal=False)
    own = matrix.row_names[:, None] == matrix.column_names
    assert own.sum() == 4
    linked = {(str(matrix.row_names[i]), str(matrix.column_names[j])) for i, j in np.argwhere(codes == 1)}
    assert linked == set(PAIRS)
    np.testing.assert_array_equal(codes == -1, own)
    assert "the entries of 4 names with themselves are missing" in said


def test_proportions_are_those_without_the_diagonal():
    """With a tie of a with itself, and in a square matrix."""
    for pairs in ([*PAIRS, ("a", "a")], [*PAIRS, ("a", "a"), ("a", "x"), ("e", "a")]):
        matrix, codes, said = read(pairs, diagonal=False)
        ones, missing = np.count_nonzero(codes == 1), np.count_nonzero(codes == -1)
        assert missing
        is_sparse = isinstance(matrix, nbmf.SparseBinaryMatrix)
        counts = f"{ones} ones", f"{missing} missing"
        shares = f"{ones / codes.size:.1%} ones", f"{missing / codes.size:.1%} missing"
        assert all(words in said[1] for words in (counts if is_sparse else shares))


def test_zeros_of_a_name_with_itself_are_said():
    hint = "the entries of 4 names with themselves are all 0: diagonal = False takes them for missing"
    assert hint in read(PAIRS)[2]
    assert hint not in read([*PAIRS, ("a", "a")])[2]
    assert hint not in read([(one, other.upper()) for one, other in PAIRS])[2]


def test_a_matrix_in_which_no_row_is_a_column_has_no_such_entries():
    with pytest.raises(DataError, match="diagonal = False: no row has the name of a column"):
        read([(one, other.upper()) for one, other in PAIRS], diagonal=False)


@pytest.fixture
def weighted():
    """Return a list of ties with weights from 1 to 6, most of them 2."""
    weights = [2, 2, 2, 1, 3, 4, 6]
    return "".join(f"{one},{other},{weight}\n" for (one, other), weight in zip(PAIRS, weights, strict=True))


def read_weighted(text, **options):
    with open("weights.csv", "w") as file:
        file.write("from,to,weight\n" + text)
    return nbmf.read("weights.csv", layout="long", log=lambda line: None, **options)


@pytest.mark.parametrize("undirected", [None, True])
def test_weights_of_ties_are_read_with_zeros_where_no_tie_is(weighted, undirected):
    with pytest.raises(DataError, match=r"ties with whole numbers, from 1 to 6\. If they are weights: ") as refused:
        read_weighted(weighted, undirected=undirected)
    counts = read_weighted(weighted, undirected=undirected, **refused.value.options).counts()
    assert counts["ones"] == len(PAIRS) * (2 if undirected else 1)
    assert counts["missing"] == 0


def test_ratings_of_other_things_are_no_ties(weighted):
    films = "\n".join(f"{line[:2]}film {line[2:]}" for line in weighted.splitlines())
    with pytest.raises(DataError, match="from 1 to 6: ratings"):
        read_weighted(films)
