"""What Snakemake plans and refuses in a checkout where nothing has run."""

import re
import subprocess

import pytest
import yaml
from checkout import HANGING, ROOT, Checkout, jobs_in
from finished_run import (
    FIGURES,
    N_FITS,
    N_TOYS,
    N_UNMASKED_FITS,
    PAPER,
    STUDY,
    TABLES,
    TINY,
    changed,
    drawn,
    studying,
    target,
)

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A checkout in which nothing has run, for dry runs."""
    return Checkout(tmp_path_factory.mktemp("fresh"))


def test_a_figure_needs_no_more_than_it_shows(fresh):
    planned = fresh.planned(TINY, target("figure_7"))
    # Two chains and a point estimate, and the chains of the other dataset, which are diagnosed with them.
    assert planned["fit_keeping_factors"] == 2 + 1 + 2 < N_UNMASKED_FITS
    assert drawn(planned) == {"figure_7"}
    others = ("table_scores", "table_sensitivity")
    assert not planned.keys() & {"fit", "mask", *map(target, others)}
    assert "fit_keeping_factors" not in fresh.planned(TINY, target("figure_11"))


def test_a_wrong_configuration_is_one_clear_line_before_anything_runs(fresh):
    done = fresh.snakemake(config=changed(TINY, bica={"settings": {"max_itre": 5}}))
    assert done.returncode != 0
    line = "configuration: methods.bica.settings: unknown key 'max_itre'; allowed: "
    assert line in done.stdout
    assert "Traceback" not in done.stdout
    assert not (fresh.folder / "results/tiny").exists()


def test_a_section_that_stands_twice_is_refused_before_the_first_one_is_forgotten(fresh):
    twice = fresh.folder / "twice.yaml"
    twice.write_text("studies:\n  all_methods: {masks: 1}\nrun: {threads: 1}\nstudies:\n  lumbreras2020: {masks: 1}\n")
    done = fresh.snakemake("--dry-run", "--configfile", str(twice))
    assert done.returncode != 0
    assert f"configuration: {twice}, line 4: the key 'studies' is in line 1 already" in done.stdout
    assert "Traceback" not in done.stdout


def test_another_directory_is_refused_with_what_to_do(fresh, tmp_path):
    done = fresh.snakemake("--dry-run", "--directory", str(tmp_path), "--snakefile", "Snakefile", config=TINY)
    assert done.returncode != 0
    assert f"snakemake has to run in the checkout, {fresh.folder}, without --directory" in done.stdout


def test_the_fits_of_a_cluster_are_shown_without_a_number_of_cores(fresh):
    arguments = ("status", "--profile", "profiles/slurm", "--nolock", "--quiet", "all")
    done = subprocess.run(
        fresh.command(*arguments, config=TINY),
        cwd=fresh.folder,
        env=fresh.environment(),
        capture_output=True,
        text=True,
        timeout=HANGING,
        check=False,
    )
    assert re.search(r"^all +\d+ +0 +0 +0 +\d+ +\?$", done.stdout, re.MULTILINE), done.stdout + done.stderr


def test_a_reference_that_is_not_there_is_refused_before_the_fits_that_it_is_for(fresh):
    done = fresh.snakemake("verify", "--dry-run", config={**TINY, "verify": {"reference": "nowhere"}})
    assert done.returncode != 0
    assert "configuration: verify.reference = 'nowhere': there is no such folder" in done.stdout


def test_a_dry_run_of_the_paper_lists_every_fit(fresh):
    study = PAPER["studies"]["lumbreras2020"]
    methods = yaml.safe_load((ROOT / "src/nbmf/methods.yaml").read_text())["methods"]
    grid = sum(len(methods[method]["K"]) for method in study["methods"])
    planned = fresh.planned({})
    masks, toys = len(study["datasets"]) * study["masks"], study["options"]["sensitivity"]
    drawn_matrices = len(toys["sizes"]) * toys["masks"] * 2  # of two models
    assert planned["mask"] == masks + drawn_matrices
    assert masks * grid * len(study["seeds"]) == 1150
    assert planned["fit"] == 1150 + OF_TOYS
    assert (
        planned["fit_keeping_factors"]
        == 267
        == sum(len(grid["K"]) * grid["seeds"] for grids in study["unmasked"].values() for grid in grids.values())
    )
    assert drawn(planned) == {*FIGURES, "figure_6"}
    # Figure 10 alone asks for those whose chains it marks.
    assert fresh.planned({}, target("figure_10"))["fit_keeping_factors"] == 60
    assert planned.keys() >= {target(f"table_{name}") for name in TABLES}


OF_TOYS = 3 * 5 * 3 * 5  # sizes, matrices, methods, concentrations
MASKED_FIGURES = {"figure_2", "figure_5", "figure_10", "figure_11", "sensitivity"}


def overlay(name):
    return yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())


def test_an_overlay_without_unmasked_fits_draws_what_is_left(fresh):
    planned = fresh.planned(overlay("mean_field_start"))
    assert planned["fit"] > 0
    assert "fit_keeping_factors" not in planned
    assert drawn(planned) == MASKED_FIGURES


def test_the_texts_orientation_is_run_for_two_datasets(fresh):
    planned = fresh.planned(overlay("as_in_the_text"))
    assert (planned["fit"], planned["fit_keeping_factors"]) == (2 * 1150 / 5 + OF_TOYS, 2 * 2 * 4)
    assert drawn(planned) == MASKED_FIGURES | {"traces_beta-dir-gs", "traces_dir-dir-gs"}


def test_data_that_are_not_at_hand_leave_out_what_needs_them(fresh):
    """A large file that is downloaded on demand only: no network is asked, and it is said how."""
    source = {
        "address": "https://example.org/large.csv",
        "licence": "none stated",
        "citation": "none",
        "sha256": "0" * 64,
        "bytes": 10**9,
        "on_demand": True,
    }
    entry = {"recipe": "lastfm", "files": {"listens": "large"}}
    config = {
        **studying(
            datasets=["beta_dir_1", "far"],
            options={**STUDY["options"], "figure_2": [{"dataset": "far", "title": "far"}]},
        ),
        "sources": {"large": source},
        "datasets": {"far": entry},
    }
    done = fresh.snakemake("--dry-run", config=config)
    assert "lumbreras2020: far is left out: large (1000.0 MB) is not here: with a" in done.stdout
    assert "lumbreras2020: figure_2 is left out: large" in done.stdout
    planned = jobs_in(done.stdout)
    assert planned["fit"] == N_FITS // 2 + N_TOYS
    assert drawn(planned) == {*FIGURES} - {"figure_2"}


def test_the_lock_names_no_index():
    assert not re.search(r"https?://|--index|--find-links", (ROOT / "requirements.lock").read_text())
