"""What it takes to begin: the import, the compilation, and a fit job that hardly fits."""

import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from common import Table, answer_of, number, run_worker, say, worker
from nbmf.data.masks import draw_mask, save_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.registry import all_classes, estimator_class
from nbmf.seeds import seed_sequence

REPEATS = 5
IMPORT = """
import json, sys, time
started = time.perf_counter()
import nbmf
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "loaded": sorted({n.split(".")[0] for n in sys.modules})}))
"""
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "matplotlib", "sklearn")


def import_table(cache: Path, repeats: int) -> Table:
    """Time `import nbmf` and look at what it loads and compiles."""
    say("start-up: import")
    command, environment = [sys.executable, "-c", IMPORT], {"NUMBA_CACHE_DIR": str(cache)}
    found = [answer_of(command, environment) for _ in range(repeats)]
    seconds = [one["seconds"] for one in found]
    loaded = [name for name in LIBRARIES if name in found[0]["loaded"]]
    compiled = list(cache.rglob("*.nb*"))
    return Table(
        "Import",
        f"`import nbmf` in {repeats} new processes, with an empty cache of compiled code.",
        ["minimum: ms", "median: ms", "libraries it loads", "compiled files"],
        [
            [
                number(min(seconds) * 1e3),
                number(np.median(seconds) * 1e3),
                ", ".join(loaded) or "none of " + ", ".join(LIBRARIES),
                len(compiled),
            ]
        ],
    )


def compile_table(cache: Path) -> Table:
    """Time `nbmf_studies.pipeline.compile_kernels` with an empty cache, then with a full one."""
    say("start-up: compiling all kernels, about a minute")
    command = [sys.executable, "-m", "nbmf_studies.pipeline.compile_kernels"]
    seconds, by_class = [], []
    for _ in range(2):
        started = time.perf_counter()
        lines = run_worker(command, {"NUMBA_CACHE_DIR": str(cache)}).stdout
        seconds.append(time.perf_counter() - started)
        by_class.append(dict(re.findall(r"^(\w+): ([\d.]+) s$", lines, re.MULTILINE)))
    files = [path for path in cache.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    rows = [[name, by_class[0][name], by_class[1][name]] for name in by_class[0]]
    rows.append(["whole process", *[f"{value:.1f}" for value in seconds]])
    return Table(
        "Compilation",
        "`python -m nbmf_studies.pipeline.compile_kernels`: seconds with an empty cache and with "
        "the cache that this left. Classes are fitted in this order and share kernels: each "
        "pays for what those before have not compiled. "
        f"The cache has {len(files)} files, {size:.1f} MB.",
        ["class", "empty cache", "full cache"],
        rows,
    )


def job_table(cache: Path, folder: Path, classes: Sequence[str], repeats: int) -> Table:
    """Time fit jobs of one iteration on an 8 x 8 matrix; the classes take turns."""
    codes = np.random.default_rng(0).integers(0, 2, (8, 8))
    matrix = BinaryMatrix.from_array(codes)
    matrix.save(folder / "matrix.npz")
    save_mask(folder / "mask.npz", draw_mask(matrix, 0.25, seed_sequence("benchmark")))
    paths = [folder / name for name in ("matrix.npz", "mask.npz", "report.json")]
    found = {name: [] for name in classes}
    for i in range(repeats):
        say(f"start-up: fit jobs, round {i + 1} of {repeats}")
        for name in classes:
            started = time.perf_counter()
            answer = answer_of(worker("fit_worker", name, *paths), {"NUMBA_CACHE_DIR": str(cache)})
            found[name].append({"wall": time.perf_counter() - started} | answer)
            json.loads(paths[-1].read_text(encoding="utf-8"))  # the report is whole
    keys = ("wall", "imports", "job", "most")
    rows = [[name, *[number(np.median([one[key] for one in runs])) for key in keys]] for name, runs in found.items()]
    return Table(
        "Fit jobs",
        "A process that does what a fit job of the workflow does, without Snakemake: import, load "
        "an 8 × 8 matrix and its mask, one iteration with K = 2 and a full cache of compiled code, "
        f"score, write JSON. Medians of {repeats}; the wall time includes the interpreter's start "
        "and end. MB: resident memory at most.",
        ["class", "wall: seconds", "imports", "matrix, fit and report", "MB"],
        rows,
    )


def classes_of_binary_matrices() -> list[str]:
    """Return the classes that fit the matrix of the fit jobs."""
    return [name for name in all_classes() if estimator_class(name).likelihoods[0].matrix is BinaryMatrix]


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    with TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        cache.mkdir()
        return [
            import_table(cache, REPEATS),
            compile_table(cache),
            job_table(cache, Path(folder), classes_of_binary_matrices(), REPEATS),
        ]
