"""What the parts share: tables, the clock, the data, the compiled kernels, workers."""

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf import registry
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.dir_dir_cvb0 import DirDirCVB0
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.inference.checkpoint import digest_of
from nbmf.seeds import seed_sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HELD_OUT = 0.25
SEED = seed_sequence("benchmark")
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


# --- Tables ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table in Markdown: a title, what was measured, the names of its columns, its rows."""

    title: str
    note: str
    columns: Sequence[str]
    rows: list[Sequence] = field(default_factory=list)

    def markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        if any(len(line) != len(self.columns) for line in lines):
            raise ValueError(f"{self.title}: a row has not {len(self.columns)} cells")
        cells = [[str(cell).replace("|", "/").replace("\n", " ") for cell in line] for line in lines]
        body = "\n".join("| " + " | ".join(line) + " |" for line in cells)
        return f"### {self.title}\n\n{self.note}\n\n{body if self.rows else 'Nothing to show.'}\n"


def number(value: float, digits: int = 3) -> str:
    """Return a number with some significant digits and no exponent."""
    if not np.isfinite(value):
        return "–"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])  # of the rounded number
    return f"{value:.{max(digits - 1 - exponent, 0)}f}"


def environment() -> str:
    """Return the machine and the versions; the load tells whether the machine was quiet."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    return (
        f"{cpu_model()}, {os.cpu_count()} core(s), {platform.machine()}, {platform.system()}; "
        f"Python {platform.python_version()}, {versions}; "
        f"kernel sources {digest_of(*map(registry.module_of, registry.all_classes()))[:16]}; "
        f"{date.today()}, load before the run {load}"
    )


def cpu_model() -> str:
    """Return the name of the processor; Linux says more than the standard library."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


# --- The clock -------------------------------------------------------------------------------

Run = Callable[[int], None]  # does some sweeps


@dataclass(frozen=True)
class Rounds:
    """How runs are timed: in rounds, taking turns, since machines are noisy.

    count : rounds
    seconds : about what each run takes in a round
    warm_up : sweeps before the first round
    """

    count: int = 8
    seconds: float = 0.1
    warm_up: int = 100

    def sweeps_after_warm_up(self, run: Run) -> int:
        """Warm up and return how many sweeps fill a run's time in a round."""
        run(1)  # compiles
        started = time.perf_counter()
        run(self.warm_up - 1)
        per_sweep = (time.perf_counter() - started) / (self.warm_up - 1)
        return max(1, round(self.seconds / per_sweep))

    def alternate(self, runs: dict[str, tuple[Run, int]]) -> dict[str, np.ndarray]:
        """Return the seconds per sweep of each run, array (rounds,).

        `runs` has for each name a run that is warm, and its sweeps in a round.
        """
        times = {name: [] for name in runs}
        for _ in range(self.count):
            for name, (run, sweeps) in runs.items():
                started = time.perf_counter()
                run(sweeps)
                times[name].append((time.perf_counter() - started) / sweeps)
        return {name: np.array(values) for name, values in times.items()}

    def time(self, runs: dict[str, Run]) -> dict[str, np.ndarray]:
        """Warm up all runs, then alternate."""
        return self.alternate({name: (run, self.sweeps_after_warm_up(run)) for name, run in runs.items()})


def nanoseconds(seconds: np.ndarray, cells: int) -> list[str]:
    """Return the minimum and the median over rounds, in nanoseconds per cell, as text."""
    ns = seconds / cells * 1e9
    return [number(ns.min()), number(np.median(ns))]


# --- Data and kernels ------------------------------------------------------------------------


def load(dataset: str) -> BinaryMatrix:
    """Return a matrix that the workflow has built."""
    return BinaryMatrix.load(ROOT / "data" / "matrices" / f"{dataset}.npz")


def first_mask(dataset: str, matrix: BinaryMatrix) -> np.ndarray:
    """Return the workflow's first mask of a dataset, bool array (F, N)."""
    return draw_mask(matrix, HELD_OUT, seed_sequence("mask", dataset, 0))


def load_training(dataset: str) -> np.ndarray:
    """Return the codes of a dataset with its first mask taken out."""
    matrix = load(dataset)
    return training_codes(matrix, first_mask(dataset, matrix))


def count_cells(codes: np.ndarray) -> int:
    """Return the number of observed entries."""
    return int(np.count_nonzero(codes >= 0))


class Kernel(NamedTuple):
    """A compiled inference with gamma = 1/K and all other concentrations 1.

    make : function of codes, K and threads
    run : function of what was made, to the run of some sweeps
    state : function of what was made, to the arrays that say where it stands
    """

    make: Callable
    run: Callable[..., Run]
    state: Callable[..., list[np.ndarray]]


KERNELS = {
    "Beta-Dir Gibbs": Kernel(
        lambda codes, K, threads=1: BetaDirChain(codes, K, 1.0, 1.0, 1 / K, SEED, threads=threads),
        lambda chain: chain.sweep,
        lambda chain: [chain.Z],
    ),
    "Dir-Dir Gibbs": Kernel(
        lambda codes, K, threads=1: DirDirChain(codes, K, 1 / K, 1.0, SEED, threads=threads),
        lambda chain: chain.sweep,
        lambda chain: [chain.Z, chain.C],
    ),
    "Beta-Dir CVB0": Kernel(
        lambda codes, K, threads=1: BetaDirCVB0(codes, K, 1.0, 1.0, 1 / K, SEED, threads=threads),
        lambda inference: inference.update,
        lambda inference: [inference.responsibilities],
    ),
    "Dir-Dir CVB0": Kernel(
        lambda codes, K, threads=1: DirDirCVB0(codes, K, 1 / K, 1.0, SEED, threads=threads),
        lambda inference: inference.update,
        lambda inference: list(inference.responsibilities),
    ),
}


# --- Workers: measurements that need a process of their own ----------------------------------


def run_worker(
    command: Sequence[str], environment: dict[str, str] | None = None, timeout: float = 600
) -> subprocess.CompletedProcess:
    """Run a command in the repository with matrix products on one thread.

    Raises
    ------
    RuntimeError
        If it fails; the message has the end of what it wrote to stderr.
    """
    ran = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=ROOT,
        env=os.environ | ONE_THREAD | (environment or {}),
    )
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{ran.stderr[-2000:]}")
    return ran


def answer_of(command: Sequence[str], environment: dict[str, str] | None = None, timeout: float = 600) -> dict:
    """Run a worker and return the JSON of the last line that it prints."""
    return json.loads(run_worker(command, environment, timeout).stdout.splitlines()[-1])


def worker(name: str, *arguments) -> list[str]:
    """Return the command of one of the worker scripts next to this file."""
    return [sys.executable, str(HERE / f"{name}.py"), *map(str, arguments)]


def say(line: str) -> None:
    """Tell whoever waits what is being done; tables alone go to stdout."""
    print(line, file=sys.stderr, flush=True)
