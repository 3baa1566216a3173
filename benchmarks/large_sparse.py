"""Reading a large list of ones in pieces, and passes over it: bytes per one and seconds, each in a process of its own.

    python large_sparse.py 10000000

prints the tables for so many ones; `run.py large_sparse` does it for a million. A matrix has a tenth as many rows as
ones and a hundredth as many columns, whose popularity falls; it is drawn and written some rows at a time.

    python large_sparse.py write FILE ONES
    python large_sparse.py read FILE ONES
    python large_sparse.py fit FILE ONES PRECISION THREADS K UPDATES

are single steps; the last two print a line of JSON and are processes of their own.
"""

import itertools
import json
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import scipy.sparse as sparse

import large
import nbmf
from common import Table, answer_of, number, say, worker
from nbmf.catalogue import METHODS
from nbmf.seeds import seed_sequence
from process_memory import megabytes

FORMATS = ("parquet", "csv", "mtx")
PRECISIONS = ("double", "single")
FITS = ("double", 1), ("double", 2), ("single", 1), ("single", 2)  # precision and threads
PIECE = 500_000  # ones drawn at a time
PATIENCE = 7200  # seconds for a process, on a machine with other work
DRAWN = large.Size(20_000, 2_000, 200_000, 8)  # of which the loss is compared
ROLES = {"row": "user", "column": "item"}


class Size(NamedTuple):
    """So many ones in a matrix F x N; K and updates of the fits."""

    ones: int = 1_000_000
    K: int = 8
    updates: int = 10

    @property
    def shape(self) -> tuple[int, int]:
        """(F, N)."""
        return max(self.ones // 10, 2), max(self.ones // 100, 50)


def pieces(size: Size) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows and columns of different ones, in any order within a piece; pieces have rows of their own."""
    F, N = size.shape
    count = -(-size.ones // PIECE)
    rng = np.random.default_rng(seed_sequence("benchmark", "large sparse", size.ones))
    bounds = np.linspace(0, F, count + 1).astype(np.int64)
    for number_of, (first, end) in enumerate(itertools.pairwise(bounds)):
        wanted = size.ones * (number_of + 1) // count - size.ones * number_of // count
        flat = np.empty(0, np.int64)
        while flat.size < wanted:
            columns = (N * rng.random(wanted) ** 2).astype(np.int64)
            flat = np.unique(np.concatenate([flat, rng.integers(first, end, wanted) * N + columns]))
        yield np.divmod(rng.permutation(flat)[:wanted], N)


def write(path: Path, size: Size) -> None:
    """Write the ones in the format of the suffix, a piece at a time."""
    fields = pa.schema([(name, pa.int64()) for name in ROLES.values()])
    if path.suffix == ".mtx":
        with open(path, "wb") as file:
            F, N = size.shape
            file.write(f"%%MatrixMarket matrix coordinate pattern general\n{F} {N} {size.ones}\n".encode())
            options = pyarrow.csv.WriteOptions(include_header=False, delimiter=" ")
            for rows, columns in pieces(size):
                pyarrow.csv.write_csv(pa.table([rows + 1, columns + 1], fields), file, options)
        return
    made = pyarrow.parquet.ParquetWriter if path.suffix == ".parquet" else pyarrow.csv.CSVWriter
    with made(path, fields) as writer:
        for part in pieces(size):
            writer.write_table(pa.table(list(part), fields))


# --- Processes of their own --------------------------------------------------------------------------


def read_file(path: Path, shape: tuple[int, int]) -> sparse.csr_array:
    """Read a file that `write` wrote."""
    options = {} if path.suffix == ".mtx" else ROLES | {"shape": shape}
    return nbmf.read_sparse(path, **options, log=lambda line: None).V


def warmed(path: Path) -> float:
    """Read a small file of the same format; return the memory that the process then has, in MB."""
    with TemporaryDirectory() as folder:
        small, size = Path(folder) / f"small{path.suffix}", Size(100)
        write(small, size)
        read_file(small, size.shape)
    return megabytes()["now"]


def read(path: Path, size: Size) -> dict:
    """Read a file; return seconds and MB beyond those of a process that has read a small one."""
    before = warmed(path)
    wall, started = time.perf_counter(), time.process_time()
    V = read_file(path, size.shape)
    seconds = {"seconds": time.process_time() - started, "wall": time.perf_counter() - wall}
    held = V.data.nbytes + V.indices.nbytes + V.indptr.nbytes
    return seconds | {"ones": V.nnz, "most": megabytes()["most"] - before, "held": held / 1e6}


class Clocks(large.Clock):
    """The processor's time and that of the clock after every iteration."""

    def __init__(self):
        super().__init__()
        self.walls = []

    def resume(self, state):
        """Start at the beginning."""
        self.walls.append(time.perf_counter())
        return super().resume(state)

    def __call__(self, iteration, total, state):
        """Look at both clocks."""
        super().__call__(iteration, total, state)
        self.walls.append(time.perf_counter())


def fit(path: Path, size: Size, precision: str, threads: int) -> dict:
    """Fit a file's matrix; return seconds of an update and MB beyond those of a process that has fitted a small one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it ends before it has converged
        before = warmed(path)
        model = nbmf.BernoulliPoissonVB(
            size.K, max_iter=size.updates, relative_gain_tol=0, precision=precision, threads=threads, random_state=0
        )
        type(model)(**model.get_params()).fit(sparse.csr_array(np.eye(3, dtype=np.int8)))
        V = read_file(path, size.shape)
        clock = Clocks()
        model.fit(V, monitor=clock)
    seconds = {"seconds": float(np.median(np.diff(clock.times))), "wall": float(np.median(np.diff(clock.walls)))}
    return seconds | {"most": megabytes()["most"] - before}


# --- Tables --------------------------------------------------------------------------------------


def reading_table(size: Size, folder: Path) -> Table:
    """Read the same ones from files of all formats."""
    table = Table(
        "Reading a large list of ones",
        f"`nbmf.read_sparse` of {size.ones} ones in a matrix of {size.shape[0]} x {size.shape[1]}, with numbers of "
        "rows and columns. Peak memory beyond that of a process that has read a small file; the matrix is "
        "CSR with int32 indices and int8 values. Seconds of the processor, all threads, and by the clock.",
        ["format", "bytes per one: file", "peak", "matrix", "seconds", "by the clock", "ones a second"],
    )
    for suffix in FORMATS:
        say(f"large sparse: {suffix}")
        write(path := folder / f"ones.{suffix}", size)
        found = answer_of(worker("large_sparse", "read", path, size.ones), timeout=PATIENCE)
        assert found["ones"] == size.ones
        per_one = [1e6 * found[what] / size.ones for what in ("most", "held")]
        times = [number(found["seconds"]), number(found["wall"]), number(size.ones / found["seconds"])]
        table.rows.append([suffix, number(path.stat().st_size / size.ones), *map(number, per_one), *times])
        if suffix != FORMATS[0]:
            path.unlink()  # fits read the first
    return table


def fits_table(size: Size, folder: Path) -> Table:
    """Fit the matrix of the first file in both precisions, on one thread and two."""
    F, N = size.shape
    table = Table(
        "Updates of a large sparse matrix",
        f"`BernoulliPoissonVB`, K = {size.K}, {size.updates} updates of the matrix above, read from {FORMATS[0]}; "
        f"{(F + N) * size.K} numbers of the factors. Seconds of the processor, all threads, and by the clock; peak "
        "memory of reading and fitting beyond that of a process that has read and fitted a small matrix.",
        [
            "precision",
            "threads",
            "seconds an update",
            "by the clock",
            "ns per one and component",
            "peak: MB",
            "bytes per one",
        ],
    )
    path = folder / f"ones.{FORMATS[0]}"
    for precision, threads in FITS:
        say(f"large sparse: fit, {precision}, {threads}")
        command = worker("large_sparse", "fit", path, size.ones, precision, threads, size.K, size.updates)
        found = answer_of(command, timeout=PATIENCE)
        each = found["seconds"], found["wall"], 1e9 * found["seconds"] / size.ones / size.K, found["most"]
        table.rows.append([precision, threads, *map(number, each), number(1e6 * found["most"] / size.ones)])
    return table


def loss_table(size: large.Size, updates: int) -> Table:
    """Compare held-out losses of both precisions on a matrix drawn from known factors."""
    V, truth = large.drawn(size)
    part = large.split(V)
    places = part.ones, part.zeros
    table = Table(
        "What single precision loses",
        f"A matrix of {size.F} x {size.N} with {size.ones} ones drawn from {size.K} known factors with popularity; a "
        "tenth of the ones and as many zeros are held out. "
        f"`bernoulli-poisson-vb-scales`, {updates} updates from one start.",
        ["precision", "held out: nats per one", "predictions differ by at most", "true factors"],
    )
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it ends before it has converged
        for precision in PRECISIONS:
            settings = METHODS["bernoulli-poisson-vb-scales"]["settings"] | {"relative_gain_tol": 0}
            settings |= {"max_iter": updates, "precision": precision}
            model = nbmf.BernoulliPoissonVB(size.K, **settings, random_state=0).fit(part.V)
            found[precision] = [model.predict(*each) for each in places]
    true = number(large.loss(part, *(truth(*each) for each in places)), 6)
    for precision, chances in found.items():
        ratios = [np.abs(one / other - 1).max() for one, other in zip(chances, found["double"], strict=True)]
        table.rows.append([precision, number(large.loss(part, *chances), 6), f"{100 * max(ratios):.2g} %", true])
    return table


def run(size: Size | None = None, drawn: large.Size = DRAWN, updates: int = 100) -> list[Table]:
    """Do this part as `make benchmark` does."""
    with TemporaryDirectory() as folder:
        tables = [made(size or Size(), Path(folder)) for made in (reading_table, fits_table)]
    return [*tables, loss_table(drawn, updates)]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", path, ones]:
            write(Path(path), Size(int(ones)))
        case ["read", path, ones]:
            print(json.dumps(read(Path(path), Size(int(ones)))))
        case ["fit", path, ones, precision, threads, K, updates]:
            print(json.dumps(fit(Path(path), Size(int(ones), int(K), int(updates)), precision, int(threads))))
        case [ones]:
            print("\n".join(table.markdown() for table in run(Size(int(ones)))))
