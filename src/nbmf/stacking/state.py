"""A stack while it is fitted: its members on the folds, their weights, and the members on the whole matrix."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from nbmf.data.symmetry import mean_of_directions, without_directions
from nbmf.errors import hold_back_warnings
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import eligible_of, fit_to_fold
from nbmf.inference.parallel import fits_at_a_time, results_of
from nbmf.inference.state import Factors, State
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.seeds import child
from nbmf.stacking.members import MEMBERS, make_members, members_within_budget
from nbmf.stacking.weights import mixture_weights

if TYPE_CHECKING:
    from nbmf.stacking.estimator import Stacking


class StackingState(State):
    """A stack that is fitted in one step.

    Parameters
    ----------
    stacking : Stacking
    codes : int8 array (F, N)
    seed : SeedSequence
    """

    def __init__(self, stacking: "Stacking", codes: np.ndarray, seed: np.random.SeedSequence):
        self._codes, self._seed, self._threads = codes, seed, stacking.threads
        eligible = eligible_of(codes, BERNOULLI)
        self._in_pairs = eligible.in_pairs
        self._folds = eligible.folds(np.random.default_rng(child(seed, "folds"))) if eligible.suffice() else []
        possible = make_members(stacking.members or MEMBERS, stacking.n_components, stacking.max_iter)
        n_observed = int(np.count_nonzero(BERNOULLI.is_observed(codes)))
        taken = members_within_budget(possible, n_observed, len(self._folds) + 1, stacking.max_visits)
        self._tried = taken or dict([next(iter(possible.items()))])
        for name, member in self._tried.items():
            member.set_params(random_state=child(seed, "member", name))

    def advance(self, steps):
        """Fit: there is one step."""
        with hold_back_warnings():  # of members: their losses weigh them
            self.weights = self._learned_weights()
            with_weight = [member for member, w in zip(self._tried.values(), self.weights, strict=True) if w > 0]
            at_a_time = fits_at_a_time(with_weight, self._codes, self._threads)
            results_of([partial(member.fit, self._codes) for member in with_weight], at_a_time)
            self.members = self._tried
        fitted = [(w, member) for w, member in zip(self.weights, self.members.values(), strict=True) if w > 0]
        self._factors = join_factors([member.factors_ for _, member in fitted])
        mixed = sum(w * member.expectation_ for w, member in fitted)
        self._expectation = without_directions(mixed) if self._in_pairs else mixed
        self._active = sum(member.active_components_ for _, member in fitted)

    def _learned_weights(self) -> np.ndarray:
        """Return the weights of the members, float array (M,)."""
        if not self._folds or len(self._tried) == 1:
            return np.full(len(self._tried), 1.0 / len(self._tried))
        members = list(self._tried.values())
        fits = [partial(self._fold_losses, number, member) for number in range(len(self._folds)) for member in members]
        losses = results_of(fits, fits_at_a_time(members, self._codes, self._threads))
        of_members = [np.concatenate(losses[m :: len(members)]) for m in range(len(members))]
        return mixture_weights(np.column_stack(of_members))

    def _fold_losses(self, number: int, member: Factorization) -> np.ndarray:
        """Return a member's losses of the entries of a fold, float array (n,)."""
        fold = self._folds[number]
        fitted = fit_to_fold(member, BERNOULLI.hide(self._codes, fold), number, None)
        predict = partial(mean_of_directions, fitted.predictive) if self._in_pairs else fitted.predictive
        return BERNOULLI.losses(self._codes[fold], predict(*np.nonzero(fold)))

    def objective(self):
        """Return nothing: members climb objectives of their own."""
        return None

    def active_components(self):
        """Return how many components are active in the members together."""
        return self._active

    def factors(self):
        """Return those of the members after each other."""
        return self._factors

    def expectation(self):
        """Return the mixture of what they predict, float array (F, N)."""
        return self._expectation


def join_factors(parts: Sequence[Factors]) -> Factors:
    """Return the factors of several members as those of one model, which `Stacking._split` takes apart."""
    others = {f"{m} {name}": array for m, part in enumerate(parts) for name, array in part.others.items()}
    return Factors(np.hstack([part.W for part in parts]), np.vstack([part.H for part in parts]), others)


def member_factors(member: int, others: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the further factors of a member, by the names that it gives them."""
    prefix = f"{member} "
    return {name.removeprefix(prefix): array for name, array in others.items() if name.startswith(prefix)}
