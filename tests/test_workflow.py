"""The workflow itself, run as a user would, on a copy of this checkout and tiny settings."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.workflow

TINY = {
    "run": {
        "datasets": ["beta_dir_1", "dir_dir_0.1"],
        "methods": ["beta-dir-gs", "dir-dir-gs", "c-bica", "bica", "logpca", "lda"],
        "masks": 2,
    },
    "results": "results/tiny",
    "methods": {
        "beta-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "dir-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "c-bica": {"K": [2, 3], "settings": {"alpha": 1, "beta": 2, "max_iter": 10}},
        "bica": {"K": [2, 3], "settings": {"max_iter": 10}},
        "logpca": {"K": [2], "settings": {"max_iter": 20}},
        "lda": {"K": [2]},
    },
}
N_FITS = 2 * 2 * (1 + 1 + 2 + 2 + 1 + 1)
UNREACHABLE = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}


class Checkout:
    """A copy of this checkout, in which Snakemake runs."""

    def __init__(self, folder: Path):
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)

    def snakemake(self, *arguments, config=None, **environment):
        """Run Snakemake with an overlay `config`; return the finished process."""
        if config is not None:
            (self.folder / "overlay.yaml").write_text(yaml.safe_dump(config))
            arguments += ("--configfile", "overlay.yaml")
        return subprocess.run(
            [sys.executable, "-m", "snakemake", "--cores", "2", *arguments],
            cwd=self.folder,
            env={**os.environ, "NUMBA_CACHE_DIR": str(ROOT / ".numba_cache"), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def planned(self, config):
        """Return how many jobs of each rule a dry run lists, empty if there is nothing to do."""
        output = self.snakemake("--dry-run", "--quiet", "rules", config=config).stdout
        assert "Error" not in output, output
        return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}

    def scores(self):
        """Return the scores without the column that differs from run to run."""
        return pd.read_csv(self.folder / "results/tiny/scores.csv").drop(columns="seconds")


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


def test_a_run_produces_the_table_and_the_figure(finished):
    scores = finished.scores()
    assert len(scores) == N_FITS
    assert scores["perplexity"].between(0, 10).all()
    assert set(scores["status"]) <= {"ok", "not converged"}
    for suffix in ("pdf", "png"):
        assert (finished.folder / f"results/tiny/figures/figure_10.{suffix}").stat().st_size > 5000
    assert len(pd.read_csv(finished.folder / "results/tiny/summary.csv")) == 2 * 8


def test_progress_is_visible(finished):
    logs = (finished.folder / "results/tiny/logs/fits/beta_dir_1/beta-dir-gs").glob("*.log")
    text = next(logs).read_text()
    assert re.search(r"iteration 30 of 30 \(100%\), [\d.]+ per second, \d+ s left", text)


def test_a_second_run_has_nothing_to_do(finished):
    assert "Nothing to be done" in finished.snakemake(config=TINY).stdout


def test_another_checkout_on_one_core_gives_the_same_scores(finished, tmp_path):
    other = Checkout(tmp_path)
    reversed_run = {**TINY["run"], "datasets": TINY["run"]["datasets"][::-1]}
    done = other.snakemake("--cores", "1", config={**TINY, "run": reversed_run})
    assert done.returncode == 0, done.stdout
    key = ["dataset", "method", "K", "mask"]
    pd.testing.assert_frame_equal(
        other.scores().sort_values(key, ignore_index=True),
        finished.scores().sort_values(key, ignore_index=True),
        check_exact=True,
    )


def test_swapping_two_hyperparameters_reruns_the_fits_they_touch(finished):
    swapped = changed(TINY, c_bica={"settings": {"alpha": 2, "beta": 1}})
    assert finished.planned(swapped)["fit"] == 2 * 2 * 2


def test_appending_a_K_adds_only_its_jobs(finished):
    assert finished.planned(changed(TINY, bica={"K": [2, 3, 4]}))["fit"] == 2 * 2


def test_more_masks_and_datasets_add_only_their_jobs(finished):
    more = {**TINY, "run": {**TINY["run"], "masks": 3}}
    assert finished.planned(more)["fit"] == N_FITS // 2
    more = {**TINY, "run": {**TINY["run"], "datasets": ["dir_beta_1", *TINY["run"]["datasets"]]}}
    assert finished.planned(more)["fit"] == N_FITS // 2


def test_editing_a_methods_module_reruns_that_method_and_touching_it_nothing(finished):
    module = finished.folder / "src/nbmf/methods/logistic_pca.py"
    original = module.read_text()
    try:
        module.touch()
        assert finished.planned(TINY) == {}
        module.write_text(original + "# edited\n")
        assert finished.planned(TINY)["fit"] == 2 * 2
    finally:
        module.write_text(original)


def test_editing_a_kernel_reruns_the_methods_that_use_it(finished):
    module = finished.folder / "src/nbmf/kernels/dir_dir_gibbs.py"
    original = module.read_text()
    try:
        module.write_text(original + "# edited\n")
        assert finished.planned(TINY)["fit"] == 2 * 2
    finally:
        module.write_text(original)


def test_one_figure_is_a_target(finished):
    assert "Nothing to be done" in finished.snakemake("figure_10", config=TINY).stdout


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
    planned = Checkout(tmp_path).planned({})
    assert planned["fit"] == fits
    assert planned["mask"] == len(run["datasets"]) * run["masks"]


def test_the_demo_downloads_nothing(tmp_path):
    demo = yaml.safe_load((ROOT / "config/demo.yaml").read_text())
    planned = Checkout(tmp_path).planned(demo)
    assert planned["fit"] > 0
    assert "download" not in planned


def test_without_network_and_mirror_the_paper_fails_with_advice(tmp_path):
    checkout = Checkout(tmp_path)
    done = checkout.snakemake(config={"mirrors": ["data/mirror"]}, **UNREACHABLE)
    assert done.returncode != 0
    assert "make demo" in done.stdout
    assert "data/mirror/Stephen-Mayer" in done.stdout
    assert not list((checkout.folder / "data/raw").rglob("*.txt"))


def test_a_raw_file_with_a_wrong_checksum_is_refused(tmp_path):
    checkout = Checkout(tmp_path)
    sources = yaml.safe_load((ROOT / "config/sources.yaml").read_text())["sources"]
    source = sources["animals_matrix"]
    wrong = checkout.folder / "data/mirror" / source["path"]
    wrong.parent.mkdir(parents=True)
    wrong.write_bytes(b"0" * source["bytes"])
    target = f"data/raw/{source['path']}"
    done = checkout.snakemake(target, config={"mirrors": ["data/mirror"]}, **UNREACHABLE)
    assert done.returncode != 0
    assert "damaged: SHA-256" in done.stdout
    assert not (checkout.folder / target).exists()


def test_a_damaged_raw_file_leaves_no_matrix(tmp_path):
    checkout = Checkout(tmp_path)
    sources = yaml.safe_load((ROOT / "config/sources.yaml").read_text())["sources"]
    for name in ("parliament_follows", "parliament_parties"):
        raw = checkout.folder / "data/raw" / sources[name]["path"]
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_bytes(b"not what it should be")
    done = checkout.snakemake("data/matrices/parliament.npz", config={})
    assert done.returncode != 0
    assert re.search(r"error: data/raw/alumbreras\S+", done.stdout), done.stdout
    assert not (checkout.folder / "data/matrices/parliament.npz").exists()


@pytest.mark.parametrize(
    "environment", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda p: p.stem
)
def test_environments_pin_the_versions_of_the_lock(environment):
    lock = (ROOT / "requirements.lock").read_text()
    pins = yaml.safe_load(environment.read_text())["dependencies"]
    for name, version in (pin.split("=") for pin in pins if not pin.startswith("python=")):
        assert f"\n{name}=={version} " in lock


def test_the_lock_names_no_index():
    assert not re.search(
        r"https?://|--index|--find-links", (ROOT / "requirements.lock").read_text()
    )
