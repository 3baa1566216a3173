"""Try the command line as a new user would, and write down what happens in docs/command-line.md.

    python docs/transcript.py

Installs this checkout into an empty virtual environment (that sees the libraries of the running
Python), makes a CSV with missing values from the animals matrix, runs every command of PAGE on it,
and puts what they print, how long they took and the pictures they made into the page.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from pathlib import Path

import numpy as np
import pandas as pd
from publish import compress

import nbmf

ROOT = Path(__file__).resolve().parents[1]
MISSING = 0.1  # of the entries
LONGEST = 60  # lines that are shown of an output
WRONG = ("nbmf fit animals.cvs", "nbmf fit animals.csv --set alfa=0.2")
INSTALL = "pip install --quiet --no-deps --no-build-isolation ."

PAGE = """\
# The command line

From a file to components, pictures and a recommendation. `python docs/transcript.py` writes this
page: it runs every command in an empty home directory and a new virtual environment, on a CSV made
from the animals matrix (50 animals, 85 attributes) with a tenth of its entries removed. Times are
those of two cores; the first fit compiles its kernels, once.

$ pip install .

$ head -4 animals.csv | cut -c 1-76

## What is in the file

$ nbmf info animals.csv

`info` reports how the file was read. Override what it detected with `--ones agree --zeros reject
--missing abstain`, `--no-header`, `--layout long`, `--groups party` or `--transpose`. The formats are
those of [nbmf.read](your-data.md).

## Components

$ nbmf fit animals.csv

![Animals and attributes on two axes](figures/cli_scale.png)

See [how to read a fit](reading.md). Held-out entries choose [one of a few methods](choosing.md) unless
`--method` names one. Samplers have four chains, other methods on small data four starts (logPCA, LDA,
logistic MAP and stacking one), of which the best is kept. `--no-check` omits the structure test. `report.html` has
everything in one file, in which you can [look up rows and
columns](reading.md#looking-things-up-in-a-report).

![Data and reconstruction](figures/cli_reconstruction.png)

$ ls animals.nbmf

$ head -3 animals.nbmf/W.csv | cut -c 1-76

Components have the same numbers in every file and picture. `nbmf.load("animals.nbmf/model.npz")`
returns the fitted estimator; `stack.npz` is [the mixture that predicts
better](reading.md#how-much-of-what-can-be-predicted-does-the-model-explain), `missing.csv` has both
predictions of missing entries. The same command with the same `--seed` writes the same
numbers. The next run overwrites only files that `nbmf` wrote (`nbmf.json` lists them), unless you add
`--force`.

## Uncertainty

$ nbmf fit animals.csv --method beta-dir-gs --draws 400 --out animals-gibbs | head -40

The summary says whether the four chains have converged, and what to do if not. 90 % credible intervals
are in the summary and in `*_lower.csv` and `*_upper.csv`: see [uncertainty](uncertainty.md).

## Which method

$ nbmf compare animals.csv

![Held-out log loss](figures/cli_comparison.png)

Every method is fitted without a quarter of the entries and scored on these, for five masks. The score
is the held-out log loss in nats per entry; `perplexity` in tables is this log loss. The lead is the
mean of paired differences over masks. Masks share training data, so its interval uses the correction
of Nadeau and Bengio (2003), (1/J + n_test/n_train) var(d), with Student's t. K is chosen on the masks
that are scored, which favours methods with many K: treat a lead smaller than its uncertainty as none.
`--masks 10` makes the interval narrower.

## Tables of mixed columns

$ nbmf example penguins

$ head -5 penguins.csv

$ nbmf cluster penguins.csv --labels species

![What sets the components apart](figures/cli_profile.png)

`cluster` detects what each column is and says so; `--kind year=real`, `--ignore` and `--missing`
override it. Held-out cells decide how many components predict best, and whether any do. The fit does
not see the labels. `nbmf topics` does the same for documents, from counts of words or from texts:
[mixed membership](membership.md#from-a-file).

$ ls penguins.clusters

## In the workflow

With one entry of the configuration, the same file takes part in the paper's comparison, next to the
Catalan parliament ([your data](your-data.md#a-dataset-by-one-config-entry)). In the checkout, after
`make .venv/ready` and `export PATH=$PWD/.venv/bin:$PATH`:

$ cat survey.yaml

$ snakemake --cores 2 lumbreras2020_figure_10 --configfile survey.yaml --quiet all

$ head -4 results/survey/lumbreras2020/tables/scores.csv | cut -d , -f 1-7

![Figure 10 with the survey](figures/cli_figure_10.png)

## Drawing again

$ nbmf plot animals.nbmf --rows 24 --components 4 --out four.png

![Four components](figures/cli_four.png)

## When something is wrong

$ nbmf fit animals.cvs

$ nbmf fit animals.csv --set alfa=0.2

An error is one line, with exit code 2. Ctrl-C ends any command with exit code 130; what was finished
stays. Compiled kernels are kept in `~/.cache/nbmf`, or in `NUMBA_CACHE_DIR` if that is set. If the first
cannot be written and the second is not set, they are compiled in every run, with a message.

## All options

$ nbmf --help

$ nbmf example --help

$ nbmf info --help

$ nbmf fit --help

$ nbmf compare --help

$ nbmf predict --help

$ nbmf recommend --help

$ nbmf compare-fits --help

$ nbmf paths --help

$ nbmf plot --help

$ nbmf cluster --help

$ nbmf topics --help
"""
SURVEY = """\
studies:
  lumbreras2020:
    datasets: [survey, parliament]
    methods: [beta-dir-vb, bica, logpca]
    masks: 3
    unmasked: null
results: results/survey

datasets:
  survey:
    file: animals.csv
    axes: [animals, attributes]
"""
PICTURES = {
    "cli_scale.png": "animals.nbmf/scale.png",
    "cli_reconstruction.png": "animals.nbmf/reconstruction.png",
    "cli_comparison.png": "animals.compare/comparison.png",
    "cli_profile.png": "penguins.clusters/profile.png",
    "cli_four.png": "four.png",
    "cli_figure_10.png": "results/survey/lumbreras2020/figures/figure_10.png",
}


def main() -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path, default=ROOT / "docs/command-line.md")
    page = parser.parse_args().page
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = prepared(folder)
        work = folder / "work"
        text = re.sub(r"^\$ (.*)$", lambda found: shown(found[1], work, environment), PAGE, flags=re.MULTILINE)
        for target, source in PICTURES.items():
            compress(work / source, page.parent / "figures" / target)
    page.write_text(text, encoding="utf-8")


def prepared(folder: Path) -> dict[str, str]:
    """Make the checkout's copy, the CSV and a virtual environment; return the variables to use."""
    work = folder / "work"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, work / name)
    write_csv(work / "animals.csv")
    (work / "survey.yaml").write_text(SURVEY)
    home = folder / "home"
    home.mkdir()
    venv.create(folder / "venv", with_pip=True)
    # Before Python 3.12 it has a setuptools, too old, which would hide the other.
    pip = folder / "venv/bin/pip"
    subprocess.run([pip, "uninstall", "--quiet", "--yes", "setuptools"], check=True)
    libraries = sysconfig.get_path("purelib", vars={"base": str(folder / "venv")})
    Path(libraries, "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return {
        # Snakemake is where the libraries are.
        "PATH": os.pathsep.join([str(folder / "venv/bin"), sysconfig.get_path("scripts"), os.defpath]),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def write_csv(path: Path) -> None:
    """Write the animals matrix with some entries removed."""
    matrix = nbmf.load_example("animals")
    values = pd.DataFrame(matrix.codes, matrix.row_names, matrix.column_names).astype("Int64")
    removed = np.random.default_rng(0).random(matrix.shape) < MISSING
    values.mask(removed).to_csv(path, index_label="animal")


def shown(command: str, work: Path, environment: dict[str, str]) -> str:
    """Run a command; return it with its output as a block of the page."""
    actual = INSTALL if command == "pip install ." else command
    print(f"$ {actual}", file=sys.stderr, flush=True)
    started = time.perf_counter()
    ran = subprocess.run(
        ["bash", "-c", actual], cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    seconds = time.perf_counter() - started
    expected = 2 if command in WRONG else 0
    if ran.returncode != expected:
        raise SystemExit(f"{actual}: exit code {ran.returncode}, not {expected}\n{ran.stdout}")
    lines = ran.stdout.rstrip().splitlines()
    if len(lines) > LONGEST and "--help" not in command:
        lines = [*lines[:LONGEST], f"... ({len(lines) - LONGEST} more lines)"]
    is_timed = command.startswith(("nbmf", "snakemake")) and "--help" not in command
    took = f"\n\n{seconds:.1f} s." if is_timed else ""
    return "\n".join(["```console", f"$ {command}", *lines, "```"]) + took


if __name__ == "__main__":
    main()
