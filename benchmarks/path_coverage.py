"""How often 90 % intervals of rows that move hold the truth, on matrices drawn from their model: a table.

    NUMBA_CACHE_DIR=$PWD/.numba_cache python benchmarks/path_coverage.py [replications] [models]

The numbers of docs/logistic.md. 16 rows, five periods of eight columns, a tenth of the entries missing; rows come late,
pause and go. Everything is drawn from the prior: walk variances, first positions, columns, their mean and precision,
cut points. Truth and draws are brought into the same form before they are compared. About ten minutes of one core.
"""

import sys
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

import nbmf
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.dynamic_factors import WALK_RATE, WALK_SHAPE
from nbmf.families.logistic.factors import PATHS
from nbmf.families.logistic.ordered_cells import CUT_SCALE, exceedances
from nbmf.inference.state import Factors
from nbmf.numerics.blas import one_blas_thread
from nbmf.posterior.intervals import interval
from nbmf.posterior.paths import positions_after

F, T, EACH, LEVEL = 16, 5, 8, 0.9
YEARS = np.repeat(np.arange(T), EACH)
EFFECT_SCALE = 1.0
PRECISION = {"a0": 4.0, "b0": 4.0}  # of columns
BURN_IN, DRAWS, THIN = 250, 120, 5  # sweeps
CASES = {
    "binary, one s": (nbmf.DynamicFactorGibbs, 1, {}),
    "binary, an s of each row": (nbmf.DynamicFactorGibbs, 1, {"walk_variance": "rows"}),
    "binary, two dimensions": (nbmf.DynamicFactorGibbs, 2, {}),
    "ordered, cut points of columns": (nbmf.DynamicOrdinalFactorGibbs, 1, {"n_categories": 3}),
}


def shown(rng: np.random.Generator) -> np.ndarray:
    """Return which entries are observed: rows that come late, pause and go, and gaps."""
    there = rng.random((F, YEARS.size)) < 0.9
    there[0, YEARS < 2] = there[1, (YEARS > 0) & (YEARS < 4)] = there[2, YEARS > 2] = False
    there[3, YEARS != 2] = False
    return there


def truth_of(case: str, there: np.ndarray, rng: np.random.Generator) -> Factors:
    """Return factors from the prior, with positions of one period more than there are."""
    kind, K, settings = CASES[case]
    by_row, is_ordinal = settings.get("walk_variance") == "rows", kind is nbmf.DynamicOrdinalFactorGibbs
    s = WALK_RATE / rng.gamma(WALK_SHAPE, size=F if by_row else 1)
    spans = moving.spans_of(there @ (YEARS[:, None] == np.arange(T)))
    steps = np.sqrt(s)[:, None, None] * rng.standard_normal((F, T, K))
    paths = np.concatenate([np.zeros((F, 1, K)), np.cumsum(steps, axis=1)], axis=1)  # T + 1 periods
    first = np.take_along_axis(paths, spans[:, :1, None], axis=1)
    paths = paths - first + rng.standard_normal((F, 1, K))
    alpha = rng.gamma(PRECISION["a0"], 1 / PRECISION["b0"], size=K)
    mean, others = rng.standard_normal(K) / np.sqrt(alpha), {}
    H = mean[:, None] + rng.standard_normal((K, YEARS.size)) / np.sqrt(alpha)[:, None]
    if is_ordinal:
        others[form.CUTS] = np.sort(CUT_SCALE * rng.standard_normal((YEARS.size, 2)), axis=1)
    else:
        others[form.COLUMNS] = EFFECT_SCALE * rng.standard_normal(YEARS.size)
    priors = {moving.WALK: s[:, None, None] * np.eye(K), moving.START_MEAN: np.zeros(K), moving.START: np.eye(K)}
    spread = np.append(1.0 / alpha, 0.0 if is_ordinal else EFFECT_SCALE**2)
    priors |= {moving.ITEM_MEAN: np.append(mean, 0.0), moving.ITEMS: np.diag(spread)}
    others |= priors | {form.PERIODS: YEARS, moving.SPANS: spans, PATHS: paths}
    return Factors(moving.mean_positions(paths, spans), H, others)


def values_of(factors: Factors, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return E[V], and V."""
    psi = form.psi_of(factors)
    beyond = exceedances(psi, factors.others[form.CUTS]) if form.CUTS in factors.others else expit(psi)[..., None]
    return beyond.sum(axis=-1), (rng.random(psi.shape)[..., None] < beyond).sum(axis=-1)


def covered(case: str, seed: int) -> list[float]:
    """Return the proportions that intervals hold: E[V] seen and not, positions in spans, outside of them, and next."""
    kind, K, settings = CASES[case]
    rng = np.random.default_rng([seed, len(case)])
    there = shown(rng)
    truth = truth_of(case, there, rng)
    expected, V = values_of(truth, rng)
    model = kind(K, periods=YEARS, effect_scale=EFFECT_SCALE, **PRECISION, **settings)
    model.burn_in = BURN_IN + DRAWS * THIN  # nothing is kept: draws are all that is looked at
    state = model._start(np.where(there, V, -1).astype(np.int8), np.random.SeedSequence(seed))
    state.advance(BURN_IN)
    draws = []
    for _ in range(DRAWS):
        state.advance(THIN)
        draws.append(moving.aligned(state.draw(None), draws[0] if draws else moving.canonical(truth)))
    lower, upper = interval(np.stack([values_of(one, rng)[0] for one in draws]), LEVEL)
    holds = (lower <= expected) & (expected <= upper)
    true = moving.aligned(moving.canonical(truth), draws[0]).others[PATHS]
    lower, upper = interval(np.stack([one.others[PATHS] for one in draws]), LEVEL)
    inside, in_span = (lower <= true[:, :T]) & (true[:, :T] <= upper), moving.in_span(truth.others[moving.SPANS], T)
    lower, upper = interval(np.stack([positions_after(one, 1.0, rng) for one in draws]), LEVEL)
    following = (lower <= true[:, T]) & (true[:, T] <= upper)
    return [
        holds[there].mean(),
        holds[~there].mean(),
        inside[in_span].mean(),
        inside[~in_span].mean(),
        following.mean(),
    ]


def run(replications: int, cases: Sequence[str]) -> None:
    """Print the table."""
    print(f"{replications} matrices of {F} x {YEARS.size}; percent of 90 % intervals that hold the truth\n")
    print("| model | E[v], seen | not seen | positions in spans | outside | in the next period |")
    print("|---|---|---|---|---|---|")
    for case in cases:
        with one_blas_thread():  # as in a fit
            found = 100 * np.array([covered(case, seed) for seed in range(replications)])
        errors = found.std(axis=0, ddof=1) / replications**0.5
        cells = [f"{mean:.1f} ± {error:.1f}" for mean, error in zip(found.mean(axis=0), errors, strict=True)]
        print(f"| {case} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 400, sys.argv[2:] or list(CASES))
