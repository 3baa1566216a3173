"""The command line on a file of counts: what it says, writes and refuses."""

import json
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.io
import small_picture
from command_line import printed
from scipy.stats import poisson

import nbmf
from nbmf import cli
from nbmf.baseline_names import BASELINES, BASELINES_OF_COUNTS, OVERDISPERSED_BASELINES
from nbmf.catalogue import COMPARED, DEFAULTS, METHODS, methods_for
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.evaluation.baselines import LABELS

FAST = ["--components", "2", "--iterations", "40"]


def table():
    """Return counts of two kinds of sites, some of them missing."""
    rng = np.random.default_rng(5)
    rate = 1.0 + 7.0 * ((np.arange(24)[:, None] < 12) == (np.arange(15) < 7))
    counts = pd.DataFrame(rng.poisson(rate * rng.gamma(3.0, 1 / 3, rate.shape)).astype(float))
    counts.index = [f"site {f}" for f in range(24)]
    counts.columns = [f"species {n}" for n in range(15)]
    return counts.mask(rng.random(counts.shape) < 0.08).astype("Int64")


TABLE = table()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Work in an empty folder that has the file catches.csv; pictures are not drawn in full."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("catches.csv", index_label="site")
    small_picture.draw_quickly(monkeypatch)
    yield tmp_path
    plt.close("all")


def test_info_says_that_it_is_counts_what_takes_them_and_how_they_become_binary(capsys):
    said = printed(capsys, "info", "catches.csv")
    values = TABLE.to_numpy(float, na_value=np.nan)
    seen = values[~np.isnan(values)]
    assert f"counts up to {seen.max():.0f}, {(seen == 0).sum() / values.size:.1%} zeros" in said
    assert f"mean {seen.mean():.3g}, variance {seen.var():.3g}" in said
    assert "times as much as Poisson counts would: components may explain that, or it is overdispersion" in (
        " ".join(said.split())
    )
    sums = TABLE.sum(axis=1).sort_values(kind="stable")
    assert f"rows with the smallest sums: {sums.index[0]} {sums.iloc[0]}, " in said
    assert f"methods that take counts: {', '.join(methods_for(CountMatrix))}" in (" ".join(said.split()))
    assert f"whether a count is above 0 ({(seen > 0).mean():.1%} are)" in said
    commands = [line.split() for line in said.splitlines() if line.startswith("  nbmf ")]
    assert commands[-1] == ["nbmf", "info", "catches.csv", "--above", "0"]
    binary = printed(capsys, *commands[-1][1:])
    assert "values above 0 are ones, others zeros" in binary
    assert "nbmf fit catches.csv --above 0\n" in binary


def otus():
    """Write counts of two kinds of samples that were sequenced to different depths; return the kind of each."""
    rng = np.random.default_rng(2)
    depth, kinds = rng.uniform(0.3, 3.0, (40, 1)), np.kron(np.eye(2), np.full((20, 8), 12.0)) + 2
    pd.DataFrame(rng.poisson(depth * kinds)).add_prefix("otu").to_csv("otus.csv", index=False)
    return np.repeat([0, 1], 20)


def test_a_component_that_follows_how_much_was_counted_is_called_so(capsys):
    otus()
    components = ("fit", "otus.csv", "--method", "negative-binomial-vb", "--no-check", "--components", "2", "--force")
    said = " ".join(printed(capsys, *components).split())
    told = re.findall(r"rows differ much as the logarithms of their sums do \(r = (.*?)\)", said)
    assert len(told) == 1
    assert 0.8 <= abs(float(told[0])) <= 1


def test_the_default_sets_how_much_was_counted_apart_and_draws_a_scale(capsys):
    kinds = otus()
    said = printed(capsys, "fit", "otus.csv")
    assert "40 rows lie on one axis" in said
    assert "how much was counted in a row is its effect" in " ".join(said.split())
    assert "row effects, to which axes add" in said
    folder = Path("otus.nbmf")
    positions = pd.read_csv(folder / "positions.csv")["axis 1"].to_numpy()
    assert (np.sign(positions) == np.sign(positions[0]) * (1 - 2 * kinds)).all()
    assert {"scale.png", "columns.csv", "row_effects.csv"} <= {path.name for path in folder.iterdir()}
    page = (folder / "report.html").read_text()
    assert "the expected count at either end" in page
    assert "discrimination" not in page
    pd.read_csv("otus.csv").head(3).mul(4).to_csv("new.csv", index=False)
    placed = printed(capsys, "predict", "otus.nbmf", "new.csv")
    assert "axis 1" in placed


def test_few_values_may_be_answers(capsys):
    TABLE.clip(upper=4).to_csv("marks.csv")
    said = printed(capsys, "info", "marks.csv")
    assert "only 5 different values, 0, 1, 2, 3, 4: if these are answers or marks" in said
    command = next(line for line in said.splitlines() if "--categories" in line and "fit" in line).split()
    assert command == ["nbmf", "fit", "marks.csv", "--categories", "0", "1", "2", "3", "4"]
    again = printed(capsys, "info", "marks.csv", "--counts")
    assert " ".join(command) in " ".join(again.split())  # with --counts it would be refused


def entries(counts, zeros):
    """Return a line per count that is there, with those of zero or without."""
    stacked = counts.stack().reset_index().set_axis(["site", "species", "n"], axis=1)
    return stacked if zeros else stacked[stacked["n"] > 0]


def as_mtx(counts):
    scipy.io.mmwrite("c.mtx", scipy.sparse.coo_array(counts.fillna(0).to_numpy(int)))
    return "c.mtx"


def as_csv(frame, **options):
    frame.to_csv("c.csv", **options)
    return "c.csv"


def as_own(counts):
    CountMatrix.from_frame(counts.astype(float)).save("c.npz")
    return "c.npz"


FILES = {
    "a table": (as_csv, [], True),
    "a table, declared": (as_csv, ["--counts"], True),
    "transposed with groups": (
        lambda counts: as_csv(counts.assign(kind=["a", "b"] * 12), index_label="site"),
        ["--groups", "kind", "--transpose"],
        True,
    ),
    "Matrix Market": (as_mtx, ["--counts"], False),
    "a matrix of nbmf": (as_own, [], False),
    "a list": (lambda counts: as_csv(entries(counts, False), index=False), ["--layout", "long", "--counts"], False),
    "a list, zeros said": (
        lambda counts: as_csv(entries(counts, False), index=False),
        ["--layout", "long", "--counts", "--absent", "zeros"],
        False,
    ),
    "a list with zeros": (
        lambda counts: as_csv(entries(counts, True), index=False),
        ["--layout", "long", "--counts"],
        True,
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_each_command_that_is_told_reads_the_same_entries(kind, capsys):
    """Few different counts may be answers: as such they are read from files alone that have their zeros."""
    write, words, are_read = FILES[kind]
    file = write(TABLE.clip(upper=4))
    said = printed(capsys, "info", file, *words)
    missing = re.search(r"([0-9.]+% missing)", said)[1]
    told = [line.split()[1:] for line in said.splitlines() if line.startswith("  nbmf ")]
    assert any("--categories" in line for line in told) == are_read
    assert ("from a table that has a cell for each, zeros too" in " ".join(said.split())) == (not are_read)
    for _, *line in told:
        assert missing in printed(capsys, "info", *line)
    assert "--above" in told[-1]
    assert "values above 0 are ones" in printed(capsys, *told[-1])


def test_a_large_count_costs_no_memory(capsys):
    """Whether values are all whole numbers up to the largest is asked without a list of these."""
    TABLE.assign(most=2**31 - 1).to_csv("large.csv")
    assert "--categories" not in printed(capsys, "info", "large.csv")


def test_rows_of_zeros_and_of_few_entries_are_reported(capsys):
    counts = TABLE.copy()
    counts.iloc[3] = 0
    counts.iloc[4, 4:] = pd.NA
    counts.to_csv("odd.csv")
    said = printed(capsys, "info", "odd.csv")
    assert "rows without a count above zero: 1\n" in said
    assert "rows with fewer than 5 observed entries: 1\n" in said


@pytest.mark.parametrize("method", ["poisson-gamma-vb", "negative-binomial-gs"])
def test_a_fit_has_all_that_one_of_a_binary_matrix_has(method, capsys, here):
    said = " ".join(printed(capsys, "fit", "catches.csv", "--method", method, *FAST).split())
    law = "negative binomial distribution" if method.startswith("negative") else "Poisson distribution with the mean"
    assert f"scored by the {law} predicted" in said
    assert "structure found" in said
    own = OVERDISPERSED_BASELINES if method.startswith("negative") else BASELINES_OF_COUNTS
    assert all(label in said for label in own.values())
    assert f"{METHODS[method]['label']}, K = 2" in said
    assert "24 rows x 15 columns, counts with a mean of" in said
    folder = here / "catches.nbmf"
    for name in ("W.csv", "H.csv", "components.csv", "dictionary.png", "reconstruction.png"):
        assert (folder / name).exists()
    model, matrix = nbmf.load(folder / "model.npz"), nbmf.read("catches.csv", log=[].append)
    written = pd.read_csv(folder / "expectation.csv", index_col="row")
    assert written.columns.tolist() == matrix.column_names.tolist()
    if method == "poisson-gamma-vb":
        np.testing.assert_allclose(written, model.expectation_, rtol=1e-5)
    assert json.loads((folder / "nbmf.json").read_text())["method"] == method
    assert "<h1>catches: what is in it" in (folder / "report.html").read_text()
    printed(capsys, "plot", "catches.nbmf", "--components", "1")


def test_the_loss_that_is_reported_is_that_of_the_distribution(capsys, here):
    said = printed(capsys, "fit", "catches.csv", "--method", "poisson-gamma-em", *FAST, "--no-check")
    model, values = nbmf.load(here / "catches.nbmf/model.npz"), TABLE.to_numpy(float, na_value=-1)
    loss_at = model.likelihood.loss_at(values.astype(int), values >= 0)
    loss = loss_at(model.predict(loss_at.rows, loss_at.columns)).perplexity
    assert f"loss on the data that were fitted: {loss:.4f} nats per entry" in said
    seen = values[values >= 0]
    alone = -poisson.logpmf(seen, (seen.sum() + 1) / (seen.size + 1)).mean()
    assert f"the overall mean alone has {alone:.4f}" in " ".join(said.split())


def test_by_default_a_method_of_counts_is_taken_where_there_are_counts(capsys, here):
    printed(capsys, "fit", "catches.csv", "--no-check", *FAST, "--chains", "1")
    record = json.loads((here / "catches.nbmf/nbmf.json").read_text())
    assert record["method"] == DEFAULTS["CountMatrix"]
    printed(capsys, "fit", "catches.csv", "--above", "0", "--no-check", *FAST, "--chains", "1", "--out", "binary")
    record = json.loads((here / "binary/nbmf.json").read_text())
    assert record["method"] == DEFAULTS["BinaryMatrix"]
    assert type(nbmf.load(here / "binary/model.npz")).__name__ == "BetaDirVB"


def test_zeros_and_ones_are_counts_for_a_method_of_counts(capsys, here):
    binary = (TABLE > 3).astype("Int64")
    binary.to_csv("binary.csv")
    said = printed(capsys, "fit", "binary.csv", "--method", "poisson-gamma-em", *FAST, "--no-check")
    assert "counts with a mean of" in said
    listed = binary.stack()
    listed[listed == 1].reset_index().iloc[:, :2].to_csv("list.csv", index=False)
    printed(capsys, "fit", "list.csv", "--layout", "presence", "--method", "poisson-gamma-em", *FAST, "--no-check")
    assert (here / "list.nbmf/model.npz").exists()


def test_transposed_and_listed_counts_are_the_same_counts(capsys, here):
    listed = TABLE.stack().rename("n").reset_index()
    listed.to_csv("listed.csv", index=False)
    for file, more in (("catches.csv", ["--transpose"]), ("listed.csv", ["--layout", "long"])):
        printed(capsys, "fit", file, *more, "--method", "poisson-gamma-em", *FAST, "--no-check", "--out", "out")
        matrix = CountMatrix.load(here / "out/matrix.npz")
        found = pd.DataFrame(matrix.tallies, matrix.row_names, matrix.column_names)
        found = found.T if "--transpose" in more else found
        found = found.loc[TABLE.index, TABLE.columns]
        np.testing.assert_array_equal(found, TABLE.fillna(-1).astype(int))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "catches.csv", "--method", "bica"], "these are counts, and bica takes zeros and"),
        (["compare", "catches.csv", "--methods", "bica"], "--above 0 makes them so"),
        (["compare", "catches.csv", "--methods", "poisson-gamma-em", "bica"], "one kind of matrix"),
        (["info", "catches.csv", "--no-counts"], "if they are counts, --counts reads them"),
        (["info", "catches.csv", "--above", "-1"], "--above -1: must be a number of at least"),
        (["fit", "real.csv", "--method", "poisson-gamma-vb"], "the value is '2.5'; allowed in a"),
        (["fit", "real.csv"], "all values but '2.5' are counts: real.csv, line 2, column 'b'"),
        (["fit", "negative.csv", "--counts"], "the value is '-4'; allowed in a matrix of counts"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_way_out(words, message, capsys, here):
    (here / "real.csv").write_text("x,a,b,c\nr,3,2.5,9\ns,4,0,7\n")
    (here / "negative.csv").write_text("x,a,b,c\nr,3,-4,9\ns,4,0,7\n")
    assert message in printed(capsys, *words, code=cli.FAILED)


def test_methods_of_counts_are_compared(capsys, here):
    said = printed(
        capsys, "compare", "catches.csv", "--masks", "2", "--iterations", "10", "--components", "1", "2", "--jobs", "1"
    )
    for name in COMPARED["CountMatrix"]:
        assert METHODS[name]["label"] in said
    assert all(label in said for label in (*BASELINES_OF_COUNTS.values(), *OVERDISPERSED_BASELINES.values()))
    first, second = (line for line in said.splitlines() if line.startswith("scored by"))
    assert "Poisson distribution with the mean predicted: Poisson-gamma VB" in second
    assert "negative binomial distribution predicted: negative binomial VB, learned, negative" in first
    scores = pd.read_csv(here / "catches.compare/scores.csv")
    assert set(scores["method"]) == {*COMPARED["CountMatrix"], *BASELINES_OF_COUNTS, *OVERDISPERSED_BASELINES}
    assert "next:\n  nbmf fit catches.csv --method" in said
    assert "Brier" not in said
    report = (here / "catches.compare/report.html").read_text()
    assert "scored by the Poisson distribution" in report
    for method in METHODS:
        assert (f"  {METHODS[method]['label']}  " in said) == (method in COMPARED["CountMatrix"])


def test_binary_files_are_compared_as_they_were(capsys, here):
    (TABLE > 3).astype("Int64").to_csv("binary.csv")
    said = printed(
        capsys, "compare", "binary.csv", "--methods", "logpca", "--masks", "1", "--components", "2", "--iterations", "5"
    )
    assert "scored by" not in said
    of_counts = {LABELS[name] for name in (*BASELINES_OF_COUNTS, *OVERDISPERSED_BASELINES)}
    assert not any(label in said for label in of_counts - set(BASELINES.values()))  # some have one name for both
    assert "row and column effects" in said
    assert nbmf.read("binary.csv", log=[].append).shape == TABLE.shape
    assert type(nbmf.read("binary.csv", log=[].append)) is BinaryMatrix


@pytest.mark.parametrize(("columns", "layout"), [(2, "presence"), (3, "long"), (4, "long")])
def test_info_of_numbered_users_and_items_reads_them_as_a_list_first(columns, layout, capsys):
    rng = np.random.default_rng(0)
    users, items = np.nonzero(rng.random((30, 20)) < 0.4)
    times = rng.integers(880_000_000, 890_000_000, users.size)
    lines = np.column_stack([users + 1, items + 1, rng.poisson(4, users.size), times])[:, :columns]
    Path("u.data").write_text("\n".join("\t".join(map(str, line)) for line in lines))
    told = [line.strip() for line in printed(capsys, "info", "u.data").splitlines() if line.startswith("  nbmf ")]
    assert told[0] == f"nbmf info u.data --layout {layout}"
    read = printed(capsys, *shlex.split(told[0])[1:])
    assert "30 rows x 20 columns" in read
    assert "nbmf fit u.data --layout" in read
    named = pd.DataFrame(lines, [f"line {n}" for n in range(len(lines))])
    named.to_csv("named.csv")
    assert "--layout" not in printed(capsys, "info", "named.csv", "--counts")
