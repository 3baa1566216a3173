"""Lists of items, one list a line: read, recognized, refused."""

import gzip

import numpy as np
import openpyxl
import pytest
from command_line import run

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.io.baskets import are_baskets

BASKETS = "bread,milk\nmilk\n tea , bread,milk,\n\neggs\nbread,eggs,bread\nmilk,tea\n"
ITEMS = ["bread", "milk", "tea", "eggs"]
CODES = [[1, 1, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(text, name="baskets.csv", **options):
    said = []
    with open(name, "w") as file:
        file.write(text)
    return nbmf.read(name, layout="basket", log=said.append, **options), " ".join(map(str, said))


def test_a_line_is_a_row_and_a_thing_a_column():
    matrix, said = read(BASKETS)
    assert matrix.column_names.tolist() == ITEMS
    np.testing.assert_array_equal(matrix.codes, CODES)
    assert "layout basket: each line lists the ones of a row; no names of rows" in said
    assert "what a row does not list is zero" in said
    assert "left out: 1 item listed again in the same row" in said


def test_lists_of_one_item_at_the_top_are_no_titles():
    matrix, _ = read("milk\ntea\nbread,milk,tea\n")
    assert matrix.column_names.tolist() == ["milk", "tea", "bread"]
    np.testing.assert_array_equal(matrix.codes, [[1, 0, 0], [0, 1, 0], [1, 1, 1]])


def test_items_are_separated_as_fields_are_and_may_be_numbers():
    text = BASKETS.replace(",", " ")
    for number, item in enumerate(ITEMS):
        text = text.replace(item, str(number))
    matrix, _ = read(text, "baskets.dat")
    assert matrix.column_names.tolist() == ["0", "1", "2", "3"]
    np.testing.assert_array_equal(matrix.codes, CODES)


def test_rows_may_be_named_and_lines_above_left_out():
    text = "# what was bought\ncustomer,items\n" + "".join(
        f"c{n},{line}\n" for n, line in enumerate(["a,b", "b", "c,a"])
    )
    matrix, said = read(text, header=True, index=True)
    assert matrix.row_names.tolist() == ["c0", "c1", "c2"]
    assert matrix.column_names.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(matrix.codes, [[1, 1, 0], [0, 1, 0], [1, 0, 1]])
    assert "names of rows in the first field" in said
    with pytest.raises(DataError, match=r"line 3: the row 'c0' is there already, in line 1"):
        read("c0,a\nc1,b\nc0,b\n", index=True)
    with pytest.raises(DataError, match=r"line 2: the name of the row is empty"):
        read("c0,a\n,b\n", index=True)


def test_sheets_and_gzipped_texts_are_read_and_frames_are_not():
    with gzip.open("baskets.csv.gz", "wt") as file:
        file.write(BASKETS)
    np.testing.assert_array_equal(nbmf.read("baskets.csv.gz", layout="basket", log=lambda _: None).codes, CODES)
    book = openpyxl.Workbook()
    for line in BASKETS.split("\n"):
        book.active.append([field.strip() or None for field in line.split(",")])
    book.save("baskets.xlsx")
    np.testing.assert_array_equal(nbmf.read("baskets.xlsx", layout="basket", log=lambda _: None).codes, CODES)
    with open("records.json", "w") as file:
        file.write('[{"a": 1, "b": 0}, {"a": 0, "b": 1}]')
    with pytest.raises(ConfigError, match=r"layout = 'basket' is for texts and sheets; this is JSON"):
        nbmf.read("records.json", layout="basket", log=lambda _: None)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"row": "a"}, "row"), ({"ones": ["x"]}, "ones"), ({"groups": "a"}, "groups"), ({"counts": True}, "counts")],
)
def test_options_of_columns_have_no_meaning_for_lists(options, words):
    with pytest.raises(ConfigError, match=f"{words} = .*: has no meaning with layout = 'basket'"):
        read(BASKETS, **options)


def test_a_file_that_names_nothing_is_refused():
    with pytest.raises(DataError, match=r"baskets\.csv: no line lists an item"):
        read("c0\nc1\n", index=True)


@pytest.mark.parametrize(
    ("text", "are"),
    [
        ("a,b\na\nb,a,c\nc\na,b\nc,b\n", True),
        ("a,b\na\nb,a,a\nc\na,b\nc,b\n", False),  # twice in a line, as values are
        ("a,b\nd\nb,a,c\ne\nf,g\nh,i\n", False),  # named once
        ("a,b\na,b\na,b,a\na,b\na,b\na,b\n", False),
        ("a,b\na,c\na,b,c\na,b\na,b\na,c\n", False),  # two lengths: a field too many
        ("a,b\na\nb,a,c\n", False),  # few
    ],
)
def test_lists_are_known_by_their_lengths_and_items_that_come_again(text, are):
    assert are_baskets([line.split(",") for line in text.split()]) is are


def test_info_and_the_error_of_a_fit_name_the_layout(capsys):
    with open("shop.csv", "w") as file:
        file.write("a,b,c\nb,c,d\n" + "a,b\na\nb,a,c\nc\na,b\nc,b\n")
    out = run(capsys, "info", "shop.csv").out
    assert "lists of items, no table" in out
    assert out.rstrip().endswith("nbmf info shop.csv --layout basket")
    assert "8 rows x 4 columns" in run(capsys, "info", "shop.csv", "--layout", "basket").out
    with open("shop.csv", "w") as file:
        file.write("a,b,c\n1,0\n" + "a,b\na\nb,a,c\nc\na,b\nc,b\n")
    error = " ".join(run(capsys, "fit", "shop.csv", code=2).err.split())
    assert "line 2: 2 fields instead of 3; if each line lists the items of a row" in error
    assert "--layout basket" in error


NEIGHBOURS = "# written by networkx\n#\na b c\nb d\nc d e\nd e\ne a\nf\n"  # each tie once


def test_lists_of_neighbours_are_ties_in_both_directions_if_so_asked():
    matrix, _ = read(NEIGHBOURS, "adjacency.txt", index=True, undirected=True)
    assert matrix.row_names.tolist() == matrix.column_names.tolist() == [*"abcdef"]
    ties = np.zeros((6, 6), int)
    for one, other in ("ab", "ac", "bd", "cd", "ce", "de", "ea"):
        ties["abcdef".index(one), "abcdef".index(other)] = ties["abcdef".index(other), "abcdef".index(one)] = 1
    np.testing.assert_array_equal(matrix.codes, ties)
    with pytest.raises(DataError, match="nodes need names, index = True"):
        read(NEIGHBOURS, "adjacency.txt", undirected=True)
    with pytest.raises(DataError, match="nodes need names, row = "):  # index has no meaning there
        read("node,friends\na,b;c\nb,a\n", "friends.csv", column="friends", undirected=True)


def test_info_knows_nodes_before_their_neighbours_and_numbers_of_purchases(capsys):
    with open("adjacency.txt", "w") as file:
        file.write(
            "#\n" + "".join(f"{i} " + " ".join(str((i + j) % 9) for j in range(1, 2 + i % 4)) + "\n" for i in range(9))
        )
    said = run(capsys, "info", "adjacency.txt").out
    assert "each begins with a node" in " ".join(said.split())
    assert "nbmf info adjacency.txt --layout basket --index --undirected" in said
    with open("sold.csv", "w") as file:
        file.write(
            "".join(f"T{n},{line}\n" for n, line in enumerate(["a,b", "b", "c,a", "a,b,c", "b,c,a", "c", "a,c"]))
        )
    assert "nbmf info sold.csv --layout basket --index\n" in run(capsys, "info", "sold.csv").out + "\n"
