"""nbmf recommend: files for rows of a fit and for new ones, against the model's own recommendations."""

import csv
import shutil

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
from command_line import say
from sparse_blocks import drawn

import nbmf
from nbmf import cli
from nbmf.cli.commands import recommend
from nbmf.data import sparse_matrix
from nbmf.io import coded_matrix

pytestmark = pytest.mark.usefixtures("quick_pictures")

CODES = drawn(0, 8.0)
FAST = ["--method", "bernoulli-poisson-vb-scales", "--components", "2", "--iterations", "60", "--no-check"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recommend, "ROWS_AT_ONCE", 7)
    return tmp_path


@pytest.fixture
def large(monkeypatch):
    """Matrices count as too large for their zeros."""
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 1000)
    monkeypatch.setattr(sparse_matrix, "MAX_ENTRIES", 1000)


def table_of(path):
    return pd.read_csv(path, dtype={"row": str, "column": str})


def agrees(table, found, rows, columns):
    """Whether a file has what the model recommends."""
    lines = [
        (rows[f], place + 1, columns[column], found.expectation[f, place])
        for f in range(len(rows))
        for place, column in enumerate(found.columns[f])
        if column >= 0
    ]
    assert table["row"].tolist() == [line[0] for line in lines]
    assert table["place"].tolist() == [line[1] for line in lines]
    assert table["column"].tolist() == [line[2] for line in lines]
    np.testing.assert_allclose(table.iloc[:, 3], [line[3] for line in lines], rtol=1e-5)


def fitted_votes(capsys):
    rng = np.random.default_rng(1)
    votes = pd.DataFrame(CODES.astype(float), [f"r{i}" for i in range(60)], [f"c{i}" for i in range(40)])
    votes[rng.random(votes.shape) < 0.1] = np.nan
    votes.to_csv("votes.csv", index_label="who")
    say(capsys, "fit", "votes.csv", *FAST)
    return votes


def test_rows_of_a_sampled_fit_are_recommended_what_all_chains_expect(capsys, here):
    """The model in the folder is one of the chains, which predicts less well than their mean."""
    fitted_votes(capsys)
    sampled = ["--method", "beta-dir-gs", "--components", "3", "--iterations", "20", "--chains", "3", "--no-check"]
    say(capsys, "fit", "votes.csv", *sampled)
    said = say(capsys, "recommend", "votes.nbmf", "--top", 4, "--exclude", "observed")
    assert "what is expected is the mean over all chains, as in expectation.csv" in said
    expected = pd.read_csv("votes.nbmf/expectation.csv", index_col=0)
    table = table_of("votes.recommended.csv")
    of_table = [expected.loc[row, column] for row, column in zip(table["row"], table["column"], strict=True)]
    np.testing.assert_allclose(table["probability"], of_table, rtol=1e-5)
    alone = nbmf.load("votes.nbmf/model.npz").expectation_
    assert np.abs(alone - expected.to_numpy()).max() > 1e-3
    best = table[table["place"] == 1].set_index("row")["probability"]
    missing = np.isnan(pd.read_csv("votes.csv", index_col=0))
    np.testing.assert_allclose(best, expected.where(missing).max(axis=1)[best.index], rtol=1e-5)
    (here / "votes.nbmf" / "expectation.csv").unlink()  # then the chain alone is left
    assert "all chains" not in say(capsys, "recommend", "votes.nbmf", "--top", 4)


@pytest.mark.parametrize("exclude", ["ones", "observed"])
def test_rows_of_a_fit_have_their_columns(capsys, here, exclude):
    votes = fitted_votes(capsys)
    said = say(capsys, "recommend", "votes.nbmf", "--top", 3, "--exclude", exclude)
    model = nbmf.load("votes.nbmf/model.npz")
    table = table_of("votes.recommended.csv")
    known = np.where(np.isnan(votes), -1, votes).astype(int)
    found = model.recommend(np.arange(60), 3, known=known, exclude=exclude)
    agrees(table, found, list(votes.index), list(votes.columns))
    assert list(table.columns) == ["row", "place", "column", "probability"]
    assert f"60 rows, {len(table)} recommendations, up to 3 for each: written to votes.recommended.csv" in said
    say(capsys, "recommend", "votes.nbmf", "--top", 2, "--out", "two.csv")
    assert table_of("two.csv")["place"].max() == 2
    say(capsys, "recommend", "votes.nbmf")  # its own file is written anew
    (here / "votes.recommended.csv").write_text("my notes\n")
    assert "exists and is another file" in say(capsys, "recommend", "votes.nbmf", code=cli.FAILED)
    say(capsys, "recommend", "votes.nbmf", "--force")


def test_new_rows_are_folded_in_and_their_columns_matched(capsys):
    votes = fitted_votes(capsys)
    new = votes.iloc[:9, ::-1].drop(columns="c5").assign(c99=1.0)
    new.index = [f"n{i}" for i in range(9)]
    new.to_csv("new.csv", index_label="who")
    said = say(capsys, "recommend", "votes.nbmf/model.npz", "new.csv", "--top", 4)
    assert "1 column of the fit, not there, and so missing: 'c5' " in said
    assert "written to new.recommended.csv" in said
    values = np.where(np.isnan(votes.iloc[:9]), -1, votes.iloc[:9]).astype(int)
    values[:, 5] = -1
    found = nbmf.load("votes.nbmf/model.npz").recommend(values, 4)
    agrees(table_of("new.recommended.csv"), found, list(new.index), list(votes.columns))


@pytest.mark.usefixtures("large")
def test_matrices_without_their_zeros(capsys):
    """Columns that a list of new rows does not have are zeros."""
    scipy.io.mmwrite("block.mtx", scipy.sparse.coo_array(CODES), field="pattern")
    say(capsys, "fit", "block.mtx", *FAST)
    model = nbmf.load("block.nbmf/model.npz")
    say(capsys, "recommend", "block.nbmf", "--top", 5)
    rows, columns = [f"row {i}" for i in range(60)], [f"column {i}" for i in range(40)]
    agrees(table_of("block.recommended.csv"), model.recommend(np.arange(60), 5, known=CODES), rows, columns)
    lines = ["who,what", "x,column 3", "x,column 8", "y,column 3", "y,unheard of", "z,column 30"]
    with open("new.csv", "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    said = say(capsys, "recommend", "block.nbmf", "new.csv", "--layout", "presence", "--top", 6)
    assert "1 column not in the fit, and left out: 'unheard of' " in said
    assert "37 columns of the fit, not there, and so zeros, as all that is not in the file: 'column 0'" in said
    new = np.zeros((3, 40), np.int8)
    new[[0, 0, 1, 2], [3, 8, 3, 30]] = 1
    agrees(table_of("new.recommended.csv"), model.recommend(new, 6), ["x", "y", "z"], columns)


@pytest.mark.usefixtures("large")
def test_columns_that_a_table_does_not_have_are_missing_of_a_sparse_fit_too(capsys, monkeypatch):
    monkeypatch.setattr(recommend, "NUMBERS_AT_ONCE", 80)  # two rows with 37 missing entries
    scipy.io.mmwrite("block.mtx", scipy.sparse.coo_array(CODES), field="pattern")
    say(capsys, "fit", "block.mtx", *FAST)
    table = pd.DataFrame(CODES[:5, 3:6], [f"n{i}" for i in range(5)], [f"column {i}" for i in range(3, 6)])
    table.to_csv("new.csv", index_label="who")
    said = say(capsys, "recommend", "block.nbmf", "new.csv", "--top", 6)
    assert "37 columns of the fit, not there, and so missing: 'column 0', 'column 1'" in said
    assert "'column 10' and 29 more " in said
    new = np.full((5, 40), -1)
    new[:, 3:6] = table
    found = nbmf.load("block.nbmf/model.npz").recommend(new, 6)
    agrees(table_of("new.recommended.csv"), found, list(table.index), [f"column {i}" for i in range(40)])


@pytest.mark.parametrize("is_large", [False, True])
def test_a_list_of_the_rows_of_a_fit_is_recommended_what_these_are(capsys, monkeypatch, is_large):
    """Pairs without a record are zeros, in columns that the list of new rows does not have too."""
    if is_large:
        monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 1000)
        monkeypatch.setattr(sparse_matrix, "MAX_ENTRIES", 1000)
    pairs = pd.DataFrame(np.argwhere(CODES == 1), columns=["who", "what"]).map(lambda n: f"n{n}")
    pairs.to_csv("all.csv", index=False)
    pairs[pairs["who"].isin(["n3", "n4"])].to_csv("two.csv", index=False)
    say(capsys, "fit", "all.csv", "--layout", "presence", *FAST)
    said = say(capsys, "recommend", "all.nbmf", "two.csv", "--top", 3)
    assert "columns of the fit, not there, and so zeros, as all that is not in the file" in said
    say(capsys, "recommend", "all.nbmf", "--top", 3, "--out", "all.recommended.csv")
    found, fitted = table_of("two.recommended.csv"), table_of("all.recommended.csv")
    fitted = fitted[fitted["row"].isin(["n3", "n4"])].reset_index(drop=True)
    assert found["column"].tolist() == fitted["column"].tolist()
    np.testing.assert_allclose(found["probability"], fitted["probability"], rtol=0.05)


@pytest.mark.parametrize("has_names", [True, False])
def test_nobody_in_a_network_is_recommended_himself(capsys, has_names):
    """Files without names, such as Matrix Market, have networks that are symmetric."""
    half = np.triu(CODES[:40], 1)
    codes = CODES[:40] if has_names else half + half.T
    if has_names:
        names = [f"p{n}" for n in range(40)]
        pd.DataFrame(codes, names, names).to_csv("net.csv", index_label="who")
        say(capsys, "fit", "net.csv", "--no-diagonal", *FAST)
    else:
        scipy.io.mmwrite("net.mtx", scipy.sparse.coo_array(codes), field="pattern")
        say(capsys, "fit", "net.mtx", *FAST)
    say(capsys, "recommend", "net.nbmf", "--top", 40)
    table = table_of("net.recommended.csv")
    numbers = [table[side].str.extract(r"(\d+)$")[0] for side in ("row", "column")]
    assert len(table) == 40 * 39 - np.count_nonzero(codes[~np.eye(40, dtype=bool)])
    assert (numbers[0] != numbers[1]).all()


def network(n=40):
    """Return links of people to people, and the names of these."""
    names = [f"p{i}" for i in range(n)]
    return pd.DataFrame(CODES[:n, :n], names, names)


@pytest.mark.parametrize("is_large", [True, False])
def test_new_rows_of_a_network_are_not_recommended_themselves(capsys, request, is_large):
    """By their names, in any order; those who are new to it are recommended everybody."""
    if is_large:
        request.getfixturevalue("large")
    net = network()
    ones = net.stack()[lambda value: value == 1].reset_index().iloc[:, :2].set_axis(["who", "whom"], axis=1)
    ones.to_csv("net.csv", index=False)
    say(capsys, "fit", "net.csv", "--layout", "presence", "--no-diagonal", *FAST)
    model = nbmf.load("net.nbmf/model.npz")
    assert model.row_names_.tolist() == model.column_names_.tolist()
    new = net.iloc[[5, 2, 21]].rename({"p21": "new"})  # who have no links to themselves
    pairs = new.stack()[lambda value: value == 1].reset_index().iloc[:, :2].set_axis(["who", "whom"], axis=1)
    pairs.to_csv("new.csv", index=False)
    say(capsys, "recommend", "net.nbmf", "new.csv", "--top", 40)
    found = table_of("new.recommended.csv").groupby("row")["column"].agg(set)
    for name, links in new.iterrows():
        others = set(net.columns[links == 0])
        assert found[name] == others & set(model.column_names_) - {name}


def test_new_rows_have_names_by_which_they_are_left_out():
    net = network().replace({1: 1.0, 0: 0.0})
    model = nbmf.BernoulliPoissonVB(2, random_state=0).fit(net)
    new = net.iloc[[5, 2]]
    plain = model.recommend(new.to_numpy(), 40).columns
    own = np.array([[5], [2]])
    is_zero = (new.to_numpy() == 0)[[[0], [1]], own].ravel()
    assert is_zero.all()  # nothing else leaves them out
    assert (plain == own).any(axis=1).all()
    for found in (
        model.recommend(new, 40),
        model.recommend(new.to_numpy(), 40, names=["p5", "p2"]),
        model.recommend(new, 40, itself=False),
        model.recommend(scipy.sparse.csr_array(new.to_numpy()), 40, names=["p5", "p2"]),
    ):
        for row, before, itself in zip(found.columns, plain, own, strict=True):
            np.testing.assert_array_equal(row[row >= 0], before[(before >= 0) & (before != itself)])
    np.testing.assert_array_equal(model.recommend(new, 40, itself=True).columns, plain)
    np.testing.assert_array_equal(model.recommend(new, 40, names=["x", "y"]).columns, plain)
    other = nbmf.BernoulliPoissonVB(2, random_state=0).fit(net.rename(index=lambda name: f"of {name}"))
    assert (other.recommend(new, 40).columns == own).any(axis=1).all()
    assert not (other.recommend(new, 40, itself=False).columns == own).any()


@pytest.mark.parametrize(
    ("rows", "given", "message"),
    [
        ([0], {"names": ["p0"]}, "names: those of rows of the fit are known; allowed: None"),
        (CODES[:2, :40], {"names": ["p0"]}, "names: there are 1; needed are 2, one for each new row"),
        (CODES[:2, :40], {"itself": False}, "itself = False: needed are names of the new rows, and of columns of"),
    ],
)
def test_names_of_new_rows_are_checked(rows, given, message):
    model = nbmf.BernoulliPoissonVB(2, random_state=0).fit(network())
    with pytest.raises(nbmf.errors.DataError, match=message):
        model.recommend(rows, 3, **given)


@pytest.mark.usefixtures("large")
def test_what_is_too_large_to_be_predicted_is_recommended_or_split(capsys):
    scipy.io.mmwrite("block.mtx", scipy.sparse.coo_array(CODES), field="pattern")
    scipy.io.mmwrite("part.mtx", scipy.sparse.coo_array(CODES[:20]), field="pattern")
    say(capsys, "fit", "block.mtx", *FAST)
    said = say(capsys, "predict", "block.nbmf", "block.mtx", code=cli.FAILED)
    assert "block.mtx: 60 x 40 entries are too many for nbmf predict, which keeps all of them: split the file" in said
    assert "20 new rows" in say(capsys, "predict", "block.nbmf", "part.mtx")
    say(capsys, "recommend", "block.nbmf", "block.mtx")


def test_counts_have_means_and_names_are_no_formulas(capsys):
    counts = pd.DataFrame(np.random.default_rng(0).poisson(1.0, (12, 8)), columns=[f"c{i}" for i in range(8)])
    counts.columns = ["=SUM(A1)", *counts.columns[1:]]
    counts.index = [f"r{i}" for i in range(12)]
    counts.to_csv("counts.csv", index_label="who")
    fast = ["--method", "poisson-gamma-vb-scales", "--components", "2", "--iterations", "30", "--no-check"]
    say(capsys, "fit", "counts.csv", *fast)
    say(capsys, "recommend", "counts.nbmf")
    with open("counts.recommended.csv", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["row", "place", "column", "mean"]
    assert "'=SUM(A1)" in {line[2] for line in lines}
    known = {(f"r{f}", counts.columns[n]) for f, n in np.argwhere(counts.to_numpy() > 0)}
    assert not known & {(line[0], line[2].removeprefix("'")) for line in lines[1:]}


def test_what_cannot_be_done_is_said(capsys):
    votes = fitted_votes(capsys)
    shutil.copy("votes.nbmf/model.npz", "alone.npz")
    assert "a model alone does not know which entries are known" in say(
        capsys, "recommend", "alone.npz", code=cli.FAILED
    )
    assert "there is no such folder" in say(capsys, "recommend", "none.nbmf", code=cli.FAILED)
    assert "--top 0: must be an integer of at least 1" in say(
        capsys, "recommend", "votes.nbmf", "--top", 0, code=cli.FAILED
    )
    votes.rename(columns=lambda name: f"x{name}").to_csv("other.csv", index_label="who")
    assert "no column has the name of one of the fit" in say(
        capsys, "recommend", "votes.nbmf", "other.csv", code=cli.FAILED
    )
