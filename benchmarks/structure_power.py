"""How often the structure test of `nbmf fit` finds structure that was planted, and where there is none.

    .venv/bin/python benchmarks/structure_power.py [power] [noise] [popularity] [--rows "18 x 14"] [--jobs 2]

The tables of docs/reading.md; some hours on one idle core (`--draws 10` is an outline). Noise: effects of rows and
columns of the shapes and kinds of tests/library/evaluation/test_verdict.py, and matrices with the margins of a small
questionnaire, drawn by trades. Popularity: sparse matrices of popular rows and columns that have nothing in common.
"""

import argparse
import itertools
import multiprocessing
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import expit

import nbmf
from nbmf.evaluation.margin_trades import trade_many
from nbmf.evaluation.verdict import CHANCE, candidates, choose
from nbmf.numerics.random import generator_states
from nbmf.seeds import seed_sequence

SIZES = ((16, 9), (20, 16), (40, 20), (100, 30), (200, 40))
NOISE_SHAPES = ((18, 14), (150, 12))
NOISE_KINDS = {"equal": (0, 0), "rows": (1, 0), "columns": (0, 1), "rows and columns": (1, 1)}

POPULARITY_SHAPE, POPULARITY_ONES = (3000, 1500), 30_000

Draw = Callable[[np.random.Generator], np.ndarray | scipy.sparse.csr_array]


def groups(F: int, N: int, sizes: tuple, own: float, other: float) -> Draw:
    """Return how to draw groups of rows, each of which prefers its own columns."""
    member = np.repeat(np.arange(len(sizes)), sizes)[:, None] == np.arange(N) * len(sizes) // N

    def draw(rng):
        return (rng.random((F, N)) < np.where(member, own, other)).astype(np.int8)

    return draw


def two_profiles(rng: np.random.Generator) -> np.ndarray:
    """Draw the note's fourth row: groups of 8 and 10 rows, three columns that both have alike."""
    of_groups = np.array([[0.7] * 6 + [0.65] * 3 + [0.1] * 5, [0.1] * 6 + [0.65] * 3 + [0.6] * 5])
    return (rng.random((18, 14)) < of_groups[np.repeat([0, 1], [8, 10])]).astype(np.int8)


def effects(F: int, N: int, of_rows: float = 1.0, of_columns: float = 1.0, level: float = 0.0) -> Draw:
    """Return how to draw effects of rows and columns alone."""

    def draw(rng):
        odds = level + of_rows * rng.normal(size=(F, 1)) + of_columns * rng.normal(size=N)
        return (rng.random((F, N)) < expit(odds)).astype(np.int8)

    return draw


def scale(F: int, N: int, strength: float) -> Draw:
    """Return how to draw one axis: positions times loadings of either sign, and effects of columns."""

    def draw(rng):
        odds = strength * rng.normal(size=(F, 1)) * rng.normal(size=N) + 0.5 * rng.normal(size=N)
        return (rng.random((F, N)) < expit(odds)).astype(np.int8)

    return draw


def nested(F: int, N: int) -> Draw:
    """Return how to draw nested rows with errors: an effect of rows and columns and nothing beyond."""

    def draw(rng):
        odds = 8 * (np.linspace(0, 1, N) - rng.random((F, 1)))
        return (rng.random((F, N)) < expit(odds)).astype(np.int8)

    return draw


def fixed_margins(F: int, N: int) -> Draw:
    """Return how to draw matrices that share the margins of one matrix."""
    first = effects(F, N)(np.random.default_rng(0))

    def draw(rng):
        codes = first.copy()
        trade_many(codes, 20 * (F + N), generator_states(np.random.SeedSequence(rng.integers(2**63)), 1)[0])
        return codes

    return draw


def popularity(shares_of: Callable[[np.random.Generator, int, int], np.ndarray]) -> Draw:
    """Return how to draw ones whose row and column are independent, from the shares of either."""

    def draw(rng):
        places = []
        for axis, size in enumerate(POPULARITY_SHAPE):
            shares = shares_of(rng, size, axis)
            places.append(rng.choice(size, POPULARITY_ONES, p=shares / shares.sum()))
        return scipy.sparse.csr_array((np.ones(POPULARITY_ONES), places), shape=POPULARITY_SHAPE).sign()

    return draw


POPULARITIES = {
    "power laws, rank^-.6 and rank^-.7": popularity(
        lambda rng, size, axis: np.arange(1.0, size + 1) ** -(0.6, 0.7)[axis]
    ),
    "gamma, shape .5": popularity(lambda rng, size, axis: rng.gamma(0.5, size=size)),
}

NOTE = {
    "20 x 16, groups of 7 and 13, .75 and .25": groups(20, 16, (7, 13), 0.75, 0.25),
    "the same, .7 and .3": groups(20, 16, (7, 13), 0.7, 0.3),
    "the same, .65 and .35": groups(20, 16, (7, 13), 0.65, 0.35),
    "18 x 14, groups of 8 and 10": two_profiles,
    "18 x 14, row and column effects alone": effects(18, 14),
}


def planted(F: int, N: int) -> dict[str, Draw]:
    """Return shapes of structure whose strength falls with the square root of the size."""
    s = (20 * 16 / (F * N)) ** 0.25
    half, third = (F // 2, F - F // 2), (F // 3, F // 3, F - 2 * (F // 3))
    fifth = (F // 5,) * 4 + (F - 4 * (F // 5),)
    return {
        "two groups": groups(F, N, half, 0.5 + 0.2 * s, 0.5 - 0.2 * s),
        "three groups": groups(F, N, third, 0.4 + 0.3 * s, 0.4 - 0.15 * s),
        "five blocks": groups(F, N, fifth, 0.3 + 0.5 * s, 0.3 - 0.1 * s),
        "one scale": scale(F, N, 1.2 * s),
        "nested (nothing beyond effects)": nested(F, N),
    }


class Row(NamedTuple):
    """A line of a table: how its matrices are drawn, and what their random numbers belong to."""

    draw: Draw
    key: tuple[str | int, ...]


def power() -> dict[str, Row]:
    """Return planted structure."""
    rows = {name: Row(draw, (name,)) for name, draw in NOTE.items()}
    for F, N in SIZES:
        rows |= {f"{F} x {N}, {name}": Row(draw, (name, F, N)) for name, draw in planted(F, N).items()}
    return rows


def noise() -> dict[str, Row]:
    """Return matrices without structure beyond effects of rows and columns."""
    kinds = {
        f"{F} x {N}, {kind}": effects(F, N, *sizes, -0.5)
        for (F, N), (kind, sizes) in itertools.product(NOISE_SHAPES, NOISE_KINDS.items())
    }
    kinds |= {f"{F} x {N}, fixed margins": fixed_margins(F, N) for F, N in NOISE_SHAPES}
    return {name: Row(draw, ("noise", name)) for name, draw in kinds.items()}


def popularity_only() -> dict[str, Row]:
    """Return sparse matrices without structure; they have no exact test."""
    return {name: Row(draw, ("popularity", name)) for name, draw in POPULARITIES.items()}


class Contents(NamedTuple):
    """A table: its title, its rows, and how many matrices of each are drawn."""

    title: str
    rows: Callable[[], dict[str, Row]]
    draws: int


TABLES = {
    "power": Contents(
        "Planted structure: found, each test at 2.5 % (predictions: divided among the methods)", power, 40
    ),
    "noise": Contents("No structure beyond effects of rows and columns", noise, 200),
    "popularity": Contents(
        f"Popularity alone, {POPULARITY_SHAPE[0]} x {POPULARITY_SHAPE[1]}, {POPULARITY_ONES} draws of ones",
        popularity_only,
        40,
    ),
}


def structure_rates(table: str, name: str, draws: int) -> np.ndarray:
    """Return how often each test finds structure, and the seconds of a matrix: exact, predicted, either, seconds."""
    draw, key = TABLES[table].rows()[name]
    rng = np.random.default_rng(seed_sequence("power", *key))
    results = []
    for number in range(draws):
        V, started = draw(rng), time.perf_counter()
        with warnings.catch_warnings(action="ignore"):
            verdict = choose(V, candidates(V, number), seed=number, n_jobs=1).verdict
        exact = verdict.exact is not None and verdict.exact.p <= CHANCE / 2
        results.append([exact, verdict.predicts, verdict.found, time.perf_counter() - started])
    return np.array(results, float)


def row(name: str, results: np.ndarray) -> str:
    """Return a line of a table."""
    exact, predicted, either, seconds = results.mean(axis=0)
    return f"| {name} | {len(results)} | {exact:.0%} | {predicted:.0%} | {either:.0%} | {seconds:.1f} |"


def report(table: str, draws: int | None, part: str, pool: ProcessPoolExecutor) -> None:
    """Print a table, or its rows with `part` in their name; of shapes other than the note's half as many are drawn."""
    title, rows, usual = TABLES[table]
    draws = draws or usual
    print(f"\n{title}\n\n| drawn | matrices | exact test | predictions | either | seconds |\n|---|---|---|---|---|---|")
    chosen = [name for name in rows() if part in name]
    numbers = {name: draws // 2 if table == "power" and name not in NOTE else draws for name in chosen}
    every = []
    for name, results in zip(
        numbers, pool.map(structure_rates, [table] * len(numbers), numbers, numbers.values()), strict=True
    ):
        every.append(results)
        print(row(name, results), flush=True)
    if table == "noise" and every:
        print(row("all", np.concatenate(every)), flush=True)


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=TABLES, default=list(TABLES))
    parser.add_argument("--draws", type=int, help="matrices of a row; default: 200 of noise, 40 of the others")
    parser.add_argument("--rows", default="", help="a part of the names of rows: those alone")
    parser.add_argument("--jobs", type=int, default=1, help="rows that are made at once, each in a process")
    options = parser.parse_args()
    print(f"nbmf {nbmf.__version__}")
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in options.tables:
            report(name, options.draws, options.rows, pool)


if __name__ == "__main__":
    main()
