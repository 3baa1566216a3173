"""Adding a method, a figure and a study as docs/extending.md says; and what each touches."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from checkout import ROOT
from finished_run import TINY, finished_run

pytestmark = pytest.mark.workflow

BLOCK = re.compile(
    r"^```\{code-block\} (?P<language>\w+)\n:caption: (?P<file>[^,\n]+)(?:, (?P<where>[^\n]+))?\n"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PAGE = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
PROMISES = "tests/library/contract/test_every_fit.py"
METHOD, FIGURE, STUDY = "Add a method", "Add a figure or a table", "Add a study"
SECTIONS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))


def apply(section: str, folder: Path) -> dict[str, str]:
    """Do what a section says; return the files it names and what was there before, or ""."""
    before = {}
    for block in BLOCK.finditer(SECTIONS[section]):
        path = folder / block["file"]
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        before.setdefault(block["file"], text)
        where = block["where"]
        if where is None:
            assert not text, f"{block['file']} is there already"
            new = block["text"]
        elif where == "at its end":
            new = text + block["text"]
        else:
            assert where == "above STUDY"
            name = block["text"].split(" = ")[0]
            new = text.replace("STUDY = Study(", block["text"] + "\n\nSTUDY = Study(")
            new = new.replace("    figures=(\n", f"    figures=(\n        {name},\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(new, encoding="utf-8")
    return before


@pytest.fixture
def checkout(tmp_path_factory):
    """A checkout in which the tiny workflow has run."""
    return finished_run(tmp_path_factory, "checkout")


def with_methods(*methods):
    """Return TINY with other methods of all_methods."""
    studies = {**TINY["studies"], "all_methods": {**TINY["studies"]["all_methods"]}}
    studies["all_methods"]["methods"] = list(methods)
    return {**TINY, "studies": studies}


def touched(before):
    """Return how many files are new, and how many were changed."""
    return sum(not text for text in before.values()), sum(bool(text) for text in before.values())


def test_a_method_is_a_file_and_an_entry(checkout):
    assert touched(apply(METHOD, checkout.folder)) == (1, 1)
    config = with_methods("bica", "row-clusters")
    planned = checkout.planned(config, "all_methods_figure_10")
    assert planned["fit"] == 2 * 2  # masks, K: those of bica are not run again
    done = checkout.snakemake("all_methods_figure_10", config=config)
    assert done.returncode == 0, done.stdout
    scores = pd.read_csv(checkout.folder / "results/tiny/all_methods/tables/scores.csv")
    own = scores[scores["method"] == "row-clusters"]
    assert len(own) == 4
    assert own["perplexity"].between(0.3, 0.8).all()
    assert set(own["status"]) == {"ok"}
    # Without a list of methods it is one of all.
    everything = {
        **TINY,
        "results": "results/other",
        "studies": {"all_methods": {"datasets": ["beta_dir_1"], "masks": 1}},
    }
    every = checkout.snakemake("-n", "all_methods", config=everything)
    assert "fit row-clusters, K = 3" in every.stdout


def test_a_method_of_the_page_is_on_the_command_line(checkout):
    apply(METHOD, checkout.folder)
    rows = ["row," + ",".join(f"c{n}" for n in range(6))]
    rows += [f"r{f}," + ",".join(str(int((n < 3) == (f < 4))) for n in range(6)) for f in range(8)]
    (checkout.folder / "two.csv").write_text("\n".join(rows) + "\n")
    ran = subprocess.run(
        [sys.executable, "-m", "nbmf", "fit", "two.csv", "--method", "row-clusters"],
        cwd=checkout.folder,
        env=checkout.environment(PYTHONPATH=str(checkout.folder / "src")),
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "clusters of rows, K = 2: 2 active components" in ran.stdout
    W = pd.read_csv(checkout.folder / "two.nbmf/W.csv", index_col=0).to_numpy()
    assert (W[:4].argmax(axis=1) == W[0].argmax()).all()
    assert (W[4:].argmax(axis=1) != W[0].argmax()).all()
    # Another process opens the fit, though nothing has imported the class there.
    (checkout.folder / "two.nbmf/dictionary.png").unlink()
    drawn = subprocess.run(
        [sys.executable, "-m", "nbmf", "plot", "two.nbmf"],
        cwd=checkout.folder,
        env=checkout.environment(PYTHONPATH=str(checkout.folder / "src")),
        capture_output=True,
        text=True,
    )
    assert drawn.returncode == 0, drawn.stderr
    assert (checkout.folder / "two.nbmf/dictionary.png").exists()


def test_a_figure_is_a_function_and_an_entry(checkout):
    assert touched(apply(FIGURE, checkout.folder)) == (1, 1)
    assert checkout.planned(TINY, "lumbreras2020_seconds") == {"lumbreras2020_seconds": 1}
    done = checkout.snakemake("lumbreras2020_seconds", config=TINY)
    assert done.returncode == 0, done.stdout
    assert (checkout.folder / "results/tiny/lumbreras2020/figures/seconds.png").stat().st_size > 3000
    assert checkout.planned(TINY, "lumbreras2020_seconds") == {}
    module = checkout.folder / "src/nbmf_studies/lumbreras2020/seconds.py"
    module.write_text(module.read_text().replace("median)", "median, s)"))
    assert checkout.planned(TINY, "lumbreras2020_seconds") == {"lumbreras2020_seconds": 1}


def test_a_study_is_a_folder_and_a_file_of_configuration(checkout):
    before = apply(STUDY, checkout.folder)
    assert touched(before) == (4, 0)
    assert {str(Path(file).parent) for file in before} == {"src/nbmf_studies/components2026", "config/studies"}
    config = {
        "results": "results/tiny",
        "studies": {"components2026": {"masks": 1}},
        "methods": {name: {"K": [8], "settings": {"max_iter": 10}} for name in ("beta-dir-vb", "dir-beta-vb")},
    }
    done = checkout.snakemake("components2026", config=config)
    assert done.returncode == 0, done.stdout
    folder = checkout.folder / "results/tiny/components2026"
    claims = pd.read_csv(folder / "tables/claims.csv")
    assert len(claims) == 2 * 2
    assert set(claims["holds"]) <= {True, False}
    assert (folder / "figures/figure_1.png").stat().st_size > 3000


def test_the_table_of_what_a_new_thing_touches_is_that_of_these_sections(checkout):
    """Its numbers are counted here; a study's row names the places of its files instead."""
    row = re.compile(r"^\| \[[\w ]+\]\(#([\w-]+)\) \| ([^|]+) \| (\d)\b", re.MULTILINE)
    shown = {place: (files, int(entries)) for place, files, entries in row.findall(PAGE)}
    sections = {name.lower().replace(" ", "-"): name for name in (METHOD, FIGURE, STUDY)}
    assert shown.keys() == sections.keys()
    for place, (files, entries) in shown.items():
        before = apply(sections[place], checkout.folder)
        assert touched(before)[1] == entries, place
        new = [Path(file) for file, text in before.items() if not text]
        if files[0].isdigit():
            assert len(new) == int(files[0]), place
        else:
            folders = {file.parent for file in new if file.suffix == ".py"}
            others = [file for file in new if file.suffix != ".py"]
            assert (len(folders), len(others)) == (1, 1), place
            assert "a folder in `nbmf_studies`" in files
            assert f"`{others[0].with_name('<key>.yaml')}`" in files


def test_what_every_class_promises_is_asked_of_a_class_outside_too(tmp_path):
    """And what it does not keep is seen."""
    (block,) = [each for each in BLOCK.finditer(SECTIONS[METHOD]) if each["language"] == "python"]
    broken = "    def mean_at(self, factors, rows, columns):\n        return np.full(len(rows), 0.5)\n\n    def _start"
    for module, text in (("mine", block["text"]), ("broken", block["text"].replace("    def _start", broken))):
        (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
        asked = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--also", f"{module}:RowClusters", "-k", "RowClusters", PROMISES],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
            capture_output=True,
            text=True,
        )
        assert (asked.returncode == 0) == (module == "mine"), asked.stdout
        assert ("a_part_of_the_mean_is_that_of_the_whole" in asked.stdout) == (module == "broken")
