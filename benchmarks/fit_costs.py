"""What an iteration of the default methods costs, from which nbmf.analysis.estimate tells how long an analysis takes.

    .venv/bin/python benchmarks/fit_costs.py [CLASS ...]

Prints, for each class, numbers such as those of COSTS: seconds of an iteration of any size, nanoseconds per entry, per
entry and component, and per component of a row or a column; of a sampler also those per entry of a sweep that a chain
records. They are those of the machine on which the draws of
`slowness_here` take BENCHMARK_SECONDS; run it on a machine that does nothing else, with one thread.
"""

import argparse
import time
import warnings
from itertools import product

import numpy as np
from scipy.optimize import nnls

import nbmf
from nbmf.analysis.estimate import BENCHMARK_SECONDS, COSTS, slowness_here
from nbmf.inference.estimator import Factorization
from nbmf.posterior.recording import RECORDED

SHAPES, COMPONENTS = ((20, 12), (70, 40), (250, 120)), (4, 8, 24)
FEW, MANY = 5, 105  # iterations: the difference leaves out the start and what is done at the end
ROUNDS, ONES = 3, 0.3

LEARNED = {"alpha": "learn-columns", "beta": "learn-columns", "orientation": "auto"}
SAMPLED = ("IndianBuffetLogistic", "BernoulliPoissonGibbs", "LogisticFactorGibbs", "BetaDirGibbs")
SETTINGS = {
    "BetaDirVB": LEARNED,
    "BetaDirGibbs": LEARNED,
    "LogisticFactorVB": {"effects": "columns", "ard": False, "bound_gain_tol": 0.0},
    "LogisticFactorMAP": {"penalty": 1.0, "relative_gain_tol": 0.0},
    "LogisticFactorGibbs": {"effects": "both", "effect_scale": "learned", "ard": True},
    "IndianBuffetLogistic": {"prior": "cibp", "start": "dense"},
    "BernoulliPoissonVB": {"scales": "both", "tie_shape_W": "source", "tie_shape_H": "source", "relative_gain_tol": 0},
    "BernoulliPoissonGibbs": {"scales": "both"},
    "OrdinalFactorVB": {"effects": "none", "ard": False, "bound_gain_tol": 0.0},
    "MNB": {"relative_change_tol": 0},
}


def data_for(cls: type[Factorization], F: int, N: int) -> np.ndarray:
    """Return a matrix of the kind that a class is for."""
    rng = np.random.default_rng(0)
    if cls.__name__ == "OrdinalFactorVB":
        return rng.integers(0, 4, (F, N))
    if cls.__name__ == "NegativeBinomialFactorVB":
        return rng.poisson(1.0, (F, N))
    return (rng.random((F, N)) < ONES).astype(int)


def seconds_of_iteration(cls: type[Factorization], F: int, N: int, K: int) -> float:
    """Return what an iteration takes on this machine, by the time of its processor."""
    V = data_for(cls, F, N)

    def seconds(iterations: int) -> float:
        count = {"max_iter": iterations}
        if cls.__name__ in SAMPLED:
            count = {"burn_in": iterations // 2, "n_samples": iterations - iterations // 2}
        model = cls(K, **SETTINGS.get(cls.__name__, {}), **count, random_state=0)
        started = time.process_time()
        model.fit(V)
        return time.process_time() - started

    seconds(FEW)  # compiles
    few, many = (min(seconds(count) for _ in range(ROUNDS)) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def seconds_of_recording(cls: type[Factorization], F: int, N: int, K: int) -> float:
    """Return what a recorded sweep of a chain takes more than another one, by the time of the processor."""
    V, taken = data_for(cls, F, N), []
    model = cls(K, **SETTINGS.get(cls.__name__, {}), burn_in=0, n_samples=RECORDED, random_state=0)
    for fit in (model.fit, lambda V: nbmf.run_chains(model, V, chains=1, n_jobs=1)):
        fit(V)  # compiles
        started = time.process_time()
        fit(V)
        taken.append(time.process_time() - started)
    return (taken[1] - taken[0]) / RECORDED


def cost_of(name: str) -> tuple[float, float, float, float]:
    """Return seconds of an iteration, and nanoseconds per entry, per component of it, and per component of a line."""
    cls, cost = getattr(nbmf, name), COSTS[name]
    works, taken = [], []
    for (F, N), K in product(SHAPES, COMPONENTS):
        visited = F * N * (ONES if cost.visits_ones else 1.0)
        works.append([1.0, visited, visited * K, (F + N) * K * bool(cost.per_row)])
        taken.append(seconds_of_iteration(cls, F, N, K))
    relative = np.array(works) / np.array(taken)[:, None]
    scale = relative.max(axis=0)
    scale[scale == 0] = 1.0
    found = nnls(relative / scale, np.ones(len(taken)))[0] / scale
    return found[0], *(1e9 * found[1:])


def main() -> None:
    """Print the costs of some classes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("classes", nargs="*", default=list(COSTS), metavar="CLASS")
    warnings.simplefilter("ignore")
    slowness = slowness_here()
    print(f"this machine takes {slowness:.2f} of {BENCHMARK_SECONDS} seconds for the draws")
    for name in parser.parse_args().classes:
        iteration, entry, component, per_row = np.array(cost_of(name)) / slowness
        print(f"{name}: iteration {iteration:.1e}, entry {entry:.1f}, component {component:.2f}, line {per_row:.1f}")
        if name in SAMPLED:
            F, N = SHAPES[-1]
            recording = seconds_of_recording(getattr(nbmf, name), F, N, COMPONENTS[1]) / slowness
            print(f"    recorded {1e9 * recording / (F * N):.0f}")


if __name__ == "__main__":
    main()
