"""Coverage-guided fuzzing of all that reads a file: only the package's own errors may come out.

    pip install atheris==3.0.0
    python tests/programs/fuzz.py --seconds 120      every target, one after another; prints a table
    python tests/programs/fuzz.py --target rda FILE  feeds one file, such as a crash that was found

A target writes the fuzzer's bytes to a file and reads it as the workflow would. An exception other
than NbmfError, a hang of 20 seconds or 4 GB of memory is a finding: the fuzzer keeps its input.
"""

import argparse
import contextlib
import copy
import gzip
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["nbmf", "rdata", "jsonschema", "csv", "zipfile"]):
    import rdata
    import yaml

    import nbmf
    from nbmf.data.masks import load_mask, save_mask
    from nbmf.data.matrix import BinaryMatrix
    from nbmf.io import data_frames, reading  # noqa: F401, instrumented
    from nbmf.io.rda import read_data_frame, read_r_matrix
    from nbmf_studies.pipeline import configuration
    from nbmf_studies.recipes.building import build

import numpy as np
import pandas as pd
import scipy.sparse

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))

from checkout import ROOT, shipped_configuration
from snakemake.utils import update_config

from nbmf.errors import NbmfError

MEMORY = Path("/dev/shm" if Path("/dev/shm").is_dir() else tempfile.gettempdir())
MATRIX = BinaryMatrix.from_array(np.eye(4, dtype=np.int8))
CONFIG = shipped_configuration()


def read_config(path: Path) -> None:
    """Lay a YAML file over the paper's configuration and check it, as Snakemake does."""
    try:
        overlay = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError):
        return  # Snakemake reads the file and says so
    if not isinstance(overlay, dict):
        return  # the same
    config = copy.deepcopy(CONFIG)
    update_config(config, overlay)
    configuration.check(config, ROOT / "workflow/schemas/config.schema.yaml")


def read_animals(path: Path) -> None:
    """Use the file for all three of the recipe's files."""
    build("animals", {"matrix": path, "animals": path, "attributes": path}, {})


def read_market(path: Path) -> None:
    """Read the file as Matrix Market, whatever it begins with."""
    path.write_bytes(b"%%MatrixMarket " + path.read_bytes())
    nbmf.read(path, log=[].append)


def use_model(path: Path) -> None:
    """Load a model, and fold new columns in: kernels compute with whatever was in the file."""
    nbmf.load(path).transform_columns(MATRIX.codes)


TARGETS = {
    "nbmf.read": lambda path: nbmf.read(path, log=[].append),
    "nbmf.read, long": lambda path: nbmf.read(path, layout="long", log=[].append),
    "nbmf.read, presence": lambda path: nbmf.read(path, layout="presence", log=[].append),
    "Matrix Market": read_market,
    "matrix file": BinaryMatrix.load,
    "mask file": lambda path: load_mask(path, MATRIX),
    "model file": use_model,
    "CSV of users": lambda path: build("lastfm", {"listens": path}, {}),
    "CSV of finds": lambda path: build("paleo", {"finds": path}, {}),
    "blank-separated": read_animals,
    "R matrix": read_r_matrix,
    "R data frame": lambda path: read_data_frame(path, ["vote"]),
    "configuration": read_config,
}


def seeds(folder: Path) -> None:
    """Write a valid file of each kind, from which the fuzzer starts."""
    MATRIX.save(folder / "matrix.npz")
    save_mask(folder / "mask.npz", np.eye(4, dtype=bool))
    for method in (nbmf.LDA(2, max_iter=2), nbmf.BinaryICA(2, max_iter=2), nbmf.LogisticPCA(1)):
        method.fit(MATRIX).save(folder / f"{type(method).__name__}.npz")
    (folder / "users.csv").write_text("user,abba,acdc\n1,1,0\n2,0,1\n")
    (folder / "finds.csv").write_text("GENUS|NAME|ORDER|LONG\nUrsus|Cave|Carnivora|12.5\n" * 2)
    (folder / "animals.txt").write_text("1\tbat\n2\tcat\n")
    rdata.write_rda(folder / "table.rda", {"votes": pd.DataFrame({"vote": [1.0, 0.0]})})
    (folder / "votes.csv").write_text("who;b1;b2\n'ann';yes;NA\n\"bob\";0;1\n")
    (folder / "votes.csv.gz").write_bytes(gzip.compress(b"who,b1\nann,1\n"))
    (folder / "long.csv").write_text("who,what,vote\nann,b1,1\nann,b2,0\nbob,b1,1\n")
    (folder / "presence.csv").write_text("who,what\nann,b1\nann,b2\nbob,b1\n")
    for banner, body in [
        ("matrix coordinate real general\n", "2 3 2\n1 1 1.0\n2 3 0\n"),
        ("matrix coordinate pattern symmetric\n", "2 2 2\n1 1\n2 1\n"),
        ("matrix array integer general\n", "1 2\n1\n0\n"),
    ]:
        name = banner.split()[1] + banner.split()[2]
        (folder / f"{name}.mtx").write_text(f"%%MatrixMarket {banner}{body}")
        (folder / f"{name} without its first word").write_text(banner + body)
    np.save(folder / "array.npy", np.eye(2))
    scipy.sparse.save_npz(folder / "sparse.npz", scipy.sparse.csr_array(np.eye(2)))
    pd.DataFrame({"who": ["ann", "bob"], "b1": [1, 0]}).to_parquet(folder / "table.parquet")
    (folder / "config.yaml").write_text(
        "studies: {lumbreras2020: {masks: 2, seeds: [0, 1], unmasked: {paleo: null}}}\nmethods: {bica: {K: [2]}}\n"
    )


def feed(target: str, content: bytes) -> None:
    """Read the bytes as a file of the target; let through what is not the package's own error."""
    path = MEMORY / "nbmf-fuzz-input"
    path.write_bytes(content)
    with contextlib.suppress(NbmfError):
        TARGETS[target](path)


def fuzz(target: str, seconds: int) -> tuple[int, str]:
    """Fuzz one target in a process of its own; return the executions and what was found."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        seeds(corpus)
        command = [
            sys.executable,
            __file__,
            "--worker",
            target,
            str(corpus),
            f"-max_total_time={seconds}",
            "-timeout=20",
            "-rss_limit_mb=4096",
            "-max_len=4096",
            "-verbosity=1",
            "-print_final_stats=1",
            f"-artifact_prefix={Path.cwd()}/fuzz-{target.replace(' ', '-')}-",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
    text = done.stdout + done.stderr
    runs = re.findall(r"number_of_executed_units:\s+(\d+)", text)
    if done.returncode == 0:
        return int(runs[-1]), "nothing"
    found = re.findall(r"=== Uncaught Python exception: ===\n(.*)", text)
    return int(runs[-1]) if runs else 0, found[-1] if found else text[-300:]


def main() -> None:
    """Fuzz all targets and print a table, or feed one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=120, help="of each target")
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("file", nargs="?", type=Path)
    arguments = parser.parse_args()
    if arguments.file:
        feed(arguments.target, arguments.file.read_bytes())
        return
    print("| target | executions | found |\n|---|---:|---|", flush=True)
    results = []
    for target in [arguments.target] if arguments.target else TARGETS:
        executions, found = fuzz(target, arguments.seconds)
        results.append(found)
        print(f"| {target} | {executions} | {found} |", flush=True)
    sys.exit(any(found != "nothing" for found in results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        target = sys.argv[2]
        atheris.Setup([sys.argv[0], *sys.argv[3:]], lambda content: feed(target, content))
        atheris.Fuzz()
    else:
        main()
