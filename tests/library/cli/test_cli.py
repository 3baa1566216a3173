"""The command line: what it prints and writes, what it refuses, and how it ends."""

import errno
import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import small_picture
from command_line import run
from matrices import classes_of_means
from scipy.special import expit

import nbmf
from nbmf import cli, registry
from nbmf.catalogue import DEFAULTS, METHODS
from nbmf.cli import help_texts, kernel_cache, progress
from nbmf.cli.arguments import COMMANDS, parse, render_message
from nbmf.cli.commands import compare as compare_command
from nbmf.cli.reading import data_name, file_with_options
from nbmf.data.examples import EXAMPLES
from nbmf.errors import DataError, Message, Setting
from nbmf.evaluation.compared_fits import FitDone
from nbmf.evaluation.verdict import choose
from nbmf.output.folder import OutputFolder, as_cell, text_of_cell
from nbmf.posterior.components import components_of

QUICK = ["--components", "3", "--iterations", "30", "--method", "beta-dir-vb", "--no-check"]
SWEEPS = ["--components", "3", "--no-check", "--method", "beta-dir-gs"]
ALWAYS = {
    "summary.txt",
    "W.csv",
    "H.csv",
    "expectation.csv",
    "missing.csv",
    "components.csv",
    "dictionary.png",
    "reconstruction.png",
    "model.npz",
    "matrix.npz",
    "nbmf.json",
    "report.html",
}


def table():
    rng = np.random.default_rng(1)
    W, H = rng.dirichlet([0.2] * 3, 30), rng.beta(0.3, 0.3, (3, 20))
    values = (rng.random((30, 20)) < W @ H).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    rows, columns = [f"person {f}" for f in range(30)], [f"question {n}" for n in range(20)]
    return pd.DataFrame(values, rows, columns).astype("Int64")


TABLE = table()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, request, quick_choice):
    """Work in an empty folder that has the file survey.csv; pictures are not drawn in full."""
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("survey.csv")
    if "pictures" not in request.fixturenames:
        small_picture.draw_quickly(monkeypatch)
    yield tmp_path
    plt.close("all")


@pytest.fixture
def pictures():
    """Draw pictures as they are, which takes a second each."""


def files(folder):
    return {path.name for path in folder.iterdir()}


# Help.


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_teaches_by_example(command, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main([*command, "--help"])
    assert end.value.code == 0
    assert f"examples:\n  nbmf {' '.join(command)}" in capsys.readouterr().out


@pytest.mark.workflow
def test_the_examples_of_the_help_run_one_after_the_other(here, capsys):
    """In an empty folder, shortened, then README's; `nbmf example` makes every file they name."""
    named = (COMMANDS[name].examples for name in ("info", "fit", "compare", "predict", "plot"))
    texts = (COMMANDS["example"].examples, help_texts.TOP, *named)
    lines = [line for text in texts for line in re.findall(r"^  nbmf (.*)$", text, re.MULTILINE)]
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    lines += re.findall(r"^    nbmf (.*?) +#", readme, re.MULTILINE)
    assert len(lines) > 25
    (here / "survey.csv").unlink()
    fewer, unchecked = [], []
    for line in lines:
        words = shlex.split(re.split(r"  +", line)[0])
        short = {"fit": ["--iterations", "4"], "compare": ["--iterations", "4", "--masks", "2"]}
        if "--draws" in words:  # which have to be kept sweeps
            short["fit"] = ["--chains", "2"]
        if words[0] == "compare" and "--methods" not in words:  # all methods, once
            short["compare"] += fewer
            fewer = ["--methods", "bica", "beta-dir-vb"]
        if words[0] == "fit" and not {"--method", "--no-check"} & {*words}:  # the test of structure, once
            short["fit"] += unchecked
            unchecked = ["--no-check"]
        run(capsys, *words, *short.get(words[0], []))
        plt.close("all")
    assert {"votes.csv", "votes.nbmf", "votes.compare", "by-party", "large.pdf"} <= files(here)


def test_the_page_of_the_command_line_has_every_option():
    """docs/transcript.py writes it."""
    from nbmf.cli.arguments import parsers

    page = (Path(__file__).parents[3] / "docs/command-line.md").read_text(encoding="utf-8")
    for name, command in parsers()[1].items():
        (shown,) = re.findall(rf"^\$ nbmf {name} --help$(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        for option in (text for action in command._actions for text in action.option_strings):
            assert re.search(rf"(?<![-\w]){option}(?![-\w])", shown), (name, option)


HELP = """
import sys
from nbmf import cli

try:
    cli.main(["fit", "--help"])
except SystemExit:
    pass
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_help_is_there_at_once():
    """Of what takes time to import nothing is."""
    ran = subprocess.run([sys.executable, "-c", HELP], capture_output=True, check=True, text=True)
    loaded = set(ran.stdout.splitlines()[-1].split())
    assert "nbmf" in loaded
    assert not loaded & {"numba", "numpy", "scipy", "pandas", "matplotlib", "sklearn"}


# Examples.


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("layout", ["matrix", "long", "presence"])
def test_an_example_is_read_as_it_was_written(name, layout, capsys):
    if layout == "presence" and not nbmf.load_example(name).observed.all():
        run(capsys, "example", name, "--layout", layout, code=2)
        assert not Path(f"{name}.csv").exists()
        return
    out = run(capsys, "example", name, "--layout", layout).out
    example = EXAMPLES[name]
    assert f"licence: {example.licence}" in out
    options = {} if layout == "matrix" else {"layout": layout}
    if layout != "matrix":
        options |= {"row": example.row, "column": example.column}
    found = nbmf.read(f"{name}.csv", groups=example.group, log=lambda line: None, **options)
    expected = nbmf.load_example(name)
    rows, columns = (
        [list(ours).index(name) for name in theirs]
        for ours, theirs in ((found.row_names, expected.row_names), (found.column_names, expected.column_names))
    )
    np.testing.assert_array_equal(found.codes[np.ix_(rows, columns)], expected.codes)
    if example.group:
        np.testing.assert_array_equal(found.row_groups[rows], expected.row_groups)


def test_examples_are_listed_with_their_licences(capsys):
    out = run(capsys, "example").out
    for name, example in EXAMPLES.items():
        assert re.search(rf"^{name}: ", out, re.MULTILINE)
        assert f"licence: {example.licence}" in out


def test_an_example_overwrites_itself_and_no_other_file(here, capsys):
    run(capsys, "example", "votes")
    written = (here / "votes.csv").read_bytes()
    run(capsys, "example", "votes")
    (here / "votes.csv").write_text("mine")
    refused = run(capsys, "example", "votes", code=2)
    assert "votes.csv exists and is another file; choose another name with --out" in refused.err
    assert (here / "votes.csv").read_text() == "mine"
    run(capsys, "example", "votes", "--force")
    assert (here / "votes.csv").read_bytes() == written
    (here / "folder").mkdir()
    assert "is a folder" in run(capsys, "example", "votes", "--out", "folder", code=2).err


def test_what_an_example_says_to_type_next_runs(capsys):
    for name in EXAMPLES:
        out = run(capsys, "example", name).out
        (line,) = re.findall(r"^  nbmf (info .*)$", out, re.MULTILINE)
        run(capsys, *shlex.split(line))


# Info.


def test_info_says_what_is_there_and_what_to_type_next(capsys):
    out = run(capsys, "info", "survey.csv").out
    counts = nbmf.read("survey.csv", log=lambda line: None).counts()
    assert f"30 rows x 20 columns: {counts['ones'] / 600:.1%} ones" in out
    assert re.search(r"rows with the fewest ones: person \d+ \d+, .*with the most: person", out)
    assert out.endswith("next:\n  nbmf fit survey.csv\n  nbmf compare survey.csv\n")


def test_info_says_what_follows_from_other_columns(capsys):
    chosen = np.random.default_rng(0).integers(0, 3, 40)
    names = pd.Index([f"p{f}" for f in range(40)], name="who")
    answers = pd.DataFrame(np.eye(3, dtype=int)[chosen], names, ["red", "green", "blue"])
    answers.assign(rouge=answers["red"]).to_csv("answers.csv")
    out = run(capsys, "info", "answers.csv").out
    assert "every row has a one in exactly one of the columns 'red', 'green' and 'blue': " in out
    assert "the same in all rows: columns 'red' and 'rouge'; if one repeats the other they " in " ".join(out.split())
    answers.to_csv("answers.csv")
    assert "all rows have 1 one\ncolumns with the fewest ones: " in run(capsys, "info", "answers.csv").out


def test_info_points_at_what_says_nothing(capsys):
    data = TABLE.copy()
    data.iloc[0], data.iloc[1], data.iloc[2, :17] = 1, 0, pd.NA
    data.to_csv("odd.csv")
    out = run(capsys, "info", "odd.csv").out
    assert "rows without a one: 1\n" in out
    assert "rows without a zero: 1\n" in out
    assert "rows with fewer than 5 observed entries: 1\n" in out
    assert "columns without" not in out


def test_info_knows_what_is_too_large_for_vb(capsys, monkeypatch):
    monkeypatch.setitem(METHODS[DEFAULTS["BinaryMatrix"]]["settings"], "max_memory_gb", 1e-6)
    out = run(capsys, "info", "survey.csv").out
    words = " ".join(out.split())
    assert "Beta-Dir VB, learned would need 0.0 GB, its limit is 1e-06 GB: Bernoulli-Poisson VB, whose time" in words
    assert "nbmf fit survey.csv\n" in out
    assert "for 7 fits at most and a report" in words  # three folds, as `quick_choice` has it, and four starts


def test_options_of_the_readers_reach_them_and_are_repeated(capsys):
    words = TABLE.astype(object).replace({1: "agree", 0: "reject"}).fillna("not there")
    words.insert(0, "party", ["left", "right"] * 15)
    words.to_csv("words.csv")
    options = "--ones agree --zeros reject --missing 'not there' --groups party --index"
    out = run(capsys, "info", "words.csv", *shlex.split(options)).out
    assert "30 rows x 20 columns" in out
    again = next(line for line in out.splitlines() if line.startswith("  nbmf fit")).removeprefix("  nbmf ")
    assert shlex.split(again) == ["fit", "words.csv", *shlex.split("--index " + options[:-8])]
    folder = run(capsys, *shlex.split(again), *QUICK, "--chains", "1").out
    assert "words.nbmf" in folder
    groups = nbmf.BinaryMatrix.load("words.nbmf/matrix.npz").row_groups
    assert groups.tolist() == ["left", "right"] * 15


@pytest.mark.parametrize(("file", "name"), [("a/votes.csv", "votes"), ("v.2.tsv.gz", "v.2"), ("votes", "votes")])
def test_results_are_named_after_the_file(file, name):
    assert data_name(parse(["info", file])) == name


def test_repeated_options_are_read_the_same():
    line = "compare f.csv --no-header --missing x --missing 'y z' --transpose --layout long --row r"
    options = parse(shlex.split(line))
    other = parse(["compare", *shlex.split(file_with_options(options))])
    assert vars(other) == vars(options)


# Fit.


@pytest.fixture
def fitted(here, capsys):
    """Return the folder of a fit by Beta-Dir VB, and what was printed."""
    out = run(capsys, "fit", "survey.csv", *QUICK).out
    return types.SimpleNamespace(folder=here / "survey.nbmf", out=out)


def read(path):
    return pd.read_csv(path, index_col=0)


def test_a_fit_writes_its_folder(fitted):
    assert files(fitted.folder) == ALWAYS | {"chains.csv"}
    record = json.loads((fitted.folder / "nbmf.json").read_text())
    assert set(record["files"]) == files(fitted.folder) - {"nbmf.json"}
    assert (record["command"], record["file"]) == ("fit", "survey.csv")
    text = (fitted.folder / "summary.txt").read_text()
    assert text.strip() in fitted.out
    assert "written to survey.nbmf/" in fitted.out


def test_the_tables_are_those_of_the_model(fitted):
    model = nbmf.load(fitted.folder / "model.npz")
    W, H, E = (read(fitted.folder / f"{name}.csv") for name in ("W", "H", "expectation"))
    assert list(W.index) == list(E.index) == list(TABLE.index)
    assert list(H.columns) == list(E.columns) == list(TABLE.columns)
    np.testing.assert_allclose(W.to_numpy() @ H.to_numpy(), model.expectation_, atol=1e-5)
    np.testing.assert_allclose(E, model.expectation_, atol=1e-5)
    parts = pd.read_csv(fitted.folder / "components.csv")
    np.testing.assert_allclose(W, model.W_[:, parts["place_in_model"]], atol=1e-5)
    np.testing.assert_allclose(parts["share"], W.mean(axis=0), atol=1e-5)
    assert parts["active"].sum() == model.active_components_
    assert (np.diff(parts["share"][parts["active"]]) <= 0).all()


def test_the_best_of_several_starts_is_taken(here, capsys):
    losses = []
    for number in (1, 4):
        out = run(capsys, "fit", "survey.csv", *QUICK, "--chains", number, "--out", f"{number}").out
        losses.append(float(re.search(r"fitted: ([\d.]+) nats", out)[1]))
        assert f"{number} start" in out
    assert losses[1] < losses[0]
    single = nbmf.load("1/model.npz")
    own = nbmf.BetaDirVB(3, max_iter=30, mean_change_tol=1e-4, random_state=0)
    with pytest.warns(UserWarning, match="had not converged"):
        own.fit(nbmf.read("survey.csv", log=lambda line: None))
    np.testing.assert_array_equal(single.W_, own.W_)  # --seed 0 is random_state=0


def test_the_same_seed_gives_the_same_bytes(here, capsys, pictures):
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        run(capsys, "fit", "survey.csv", *QUICK, "--chains", 1, "--out", name, "--seed", seed)
    for file in ("W.csv", "expectation.csv", "dictionary.png"):
        one, same, other = ((here / name / file).read_bytes() for name in ("one", "same", "other"))
        assert one == same
        assert one != other


def test_a_sampler_has_chains_and_intervals_and_their_files_go_with_it(here, capsys, monkeypatch):
    command = ["fit", "survey.csv", *SWEEPS, "--chains", "2"]
    apart = property(lambda chains: np.indices(chains.values.shape)[0] / 100)  # 0 of row 0
    monkeypatch.setattr("nbmf.posterior.chains.Chains.disagreement", apart)
    out = run(capsys, *command, "--iterations", "60", "--draws", "10").out
    assert "2 chains of 60 iterations" in out
    assert "NOT CONVERGED: " in out
    most = ", ".join(f"person {f} 0.{f}0" for f in (29, 28, 27, 26, 25))
    said = f"E[V] differ by 0.145 (standard deviation), most for {most} "
    assert said in " ".join(out.split())
    assert re.search(r"person \d+ \d+% \[<?[\d.]+%, >?\d+%\]", out)
    folder = here / "survey.nbmf"
    intervals = {f"{name}_{end}.csv" for name in ("W", "H", "expectation") for end in ENDS}
    assert files(folder) == ALWAYS | {"chains.csv", "chains.png"} | intervals
    for name in ("W", "H", "expectation"):
        lower, middle, upper = (read(folder / f"{name}{end}.csv") for end in ("_lower", "", "_upper"))
        assert list(lower.columns) == list(middle.columns) == list(upper.columns)
        inside = (lower.to_numpy() <= middle.to_numpy()) & (middle.to_numpy() <= upper.to_numpy())
        assert inside.mean() > 0.7
    chains = pd.read_csv(folder / "chains.csv")
    assert {"quantity", "r_hat", "ess_bulk", "converged"} <= set(chains.columns)
    run(capsys, "fit", "survey.csv", *QUICK, "--chains", "1")
    assert files(folder) == ALWAYS


def test_the_way_of_a_fit_is_a_straight_line(capsys):
    """Nobody but the command line calls nbmf fit, and no file of these packages calls what calls it."""
    package, calls = f"{Path(nbmf.__file__).parent}{os.sep}", set()

    def watch(frame, event, _):
        if event == "call" and frame.f_back is not None and frame.f_code.co_name != "<module>":
            calls.add((frame.f_back.f_code.co_filename, frame.f_code.co_filename))

    sys.setprofile(watch)
    try:
        run(capsys, "fit", "survey.csv", *QUICK, "--check", "--chains", "2")
    finally:
        sys.setprofile(None)
    inside = {(a.removeprefix(package), b.removeprefix(package)) for a, b in calls if a != b and a.startswith(package)}
    assert {caller for caller, called in inside if called == "cli/commands/fit.py"} == {"cli/__init__.py"}
    shown = {pair for pair in inside if all(file.startswith(("cli/", "reporting/")) for file in pair)}
    assert len(shown) > 15
    assert not [pair for pair in shown if pair[::-1] in shown]


ENDS = ("lower", "upper")


def test_advice_about_chains_is_said_as_it_is_typed():
    longer = Setting("burn_in", 300), " and ", Setting("n_samples", 20)
    advice = Message("try ", *longer, "; or try ", Setting("block_moves", True))
    assert advice == "try burn_in = 300 and n_samples = 20; or try block_moves = True"
    said = render_message(advice, "fit")
    assert said == "try --set burn_in=300 and --set n_samples=20; or try --set block_moves=true"
    given = ["--set", "block_moves=True", "--set", "block_moves=false", "--set", "start=truest"]
    settings = parse(["fit", "survey.csv", *given]).settings
    assert settings == [("block_moves", True), ("block_moves", False), ("start", "truest")]


def test_a_large_expectation_is_no_csv(here, capsys, monkeypatch):
    monkeypatch.setattr("nbmf.analysis.files.LARGEST_CSV", 599)
    run(capsys, "fit", "survey.csv", *QUICK, "--chains", "1", "--draws", "20")
    folder = here / "survey.nbmf"
    assert "expectation.npz" in files(folder)
    assert not {"expectation.csv", "expectation_lower.csv"} & files(folder)
    with np.load(folder / "expectation.npz") as parts:
        assert set(parts) == {"expectation", "expectation_lower", "expectation_upper"}
        model = nbmf.load(folder / "model.npz")
        np.testing.assert_allclose(parts["expectation"], model.expectation_, rtol=1e-6)
        assert (parts["expectation_lower"] <= parts["expectation_upper"]).all()


def test_one_chain_gets_the_message_that_it_cannot_show_whether_it_has_converged(capsys):
    command = ["fit", "survey.csv", *QUICK, "--method", "dir-dir-gs", "--chains", "1"]
    assert "one chain cannot show whether it has converged" in run(capsys, *command).out


@pytest.mark.parametrize("method", ["bica", "c-bica", "logpca", "lda", "dir-beta-vb"])
def test_every_kind_of_method_has_a_summary_and_pictures(method, here, capsys):
    out = run(capsys, "fit", "survey.csv", *QUICK, "--method", method).out
    assert re.search(r"component 1.*\n  rows ", out)
    assert files(here / "survey.nbmf") >= ALWAYS


def test_settings_and_the_verdict(capsys):
    options = ["--set", "alpha=0.5", "--set", "gamma=1/K", "--check", "--chains", "1"]
    out = run(capsys, "fit", "survey.csv", *QUICK, *options).out
    model = nbmf.load("survey.nbmf/model.npz")
    assert (model.alpha, model.gamma, model.max_iter) == (0.5, "1/K", 30)
    own = nbmf.BetaDirVB(3, alpha=0.5, max_iter=30, mean_change_tol=1e-4, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        survey = nbmf.read("survey.csv", log=lambda line: None)
        found = choose(survey, [own], tries=9).verdict  # eight are tried where none is named
    assert " ".join(str(found).split()) in " ".join(out.split())
    assert found.found
    assert re.search(rf"this method +{found.loss:.4f}\n", out)


def test_where_nothing_is_found_there_is_no_dictionary(here, capsys):
    coins = np.random.default_rng(0).integers(0, 2, (30, 12))
    pd.DataFrame(coins).to_csv("coins.csv", index=False)
    out = run(capsys, "fit", "coins.csv").out
    assert "\nnothing found beyond the overall proportion of ones" in out
    assert "component 1" not in out
    assert re.search(r"\n1 (start|chain) of \d+ iterations", out)
    assert "one chain cannot show" not in out  # nothing is shown of it
    assert files(here / "coins.nbmf") == {
        "summary.txt",
        "expectation.csv",
        "model.npz",
        "matrix.npz",
        "nbmf.json",
        "report.html",
    }
    again = re.search(r"nbmf (fit coins.csv --method [a-z-]+ --no-check)", " ".join(out.split()))[1]
    assert re.search("component 1|axis 1", run(capsys, *again.split()).out)
    assert {"dictionary.png", "chains.csv"} <= files(here / "coins.nbmf")


def test_few_entries_have_no_verdict(here, capsys):
    (here / "tiny.csv").write_text("a,b,c\n1,0,1\n0,1,1\n")
    out = run(capsys, "fit", "tiny.csv").out
    assert "6 observed entries are too few to say whether there is structure" in out


def test_components_that_say_the_same_are_merged():
    W = np.full((6, 3), 0.3) + np.eye(6, 3) * 0.1
    model = nbmf.BinaryICA(3)
    model.W_ = W / W.sum(axis=1, keepdims=True)
    model.H_ = np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.5], [0.9, 0.13, 0.5]])
    found = components_of(model)
    assert [places.tolist() for places in found.members] == [[0, 2], [1]]
    held = model.W_.mean(axis=0)
    np.testing.assert_allclose(found.model.W_[:, 0], model.W_[:, 0] + model.W_[:, 2])
    np.testing.assert_allclose(found.profiles[0], (held[0] * model.H_[0] + held[2] * model.H_[2]) / (held[0] + held[2]))
    assert model.W_.shape == (6, 3)  # the fit is as it was
    assert found.labels(2)[0] == f"1\n{held[0] + held[2]:.0%}"


@pytest.mark.parametrize("turned", [False, True])
def test_components_that_differ_in_their_few_ones_are_not_the_same(turned):
    """Nor in their few zeros: of forty columns two tell them apart, all else is rare in both."""
    model = nbmf.BinaryICA(3)
    model.W_ = np.full((6, 3), 1 / 3)
    H = np.full((3, 40), 0.01)
    H[0, :2], H[1, 2:4], H[2, :2] = 0.9, 0.9, 0.85
    model.H_ = 1 - H if turned else H
    assert sorted(places.tolist() for places in components_of(model).members) == [[0, 2], [1]]


def test_the_weight_that_is_in_no_active_component_is_reported():
    matrix = nbmf.BinaryMatrix.from_array(np.ones((10, 3)))
    counts = np.zeros((10, 40))
    counts[:, 0] = 9
    model = nbmf.BinaryICA(40, gamma=1)
    H = np.full((40, 3), 0.5)
    H[0] = 0.99
    model.W_, model.H_, model.gamma_ = (1 + counts) / 49, H, 1.0
    found = components_of(model, matrix)
    assert (found.active, len(found.members)) == (1, 2)
    np.testing.assert_allclose(found.shares, [10 / 49, 39 / 49])
    np.testing.assert_allclose(found.idle, np.array([1, 39]) / 43)  # the prior of 40 and three entries in a row


def test_a_component_of_the_prior_alone_is_not_active():
    """With gamma = 1, three columns and K = 40 each empty component has 2 % of the weight."""
    V = nbmf.BinaryMatrix.from_array(np.ones((10, 3)))
    counts = np.zeros((10, 40))
    counts[:5, 0] = counts[5:, 7] = 3  # what the rows' three entries are due to
    model = nbmf.BinaryICA(40, gamma=1)
    H = np.full((40, 3), 0.5)
    H[[0, 7]] = [[0.9, 0.9, 0.1], [0.1, 0.9, 0.9]]
    model.W_, model.H_, model.gamma_ = (1 + counts) / 43, H, 1.0
    np.testing.assert_allclose(model.idle_shares(V.observed), 1 / 43)
    assert components_of(model).active == 3
    assert components_of(model, V).active == 2
    assert components_of(model, V).shown.tolist() == [0, 7]


@pytest.mark.filterwarnings("ignore::nbmf.errors.NotConvergedWarning")
@pytest.mark.parametrize("name", classes_of_means())
def test_the_active_components_are_those_that_the_model_counts(name):
    brief = {"max_iter": 10, "burn_in": 5, "n_samples": 5}
    settings = {key: brief[key] for key in brief if key in registry.settings_of(name)}
    data = TABLE.to_numpy(dtype=float, na_value=np.nan)
    model = registry.make_estimator(name, 5, settings, random_state=0).fit(data)
    found = components_of(model)
    active = np.concatenate(found.members[: found.active])
    # Without data nothing is known of the prior; a component may be active with others that say the same.
    assert len(active) >= model.active_components_
    assert sorted(np.concatenate(found.members)) == list(range(model.n_components_))


# The folder.


def test_files_of_others_are_not_overwritten(here, capsys):
    (here / "out").mkdir()
    (here / "out/W.csv").write_text("mine")
    error = run(capsys, "fit", "survey.csv", "--out", "out", code=2).err
    assert error == (
        "nbmf: error: out/W.csv exists and was not written by nbmf; choose another folder with "
        "--out, or overwrite it with --force\n"
    )
    assert files(here / "out") == {"W.csv"}  # and that before any work
    run(capsys, "fit", "survey.csv", *QUICK, "--out", "out", "--force")
    assert (here / "out/W.csv").read_text() != "mine"


def test_other_files_of_the_folder_stay(here, capsys):
    for _ in range(2):
        run(capsys, "fit", "survey.csv", *QUICK, "--chains", "1", "--out", ".")
    assert files(here) == ALWAYS | {"survey.csv"}


def test_a_folder_whose_writing_was_interrupted_is_still_ours(here):
    def fail(path):
        raise KeyboardInterrupt

    folder = OutputFolder("out", ["a.txt", "b.txt"])
    folder.write_text("a.txt", "a")
    with pytest.raises(KeyboardInterrupt):
        folder.write("b.txt", fail)
    assert files(here / "out") == {"a.txt", "nbmf.json"}
    again = OutputFolder("out", ["a.txt", "b.txt"])
    again.write_text("b.txt", "b")
    again.finish({"command": "x"})
    assert files(here / "out") == {"b.txt", "nbmf.json"}


def test_a_folder_of_two_runs_of_which_one_did_not_end_is_refused(capsys, monkeypatch):
    """A new model next to the options of an older run would be applied to what these options read."""
    run(capsys, "fit", "survey.csv", *QUICK, "--out", "out", "--no-check")
    write = OutputFolder.write

    def fail(folder, name, write_file):
        if name == "report.html":
            raise OSError(errno.EFBIG, "File too large", "out/report.html")
        write(folder, name, write_file)

    with monkeypatch.context() as patched:
        patched.setattr(OutputFolder, "write", fail)
        run(capsys, "fit", "survey.csv", *QUICK, "--out", "out", "--no-check", "--seed", "1", code=2)
    for words in (["predict", "out", "survey.csv"], ["recommend", "out/model.npz"], ["plot", "out"]):
        error = run(capsys, *words, code=2).err
        assert error == "nbmf: error: out: the last run that wrote to this folder did not end; run it again\n"
    run(capsys, "fit", "survey.csv", *QUICK, "--out", "out", "--no-check")
    run(capsys, "recommend", "out")


def test_a_second_run_into_the_same_folder_is_reported(here, capsys):
    """Settings and model of one next to the tables of the other would both have exit status 0."""
    holding = (
        "import pathlib, sys; from nbmf.output.folder_lock import hold; hold(pathlib.Path('out')); print(flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", f"{holding}; sys.stdin.read()"], cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        _, error = run(capsys, "fit", "survey.csv", *QUICK, "--out", "out", code=2)
        assert f"out: another run of nbmf, process {other.pid}, writes to this folder" in error
        assert "choose another with --out" in error
        assert not (here / "out").exists()
        other.stdin.close()
    run(capsys, "fit", "survey.csv", *QUICK, "--out", "out")


def test_names_that_are_formulas_or_controls_are_text(here, capsys):
    """A spreadsheet would run the first; the second turns what follows it around; the third clears a terminal."""
    names = ["=cmd|' /C calc'!A0", "u\u202egnp", "\x1b[2Jname", "-3", "@x", "plain"]
    rng = np.random.default_rng(0)
    blocks = np.kron(np.eye(2, dtype=int), np.ones((3, 6), int)) ^ (rng.random((6, 12)) < 0.05)
    pd.DataFrame(blocks, names, [f"c{n}" for n in range(12)]).to_csv("odd.csv")
    printed, _ = run(capsys, "fit", "odd.csv", *QUICK, "--out", "out", "--no-check")
    for text in (printed, *((here / "out" / name).read_text() for name in ("summary.txt", "report.html"))):
        assert not {"\u202e", "\x1b"} & set(text)
    written = pd.read_csv("out/W.csv")["row"].tolist()
    assert {"'=cmd|' /C calc'!A0", "-3", "'@x", "plain"} <= set(written)
    assert [text_of_cell(name) for name in written] == names
    run(capsys, "plot", "out")


@pytest.mark.parametrize("value", ["-3", "+1.5e3", "", "a=b", 3.0, None])
def test_numbers_and_other_texts_stay_as_they_are(value):
    assert as_cell(value) is value


def test_a_record_of_something_else_is_refused(here):
    (here / "nbmf.json").write_text("[1]")
    with pytest.raises(DataError, match=r"^nbmf.json: not a record of nbmf"):
        OutputFolder(".", ["a.txt"])


# Compare.


def test_compare_writes_table_picture_and_recommendation(here, capsys):
    options = ["--methods", "bica", "logpca", "--components", "2", "3", "--masks", "2"]
    out = run(capsys, "compare", "survey.csv", *options, "--iterations", "20").out
    folder = here / "survey.compare"
    assert files(folder) == {
        "scores.csv",
        "summary.csv",
        "comparison.png",
        "recommendation.txt",
        "nbmf.json",
        "report.html",
        "against_K.png",
    }
    scores = pd.read_csv(folder / "scores.csv")
    assert len(scores) == 2 * 2 * 2 + 4 * 2
    assert set(scores["n_iter"].dropna()) <= set(range(21))
    summary = pd.read_csv(folder / "summary.csv")
    best = summary[summary["K"] > 0].sort_values("mean").iloc[0]
    text = (folder / "recommendation.txt").read_text()
    assert text.strip() in out
    assert f"{best['mean']:.4f}" in text
    again = "nbmf fit survey.csv --method (bica|logpca) --components [23] --iterations 20"
    assert re.search(rf"^next:\n  {again}$", text, re.MULTILINE)


def test_no_K_is_recommended_where_the_data_choose_it(capsys):
    for method, K in (("beta-dir-vb", ""), ("bica", " --components 3")):
        out = run(
            capsys,
            "compare",
            "survey.csv",
            "--methods",
            method,
            "--components",
            "3",
            "--masks",
            "1",
            "--iterations",
            "5",
        ).out
        assert f"next:\n  nbmf fit survey.csv --method {method}{K} --iterations 5\n" in out


def test_where_nothing_is_found_the_next_command_shows_components_all_the_same(here, capsys):
    """Without --no-check it would show none, and say that nbmf compare compares other methods."""
    coins = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (12, 6))).add_prefix("c")
    coins.to_csv("coins.csv", index=False)
    out = run(capsys, "compare", "coins.csv", "--methods", "bica", "--masks", "1", "--iterations", "5").out
    step = "next, to see its components although they may predict no better than baselines:"
    assert re.search(rf"^{step}\n  nbmf fit coins\.csv .*--no-check", out, re.MULTILINE)


def without_progress(error):
    """Return the lines on standard error, but those that a slow machine has time for."""
    return [line for line in error.splitlines() if not line.startswith("check: ")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--methods", "bica", "--set", "alpha=-1"], "--set alpha=-1: must be"),
        (["--methods", "bica", "poisson-gamma-vb"], "CountMatrix"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_fitted(words, said, here, capsys, monkeypatch):
    monkeypatch.setattr("nbmf.cli.commands.compare.run_structure_test", lambda *_, **__: pytest.fail("fitted"))
    assert said in run(capsys, "compare", "survey.csv", *words, code=2).err


def test_a_comparison_without_any_fit_is_an_error(here, capsys):
    error = run(
        capsys, "compare", "survey.csv", "--methods", "logpca", "--components", "99", "--masks", "1", code=2
    ).err
    warning, message = without_progress(error)
    assert warning.startswith("nbmf: warning: --components 99: 30 rows x 20 columns can differ in 20 at most")
    assert message.startswith("nbmf: error: nothing to recommend")
    assert message.endswith("; the scores are in survey.compare/scores.csv")
    scores = pd.read_csv("survey.compare/scores.csv")
    assert scores["status"][scores["method"] == "logpca"].item().startswith("n_components = 99: ")


def test_the_next_command_has_the_settings_with_which_a_method_was_compared(here, capsys):
    words = ["--methods", "bica", "--components", "2", "--masks", "2", "--set", "max_iter=15", "--seed", "3"]
    out = run(capsys, "compare", "survey.csv", *words).out
    command = "nbmf fit survey.csv --method bica --components 2 --set max_iter=15 --seed 3"
    assert f"next:\n  {command}\n" in out


def test_the_command_that_shows_components_all_the_same_has_all_that_was_typed(here, capsys):
    noise = np.random.default_rng(4).integers(0, 2, (30, 12))
    pd.DataFrame(noise).to_csv("noise.csv", index=False)
    words = ["--method", "bica", "--components", "3", "--seed", "7", "--iterations", "30"]
    out = " ".join(run(capsys, "fit", "noise.csv", *words).out.split())
    again = "nbmf fit noise.csv --method bica --no-check --components 3 --iterations 30 --seed 7"
    assert again in out
    assert "component 1" in run(capsys, *again.split()[1:]).out


def test_an_interrupted_comparison_keeps_what_was_finished(here, capsys, monkeypatch):
    def interrupted(*arguments, log, **options):
        log(FitDone(1, 2, {"method": "bica", "K": 2, "perplexity": 0.5, "seconds": 1.0}, "bICA"))
        raise KeyboardInterrupt

    monkeypatch.setattr("nbmf.cli.commands.compare.compare", interrupted)
    error = run(capsys, "compare", "survey.csv", code=130).err
    words = "nbmf: interrupted: the scores of 1 finished fits are in survey.compare/scores.csv"
    assert without_progress(error) == ["", words]
    assert pd.read_csv("survey.compare/scores.csv")["perplexity"].tolist() == [0.5]


# Plot.


def test_plot_draws_a_fit_again(here, capsys, pictures):
    run(capsys, "fit", "survey.csv", *QUICK, "--chains", 1)
    picture = here / "survey.nbmf/dictionary.png"
    before = picture.read_bytes()
    assert run(capsys, "plot", "survey.nbmf").out == (
        "written: survey.nbmf/dictionary.png, survey.nbmf/reconstruction.png\n"
    )
    assert picture.read_bytes() == before
    run(capsys, "plot", "survey.nbmf", "--rows", "5", "--components", "1")
    assert picture.read_bytes() != before
    assert json.loads((here / "survey.nbmf/nbmf.json").read_text())["command"] == "fit"


def test_plot_of_a_model_from_python(here, capsys, pictures):
    nbmf.BinaryICA(2, max_iter=5, random_state=0).fit(TABLE.to_numpy(float, na_value=np.nan)).save("model.npz")
    assert run(capsys, "plot", "model.npz", "--out", "a.pdf").out == "written: a.pdf\n"
    assert (here / "a.pdf").read_bytes().startswith(b"%PDF")
    run(capsys, "plot", "model.npz", "--out", "pictures")
    assert files(here / "pictures") == {"dictionary.png", "nbmf.json"}


# Errors and ends.


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("info nowhere.csv", "nowhere.csv: there is no such file"),
        ("fit survey.csv --components 0", "--components 0: must be an integer of at least 1"),
        ("fit survey.csv --set alfa=1", "--set alfa=1: BetaDirVB has no such setting; .*'alpha'.*"),
        ("fit survey.csv --set alpha=-1", "--set alpha=-1: must be a number from 1e-6 to 1e6.*"),
        ("fit survey.csv --method logpca --components 40", "--components 40: a matrix of .*"),
        ("fit survey.csv --method logpca --draws 5", "LogisticPCA has no posterior .*"),
        ("fit survey.csv --out survey.csv", "survey.csv is a file; --out names a folder"),
        ("compare survey.csv --masks 0", "--masks 0: must be an integer of at least 1"),
        ("plot nowhere", "nowhere: there is no such folder or file; nbmf fit FILE makes one"),
        ("plot .", r"\.: no model.npz in this folder; nbmf fit FILE makes one"),
        ("plot survey.csv", "survey.csv: no fit, which is a folder that nbmf fit has written, or the file of a model"),
        ("plot . --rows 0", "--rows 0: must be an integer of at least 1"),
    ],
)
def test_errors_are_one_line(line, message, capsys):
    error = run(capsys, *shlex.split(line), code=2).err
    assert re.fullmatch(f"nbmf: error: {message}\n", error), error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "compare survey.csv --methods bica,mnb-rows",
            "no method 'bica,mnb-rows'; nbmf compare --methods takes ids separated by blanks; allowed: beta-dir-gs, ",
        ),
        ("fit survey.csv --method vb", "argument --method: no method 'vb'; allowed: beta-dir-gs, "),
        ("fit survey.csv --method bicca", "(did you mean 'bica'?)"),
        ("fit survey.csv --set alpha", "'alpha' is not of the form NAME=VALUE"),
        ("", "the following arguments are required: COMMAND"),
        ("fit survey.csv --output there", "not understood: --output there (did you mean --out?)"),
        ("compare survey.csv --iteration=5 other.csv", "not understood: other.csv; nbmf compare --help"),
        ("fit survey.csv --K 5", "not understood: --K 5 (did you mean --components?)"),
        ("fit -k 5 survey.csv", "(did you mean --components?)"),
        ("compare survey.csv --n_components=5", "not understood: --n_components=5 (did you mean --components?)"),
        ("info survey.csv -k 5", "not understood: -k 5; nbmf info --help"),
        ("fit survey.csv --components five", "argument --components: 'five' is neither an integer nor auto"),
    ],
)
def test_usage_errors_name_the_argument(line, message, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(shlex.split(line))
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert message in error
    assert re.fullmatch(r"nbmf: error: .*\n", error)


def test_warnings_are_a_line_without_a_path(capsys):
    said = run(capsys, "fit", "survey.csv", *QUICK, "--components", "50").err
    many = "30 rows x 20 columns can differ in 20 at most, so that the others describe nothing"
    assert said == f"nbmf: warning: --components 50: {many}\n"
    run(capsys, "fit", "survey.csv", *QUICK, "--components", "20")

    def noisy(options):
        warnings.warn("for programmers", DeprecationWarning, stacklevel=1)
        warnings.warn(Message(Setting("n_components", 3), " is\nfew"), UserWarning, stacklevel=1)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("nbmf.cli.commands.info.run", noisy)
        patched.setattr(sys, "warnoptions", [])
        assert run(capsys, "info", "survey.csv").err == "nbmf: warning: n_components = 3 is few\n"


@pytest.mark.parametrize("above", [[], ["--above", "1"]])
def test_a_network_whose_columns_are_in_another_order(above, capsys, here):
    names = [f"n{i}" for i in range(12)]
    codes = np.triu(np.random.default_rng(0).integers(0, 2, (12, 12)), 1)
    frame = pd.DataFrame(codes + codes.T, names, names)
    (frame * (2 if above else 1)).to_csv("straight.csv")
    (frame * (2 if above else 1))[names[::-1]].to_csv("mixed.csv")
    out = run(capsys, "info", "mixed.csv", *above).out
    assert "columns have the names of the rows in another order: they are put in that of the rows\n" in out
    assert "a network, since rows and columns have the same names; undirected" in out
    for name in ("straight", "mixed"):
        run(capsys, "fit", f"{name}.csv", *above, *QUICK)
    for name in ("W", "expectation"):
        one, other = ((here / f"{which}.nbmf/{name}.csv").read_bytes() for which in ("straight", "mixed"))
        assert one == other


def python(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-u", "-m", "nbmf", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_ctrl_c_ends_it_with_one_line(command, here):
    names = ["--methods" if command == "compare" else "--method", "beta-dir-gs"]
    # Tests that run in the background have a shell that makes them ignore Ctrl-C.
    heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    process = python(command, "survey.csv", *names, "--iterations", "100000000", **heeding)
    try:
        assert "survey.csv" in process.stdout.readline()  # the report of the reader
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=600)
    finally:
        process.kill()
    assert process.returncode == 130
    assert error.strip().startswith("nbmf: interrupted")
    assert len(error.strip().splitlines()) == 1
    assert files(here) == {"survey.csv"}


def test_output_that_nobody_reads_is_no_error():
    with python("info", "survey.csv") as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0


# Progress.


def test_progress_says_nothing_of_the_rest_while_kernels_are_compiled(monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress.Progress("check") as bar:
        for _ in range(10):
            bar.advance(1, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-2] == "check: 9 of 100 (9%)"
    assert lines[-1] == "check: 10 of 100 (10%), 0 s left"


def test_progress_says_how_much_is_left(monkeypatch, capsys):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    with progress.Progress("2 chains") as bar:
        for _ in range(2):
            bar.advance(10, 40)
    assert capsys.readouterr().err.splitlines()[-1] == "2 chains: 20 of 40 (50%), 0 s left"


def test_progress_is_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.Progress("2 chains") as bar:
        time.sleep(0.15)  # more often the bar is not drawn
        bar.advance(10, 40)
    assert "2 chains:  25%" in capsys.readouterr().err


def test_what_a_comparison_has_left_is_judged_method_by_method():
    """A slow method that is done with does not make the others slow."""
    options = types.SimpleNamespace(masks=3, jobs=2)
    rows = [{"method": "slow", "K": 2, "seconds": 100.0}]
    assert np.isnan(compare_command._seconds_left(rows, 6, options))  # the other is unknown
    rows += [{"method": "slow", "K": 2, "seconds": seconds} for seconds in (80.0, math.nan)]
    rows += [{"method": "fast", "K": 9, "seconds": 4.0}]
    assert compare_command._seconds_left(rows, 6, options) == 2 * 4.0 / 2
    rows += [{"method": "fast", "K": 9, "seconds": 1.0}]  # the first has loaded the kernels
    assert compare_command._seconds_left(rows, 6, options) == 1.0 / 2


@pytest.mark.parametrize("total", [1, 37])
def test_every_iteration_is_counted(total):
    steps = []
    counted = types.SimpleNamespace(advance=lambda n, total: steps.append((n, total)))
    nbmf.BinaryICA(2, max_iter=total, random_state=0).fit(
        TABLE.to_numpy(float, na_value=np.nan), monitor=progress.StepCounter(counted, 3 * total)
    )
    assert sum(n for n, _ in steps) == total
    assert {total_of_all for _, total_of_all in steps} == {3 * total}


# Where kernels are kept.


def test_a_home_that_can_be_written_is_used(here, monkeypatch, capsys):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(here))
    kernel_cache.prepare()
    assert "NUMBA_CACHE_DIR" not in os.environ
    assert capsys.readouterr().err == ""


def test_without_a_home_kernels_are_kept_in_a_private_folder(here, monkeypatch, capsys):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(here / "survey.csv"))  # a file: nothing can be below it
    kernel_cache.prepare()
    folder = os.environ.pop("NUMBA_CACHE_DIR")
    assert os.stat(folder).st_mode & 0o077 == 0
    assert "set NUMBA_CACHE_DIR to a folder of yours" in capsys.readouterr().err


def test_a_single_large_fit_takes_all_processors_and_gives_the_same(here, capsys, monkeypatch):
    command = ["fit", "survey.csv", *SWEEPS, "--iterations", "20"]
    run(capsys, *command, "--chains", 1, "--out", "one")
    monkeypatch.setattr("nbmf.analysis.size.SMALL", 0)
    monkeypatch.setattr("nbmf.analysis.fitting.processors", lambda: 2)
    run(capsys, *command, "--chains", 1, "--out", "two")
    assert (here / "one/W.csv").read_bytes() == (here / "two/W.csv").read_bytes()
    assert nbmf.load("two/model.npz").threads == 1
    out = run(capsys, "fit", "survey.csv", *QUICK, "--out", "large").out
    assert "1 start of " in out


def test_a_title_is_that_of_the_method_with_the_settings_of_the_model():
    for entry in METHODS.values():
        model = registry.make_estimator(entry["class"], entry["K"][0], entry["settings"])
        assert model.title == f"{entry['label']}, K = {entry['K'][0]}"
    assert nbmf.BetaDirVB(7, max_iter=3).title == "Beta-Dir VB, K = 7"
    arrays = nbmf.BetaDirGibbs(2, alpha=np.array([1, 2]), gamma=np.array([1, 2]), burn_in=3)
    assert arrays.title == "Beta-Dir GS, K = 2"
    assert nbmf.LogisticFactorGibbs(3, effects="both").title == "logistic GS, row and column effects, K = 3"
    assert nbmf.GaussianFactorVB(4).title == "GaussianFactorVB, K = 4"


def test_a_method_of_the_command_line_has_its_settings(tmp_path, monkeypatch):
    """Its settings in methods.yaml, not those of its class alone."""
    monkeypatch.chdir(tmp_path)
    V = (np.random.default_rng(0).random((12, 9)) < 0.4).astype(int)
    pd.DataFrame(V).to_csv("V.csv")
    assert cli.main(["fit", "V.csv", "--method", "beta-dir-vb-learned", "--iterations", "20"]) == 0
    model = nbmf.load("V.nbmf/model.npz")
    assert (model.alpha, model.orientation, model.n_components) == ("learn-columns", "auto", 100)
    assert model.max_iter == 20


def network(directed):
    rng = np.random.default_rng(0)
    codes = np.triu(rng.random((12, 12)) < 0.4, k=1).astype(int)
    names = [f"node {i}" for i in range(12)]
    return pd.DataFrame(codes if directed else codes + codes.T, names, names)


@pytest.mark.parametrize("directed", [True, False])
def test_a_network_is_recognised(directed, here, capsys):
    network(directed).to_csv("network.csv")
    out = run(capsys, "info", "network.csv").out
    kind = "directed" if directed else "undirected: entries are held out in pairs"
    assert f"a network, since rows and columns have the same names; {kind}; its diagonal" in out
    assert "132 observed entries" in run(capsys, "info", "network.csv", "--no-diagonal").out
    assert "a network" not in run(capsys, "info", "survey.csv").out
    assert "--no-diagonal: no row has the name" in run(capsys, "info", "survey.csv", "--no-diagonal", code=2).err


def test_a_comparison_holds_pairs_of_an_undirected_network_out(here, capsys):
    network(directed=False).to_csv("network.csv")
    command = ["compare", "network.csv", "--methods", "bica", "--components", "2", "--masks", "2"]
    run(capsys, *command, "--iterations", "5")
    held_out = pd.read_csv("network.compare/scores.csv")["n_test"]
    assert (held_out % 2 == 0).all()


# Which method, where none is named.


def axis():
    """Return a matrix whose rows differ along one axis in log-odds, and columns of unlike proportions of ones."""
    rng = np.random.default_rng(0)
    positions = rng.uniform(-4, 4, 40)[:, None]
    p = expit(np.where(np.arange(16) % 2, positions, -positions) + np.linspace(-3, 3, 16))
    return pd.DataFrame((rng.random(p.shape) < p).astype(int))


def test_the_method_that_predicts_better_is_taken_and_named(here, capsys):
    axis().to_csv("axis.csv", index=False)
    text = run(capsys, "fit", "axis.csv", "--out", "open").out
    assert "\nfitted: logistic VB, column effects, K = 8\n" in text
    assert re.search(r"logistic VB, column effects, K = 8 \(this method\) +0\.\d{4}\n", text)
    assert re.search(r"  logistic VB, K = 8 +0\.\d{4} +-?0\.\d+ ± 0\.\d+\n", text)
    assert re.search(r"Beta-Dir VB, learned, K = 100 +0\.\d{4} +0\.\d+ ± 0\.\d+\n", text)
    page = (here / "open/report.html").read_text()
    assert "nbmf fit axis.csv --seed 0" in page  # makes the same again
    assert "method = logistic-vb-columns, n_components = 8, " in page
    named = run(capsys, "fit", "axis.csv", "--method", "logistic-vb-columns", "--out", "named").out
    assert text.split("\n\n")[3:4] == named.split("\n\n")[3:4]  # what is said of the fit
    assert (here / "open/W.csv").read_text() == (here / "named/W.csv").read_text()


def test_effects_are_written_and_described(here, capsys):
    """With those of both sides and draws: values of the model, intervals around them."""
    axis().to_csv("axis.csv", index=False)
    few = "--set effects=both --set burn_in=20 --set n_samples=40 --draws 20 --chains 1"
    command = ["fit", "axis.csv", "--method", "logistic-gs", *few.split(), "--no-check"]
    text = run(capsys, *command, "--out", "both").out
    model, page = nbmf.load("both/model.npz"), (here / "both/report.html").read_text()
    for line, values in {"row": model.row_effects_, "column": model.column_effects_}.items():
        table = pd.read_csv(f"both/{line}_effects.csv", dtype={line: str})
        assert list(table) == [line, "effect", "lower", "upper"]
        np.testing.assert_allclose(table["effect"], values, rtol=1e-5)
        assert (table["lower"] < table["upper"]).all()
    for words in ("axis 1: ", "as in item response theory"):  # effects are in positions and difficulties
        assert words in text
        assert words in page
    without = run(capsys, *command, "--set", "effects=none", "--out", "both").out
    assert "effects" not in without.split("\n\n", 1)[1]
    assert not list(here.glob("both/*_effects.csv"))


@pytest.mark.parametrize("given", ["--components 6", "--set max_iter=20", "--no-check"])
def test_what_is_said_of_a_method_is_said_of_the_first(given, here, capsys):
    axis().to_csv("axis.csv", index=False)
    text = run(capsys, "fit", "axis.csv", *given.split()).out
    assert re.search(r"\nBeta-Dir VB[^\n]*, K = \d+: ", text)
    assert "logistic" not in text.partition("the mixture")[0]  # of which one method is the other


def test_a_warning_is_shown_once_wherever_filters_have_changed(capsys, here, monkeypatch):
    def warn_twice(options):
        for _ in range(2):
            with warnings.catch_warnings():
                warnings.warn("some names have no font", UserWarning, stacklevel=1)

    monkeypatch.setattr("nbmf.cli.commands.info.run", warn_twice)
    assert cli.main(["info", "survey.csv"]) == 0
    assert capsys.readouterr().err == "nbmf: warning: some names have no font\n"
