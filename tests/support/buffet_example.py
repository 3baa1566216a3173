"""A small state of an Indian buffet, and its log density."""

import itertools
import math
import types

import buffet_twin as twin
import numpy as np
from scipy import stats

from nbmf.families.buffet.kernels.numbers import NOISE, ROW_EFFECT

F, N, K = 5, 6, 4


def example(logit, name, seed=1, effects="both"):
    """Return a matrix with missing cells and a state with a singleton, precisions drawn anyhow.

    Effects of a binary matrix have an intercept.
    """
    rng = np.random.default_rng(seed)
    B = rng.normal(0, 1.1, (F, K)) * (rng.random((F, K)) < 0.6)
    B[0, 0] = B[1, 0] = 0.7
    B[:, 3] = 0.0
    B[2, 3] = -0.8  # a singleton of row 2
    Z = rng.standard_normal((K, N))
    there = np.array([effects in ("rows", "both"), effects in ("columns", "both")])
    effects = (rng.normal(size=F), rng.normal(size=N)) if logit else (np.zeros(F), np.zeros(N))
    observed = rng.random((F, N)) < 0.8
    signal = rng.integers(0, 2, (F, N)) - 0.5 if logit else rng.normal(size=(F, N))
    signal = np.where(observed, signal, 0.0)
    numbers = twin.numbers(intercept=0.6 * logit)
    for kind in np.flatnonzero(~there):
        effects[kind][:] = numbers[ROW_EFFECT + kind] = 0.0
    P = rng.gamma(2.0, 0.2, (F, N)) if logit else np.full((F, N), 1 / numbers[NOISE])
    P = np.where(observed, P, 0.0)
    prior = twin.prior_of(name)
    return types.SimpleNamespace(
        logit=logit,
        prior=prior,
        signal=signal,
        observed=observed,
        B=B,
        Z=Z,
        effects=effects,
        numbers=numbers,
        P=P,
        counts=np.count_nonzero(B, axis=0),
        log_odds=prior.log_odds(F),
    )


def log_density(x, B=None, Z=None, effects=None, numbers=None, table=twin.FIXED):
    """Return log p(data, state | precisions): of binary data with their Pólya-Gamma variables.

    Given ω it is Σ (v - ½) ψ - ω ψ²/2 and what the prior says.
    """
    B, Z = x.B if B is None else B, x.Z if Z is None else Z
    effects = x.effects if effects is None else effects
    numbers = x.numbers if numbers is None else numbers
    nothing = np.full(x.signal.shape, np.nan)
    total = twin.log_joint(nothing, x.logit, x.prior, (B, Z, *effects), numbers, table)
    fit = B @ Z
    for j, i in itertools.product(range(F), range(N)):
        if not x.observed[j, i]:
            continue
        if x.logit:
            psi = effects[0][j] + effects[1][i] + fit[j, i]
            total += x.signal[j, i] * psi - 0.5 * x.P[j, i] * psi**2
        else:
            total += stats.norm.logpdf(x.signal[j, i], fit[j, i], math.sqrt(numbers[NOISE]))
    return total


def residuals(x, j):
    """Return e = P r of a row: what of P D the state leaves over."""
    psi = x.effects[0][j] + x.effects[1] + x.B[j] @ x.Z
    return (x.signal[j] if x.logit else x.P[j] * x.signal[j]) - x.P[j] * psi
