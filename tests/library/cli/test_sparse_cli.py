"""The command line on a matrix too large for all of its entries: a small one counts as such."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
import small_picture
from command_line import say
from sparse_blocks import drawn

import nbmf
from nbmf import cli
from nbmf.catalogue import CANDIDATES, COMPARED, DEFAULTS, METHODS, methods_for
from nbmf.data import sparse_matrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.io import coded_matrix

CODES = drawn(0, 8.0)
KIND = "SparseBinaryMatrix"
FAST = ["--components", "2", "--iterations", "60"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, quick_choice):
    """Work in a folder with block.mtx, which counts as large; pictures are not drawn in full."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 1000)
    monkeypatch.setattr(sparse_matrix, "MAX_ENTRIES", 1000)  # whatever makes it dense fails
    small_picture.draw_quickly(monkeypatch)
    scipy.io.mmwrite("block.mtx", scipy.sparse.coo_array(CODES), field="pattern")
    yield tmp_path
    plt.close("all")


def test_info_says_how_large_it_is_and_what_takes_it(capsys):
    said = say(capsys, "info", "block.mtx")
    ones, of_rows = np.count_nonzero(CODES), CODES.sum(axis=1)
    assert f"60 rows x 40 columns: {ones} ones ({ones / 2400:.2g} of all entries), 0 miss" in said
    few, many = of_rows.argmin(), len(of_rows) - 1 - of_rows[::-1].argmax()
    assert f"rows with the fewest ones: row {few} {of_rows.min()}, " in said
    assert f"with the most: row {many} {of_rows.max()}, " in said
    assert f"half of the rows have at most {int(np.median(of_rows))} ones" in said
    if without := np.count_nonzero(of_rows == 0):
        assert f"rows without a one: {without}" in said
    for method in methods_for(SparseBinaryMatrix):
        assert method in said
    assert re.search(r" entries are kept; nbmf fit takes about \d+ s, for \d+ fits at most and a report", said)
    names = ["bernoulli-poisson-gs", "bernoulli-poisson-vb"]
    assert methods_for(SparseBinaryMatrix) == [*names, *(f"{name}-scales" for name in names)]
    assert said.endswith(f"nbmf fit block.mtx nbmf fit block.mtx --method {DEFAULTS[KIND]}")


def test_a_fit_has_all_that_needs_no_dense_matrix(capsys, here):
    said = say(capsys, "fit", "block.mtx", *FAST)
    assert "structure found: this method predicts better than row and column popularity" in said
    ones = np.count_nonzero(CODES)
    assert "entries were held out, in 2 folds, and predicted from the others; ones and" in said
    assert "predicted by nats per one this method is better by" in said
    assert f"block: 60 rows x 40 columns, {ones} ones, {ones / 60:.3g} in a row" in said
    assert 'nbmf.load("model.npz").predict(rows, columns) gives those you name' in said
    assert "component 1:" in said
    folder = here / "block.nbmf"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "W.csv",
        "H.csv",
        "components.csv",
        "dictionary.png",
        "matrix.npz",
        "model.npz",
        "nbmf.json",
        "report.html",
        "summary.txt",
    }
    model = nbmf.load(folder / "model.npz")
    assert type(model).__name__ == "BernoulliPoissonVB"
    assert not model.has_expectation
    assert model.row_names_[3] == "row 3"
    upper = model.predict(np.arange(30)[:, None], np.arange(40))
    assert upper[:, :20].mean() > 1.5 * upper[:, 20:].mean()
    matrix = SparseBinaryMatrix.load(folder / "matrix.npz")
    np.testing.assert_array_equal(matrix.values.above_zero.toarray(), CODES)
    W, H = (pd.read_csv(folder / name, index_col=0) for name in ("W.csv", "H.csv"))
    order = pd.read_csv(folder / "components.csv")["place_in_model"]
    np.testing.assert_allclose(W, model.W_[:, order], rtol=1e-5)
    np.testing.assert_allclose(H, model.H_[order], rtol=1e-5)
    assert json.loads((folder / "nbmf.json").read_text())["method"] == DEFAULTS[KIND]
    assert "nats per one" in (folder / "report.html").read_text()
    assert "written: block.nbmf/dictionary.png" in say(capsys, "plot", "block.nbmf", "--rows", "5")
    assert f"60 rows x 40 columns: {ones} ones" in say(capsys, "info", "block.nbmf/matrix.npz")


def test_where_nothing_is_said_both_methods_are_tried(capsys, here):
    said = say(capsys, "fit", "block.mtx", "--iterations", "40")
    assert all(METHODS[name]["label"] in said for name in CANDIDATES[KIND])
    record = json.loads((here / "block.nbmf/nbmf.json").read_text())
    assert record["method"] in CANDIDATES[KIND]
    said = say(capsys, "fit", "block.mtx", "--method", "bernoulli-poisson-gs", *FAST, "--no-check")
    assert "another --seed gives another one" in said


def test_a_comparison_has_ranks_as_well(capsys, here):
    brief = ["--masks", "2", "--iterations", "40", "--jobs", "1"]
    said = say(capsys, "compare", "block.mtx", *brief)
    assert all(METHODS[name]["label"] in said for name in COMPARED[KIND])
    assert "nats per one, smaller is better" in said
    assert "row and column popularity" in said
    summary = pd.read_csv(here / "block.compare/summary.csv").set_index("method")
    assert summary.loc["bernoulli-poisson-gs-scales", "recall_at_20"] > 0.3
    assert 0 < summary.loc["popularity", "ndcg_at_100"] < 1
    assert "nbmf fit block.mtx --method bernoulli-poisson-" in said


def test_factors_too_large_for_text_are_arrays(capsys, here, monkeypatch):
    monkeypatch.setattr("nbmf.analysis.files.LARGEST_CSV", 100)
    say(capsys, "fit", "block.mtx", *FAST, "--no-check")
    folder = here / "block.nbmf"
    assert (folder / "H.csv").exists()
    assert not (folder / "W.csv").exists()
    model = nbmf.load(folder / "model.npz")
    order = pd.read_csv(folder / "components.csv")["place_in_model"]
    with np.load(folder / "W.npz") as parts:
        np.testing.assert_allclose(parts["W"], model.W_[:, order], rtol=1e-6)
        assert parts["row_names"].tolist() == model.row_names_.tolist()
        assert parts["column_names"].tolist() == ["component 1", "component 2"]


def test_without_structure_nothing_is_shown(capsys, here):
    scipy.io.mmwrite("flat.mtx", scipy.sparse.coo_array(drawn(1, 1.0)), field="pattern")
    said = say(capsys, "fit", "flat.mtx", *FAST)
    assert "nothing found beyond row and column popularity" in said
    command = r"nbmf fit flat.mtx --method bernoulli-poisson-(vb|gs)-scales --no-check"
    assert re.search(f"This writes and draws the components nevertheless: {command}", said)
    assert "nbmf compare" not in said
    assert not (here / "flat.nbmf/dictionary.png").exists()


def test_a_list_with_groups_and_a_network_are_served(capsys, here):
    lines = [f"r{f},c{n},{'a' if f < 30 else 'b'}" for f, n in np.argwhere(CODES)]
    (here / "ones.csv").write_text("\n".join(["who,what,side", *lines]))
    said = say(capsys, "fit", "ones.csv", "--layout", "presence", "--groups", "side", *FAST)
    assert "rows by group and the component they are most typical of" in said
    assert (here / "ones.nbmf/groups.csv").exists()
    names = [f"p{i}" for i in range(40)]
    half = np.triu(drawn(2, 8.0)[:40], 1)
    matrix = SparseBinaryMatrix.from_array(half + half.T, names, names)
    matrix.save("net.npz")
    said = say(capsys, "fit", "net.npz", "--no-diagonal", *FAST)
    assert "a network, since rows and columns have the same names; undirected" in said
    assert SparseBinaryMatrix.load(here / "net.nbmf/matrix.npz").counts()["missing"] == 40


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["fit", "block.mtx", "--method", "bica"],
            "60 x 40 entries are too many for bica, which keeps all of them; methods that take",
        ),
        (
            ["fit", "block.mtx", "--method", "bernoulli-poisson-vb", "--chains", "4"],
            "--chains 4: of a matrix with 60 x 40 entries there is one chain or start",
        ),
        (["fit", "block.mtx", "--draws", "9"], "--draws 9: of a matrix with 60 x 40 entries there are no draws"),
        (["compare", "block.mtx", "--methods", "bica"], "60 x 40 entries are too many for bica, which keeps all of"),
        (["fit", "block.mtx", "--method", "poisson-gamma-vb"], "read as zeros and ones alone"),
        (
            ["info", "votes.csv", "--layout", "long"],
            "if they are zeros, which need not be kept, --absent zeros says so",
        ),
    ],
)
def test_what_it_is_too_large_for_is_refused_with_the_way_out(words, message, capsys, here):
    lines = [f"r{f},c{n},{f % 2}" for f, n in np.argwhere(CODES)]
    (here / "votes.csv").write_text("\n".join(["who,what,how", *lines]))
    assert message in say(capsys, *words, code=cli.FAILED)


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (
            [0, 0.6, 0.2, 0.1, 0.07, 0.03],
            "so large a one is read as zeros and ones alone; --above 0 makes counts above 0",
        ),
        ([0, 0.1, 0.2, 0.3, 0.2, 0.2], "all values that are stored are whole numbers, from 1 to 5: ratings, and no"),
    ],
)
def test_counts_and_ratings_of_a_large_matrix_are_told_apart_by_what_is_stored(shares, message, capsys):
    """Neither can be read as counts, so that nothing says so."""
    values = np.random.default_rng(0).choice(6, CODES.shape, p=shares) * (CODES == 1)
    scipy.io.mmwrite("values.mtx", scipy.sparse.coo_array(values))
    said = say(capsys, "fit", "values.mtx", *FAST, code=cli.FAILED)
    assert message in said
    assert "--counts" not in said
    above = re.search(r"--above \d", said)[0]
    assert "zeros are not kept" in say(capsys, "fit", "values.mtx", *above.split(), *FAST)


def test_few_ones_are_not_tested(capsys):
    few = scipy.sparse.coo_array(([1, 1, 1], ([0, 3, 5], [1, 2, 3])), shape=(60, 40))
    scipy.io.mmwrite("few.mtx", few, field="pattern")
    said = say(capsys, "fit", "few.mtx", "--iterations", "20")
    assert "3 ones and 2397 zeros are too few to say whether there is structure" in said


def test_one_entry_less_and_all_is_as_it_was(capsys, here, monkeypatch):
    monkeypatch.setattr(coded_matrix, "MAX_ENTRIES", 2400)
    say(capsys, "fit", "block.mtx", "--method", "bernoulli-poisson-vb", *FAST, "--no-check")
    assert (here / "block.nbmf/expectation.csv").exists()
    assert type(nbmf.read("block.mtx", log=[].append)) is BinaryMatrix
