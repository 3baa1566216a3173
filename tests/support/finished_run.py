"""The tiny runs of the workflow that several files of tests begin with: run once, then copied."""

import fcntl
import json
import shutil
from pathlib import Path

import yaml
from checkout import ROOT, Checkout

PAPER = yaml.safe_load((ROOT / "config/studies/lumbreras2020.yaml").read_text())
NONE_OF_THE_PAPER = dict.fromkeys(PAPER["studies"]["lumbreras2020"]["unmasked"])
STUDY = {
    "datasets": ["beta_dir_1", "dir_dir_0.1"],
    "methods": ["beta-dir-gs", "dir-dir-gs", "c-bica", "bica", "logpca", "lda"],
    "masks": 2,
    "unmasked": {
        **NONE_OF_THE_PAPER,
        "beta_dir_1": {"beta-dir-gs": {"K": [10], "seeds": 2}, "bica": {"K": [2, 3], "seeds": 1}},
        "dir_dir_0.1": {"dir-dir-gs": {"K": [10], "seeds": 2}, "logpca": {"K": [2], "seeds": 1}},
    },
    "options": {
        "figure_2": [{"dataset": "beta_dir_1", "title": "Beta-Dir"}, {"dataset": "dir_dir_0.1", "title": "Dir-Dir"}],
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
TINY = {
    "results": "results/tiny",
    "methods": {
        "beta-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "dir-dir-gs": {"K": [10], "settings": {"burn_in": 20, "n_samples": 10}},
        "c-bica": {"K": [3], "settings": {"alpha": 1, "beta": 2, "max_iter": 10}},
        "bica": {"K": [2, 3], "settings": {"max_iter": 10}},
        "logpca": {"K": [2], "settings": {"max_iter": 20}},
        "lda": {"K": [2]},
    },
    "studies": {
        "lumbreras2020": STUDY,
        "all_methods": {"datasets": ["beta_dir_1"], "methods": ["bica", "logpca"], "masks": 2},
    },
}
N_FITS = 2 * 2 * (1 + 1 + 1 + 2 + 1 + 1)
N_TOYS = 3  # fits of the sensitivity, to the matrices of two models
N_UNMASKED_FITS = (2 + 2) + (2 + 1)
# All but Figure 6, which needs a square matrix with groups: its dataset is not run.
FIGURES = [
    "figure_2",
    "figure_5",
    "figure_7",
    "figure_8",
    "figure_9",
    "figure_10",
    "figure_11",
    "sensitivity",
    "fit_against_K",
    "traces_beta-dir-gs",
    "traces_dir-dir-gs",
]
TABLES = {  # and the number of their rows, where that follows from the configuration
    "scores": N_FITS,
    "summary": 2 * 7,
    "traces": None,
    "unmasked_scores": N_UNMASKED_FITS,
    "unmasked_traces": None,
    "unmasked_summary": (1 + 2) + (1 + 1),
    "diagnostics": 2,
    "sensitivity": N_TOYS,
    "claims": None,
    "claims_parts": None,
    "paper_numbers": None,
}


def finished_run(tmp_path_factory, name: str) -> Checkout:
    """Return a checkout of one's own in which the studies of TINY have run, one after the other.

    It runs in the first of pytest's processes that asks; the others wait for it.
    """
    folder = Path(tmp_path_factory.getbasetemp())
    folder = folder.parent if folder.name.startswith("popen-gw") else folder
    run, done = folder / "finished-run", folder / "finished-run.done"
    with open(folder / "finished-run.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(run, ignore_errors=True)
            checkout = Checkout(run)
            for study in TINY["studies"]:
                ran = checkout.snakemake(study, config=TINY)
                assert ran.returncode == 0, ran.stdout
            done.touch()
    return Checkout(tmp_path_factory.mktemp(name), of=run)


def target(name):
    """Return the rule of a figure, or of a table as "table_scores"."""
    return f"lumbreras2020_{name}"


def studying(**changes):
    """Return TINY with other keys of its study."""
    return {**TINY, "studies": {**TINY["studies"], "lumbreras2020": {**STUDY, **changes}}}


def drawn(planned):
    """Return the figures among planned jobs."""
    names = {job.removeprefix(target("")) for job in planned if job.startswith(target(""))}
    return {name for name in names if not name.startswith("table_")}


def changed(config, **methods):
    """Return a copy of `config` with keys of method entries replaced."""
    config = json.loads(json.dumps(config))
    for name, entry in methods.items():
        method = config["methods"][name.replace("_", "-")]
        method["settings"] = {**method.get("settings", {}), **entry.pop("settings", {})}
        method.update(entry)
    return config
