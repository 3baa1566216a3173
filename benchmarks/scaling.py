"""How the time per cell grows with K, F and N, and which rows are better drawn by rejection."""

from collections.abc import Iterable, Sequence

import numpy as np

from common import KERNELS, SEED, Rounds, Table, count_cells, load_training, nanoseconds, number
from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import DENSE_ROW, BetaDirChain

K_GRID = (10, 30, 100, 300)
LARGE_K = 1000
# The cost of a CVB0 cell does not depend on the state: a short warm-up will do.
WARM_UPS = {"Beta-Dir Gibbs": 100, "Dir-Dir Gibbs": 100, "Beta-Dir CVB0": 10, "Dir-Dir CVB0": 10}
NEVER_DENSE, ALWAYS_DENSE = 10**6, 0
DENSE_SETTINGS = ((100, 0.01), (100, 0.1), (100, 1.0), (300, 1.0))  # K, γ


def rounds_with_warm_up(rounds: Rounds, name: str) -> Rounds:
    """Return the rounds with the warm-up of a kernel, at most that of `rounds`."""
    return Rounds(rounds.count, rounds.seconds, min(rounds.warm_up, WARM_UPS[name]))


def table_in_K(datasets: dict[str, np.ndarray], K_grid: Sequence[int], large_K: int, rounds: Rounds) -> Table:
    """Time the kernels for some K, Beta-Dir also for `large_K`, in addition to the last K but one."""
    table = Table(
        "Scaling in K",
        "Nanoseconds per observed training cell and sweep, γ = 1/K, 25 % held out, one thread, "
        f"after {_warm_up_text(rounds)}; the K alternate for {rounds.count} rounds. Last column: "
        f"time over that of K = {K_grid[-2]} in the same round, median over rounds.",
        ["dataset", "kernel", "K", "minimum", "median", f"K / {K_grid[-2]}"],
    )
    for dataset, codes in datasets.items():
        for name, kernel in KERNELS.items():
            Ks = (*K_grid, large_K) if name == "Beta-Dir Gibbs" else K_grid
            runs = {str(K): kernel.run(kernel.make(codes, K)) for K in Ks}
            seconds = rounds_with_warm_up(rounds, name).time(runs)
            reference = seconds[str(K_grid[-2])]
            for K, values in seconds.items():
                ns = nanoseconds(values, count_cells(codes))
                table.rows.append([dataset, name, K, *ns, number(np.median(values / reference))])
    return table


def table_in_size(dataset: str, codes: np.ndarray, K: int, rounds: Rounds) -> Table:
    """Time the kernels on a quarter, half and all of the rows, and of the columns."""
    parts = {
        "all": codes,
        "half of the rows": codes[::2],
        "a quarter of the rows": codes[::4],
        "half of the columns": codes[:, ::2],
        "a quarter of the columns": codes[:, ::4],
    }
    table = Table(
        "Scaling in F and N",
        f"{dataset}, K = {K}, γ = 1/K, 25 % held out, one thread, after {_warm_up_text(rounds)}: "
        "nanoseconds per observed training cell and sweep; every second or fourth line is kept, "
        f"and the matrices alternate for {rounds.count} rounds. Last column: time per cell over "
        "that of the whole matrix, median over rounds.",
        ["kernel", "part", "F", "N", "cells", "minimum", "median", "part / all"],
    )
    for name, kernel in KERNELS.items():
        runs = {part: kernel.run(kernel.make(np.ascontiguousarray(some), K)) for part, some in parts.items()}
        seconds = rounds_with_warm_up(rounds, name).time(runs)
        for part, some in parts.items():
            per_cell = seconds[part] / count_cells(some)
            ratio = np.median(per_cell / (seconds["all"] / count_cells(codes)))
            ns = nanoseconds(seconds[part], count_cells(some))
            table.rows.append([name, part, *some.shape, count_cells(some), *ns, number(ratio)])
    return table


def dense_table(dataset: str, codes: np.ndarray, settings: Iterable, rounds: Rounds) -> Table:
    """Time row lists, rejection and the rule between them where rows use few or many components."""
    table = Table(
        "Dense rows",
        f"{dataset}, Beta-Dir Gibbs, 25 % held out, one thread: nanoseconds per observed training "
        f"cell and sweep, minimum and median of {rounds.count} rounds in which the ways alternate. "
        f"All start from one state, {rounds.warm_up} sweeps after a random start. The rule takes "
        f"rejection in rows that use more than {DENSE_ROW} components.",
        [
            "K",
            "γ",
            "components a row uses",
            "rows above the rule",
            "lists: minimum",
            "median",
            "rejection: minimum",
            "median",
            "rule: minimum",
            "median",
        ],
    )
    cells = count_cells(codes)
    for K, gamma in settings:
        first = BetaDirChain(codes, K, 1.0, 1.0, gamma, SEED)
        first.sweep(rounds.warm_up)
        used = np.count_nonzero(first.counts().L, axis=1)
        runs = {}
        for dense_row in (NEVER_DENSE, ALWAYS_DENSE, DENSE_ROW):
            chain = BetaDirChain(codes, K, 1.0, 1.0, gamma, SEED, Z=first.Z, dense_row=dense_row)
            runs[str(dense_row)] = chain.sweep
        seconds = Rounds(rounds.count, rounds.seconds, warm_up=5).time(runs)
        times = [text for values in seconds.values() for text in nanoseconds(values, cells)]
        above = f"{np.mean(used > DENSE_ROW):.0%}"
        table.rows.append([K, number(gamma), number(used.mean()), above, *times])
    return table


def _warm_up_text(rounds: Rounds) -> str:
    return ", ".join(f"{rounds_with_warm_up(rounds, name).warm_up} sweeps ({name})" for name in WARM_UPS)


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    rounds = Rounds(seconds=0.06)
    paleo, unvotes = load_training("paleo"), load_training("unvotes")
    return [
        table_in_K({"paleo": paleo, "unvotes": unvotes}, K_GRID, LARGE_K, rounds),
        table_in_size("unvotes", unvotes, 100, rounds),
        dense_table("paleo", paleo, DENSE_SETTINGS, rounds),
    ]
