"""Square tables of ties of which one triangle is filled."""

import numpy as np
import pandas as pd
import pytest

import nbmf
from nbmf.errors import DataError

SIZE = 8
NAMES = [f"n{k}" for k in range(SIZE)]
UPPER = np.triu(np.random.default_rng(1).random((SIZE, SIZE)) < 0.4, 1).astype(int)
TIES = UPPER + UPPER.T
HINT = "if ties have no direction and each is there once, undirected = True fills both sides"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(frame, **options):
    frame.to_csv("ties.csv")
    said = []
    return nbmf.read("ties.csv", log=lambda line: said.append(str(line)), **options), "\n".join(said)


def blank(values, triangle):
    return pd.DataFrame(values, NAMES, NAMES).astype(object).mask(triangle(np.ones((SIZE, SIZE)), 0) > 0, "")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(UPPER, NAMES, NAMES),
        pd.DataFrame(UPPER.T, NAMES, NAMES),
        pd.DataFrame(UPPER, NAMES, NAMES)[NAMES[::-1]],
        pd.DataFrame(TIES, NAMES, NAMES),
    ],
)
def test_one_triangle_of_zeros_mirrors_the_other(frame):
    matrix, said = read(frame, undirected=True)
    np.testing.assert_array_equal(matrix.codes, TIES)
    assert matrix.row_names.tolist() == matrix.column_names.tolist() == NAMES
    assert "undirected: entries are held out in pairs" in said


@pytest.mark.parametrize("triangle", [np.triu, np.tril])
def test_a_triangle_and_a_diagonal_that_are_blank_lose_no_name(triangle):
    matrix, _ = read(blank(TIES, triangle), undirected=True)
    np.testing.assert_array_equal(matrix.codes, TIES - np.eye(SIZE, dtype=int))
    assert matrix.row_names.tolist() == NAMES


def test_an_empty_triangle_is_said():
    for frame in (pd.DataFrame(UPPER, NAMES, NAMES), blank(TIES, np.tril)):
        assert f"no entry below the diagonal is a tie; {HINT}" in read(frame)[1]
    assert "diagonal is a tie" not in read(pd.DataFrame(TIES, NAMES, NAMES))[1]


def test_counts_are_mirrored_and_ties_with_two_values_refused():
    matrix, _ = read(pd.DataFrame(3 * UPPER, NAMES, NAMES), undirected=True, counts=True)
    np.testing.assert_array_equal(matrix.tallies, 3 * TIES)
    both = UPPER.copy()
    both[SIZE - 1, 0] = 1 - both[0, SIZE - 1]
    both[SIZE - 2, 0] = 1
    with pytest.raises(
        DataError, match=r"ties have two values: 1 in row 'n0', column 'n\d', and 0 in row 'n\d', column 'n0'"
    ):
        read(pd.DataFrame(both, NAMES, NAMES), undirected=True)


def test_other_tables_have_no_mirror_images():
    with pytest.raises(
        DataError, match=r"undirected = True: rows and columns .* the same names; .*layout = 'presence'"
    ):
        read(pd.DataFrame(UPPER, NAMES, [f"c{k}" for k in range(SIZE)]), undirected=True)
