"""The workflow itself, run as a user would, on a copy of this checkout and tiny settings; plans: test_dry_runs.py."""

import json
import re
import subprocess
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from checkout import Checkout
from finished_run import (
    FIGURES,
    N_FITS,
    N_TOYS,
    N_UNMASKED_FITS,
    NONE_OF_THE_PAPER,
    STUDY,
    TABLES,
    TINY,
    changed,
    finished_run,
    studying,
    target,
)

from nbmf.data.matrix import BinaryMatrix

pytestmark = pytest.mark.workflow


def showing(**changes):
    """Return TINY with other options of its figures and tables."""
    return studying(options={**STUDY["options"], **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A checkout in which two studies have run."""
    return finished_run(tmp_path_factory, "finished")


def test_a_run_produces_the_scores(finished):
    scores = finished.table("scores")
    assert len(scores) == N_FITS
    assert scores["perplexity"].between(0, 10).all()
    assert set(scores["status"]) <= {"ok", "not converged"}


def test_a_run_produces_every_table_and_none_else(finished):
    folder = finished.folder / "results/tiny/lumbreras2020"
    assert {path.stem for path in (folder / "tables").iterdir()} == TABLES.keys()
    for name, rows in TABLES.items():
        assert rows is None or len(finished.table(name)) == rows


def test_a_run_produces_every_figure_and_none_else(finished):
    folder = finished.folder / "results/tiny/lumbreras2020/figures"
    expected = {f"{figure}.{suffix}" for figure in FIGURES for suffix in ("pdf", "png")}
    assert {path.name for path in folder.iterdir()} == expected
    for path in folder.iterdir():
        head = path.read_bytes()[:8]
        assert head.startswith(b"%PDF-" if path.suffix == ".pdf" else b"\x89PNG\r\n")
        assert path.stat().st_size > 4000, path.name


def test_unmasked_fits_see_everything_and_leave_their_factors(finished):
    scores = finished.table("unmasked_scores")
    assert set(scores["n_test"]) == {100 * 100}
    assert set(scores["unit"]) == {"nats per observed entry"}
    for fit in scores.itertuples():
        stem = f"results/tiny/fits/{fit.dataset}/{fit.method}/K{fit.K}-masknone-seed{fit.seed}"
        with np.load(finished.folder / f"{stem}.npz") as factors:
            assert factors["W"].shape == (100, fit.K)
    chains = scores[scores["method"] == "beta-dir-gs"]
    assert chains["loss"].nunique() == len(chains) == 2


@pytest.mark.parametrize(
    ("fit", "key"),
    [
        ("c-bica/K3-mask1-seed0", ["fit", "beta_dir_1", "bica", 3, 1, 0]),
        ("beta-dir-gs/K10-masknone-seed1", ["complete", "beta_dir_1", "beta-dir-gs", 10, 1]),
    ],
)
def test_random_streams_have_their_names(finished, fit, key):
    """Published scores depend on them; c-bICA starts as bICA."""
    file = finished.folder / f"results/tiny/fits/beta_dir_1/{fit}.json"
    assert json.loads(file.read_text())["seed_key"] == key


def test_chains_are_diagnosed_from_the_sweeps_after_the_burn_in(finished):
    diagnostics = finished.table("diagnostics").set_index("method")
    assert list(diagnostics.index) == ["beta-dir-gs", "dir-dir-gs"]
    assert diagnostics["chains"].tolist() == [2, 2]
    assert diagnostics["draws"].tolist() == [10, 10]
    assert not diagnostics["converged"].any()


def test_logs_show_progress_and_say_that_they_ended(finished):
    folder = finished.folder / "results/tiny"
    text = next((folder / "logs/fits/beta_dir_1/beta-dir-gs").glob("*.log")).read_text()
    assert re.search(r"iteration 30 of 30 \(100%\), [\d.]+ per second, \d+ s left", text)
    logs = list(folder.rglob("*.log"))
    assert len(logs) > N_FITS + N_UNMASKED_FITS + len(FIGURES) + len(TABLES)
    for log in logs:
        assert log.read_text().splitlines()[-1] == "finished", log


def test_every_job_leaves_its_time_and_memory(finished):
    """Beside each log, but those of what is downloaded for another configuration."""
    folder = finished.folder / "results/tiny"
    measured = {path.relative_to(folder) for path in folder.rglob("benchmarks/**/*.tsv")}
    for log in folder.rglob("*.log"):
        name = str(log.relative_to(folder).with_suffix(".tsv")).replace("logs/", "benchmarks/", 1)
        assert Path(name) in measured, log
    assert len(measured) > N_FITS + N_UNMASKED_FITS + len(FIGURES) + len(TABLES)
    data = finished.folder / "data/benchmarks"
    assert {path.stem for path in data.rglob("*.tsv")} >= {"kernels", *STUDY["datasets"]}
    chain = "benchmarks/fits/beta_dir_1/beta-dir-gs/K10-mask0-seed0.tsv"
    last = pd.read_csv(folder / chain, sep="\t").iloc[-1]
    report = json.loads((folder / chain.removeprefix("benchmarks/")).with_suffix(".json").read_text())
    assert last["s"] > report["seconds"]
    assert 50 < last["max_rss"] < 1000  # MiB


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """Another checkout, in which a part of the tiny workflow has run, on one core.

    And how many threads Snakemake had at most, where Linux tells.
    """
    checkout = Checkout(tmp_path_factory.mktemp("part"))
    config = studying(
        datasets=["dir_dir_0.1"],
        methods=STUDY["methods"][::-1],
        masks=1,
        unmasked={**STUDY["unmasked"], "beta_dir_1": None},
    )
    config = {**config, "studies": {"lumbreras2020": config["studies"]["lumbreras2020"]}}
    names = ("scores", "traces", "unmasked_scores", "unmasked_traces")
    command = checkout.command("--cores", "1", *(target(f"table_{name}") for name in names), config=config)
    checkout.most_threads = 0
    with (
        open(checkout.folder / "output.txt", "w") as output,
        subprocess.Popen(
            command, cwd=checkout.folder, env=checkout.environment(), stdout=output, stderr=output
        ) as process,
    ):
        status = Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            threads = re.search(r"^Threads:\s+(\d+)$", status.read_text(), re.MULTILINE)
            checkout.most_threads = max(checkout.most_threads, int(threads[1]) if threads else 0)
            time.sleep(0.1)
    assert process.returncode == 0, (checkout.folder / "output.txt").read_text()
    return checkout


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_snakemake_starts_no_timer_for_every_job_that_has_finished(part):
    """Each would wake it up once a second to the end of the run (see the Snakefile)."""
    # 6, and two that watch the running job; a timer per finished job makes more than 15.
    assert 0 < part.most_threads <= 12


@pytest.mark.parametrize("name", ["scores", "traces", "unmasked_scores", "unmasked_traces"])
def test_another_checkout_on_one_core_gives_the_same_numbers(finished, part, name):
    """Fits do not depend on what else is run: other datasets and masks, the order of methods."""
    theirs, ours = part.table(name), finished.table(name)
    key = [column for column in ("method", "K", "mask", "seed", "iteration") if column in ours]
    ours = ours[ours["dataset"] == "dir_dir_0.1"]
    if "mask" in ours:
        ours = ours[ours["mask"] == 0]
    pd.testing.assert_frame_equal(
        *(table.sort_values(key, ignore_index=True) for table in (theirs, ours)), check_exact=True
    )


def test_without_chains_and_without_unmasked_fits_figures_are_drawn(part):
    """No method samples, so there are no diagnostics; then there are no unmasked fits either."""
    unmasked = {**NONE_OF_THE_PAPER, "dir_dir_0.1": {"logpca": {"K": [2], "seeds": 1}}}
    options = {**STUDY["options"], "figure_8": {"dataset": "dir_dir_0.1", "K": {"logpca": 2}}}
    less = {"datasets": ["dir_dir_0.1"], "masks": 1, "options": options}
    config = studying(unmasked=unmasked, **less)
    done = part.snakemake(target("figure_8"), config=config)
    assert done.returncode == 0, done.stdout
    assert target("table_diagnostics") not in part.planned(config)
    config = studying(unmasked=None, **less)
    done = part.snakemake(target("figure_10"), config=config)
    assert done.returncode == 0, done.stdout
    planned = part.planned(config).keys()
    without = ("table_diagnostics", "table_unmasked_scores", "figure_8")
    assert not planned & {"fit_keeping_factors", *map(target, without)}


def test_swapping_two_hyperparameters_and_appending_a_K_runs_the_fits_they_touch(finished):
    swapped = {"settings": {"alpha": 2, "beta": 1}}
    planned = finished.planned(changed(TINY, c_bica=swapped, bica={"K": [2, 3, 4]}))
    assert planned["fit"] == 2 * 2 + 2 * 2
    assert "fit_keeping_factors" not in planned


def test_more_masks_and_datasets_add_only_their_jobs(finished):
    planned = finished.planned(studying(masks=3, datasets=["dir_beta_1", *STUDY["datasets"]]))
    assert planned["fit"] == N_FITS * (3 * 3 - 2 * 2) // (2 * 2)
    assert "fit_keeping_factors" not in planned


def test_another_seed_of_an_unmasked_fit_and_another_chain_add_just_their_fits(finished):
    """Settings of a chain that are not given, as its burn-in, keep the defaults of the class."""
    mine = {"class": "BetaDirGibbs", "label": "mine", "K": [10]}
    chains = {"beta-dir-gs": {"K": [10], "seeds": 3}, "mine": {"K": [10], "seeds": 2}}
    grids = {**STUDY["unmasked"]["beta_dir_1"], **chains}
    config = studying(unmasked={**STUDY["unmasked"], "beta_dir_1": grids})
    planned = finished.planned({**config, "methods": {**TINY["methods"], "mine": mine}})
    assert planned["fit_keeping_factors"] == 1 + 2
    after = ("table_unmasked_scores", "table_diagnostics", "traces_beta-dir-gs", "traces_mine")
    assert planned.keys() >= set(map(target, after))
    assert not planned.keys() & {"fit", "mask", target("table_sensitivity"), target("figure_11")}


def test_studies_share_their_fits(finished):
    """Of the other study's all are there, but for those of a method that this one does not run."""
    config = json.loads(json.dumps(TINY))
    config["studies"]["all_methods"]["methods"].append("beta-dir-vb")
    planned = finished.planned(config, "all_methods")
    assert planned["fit"] == 2
    assert planned["all_methods_figure_10"] == planned["all_methods_table_ranking"] == 1


def test_another_study_is_a_target_with_a_folder_of_its_own(finished):
    folder = finished.folder / "results/tiny/all_methods"
    tables = {path.stem for path in (folder / "tables").iterdir()}
    calibration = {"calibration", "reliability", "calibration_errors"}
    assert tables == {"scores", "summary", "baselines", "overview", "ranking"} | calibration
    assert {path.name for path in (folder / "figures").iterdir()} == {
        f"{figure}.{suffix}" for figure in ("figure_10", "calibration", "score_and_time") for suffix in ("pdf", "png")
    }
    ranking = pd.read_csv(folder / "tables/ranking.csv")
    assert set(ranking["method"]) >= {"bica", "logpca", "overall-proportion"}
    assert ranking["mean"].is_monotonic_increasing
    errors = pd.read_csv(folder / "tables/calibration_errors.csv").set_index("method")
    same = ranking.set_index("method").loc[errors.index]
    pd.testing.assert_series_equal(errors["log_score"], same["mean"], check_names=False)
    pd.testing.assert_series_equal(errors["brier"], same["brier"])
    scores = pd.read_csv(folder / "tables/scores.csv")
    bins = pd.read_csv(folder / "tables/calibration.csv")
    key = ["method", "K", "mask"]
    assert bins.groupby(key)["entries"].sum().equals(scores.groupby(key)["n_test"].sum())


def test_a_transposed_dataset_is_the_other_with_its_axes_exchanged(finished):
    """Under the same name, in a folder of its own: the other's fits stay as they are."""
    folder = "results/turned/matrices"
    config = {**TINY, "matrices": folder, "datasets": {"beta_dir_1": {"transpose": True}}}
    done = finished.snakemake(f"{folder}/beta_dir_1.npz", config=config)
    assert done.returncode == 0, done.stdout
    assert (finished.folder / "results/turned/logs/datasets/beta_dir_1.log").exists()
    matrices = [BinaryMatrix.load(finished.folder / place / "beta_dir_1.npz") for place in (folder, "data/matrices")]
    np.testing.assert_array_equal(matrices[0].codes, matrices[1].codes.T)
    assert not np.array_equal(matrices[0].codes, matrices[1].codes)
    np.testing.assert_array_equal(matrices[0].row_names, matrices[1].column_names)


# --- What reruns what ------------------------------------------------------------------------


@contextmanager
def edited(checkout, name):
    """A file of the checkout with a line more; a file that is not there is made."""
    file = checkout.folder / name
    original = file.read_text() if file.exists() else None
    file.write_text((original or '"""New."""\n') + "# edited\n")
    try:
        yield
    finally:
        file.unlink() if original is None else file.write_text(original)


def fits(planned):
    """Return how many fits are planned, masked and unmasked."""
    return planned.get("fit", 0), planned.get("fit_keeping_factors", 0)


FAMILIES = "src/nbmf/families"
LUMBRERAS = "src/nbmf_studies/lumbreras2020"


def test_a_second_run_has_nothing_to_do_whatever_is_touched_or_of_others(finished):
    """Nor for another number of threads, nor after another study and another matrix were made."""
    (finished.folder / "src/nbmf/families/logistic/logistic_pca.py").touch()
    files = [
        f"{LUMBRERAS}/study.py",
        "src/nbmf_studies/framework/common.py",
        "src/nbmf_studies/framework/needs.py",
        "src/nbmf_studies/all_methods/study.py",
        "src/nbmf/catalogue.py",
        "src/nbmf/cli/commands/fit.py",
        "src/nbmf/evaluation/recommendation.py",
        "src/nbmf_studies/pipeline/targets.py",
        "src/nbmf/likelihoods/new.py",
        "src/nbmf/families/new.py",
    ]
    with ExitStack() as stack:
        for file in files:
            stack.enter_context(edited(finished, file))
        done = finished.snakemake("--dry-run", config={**TINY, "run": {"threads": 2}})
    assert "Nothing to be done" in done.stdout


def test_editing_what_shows_things_runs_no_fit_and_only_what_it_makes(finished):
    made_by = {
        f"{LUMBRERAS}/figure_2.py": ["figure_2"],
        f"{LUMBRERAS}/dictionaries.py": ["figure_7", "figure_8", "figure_9"],
        "src/nbmf/plotting/progress.py": ["figure_11"],
        f"{LUMBRERAS}/claims.py": ["table_claims", "table_claims_parts", "table_paper_numbers"],
    }
    with ExitStack() as stack:
        for file in made_by:
            stack.enter_context(edited(finished, file))
        planned = finished.planned(TINY)
    assert planned.keys() == {"all", *(target(job) for jobs in made_by.values() for job in jobs)}


OF_LOGPCA_LDA_AND_DIR_DIR = (3 * 2 * 2 + 1, 1 + 0 + 2)
OF_BETA_DIRICHLET = (N_FITS - 2 * 2 * 2 + N_TOYS, N_UNMASKED_FITS - 1)


@pytest.mark.parametrize(
    ("files", "planned"),
    [
        (
            [
                f"{FAMILIES}/logistic/logistic_pca.py",
                f"{FAMILIES}/mixed_membership/kernels/lda.py",
                f"{FAMILIES}/beta_dirichlet/kernels/dir_dir_gibbs.py",
            ],
            OF_LOGPCA_LDA_AND_DIR_DIR,
        ),
        ([f"{FAMILIES}/beta_dirichlet/beta_dirichlet_parameters.py"], OF_BETA_DIRICHLET),
        (["src/nbmf/inference/loop.py"], (N_FITS + N_TOYS, N_UNMASKED_FITS)),
    ],
    ids=["three methods", "a family", "the loop"],
)
def test_editing_what_computes_a_fit_runs_the_fits_that_use_it_alone(finished, files, planned):
    with ExitStack() as stack:
        for file in files:
            stack.enter_context(edited(finished, file))
        assert fits(finished.planned(TINY)) == planned


def test_options_rerun_what_they_are_of(finished):
    options = {
        "figure_2": [{"dataset": "beta_dir_1", "title": "another"}],
        "figure_7": {**STUDY["options"]["figure_7"], "columns": 3},
        "figure_11": {"c-bica": 3, "bica": 2},
        "sensitivity": {**STUDY["options"]["sensitivity"], "masks": 2},
    }
    jobs = [*options, "table_sensitivity"]
    planned = finished.planned(showing(**options))
    assert planned.keys() == {"all", "dataset", "mask", "fit", *map(target, jobs)}
    assert (planned["dataset"], planned["fit"]) == (2, N_TOYS)


def test_a_label_reruns_what_shows_it(finished):
    planned = finished.planned(changed(TINY, c_bica={"label": "collapsed"}))
    assert planned.keys() == {"all", target("figure_10"), target("figure_11")}


# --- Targets and mistakes --------------------------------------------------------------------


def test_a_figure_is_a_target_and_comes_out_the_same(finished):
    folder = finished.folder / "results/tiny/lumbreras2020/figures"
    figures = ["figure_7", "traces_dir-dir-gs"]
    files = [folder / f"{figure}.{suffix}" for figure in figures for suffix in ("pdf", "png")]
    before = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    done = finished.snakemake(*map(target, figures), config=TINY)
    assert done.returncode == 0, done.stdout
    assert [file.read_bytes() for file in files] == before
    assert "4 of 4 steps" in done.stdout  # each, and what it is asked for by


def test_a_figure_that_is_not_drawn_is_no_target(finished):
    done = finished.snakemake(target("figure_6"), config=TINY)
    assert done.returncode != 0
    assert target("figure_6") in done.stdout
    assert "Traceback" not in done.stdout


FAILING = '''
from nbmf import BinaryICA
from nbmf.errors import DataError

class Failing(BinaryICA):
    """Fails at one of its two masks, to see what the workflow makes of it."""

    def _start(self, codes, seed):
        if self.max_iter == 7 and (codes[0] == -1).sum() %% 2 == %d:
            raise DataError("made to fail")
        return super()._start(codes, seed)
'''


def test_failed_fits_are_explained_and_shown_as_gaps_and_only_they_run_again(finished):
    module = finished.folder / "src/failing.py"
    method = {"class": "failing:Failing", "label": "failing", "K": [2], "settings": {"max_iter": 7}}
    config = studying(datasets=["beta_dir_1"], methods=["logpca", "failing"], masks=4, unmasked=None)
    config["methods"] = {**TINY["methods"], "failing": method}
    config["results"] = "results/failing"
    results = finished.folder / config["results"]
    scores_table = target("table_scores")
    module.write_text(FAILING % 0)
    done = finished.snakemake(scores_table, config=config)
    assert done.returncode != 0
    line = (
        r"^failed: failing, K = 2, mask (\d), seed 0 of beta_dir_1: "
        r"error: made to fail \((results/failing/logs/fits/\S+)\)$"
    )
    failed = re.findall(line, done.stdout, re.MULTILINE)
    assert 0 < len(failed) < 4
    assert all((finished.folder / log).exists() for _, log in failed)
    assert f"{len(failed)} of {8 + N_TOYS} fits failed." in done.stdout
    partial = results / "lumbreras2020/partial"
    scores = pd.read_csv(partial / "scores.csv")
    assert (scores["status"] == "failed: error: made to fail").sum() == len(failed)
    assert scores["perplexity"].notna().sum() == 8 - len(failed)
    assert (partial / "figure_10.png").exists()
    assert (
        f"scores, figure_10 with gaps for fits without a result: {config['results']}/lumbreras2020/partial/"
        in done.stdout
    )
    rows = [json.loads(file.read_text()) for file in results.glob("fits/*/*/*.attempt")]
    assert [(row["key"]["method"], row["state"], row["kind"]) for row in rows] == [
        ("failing", "failed", "DataError")
    ] * len(failed)
    assert not (results / "lumbreras2020/tables/scores.csv").exists()

    told = finished.snakemake("status", "--nolock", "--quiet", "all", config=config).stdout
    assert re.search(rf"^beta_dir_1 +failing +4 +{4 - len(failed)} +{len(failed)} +0 +0 ", told, re.MULTILINE)

    others = {file: file.stat().st_mtime_ns for file in results.glob("fits/*/logpca/*.json")}
    module.write_text(FAILING % 2)  # the cause is gone: no remainder is 2
    assert finished.snakemake(scores_table, config=config).returncode == 0
    assert len(list(results.glob("fits/*/failing/*.json"))) == len(others) == 4
    assert others == {file: file.stat().st_mtime_ns for file in others}
    assert not partial.exists()
    assert not list(results.glob("fits/*/*/*.attempt"))
