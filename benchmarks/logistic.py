"""Logistic factor models: nanoseconds per cell and iteration, and iterations until converged."""

import itertools

import numpy as np
from scipy.special import expit

from common import Rounds, Table, nanoseconds, number
from nbmf.families.logistic.cell_likelihoods import Binary, Counts
from nbmf.families.logistic.dynamic_factors import WALK_RATE, WALK_SHAPE, leading_positions
from nbmf.families.logistic.factors import Effects
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.gaussian_factor_vb import GaussianFactorVB
from nbmf.families.logistic.gibbs_cells import Cells, NoisyCells
from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
from nbmf.families.logistic.logistic_gibbs import LogisticChain, Prior
from nbmf.families.logistic.ordered_cells import Categories, CategoryCells
from nbmf.families.logistic.ordinal_factor_vb import OrdinalFactorVB
from nbmf.families.logistic.path_chain import MovingCells, PathChain, WalkPrior
from nbmf.families.logistic.periods import periods_of

SHAPE, TRUE_K = (1000, 100), 10  # as Klami (2015), section 6.1
SCALE = 2.5  # his second set-up: most probabilities are near 0 or 1
TO_REACH = {("factorized", 8): 10, ("factorized", 15): 16, ("full", 8): 50, ("full", 15): 100}

GIBBS_TO_REACH = {8: 100, 15: 110}
COUNT_SCALE = 0.2  # his small counts
CATEGORIES, N_PERIODS = 5, 10
NOISE, SIZES = Gamma(0.001, 0.001), Gamma(1.0, 1.0)  # priors


def simulated(shape: tuple[int, int] = SHAPE) -> np.ndarray:
    """Return codes of a matrix of the model, nothing missing."""
    rng = np.random.default_rng(0)
    U, V = (rng.standard_normal((n, TRUE_K)) for n in shape)
    return (rng.random(shape) < expit(SCALE * U @ V.T)).astype(np.int8)


def simulated_counts(shape: tuple[int, int]) -> np.ndarray:
    """Return counts of the negative binomial model, nothing missing."""
    rng = np.random.default_rng(0)
    U, V = (rng.standard_normal((n, TRUE_K)) for n in shape)
    sizes = rng.gamma(5.0, size=shape[1])
    rate = rng.gamma(np.broadcast_to(sizes, shape)) * np.exp(COUNT_SCALE * U @ V.T)
    return rng.poisson(rate).astype(np.int32)


def simulated_categories(shape: tuple[int, int]) -> np.ndarray:
    """Return five categories, about as frequent in every column, nothing missing."""
    rng = np.random.default_rng(0)
    U, V = (rng.standard_normal((n, TRUE_K)) for n in shape)
    psi = SCALE * U @ V.T + rng.logistic(size=shape)
    cuts = np.quantile(psi, np.arange(1, CATEGORIES) / CATEGORIES, axis=0)
    return (psi > cuts[:, None]).sum(axis=0).astype(np.int8)


def variational_table(codes: np.ndarray, sizes: tuple[int, ...], rounds: Rounds) -> Table:
    """Time an iteration of every variational method, updates of rows and of columns."""
    table = Table(
        "Logistic factors, variational",
        f"Nanoseconds per observed cell and iteration, rows and columns together: {codes.shape[0]} "
        f"x {codes.shape[1]}, nothing missing, one thread, methods in turns for {rounds.count} "
        "rounds. Factorized Pólya-Gamma is one compiled pass; the others are products of matrices "
        f"and the means of Pólya-Gamma variables. The {CATEGORIES} ordered categories have cut points of each column.",
        ["K", "method", "covariance", "minimum", "median", "to reach"],
    )
    methods = {
        (name, covariance): (kind, values, {"covariance": covariance} | settings)
        for covariance in ("factorized", "full")
        for name, kind, values, settings in (
            ("Pólya-Gamma", LogisticFactorVB, codes, {}),
            ("Böhning", LogisticFactorVB, codes, {"bound": "bohning"}),
            ("explicit noise", LogisticFactorVB, codes, {"noise": True}),
            ("categories", OrdinalFactorVB, simulated_categories(codes.shape), {}),
            ("normal", GaussianFactorVB, codes.astype(float), {}),
        )
    }
    for K in sizes:
        states = {
            key: kind(K, ard=True, **settings)._start(values, np.random.SeedSequence(0))
            for key, (kind, values, settings) in methods.items()
        }
        seconds = rounds.time({key: state.advance for key, state in states.items()})
        for (name, covariance), values in seconds.items():
            goal = TO_REACH.get((covariance, K), "–") if name == "Pólya-Gamma" else "–"
            table.rows.append([K, name, covariance, *nanoseconds(values, codes.size), goal])
    return table


def chain_of(cells: Cells, K: int, threads: int) -> LogisticChain:
    """Return a chain without effects, precisions learned."""
    prior = Prior(True, 0.001, 0.001)
    return LogisticChain(cells, K, Effects(False, False), prior, np.random.SeedSequence(0), threads)


def moving_chain(codes: np.ndarray, K: int, threads: int) -> PathChain:
    """Return a chain of rows that move, one walk variance for all, without effects, precisions learned."""
    periods = periods_of(np.arange(codes.shape[1]) * N_PERIODS // codes.shape[1], codes.shape[1], None)
    cells, walk = MovingCells(Binary(codes), periods), WalkPrior("shared", WALK_SHAPE, WALK_RATE)
    prior, first = Prior(True, 0.001, 0.001), leading_positions(codes, K)
    return PathChain(cells, first, Effects(False, False), prior, walk, np.random.SeedSequence(0), threads)


def gibbs_table(codes: np.ndarray, sizes: tuple[int, ...], rounds: Rounds) -> Table:
    """Time a sweep of the Gibbs sampler on one thread and on two, for every kind of cell."""
    counts, ranks = simulated_counts(codes.shape), simulated_categories(codes.shape)
    table = Table(
        "Logistic factors, Gibbs",
        f"Nanoseconds per observed cell and sweep, rows, columns and precisions: {codes.shape[0]} "
        f"x {codes.shape[1]}, nothing missing, Pólya-Gamma draws included, in turns for "
        f"{rounds.count} rounds. Counts have a mean of {counts.mean():.1f}, and sizes that are "
        f"drawn too; the {CATEGORIES} ordered categories have cut points of each column; rows move over "
        f"{N_PERIODS} periods of ten columns. Speed-up: "
        "median over rounds of the ratio of one thread to two, and ratio of the minima. State: is all that a "
        "sweep changes the same bits?",
        [
            "cells",
            "K",
            "one: minimum",
            "median",
            "to reach",
            "two: minimum",
            "median",
            "speed-up: median",
            "of minima",
            "state",
        ],
    )
    kinds = {
        "binary": lambda *given: chain_of(Cells(Binary(codes)), *given),
        "binary, rows that move": lambda *given: moving_chain(codes, *given),
        "binary, explicit noise": lambda *given: chain_of(NoisyCells(Binary(codes), NOISE), *given),
        "counts": lambda *given: chain_of(Cells(Counts(counts, SIZES)), *given),
        "categories": lambda *given: chain_of(CategoryCells(Categories(ranks, CATEGORIES, True)), *given),
    }
    for K, (name, make) in itertools.product(sizes, kinds.items()):
        one, two = (make(K, threads) for threads in (1, 2))
        sweeps = rounds.sweeps_after_warm_up(one.sweep)
        two.sweep(rounds.warm_up)
        seconds = rounds.alternate({"1": (one.sweep, sweeps), "2": (two.sweep, sweeps)})
        same = all(np.array_equal(x, two.arrays()[name]) for name, x in one.arrays().items())
        goal = GIBBS_TO_REACH.get(K, "–") if name == "binary" else "–"
        table.rows.append(
            [
                name,
                K,
                *nanoseconds(seconds["1"], codes.size),
                goal,
                *nanoseconds(seconds["2"], codes.size),
                number(np.median(seconds["1"] / seconds["2"])),
                number(seconds["1"].min() / seconds["2"].min()),
                "identical" if same else "DIFFERENT",
            ]
        )
    return table


def convergence_table(codes: np.ndarray, K: int, most: int = 1000) -> Table:
    """Count the iterations after which the bound is within 1e-3 nats per cell of the best seen."""
    table = Table(
        "Logistic factors: iterations to converge",
        f"The same matrix, K = {K}, precisions learned: iterations until the evidence bound is "
        f"within 0.001 nats per cell of the best that any of them has after {most}.",
        ["covariance", "step", "iterations", "bound per cell at the end"],
    )
    traces = {}
    for covariance, step in (("factorized", None), ("factorized", 0.3), ("full", None)):
        model = LogisticFactorVB(K, ard=True, covariance=covariance, step=step)
        state, bounds = model._start(codes, np.random.SeedSequence(0)), []
        for _ in range(most // 10):
            state.advance(10)
            bounds.append(state.objective() / codes.size)
        traces[covariance, "best" if step is None else step] = np.array(bounds)
    best = max(bounds[-1] for bounds in traces.values())
    for (covariance, step), bounds in traces.items():
        near = np.flatnonzero(bounds > best - 1e-3)
        iterations = 10 * (near[0] + 1) if near.size else f"more than {most}"
        table.rows.append([covariance, step, iterations, f"-{number(-bounds[-1], 4)}"])
    return table


def run() -> list[Table]:
    """Do this part as `make benchmark` does."""
    codes = simulated()
    return [
        gibbs_table(codes, (1, 2, 8, 15), Rounds()),
        variational_table(codes, (8, 15), Rounds(warm_up=20)),
        convergence_table(codes, 15),
    ]
