"""What the candidates of `nbmf fit` for ordered categories predict where columns share a scale, and where not: a table.

    NUMBA_CACHE_DIR=$PWD/.numba_cache python benchmarks/scales_of_answers.py [--draws 20]

Answers in five categories with two traits. Either all columns have the same distances between cut points, each at its
own level, or each column has cut points of its own. Held-out log loss on a tenth of the entries, of
`ordinal-vb-shared` minus that of the better of the others. The numbers of docs/logistic.md; five minutes of one core.
"""

import argparse

import numpy as np

from nbmf.analysis.settings import configured_estimator
from nbmf.catalogue import CANDIDATES
from nbmf.likelihoods.ordered import ORDERED
from nbmf.seeds import seed_sequence

SIZES, CATEGORIES, TRAITS, HELD_OUT = ((40, 60), (100, 20), (100, 40), (400, 12), (1000, 20)), 5, 2, 0.1
METHODS, SHARED = CANDIDATES["CategoryMatrix"], "ordinal-vb-shared"
SCALES = ("one scale for all", "one of each column")


def answers(F: int, N: int, scale: str, rng: np.random.Generator) -> np.ndarray:
    """Return answers from 0 to 4, int8 array (F, N)."""
    psi = rng.standard_normal((F, TRAITS)) @ rng.standard_normal((TRAITS, N)) + rng.logistic(size=(F, N))
    rows = 1 if scale == SCALES[0] else N
    cuts = np.sort(1.5 * rng.standard_normal((rows, CATEGORIES - 1)), axis=1) + rng.standard_normal((N, 1))
    return (psi[..., None] > cuts).sum(axis=-1).astype(np.int8)


def losses(F: int, N: int, scale: str, draw: int) -> list[float]:
    """Return the held-out log loss of each method on one draw."""
    rng = np.random.default_rng(seed_sequence(F, N, scale, draw))
    V = answers(F, N, scale, rng)
    held_out = rng.random(V.shape) < HELD_OUT
    training, loss_at = ORDERED.hide(V, held_out), ORDERED.loss_at(V, held_out)
    models = [configured_estimator(name, seed=draw).set_params(n_categories=CATEGORIES) for name in METHODS]
    return [loss_at.of(model.fit(training).predictive).perplexity for model in models]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20, help="of each size and kind of scale (20)")
    draws, place = parser.parse_args().draws, METHODS.index(SHARED)
    print(f"| answers | columns have | {' | '.join(METHODS)} | {SHARED} minus the better other |")
    print("|---|---|" + "--:|" * (len(METHODS) + 1))
    for scale in SCALES:
        for F, N in SIZES:
            of_draws = np.array([losses(F, N, scale, draw) for draw in range(draws)])
            gains = of_draws[:, place] - np.delete(of_draws, place, axis=1).min(axis=1)
            means = " | ".join(f"{mean:.4f}" for mean in of_draws.mean(axis=0))
            gain = f"{gains.mean():+.4f} ± {gains.std(ddof=1) / draws**0.5:.4f}"
            print(f"| {F} x {N} | {scale} | {means} | {gain} |", flush=True)


if __name__ == "__main__":
    main()
