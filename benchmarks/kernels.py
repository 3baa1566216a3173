"""Nanoseconds per observed training cell and sweep of every kernel, compared with plain loops."""

from unittest import mock

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

from common import KERNELS, SEED, Rounds, Run, Table, count_cells, load_training, nanoseconds, number
from nbmf import LDA
from nbmf.families.beta_dirichlet.kernels import dir_dir_gibbs
from nbmf.families.beta_dirichlet.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from plain_loops import PlainBetaDir, PlainDirDir, PlainDirDirCVB0

DATASETS = ("paleo", "unvotes")
WIDTHS_ON = ("animals", "paleo", "lastfm", "unvotes")
MEAN_FIELD_K = 10

# Kernel -> the plain loop of its model.
PLAIN = {
    "Beta-Dir Gibbs": "Beta-Dir Gibbs, plain loop",
    "Dir-Dir Gibbs, joint": "Dir-Dir Gibbs, plain loop",
    "Dir-Dir Gibbs, alternating": "Dir-Dir Gibbs, plain loop",
    "Dir-Dir CVB0": "Dir-Dir CVB0, plain loop",
}


def warm_runs(codes: np.ndarray, K: int, rounds: Rounds) -> dict[str, tuple[Run, int]]:
    """Return every kernel after its warm-up, and its sweeps in a round.

    The samplers of a model all start from the state of its default kernel after the warm-up.
    """
    made = {name: kernel.make(codes, K) for name, kernel in KERNELS.items()}
    made["bICA"] = BetaDirMeanField(codes, MEAN_FIELD_K, 1.0, 1.0, 1.0, SEED)
    warm = {}
    for name, model in made.items():
        run = model.update if hasattr(model, "update") else model.sweep
        warm[name] = run, rounds.sweeps_after_warm_up(run)
    beta_dir, dir_dir = made["Beta-Dir Gibbs"], made["Dir-Dir Gibbs"]
    gamma, pairs = 1.0 / K, {"Z": dir_dir.Z, "C": dir_dir.C}
    same_state = {
        "Beta-Dir Gibbs, plain loop": PlainBetaDir(codes, K, 1.0, 1.0, gamma, SEED, Z=beta_dir.Z),
        "Dir-Dir Gibbs, alternating": DirDirChain(codes, K, gamma, 1.0, SEED, **pairs, scheme="alternating"),
        "Dir-Dir Gibbs, plain loop": PlainDirDir(codes, K, gamma, 1.0, SEED, **pairs),
        "Dir-Dir CVB0, plain loop": PlainDirDirCVB0(codes, K, gamma, 1.0, **pairs),
    }
    again = Rounds(seconds=rounds.seconds, warm_up=3)
    for name, model in same_state.items():
        run = model.update if hasattr(model, "update") else model.sweep
        warm[name] = run, again.sweeps_after_warm_up(run)
    warm["Dir-Dir Gibbs, joint"] = warm.pop("Dir-Dir Gibbs")
    return dict(sorted(warm.items()))


def kernel_table(datasets: dict[str, np.ndarray], K: int, rounds: Rounds) -> Table:
    """Time every kernel on the training codes of some datasets."""
    table = Table(
        "Kernels",
        f"Nanoseconds per observed training cell and sweep: K = {K} (bICA {MEAN_FIELD_K}), "
        f"γ = 1/K (bICA 1), 25 % held out, after {rounds.warm_up} sweeps, one thread. Kernels "
        f"alternate in one process for {rounds.count} rounds; the last column is the time of the "
        "plain loop over that of the kernel in the same round, median over rounds. The plain loop "
        "of Dir-Dir is the alternating scheme.",
        ["dataset", "kernel", "minimum", "median", "plain loop / kernel"],
    )
    for dataset, codes in datasets.items():
        seconds = rounds.alternate(warm_runs(codes, K, rounds))
        for name, values in seconds.items():
            gain = "–"
            if name in PLAIN:
                gain = number(np.median(seconds[PLAIN[name]] / values))
            table.rows.append([dataset, name, *nanoseconds(values, count_cells(codes)), gain])
    return table


def width_table(datasets: dict[str, np.ndarray], K: int, rounds: Rounds) -> Table:
    """Time Dir-Dir Gibbs and the same chain with four bytes for all that has one or two."""
    table = Table(
        "Narrow numbers",
        f"Dir-Dir Gibbs, joint, K = {K}, γ = 1/K, nanoseconds per observed training cell and "
        "sweep: with four bytes for each assignment and each count of a column, and with as few as "
        f"hold them. In turns for {rounds.count} rounds after {rounds.warm_up} sweeps; the last "
        "columns are the median of the ratios of each round, and whether the chains are the same.",
        ["dataset", "four bytes: minimum", "median", "narrow: minimum", "median", "ratio", "bits"],
    )
    for dataset, codes in datasets.items():
        narrow = DirDirChain(codes, K, 1 / K, 1.0, SEED)
        with mock.patch.object(dir_dir_gibbs, "smallest_dtype", lambda largest, *kinds: kinds[-1]):
            wide = DirDirChain(codes, K, 1 / K, 1.0, SEED)
        wide.sweep(rounds.warm_up)
        sweeps = rounds.sweeps_after_warm_up(narrow.sweep)
        runs = {"wide": (wide.sweep, sweeps), "narrow": (narrow.sweep, sweeps)}
        seconds = rounds.alternate(runs)
        times = [nanoseconds(values, count_cells(codes)) for values in seconds.values()]
        ratio = number(np.median(seconds["wide"] / seconds["narrow"]))
        same = (wide.Z == narrow.Z).all() and (wide.C == narrow.C).all()
        table.rows.append([dataset, *times[0], *times[1], ratio, "same" if same else "DIFFERENT"])
    return table


def lda_table(datasets: dict[str, np.ndarray], K: int, rounds: Rounds) -> Table:
    """Time fits of LDA, which has no cells but tokens, compared with scikit-learn's."""
    table = Table(
        "LDA",
        f"Seconds of a fit: {LDA().max_iter} passes, K = {K}, the same training cells, one thread, "
        "in turns; the last column is the median over rounds of their ratio.",
        ["dataset", "tokens", "nbmf: minimum", "median", "scikit-learn: minimum", "median", "ratio"],
    )
    for dataset, codes in datasets.items():
        tokens = (codes.T == 1).astype(float)
        LDA(K, max_iter=1).fit(codes)  # compiles
        peer = LatentDirichletAllocation(K, max_iter=LDA().max_iter)
        fits = {
            "nbmf": (lambda _, codes=codes: LDA(K).fit(codes), 1),
            "peer": (lambda _, tokens=tokens, peer=peer: peer.fit_transform(tokens), 1),
        }
        ours, theirs = rounds.alternate(fits).values()
        times = [f(x) for x in (ours, theirs) for f in (np.min, np.median)]
        ratio = np.median(theirs / ours)
        table.rows.append([dataset, int(tokens.sum()), *map(number, times), number(ratio)])
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    datasets = {name: load_training(name) for name in DATASETS}
    return [
        kernel_table(datasets, 100, Rounds()),
        width_table({name: load_training(name) for name in WIDTHS_ON}, 100, Rounds()),
        lda_table(datasets, 4, Rounds(count=3)),
    ]
