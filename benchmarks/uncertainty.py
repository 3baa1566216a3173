"""How well intervals cover, and how much narrower those of variational methods are: two tables.

    NUMBA_CACHE_DIR=$PWD/.numba_cache .venv/bin/python benchmarks/uncertainty.py

The numbers of docs/uncertainty.md. Needs data/matrices/animals.npz and parliament.npz (`make
paper` builds them); some ten minutes on two idle cores.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

import nbmf
from nbmf.errors import ChainsNotConvergedWarning

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import intervals  # noqa: E402

REPLICATIONS = 3000  # as the long tests of tests/library/posterior/test_uncertainty.py
LEVELS = (0.5, 0.9)
DATASETS = ("animals", "parliament")
DRAWS = 200


def coverage() -> None:
    """Print what intervals cover on matrices that the model made."""
    asked = [(level, 1.0) for level in LEVELS]
    print(f"{REPLICATIONS} matrices of {intervals.F} x {intervals.N}, K = {intervals.K}\n")
    print("| method | 50 % interval covers | 90 % interval covers | width of the 90 % one |")
    print("|---|---|---|---|")
    for name in intervals.CASES:
        shares, widths = intervals.coverages(name, REPLICATIONS, asked)
        errors = shares.std(axis=0, ddof=1) / REPLICATIONS**0.5
        cells = [f"{m:.1%} ± {e:.1%}" for m, e in zip(shares.mean(axis=0), errors, strict=True)]
        print(f"| {name} | {' | '.join(cells)} | {widths.mean(axis=0)[1]:.3f} |", flush=True)


def widths() -> None:
    """Print how wide intervals are on real matrices, of one chain, of four, and of VB."""
    print(f"\nMean width of 90 % intervals of E[v_fn], K = 100, {DRAWS} draws a chain or start\n")
    print("| dataset | Beta-Dir GS, one chain | four chains | Beta-Dir VB | four starts |")
    print("|---|---|---|---|---|")
    for dataset in DATASETS:
        V = nbmf.BinaryMatrix.load(ROOT / "data" / "matrices" / f"{dataset}.npz")
        cells = []
        for method in (nbmf.BetaDirGibbs, nbmf.BetaDirVB):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ChainsNotConvergedWarning)
                chains = nbmf.run_chains(method(random_state=0), V, n_draws=DRAWS, max_memory_gb=4)
            draws = chains.draws
            for some in (draws[:DRAWS], draws):  # those of the first chain, and all
                lower, upper = some.expectation_interval()
                cells.append(f"{np.mean(upper - lower):.3f}")
        print(f"| {dataset} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    coverage()
    widths()
