"""What the methods that `nbmf fit` tries on small matrices alone change in its choice (docs/trials.md):

    python benchmarks/candidates.py --masks 3 data/trials/dune.csv data/trials/mite.csv

A fifth of the entries is held out, of undirected networks pairs. Prints the held-out log loss of what is taken from
all methods, and from those without each that is tried on small matrices alone, then that of every method.
"""

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import nbmf
from nbmf.catalogue import LARGE, TRIED_UP_TO, candidates_for
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.symmetry import is_symmetric
from nbmf.evaluation.held_out import HeldOutLosses, held_out_losses
from nbmf.evaluation.verdict import CHANCE, candidates, method_to_show
from nbmf.inference.folds import entries_to_hold_out
from nbmf.seeds import seed_sequence

HELD_OUT = 0.2


def test_entries(codes: np.ndarray, mask: int) -> np.ndarray:
    """Return the entries that are scored, bool array (F, N); of pairs the one above the diagonal."""
    observed = codes >= 0
    places = np.argwhere(entries_to_hold_out(codes, is_symmetric(codes, observed)) & observed)
    rng = np.random.default_rng(seed_sequence("benchmark", "finite", mask))
    chosen = places[rng.permutation(len(places))[: round(HELD_OUT * len(places))]]
    entries = np.zeros(codes.shape, bool)
    entries[tuple(chosen.T)] = True
    return entries


def training_of(matrix: BinaryMatrix, entries: np.ndarray) -> np.ndarray:
    """Return what is left without these entries, of an undirected network without their mirror images too."""
    hidden = entries | entries.T if matrix.is_symmetric() else entries
    return np.where(hidden, np.int8(-1), matrix.codes)


def default_method(tested: HeldOutLosses, places: Sequence[int]) -> int:
    """Return which of some methods `nbmf fit` takes."""
    return method_to_show(tested, CHANCE / 2 / len(places), places)


def losses_of(matrix: BinaryMatrix, mask: int) -> dict[str, float]:
    """Return the loss of what is taken, of what is taken without each of TRIED_UP_TO, and of each method."""
    entries = test_entries(matrix.codes, mask)
    training = training_of(matrix, entries)
    methods = candidates(training)
    names = candidates_for(BinaryMatrix.__name__, np.count_nonzero(training >= 0))
    with warnings.catch_warnings(action="ignore"):
        tested = held_out_losses(training, methods, 0, None)
        expectations = [method.fit(training).expectation_ for method in methods]
    losses = [nbmf.perplexity(matrix.codes, each, entries) for each in expectations]
    without = {f"without {one}": [i for i, name in enumerate(names) if name != one] for one in TRIED_UP_TO}
    choices = {"taken": range(len(names)), **without}
    return {what: losses[default_method(tested, places)] for what, places in choices.items()} | dict(
        zip(names, losses, strict=True)
    )


def main() -> None:
    """Print a line for each matrix."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--masks", type=int, default=3)
    options = parser.parse_args()
    few, many = (candidates_for("BinaryMatrix", entries) for entries in (0, LARGE + 1))
    columns = ["taken", *(f"without {name}" for name in TRIED_UP_TO), *dict.fromkeys([*few, *many])]
    print(f"{'matrix':20s}  " + "  ".join(columns))
    for file in options.files:
        matrix = nbmf.read(file, log=lambda line: None)
        found = [losses_of(matrix, mask) for mask in range(options.masks)]
        means = {name: np.mean([losses.get(name, np.nan) for losses in found]) for name in columns}
        print(f"{file.stem:20s}  " + "  ".join(f"{means[name]:{len(name)}.4f}" for name in columns), flush=True)


if __name__ == "__main__":
    main()
