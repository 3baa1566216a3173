"""A clone with a package index and nothing else: every dataset is built, and the paper is planned.

    python tests/programs/offline.py

Clones this repository to a temporary folder that has no ../shared next to it, makes every address
unreachable, builds the matrices of MATRICES from what travels with the repository, dry-runs the
whole of the paper, and judges what is published again, which has to leave the clone as it is. Ends
with code 1 and the output of what failed.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MATRICES = ("animals", "lastfm", "paleo", "parliament", "unvotes", "unvotes_coldwar")
JUDGED = ("tests/repository/test_judged_again.py", "tests/repository/test_published_verdicts.py")
NOWHERE = "http://127.0.0.1:9"  # a port that nobody listens on


def main() -> None:
    """Clone, build and plan."""
    with tempfile.TemporaryDirectory(prefix="nbmf-offline-") as temporary:
        clone = Path(temporary) / "alone" / "nbmf"
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", clone], check=True)
        assert [path.name for path in clone.parent.iterdir()] == [clone.name]
        started = time.monotonic()
        snakemake(clone, *(matrix_of(name) for name in MATRICES), "--quiet", "all")
        for name in MATRICES:
            codes = np.load(clone / matrix_of(name), allow_pickle=False)["codes"]
            log = (clone / f"data/logs/datasets/{name}.log").read_text()
            checks = [line for line in log.splitlines() if line.startswith(("the counts", "equal"))]
            print(f"{name}: {codes.shape[0]} x {codes.shape[1]}; {'; '.join(checks)}")
        planned = snakemake(clone, "--dry-run", "--quiet", "rules")
        jobs = dict(re.findall(r"^(\w+) +(\d+)$", planned, re.MULTILINE))
        print(f"the paper can be planned: {jobs['fit']} masked fits, {jobs['total']} jobs")
        run(clone, "pytest", "-q", "-p", "no:cacheprovider", *JUDGED, PYTHONPATH=str(clone / "src"))
        changed = subprocess.run(
            ["git", "diff", "--stat"], cwd=clone, check=True, capture_output=True, text=True
        ).stdout
        if changed:
            sys.exit(f"judged again in a clone alone, what is published changes:\n{changed}")
        print("what is published is judged as it was")
        print(f"{time.monotonic() - started:.0f} s, no network, no folder next to the clone")


def matrix_of(name: str) -> str:
    """Return the path of a dataset's matrix in a checkout."""
    return f"data/matrices/{name}.npz"


def snakemake(folder: Path, *arguments: str) -> str:
    """Run Snakemake where nothing can be reached; return what it printed."""
    return run(folder, "snakemake", "--cores", "2", *arguments)


def run(folder: Path, module: str, *arguments: str, **variables: str) -> str:
    """Run a module of Python where nothing can be reached; return what it printed."""
    proxies = dict.fromkeys(("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"), NOWHERE)
    environment = {**os.environ, **proxies, "no_proxy": "", "NO_PROXY": ""}
    environment.pop("PYTHONPATH", None)  # which could name this checkout
    environment |= variables
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(done.stdout)
    return done.stdout


if __name__ == "__main__":
    main()
