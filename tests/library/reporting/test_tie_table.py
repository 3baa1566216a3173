"""The table of ties between groups of nodes, of networks whose proportions are counted by hand."""

import numpy as np
import pytest
from test_fit_report import result

import nbmf
from nbmf.reporting import text
from nbmf.reporting.fit_report import fit_report
from nbmf.reporting.tie_table import proportions_between, tie_tables
from nbmf.reporting.wording import Wording

NODES = ["a", "b", "c"]
# a and b are most typical of component 1, c of component 2.
DIRECTED = np.array([[1, 1, 0], [0, 1, 1], [0, -1, 0]])
UNDIRECTED = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def cells(codes, **fields):
    network = nbmf.BinaryMatrix.from_array(codes, NODES, NODES)
    return list(tie_tables(result(matrix=network, **fields), 12))


def test_ties_of_a_directed_network_go_from_rows_to_columns():
    """From a and b to c one of two ties, from c to them none of one that is known; c has no tie but to itself."""
    (table,) = cells(DIRECTED)
    assert "from nodes, as rows, to nodes" in table.caption[0]
    assert list(table.head) == ["", "component 1 (2)", "component 2 (1)"]
    assert [list(row) for row in table.rows] == [["component 1 (2)", "50%", "50%"], ["component 2 (1)", "0%", "-"]]


def test_ties_of_an_undirected_network_are_between_nodes():
    (table,) = cells(UNDIRECTED)
    assert "between nodes" in table.caption[0]
    assert [list(row)[1:] for row in table.rows] == [["100%", "50%"], ["50%", "-"]]


def test_of_many_components_the_first_have_the_nodes_that_are_most_typical_of_these():
    network = nbmf.BinaryMatrix.from_array(UNDIRECTED, NODES, NODES)
    (table,) = tie_tables(result(matrix=network), 1)
    assert [list(row) for row in table.rows] == [["component 1 (2)", "100%"]]


def test_the_table_is_in_the_report_of_groups():
    network = nbmf.BinaryMatrix.from_array(UNDIRECTED, NODES, NODES)
    written = text.render(fit_report(result(matrix=network), wording=Wording({})))
    assert "ties: the proportion of ones between nodes" in written
    assert "ties" not in text.render(fit_report(result(), wording=Wording({})))


@pytest.mark.parametrize(
    "fit",
    [
        result(),  # rows and columns have other names
        result(matrix=nbmf.BinaryMatrix.from_array(UNDIRECTED, NODES, NODES), components={"active": 1}),
        result(nbmf.LogisticPCA, nbmf.BinaryMatrix.from_array(UNDIRECTED, NODES, NODES)),
        result(matrix=nbmf.CountMatrix.from_array(UNDIRECTED, NODES, NODES)),
    ],
    ids=["no network", "one component", "axes", "counts"],
)
def test_other_fits_have_no_table(fit):
    assert not list(tie_tables(fit, 12))


def test_proportions_are_those_of_entries_that_are_known():
    rng = np.random.default_rng(0)
    codes, main = rng.integers(-1, 2, (12, 12)), rng.integers(0, 3, 12)
    found = proportions_between(codes, main, 4)
    for k in range(4):
        for other in range(4):
            known = [
                codes[f, n]
                for f in np.flatnonzero(main == k)
                for n in np.flatnonzero(main == other)
                if f != n and codes[f, n] >= 0
            ]
            assert found[k, other] == pytest.approx(np.mean(known) if known else np.nan, nan_ok=True)
