"""What stacking predicts next to each of its members, to equal weights, and to the method that nbmf fit shows.

    .venv/bin/python benchmarks/stacking.py [MATRIX ...] [--masks 3]

Prints the table of docs/stacking.md. MATRIX is an example of the package or a file. A fifth of the observed entries is
held out in each mask, of an undirected network pairs; every method sees the others alone, and stacking chooses its
weights inside them.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np

import nbmf
from common import ROOT, Table, environment, number, say
from nbmf.data.examples import EXAMPLES
from nbmf.data.masks import ENTRIES, PAIRS, draw_mask
from nbmf.data.matrix import BinaryMatrix
from nbmf.evaluation.verdict import candidates, choose
from nbmf.seeds import seed_sequence
from nbmf.stacking.members import MEMBERS, make_members

TRIALS = ("dune", "blot", "hyper_qtl", "senate106")  # of the list on which choices are made
HELD_OUT, MASKS = 0.2, 3
K, MAX_ITER = 8, 1000


def losses_of(codes: np.ndarray, mask: np.ndarray) -> dict[str, float]:
    """Return the held-out log loss of each method, in nats per held-out entry."""
    training, seed = np.where(mask, np.int8(-1), codes), seed_sequence("benchmark", "stacking")
    members = make_members(MEMBERS, K, MAX_ITER)
    with warnings.catch_warnings(action="ignore"):
        fitted = {name: each.set_params(random_state=seed).fit(training) for name, each in members.items()}
        methods = candidates(training, seed)
        shown = methods[choose(training, methods).index].fit(training)
        stack = nbmf.Stacking(K, max_iter=MAX_ITER, random_state=seed).fit(training)
    expectations = {name: each.expectation_ for name, each in fitted.items()}
    equal = np.mean(list(expectations.values()), axis=0)
    expectations |= {"nbmf fit": shown.expectation_, "equal weights": equal, "stacking": stack.expectation_}
    return {name: nbmf.perplexity(codes, each, mask) for name, each in expectations.items()}


def stacking_table(matrices: dict[str, BinaryMatrix], masks: int = MASKS) -> Table:
    """Compare stacking with its members on some matrices."""
    columns = [*MEMBERS, "nbmf fit", "equal weights", "stacking"]
    table = Table(
        "Stacking",
        f"Held-out log loss, nats per entry, mean of {masks} masks of {HELD_OUT:.0%} of the entries.",
        ["matrix", *columns],
    )
    for name, matrix in matrices.items():
        held_out = PAIRS if matrix.is_symmetric() else ENTRIES
        found = []
        for number_of_mask in range(masks):
            say(f"stacking: {name}, mask {number_of_mask}")
            mask = draw_mask(matrix, HELD_OUT, seed_sequence("mask", name, number_of_mask), held_out)
            found.append(losses_of(matrix.codes, mask))
        means = {column: np.mean([each[column] for each in found]) for column in columns}
        table.rows.append([name, *(number(means[column], 4) for column in columns)])
    return table


def read(name: str) -> BinaryMatrix:
    """Return an example of the package, or a file's matrix."""
    return nbmf.load_example(name) if name in EXAMPLES else nbmf.read(name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    usual = ["animals", "votes", *(str(ROOT / "data/trials" / f"{name}.csv") for name in TRIALS)]
    parser.add_argument("matrices", nargs="*", default=usual, metavar="MATRIX")
    parser.add_argument("--masks", type=int, default=MASKS)
    options = parser.parse_args()
    say(environment())
    print(stacking_table({Path(name).stem: read(name) for name in options.matrices}, options.masks).markdown())
