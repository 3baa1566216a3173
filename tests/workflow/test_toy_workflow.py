"""The toy families through the whole workflow: another link, K that is found, real numbers."""

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from checkout import ROOT, Checkout

from nbmf.data.loading import load_matrix
from nbmf.data.masks import load_mask
from nbmf.fits import FitRequest, run_fit

pytestmark = pytest.mark.workflow

RECIPE = '''"""Real numbers: rows with means of their own."""

import numpy as np

from nbmf.data.real_matrix import RealMatrix


def build():
    """Draw the matrix, the same one every time."""
    rng = np.random.default_rng(0)
    values = rng.normal(2 * rng.standard_normal((12, 1)), 1.0, (12, 9))
    values[3, 4] = np.nan
    return RealMatrix.from_array(values)
'''
STUDY = '''"""What the study shows."""

from nbmf_studies.framework import common
from nbmf_studies.framework.declaration import Figure, Study
from nbmf_studies.framework.needs import tables

STUDY = Study(
    "toy2026", "Toy", "Nobody (2026)",
    figures=(
        Figure(
            "figure_10", "Figure 10", make="nbmf.plotting.boxes:draw", caption="captions/score_and_time.rst",
            needs=tables("scores"), arguments=common.comparison_arguments,
        ),
        common.traces_of_samplers,
    ),
    tables=(*common.MASKED_TABLES, *common.UNMASKED_TABLES),
)
'''
CONFIG = {
    "run": {"studies": ["toy2026"]},
    "results": "results/toy",
    "datasets": {
        "toy_real": {
            "recipe": "nbmf_studies.toy2026.real",
            "counts": {"rows": 12, "columns": 9, "observed": 107, "missing": 1},
            "axes": ["rows", "columns"],
        }
    },
    "methods": {
        "toy-gaussian": {"class": "toy_family:ToyGaussian", "label": "rows", "K": [1]},
        "toy-logistic": {
            "class": "toy_family:ToyLogistic",
            "label": "logistic",
            "K": [2],
            "settings": {"burn_in": 10, "n_samples": 20},
        },
    },
    "studies": {
        "toy2026": {
            "datasets": ["toy_real"],
            "methods": ["toy-gaussian"],
            "masks": 2,
            "unmasked": {
                "toy_real": {"toy-gaussian": {"K": [1], "seeds": 2}},
                "beta_dir_1": {"toy-logistic": {"K": [2], "seeds": 2}},
            },
        }
    },
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A checkout in which a study of the toy families has run."""
    checkout = Checkout(tmp_path_factory.mktemp("toy"))
    source = checkout.folder / "src"
    shutil.copy(ROOT / "tests/support/toy_family.py", source)
    folder = source / "nbmf_studies/toy2026"
    folder.mkdir()
    for name, text in {"__init__": '"""Toy."""\n', "real": RECIPE, "study": STUDY}.items():
        (folder / f"{name}.py").write_text(text)
    done = checkout.snakemake(config=CONFIG)
    assert done.returncode == 0, done.stdout
    return checkout


def test_real_numbers_are_masked_fitted_and_scored_by_their_likelihood(finished):
    results = finished.folder / "results/toy"
    scores = pd.read_csv(results / "toy2026/tables/scores.csv")
    matrix = load_matrix(finished.folder / "data/matrices/toy_real.npz")
    assert set(scores["unit"]) == {"nats per held-out entry"}
    for row in scores.itertuples():
        mask = load_mask(results / f"masks/toy_real/mask{row.mask}.npz", matrix)
        key = ["fit", "toy_real", "toy-gaussian", 1, row.mask, 0]
        request = FitRequest("toy_family:ToyGaussian", 1, {}, key)
        own = run_fit(matrix, mask, request, log=lambda line: None).report
        assert row.perplexity == pytest.approx(own["perplexity"], rel=1e-12)
        # By hand: the posterior predictive law of a row with n values seen is normal.
        seen = np.where(mask | np.isnan(matrix.values), np.nan, matrix.values)
        n = (~np.isnan(seen)).sum(axis=1)
        mean, variance = np.nansum(seen, axis=1) / (n + 1), 1 + 1 / (n + 1)
        f, column = np.nonzero(mask)
        z = (matrix.values[f, column] - mean[f]) ** 2 / variance[f]
        assert row.perplexity == pytest.approx(0.5 * (z + np.log(2 * np.pi * variance[f])).mean())


def test_chains_of_both_are_diagnosed_and_drawn(finished):
    folder = finished.folder / "results/toy/toy2026"
    diagnostics = pd.read_csv(folder / "tables/diagnostics.csv").set_index("method")
    assert diagnostics.loc["toy-gaussian", "converged"]  # independent draws
    assert diagnostics.loc["toy-gaussian", "r_hat"] < 1.05
    assert set(diagnostics.index) == {"toy-gaussian", "toy-logistic"}
    for method in ("toy-gaussian", "toy-logistic"):
        assert (folder / f"figures/traces_{method}.png").stat().st_size > 4000
    assert (folder / "figures/figure_10.png").stat().st_size > 4000


def test_the_number_of_components_that_was_found_is_in_the_report(finished):
    folder = finished.folder / "results/toy/fits/beta_dir_1/toy-logistic"
    for report in map(Path, sorted(folder.glob("*.json"))):
        content = json.loads(report.read_text(encoding="utf-8"))
        with np.load(report.with_suffix(".npz")) as factors:
            assert content["n_components"] == factors["W"].shape[1] == factors["H"].shape[0]
            assert factors["expectation"].shape == (100, 100)
        assert len(set(content["trace"]["active_components"])) > 1  # K moved along the chain
