"""What effects with learned variances predict on small matrices, next to effects of a given scale and to none.

    NUMBA_CACHE_DIR=$PWD/.numba_cache .venv/bin/python benchmarks/learned_effects.py [--masks 3] [--matrices dune mite]

Prints the tables of docs/models.md, in some 15 minutes on one core: held-out log loss, nats per entry, the mean over
masks of a fifth of the observed entries; matrices of data/trials with at most MOST_ENTRIES entries, and two examples.
"""

import argparse
import warnings

import numpy as np

import nbmf
from common import ROOT, SEED, Table, environment, say
from nbmf.data.masks import draw_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.inference.estimator import Factorization
from nbmf.numerics.blas import one_blas_thread
from nbmf.seeds import seed_sequence

MOST_ENTRIES = 25_000
EXAMPLES = ("animals", "votes")
HELD_OUT = 0.2
K = 8
WITHOUT = "column means"
BOTH = "both, learned"

BOTH_KINDS = {"none": {}, "both, scale 10": {"effects": "both"}, BOTH: {"effects": "both", "effect_scale": "learned"}}
ENGINES = {"GS": nbmf.LogisticFactorGibbs, "VB": nbmf.LogisticFactorVB}


def methods() -> dict[str, Factorization]:
    """Return the estimators by name."""
    factors = {
        f"{engine}: {name}": estimator(K, random_state=SEED, **settings)
        for engine, estimator in ENGINES.items()
        for name, settings in BOTH_KINDS.items()
    }
    buffets = {
        f"buffet{name}": nbmf.IndianBuffetLogistic(intercept=bool(name), random_state=SEED)
        for name in ("", ": intercept")
    }
    return factors | buffets


def matrices(names: list[str] | None = None) -> dict[str, BinaryMatrix]:
    """Return the matrices by name, or those that are named."""
    found = {path.stem: nbmf.read(path, log=say) for path in sorted((ROOT / "data" / "trials").glob("*.csv"))}
    found = {name: matrix for name, matrix in found.items() if matrix.codes.size <= MOST_ENTRIES}
    found |= {name: nbmf.load_example(name) for name in EXAMPLES}
    return found if names is None else {name: found[name] for name in names}


def column_means(codes: np.ndarray) -> np.ndarray:
    """Return the proportion of ones of each column with one more of either value, for every entry."""
    means = ((codes == 1).sum(axis=0) + 1) / ((codes >= 0).sum(axis=0) + 2)
    return np.broadcast_to(means, codes.shape)


def losses(name: str, matrix: BinaryMatrix, masks: int) -> dict[str, np.ndarray]:
    """Return the held-out log loss of each method, one for each mask."""
    found: dict[str, list[float]] = {WITHOUT: [], **{method: [] for method in methods()}}
    for number in range(masks):
        mask = draw_mask(matrix, HELD_OUT, seed_sequence("learned effects", name, number))
        codes = training_codes(matrix, mask)
        found[WITHOUT].append(nbmf.perplexity(matrix.codes, column_means(codes), mask))
        for method, estimator in methods().items():
            say(f"learned effects: {name}, mask {number}, {method}")
            found[method].append(nbmf.perplexity(matrix.codes, estimator.fit(codes).expectation_, mask))
    return {method: np.array(values) for method, values in found.items()}


def loss_table(found: dict[str, dict[str, np.ndarray]]) -> Table:
    """Return the mean losses, a row for each matrix, and what the learned effects lose against column means."""
    table = Table(
        "Effects with learned variances",
        f"Held-out log loss, K = {K}; last, by how much the worse of GS and VB with learned variances is above "
        "column means: below zero it is better.",
        ["matrix", WITHOUT, *methods(), "against column means"],
    )
    for name, values in found.items():
        means = {method: each.mean() for method, each in values.items()}
        worse = max(means[f"{engine}: {BOTH}"] for engine in ENGINES) / means[WITHOUT] - 1
        table.rows.append([name, *(f"{mean:.4f}" for mean in means.values()), f"{worse:+.1%}"])
    return table


def ratio_table(found: dict[str, dict[str, np.ndarray]]) -> Table:
    """Return the mean over matrices of the logarithm of ratios of losses, as percentages."""
    others = [name for name in BOTH_KINDS if name != BOTH]
    pairs = [(f"{engine}: {BOTH}", f"{engine}: {other}") for engine in ENGINES for other in others]
    note = "Geometric means over the matrices, and the extremes."
    table = Table("The same, as ratios", note, ["loss of", "by that of", "mean", "range"])
    for one, other in [*pairs, ("buffet: intercept", "buffet")]:
        ratios = np.array([np.log(values[one].mean() / values[other].mean()) for values in found.values()])
        cells = [f"{np.expm1(value):+.1%}" for value in (ratios.mean(), ratios.min(), ratios.max())]
        table.rows.append([one, other, cells[0], f"{cells[1]} to {cells[2]}"])
    return table


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--masks", type=int, default=3)
    parser.add_argument("--matrices", nargs="+", choices=list(matrices()), help="default: all")
    options = parser.parse_args()
    say(environment())
    with one_blas_thread(), warnings.catch_warnings(action="ignore"):
        found = {name: losses(name, one, options.masks) for name, one in matrices(options.matrices).items()}
    print(f"{loss_table(found).markdown()}\n{ratio_table(found).markdown()}")


if __name__ == "__main__":
    main()
