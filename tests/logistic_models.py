"""Small matrices and ascents of the logistic family, for its tests."""

import numpy as np

from nbmf.families.logistic.factors import EFFECT_PRECISION, Effects
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.matrices import Ascent, Matrix
from nbmf.families.logistic.quadratic import Bohning, ExplicitNoise, NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial, SoftplusPoisson
from nbmf.families.logistic.sides import Coordinates, FactorizedSide, FullSide
from nbmf.families.logistic.variational import clamped_places

WEAK, SIZES = Gamma(0.5, 0.5), Gamma(1.0, 1.0)
KINDS = {"factorized": FactorizedSide, "full": FullSide}


def small_data(F=9, N=7, seed=0, p_missing=0.2, scale=1.0):
    """Return binary, count and real matrices of the same log-odds, with missing entries."""
    rng = np.random.default_rng(seed)
    psi = scale * rng.normal(size=(F, 2)) @ rng.normal(size=(2, N))
    missing = rng.random((F, N)) < p_missing
    return {
        "binary": np.where(missing, -1, rng.random((F, N)) < 1 / (1 + np.exp(-psi))).astype(
            np.int8
        ),
        "counts": np.where(missing, -1, rng.poisson(np.exp(np.minimum(psi, 3)))).astype(np.int32),
        "real": np.where(missing, np.nan, psi + 0.3 * rng.normal(size=(F, N))),
    }


DATA = small_data()

LIKELIHOODS = {
    "polya-gamma": lambda data: PolyaGamma(data["binary"]),
    "bohning": lambda data: Bohning(data["binary"]),
    "noise": lambda data: ExplicitNoise(PolyaGamma(data["binary"]), WEAK),
    "negative binomial": lambda data: NegativeBinomial(data["counts"], SIZES),
    "its noise": lambda data: ExplicitNoise(NegativeBinomial(data["counts"], SIZES), WEAK),
    "softplus": lambda data: SoftplusPoisson(data["counts"]),
    "normal": lambda data: NormalEntries(data["real"], WEAK),
}


def sides(kind, shape, K, effects="none", ard=True, seed=0):
    """Return random q of rows and of columns."""
    rng, effects = np.random.default_rng(seed), Effects.named(effects)
    R = K + effects.rows + effects.columns
    precision = np.r_[np.ones(K), np.full(R - K, EFFECT_PRECISION)]
    found = []
    for n, learned, clamped in zip(
        shape, (0, K if ard else 0), clamped_places(K, effects), strict=True
    ):
        mean = rng.normal(size=(n, R))
        mean[:, clamped] = 1.0
        free = np.ones(R, bool)
        free[clamped] = False
        own = Coordinates(precision, free, np.arange(learned), WEAK)
        found.append(KINDS[kind](mean, own, 0.5))
    return found


def ascent(kind, quadratic, K=3, effects="none", ard=True, seed=0, step=0.0):
    rows, columns = sides(kind, quadratic.seen.shape, K, effects, ard, seed)
    return Ascent([Matrix(quadratic, rows, columns)], step)
