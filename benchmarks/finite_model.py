"""What the finite Beta-Dir model changes in the choice of `nbmf fit` on small matrices (docs/priors.md):

    python benchmarks/finite_model.py --masks 3 data/trials/dune.csv data/trials/mite.csv

A fifth of the entries is held out, of undirected networks pairs. Prints the held-out log loss of each method, and
of the one that is taken with and without the finite model.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

import nbmf
from nbmf.catalogue import CANDIDATES, candidates_for
from nbmf.data.matrix import BinaryMatrix
from nbmf.evaluation.held_out import HeldOutLosses, held_out_losses
from nbmf.evaluation.verdict import CHANCE, candidates, method_to_show
from nbmf.inference.folds import is_symmetric, units
from nbmf.seeds import seed_sequence

HELD_OUT = 0.2


def test_entries(codes: np.ndarray, mask: int) -> np.ndarray:
    """Return the entries that are scored, bool array (F, N); of pairs the one above the diagonal."""
    places = np.argwhere(units(codes, is_symmetric(codes)))
    rng = np.random.default_rng(seed_sequence("benchmark", "finite", mask))
    chosen = places[rng.permutation(len(places))[: round(HELD_OUT * len(places))]]
    entries = np.zeros(codes.shape, bool)
    entries[tuple(chosen.T)] = True
    return entries


def taken(tested: HeldOutLosses, places: list[int]) -> int:
    """Return which of some methods `nbmf fit` takes."""
    some = tested._replace(methods=[tested.methods[i] for i in places])
    return places[method_to_show(some, CHANCE / 2 / len(places), range(len(places)))]


def losses_of(matrix: BinaryMatrix, mask: int) -> list[float]:
    """Return the loss of what is taken without and with the finite model, then those of all methods."""
    entries = test_entries(matrix.codes, mask)
    hidden = entries | entries.T if is_symmetric(matrix.codes) else entries
    training = np.where(hidden, np.int8(-1), matrix.codes)
    methods = candidates(training)
    ids = candidates_for(BinaryMatrix.__name__, np.count_nonzero(training >= 0))
    with warnings.catch_warnings(action="ignore"):
        tested = held_out_losses(training, methods, 0, None)
        expectations = [method.fit(training).expectation_ for method in methods]
    losses = [nbmf.perplexity(matrix.codes, each, entries) for each in expectations]
    usual = [i for i, name in enumerate(ids) if name in CANDIDATES[BinaryMatrix.__name__]]
    return [losses[taken(tested, usual)], losses[taken(tested, list(range(len(ids))))], *losses]


def main() -> None:
    """Print a line for each matrix."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--masks", type=int, default=3)
    options = parser.parse_args()
    print(f"{'matrix':24s} without   with  change  " + "  ".join(candidates_for("BinaryMatrix", 0)))
    for file in options.files:
        matrix = nbmf.read(file, log=lambda line: None)
        means = np.mean([losses_of(matrix, mask) for mask in range(options.masks)], axis=0)
        change = 100 * (means[1] / means[0] - 1)
        print(
            f"{file.stem:24s}  {means[0]:.4f} {means[1]:.4f} {change:+5.1f} %  "
            + "  ".join(f"{x:.4f}" for x in means[2:])
        )


if __name__ == "__main__":
    main()
