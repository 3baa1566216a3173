"""The evidence log p(V) of models with fixed gamma priors: its bound, and two estimates of it.

Each says how sure it is. Where they disagree annealing is to be believed: the bound is tens of
nats below, by a gap that grows with K, and Chib's estimate fails beyond tiny matrices, which its
effective size shows (docs/poisson.md).
"""

from typing import Any

import numpy as np

from nbmf.data.sparse_counts import SparseCounts
from nbmf.errors import ConfigError, DataError, not_allowed
from nbmf.families.poisson_gamma.annealing import Annealed, AnnealedState
from nbmf.families.poisson_gamma.chib import BATCHES, LAST, POINTS, ChibState
from nbmf.families.poisson_gamma.gamma_priors import FIXED, GammaPrior
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.poisson_gamma_estimator import WithPriors
from nbmf.families.poisson_gamma.poisson_gamma_inference import Variational
from nbmf.families.poisson_gamma.scales import NEITHER
from nbmf.families.poisson_gamma.weights import Evidence
from nbmf.inference.parameters import check_count
from nbmf.seeds import child


def bound(model: Variational, V: Any, starts: int = 3) -> Evidence:
    """Return the best evidence lower bound of some starts; it never exceeds log p(V).

    Parameters
    ----------
    model : PoissonGammaVB or BernoulliPoissonVB
        Its priors may be learned: it is then log p(V) at those that were.
    V : matrix, as for `fit`
    starts : int

    Raises
    ------
    ConfigError, DataError
        As `fit` does; ConfigError if the method has no bound.
    """
    check_count("starts", starts, 1)
    if not isinstance(model, Variational):
        raise ConfigError(f"{type(model).__name__} has no bound; allowed: variational methods")
    bounds = []
    for number in range(starts):
        again = type(model)(**model.get_params())
        again.set_params(random_state=child(model._seed(), "start", number))
        last = _LastObjective()
        again.fit(V, monitor=last)
        bounds.append(last.objective)
    spread = float(np.std(bounds, ddof=1)) if starts > 1 else np.nan
    return Evidence(max(bounds), spread, float(starts), "bound")


class _LastObjective:
    """A monitor that keeps the last objective."""

    def next_after(self, iteration):
        return float("inf")

    def __call__(self, iteration, total, state):
        self.objective = state.objective()


def annealed(model: WithPriors, V: Any, *, temperatures: int = 2500, chains: int = 16, steps: int = 6) -> Evidence:
    """Estimate log p(V) by annealed importance sampling (Neal 2001).

    Chains go from the prior to the posterior, prior x likelihood^β, β = 0 and then log-spaced from
    1e-7 to 1, by Hamiltonian Monte Carlo in (log W, log H) with the sources summed out, and scales integrated out.

    Parameters
    ----------
    model : a model with gamma priors, all fixed
        Its random_state gives the random numbers.
    V : matrix, as for `fit`; not sparse
    temperatures, chains, steps : int
        Values of β; independent chains; leapfrog steps of each move.

    Raises
    ------
    ConfigError
        If the model has no gamma priors, one is learned, or the shape of scales is.
    DataError
        If V is sparse, or no matrix that the model takes.
    """
    for name, value, least in (("temperatures", temperatures, 2), ("chains", chains, 1), ("steps", steps, 1)):
        check_count(name, value, least)
    values, priors = _checked_input(model, V)
    rng = np.random.default_rng(child(model._seed(), "annealing", 0))
    state = AnnealedState(Annealed(values, priors, model.is_binary, chains, rng), temperatures, steps)
    state.advance(temperatures)
    return state.evidence


def chib(
    model: WithPriors, V: Any, *, burn_in: int = 5000, free: int = 10_000, clamped: int = 10_000, point: str = LAST
) -> Evidence:
    """Estimate log p(V) by Chib's method, eq. (48) of Cemgil (2009), of counts.

    The point at which p(V, S, W, H) / p(S, W, H | V) is evaluated has sources S and the means of W and H given them.
    log p(S | V) is the mean over the free sweeps that follow, log p(W | S) that over sweeps with these sources. Where
    the chain does not switch labels the value is too low by up to log K!, which is not added.

    Parameters
    ----------
    model : a model of counts with gamma priors, all fixed
    V : matrix, as for `fit`; not sparse
    burn_in, free, clamped : int
        Sweeps.
    point : {"last", "near mode"}
        S of the last sweep of the burn-in, or the most likely ones at a mode of p(log W, log H | V) next to it.

    Raises
    ------
    ConfigError
        If the model has no gamma priors, one is learned, it is of binary data or has scales, or there is no such point.
    DataError
        If V is sparse, or no matrix that the model takes.
    """
    for name, value in (("burn_in", burn_in), ("free", free), ("clamped", clamped)):
        check_count(name, value, BATCHES)
    if point not in POINTS:
        raise not_allowed("point", point, POINTS)
    _refuse_without_priors(model)
    if model.is_binary:
        raise ConfigError("Chib's estimate is of counts: of binary data take the annealed one")
    if model._scaled:
        raise not_allowed("scales", model.scales, f"{NEITHER}: with scales take the annealed estimate")
    values, priors = _checked_input(model, V)
    data = Observations(values, False)
    lengths = {"burn_in": burn_in, "free": free, "clamped": clamped}
    state = ChibState(model, data, priors, model._seed(), **lengths, point=point)
    state.advance(burn_in + free)
    return state.evidence


def _checked_input(model: WithPriors, V: Any) -> tuple[np.ndarray, tuple[GammaPrior, GammaPrior]]:
    """Return the values of V and the priors of the model, which have to be fixed."""
    _refuse_without_priors(model)
    model.check_parameters()
    learned = [
        f"tie_{part}_{factor}"
        for factor in "WH"
        for part, tie in zip(("shape", "mean"), model._ties(factor), strict=True)
        if tie != FIXED
    ]
    if learned:
        allowed = f"{FIXED}; a learned prior can be fixed at what a fit has found"
        raise not_allowed(learned[0], getattr(model, learned[0]), allowed)
    if model._scaled and model.shape_scales is None:
        raise not_allowed("shape_scales", None, "a number; a learned one can be fixed at what a fit has found")
    values = model.values_of(V)
    if isinstance(values, SparseCounts):
        raise DataError("V is sparse: estimates of the evidence take a matrix with all its entries")
    return values, model._priors(Observations(values, model.is_binary))


def _refuse_without_priors(model: Any) -> None:
    """Raise ConfigError unless a model has gamma priors."""
    if not isinstance(model, WithPriors):
        raise ConfigError(f"{type(model).__name__} has no gamma priors, without which there is no evidence")
