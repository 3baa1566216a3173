"""What is no file of a table: standard input, archives; and comments above a table or a list."""

import os
import zipfile

import numpy as np
import pytest

import nbmf
from nbmf.errors import DataError

TABLE = "id,a,b,c\nx,1,0,1\ny,0,1,1\nz,1,1,0\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(path, **options):
    with pytest.raises(DataError) as caught:
        nbmf.read(path, **options)
    return str(caught.value)


def test_standard_input_and_pipes_are_said_not_to_be_read():
    os.mkfifo("pipe")
    for path in ("-", "pipe"):
        assert refused(path).startswith(f"{path}: standard input, pipes and devices are not read")
    assert refused("none.csv") == "none.csv: there is no such file"


def test_an_archive_is_unzipped_first():
    with zipfile.ZipFile("votes.zip", "w") as archive:
        archive.writestr("votes.csv", TABLE)
    assert refused("votes.zip") == "votes.zip: a ZIP archive, of 'votes.csv'; unzip it, and give that file"
    np.savez("votes.npz", votes=np.eye(3))
    os.rename("votes.npz", "arrays.zip")
    assert nbmf.read("arrays.zip", log=lambda line: None).shape == (3, 3)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_comments_above_a_table_are_left_out(separator):
    with open("votes.csv", "w") as file:
        file.write("# made in 2024, by a tool\n# second, line, of, many, commas\n" + TABLE.replace(",", separator))
    said = []
    assert nbmf.read("votes.csv", log=said.append).row_names.tolist() == ["x", "y", "z"]
    assert said[-1].startswith("left out: 2 lines above the table")
    with open("votes.csv", "w") as file:
        file.write(f"#{TABLE}")
    assert nbmf.read("votes.csv", log=said.append).column_names.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("comments", "separator"),
    [
        ("# Undirected graph (each pair once): ties.txt\n# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\n", "\t"),  # SNAP
        ("# Nodes: 4 Edges: 4\n", "\t"),
        ("% sym unweighted\n% 4 4 4\n", " "),  # KONECT
        ("# a comment\n# another\n# of more words\n", " "),
        ("# ties\n# twice\n# as often\n", ","),
    ],
)
def test_comments_above_a_list_of_ties_are_left_out(comments, separator):
    ties = [("1", "2"), ("2", "3"), ("3", "4"), ("4", "1")]
    with open("ties.txt", "w") as file:
        file.write(comments + "".join(f"{separator.join(tie)}\n" for tie in ties))
    V = nbmf.read("ties.txt", layout="presence", undirected=True, log=lambda line: None)
    assert V.row_names.tolist() == ["1", "2", "3", "4"]
    assert V.codes.sum() == 2 * len(ties)
    large = nbmf.read_sparse("ties.txt", log=lambda line: None)
    assert sorted(zip(large.row_names.tolist(), large.column_names[large.V.indices].tolist(), strict=True)) == ties


def test_an_error_below_comments_names_its_line():
    with open("ties.txt", "w") as file:
        file.write("# Nodes: 4 Edges: 3\n\n# From\tTo\n1\t2\n2\t3\n3\t4\t5\n")
    assert refused("ties.txt", layout="presence") == "ties.txt, line 6: 3 fields instead of 2"
    with pytest.raises(DataError, match="line 6: 3 fields instead of 2"):
        nbmf.read_sparse("ties.txt", log=lambda line: None)
