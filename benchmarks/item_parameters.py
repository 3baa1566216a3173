"""Are discriminations as large as those of the model that tests were drawn from, and intervals right?

    .venv/bin/python benchmarks/item_parameters.py [METHOD ...]

Tests are drawn from the two-parameter model, for methods of ordered categories from the graded response model, with
five categories. Prints for each size the slope of the regression of estimated discriminations on the true ones through
the origin, its mean over tests and the standard error of that; of samplers also how many true discriminations and
difficulties lie in their 90 % intervals.
"""

import argparse

import numpy as np

import nbmf

FIRST = 150  # seed of the first test
VARIATIONAL, WITHOUT_EFFECTS = "logistic-vb-columns", "logistic-vb"
MODE = "logistic-map"
SAMPLER, WITH_EFFECTS = "logistic-gs", "logistic-gs-learned-effects"
OF_CATEGORIES = "ordinal-vb", "ordinal-vb-shared", "ordinal-gs"
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])  # of categories, around the location
SETTINGS = {SAMPLER: {"effects": "columns"}}
SIZES = [
    (VARIATIONAL, 300, 12, 5),
    (VARIATIONAL, 300, 25, 5),
    (VARIATIONAL, 300, 40, 5),
    (VARIATIONAL, 2000, 12, 5),
    (VARIATIONAL, 2000, 40, 5),
    (WITHOUT_EFFECTS, 300, 12, 5),
    (WITHOUT_EFFECTS, 2000, 40, 5),
    *((MODE, *size, 5) for size in ((100, 40), (300, 12), (300, 40), (2000, 12), (2000, 40))),
    *((sampler, *size) for sampler in (SAMPLER, WITH_EFFECTS) for size in ((300, 12, 8), (1000, 12, 8), (300, 25, 8))),
    *((method, *size, 5) for method in OF_CATEGORIES for size in ((300, 12), (300, 25), (2000, 12))),
]


def parameters(method: str, n_rows: int, n_columns: int, seed: int) -> tuple[float, ...]:
    """Return how large estimated discriminations of a drawn test are next to the true ones.

    Of samplers also how many true discriminations and difficulties lie in their intervals.
    """
    rng = np.random.default_rng(seed)
    places = rng.normal(size=n_rows)
    true = np.exp(rng.normal(0.1, 0.35, n_columns))
    locations = rng.normal(size=n_columns)
    psi = true * (places[:, None] - locations)
    psi = psi[..., None] - (CUTS if method in OF_CATEGORIES else np.zeros(1))
    V = (rng.random(psi.shape[:2])[..., None] < 1 / (1 + np.exp(-psi))).sum(axis=2)
    columns = nbmf.analyze(V, check=False, method=method, settings=SETTINGS.get(method), chains=1).tables["columns"]
    estimated = columns["discrimination on axis 1"].to_numpy()
    covered = [
        columns[f"{name} lower"].le(values).to_numpy() & columns[f"{name} upper"].ge(values).to_numpy()
        for name, values in (("discrimination on axis 1", true), ("difficulty", true * locations))
        if f"{name} lower" in columns
    ]
    return (float(estimated @ true / (true @ true)), *(each.mean() for each in covered))


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="by default all")
    chosen = parser.parse_args().methods
    for method, n_rows, n_columns, tests in SIZES:
        if chosen and method not in chosen:
            continue
        drawn = np.array([parameters(method, n_rows, n_columns, FIRST + test) for test in range(tests)])
        error = drawn[:, 0].std(ddof=1) / np.sqrt(tests)
        slope, *covered = drawn.mean(axis=0)
        inside = f"; in the intervals {' and '.join(f'{each:.2f}' for each in covered)}" if covered else ""
        print(f"{method}: {n_rows} x {n_columns}: {slope:.3f} ± {error:.3f}{inside}", flush=True)


if __name__ == "__main__":
    main()
