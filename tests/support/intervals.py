"""Do credible intervals of E[v_fn] cover the truth, on matrices drawn from the model itself?

W, H come from the prior, V from Bernoulli(WH), a fifth of V is hidden. Truth and posterior draws
are exchangeable, and quantiles are taken by Weibull's rule, so an interval of level p covers the
true (WH)_fn with probability p exactly if draws are independent: an average over prior, data and
draws, not a statement on single matrices. Draws are 8 sweeps apart, and few enough components
that chains move freely.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet import prior_learners as learning
from nbmf.families.beta_dirichlet.models import beta_dir, dir_dir
from nbmf.posterior.draws import posterior_draws
from nbmf.registry import make_estimator
from nbmf.seeds import seed_sequence

F, N, K = 8, 10, 3
PRIORS = {"alpha": 0.7, "beta": 0.9, "gamma": 0.6}
DIR_DIR_PRIORS = {"gamma": 0.6, "eta": 0.8}
DRAWS = 39  # 5 % and 95 % are then the 2nd smallest and 2nd largest
CHAIN = {"burn_in": 60, "n_samples": 8 * DRAWS}


def from_beta_dir(rng):
    return beta_dir.simulate(F, N, K, **PRIORS, rng=rng)


def from_dir_dir(rng):
    return dir_dir.simulate(F, N, K, **DIR_DIR_PRIORS, rng=rng)


def from_dir_beta(rng):
    W, H, V = beta_dir.simulate(N, F, K, **PRIORS, rng=rng)
    return H.T, W.T, V.T


def from_hyperpriors(rng):
    """Beta-Dir with alpha, beta and gamma from the hyperpriors that learning assumes."""
    alpha, beta = np.exp(rng.normal(0.0, learning.SCALE, 2))
    gamma = np.exp(rng.normal(np.log(1 / K), learning.SCALE))
    alpha, beta, gamma = np.clip([alpha, beta, gamma], *np.exp(learning.BOUNDS))
    return beta_dir.simulate(F, N, K, alpha, beta, gamma, rng=rng)


LEARNED = {"alpha": "learn", "beta": "learn", "gamma": "learn"}
# Hyperparameters are renewed every 50 sweeps: they need longer chains.
LONG_CHAIN = {"burn_in": 1000, "n_samples": 50 * DRAWS}


class Case(NamedTuple):
    """A method and the model that its data come from."""

    class_name: str
    simulate: Callable
    settings: dict


CASES = {
    "Beta-Dir GS": Case("BetaDirGibbs", from_beta_dir, PRIORS | CHAIN),
    "Dir-Dir GS": Case("DirDirGibbs", from_dir_dir, DIR_DIR_PRIORS | CHAIN),
    "Dir-Beta GS": Case("DirBetaGibbs", from_dir_beta, {"alpha": 0.7, "beta": 0.9, "eta": 0.6} | CHAIN),
    "Beta-Dir GS, learned priors": Case("BetaDirGibbs", from_hyperpriors, LEARNED | LONG_CHAIN),
    "Beta-Dir GS, learned, the truth as above": Case("BetaDirGibbs", from_beta_dir, LEARNED | LONG_CHAIN),
    "Beta-Dir VB": Case("BetaDirVB", from_beta_dir, PRIORS | {"max_iter": 200}),
    "bICA": Case("BinaryICA", from_beta_dir, PRIORS | {"max_iter": 200}),
}


class Coverage(NamedTuple):
    """Of each replication, over the asked intervals: arrays (replications, asked).

    shares : the share of entries whose true value is inside
    widths : the mean width
    """

    shares: np.ndarray
    widths: np.ndarray


def coverages(name: str, replications: int, asked: list[tuple[float, float]]) -> Coverage:
    """Return what intervals cover; `asked` holds pairs (level, factor).

    The interval of that level is shrunk around its middle by the factor, to see that it matters.
    """
    case, shares, widths = CASES[name], [], []
    for i in range(replications):
        rng = np.random.default_rng(seed_sequence("coverage", case.simulate.__name__, i))
        W, H, V = case.simulate(rng)
        codes = np.where(rng.random(V.shape) < 0.8, V, -1)
        draws = posterior_draws(make_estimator(case.class_name, K, case.settings, i), codes, n_draws=DRAWS)
        inside, width = [], []
        for level, factor in asked:
            lower, upper = draws.expectation_interval(level)
            middle = (lower + upper) / 2
            lower, upper = (middle + factor * (end - middle) for end in (lower, upper))
            inside.append(((lower <= W @ H) & (upper >= W @ H)).mean())
            width.append((upper - lower).mean())
        shares.append(inside)
        widths.append(width)
    return Coverage(np.array(shares), np.array(widths))
