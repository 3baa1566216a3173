"""nbmf cluster and nbmf topics: what is printed and written, what is refused; the pictures."""

import json
import re
import shlex
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import small_picture
from command_line import run
from feature_tables import DOCUMENTS, TABLE, mixed

import nbmf
from nbmf import cli
from nbmf.cli.arguments import parse, parsers
from nbmf.cli.info.tables import has_answers, uses_of_counts
from nbmf.cli.table_arguments import DOCUMENT_MODELS, TABLE_MODELS
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.loading import load_matrix
from nbmf.errors import ConfigError, DataError
from nbmf.evaluation.component_choice import GRID
from nbmf.families.mixed_membership.feature_model import FeatureModel
from nbmf.plotting import profiles, style

ALWAYS = {"summary.txt", "report.html", "table.npz", "nbmf.json"}
COMPONENTS = {"memberships.csv", "components.csv", "model.npz", "memberships.png"}
QUICK = ["--model", "mnb", "--components", "2", "--starts", "2"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small_picture.draw_quickly(monkeypatch)
    mixed().to_csv("people.csv", index_label="person")
    pd.DataFrame(DOCUMENTS.values().astype(int), columns=DOCUMENTS.column_names).to_csv("counts.csv", index=False)
    yield tmp_path
    plt.close("all")


def files(folder):
    return {path.name for path in Path(folder).iterdir()}


def test_kinds_of_rows_are_found_reported_and_written(capsys):
    out = run(
        capsys,
        "cluster",
        "people.csv",
        "--labels",
        "kind",
        "--kind",
        "visits=count",
        "--components",
        2,
        3,
        "--model",
        "mnb",
    ).out
    assert "count (poisson): visits" in out
    smoothed = "percentages of categories are smoothed, as if each had been seen once more in every component"
    assert smoothed in " ".join(out.split())
    assert re.search(r"^2 components predict better than none, by 0\.\d+ ± 0\.\d+ nats", out, re.M)
    assert re.search(r"^  2 +\d\.\d{4} +\d\.\d{4} +0\.\d+ ± 0\.\d+  <$", out, re.M)
    assert re.search(r"100\.0% of the 90 rows have the commonest label of their\s+component", out)
    assert re.search(r"^  height +-?\d\.\d+ ± \d\.\d+ \(all: \d\.\d+ ± \d\.\d+\)$", out, re.M)
    assert re.search(r"^  job +a \d\d% \(all: \d\d%\)$", out, re.M)
    assert re.search(r"^  visits +\d\.\d+ on average \(all: \d\.\d+\)$", out, re.M)
    assert re.search(r"^  member +\d+% \(all: \d\d%\)$", out, re.M)
    folder = Path("people.clusters")
    assert files(folder) == ALWAYS | COMPONENTS | {"distinguishing.csv", "scores.csv", "labels.csv", "profile.png"}
    assert (folder / "summary.txt").read_text() in out
    model, table = nbmf.load(folder / "model.npz"), load_matrix(folder / "table.npz")
    pd.testing.assert_frame_equal(
        pd.read_csv(folder / "distinguishing.csv", keep_default_na=False, na_values=[""]),
        nbmf.distinguishing(model, table).replace("", np.nan),
        rtol=1e-5,
        check_dtype=False,
    )
    written = pd.read_csv(folder / "memberships.csv")
    assert written.columns.tolist() == ["row", "label", "main", "component 1", "component 2"]
    assert written["row"].tolist() == [f"{n}" for n in range(90)] or written["row"].size == 90
    sizes = pd.read_csv(folder / "components.csv")
    assert written["main"].value_counts().sort_index().tolist() == sizes["rows"].tolist()
    np.testing.assert_allclose(written["component 1"].mean(), sizes["share"][0], rtol=1e-4)
    assert sizes["share"].is_monotonic_decreasing
    labels = pd.read_csv(folder / "labels.csv", index_col="label")
    assert labels.to_numpy().sum() == 90
    assert pd.read_csv(folder / "scores.csv")["K"].tolist() == [2, 3]


def test_the_sheet_and_the_encoding_that_are_named_are_read(capsys):
    with pd.ExcelWriter("two.xlsx") as book:
        for sheet in ("first", "second"):
            mixed().add_prefix(f"{sheet} ").to_excel(book, sheet_name=sheet, index_label="person")
    words = ["--no-check", "--components", "2", "--model", "mnb"]
    assert "second " in run(capsys, "cluster", "two.xlsx", "--name", "second", *words).out
    frame = mixed()
    frame["kind"] = "ž"
    frame.iloc[0, list(frame).index("kind")] = "x"
    frame.to_csv("czech.csv", index_label="person", encoding="cp1250")
    run(capsys, "cluster", "czech.csv", "--encoding", "cp1250", "--labels", "kind", *words)
    assert "ž" in (Path("czech.clusters") / "memberships.csv").read_text(encoding="utf-8")


def test_the_same_command_has_the_same_result_and_other_files_are_left(capsys):
    def numbers():
        run(capsys, "cluster", "people.csv", *QUICK, "--no-check")
        return Path("people.clusters/memberships.csv").read_bytes()

    assert numbers() == numbers()
    assert "scores.csv" not in files("people.clusters")
    Path("mine").mkdir()
    Path("mine/model.npz").write_text("x")
    refused = run(capsys, "cluster", "people.csv", "--out", "mine", code=2)
    assert "was not written by nbmf" in refused.err


def test_nothing_found_shows_no_components(capsys):
    rng = np.random.default_rng(1)
    noise = pd.DataFrame({"x": rng.normal(size=80), "y": rng.choice(list("ab"), 80), "z": rng.normal(size=80)})
    noise.to_csv("noise.csv", index=False)
    out = run(capsys, "cluster", "noise.csv", *QUICK).out
    assert re.search(r"^nothing found: ", out, re.M)
    [suggested] = re.findall(r"^ *(nbmf cluster .*--no-check.*)$", out, re.M)
    assert files("noise.clusters") == ALWAYS | {"scores.csv"}
    refused = run(capsys, "plot", "noise.clusters", code=2).err
    assert "nothing was found there" in refused
    assert "nbmf cluster --no-check shows some" in refused
    out = run(capsys, *shlex.split(suggested)[1:]).out
    assert "component 2" in out
    assert "nothing found" not in out
    assert files("noise.clusters") >= COMPONENTS
    assert "model.npz" in json.loads(Path("noise.clusters/nbmf.json").read_text())["files"]


def test_plot_draws_clusters_again(capsys, here):
    run(capsys, "cluster", "people.csv", "--labels", "kind", *QUICK, "--no-check")
    folder, written = here / "people.clusters", files("people.clusters")
    for name in ("profile.png", "memberships.png"):
        (folder / name).unlink()
    said = run(capsys, "plot", "people.clusters").out
    assert said == "written: people.clusters/profile.png, people.clusters/memberships.png\n"
    assert files(folder) == written
    assert json.loads((folder / "nbmf.json").read_text())["command"] == "cluster"
    figures = []
    for words in (["--rows", 3, "--components", 1], []):
        run(capsys, "plot", "people.clusters", "--out", "a.pdf", *words)
        figures.append(plt.gcf())
        assert Path("a.pdf").exists()
    few, whole = (figure.axes[0].images[0].get_array().shape for figure in figures)
    assert (few, whole) == ((3, 1), (6, 2))
    run(capsys, "plot", "people.clusters/model.npz", "--out", "alone")  # without its table
    assert files("alone") == {"memberships.png", "nbmf.json"}
    nbmf.FeatureTable.from_array(np.ones((2, 2))).save(folder / "table.npz")
    refused = run(capsys, "plot", "people.clusters", code=2).err
    assert "people.clusters/table.npz: columns are not those of the fit" in refused
    TABLE.take_rows(np.arange(40)).save(folder / "table.npz")
    assert "40 rows; those of the fit are 90" in run(capsys, "plot", folder, code=2).err
    model = nbmf.load(folder / "model.npz")
    for call in (nbmf.plot.dictionary, lambda fit: nbmf.plot.reconstruction(fit, TABLE)):
        with pytest.raises(ConfigError, match=r"a FeatureModel.*; nbmf\.plot\.profile, topics and"):
            call(model)


def test_topics_have_words_by_probability_and_most_lifted(capsys):
    out = run(capsys, "topics", "counts.csv", "--components", 2, "--starts", 2).out
    assert re.search(r"^2 topics predict better than none, by .* nats per held-out\s+token", out, re.M)
    assert re.search(r"^  probable +(sea|bus) 0\.\d{3}, (ice|car) 0\.\d{3}, ", out, re.M)
    assert re.search(r"^  typical +\w+ x\d\.\d+, ", out, re.M)
    assert files("counts.topics") == ALWAYS | COMPONENTS | {"topics.csv", "scores.csv", "topics.png"}
    words = pd.read_csv("counts.topics/topics.csv")
    assert set(words["by"]) == {"probability", "lift"}
    for (_, by), own in words.groupby(["topic", "by"]):
        assert own[by].is_monotonic_decreasing
        assert own["place"].tolist() == list(range(1, len(own) + 1))
    np.testing.assert_allclose(words["lift"], words["probability"] / words["overall"], rtol=1e-4)
    assert pd.read_csv("counts.topics/components.csv").columns[2] == "documents"
    said = run(capsys, "plot", "counts.topics", "--rows", 3, "--components", 1).out
    assert said == "written: counts.topics/topics.png, counts.topics/memberships.png\n"
    run(capsys, "plot", "counts.topics", "--rows", 3, "--components", 1, "--out", "a.png")
    (axis,) = (each for each in plt.gcf().axes if each.get_visible())
    assert [text.get_text() for text in axis.get_yticklabels()] == (
        words[(words["topic"] == 1) & (words["by"] == "probability")]["word"].tolist()[:3]
    )


def test_components_that_are_all_the_same_are_reported(capsys):
    counts = np.random.default_rng(0).poisson(0.4, (30, 12))
    pd.DataFrame(counts).to_csv("noise.csv", header=[f"w{n}" for n in range(12)], index=False)
    out = run(capsys, "topics", "noise.csv", "--no-check", "--components", 2, "--starts", 1).out
    assert re.search(r"^COLLAPSED: ", out, re.M)
    assert "COLLAPSED" not in run(capsys, "cluster", "people.csv", *QUICK, "--no-check").out
    page = Path("people.clusters/report.html").read_text()
    assert "nbmf cluster people.csv --model mnb --components 2 --starts 2 --no-check --seed 0" in page
    assert "model = mnb, smoothing = 1.0" in page


def test_texts_become_topics(capsys, here):
    rng = np.random.default_rng(0)
    words = np.array([["sea", "ice", "ship", "fish"], ["road", "car", "bus", "tram"]])
    texts = [" ".join(rng.choice(words[n % 2], 6)) for n in range(40)]
    marks = [f"mark {n % 2}" for n in range(40)]
    pd.DataFrame({"mark": marks, "text": texts}).to_csv("texts.csv", index=False)
    (here / "stop.txt").write_text("ship\nroad\n")
    options = [
        "--text",
        "text",
        "--labels",
        "mark",
        "--stop-words",
        "stop.txt",
        "--no-check",
        "--model",
        "fast-lda",
        "--components",
        "2",
    ]
    out = run(capsys, "topics", "texts.csv", *options).out
    assert "left out: 2 words to ignore" in out
    assert "Fast LDA" in out
    assert "100.0% of the 40 documents" in out
    assert "labels.csv" in files("texts.topics")
    run(capsys, "topics", "texts.csv", *options[:2], "--stop-words", "english", *options[-5:])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cluster people.csv --components 0", "--components 0: must be an integer of at least 1"),
        ("cluster people.csv --starts 0", "--starts 0"),
        ("cluster people.csv --smoothing -1", "--smoothing -1.0"),
        ("cluster people.csv --no-check", "--no-check: nothing chooses then"),
        ("cluster people.csv --labels species", "no column 'species'"),
        ("cluster people.csv --kind job=real", "column 'job': 'a'; allowed in a real column"),
        ("cluster people.csv --model mnb --components 100", "--components 100: must be a number from 2 to 85"),
        ("cluster people.csv --no-check --model mnb --components 100", "allowed: at most"),
        ("topics counts.csv --word w", "--document, --word and --count go together"),
        ("topics counts.csv --layout long --word w", "--document, --word and --count go together"),
        ("topics counts.csv --document d --word w --count n", "--document, --word and --count go together"),
        ("topics people.csv", "--ignore height leaves the column out, --labels height keeps it"),
        ("topics nothing.csv", "there is no such file"),
    ],
)
def test_what_is_wrong_is_one_line(words, said, capsys):
    refused = run(capsys, *words.split(), code=2)
    assert refused.err.startswith("nbmf: error: ")
    assert refused.err.count("\n") == 1
    assert said in refused.err


@pytest.mark.parametrize(
    "words", ["cluster f.csv --kind a=reel", "cluster f.csv --kind real", "topics f.csv --model mnb"]
)
def test_arguments_are_checked(words, capsys):
    with pytest.raises(SystemExit):
        cli.main(words.split())
    assert "error" in capsys.readouterr().err


def test_models_of_the_commands_are_those_of_the_family():
    from nbmf.cli.commands import topics
    from nbmf.cli.commands.topics import MODELS

    assert tuple(MODELS) == DOCUMENT_MODELS
    told = parsers()[1]
    for command, grid in (("cluster", GRID), ("topics", topics.GRID)):
        assert f"(default: {' '.join(map(str, grid))})" in " ".join(told[command].format_help().split())
    for given in [*({"model": name} for name in TABLE_MODELS), *MODELS.values()]:
        FeatureModel(2, **given).check_parameters()


def test_the_example_is_written_with_what_to_type_next(capsys):
    out = run(capsys, "example", "penguins").out
    assert "licence: CC0" in out
    assert out.endswith("next:\n  nbmf cluster penguins.csv --labels species\n")
    assert "penguins: " in run(capsys, "example").out
    assert "is a table, no matrix" in run(capsys, "example", "penguins", "--layout", "long", code=2).err


# --- Info -----------------------------------------------------------------------------------------


def next_of(said):
    """The commands that are told, as they are typed."""
    return re.findall(r"^  nbmf (.*)$", said, re.MULTILINE)


def lists():
    """A line per document and word that it has, with a count; once a line per pair."""
    counts = pd.DataFrame(DOCUMENTS.values().astype(int), DOCUMENTS.row_names, DOCUMENTS.column_names).stack()
    return counts[counts > 0].reset_index().set_axis(["page", "word", "n"], axis=1)


def test_info_says_what_a_table_is_and_points_to_cluster(capsys):
    out = run(capsys, "info", "people.csv").out
    assert out.startswith("people.csv, line 2, column 'height': the value is ")
    assert "no matrix of zeros and ones or of counts, but a table\n" in out.replace("\n  ", " ")
    assert "90 rows x 5 columns" in out
    assert "real (gaussian): height" in out
    assert next_of(out) == ["cluster people.csv"]
    out = run(
        capsys,
        "info",
        "people.csv",
        "--groups",
        "kind",
        "--ignore",
        "height",
        "--missing",
        "",
        "--missing",
        "no one",
        "--header",
        "--index",
    ).out
    words = "cluster people.csv --labels kind --ignore height --missing '' --missing 'no one' --header --index"
    assert next_of(out) == [words]
    run(capsys, *shlex.split(next_of(out)[0]), *QUICK, "--no-check", "--starts", 1)


def test_info_points_from_texts_and_lists_to_topics(capsys):
    texts = [f"word{n} and word{n % 7} of ship {n}" for n in range(60)]
    frame = pd.DataFrame({"mark": [n % 2 for n in range(60)], "said": texts})
    frame.to_csv("t.csv", index=False)
    assert next_of(run(capsys, "info", "t.csv", "--groups", "mark").out) == ["topics t.csv --text said --labels mark"]
    frame.assign(age=np.arange(60) / 7).to_csv("t.csv", index=False)
    out = run(capsys, "info", "t.csv", "--groups", "mark").out
    assert "column 'said' has texts, of 6.0 words on average" in out
    assert next_of(out) == ["topics t.csv --text said --labels mark", "cluster t.csv --labels mark --ignore said"]
    lists().to_csv("long.csv", index=False)
    out = run(capsys, "info", "long.csv").out
    assert "a list with a line per entry: 'page', 'word', 'n'" in out
    assert next_of(out) == ["info long.csv --layout long --counts", "topics long.csv --layout long"]
    lists().assign(n=1).to_csv("ones.csv", index=False)
    assert next_of(run(capsys, "info", "ones.csv").out) == ["info ones.csv --layout presence"]
    again = pd.concat([lists().assign(n=1), lists().assign(n=1).head(2)])  # two records twice
    again.to_csv("ones.csv", index=False)
    assert next_of(run(capsys, "info", "ones.csv").out) == ["info ones.csv --layout presence"]
    lists()[["page", "word"]].to_csv("pairs.csv", index=False)
    out = run(capsys, "info", "pairs.csv").out
    assert "a list with a line per one: 'page', 'word'" in out
    assert next_of(out) == ["info pairs.csv --layout presence"]


def test_info_names_the_columns_of_records_that_may_be_rows_and_columns(capsys):
    """Of occurrences as GBIF has them, with the genus of each species, and of ties of three years."""
    n = np.arange(600)
    species = {"genus": [f"G{k % 22 // 2}" for k in n], "scientificName": [f"species {k % 22}" for k in n]}
    frame = pd.DataFrame({**species, "locality": [f"Site {k}" for k in n * 7 % 60], "year": 2001 + n % 4})
    frame.to_csv("occurrences.tsv", sep="\t", index=False)
    out = " ".join(run(capsys, "info", "occurrences.tsv").out.split())
    assert "names that come again are in 'locality' (60 different), 'scientificName' (22 different), 'genus' (11" in out
    command = "info occurrences.tsv --layout presence --row scientificName --column locality"
    assert out.endswith(f"nbmf {command}")
    assert "22 rows x 60 columns" in run(capsys, *shlex.split(command)).out
    frame[["locality", "year"]].to_csv("one.csv", index=False)  # has no second column of names
    assert "if each line is a record" not in run(capsys, "info", "one.csv", code=2).err
    ties = pd.DataFrame({"from": [f"n{k % 101}" for k in n[:300]], "to": [f"n{k % 103}" for k in n[:300]]})
    pd.concat([ties.assign(year=year) for year in (2010, 2015, 2020)]).to_csv("years.csv", index=False)
    assert next_of(run(capsys, "info", "years.csv").out) == ["info years.csv --layout presence --row from --column to"]


def diagnoses(repeats=1):
    """Return lines of a patient's number, a diagnosis and a date; each pair comes so often."""
    rng = np.random.default_rng(0)
    pairs = [(patient, code) for patient in range(5001, 5101) for code in rng.choice(12, 4, replace=False)]
    dates = (f"2023-01-{rng.integers(10, 29)}" for _ in range(repeats * len(pairs)))
    lines = [f"{patient},F{code}.1,{date}" for (patient, code), date in zip(repeats * pairs, dates, strict=True)]
    return rng.permutation(lines).tolist()


@pytest.mark.parametrize(
    ("name", "repeats", "fields", "command"),
    [
        ("patient_id", 1, 2, "info d.csv --layout presence"),  # nothing but pairs
        ("level", 1, 2, "info d.csv --layout presence"),
        ("patient_id", 1, 3, "info d.csv --layout presence"),
        ("level", 1, 3, "cluster d.csv --ignore date"),  # numbers that may be a measurement
        ("user", 1, 3, "info d.csv --layout presence"),
        ("PatientNo", 3, 3, "info d.csv --layout presence --row PatientNo --column icd10"),  # and dates are no names
    ],
)
def test_lists_of_numbered_people_are_no_tables(capsys, name, repeats, fields, command):
    lines = [",".join(line.split(",")[:fields]) for line in [f"{name},icd10,date", *diagnoses(repeats)]]
    Path("d.csv").write_text("\n".join(lines))
    assert next_of(run(capsys, "info", "d.csv").out) == [command]


def test_numbers_with_fractions_name_nobody(capsys):
    lines = [line.replace(",F", ".5,F", 1) for line in ["patient_id,icd10,date", *diagnoses()]]
    Path("d.csv").write_text("\n".join(lines))
    assert next_of(run(capsys, "info", "d.csv").out) == ["cluster d.csv --ignore date"]


def test_invoices_of_which_some_have_letters_are_named_with_what_was_bought(capsys):
    lines = [
        f"{'C' * (n % 9 == 0)}{5000 + n // 5},{80 + n * n % 23},{1 + n % 4},2.5,12/{1 + n % 28}/2010 8:26"
        for n in range(300)
    ]
    Path("retail.csv").write_text("\n".join(["InvoiceNo,StockCode,Quantity,UnitPrice,InvoiceDate", *lines]))
    command = "info retail.csv --layout presence --row InvoiceNo --column StockCode"
    assert next_of(run(capsys, "info", "retail.csv").out) == [command]


def test_info_reads_the_same_sheet_again(capsys):
    """Of texts, lists and tables: each command that it prints runs, though there are two sheets."""
    texts = pd.DataFrame(
        {"said": [f"word{n} and word{n % 7} of ship {n}" for n in range(60)], "age": np.arange(60) / 7}
    )
    with pd.ExcelWriter("book.xlsx") as book:
        for name, frame in (("texts", texts), ("pairs", lists()[["page", "word"]]), ("counted", lists())):
            frame.to_excel(book, sheet_name=name, index=False)
    printed = {name: next_of(run(capsys, "info", "book.xlsx", "--name", name).out) for name in ("pairs", "counted")}
    assert printed["pairs"] == ["info book.xlsx --layout presence --name pairs"]
    assert printed["counted"] == [
        "info book.xlsx --layout long --counts --name counted",
        "topics book.xlsx --layout long --name counted",
    ]
    of_texts = next_of(run(capsys, "info", "book.xlsx", "--name", "texts").out)
    assert of_texts == ["topics book.xlsx --text said --name texts", "cluster book.xlsx --ignore said --name texts"]
    for command in [*printed["pairs"], printed["counted"][0]]:
        run(capsys, *shlex.split(command))


def test_info_reads_a_list_in_the_same_encoding_without_what_is_ignored(capsys, here):
    pairs = lists()[["page", "word"]].replace({"word": {lists()["word"][0]: "É"}})
    pairs.insert(1, "comment", "a text")
    pairs.insert(0, "kind", "Ä")
    (here / "p.csv").write_text(pairs.to_csv(index=False), encoding="cp850")
    given = ["--groups", "kind", "--ignore", "comment", "--encoding", "cp850"]
    (printed,) = next_of(run(capsys, "info", "p.csv", *given).out)
    words = "info p.csv --layout presence --groups kind --row page --column word --encoding cp850"
    assert printed == words
    assert "É" in run(capsys, *shlex.split(printed)).out


def test_info_declares_gaps_that_look_like_options(capsys, here):
    values = np.random.default_rng(0).integers(0, 2, (30, 5)).astype(str).astype(object)
    values[::7, 2] = "--"
    values[::9, 3] = "-x"
    pd.DataFrame(values, [f"p{n}" for n in range(30)]).add_prefix("q").to_csv("-gaps.csv", index_label="who")
    printed = next_of(run(capsys, "info", "--", "-gaps.csv").out)[0]
    assert printed.startswith("fit ./-gaps.csv --missing=-- --missing=-x")
    out = run(capsys, "info", *shlex.split(printed)[1:]).out
    assert "30 rows x 5 columns" in out
    assert next_of(out)[0] == printed


def test_info_of_a_matrix_with_a_wrong_cell_tells_it_as_one(capsys, here, monkeypatch):
    cells = np.random.default_rng(0).integers(0, 2, (30, 8)).astype(object)
    for name, wrong in (("half", 2.5), ("word", "maybe")):
        cells[3, 4] = wrong
        pd.DataFrame(cells).to_csv(f"{name}.csv", index=False, header=list("abcdefgh"))
        told = run(capsys, "info", f"{name}.csv").out
        assert f"{name}.csv, line 5, column 'e': the value is '{wrong}'\n{name}.csv: all columns fit a matrix" in told
        assert told.endswith(f"next:\n  nbmf fit {name}.csv --missing {wrong}\n")
    for options in (["--layout", "long"], ["--ones", "a"], ["--above", 0], ["--transpose"]):
        refused = run(capsys, "info", "people.csv", *options, code=2).err
        assert "a table" not in refused
    assert "no such file" in run(capsys, "info", "nothing.csv", code=2).err
    days = pd.DataFrame({"x": np.arange(40) / 7, "day": "2020-01-02", "job": ["a", "b"] * 20})
    days["day"] = [f"2020-01-{n % 28 + 1:02}" for n in range(40)]
    days.to_csv("days.csv", index=False)
    with monkeypatch.context() as less:
        less.setattr("nbmf.cli.info.glance.MOST_BYTES", Path("days.csv").stat().st_size - 1)
        assert "for nbmf cluster" not in run(capsys, "info", "days.csv", code=2).err
    said = run(capsys, "info", "days.csv").out
    assert "days.csv: column 'day' has dates" in said
    assert "--kind day=category" in " ".join(said.split())
    assert next_of(said) == ["cluster days.csv --ignore day"]
    days[["x", "day"]].to_csv("days.csv", index=False)  # one column alone is no table
    refused = run(capsys, "info", "days.csv", code=2).err
    assert "as a table, for nbmf cluster: days.csv: column 'day' has dates" in refused
    assert "--ignore day leaves it out" in refused


def test_info_of_a_list_of_ratings_points_to_what_cuts_them(capsys, here):
    lines = [f"u{f},m{n},{5 - (f * n) % 5}" for f in range(8) for n in range(6) if (f + n) % 3]
    (here / "rated.csv").write_text("user,movie,rating\n" + "\n".join(lines) + "\n")
    assert next_of(run(capsys, "info", "rated.csv").out) == ["info rated.csv --layout long"]


@pytest.mark.parametrize(
    ("options", "uses"),
    [
        ("", ["topics counts.csv", "cluster counts.csv"]),
        (
            "--groups a --ignore b",
            ["topics counts.csv --labels a --ignore b", "cluster counts.csv --labels a --ignore b"],
        ),
        ("--transpose", ["topics counts.csv --transpose"]),
        (
            "--layout long --row a --column b --value c",
            ["topics counts.csv --layout long --document a --word b --count c"],
        ),
        ("--layout long --row a", ["topics counts.csv --layout long"]),
        (
            "--name b --encoding cp850",
            [f"{command} counts.csv --name b --encoding cp850" for command in ("topics", "cluster")],
        ),
        ("--above 1", ["cluster counts.csv"]),
    ],
)
def test_info_says_what_else_counts_may_be(options, uses):
    parsed = parse(["info", "counts.csv", *options.split()])
    few = CountMatrix.from_array(np.diag([3, 1, 2]))
    told = [re.search(r": nbmf (.*)$", line)[1] for line in uses_of_counts(few, parsed)]
    assert told == uses
    many = CountMatrix.from_array([[0, 1], [2, 3]])  # in which hardly a word is missing
    assert not any("topics" in line for line in uses_of_counts(many, parsed))
    for file in ("counts.mtx", "counts.npz"):
        other = parse(["info", file, *options.split()])
        assert not any("cluster" in line for line in uses_of_counts(few, other))


# --- Pictures -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return FeatureModel(2, model="mnb", random_state=0).fit(TABLE)


def test_memberships_are_drawn_in_the_order_of_groups_and_components(model):
    axis = nbmf.plot.memberships(model, groups=TABLE.row_groups)
    image = np.asarray(axis.images[0].get_array())
    assert image.shape == (90, profiles.PIXELS, 3)
    blue = np.array(plt.matplotlib.colors.to_rgb(style.colour_of_component(0)))
    first = np.isclose(image, blue).all(axis=2).mean(axis=1)  # the share of the first component
    order = np.argsort(-model.memberships_.mean(axis=0))
    middles = (np.arange(profiles.PIXELS) + 0.5) / profiles.PIXELS
    covered = (middles < model.memberships_[:, order[:1]]).mean(axis=1)
    np.testing.assert_allclose(sorted(first), sorted(covered), atol=1e-12)
    assert axis.images[0].get_extent() == [0, 1, 89.5, -0.5]
    largest = TABLE.row_groups == "kind 0"
    mean = model.memberships_[largest, order[0]].mean()
    np.testing.assert_allclose(first[: largest.sum()].mean(), mean, atol=0.004)
    with pytest.raises(DataError, match="2 given for 90 rows"):
        nbmf.plot.memberships(model, groups=["a", "b"])


def test_of_many_rows_some_are_drawn(model, monkeypatch):
    monkeypatch.setattr(profiles, "MOST_ROWS", 40)
    axis = nbmf.plot.memberships(model)
    assert len(axis.images[0].get_array()) == 30
    assert axis.get_ylabel() == "90 rows, 30 of them drawn"


def test_profiles_have_values_and_colours(model):
    axis = nbmf.plot.profile(model, TABLE)
    names = [text.get_text() for text in axis.get_yticklabels()]
    assert set(names) == {"height", "visits", "member", "job = a", "job = b", "job = c"}
    told = nbmf.distinguishing(model, TABLE)
    most = told.groupby(["column", "category"])["nats"].max().sort_values(ascending=False)
    assert names == [c + (f" = {category}" if category else "") for c, category in most.index]
    drawn = np.asarray(axis.images[0].get_array())
    texts = np.array([text.get_text() for text in axis.texts[: drawn.size]]).reshape(drawn.shape)
    for name, law in (("height", "real"), ("visits", "count"), ("member", "binary")):
        for number in (1, 2):
            row = told[(told["column"] == name) & (told["component"] == number)].iloc[0]
            p = row["overall"]
            spread = {"count": p, "binary": p * (1 - p)}.get(law, row["overall_sd"] ** 2)
            sd = np.sqrt(spread)
            place = names.index(name), number - 1
            assert drawn[place] == pytest.approx((row["value"] - p) / sd)
            shown = {"binary": ".0%", "count": ".3g"}.get(law, ".1f")  # of a height to a tenth
            assert texts[place] == f"{row['value']:z{shown}}"
    few = nbmf.plot.profile(model, TABLE, lines=2, ax=plt.subplots()[1])
    assert len(few.get_yticks()) == 2
    assert few.get_title() == "the 2 most distinctive of 6"


def test_topics_are_drawn_with_their_most_probable_words():
    model = FeatureModel(2, smoothing=0.1, random_state=0).fit(DOCUMENTS)
    axes = nbmf.plot.topics(model, DOCUMENTS, words=3)
    assert len(axes) == 2
    for axis, (_, own) in zip(axes, nbmf.distinguishing(model, DOCUMENTS).groupby("component"), strict=True):
        top = own.nlargest(3, "value")
        assert [text.get_text() for text in axis.get_yticklabels()] == top["column"].tolist()
        np.testing.assert_allclose([bar.get_width() for bar in axis.patches], top["value"])
        np.testing.assert_allclose(axis.collections[0].get_offsets()[:, 0], top["overall"])


def test_pictures_of_something_else_are_refused(model):
    for call, words in (
        (lambda: nbmf.plot.topics(model, TABLE), "a table of features; nbmf.plot.profile"),
        (lambda: nbmf.plot.profile(model, TABLE, lines=0), "lines = 0"),
        (lambda: nbmf.plot.profile(model, TABLE, components=0), "components = 0"),
        (lambda: nbmf.plot.memberships(nbmf.MNB(2)), "a FeatureModel is needed, not a MNB"),
    ):
        with pytest.raises(ConfigError, match=words):
            call()


@pytest.mark.parametrize(("answers", "are_most"), [(10, False), (11, True)])
def test_answers_are_two_values_in_more_than_half_of_the_cells(answers, are_most):
    cells = [*("yes" if n % 2 else "no" for n in range(answers)), *(f"text {n}" for n in range(20 - answers)), None]
    assert has_answers({"first": cells[:10], "second": cells[10:]}) is are_most
