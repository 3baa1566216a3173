"""How many axes of ordered answers `nbmf fit` takes by default, and what else there was to choose from: a table.

    NUMBA_CACHE_DIR=$PWD/.numba_cache python benchmarks/traits.py [--draws 8]

Questionnaires of answers from 0 to 4 whose items ask for one trait each, for 0 to 5 traits and three sizes; held-out
log loss on a tenth of the entries, and how often as many axes are reported as there are traits. The numbers of
docs/logistic.md; some five minutes of one core. The moods of data/trials have no true number.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from scipy.special import expit

import nbmf
from common import ROOT, say
from nbmf.analysis.settings import configured_estimator
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.likelihoods.ordered import ORDERED
from nbmf.numerics.blas import one_blas_thread
from nbmf.posterior.scale import scale_of
from nbmf.seeds import seed_sequence

SIZES, TRAITS, CATEGORIES = ((100, 20), (200, 30), (500, 50)), (0, 1, 2, 3, 5), 5
HELD_OUT = 0.1
SETTINGS = {
    "K = 2, precisions fixed (default before)": (2, {"ard": False}),
    "K = 8, precisions fixed": (8, {"ard": False}),
    "K = 8, learned from the start": (8, {"ard_after": 0}),
    "K = 8, learned after 100 updates (default)": (8, {}),
}


def questionnaire(F: int, N: int, traits: int, rng: np.random.Generator) -> np.ndarray:
    """Draw answers: every item has one trait, a slope of either sign and cut points."""
    psi = np.zeros((F, N))
    if traits:
        slopes = rng.uniform(0.8, 1.8, N) * rng.choice([-1, 1], N)
        psi = rng.standard_normal((F, traits))[:, np.arange(N) % traits] * slopes
    cuts = np.sort(1.3 * rng.standard_normal((N, CATEGORIES - 1)), axis=1)
    return (rng.random((F, N, 1)) < expit(psi[:, :, None] - cuts)).sum(axis=2).astype(np.int8)


def measured(codes: np.ndarray, rng: np.random.Generator) -> list[tuple[float, int]]:
    """Return for each setting the held-out log loss and the number of axes that are reported."""
    held_out = (rng.random(codes.shape) < HELD_OUT) & (codes >= 0)
    training, loss_at = ORDERED.hide(codes, held_out), ORDERED.loss_at(codes, held_out)
    matrix = CategoryMatrix.from_array(training)
    found = []
    for K, settings in SETTINGS.values():
        model = configured_estimator("ordinal-vb", seed=0, components=K, settings=settings).fit(matrix)
        found.append((loss_at.of(model.predictive).perplexity, scale_of(model, matrix).kept))
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=8, help="matrices of a size and number of traits")
    draws = parser.parse_args().draws
    rows = []
    with warnings.catch_warnings(action="ignore"), one_blas_thread():
        for F, N in SIZES:
            for traits in TRAITS:
                rng = np.random.default_rng(seed_sequence("traits", F, N, traits))
                for _ in range(draws):
                    for setting, found in zip(SETTINGS, measured(questionnaire(F, N, traits, rng), rng), strict=True):
                        rows.append((f"{F} x {N}", traits, setting, found[0], found[1] == max(1, traits)))
        moods = nbmf.read(ROOT / "data" / "trials" / "msq_answers.csv.gz", categories=list("0123"), log=say)
        of_moods = measured(moods.ranks, np.random.default_rng(seed_sequence("traits", "moods")))
    table = pd.DataFrame(rows, columns=["size", "traits", "setting", "loss", "as many axes"])
    measures = ["loss", "as many axes"]
    of_size = table.pivot_table(index=["size", "setting"], columns="traits", values=measures, sort=False)
    print(f"nbmf {nbmf.__version__}; {draws} matrices of each kind; with 0 traits one axis counts as right\n")
    print(of_size.round(3).to_string())
    print(table.groupby("setting", sort=False)[measures].mean().round(4).to_string())
    for setting, (loss, axes) in zip(SETTINGS, of_moods, strict=True):
        print(f"moods, {moods.ranks.shape[0]} x {moods.ranks.shape[1]}: {setting}: {loss:.4f}, {axes} axes reported")


if __name__ == "__main__":
    main()
