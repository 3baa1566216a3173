"""What the report opens with: the figure and table of each study, what is missing or left out."""

import base64
import contextlib
import os
from types import SimpleNamespace

import pytest

from nbmf.errors import ConfigError
from nbmf_studies.framework.declaration import Figure, Study, Table
from nbmf_studies.framework.needs import tables
from nbmf_studies.pipeline import front_page, targets
from nbmf_studies.pipeline.paths import Paths

PLAN = SimpleNamespace(methods=["bica"])
PNG = bytes(range(256)) * 300


def product(kind, name, **further):
    return kind(name, f"The {name}", make="none:none", caption="none.rst", **further)


FIGURES = [
    product(Figure, "first", needs=tables("scores")),
    product(Figure, "main"),
    product(Figure, "asked", on_request="confirm"),
]
TABLES = [product(Table, "scores"), *(product(Table, name, in_report=True) for name in ("summary", "claims"))]


@pytest.fixture
def paths(tmp_path):
    paths = Paths(str(tmp_path), "matrices", "toy")
    for folder in ("figures", "tables", "partial"):
        (tmp_path / "toy" / folder).mkdir(parents=True)
    return paths


def make(paths, figures=(), tables=()):
    for name in figures:
        with open(paths.figure(name, "png"), "wb") as file:
            file.write(PNG)
    for name in tables:
        with open(paths.table(name), "w") as file:
            file.write("claim\n")


def page(paths, front=("main", "claims")):
    study = Study("toy", "Toy", "Nobody (2026)", tuple(FIGURES), tuple(TABLES), front)
    made = targets.Targets(FIGURES, TABLES, ["toy: far is left out: it is not here"])
    return front_page.study_summary(targets.StudyRun(study, PLAN, made, paths))


def picture(shown):
    return base64.b64decode(shown["uri"].removeprefix("data:image/png;base64,"))


def test_a_finished_run_opens_with_what_its_study_names(paths):
    make(paths, ["first", "main"], ["scores", "summary", "claims"])
    shown = page(paths)
    assert (shown["key"], shown["title"], shown["missing"]) == ("toy", "Toy", [])
    assert shown["figure"]["title"] == "The main"
    assert not shown["figure"]["gaps"]
    assert picture(shown["figure"]) == PNG
    assert max(map(len, shown["figure"]["uri"].splitlines())) < 10_000  # docutils takes no more
    assert shown["table"] == {"title": "The claims", "path": paths.table("claims")}
    assert shown["methods"] == ["bica"]
    assert shown["left_out"] == ["toy: far is left out: it is not here"]


def test_without_names_it_is_the_first_of_each_in_the_report(paths):
    make(paths, ["first", "main"], ["scores", "summary", "claims"])
    shown = page(paths, front=())
    assert (shown["figure"]["title"], shown["table"]["title"]) == ("The first", "The summary")


def test_an_unfinished_run_says_what_is_missing_of_the_report(paths):
    make(paths, ["first"], ["summary"])
    shown = page(paths)
    assert shown["missing"] == ["The main", "The claims"]
    assert shown["figure"] is shown["table"] is None


def test_a_picture_with_gaps_is_better_than_none(paths, tmp_path):
    (tmp_path / "toy/partial/main.png").write_bytes(b"with gaps")
    shown = page(paths)
    assert shown["figure"]["gaps"]
    assert picture(shown["figure"]) == b"with gaps"
    make(paths, ["main"])
    assert picture(page(paths)["figure"]) == PNG


def test_a_study_with_no_figure_and_no_table_has_none(paths):
    study = Study("toy", "Toy", "Nobody (2026)", (), ())
    shown = front_page.study_summary(targets.StudyRun(study, PLAN, targets.Targets([], [], []), paths))
    assert (shown["figure"], shown["table"], shown["missing"]) == (None, None, [])


def test_a_figure_with_the_caption_of_a_table_is_named(paths, tmp_path):
    """Whose picture the report would take for text, and there would be none of any study."""
    (tmp_path / "none.rst").write_text("All.\n\n.. csv-table::\n   :file: {{ snakemake.output[0] }}\n")
    study = Study("toy", "Toy", "Nobody (2026)", tuple(FIGURES), tuple(TABLES))
    make(paths, ["first"], ["claims"])
    words = r"toy: 'first' is a figure, but its caption none\.rst shows a table \(\.\. csv-table::\); name another one"
    for figures, is_refused in ((FIGURES[:1], True), ([], False)):
        run = targets.StudyRun(study, PLAN, targets.Targets(figures, TABLES[1:], []), paths)
        with pytest.raises(ConfigError, match=words) if is_refused else contextlib.nullcontext():
            front_page.report_arguments({"run": {"studies": ["toy"]}}, {"toy": run}, tmp_path)


def test_a_report_has_the_pages_of_what_is_run_and_the_captions_of_all(paths, tmp_path, capsys):
    (tmp_path / "none.rst").write_text(
        "{% if true %}\nOf {{ snakemake.config.run.studies[0] }}: {{ snakemake.output[0] }}\n{% endif %}\n"
        "{% if 'scores' in snakemake.input %}\nand its scores\n{% endif %}\n"
    )
    study = Study("toy", "Toy", "Nobody (2026)", tuple(FIGURES), tuple(TABLES))
    make(paths, ["first", "main"], ["summary", "claims"])
    run = targets.StudyRun(study, PLAN, targets.Targets(FIGURES, TABLES, []), paths)
    other = targets.StudyRun(Study("other", "Other", "", (), ()), PLAN, targets.Targets([], [], []), paths)
    found = front_page.report_arguments({"run": {"studies": ["toy"]}}, {"other": other, "toy": run}, tmp_path)
    assert found["front_pages"] == [page(paths, front=()) | {"left_out": []}]
    files = [paths.figure(name, "png") for name in ("first", "main", "asked")]
    files += [paths.table(name) for name in ("summary", "claims")]
    captions = {file: f"Of toy: {file}\n" for file in files}
    captions[files[0]] += "and its scores\n"
    assert found["captions"] == captions
    assert capsys.readouterr().err == ""
    os.remove(paths.table("claims"))
    front_page.report_arguments({"run": {"studies": ["toy"]}}, {"toy": run}, tmp_path)
    assert capsys.readouterr().err == "toy: not here yet: The claims\n"
