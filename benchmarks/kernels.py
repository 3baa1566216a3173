"""Time of the kernels per observed training cell and sweep, beside the plain loop over components.

    make benchmark

Every kernel runs on the matrix of a dataset built by the workflow (data/matrices), 25 % held out,
one thread, after a warm-up of 100 sweeps. Kernels alternate in one process, since machines are
noisy: their ratios are what counts.
"""

import argparse
import platform
import time
from collections.abc import Callable

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from nbmf.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.kernels.beta_dir_mean_field import BetaDirMeanField
from nbmf.kernels.dir_dir_gibbs import DirDirChain
from nbmf.kernels.random import generator_states, uniform
from nbmf.masks import draw_mask, training_codes
from nbmf.matrix import BinaryMatrix
from nbmf.seeds import seed_sequence

WARM_UP = 100


@numba.njit(error_model="numpy")
def plain_beta_dir(rows, columns, values, z, L, A, M, alpha, beta, gamma, generator, n_sweeps):
    """Sweep eq. (25) as it is written: all K weights of every cell."""
    K = L.shape[1]
    cumulative = np.empty(K)
    for _ in range(n_sweeps):
        for i in range(rows.size):
            f, n, v, k = rows[i], columns[i], values[i], z[i]
            L[f, k] -= 1
            A[n, k] -= v
            M[n, k] -= 1
            total = 0.0
            for k in range(K):
                fit = alpha + A[n, k] if v == 1 else beta + M[n, k] - A[n, k]
                total += (gamma + L[f, k]) * fit / (alpha + beta + M[n, k])
                cumulative[k] = total
            k = min(np.searchsorted(cumulative, uniform(generator) * total, side="right"), K - 1)
            z[i] = k
            L[f, k] += 1
            A[n, k] += v
            M[n, k] += 1


@numba.njit(error_model="numpy")
def plain_dir_dir(rows, columns, values, z, c, L, Q, gamma, eta, generator, n_sweeps):
    """Sweep eqs. (59)-(61) as they are written: all K weights of every cell."""
    K = L.shape[1]
    cumulative = np.empty(K)
    for _ in range(n_sweeps):
        for i in range(rows.size):
            f, n = rows[i], columns[i]
            L[f, z[i]] -= 1
            total = 0.0
            if values[i] == 1:
                Q[n, c[i]] -= 1
                for k in range(K):
                    total += (gamma + L[f, k]) * (eta + Q[n, k])
                    cumulative[k] = total
                u = uniform(generator) * total
                z[i] = c[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
            else:
                for k in range(K):
                    total += (gamma + L[f, k]) * (k != c[i])
                    cumulative[k] = total
                u = uniform(generator) * total
                z[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
                Q[n, c[i]] -= 1
                total = 0.0
                for k in range(K):
                    total += (eta + Q[n, k]) * (k != z[i])
                    cumulative[k] = total
                u = uniform(generator) * total
                c[i] = min(np.searchsorted(cumulative, u, side="right"), K - 1)
            L[f, z[i]] += 1
            Q[n, c[i]] += 1


def contenders(codes: np.ndarray, K: int, threads: int) -> dict[str, Callable[[int], None]]:
    """Return a function per kernel that runs it for some sweeps."""
    seed, gamma = seed_sequence("benchmark"), 1.0 / K
    beta_dir = BetaDirChain(codes, K, 1.0, 1.0, gamma, seed, threads=threads)
    dir_dir = DirDirChain(codes, K, gamma, 1.0, seed, threads=threads)
    cvb0 = BetaDirCVB0(codes, K, 1.0, 1.0, gamma, seed, threads=threads)
    bica = BetaDirMeanField(codes, 10, 1.0, 1.0, 1.0, seed)
    rows, columns = np.nonzero(codes >= 0)
    values = codes[rows, columns].astype(np.int64)
    generator = generator_states(seed, 1)[0]

    def plain(loop, *arrays):
        return lambda sweeps: loop(rows, columns, values, *arrays, generator, sweeps)

    L, A, B = beta_dir.counts()
    A, M = A.T.copy(), (A + B).T.copy()  # a column's counts in one line
    z = beta_dir.Z[rows, columns]
    L2, Q = dir_dir.counts()
    z2, c2 = dir_dir.Z[rows, columns], dir_dir.C[rows, columns]
    return {
        "Beta-Dir Gibbs": beta_dir.sweep,
        "Beta-Dir Gibbs, plain loop": plain(plain_beta_dir, z, L, A, M, 1.0, 1.0, gamma),
        "Dir-Dir Gibbs": dir_dir.sweep,
        "Dir-Dir Gibbs, plain loop": plain(plain_dir_dir, z2, c2, L2, Q.T.copy(), gamma, 1.0),
        "Beta-Dir CVB0": cvb0.update,
        "bICA, K = 10": bica.update,
    }


def measure(codes: np.ndarray, K: int, threads: int, rounds: int) -> dict[str, np.ndarray]:
    """Return the nanoseconds per cell and sweep of every kernel, one number a round."""
    runs = contenders(codes, K, threads)
    cells = np.count_nonzero(codes >= 0)
    for name, run in runs.items():
        run(10 if "plain" in name else WARM_UP)
    times = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            sweeps = 2 if "plain" in name else 10
            started = time.perf_counter()
            run(sweeps)
            times[name].append((time.perf_counter() - started) / sweeps / cells * 1e9)
    return {name: np.array(values) for name, values in times.items()}


def main() -> None:
    """Print the table for the datasets named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=["paleo", "unvotes"])
    parser.add_argument("--K", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=8)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}")
    print(f"{platform.machine()}, K = {options.K}, {options.threads} thread(s)\n")
    print("| dataset | kernel | ns per cell and sweep: minimum | median |\n|---|---|---|---|")
    for dataset in options.datasets:
        matrix = BinaryMatrix.load(f"data/matrices/{dataset}.npz")
        mask = draw_mask(matrix, 0.25, seed_sequence("mask", dataset, 0))
        with threadpool_limits(limits=options.threads, user_api="blas"):
            times = measure(
                training_codes(matrix, mask), options.K, options.threads, options.rounds
            )
        for name, ns in times.items():
            print(f"| {dataset} | {name} | {ns.min():.1f} | {np.median(ns):.1f} |")


if __name__ == "__main__":
    main()
