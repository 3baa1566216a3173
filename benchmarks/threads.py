"""One thread against two: the speed-up, and whether the results are the same bits."""

import hashlib
from collections.abc import Iterable, Iterator

import numba
import numpy as np
import scipy.sparse as sparse

import nbmf
from common import KERNELS, Rounds, Table, count_cells, load_training, nanoseconds, number
from large import Run, drawn, newsgroups
from nbmf.data.sparse_counts import SparseCounts
from nbmf.seeds import seed_sequence
from popularity import Run as Drawn

UPDATES = 3  # of a sparse fit, in a round
SPARSE = ("BernoulliPoissonVB", "BernoulliPoissonGibbs")


def digest(arrays: list[np.ndarray]) -> str:
    """Return a checksum of the bytes of some arrays."""
    checksum = hashlib.sha256()
    for array in arrays:
        checksum.update(np.ascontiguousarray(array).data)
    return checksum.hexdigest()


def threads_table(dataset: str, codes: np.ndarray, K: int, rounds: Rounds) -> Table:
    """Time every kernel on one and two threads; both do the same sweeps from the same seed."""
    rows = []
    for name, kernel in KERNELS.items():
        made = [kernel.make(codes, K, threads=threads) for threads in (1, 2)]
        one, two = (kernel.run(model) for model in made)
        sweeps = rounds.sweeps_after_warm_up(one)
        two(rounds.warm_up)
        seconds = rounds.alternate({"1": (one, sweeps), "2": (two, sweeps)})
        first, second = (digest(kernel.state(model)) for model in made)
        gain = seconds["1"] / seconds["2"]
        cells = count_cells(codes)
        rows.append(
            [
                name,
                *nanoseconds(seconds["1"], cells),
                *nanoseconds(seconds["2"], cells),
                number(np.median(gain)),
                number(seconds["1"].min() / seconds["2"].min()),
                f"{'identical' if first == second else 'DIFFERENT'} after "
                f"{rounds.warm_up + rounds.count * sweeps} sweeps",
            ]
        )
    return Table(
        "Threads",
        f"{dataset}, K = {K}, γ = 1/K, 25 % held out, after {rounds.warm_up} sweeps: nanoseconds "
        f"per observed training cell and sweep on one and two threads, which alternate for "
        f"{rounds.count} rounds. Speed-up: median of the ratios of each round, and ratio of the "
        "minima. State: checksums of Z, of Z and C, or of all responsibilities. Threading layer: "
        f"{_threading_layer()}.",
        [
            "kernel",
            "one: minimum",
            "median",
            "two: minimum",
            "median",
            "speed-up: median",
            "of minima",
            "state of one and two",
        ],
        rows,
    )


def matrices() -> Iterator[tuple[str, sparse.csr_array | None, int]]:
    """Yield name, matrix and K of sparse matrices; None instead of one whose raw file is not at hand."""
    yield "drawn", drawn(Drawn().size)[0], Drawn().size.K
    yield "newsgroups", newsgroups(), Run().K


def sparse_table(given: Iterable[tuple[str, sparse.csr_array | None, int]], rounds: Rounds) -> Table:
    """Time updates of variational Bayes, and sweeps, on sparse matrices, on one and two threads in turns."""
    table = Table(
        "Threads: sparse matrices",
        "With scales: milliseconds of an update or a sweep by the clock, medians of "
        f"{rounds.count} rounds in which one thread and two alternate; a median of the ratios of each round. State: a "
        f"checksum of the factors. Threading layer: {_threading_layer()}.",
        ["matrix", "ones", "K", "method", "one thread", "two threads", "speed-up", "state of one and two"],
    )
    for name, V, K in given:
        if V is None:
            table.rows.append([f"{name}: the raw file is not at hand", *["–"] * 7])
            continue
        table.rows.extend([name, V.nnz, K, *_sparse_row(V, K, method, rounds)] for method in SPARSE)
    return table


def _sparse_row(V: sparse.csr_array, K: int, method: str, rounds: Rounds) -> list:
    """Return the row of a method: its name, both times, the speed-up and whether the factors are the same."""
    values, seed = SparseCounts.of(V), seed_sequence("benchmark", "threads")
    states = [
        getattr(nbmf, method)(K, scales="both", threads=threads, random_state=0)._start(values, seed)
        for threads in (1, 2)
    ]
    for state in states:
        state.advance(rounds.warm_up)
    one, two = (state.advance for state in states)
    seconds = rounds.alternate({"1": (one, UPDATES), "2": (two, UPDATES)})
    first, second = (digest(list(state.factors()[:2])) for state in states)
    shown = [number(1e3 * np.median(seconds[each])) for each in ("1", "2")]
    gain = number(np.median(seconds["1"] / seconds["2"]))
    return [method, *shown, gain, "identical" if first == second else "DIFFERENT"]


def _threading_layer() -> str:
    try:
        return numba.threading_layer()
    except ValueError:  # no parallel kernel has run
        return "none"


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        return [Table("Threads", "Skipped: numba has one thread on this machine.", ["–"])]
    return [threads_table("unvotes", load_training("unvotes"), 100, Rounds()), sparse_table(matrices(), Rounds())]
