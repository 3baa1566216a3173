"""Ordered categories by variational Bayes and by Gibbs sampling, on matrices drawn from their model: a table.

    NUMBA_CACHE_DIR=$PWD/.numba_cache python benchmarks/ordinal.py [replications]

The numbers of docs/logistic.md: held-out log loss, how often 90 % intervals hold the truth, and seconds of a fit. 60
rows, 20 columns, four categories, K = 2, a fifth of the entries held out; factors and cut points are drawn from the
prior. Two seconds of one core per replication.
"""

import sys
import time

import numpy as np

import nbmf
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.ordered_cells import CUT_SCALE, centred, exceedances, probabilities
from nbmf.inference.state import Factors
from nbmf.likelihoods.ordered import ORDERED
from nbmf.numerics.blas import one_blas_thread

F, N, C, K, LEVEL, DRAWS = 60, 20, 4, 2, 0.9, 200
MODEL = {"n_categories": C, "ard": False}
METHODS = {
    "OrdinalFactorVB": lambda seed: nbmf.OrdinalFactorVB(K, random_state=seed, **MODEL),
    'OrdinalFactorVB(covariance="full")': lambda seed: nbmf.OrdinalFactorVB(
        K, random_state=seed, covariance="full", **MODEL
    ),
    "OrdinalFactorGibbs": lambda seed: nbmf.OrdinalFactorGibbs(
        K, random_state=seed, burn_in=250, n_samples=5 * DRAWS, **MODEL
    ),
}


def truth_of(rng: np.random.Generator) -> Factors:
    """Return factors and cut points from the prior, these as those of an average row."""
    cuts = np.sort(CUT_SCALE * rng.standard_normal((N, C - 1)), axis=1)
    return centred(Factors(rng.standard_normal((F, K)), rng.standard_normal((K, N)), {form.CUTS: cuts}))


def compared(seed: int) -> list[list[float]]:
    """Return for each method the loss, its distance from that of the truth, what intervals hold, and seconds."""
    rng = np.random.default_rng(seed)
    truth = truth_of(rng)
    beyond = exceedances(form.psi_of(truth), truth.others[form.CUTS])
    V = (rng.random((F, N))[..., None] < beyond).sum(axis=-1).astype(np.int8)
    held_out = rng.random(V.shape) < 0.2
    loss_at, expected = ORDERED.loss_at(V, held_out), beyond.sum(axis=-1)
    of_truth = loss_at(probabilities(beyond)[held_out]).perplexity
    found = []
    for make in METHODS.values():
        model, started = make(seed), time.process_time()
        draws = nbmf.posterior_draws(model, ORDERED.hide(V, held_out), n_draws=DRAWS)
        seconds = time.process_time() - started
        loss = loss_at.of(model.predictive).perplexity
        lower, upper = draws.expectation_interval(LEVEL)
        holds = (lower <= expected) & (expected <= upper)
        lower, upper = draws.other_interval(form.CUTS, LEVEL)
        of_cuts = (lower <= truth.others[form.CUTS]) & (truth.others[form.CUTS] <= upper)
        found.append([loss, loss - of_truth, holds[~held_out].mean(), holds[held_out].mean(), of_cuts.mean(), seconds])
    return found


def run(replications: int) -> None:
    """Print the table."""
    compared(0)  # kernels are compiled
    with one_blas_thread():  # as in a fit
        found = np.array([compared(seed) for seed in range(replications)])
    found[..., 2:5] *= 100
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / replications**0.5
    print(f"{replications} matrices of {F} x {N}, {C} categories; nats per held-out entry, percent of 90 % intervals\n")
    print("| method | held-out log loss | above that of the truth | E[v], seen | held out | cut points | seconds |")
    print("|---|---|---|---|---|---|---|")
    for name, mean, error in zip(METHODS, means, errors, strict=True):
        losses = f"{mean[0]:.4f} | {mean[1]:.4f} ± {error[1]:.4f}"
        shares = " | ".join(f"{mean[i]:.1f} ± {error[i]:.1f}" for i in (2, 3, 4))
        print(f"| `{name}` | {losses} | {shares} | {np.median(found, axis=0)[list(METHODS).index(name), 5]:.2f} |")
    gain = found[:, 0, 0] - found[:, 2, 0]
    print(f"\nVB - Gibbs: {gain.mean():.4f} ± {gain.std(ddof=1) / replications**0.5:.4f}")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
