"""Which orientation and which start: decided by entries held out inside the training entries.

Learning of priors by CVB0 ends in a place that depends on its start, and which side has the weights
matters as much as the method (docs/priors.md). So each candidate is fitted, shortly, to most of the
observed entries and scored on the rest; entries that the fit itself may not see play no part.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from nbmf.families.beta_dirichlet.beta_dirichlet_priors import BetaPrior, DirichletPrior
from nbmf.families.beta_dirichlet.kernels.beta_dir_cvb0 import BetaDirCVB0
from nbmf.families.beta_dirichlet.models import beta_dir
from nbmf.families.beta_dirichlet.prior_learners import CVB0Learner, split_at_renewals
from nbmf.inference.folds import ENTRIES_HELD_OUT, HELD_OUT, eligible_of
from nbmf.inference.products import COLUMNS, ROWS
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.seeds import child, seed_sequence

UPDATES, COMPONENTS = 60, 32  # of a candidate's fit, at most: enough to rank candidates
ERRORS = 2.0  # standard errors by which structure has to predict better than none
SMALLEST_CHANCE = 1e-9  # that a prediction is taken to give what happened


class Candidate(NamedTuple):
    """One way to fit.

    side : {"rows", "columns"}, the rows or columns of V that are distributions over components
    one_component : bool, whether the fit has a single component: it finds no structure, and
        predicts the means of columns (of rows, if columns have the weights)
    """

    side: str = ROWS
    one_component: bool = False

    def priors(self, given: dict, codes: np.ndarray, K: int) -> tuple[BetaPrior, DirichletPrior]:
        """Return the priors to start with; their K is that of the fit.

        given : dict, alpha, beta and gamma as a class takes them
        """
        gamma = 1.0 if self.one_component else given["gamma"]  # of one component it says nothing
        K = 1 if self.one_component else K
        return BetaPrior(given["alpha"], given["beta"], codes, K), DirichletPrior("gamma", gamma, K)


STARTS = (Candidate(), Candidate(one_component=True))  # of learning by CVB0


def choose(codes: np.ndarray, candidates: list[Candidate], priors: dict, K: int) -> Candidate:
    """Return the candidate with the smallest loss on held-out entries, the first if there are none.

    One with one component is preferred to others that do not predict better by more than
    ERRORS standard errors of the difference.

    Parameters
    ----------
    codes : int8 array (F, N)
        1, 0, -1 (missing).
    candidates : list of Candidate
    priors : dict
        alpha, beta and gamma as a class takes them; a gamma that is learned stays at 1/K.
    K : int
        Number of components, of which up to COMPONENTS are used.

    The choice is a matter of the data alone: fits with other seeds make the same one.
    """
    seed = seed_sequence("choice")
    losses = {candidate: [] for candidate in candidates}
    if not any(np.ndim(value) for value in priors.values()):  # those are one per component
        K = min(K, COMPONENTS)
    for fold, held_out in enumerate(folds(codes, np.random.default_rng(child(seed, "folds")))):
        training = np.where(held_out, -1, codes).astype(np.int8)
        for candidate, per_fold in losses.items():
            mean = fitted_mean(training, candidate, priors, K, child(seed, "fold", fold))
            per_fold.append(entry_losses(codes, mean, held_out))
    return _best_candidate(losses) if losses[candidates[0]] else candidates[0]  # of a single entry


def _best_candidate(losses: dict[Candidate, list[np.ndarray]]) -> Candidate:
    """Return the best candidate, given the loss of each held-out entry."""
    every = {candidate: np.concatenate(per_fold) for candidate, per_fold in losses.items()}
    best = min(every, key=lambda candidate: every[candidate].mean())
    simple = [candidate for candidate in every if candidate.one_component]
    if not simple or best.one_component:
        return best
    simplest = min(simple, key=lambda candidate: every[candidate].mean())
    gain = every[simplest] - every[best]
    error = gain.std() / math.sqrt(gain.size)
    return best if gain.mean() > ERRORS * error else simplest


def entry_losses(codes: np.ndarray, mean: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """Return minus the log probability of each of the entries (bool array), in nats."""
    chance = np.where(codes == 1, mean, 1.0 - mean)[entries]
    return -np.log(np.maximum(chance, SMALLEST_CHANCE))


def folds(codes: np.ndarray, rng: np.random.Generator) -> Iterable[np.ndarray]:
    """Return bool arrays (F, N) of entries to hold out, no entry twice; the answers to one question together.

    Mirror images in a symmetric matrix are held out one by one: in networks without structure one component was
    chosen all the same, and the two sides are equal there.
    """
    eligible = eligible_of(codes, BERNOULLI)
    if eligible.suffice() and eligible.questions():
        return eligible.folds(rng)
    return _folds_of_entries(codes, rng)


def _folds_of_entries(codes: np.ndarray, rng: np.random.Generator) -> Iterator[np.ndarray]:
    observed = rng.permutation(np.flatnonzero(codes >= 0))
    size = max(1, round(HELD_OUT * observed.size))
    for fold in range(min(math.ceil(ENTRIES_HELD_OUT / size), observed.size // size)):
        held_out = np.zeros(codes.size, bool)
        held_out[observed[fold * size : (fold + 1) * size]] = True
        if size < observed.size:  # something has to be left to learn from
            yield held_out.reshape(codes.shape)


def fitted_mean(codes, candidate: Candidate, priors: dict, K: int, seed, updates: int = UPDATES) -> np.ndarray:
    """Return E[V] of a short fit by CVB0, float array (F, N); arguments as for `choose`."""
    if candidate.side == COLUMNS:
        return fitted_mean(codes.T, candidate._replace(side=ROWS), priors, K, seed, updates).T
    prior, weights = candidate.priors(priors, codes, K)
    gamma = weights.value
    inference = BetaDirCVB0(codes, gamma.size, **prior.tables(), gamma=gamma, seed=seed)
    learner = CVB0Learner(inference, prior) if prior.learned else None
    for renew, stretch in split_at_renewals(0, updates, learner):
        if renew:
            learner.renew()
        inference.update(stretch)
    W, H = beta_dir.expected_factors(inference.counts(), **prior.tables(), gamma=gamma)
    return W @ H
