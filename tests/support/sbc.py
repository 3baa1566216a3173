"""Simulation-based calibration of the samplers (Talts et al. 2018, arXiv:1804.06788).

Draw W, H from the prior and V from Bernoulli(WH), then W and H again and again from the posterior
of V. Truth and draws are exchangeable, so the rank of a true value among independent draws is
uniform on 0..N_DRAWS, for any statistic of W, H and V. The chains start at random, as in use. W
and H given the assignments are drawn by this file's own lines, not by those of the package.

The draws of a chain count as independent if they are thinned enough; `Calibration.times` says so.
What ranks cannot see: a posterior that is right, but for more data or less, such as one that reads
hidden cells. In the extreme, the prior passes for the posterior unless a statistic depends on V
(Modrák et al. 2023, arXiv:2211.02383), which is why the log likelihood is among them.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import ladder
import numpy as np
from scipy import stats

from nbmf.families.beta_dirichlet.kernels.beta_dir_gibbs import BetaDirChain
from nbmf.families.beta_dirichlet.kernels.dir_dir_gibbs import DirDirChain
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir

F, N = 12, 15
MASK = np.random.default_rng(1).random((F, N)) < 0.8
OBSERVED, HIDDEN = (tuple(np.argwhere(cells)[0]) for cells in (MASK, ~MASK))
ALPHA, BETA = np.array([2.0, 0.5, 1.0, 0.7]), np.array([0.6, 1.0, 2.0, 0.7])
GAMMA, ETA = np.array([0.3, 1.0, 0.6, 0.5]), np.array([0.5, 1.0, 0.3, 0.8])

REPLICATIONS = 3000  # of a full run
BURN_IN, THIN = 100, 40  # sweeps
N_DRAWS, BINS = 63, 16  # 64 ranks, four to a bin
MAX_LAG = 5  # of the autocorrelations, in draws

STATISTICS = (
    "(WH) of an observed cell",
    "(WH) of a hidden cell",
    "sum of squares of WH",
    "log likelihood of V",
    "sum of squares of W",
    "sum of squares of H",
    "mean W of the first component",
)


# --- Samplers --------------------------------------------------------------------------------


@dataclass(frozen=True)
class BetaDir:
    """A prior and the chain for its posterior; options go to the chain."""

    alpha: np.ndarray = field(default_factory=ALPHA.copy)
    beta: np.ndarray = field(default_factory=BETA.copy)
    gamma: np.ndarray = field(default_factory=GAMMA.copy)
    options: dict = field(default_factory=dict)

    def simulate(self, rng):
        return beta_dir.simulate(F, N, self.gamma.size, self.alpha, self.beta, self.gamma, rng)

    def chain(self, codes, seed):
        hyperparameters = self.alpha, self.beta, self.gamma
        return BetaDirChain(codes, self.gamma.size, *hyperparameters, seed, **self.options)

    def factors(self, counts, rng):
        """Draw W and H given the assignments, eqs. (26)-(27)."""
        L, A, B = counts
        H = rng.beta(self.alpha[:, None] + A, self.beta[:, None] + B)
        return dirichlet(self.gamma + L, -1, rng), H


@dataclass(frozen=True)
class DirDir:
    """A prior and the chain for its posterior; options go to the chain."""

    gamma: np.ndarray = field(default_factory=GAMMA.copy)
    eta: np.ndarray = field(default_factory=ETA.copy)
    options: dict = field(default_factory=dict)

    def simulate(self, rng):
        return dir_dir.simulate(F, N, self.gamma.size, self.gamma, self.eta, rng)

    def chain(self, codes, seed):
        K = self.gamma.size
        return DirDirChain(codes, K, self.gamma, self.eta, seed, **self.options)

    def factors(self, counts, rng):
        """Draw W and H given the assignments, eqs. (62)-(63)."""
        L, Q = counts
        return dirichlet(self.gamma + L, -1, rng), dirichlet(self.eta[:, None] + Q, -2, rng)


VARIANTS = {
    "Beta-Dir, row lists": BetaDir(options={"dense_row": 10**6}),
    "Beta-Dir, rejection": BetaDir(options={"dense_row": 0}),
    "Beta-Dir, two blocks": BetaDir(options={"n_blocks": 2}),
    "Dir-Dir, joint": DirDir(options={"scheme": "joint"}),
    "Dir-Dir, alternating": DirDir(options={"scheme": "alternating"}),
}


def dirichlet(concentration, axis, rng):
    """Draw Dirichlet variables along `axis`, as normalised Gamma variables."""
    x = rng.standard_gamma(concentration)
    return x / x.sum(axis=axis, keepdims=True)


# --- Ranks -----------------------------------------------------------------------------------


class Calibration(NamedTuple):
    """What a run of replications leaves.

    ranks : int array (replications, statistics), how many draws lie below the true value
    times : array (statistics,), the integrated autocorrelation time of the thinned draws in units
        of draws, 1 if they are independent; standard error 2 (MAX_LAG / all draws)^(1/2)
    """

    ranks: np.ndarray
    times: np.ndarray


def calibrate(prior, n_replications, *key, sampler=None, see=lambda codes: codes):
    """Simulate from `prior` and run the chain of `sampler`, the prior's own if not given.

    `key` seeds the run; the chain gets `see(codes)` for its data.
    """
    sampler = sampler or prior
    ranks, times = [], []
    for i in range(n_replications):
        data_seed, chain_seed = ladder.seed_sequence(*key, i).spawn(2)
        rng = np.random.default_rng(data_seed)
        W, H, V = prior.simulate(rng)
        codes = np.where(MASK, V, -1).astype(np.int8)
        draws = posterior_statistics(sampler, sampler.chain(see(codes), chain_seed), codes, rng)
        ranks.append((draws < statistics(W, H, codes)).sum(axis=0))
        times.append(autocorrelation_time(draws))
    return Calibration(np.array(ranks), np.mean(times, axis=0))


def full_run(name):
    """Return the calibration of a variant that the long test checks and the figure shows."""
    return calibrate(VARIANTS[name], REPLICATIONS, 20, list(VARIANTS).index(name))


def posterior_statistics(sampler, chain, codes, rng):
    """Return the statistics (draws, statistics) of W, H drawn along a thinned chain."""
    chain.sweep(BURN_IN)
    counts = []
    for _ in range(N_DRAWS):
        chain.sweep(THIN)
        counts.append(chain.counts())
    W, H = sampler.factors([np.array(x) for x in zip(*counts, strict=True)], rng)
    return statistics(W, H, codes)


def statistics(W, H, codes):
    """Return the statistics (..., statistics) of W (..., F, K), H (..., K, N) and the data.

    All but the last are blind to the order of the components. The last sees whether the unequal
    hyperparameters go to the right components, and needs a chain that exchanges components.
    """
    P = W @ H
    likelihood = np.where(codes == 1, P, 1 - P)[..., codes >= 0]
    return np.stack(
        [
            P[..., *OBSERVED],
            P[..., *HIDDEN],
            (P**2).sum(axis=(-2, -1)),
            np.log(likelihood).sum(axis=-1),
            (W**2).sum(axis=(-2, -1)),
            (H**2).sum(axis=(-2, -1)),
            W[..., 0].mean(axis=-1),
        ],
        axis=-1,
    )


def autocorrelation_time(series):
    """Return 1 + 2 Σ of the autocorrelations up to MAX_LAG, axis 0.

    Independent draws, less the mean of the series, have expected autocorrelations
    -(n - lag) / (n (n - 1)) rather than 0, which is put right.
    """
    n, lags = len(series), range(1, MAX_LAG + 1)
    x = series - series.mean(axis=0)
    products = sum((x[lag:] * x[:-lag]).sum(axis=0) for lag in lags)
    return 1 + 2 * (products / (x**2).sum(axis=0) + sum(n - lag for lag in lags) / (n * (n - 1)))


# --- Tests of uniformity ---------------------------------------------------------------------


def p_values(ranks):
    """Return two p-values (statistics, 2) of ranks (replications, statistics).

    The first is that of chi-square over BINS bins. The second is Kolmogorov's and Smirnov's: a
    uniform rank plus a uniform variable is a continuous uniform variable, for which it is exact.
    """
    jitter = np.random.default_rng(2).random(ranks.shape)
    uniform = (ranks + jitter) / (N_DRAWS + 1)
    bins = ranks * BINS // (N_DRAWS + 1)
    return np.array(
        [
            (
                ladder.chi_square_p(np.bincount(b, minlength=BINS), np.full(BINS, 1 / BINS)),
                stats.kstest(u, "uniform").pvalue,
            )
            for b, u in zip(bins.T, uniform.T, strict=True)
        ]
    )


def assert_uniform(ranks):
    """Fail if one of the two p-values of one of the statistics is below FALSE_ALARM."""
    p = p_values(ranks)
    table = ", ".join(f"{s}: {a:.1e} {b:.1e}" for s, (a, b) in zip(STATISTICS, p, strict=True))
    assert p.min() > ladder.FALSE_ALARM, f"ranks differ from uniform ones; p-values {table}"
