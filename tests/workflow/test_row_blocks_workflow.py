"""The workflow of a fit in blocks of rows, as its Snakefile says it is run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import yaml
from checkout import ROOT

import nbmf

pytestmark = pytest.mark.workflow
MODEL = {"n_components": 2, "max_iter": 2, "scales": "both", "shape_W": 1.0, "shape_H": 2.0, "random_state": 0}


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_four_blocks_end_where_one_fit_does(tmp_path):
    V = scipy.sparse.random_array((40, 12), density=0.2, rng=1, format="csr").astype(bool).astype(np.int8)
    parts = [tmp_path / f"part{number}.npz" for number in range(4)]
    for number, part in enumerate(parts):
        scipy.sparse.save_npz(part, V[10 * number : 10 * (number + 1)])
    config = {
        "folder": str(tmp_path / "out"),
        "blocks": [str(part) for part in parts],
        "model": {"class": "BernoulliPoissonVB", **MODEL},
    }
    (tmp_path / "blocks.yaml").write_text(yaml.safe_dump(config))
    command = [Path(sys.executable).parent / "snakemake", "--cores", "1", "--configfile", tmp_path / "blocks.yaml"]
    command += ["--snakefile", ROOT / "workflow/row_blocks/Snakefile"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}

    def run(*words):
        ran = subprocess.run([*command, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout + ran.stderr

    run()
    models = [nbmf.load(tmp_path / "out" / f"model-{number}.npz") for number in range(4)]
    whole = nbmf.BernoulliPoissonVB(**MODEL, relative_gain_tol=0).fit(V)
    np.testing.assert_allclose(np.vstack([each.W_ for each in models]), whole.W_, rtol=1e-9)
    np.testing.assert_allclose(models[3].H_, whole.H_, rtol=1e-9)
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert not any(name.startswith(("block-", "sums-")) for name in left)
    assert "Nothing to be done" in run("-n")
    config["model"]["n_components"] = 3  # another model: nothing of the first may be mixed with it
    (tmp_path / "blocks.yaml").write_text(yaml.safe_dump(config))
    planned = run("-n")
    for rule, jobs in {"count_block": 4, "begin": 1, "pass_block": 8, "combine": 2, "block_model": 4}.items():
        assert re.search(rf"^{rule} +{jobs}$", planned, re.MULTILINE), planned
