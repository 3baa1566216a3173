"""The workflow itself, run as a user would, on a copy of this checkout and tiny settings."""

import json
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from checkout import ROOT, Checkout
from nbmf.data.matrix import BinaryMatrix

pytestmark = pytest.mark.workflow

TINY = {
    "run": {
        "datasets": ["beta_dir_1", "dir_dir_0.1"],
        "methods": ["beta-dir-gs", "dir-dir-gs", "c-bica", "bica", "logpca", "lda"],
        "masks": 2,
        "complete_fits": ["beta_dir_1", "dir_dir_0.1"],
    },
    "results": "results/tiny",
    "methods": {
        "beta-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "dir-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "c-bica": {"K": [3], "settings": {"alpha": 1, "beta": 2, "max_iter": 10}},
        "bica": {"K": [2, 3], "settings": {"max_iter": 10}},
        "logpca": {"K": [2], "settings": {"max_iter": 20}},
        "lda": {"K": [2]},
    },
    "complete_fits": {
        "beta_dir_1": {
            "beta-dir-gs": {"K": [10], "seeds": 2},
            "bica": {"K": [2, 3], "seeds": 1},
        },
        "dir_dir_0.1": {
            "dir-dir-gs": {"K": [10], "seeds": 2},
            "logpca": {"K": [2], "seeds": 1},
        },
    },
    "figures": {
        "figure_2": [
            {"dataset": "beta_dir_1", "title": "Beta-Dir"},
            {"dataset": "dir_dir_0.1", "title": "Dir-Dir"},
        ],
        "figure_7": {"dataset": "beta_dir_1", "K": {"bica": 3}},
        "figure_8": {"dataset": "dir_dir_0.1", "K": {"logpca": 2}},
        "figure_9": {"dataset": "beta_dir_1", "K": {"bica": 2}},
        "figure_11": {"c-bica": 3, "bica": 3},
        "sensitivity": {
            "sizes": [5],
            "K": 2,
            "concentrations": [1],
            "masks": 1,
            "methods": {
                "beta-dir-gs": {"burn_in": 2, "n_samples": 2},
                "beta-dir-vb": {"max_iter": 2},
                "dir-dir-gs": {"burn_in": 2, "n_samples": 2},
            },
        },
    },
}
N_FITS = 2 * 2 * (1 + 1 + 1 + 2 + 1 + 1)
N_COMPLETE_FITS = (2 + 2) + (2 + 1)
# All but Figure 6, which needs a square matrix with groups: its dataset is not run.
FIGURES = [
    *("figure_2", "figure_5", "figure_7", "figure_8", "figure_9", "figure_10", "figure_11"),
    *("sensitivity", "fit_against_K", "traces_beta-dir-gs", "traces_dir-dir-gs"),
]
TABLES = {  # and the number of their rows, where that follows from the configuration
    "summary": 2 * 7,
    "traces": None,
    "complete_scores": N_COMPLETE_FITS,
    "complete_traces": None,
    "complete_fits": (1 + 2) + (1 + 1),
    "diagnostics": 2,
    "sensitivity": 3 * (1 + 1),
    "claims": None,
    "claims_parts": None,
    "paper_numbers": None,
}


def changed(config, **methods):
    """Return a copy of `config` with keys of method entries replaced."""
    config = json.loads(json.dumps(config))
    for name, entry in methods.items():
        method = config["methods"][name.replace("_", "-")]
        method["settings"] = {**method.get("settings", {}), **entry.pop("settings", {})}
        method.update(entry)
    return config


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A checkout in which the tiny workflow has run."""
    checkout = Checkout(tmp_path_factory.mktemp("finished"))
    done = checkout.snakemake(config=TINY)
    assert done.returncode == 0, done.stdout
    return checkout


def test_a_run_produces_the_scores(finished):
    scores = finished.table("scores")
    assert len(scores) == N_FITS
    assert scores["perplexity"].between(0, 10).all()
    assert set(scores["status"]) <= {"ok", "not converged"}


def test_a_run_produces_every_table_and_none_else(finished):
    folder = finished.folder / "results/tiny"
    assert {path.stem for path in (folder / "tables").iterdir()} == TABLES.keys()
    assert [path.name for path in folder.glob("*.*")] == ["scores.csv"]
    for name, rows in TABLES.items():
        assert rows is None or len(finished.table(f"tables/{name}")) == rows


def test_a_run_produces_every_figure_and_none_else(finished):
    folder = finished.folder / "results/tiny/figures"
    expected = {f"{figure}.{suffix}" for figure in FIGURES for suffix in ("pdf", "png")}
    assert {path.name for path in folder.iterdir()} == expected
    for path in folder.iterdir():
        head = path.read_bytes()[:8]
        assert head.startswith(b"%PDF-" if path.suffix == ".pdf" else b"\x89PNG\r\n")
        assert path.stat().st_size > 4000, path.name


def test_complete_fits_see_everything_and_leave_their_factors(finished):
    scores = finished.table("tables/complete_scores")
    assert set(scores["n_test"]) == {100 * 100}
    assert set(scores["unit"]) == {"nats per observed entry"}
    for fit in scores.itertuples():
        stem = f"results/tiny/complete/{fit.dataset}/{fit.method}/K{fit.K}-seed{fit.seed}"
        with np.load(finished.folder / f"{stem}.npz") as factors:
            assert factors["W"].shape == (100, fit.K)
    chains = scores[scores["method"] == "beta-dir-gs"]
    assert chains["loss"].nunique() == len(chains) == 2


def test_chains_are_diagnosed_from_the_sweeps_after_the_burn_in(finished):
    diagnostics = finished.table("tables/diagnostics").set_index("method")
    assert list(diagnostics.index) == ["beta-dir-gs", "dir-dir-gs"]
    assert diagnostics["chains"].tolist() == [2, 2]
    assert diagnostics["draws"].tolist() == [10, 10]
    assert not diagnostics["settled"].any()


def test_logs_show_progress_and_end_with_time_and_memory(finished):
    folder = finished.folder / "results/tiny/logs"
    text = next((folder / "fits/beta_dir_1/beta-dir-gs").glob("*.log")).read_text()
    assert re.search(r"iteration 30 of 30 \(100%\), [\d.]+ per second, \d+ s left", text)
    logs = list(folder.rglob("*.log"))
    assert len(logs) > N_FITS + N_COMPLETE_FITS + len(FIGURES)
    for log in logs:
        last = log.read_text().splitlines()[-1]
        assert re.fullmatch(r"job: \d+\.\d\d s, \d+ MB at most", last), log


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_snakemake_starts_no_timer_for_every_job_that_has_finished(part):
    """Each would wake it up once a second to the end of the run (see the Snakefile)."""
    config = {**running(datasets=["dir_dir_0.1"], masks=3), "results": "results/timers"}
    with subprocess.Popen(
        part.command("--cores", "2", "scores", config=config),
        cwd=part.folder, env=part.environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        most = 0
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text()
            most = max(most, int(re.search(r"^Threads:\s+(\d+)$", status, re.MULTILINE)[1]))
            time.sleep(0.05)
    assert process.returncode == 0
    assert 0 < most <= 8  # 6 as it is; a timer per finished job makes more than 15


def test_a_second_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in finished.snakemake(config=TINY).stdout


def running(**changes):
    """Return TINY with other keys of its section `run`."""
    return {**TINY, "run": {**TINY["run"], **changes}}


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """Another checkout, in which a part of the tiny workflow has run, on one core."""
    checkout = Checkout(tmp_path_factory.mktemp("part"))
    methods = TINY["run"]["methods"][::-1]
    config = running(
        datasets=["dir_dir_0.1"], methods=methods, masks=1, complete_fits=["dir_dir_0.1"]
    )
    targets = [f"results/tiny/{name}.csv" for name in ("scores", "tables/complete_traces")]
    done = checkout.snakemake("--cores", "1", *targets, config=config)
    assert done.returncode == 0, done.stdout
    return checkout


@pytest.mark.parametrize(
    "name", ["scores", "tables/traces", "tables/complete_scores", "tables/complete_traces"]
)
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


def test_without_chains_and_without_complete_fits_figures_are_drawn(part):
    """No method samples, so the table of diagnostics is empty; then there is none."""
    config = running(datasets=["dir_dir_0.1"], masks=1, complete_fits=["dir_dir_0.1"])
    config["complete_fits"] = {"dir_dir_0.1": {"logpca": {"K": [2], "seeds": 1}}}
    config["figures"] = {
        **TINY["figures"],
        **{f"figure_{i}": {"dataset": "dir_dir_0.1", "K": {"logpca": 2}} for i in (7, 8, 9)},
    }
    done = part.snakemake("figure_8", "figure_10", config=config)
    assert done.returncode == 0, done.stdout
    config["run"]["complete_fits"] = []
    (part.folder / "results/tiny/figures/figure_10.png").unlink()
    done = part.snakemake("figure_10", config=config)
    assert done.returncode == 0, done.stdout
    assert not part.planned(config).keys() & {"complete_fit", "diagnostics", "draw_figure_8"}


def test_swapping_two_hyperparameters_reruns_the_fits_they_touch(finished):
    swapped = changed(TINY, c_bica={"settings": {"alpha": 2, "beta": 1}})
    assert finished.planned(swapped)["fit"] == 2 * 2


def test_appending_a_K_adds_only_its_jobs(finished):
    planned = finished.planned(changed(TINY, bica={"K": [2, 3, 4]}))
    assert planned["fit"] == 2 * 2
    assert "complete_fit" not in planned


def test_more_masks_and_datasets_add_only_their_jobs(finished):
    for more in (
        running(masks=3),
        running(datasets=["dir_beta_1", *TINY["run"]["datasets"]]),
    ):
        planned = finished.planned(more)
        assert planned["fit"] == N_FITS // 2
        assert "complete_fit" not in planned


def test_another_seed_of_a_complete_fit_adds_just_that_fit(finished):
    grids = {**TINY["complete_fits"]["beta_dir_1"], "beta-dir-gs": {"K": [10], "seeds": 3}}
    more = {**TINY, "complete_fits": {**TINY["complete_fits"], "beta_dir_1": grids}}
    planned = finished.planned(more)
    assert planned["complete_fit"] == 1
    assert planned.keys() >= {"complete_scores", "diagnostics", "draw_traces_beta-dir-gs"}
    assert not planned.keys() & {"fit", "mask", "sensitivity_fits", "draw_figure_11"}


def test_threads_are_no_part_of_what_a_fit_is(finished):
    assert finished.planned(running(threads=2)) == {}


def test_a_chain_with_the_burn_in_of_its_class_is_planned(finished):
    """Settings that are not given keep the defaults of the class."""
    mine = {"class": "BetaDirGibbs", "label": "mine", "K": [10]}
    grids = {**TINY["complete_fits"]["beta_dir_1"], "mine": {"K": [10], "seeds": 2}}
    config = {
        **TINY,
        "methods": {**TINY["methods"], "mine": mine},
        "complete_fits": {**TINY["complete_fits"], "beta_dir_1": grids},
    }
    planned = finished.planned(config)
    assert planned["complete_fit"] == 2
    assert planned["draw_traces_mine"] == 1


def test_a_transposed_dataset_is_the_other_with_its_axes_exchanged(finished):
    options = {"model": "beta-dir", "concentration": 1}
    mine = {"recipe": "nbmf.studies.lumbreras2020.synthetic", "options": options, "transpose": True}
    done = finished.snakemake("data/matrices/mine.npz", config={**TINY, "datasets": {"mine": mine}})
    assert done.returncode == 0, done.stdout
    matrices = [
        BinaryMatrix.load(finished.folder / f"data/matrices/{name}.npz")
        for name in ("mine", "beta_dir_1")
    ]
    np.testing.assert_array_equal(matrices[0].codes, matrices[1].codes.T)
    assert not np.array_equal(matrices[0].codes, matrices[1].codes)
    np.testing.assert_array_equal(matrices[0].row_names, matrices[1].column_names)


def test_editing_a_methods_module_reruns_that_method_and_touching_it_nothing(finished):
    module = finished.folder / "src/nbmf/families/logistic/logistic_pca.py"
    original = module.read_text()
    try:
        module.touch()
        assert finished.planned(TINY) == {}
        module.write_text(original + "# edited\n")
        assert finished.planned(TINY)["fit"] == 2 * 2
    finally:
        module.write_text(original)


def test_editing_a_kernel_reruns_the_methods_that_use_it(finished):
    module = finished.folder / "src/nbmf/families/beta_dirichlet/kernels/dir_dir_gibbs.py"
    original = module.read_text()
    try:
        module.write_text(original + "# edited\n")
        assert finished.planned(TINY)["fit"] == 2 * 2
    finally:
        module.write_text(original)


@pytest.mark.parametrize("figure", ["figure_7", "traces_dir-dir-gs"])
def test_one_figure_is_a_target_and_comes_out_the_same(finished, figure):
    pdf, png = (finished.folder / f"results/tiny/figures/{figure}.{x}" for x in ("pdf", "png"))
    before = pdf.read_bytes(), png.read_bytes()
    pdf.unlink()
    done = finished.snakemake(figure, config=TINY)
    assert done.returncode == 0, done.stdout
    assert (pdf.read_bytes(), png.read_bytes()) == before
    assert "2 of 2 steps" in done.stdout


def test_a_figure_needs_no_more_than_it_shows(tmp_path):
    checkout = Checkout(tmp_path)
    planned = checkout.planned(TINY, "figure_7")
    assert planned["complete_fit"] == N_COMPLETE_FITS  # its chains are diagnosed with the others
    assert planned["figure_7"] == planned["draw_figure_7"] == 1
    assert not planned.keys() & {"fit", "mask", "scores", "sensitivity_fits"}
    assert "complete_fit" not in checkout.planned(TINY, "figure_11")


def test_a_figure_that_is_not_drawn_is_no_target(finished):
    done = finished.snakemake("figure_6", config=TINY)
    assert done.returncode != 0
    assert "figure_6" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_wrong_configuration_is_one_clear_line_before_anything_runs(tmp_path):
    checkout = Checkout(tmp_path)
    done = checkout.snakemake(config=changed(TINY, bica={"settings": {"max_itre": 5}}))
    assert done.returncode != 0
    line = "configuration: methods.bica.settings: unknown key 'max_itre'; allowed are"
    assert line in done.stdout
    assert "Traceback" not in done.stdout
    assert not (checkout.folder / "results/tiny").exists()


def paper_config():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text())


def test_a_dry_run_of_the_paper_lists_every_fit(tmp_path):
    config = paper_config()
    run = config["run"]
    grid = sum(len(config["methods"][method]["K"]) for method in run["methods"])
    fits = len(run["datasets"]) * grid * run["masks"] * len(run["seeds"])
    complete = [grids for name, grids in config["complete_fits"].items()
                if name in run["complete_fits"]]  # fmt: skip
    planned = Checkout(tmp_path).planned({})
    assert planned["fit"] == fits
    assert planned["mask"] == len(run["datasets"]) * run["masks"]
    assert planned["complete_fit"] == sum(
        len(grid["K"]) * grid["seeds"] for grids in complete for grid in grids.values()
    )
    drawn = {rule for rule in planned if rule.startswith("draw_")}
    assert drawn == {f"draw_{figure}" for figure in [*FIGURES, "figure_6"]}
    assert planned.keys() >= {"summary", "complete_scores", "diagnostics", "claims"}


@pytest.mark.parametrize("name", ["mean_field_start", "transposed"])
def test_overlays_without_complete_fits_draw_what_is_left(tmp_path, name):
    overlay = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())
    planned = Checkout(tmp_path).planned(overlay)
    assert planned["fit"] > 0
    assert "complete_fit" not in planned
    drawn = {rule for rule in planned if rule.startswith("draw_")}
    assert drawn == {
        f"draw_{x}" for x in ("figure_2", "figure_5", "figure_10", "figure_11", "sensitivity")
    }


FAILING = '''
from nbmf import BinaryICA
from nbmf.errors import DataError

class Failing(BinaryICA):
    """Fails at one of its two masks, to see what the workflow makes of it."""

    def _factorize(self, codes, seed, monitor):
        if self.max_iter == 7 and (codes[0] == -1).sum() %% 2 == %d:
            raise DataError("made to fail")
        return super()._factorize(codes, seed, monitor)
'''


def test_failed_fits_are_explained_and_shown_as_gaps_and_only_they_run_again(tmp_path):
    checkout = Checkout(tmp_path)
    module = checkout.folder / "src/failing.py"
    method = {"class": "failing:Failing", "label": "failing", "K": [2], "settings": {"max_iter": 7}}
    run = {
        "datasets": ["beta_dir_1"],
        "methods": ["bica", "failing"],
        "masks": 6,
        "complete_fits": [],
    }
    config = {**TINY, "run": run, "methods": {**TINY["methods"], "failing": method}}
    module.write_text(FAILING % 0)
    done = checkout.snakemake("scores", config=config)
    assert done.returncode != 0
    line = (
        r"^failed: failing, K = 2, mask (\d), seed 0 of beta_dir_1: "
        r"error: made to fail \((results/tiny/logs/fits/\S+)\)$"
    )
    failed = re.findall(line, done.stdout, re.MULTILINE)
    assert 0 < len(failed) < 6
    assert all((checkout.folder / log).exists() for _, log in failed)
    assert f"{len(failed)} of 18 fits failed." in done.stdout
    partial = checkout.folder / "results/tiny/partial"
    scores = pd.read_csv(partial / "scores.csv")
    assert (scores["status"] == "failed: error: made to fail").sum() == len(failed)
    assert scores["perplexity"].notna().sum() == 18 - len(failed)
    assert (partial / "figure_10.png").exists()
    assert not (checkout.folder / "results/tiny/scores.csv").exists()

    told = checkout.snakemake("status", "--nolock", "--quiet", "all", config=config).stdout
    assert re.search(
        rf"^beta_dir_1 +failing +6 +{6 - len(failed)} +{len(failed)} +0 +0 ", told, re.MULTILINE
    )

    module.write_text(FAILING % 2)  # the cause is gone: no remainder is 2
    assert checkout.planned(config, "scores")["fit"] >= len(failed)
    assert checkout.snakemake("scores", config=config).returncode == 0
    assert not partial.exists()


def test_the_lock_names_no_index():
    assert not re.search(
        r"https?://|--index|--find-links", (ROOT / "requirements.lock").read_text()
    )
