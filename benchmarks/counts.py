"""How well `nbmf fit` predicts counts by default, next to other settings, and how often it finds structure in effects.

    NUMBA_CACHE_DIR=$PWD/.numba_cache python benchmarks/counts.py [--draws 10] [--noise 40]

Counts of nine kinds, drawn: held-out log loss on a tenth of the entries, in nats. Then counts of row and column
effects alone, in three shapes: in how many of them structure is found. The numbers of docs/poisson.md; some ten minutes
of one core.
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import nbmf
from nbmf.analysis.settings import configured_estimator
from nbmf.catalogue import candidates_for
from nbmf.data.matrix import MISSING
from nbmf.evaluation.verdict import choose
from nbmf.numerics.blas import one_blas_thread
from nbmf.seeds import seed_sequence

HELD_OUT = 0.1
METHODS = {
    "negative binomial VB, learned": "negative-binomial-vb-learned",
    "negative binomial VB, learned effects": "negative-binomial-vb-learned-effects",
    "negative binomial VB (default before)": "negative-binomial-vb",
    "negative binomial GS": "negative-binomial-gs",
    "Poisson-gamma GS, scales": "poisson-gamma-gs-scales",
}
SHAPES = ((18, 14), (60, 12), (40, 60))
# Standard deviations of row and of column effects, and the size; None: Poisson.
EFFECTS = {
    "both, Poisson": (1.0, 1.0, None),
    "both, size 1.5": (1.0, 1.0, 1.5),
    "columns, size 0.7": (0.0, 1.5, 0.7),
    "none, size 1": (0.0, 0.0, 1.0),
    "rows above all, size 2": (1.5, 0.5, 2.0),
}


def draw_counts(rate: np.ndarray, size: float | None, rng: np.random.Generator) -> np.ndarray:
    """Return counts with these means, Poisson or negative binomial."""
    return rng.poisson(rate if size is None else rate * rng.gamma(size, 1 / size, rate.shape))


def kinds(rng: np.random.Generator) -> np.ndarray:
    """Draw four kinds of rows, each with columns of its own, few and rare: 60 rows, 12 columns, Poisson."""
    of_rows, of_columns = np.arange(60)[:, None] % 4, np.arange(12) % 4
    return rng.poisson(np.exp(1.5 * (of_rows == of_columns) + 0.5 * rng.normal(size=(60, 1))))


def parts(F: int, N: int, rng: np.random.Generator) -> np.ndarray:
    """Draw sums of three sources, Poisson."""
    return rng.poisson(rng.gamma(1.0, 1.0, (F, 3)) @ rng.gamma(0.5, 1.0, (3, N)) * rng.gamma(0.5, 1.0, N))


def axes(rng: np.random.Generator) -> np.ndarray:
    """Draw two axes and effects, with a size of 1.5."""
    psi = 0.8 * rng.normal(size=(150, 2)) @ rng.normal(size=(2, 40)) + rng.normal(size=40)
    return draw_counts(np.exp(psi + 0.5 * rng.normal(size=(150, 1))), 1.5, rng)


def species(rng: np.random.Generator) -> np.ndarray:
    """Draw species along a gradient, each around its optimum, some rare: 40 sites, 60 species, a size of 1."""
    place, optimum, abundance = rng.uniform(-2, 2, (40, 1)), rng.uniform(-2.5, 2.5, 60), np.exp(rng.normal(0, 1.5, 60))
    return draw_counts(abundance * np.exp(-((place - optimum) ** 2) / 0.6), 1.0, rng)


def cells(rng: np.random.Generator) -> np.ndarray:
    """Draw four groups of rows with profiles of their own and totals that vary, with a size of 3."""
    group, profiles = rng.integers(4, size=150), np.exp(1.2 * rng.normal(size=(4, 40)))
    rate = np.exp(0.6 * rng.normal(size=(150, 1))) * profiles[group] * np.exp(rng.normal(size=40))
    return draw_counts(rate, 3.0, rng)


def reads(level: float, rng: np.random.Generator) -> np.ndarray:
    """Draw large counts, e^level more or less, along three axes and with totals: 40 samples, 150 genes, a size of 4."""
    of_genes, of_samples = level + 1.5 * rng.normal(size=150), 0.5 * rng.normal(size=(40, 1))
    psi = 0.5 * rng.normal(size=(40, 3)) @ rng.normal(size=(3, 150)) + of_genes + of_samples
    return draw_counts(np.exp(psi), 4.0, rng)


def effects(F: int, N: int, of_rows: float, of_columns: float, size: float | None, rng) -> np.ndarray:
    """Draw row and column effects alone."""
    return draw_counts(np.exp(of_rows * rng.normal(size=(F, 1)) + of_columns * rng.normal(size=N) - 0.3), size, rng)


KINDS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "parts": lambda rng: parts(150, 40, rng),
    "parts, 60 x 20": lambda rng: parts(60, 20, rng),
    "axes": axes,
    "species": species,
    "effects": lambda rng: effects(150, 40, 0.7, 1.2, None, rng),
    "groups": cells,
    "kinds": kinds,
    "thousands": lambda rng: reads(7.0, rng),
    "hundred thousands": lambda rng: reads(11.0, rng),
}


def losses(draws: int) -> pd.DataFrame:
    """Return the mean held-out log loss of each method on each kind."""
    rows = []
    for kind, draw in KINDS.items():
        rng = np.random.default_rng(seed_sequence("counts", kind))
        for _ in range(draws):
            counts = draw(rng)
            held_out = rng.random(counts.shape) < HELD_OUT
            for name, method in METHODS.items():
                model = configured_estimator(method, seed=0, components=8)
                model.fit(np.where(held_out, MISSING, counts))
                each = model.likelihood.losses(counts[held_out], model.predictive(*np.nonzero(held_out)))
                rows.append((kind, name, each.mean()))
    table = pd.DataFrame(rows, columns=["kind", "method", "loss"])
    return table.pivot_table(index="method", columns="kind", values="loss", sort=False)


def count_structure_found(draws: int) -> pd.DataFrame:
    """Return in how many matrices of effects alone structure is found."""
    rows = []
    for (F, N), (kind, given) in ((shape, each) for shape in SHAPES for each in EFFECTS.items()):
        rng = np.random.default_rng(seed_sequence("counts", "noise", kind, F, N))
        for number in range(draws):
            counts = effects(F, N, *given, rng)
            counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
            models = [
                configured_estimator(method, seed=number) for method in candidates_for("CountMatrix", counts.size)
            ]
            verdict = choose(nbmf.CountMatrix.from_array(counts), models, seed=number).verdict
            rows.append((f"{F} x {N}", kind, verdict.found))
    table = pd.DataFrame(rows, columns=["shape", "effects", "found"])
    return table.pivot_table(index="effects", columns="shape", values="found", aggfunc="sum", sort=False)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10, help="matrices of each kind")
    parser.add_argument("--noise", type=int, default=40, help="matrices of each kind and shape of effects alone")
    options = parser.parse_args()
    print(f"nbmf {nbmf.__version__}; {options.draws} matrices of each kind, nats per held-out entry\n")
    with warnings.catch_warnings(action="ignore"), one_blas_thread():
        print(losses(options.draws).round(4).to_string())
        print(f"\nstructure found, of {options.noise} matrices of row and column effects alone\n")
        print(count_structure_found(options.noise).astype(int).to_string())


if __name__ == "__main__":
    main()
