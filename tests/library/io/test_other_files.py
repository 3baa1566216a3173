"""What is no file of a table: standard input, archives; and lines above a table that begin with #."""

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


def refused(path):
    with pytest.raises(DataError) as caught:
        nbmf.read(path)
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
