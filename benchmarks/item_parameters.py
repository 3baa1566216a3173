"""Are discriminations as large as those of the two-parameter model that tests were drawn from?

Prints for each size the slope of the regression of estimated discriminations on the true ones through the origin, its
mean over tests and the standard error of that.
"""

import argparse

import numpy as np

import nbmf

FIRST = 150  # seed of the first test
VARIATIONAL, WITHOUT_EFFECTS, SAMPLER = "logistic-vb-columns", "logistic-vb", "logistic-gs-learned-effects"
SIZES = [
    (VARIATIONAL, 300, 12, 5),
    (VARIATIONAL, 300, 25, 5),
    (VARIATIONAL, 300, 40, 5),
    (VARIATIONAL, 2000, 12, 5),
    (VARIATIONAL, 2000, 40, 5),
    (WITHOUT_EFFECTS, 300, 12, 5),
    (WITHOUT_EFFECTS, 2000, 40, 5),
    (SAMPLER, 300, 12, 3),
    (SAMPLER, 1000, 12, 3),
]


def slope(method: str, n_rows: int, n_columns: int, seed: int) -> float:
    """Return how large estimated discriminations of a drawn test are next to the true ones."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=n_rows)
    true = np.exp(rng.normal(0.1, 0.35, n_columns))
    psi = true * (places[:, None] - rng.normal(size=n_columns))
    V = (rng.random(psi.shape) < 1 / (1 + np.exp(-psi))).astype(int)
    columns = nbmf.analyze(V, check=False, method=method, chains=1).tables["columns"]
    estimated = columns["discrimination on axis 1"].to_numpy()
    return float(estimated @ true / (true @ true))


def main() -> None:
    """Print a line for each size."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for method, n_rows, n_columns, tests in SIZES:
        slopes = [slope(method, n_rows, n_columns, FIRST + test) for test in range(tests)]
        error = np.std(slopes, ddof=1) / np.sqrt(tests)
        print(f"{method}: {n_rows} x {n_columns}: {np.mean(slopes):.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
