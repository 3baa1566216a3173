"""docs/publish.py: what it makes of the files of a run."""

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import pandas as pd
import pytest
from made_up_run import made_up
from PIL import Image

from nbmf.errors import NbmfError
from nbmf.fit_key import FitKey
from nbmf_studies.lumbreras2020.claims import Results

PATH = Path(__file__).parents[2] / "docs/publish.py"
PUBLISHED = PATH.parents[1] / "reference/all_methods"


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def publish():
    return load(PATH)


@pytest.fixture
def redraw(publish, monkeypatch):
    monkeypatch.setitem(sys.modules, "publish", publish)  # the script imports the other
    return load(PATH.with_name("redraw.py"))


@pytest.fixture
def join(redraw, monkeypatch):
    monkeypatch.setitem(sys.modules, "redraw", redraw)
    return load(PATH.with_name("join_published.py"))


def scores(method, perplexities, dataset="animals", active=7):
    rows = [
        {
            "dataset": dataset,
            "method": method,
            "K": 100,
            "mask": mask,
            "seed": 0,
            "perplexity": value,
            "active_components": active,
        }
        for mask, value in enumerate(perplexities)
    ]
    return pd.DataFrame(rows)


def test_a_table_in_markdown(publish):
    table = pd.DataFrame({"quantity": ["D(V|V^)"], "median_value": [0.5], "none": [None]})
    assert publish.markdown(table) == (
        "| quantity | median value | none |\n| --- | --- | --- |\n| D(V\\|V^) | 0.5 |  |"
    )


def test_starts_are_compared_mask_by_mask(publish):
    random = scores("beta-dir-gs", [0.5, 0.6, 0.7])
    other = scores("beta-dir-gs-mean-field", [0.4, 0.65, 0.6], active=5)
    row = publish.compare_starts(random, other).iloc[0]
    assert (row["method"], row["random start"], row["mean-field start"]) == ("beta-dir-gs", 0.6, 0.6)
    assert row["median of paired differences"] == -0.1
    assert (row["masks where mean-field is better"], row["masks"]) == (2, 3)
    assert (row["active, random"], row["active, mean-field"]) == (7, 5)


def test_orientations_are_compared_by_their_medians(publish):
    as_it_is = pd.concat([scores("bica", [0.5, 0.6, 0.9]), scores("bica", [0.1], "paleo")])
    as_in_the_text = scores("bica", [0.3, 0.4, 0.5])
    table = publish.compare_orientations(as_it_is, as_in_the_text)
    assert list(table.columns) == ["dataset", "method", "K", "scripts", "text"]
    assert table.to_numpy().tolist() == [["animals", "bica", 100, 0.6, 0.4]]


def some(run, datasets):
    return Results(*(table[table["dataset"].isin(datasets)] for table in run))


TURNED = ["animals", "lastfm"]
WORSE_ON_LASTFM = {("lastfm", "logpca", 2): 0.49, ("paleo", "logpca", 2): 0.9}


def test_claims_are_judged_in_both_orientations(publish):
    """With the turned datasets in the place of the run's, and with them alone."""
    run, other = made_up(), some(made_up(WORSE_ON_LASTFM), TURNED)
    verdicts, differing = publish.compare_verdicts(run, publish.replace_datasets(run, other))
    assert verdicts["number"].tolist() == [1, 2, 3, 4, 5, 6]
    assert verdicts["verdict: scripts"].tolist() == ["reproduced"] * 6
    assert verdicts["verdict: text"].tolist() == [*["reproduced"] * 3, "partly", *["reproduced"] * 2]
    assert verdicts["parts that hold: text"].tolist()[3] == "11 of 12"
    differing = differing.set_index(["number", "where"])
    alone = [(4, f"{words} on lastfm") for words in ("marginally", "with a suitable K alone")]  # of what is better
    assert differing.index.tolist() == [(4, "better on lastfm"), *alone]
    assert differing["holds: scripts"].tolist() == [True] * 3
    assert differing["holds: text"].fillna("").tolist() == [False, "", ""]
    assert differing["evidence: text"].iloc[0].startswith("logPCA 0.4900 (K = 2)")


def test_traces_are_turned_with_the_scores(publish):
    """Where the text's Beta-Dir VB starts as low as the others, it does not start higher."""
    run, other = made_up(), some(made_up(), ["lastfm"])
    first = (other.traces["method"] == "beta-dir-vb") & (other.traces["iteration"] == 1)
    other = other._replace(traces=other.traces.assign(perplexity=other.traces["perplexity"].mask(first, 0.7)))
    _, differing = publish.compare_verdicts(run, publish.replace_datasets(run, other))
    assert differing["number"].tolist() == [5]


def test_an_unfinished_run_is_not_put_in_the_place_of_another(publish):
    run, other = made_up(), some(made_up(), TURNED)
    fewer = other._replace(scores=other.scores[other.scores["mask"] < 4])
    with pytest.raises(SystemExit, match=r"not that of the same fits: 18 of either .*'animals'"):
        publish.replace_datasets(run, fewer)
    without = made_up(methods=dict.fromkeys(("bica", "c-bica"), 0))
    with pytest.raises(SystemExit, match="have no partner"):
        publish.replace_datasets(without, other)


def test_the_page_has_the_verdicts_of_both_and_what_differs(publish):
    run = made_up()
    text = "\n".join(publish.sections_of_orientations(run, some(made_up(WORSE_ON_LASTFM), TURNED)))
    assert "### The claims in both orientations" in text
    assert "| 4 | better on lastfm | True | logPCA 0.4700" in text
    assert "| method | K | animals, scripts | animals, text | lastfm, scripts | lastfm, text |" in text
    assert "| bica | 5 | 0.5 | 0.5 | 0.5 | 0.5 |" in text
    assert "None." in publish.sections_of_orientations(run, some(run, TURNED))


def test_comparisons_with_other_runs_stay_while_the_scores_do(publish, tmp_path, capsys):
    others = dict.fromkeys(("loss", "active_components", "n_iter", "n_test", "saturated", "W_min", "W_max"), 1)
    scores = made_up().scores.assign(settings="{}", **others)
    scores.to_csv(tmp_path / "old.csv", index=False)
    scores.iloc[::-1].assign(perplexity=scores["perplexity"] * (1 + 1e-12)).to_csv(tmp_path / "new.csv", index=False)
    assert publish.same_scores(tmp_path / "old.csv", tmp_path / "new.csv")
    scores.assign(perplexity=scores["perplexity"] * 1.002).to_csv(tmp_path / "new.csv", index=False)
    assert not publish.same_scores(tmp_path / "old.csv", tmp_path / "new.csv")
    assert not publish.same_scores(tmp_path / "none.csv", tmp_path / "new.csv")
    (tmp_path / "docs").mkdir()
    begin, end = publish.MARKS[0].format("lumbreras2020"), publish.MARKS[1]
    titles = ["### The paper's claims", "### The claims in both orientations", "### The start of the chains: two"]
    (tmp_path / "docs/lumbreras2020.md").write_text("\n\n".join([begin, *(f"{title}\n\nold" for title in titles), end]))
    sections = ["### The paper's claims", "### The start of the chains: two"]
    assert publish.sections_that_stay(sections, True, tmp_path) == [f"{titles[1]}\n\nold"]
    assert capsys.readouterr().out == "as published: ### The claims in both orientations\n"
    assert publish.sections_that_stay(sections, False, tmp_path) == []
    assert "left out" in capsys.readouterr().out


HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time"


def benchmarked(folder, **jobs):
    """Write benchmark files as Snakemake does: seconds and MiB of each; None is one not seen."""
    for name, (seconds, memory) in jobs.items():
        file = folder / f"{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        rest = ["NA"] * 8 if memory is None else [f"{memory:.2f}", *["0.00"] * 7]
        file.write_text("\n".join([HEADER, "\t".join([f"{seconds:.2f}", "0:00:01", *rest]), ""]))


BICA = "fits/animals/bica/K2"


def test_jobs_are_counted_by_rule(publish, tmp_path):
    run, data = tmp_path / "benchmarks", tmp_path / "data"
    benchmarked(
        run,
        **{
            f"{BICA}-mask0-seed0": (1.5, 170),
            f"{BICA}-mask1-seed0": (2.0, 1000),
            f"{BICA}-masknone-seed0": (4.0, 190),
            "tables/claims": (0.3, 80),
            "tables/scores": (0.2, None),
            "environments/of/make-benchmark": (9.0, 9),
        },
    )
    benchmarked(data, **{"datasets/animals": (0.5, 70), "kernels": (60.0, 500)})
    table = publish.jobs(run, data).set_index("rule")
    assert table.loc["dataset"].tolist() == [1, 0.5, 0.5, 73]
    assert table.loc["fit"].tolist() == [2, 3.5, 2.0, 1049]
    assert table.loc["fit_keeping_factors"].tolist() == [1, 4.0, 4.0, 199]
    assert table.loc["tables"].tolist() == [2, 0.5, 0.3, 84]
    assert table.loc["kernels"].tolist() == [1, 60.0, 60.0, 524]
    assert len(table) == 5


def published_time(publish, results, elapsed=100.0):
    options = argparse.Namespace(results=results, elapsed=elapsed, cores=2)
    return "\n".join(publish.time_and_memory(options, results / "lumbreras2020"))


def test_where_the_time_went_is_said_of_fits_made_in_one_job_alone(publish, tmp_path, monkeypatch):
    """Not of one that went on from a checkpoint, nor of one that an earlier run has made."""
    monkeypatch.setattr(publish, "ROOT", tmp_path / "elsewhere")
    assert published_time(publish, tmp_path) == "No benchmark file was left by this run."
    fit = tmp_path / f"{BICA}-mask0-seed0.json"
    fit.parent.mkdir(parents=True)
    for seconds, in_one in ((3.0, True), (30.0, False)):
        fit.write_text(json.dumps({"seconds": seconds}))
        benchmarked(tmp_path / "benchmarks", **{f"{BICA}-mask0-seed0": (5.0, 100)})
        text = published_time(publish, tmp_path)
        assert "| fit | 1 | 5 | 5 | 105 |" in text
        assert ("Fits took 3 of them" in text) is in_one
        assert ("is not said: 1 of 1 fits were not made in one job" in text) is not in_one
    fit.write_text(json.dumps({"seconds": 3.0}))
    assert "its jobs took longer than it" in published_time(publish, tmp_path, elapsed=2.0)
    fit.write_text(json.dumps({"seconds": 30.0}))
    fit.with_name("K2-mask1-seed0.json").write_text(json.dumps({"seconds": 0.1}))
    assert "2 of 2 fits" in published_time(publish, tmp_path)
    assert published_time(publish, tmp_path, elapsed=None).startswith("| rule |")


def test_figures_are_those_of_the_study_that_were_drawn(publish, tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("figure_10", "figure_2", "figure_99"):
        (tmp_path / f"figures/{name}.png").touch()
    assert publish.figures_of(tmp_path) == {
        "figure_2": "Figure 2: matrices drawn from the models",
        "figure_10": "Figure 10: held-out log loss",
    }


def test_the_whole_run_is_accounted_for(publish):
    table = pd.DataFrame({"rule": ["fit", "fit_keeping_factors", "tables"], "seconds in all": [150.0, 50.0, 10.0]})
    text = publish.whole_run(160.0, table, elapsed=120.0, cores=2)
    assert "took 2.0 minutes on 2 cores, that is 240 core-seconds. Fits took 160 of them." in text
    assert "40 (25.0 %) for their jobs to import" in text
    assert "10 (6.2 %) for the other jobs" in text
    assert "30 (18.8 %) for what no job accounts for" in text


MARK = "<!-- results of all_methods: written by a script -->"


@pytest.mark.parametrize("page", [None, "other.md"])
def test_a_study_is_published_from_the_files_of_its_run(publish, tmp_path, monkeypatch, capsys, page):
    """Tables of the report and figures that are there, with captions; the scores as reference."""
    monkeypatch.setitem(sys.modules, "publish", publish)
    study = load(PATH.with_name("publish_study.py"))
    results = tmp_path / "results"
    for folder in ("all_methods/tables", "all_methods/figures", "fits"):
        (results / folder).mkdir(parents=True)
    for folder in ("docs/figures", "reference"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/first.md").write_text("# Another\n")
    if page:
        (tmp_path / "docs" / page).write_text(
            f"# By hand\n\n{MARK}\n\nOld.\n\n<!-- end of results -->\n\nMore by hand.\n"
        )
    for table in study.all_studies()["all_methods"].tables:
        if table.name == "baselines":  # as of data that are not at hand
            continue
        pd.DataFrame({"value": [0.12345678]}).to_csv(results / f"all_methods/tables/{table.name}.csv", index=False)
    long = pd.DataFrame({"value": [0.12345678] * publish.LONG, "word": None})
    long.to_csv(results / "all_methods/tables/ranking.csv", index=False)
    Image.new("RGB", (4, 4)).save(results / "all_methods/figures/figure_10.png")
    (results / "fits/one.json").write_text('{"versions": {"python": "3"}}')
    monkeypatch.setattr(study, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["publish_study.py", "all_methods", "--results", str(results)])
    for _ in range(2):  # the second time in the place of the first
        study.main()
    text = (tmp_path / "docs" / (page or "all_methods.md")).read_text(encoding="utf-8")
    if page:
        assert text.startswith(f"# By hand\n\n{MARK}\n\n## Results of the published run\n")
        assert text.endswith("\n\n<!-- end of results -->\n\nMore by hand.\n")
        assert "Old." not in text
    assert text.count("![Figure 10 of all methods](figures/all_methods_figure_10.png)") == 1
    assert "calibration.png" not in text  # was not drawn
    shown = sum(t.in_report for t in all_tables(study, "all_methods"))
    assert text.count("| 0.1235 |") == shown - 2
    assert "### Baselines" not in text
    said = capsys.readouterr().out.splitlines()
    assert said == ["not among the results, so not on the page: Baselines"] * 2
    link = f"[ranking.csv](../reference/all_methods/ranking.csv), {publish.LONG} rows."
    assert f"\n{link}\n" in text
    kept = (tmp_path / "reference/all_methods/ranking.csv").read_text().splitlines()
    assert kept == ["value,word", *["0.1235,"] * publish.LONG]
    assert (tmp_path / "docs/figures/all_methods_figure_10.png").exists()
    assert (tmp_path / "reference/all_methods/scores.csv").exists()


def test_what_a_run_does_not_have_stays_on_the_page_if_it_is_to(publish, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "publish", publish)
    study = load(PATH.with_name("publish_study.py"))
    results = tmp_path / "results"
    for folder in ("results/all_methods/tables", "results/fits", "docs/figures", "reference"):
        (tmp_path / folder).mkdir(parents=True)
    old = "### Baselines\n\nOld words.\n\n| 1 |\n\n### Figure 10 of all methods\n\nDrawn.\n\n![It](figures/it.png)"
    old += "\n\n### Ranking of the methods\n\nOld ranks.\n\n### Gone\n\nNo such table."
    (tmp_path / "docs/page.md").write_text(
        f"# By hand\n\n{MARK}\n\nOld.\n\n{old}\n\n<!-- end of results -->\n\nBy hand.\n"
    )
    ranking = next(table for table in all_tables(study, "all_methods") if table.name == "ranking")
    (tmp_path / "docs/page.md").write_text(
        (tmp_path / "docs/page.md").read_text().replace("Ranking of the methods", ranking.title)
    )
    pd.DataFrame({"value": [0.25]}).to_csv(results / "all_methods/tables/ranking.csv", index=False)
    (tmp_path / "reference/all_methods").mkdir()
    pd.DataFrame({"value": range(40)}).to_csv(tmp_path / "reference/all_methods/summary.csv", index=False)
    monkeypatch.setattr(study, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["publish_study.py", "all_methods", "--results", str(results), "--keep"])
    study.main()
    text = (tmp_path / "docs/page.md").read_text(encoding="utf-8")
    assert "### Baselines\n\nOld words.\n\n| 1 |\n\nOf an earlier run.\n" in text
    assert text.count("![It](figures/it.png)") == 1
    assert "| 0.25 |" in text
    assert "[summary.csv](../reference/all_methods/summary.csv), 40 rows. Of an earlier run." in text
    study.main()
    assert (tmp_path / "docs/page.md").read_text(encoding="utf-8") == text
    assert not any(gone in text for gone in ("Old ranks", "Gone", "Old."))
    assert text.endswith("<!-- end of results -->\n\nBy hand.\n")


def all_tables(study, key):
    return study.all_studies()[key].tables


def test_a_figure_is_drawn_anew_from_published_tables_without_methods_that_have_no_scores(redraw, tmp_path):
    plan = redraw.shipped_plan("all_methods")
    figures = {figure.name: figure for figure in redraw.all_studies()["all_methods"].figures_of(plan)}
    tables = redraw.read_needs(figures["figure_10"], plan, PUBLISHED)
    assert set(tables) == {"scores", "baselines"}
    few = tables["scores"].query("method in ['bica', 'lda', 'beta-dir-vb']")
    drawing = redraw.drawn(figures["figure_10"], plan, tables | {"scores": few})
    named = {text.get_text() for text in drawing.axes[0].get_yticklabels()}
    assert {"bICA", "Beta-Dir VB"} <= named
    assert "c-bICA" not in named
    assert redraw.read_needs(figures["calibration"], plan, tmp_path) is None
    (tmp_path / "reliability.csv").write_text("dataset,mean p\nanimals,0.5\n")
    assert redraw.read_needs(figures["calibration"], plan, tmp_path)["reliability"]["mean_p"].tolist() == [0.5]
    assert redraw.picture_of("all_methods", "figure_10").name == "all_methods_figure_10.png"
    assert redraw.picture_of("lumbreras2020", "eta").name == "eta.png"


def of_fits(of_method):
    rows = [(FitKey("animals", method, 8, mask, 0), value) for method, by in of_method.items() for mask, value in by]
    return pd.DataFrame([{**key.columns(), "perplexity": value} for key, value in rows])


def test_published_scores_are_joined_of_methods_that_predict_as_when_they_were_published(join, capsys):
    """Others have those of the run alone; the order is that of the study."""
    run = of_fits({"new": [(0, 0.3), (1, 0.4)], "same": [(0, 0.5)], "changed": [(0, 0.6), (1, 0.7)]})
    same, changed = [(0, 0.5 + 1e-9), (1, 0.55), (2, 0.9)], [(0, 0.61), (1, 0.7)]
    published = of_fits({"same": same, "changed": changed, "gone": [(0, 1)]})
    plan = argparse.Namespace(
        masked_fits=[FitKey("animals", name, 8, mask, 0) for name in ("changed", "same", "new") for mask in (0, 1)]
    )
    scores = join.join_scores(plan, run, published)
    expected = of_fits({"changed": [(0, 0.6), (1, 0.7)], "same": [(0, 0.5), (1, 0.55)], "new": [(0, 0.3), (1, 0.4)]})
    pd.testing.assert_frame_equal(scores, expected, check_exact=True)
    assert join.describe_sources(scores, run).startswith("6 fits: 5 of the last run, 1 published before (")
    said = capsys.readouterr().out
    assert "3 fits that are in both; the same score: 1" in said
    assert "changed: 1 differ, by up to 0.01: the run's alone" in said
    assert "same: 1 differ, by up to 1e-09: rounding" in said
    with pytest.raises(NbmfError, match="1 fits are in neither; the first: animals, new, K = 8, mask 1, seed 0"):
        join.join_scores(plan, run.drop(index=1), published)


def test_calibration_is_joined_of_a_run_that_has_every_fit_at_the_best_K(join, tmp_path, capsys):
    fits = [FitKey("animals", "bica", K, mask, 0) for K in (2, 4) for mask in (0, 1)]
    scores = pd.DataFrame([{**fit.columns(), "perplexity": 1 / fit.K} for fit in fits])
    best = join.fits_at_best_K(argparse.Namespace(masked_fits=fits), scores)
    assert best == fits[2:]
    report = {"further_scores": {"calibration": {"entries": [3, 1], "sum_p": [0.6, 0.9], "ones": [1, 1]}}}
    reports = {fit: tmp_path / f"{fit.mask}.json" for fit in best}
    for file in reports.values():
        file.write_text(json.dumps(report))
    table = tmp_path / "calibration.csv"
    join.write_calibration(table, best, {best[0]: reports[best[0]]})
    assert "2 fits at the best K, of which the run lacks 1: no calibration" in capsys.readouterr().out
    assert not table.exists()
    join.write_calibration(table, best, reports)
    calibration = pd.read_csv(table)
    assert calibration["K"].unique().tolist() == [4]
    assert calibration.groupby("mask")["entries"].sum().tolist() == [4, 4]


def test_what_needs_joined_tables_alone_is_made_from_them(join, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "figures").mkdir()
    for name in ("scores", "baselines"):
        table = join.read(PUBLISHED / f"{name}.csv")
        if name == "scores":
            table = table.query("method in ['fast-mmnb-rows', 'beta-dir-vb']")
        table.to_csv(tmp_path / f"tables/{name}.csv", index=False)
    made = list(join.make_products(join.shipped_plan("all_methods"), tmp_path))
    assert made == ["summary", "ranking", "overview", "figure_10", "score_and_time"]
    published = join.read(PUBLISHED / "ranking.csv").query("method in ['fast-mmnb-rows', 'beta-dir-vb']")
    ranking = pd.read_csv(tmp_path / "tables/ranking.csv").query("K > 0")
    assert len(published) == 10
    assert ranking["mean"].tolist() == pytest.approx(published["mean"].tolist(), abs=1e-4)
    assert (tmp_path / "figures/score_and_time.png").is_file()
