"""The datasets of the study shan2009: from small files, and from the raw ones where they are."""

import io
import tarfile

import numpy as np
import pytest
import yaml
from checkout import ROOT

from nbmf.errors import ConfigError, DataError
from nbmf_studies import archives
from nbmf_studies.pipeline.raw_files import source_location
from nbmf_studies.recipes.building import build
from nbmf_studies.recipes.check import check_counts
from nbmf_studies.shan2009.recipes import foodmart, jester

HERE = "nbmf_studies.shan2009.recipes"
FILE = yaml.safe_load((ROOT / "config/studies/shan2009.yaml").read_text(encoding="utf-8"))
DATASETS, SOURCES = FILE["datasets"], FILE["sources"]
OTHERS = ("cmu_diff", "cmu_sim")  # 46 MB of messages are read once, by the test of their words


def raw_file(source, folder):
    """Return a raw file as a recipe is handed it, unpacked where it is one of an archive."""
    entry = source_location(SOURCES[source])
    path = ROOT.parent / "shared/mirror" / entry["path"]
    if not path.exists():
        pytest.skip(f"raw file {source} is not at hand")
    if "member" not in entry:
        return path
    own = folder / source
    member = entry["member"]
    own.write_bytes(archives.read_member(path, member["name"], member["bytes"]))
    return own


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in OTHERS])
def test_counts_are_those_of_the_configuration(name, tmp_path):
    entry = DATASETS[name]
    files = {role: raw_file(source, tmp_path) for role, source in entry.get("files", {}).items()}
    table = build(entry["recipe"], files, entry.get("options", {}))
    check_counts(table, entry["counts"], name)
    if name == "jester_binary":
        assert table.cells.mean() == pytest.approx(0.60442)
        assert table.row_names[-1] == "user 3613"


# --- From small files ------------------------------------------------------------------------


def write(folder, text, name="raw"):
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return path


@pytest.mark.parametrize(
    ("layout", "text", "values", "labels"),
    [
        ("ecoli", "A  0.1  2  cp\nB  3  4  im\n", [[0.1, 2], [3, 4]], ["cp", "im"]),
        ("glass", "1,2,3,7\n2,4,5,1\n", [[2, 3], [4, 5]], ["7", "1"]),
        ("ionosphere", "1,0,2,3,g\n0,0,4,5,b\n", [[2, 3], [4, 5]], ["g", "b"]),
        ("segmentation", ";\n;\n\nNAMES\n\nSKY,1,2\nPATH,3,4\n", [[1, 2], [3, 4]], ["SKY", "PATH"]),
        ("sonar", "1,2,R\n3,4,M\n", [[1, 2], [3, 4]], ["R", "M"]),
        ("vowel", "0, 5, 1, .5, 9\n1, 6, 0, .25, 8\n", [[1, 0.5], [0, 0.25]], ["9", "8"]),
        ("wine", "1.5,2,1\n3,4,3\n", [[1.5, 2], [3, 4]], ["1", "3"]),
    ],
)
def test_points_and_classes_are_where_a_layout_says(layout, text, values, labels, tmp_path):
    files = {"points": write(tmp_path, text)}
    table = build(f"{HERE}.uci", files, {"layout": layout})
    np.testing.assert_array_equal(table.values(), values)
    assert table.row_groups.tolist() == labels
    assert set(table.kinds) == {"gaussian"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2,R\n3,M\n", "line 2: 2 fields; there were 3 before"),
        ("1,2,R\n\n3,x,M\n", "line 3: could not convert string to float: 'x'"),
        ("\n", "the file is empty"),
    ],
)
def test_damaged_points_are_named(text, words, tmp_path):
    with pytest.raises(DataError, match=words):
        build(f"{HERE}.uci", {"points": write(tmp_path, text)}, {"layout": "sonar"})


def test_an_unknown_layout_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"layout is 'sonr'.*did you mean 'sonar'"):
        build(f"{HERE}.uci", {"points": write(tmp_path, "1,2")}, {"layout": "sonr"})


def test_statlog_is_both_files(tmp_path):
    head = ";\n;\n\nNAMES\n\n"
    files = {
        "training": write(tmp_path, head + "SKY,1,2\n", "a"),
        "test": write(tmp_path, head + "PATH,3,4\nSKY,5,6\n", "b"),
    }
    table = build(f"{HERE}.statlog", files, {})
    np.testing.assert_array_equal(table.values(), [[1, 2], [3, 4], [5, 6]])
    assert table.row_groups.tolist() == ["SKY", "PATH", "SKY"]


def users(*rows):
    return "\n".join(",".join(map(str, row)) for row in rows) + "\n"


def test_jester_has_the_first_users_who_rated_all(tmp_path):
    full = [[100, *[value] * 99, 0.0] for value in (-1.5, 2.0, 3.0)]
    file = write(tmp_path, users(full[0], [99, *[99.0] * 100], *full[1:]))
    for binary, values in ((False, [-1.5, 2.0]), (True, [0, 1])):
        table = build(f"{HERE}.jester", {"ratings": file}, {"users": 2, "binary": binary})
        assert table.row_names.tolist() == ["user 1", "user 3"]
        assert table.values()[:, 0].tolist() == values
        assert table.values()[:, -1].tolist() == ([1, 1] if binary else [0, 0])  # 0 is a one
        assert set(table.kinds) == {"bernoulli" if binary else "gaussian"}
    with pytest.raises(DataError, match="3 users have rated all jokes, not 4"):
        jester.build(ratings=file, users=4, binary=True)
    with pytest.raises(DataError, match="2 columns; needed are 101"):
        jester.build(ratings=write(tmp_path, "1,2\n"), users=1, binary=True)
    with pytest.raises(DataError, match="ratings are from -10 to 10"):
        jester.build(ratings=write(tmp_path, users([100, *[11] * 100])), users=1, binary=True)


SALES = "transaction_date,stock_date,product_id,customer_id,store_id,quantity\r\n"


def sale(date, product, customer, quantity):
    return f"{date},{date},{product},{customer},1,{quantity}\r\n"


def test_foodmart_sums_amounts_before_december(tmp_path):
    rows = [
        sale("1/5/1998", 3, 7, 2),
        sale("11/30/1998", 3, 7, 4),
        sale("12/1/1998", 3, 7, 9),
        sale("2/2/1998", 1, 7, 1),
        sale("2/2/1998", 1, 2, 5),
    ]
    file = write(tmp_path, SALES + "".join(rows))
    table = build(f"{HERE}.foodmart", {"sales": file}, {"binary": False})
    assert table.row_names.tolist() == ["customer 2", "customer 7"]
    assert table.column_names.tolist() == ["product 1", "product 3"]
    np.testing.assert_array_equal(table.values(), [[4, np.nan], [0, 5]])
    with pytest.raises(DataError, match="no sale before December"):
        foodmart.build(sales=write(tmp_path, SALES + rows[2]), binary=False)
    with pytest.raises(DataError, match="do not match columns"):
        foodmart.build(sales=write(tmp_path, "a,b\r\n1,2\r\n"), binary=False)


def test_binary_foodmart_is_above_the_median_and_has_no_short_lines(tmp_path):
    amounts = np.add.outer(np.arange(10), np.arange(11)) % 5 + 1
    amounts[amounts == 5] = 50  # the mean is far above the median
    rows = [sale("1/5/1998", p, c, amounts[c, p]) for c in range(10) for p in range(10)]
    rows += [sale("1/5/1998", p, 99, 3) for p in [*range(8), 10]]  # a customer with nine cells
    rows += [sale("1/5/1998", 10, c, 3) for c in range(9)]  # a product that then has nine
    file = write(tmp_path, SALES + "".join(rows))
    table = build(f"{HERE}.foodmart", {"sales": file}, {"binary": True})
    assert table.shape == (10, 10)
    assert "customer 99" not in table.row_names
    np.testing.assert_array_equal(table.values(), amounts[:, :10] > 3)


def test_movielens_has_five_categories_or_who_liked_what(tmp_path):
    file = write(tmp_path, "7\t3\t4\t0\n2\t9\t1\t0\n7\t1\t3\t0\n")
    table = build(f"{HERE}.movielens", {"ratings": file}, {"binary": False})
    assert table.row_names.tolist() == ["user 2", "user 7"]
    assert table.column_names.tolist() == ["film 1", "film 3", "film 9"]
    np.testing.assert_array_equal(table.values(), [[np.nan, np.nan, 0], [2, 3, np.nan]])
    assert table.sizes.tolist() == [5] * 3
    assert table.categories.tolist() == ["1", "2", "3", "4", "5"] * 3
    liked = build(f"{HERE}.movielens", {"ratings": file}, {"binary": True})
    np.testing.assert_array_equal(liked.values(), [[np.nan, np.nan, 0], [0, 1, np.nan]])
    for text, words in (("1\t1\t6\t0\n", "a rating from 1 to 5"), ("1\t1\t5\t0\n1\t1\t4\t0\n", "rated a film twice")):
        with pytest.raises(DataError, match=words):
            build(f"{HERE}.movielens", {"ratings": write(tmp_path, text)}, {"binary": True})


def test_documents_of_a_collection_are_titles_and_abstracts(tmp_path):
    word = "Libraries the A x2 flow"
    document = f".I {{}}\r\n.T\r\n{word}\r\n.A\r\nSmith\r\n.W\r\nflow-flow\r\n.X\r\n9 flow\r\n"
    files = {
        "cisi": write(tmp_path, "".join(document.format(n + 1) for n in range(3)), "cisi"),
        "cran": write(tmp_path, document.format(1) + f".I 2\n.W\n{'cells ' * 5}\n", "cran"),
        "med": write(tmp_path, ".I 1\n.A\nSmith\n.W\nflow and the libraries, x\n", "med"),
    }  # with this one the author, a stop word and a letter are in five documents too
    table = build(f"{HERE}.classic3", files, {})
    assert table.column_names.tolist() == ["flow", "libraries"]  # each in five documents
    np.testing.assert_array_equal(table.values(), [[3, 1], [3, 1], [3, 1], [3, 1], [0, 0], [1, 1]])
    assert table.row_groups.tolist() == ["cisi"] * 3 + ["cran"] * 2 + ["med"]
    assert table.row_names[0] == "cisi 1"
    for text, words in (("text", "no line '.I"), (document.format(1) * 2, "1 is there a second")):
        with pytest.raises(DataError, match=words):
            build(f"{HERE}.classic3", files | {"med": write(tmp_path, text)}, {})


def test_messages_are_what_follows_their_headers(tmp_path):
    messages = {f"20_newsgroup/sci.space/{n}": "Subject: moon\n\nMoon\xe9 lander" for n in range(6)}
    messages |= {"20_newsgroup/rec.autos/1": "x: y\n\nlander", "20_newsgroup/misc/2": "lander"}
    path = tmp_path / "news.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in messages.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode("latin-1"))
            archive.addfile(entry, io.BytesIO(text.encode("latin-1")))
    groups = ["sci.space", "misc"]
    table = build(f"{HERE}.newsgroups", {"archive": path}, {"groups": groups})
    assert table.column_names.tolist() == ["lander", "moon"]
    assert table.row_names.tolist() == ["misc/2", *(f"sci.space/{n}" for n in range(6))]
    np.testing.assert_array_equal(table.values(), [[0, 0], *[[1, 1]] * 6])  # misc/2 has no header
    with pytest.raises(DataError, match=r"no newsgroup 'sci\.spice'"):
        build(f"{HERE}.newsgroups", {"archive": path}, {"groups": ["sci.spice"]})
