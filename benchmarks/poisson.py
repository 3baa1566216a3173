"""Poisson-gamma and Bernoulli-Poisson updates compared with scikit-learn's NMF.

Seconds are those of the processor; whatever is compared takes turns in one process.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sparse
from scipy.special import xlogy
from sklearn.decomposition import non_negative_factorization

import nbmf
from common import SEED, Table, number, say
from nbmf.families.poisson_gamma.poisson_gamma_inference import Climbing

ROUNDS = 5
ITERATIONS = 10  # of each run in a round
DENSE = ((256, 400, 27), (1024, 400, 42))  # F, N, K
SPARSE = (2000, 3000, 0.03)  # F, N, share above zero
SPARSE_K = (20, 64)


def run() -> list[Table]:
    """Return the tables of matrices with all entries, and of sparse ones."""
    return [*dense(DENSE, ITERATIONS), sparse_table(SPARSE, SPARSE_K, ITERATIONS)]


def processor_seconds(runs: dict[str, Callable[[], None]], rounds: int = ROUNDS) -> dict:
    """Return the processor's seconds of each run, arrays (rounds,), in turns."""
    for once in runs.values():
        once()  # compiles
    found = {name: [] for name in runs}
    for _ in range(rounds):
        for name, once in runs.items():
            started = time.process_time()
            once()
            found[name].append(time.process_time() - started)
    return {name: np.array(values) for name, values in found.items()}


def peer(V, W: np.ndarray, H: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray]:
    """Return W and H after so many multiplicative updates of scikit-learn, from the same start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = non_negative_factorization(
            V,
            W.copy(),
            H.copy(),
            n_components=W.shape[1],
            init="custom",
            solver="mu",
            beta_loss="kullback-leibler",
            max_iter=iterations,
            tol=0,
        )
    return found[:2]


def state_of(model: Climbing, V):
    """Return the state of a fit after its first updates."""
    state = model._start(model.values_of(V), model._seed())
    state.advance(2)
    return state


def dense(sizes, iterations: int) -> list[Table]:
    """Time updates by products of matrices; compare the objective of EM with scikit-learn's."""
    times = Table(
        "Counts, all entries",
        "Nanoseconds per entry, component and iteration, minimum and median over rounds.",
        ["F x N, K", "method", "minimum", "median"],
    )
    objectives = Table(
        "The same objective",
        f"Log-likelihood after {iterations} iterations from the same start, but for log V!.",
        ["F x N, K", "EM", "scikit-learn, mu", "relative difference"],
    )
    for F, N, K in sizes:
        say(f"counts, {F} x {N}, K = {K}")
        rng = np.random.default_rng(SEED)
        V = rng.poisson(rng.gamma(2.0, 2.0, (F, 6)) @ rng.gamma(2.0, 2.0, (6, N))) + 1
        models = {
            f"{name}, {precision}": getattr(nbmf, name)(K, precision=precision, random_state=0)
            for name in ("PoissonGammaEM", "PoissonGammaVB")
            for precision in ("double", "single")
        }
        states = {name: state_of(model, V) for name, model in models.items()}
        W, H, _ = states["PoissonGammaEM, double"].factors()
        runs = {name: partial(state.advance, iterations) for name, state in states.items()}
        runs["scikit-learn, mu"] = partial(peer, V.astype(float), W, H, iterations)
        for name, seconds in processor_seconds(runs).items():
            ns = 1e9 * seconds / (F * N * K * iterations)
            times.rows.append([f"{F} x {N}, {K}", name, number(ns.min()), number(np.median(ns))])
        state = state_of(models["PoissonGammaEM, double"], V)
        start = state.factors()
        state.advance(iterations)
        rates = [state.expectation(), np.matmul(*peer(V.astype(float), *start[:2], iterations))]
        found = [float((xlogy(V, rate) - rate).sum()) for rate in rates]
        difference = f"{abs(found[0] / found[1] - 1):.1e}"
        objectives.rows.append([f"{F} x {N}, {K}", *map("{:.6f}".format, found), difference])
    return [times, objectives]


def sparse_table(size, components, iterations: int) -> Table:
    """Time passes over what is above zero."""
    F, N, share = size
    table = Table(
        "Counts and ones, sparse",
        f"{F} x {N}, {share:.0%} above zero, mean count 2. Nanoseconds per entry above zero, "
        "component and iteration, minimum and median over rounds.",
        ["K", "method", "minimum", "median"],
    )
    rng = np.random.default_rng(SEED)
    V = sparse.random_array((F, N), density=share, rng=rng).tocsr()
    V.data = 1.0 + rng.poisson(1.0, V.nnz)
    for K in components:
        say(f"sparse, K = {K}")
        ones = V.sign()
        cases = {
            "PoissonGammaEM": (nbmf.PoissonGammaEM(K, random_state=0), V),
            "PoissonGammaVB": (nbmf.PoissonGammaVB(K, random_state=0), V),
            "PoissonGammaGibbs": (nbmf.PoissonGammaGibbs(K, random_state=0), V),
            "BernoulliPoissonVB": (nbmf.BernoulliPoissonVB(K, random_state=0), ones),
            "BernoulliPoissonGibbs": (nbmf.BernoulliPoissonGibbs(K, random_state=0), ones),
        }
        states = {name: state_of(*case) for name, case in cases.items()}
        runs = {name: partial(state.advance, iterations) for name, state in states.items()}
        W, H, _ = states["PoissonGammaEM"].factors()
        runs["scikit-learn, mu"] = partial(peer, V, W, H, iterations)
        for name, seconds in processor_seconds(runs).items():
            ns = 1e9 * seconds / (V.nnz * K * iterations)
            table.rows.append([K, name, number(ns.min()), number(np.median(ns))])
    return table
