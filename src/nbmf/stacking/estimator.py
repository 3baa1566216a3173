"""Stacking: a mixture of methods whose weights make held-out entries most probable."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.named import names_of
from nbmf.data.symmetry import is_symmetric, without_directions
from nbmf.errors import DataError, not_allowed
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.folds import HELD_OUT
from nbmf.inference.parameters import Rule, is_number
from nbmf.inference.state import Factors
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.stacking.members import MEMBERS, make_members
from nbmf.stacking.state import StackingState, join_factors, member_factors

ROUNDING = 1e-6  # of the sum of weights


def _are_members(names: Any) -> bool:
    if isinstance(names, str) or not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        return False
    return len(names) > 0 and len(set(names)) == len(names) and set(names) <= set(MEMBERS)


def _with_weight(members: Mapping[str, Factorization], weights: np.ndarray) -> tuple[dict[str, Any], np.ndarray]:
    """Return the members that have weight, and their weights."""
    used = {name: member for (name, member), weight in zip(members.items(), weights, strict=True) if weight > 0}
    return used, weights[weights > 0]


def _refuse_other_members(members: Mapping[str, Any], shape: tuple[int, int]) -> None:
    """Raise DataError unless they are methods that have been fitted to a binary matrix of a shape."""
    for name, member in members.items():
        if not (isinstance(member, Factorization) and member.likelihood is BERNOULLI):
            raise DataError(f"{name} does not predict the entries of a binary matrix")
        if (member.W_.shape[0], member.H_.shape[1]) != shape:
            raise DataError(f"{name} has to be of a matrix of shape {shape}")


@with_parameters
class Stacking(Factorization):
    """E[V] = Σ_m w_m E_m[V]: a mixture of what several methods predict, with weights learned on held-out entries.

    By 10-fold cross-validation over the observed entries, answers to one question together, every member predicts
    them from the others. The weights, not negative and of sum one, are those of the mixture with the smallest mean
    log loss on them (Yao, Vehtari, Simpson and Gelman, "Using stacking to average Bayesian predictive distributions",
    Bayesian Analysis 13, 2018). The members that have weight are then fitted to the whole matrix. It is for
    prediction; to interpret components, use one of the members. Of an undirected network, a symmetric matrix, E[v] is
    the mean of both entries of a pair, which is one observation.

    Parameters
    ----------
    n_components : int
        K of the members that do not choose it themselves: logistic VB and GS, and Bernoulli-Poisson.
    members : list of str, or None
        Names of the methods; None for all of them: logistic-vb-columns, bernoulli-poisson-vb, logistic-vb,
        logistic-map, indian-buffet, beta-dir-vb-learned, logistic-gs-learned-effects and beta-dir-gs-learned.
    max_visits : float
        The largest sum over fits of entries times updates times components, without what a member needs to find its
        penalty: a budget of time that does not depend on a clock. Members are taken in order; one that would exceed
        the rest of the budget is skipped. If all exceed it, the first one is taken.
    max_iter : int
        The largest number of iterations or sweeps of a member's fit; half of the sweeps are burn-in, and logistic-map
        makes at most a quarter of these iterations.
    threads : int
        Fits of members at a time, fewer where they would need more memory together than one of them may. The result
        is the same for any number.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    members_ : dict
        From names to the fitted methods that have weight.
    weights_ : float array (M,)
        The weights of the members; equal if fewer than 20 entries are observed, since none can then be held out.
    W_, H_ : float arrays (F, K), (K, N)
        The factors of the members, concatenated.
    """

    method_name = "stacking"
    inference = Inference.POINT
    takes_threads = True
    likelihoods = (BERNOULLI,)
    meanings = ("factor of a member", "factor of a member")
    alignment = Alignment.NONE
    rules = Factorization.rules | {
        "members": Rule(lambda names: names is None or _are_members(names), f"None or some of {', '.join(MEMBERS)}"),
        "max_visits": Rule(lambda value: is_number(value) and value > 0, "a number above 0"),
    }

    shapes: ClassVar[dict[str, str]] = Factorization.shapes | {"weights_": "M"}

    n_components: int = 8
    members: Sequence[str] | None = None
    max_visits: float = 1e11
    max_iter: int = 1000
    threads: int = 1
    random_state: RandomState = None

    @classmethod
    def of(cls, members: Mapping[str, Factorization], weights: np.ndarray, V: Any) -> Self:
        """Return the mixture of methods that have been fitted to V, those with weight zero left out.

        Of an undirected network E[v] is the mean of both entries of a pair, as in `fit`.

        Parameters
        ----------
        members : dict
            From names, of MEMBERS or any others, to fitted methods for binary matrices.
        weights : float array (M,)
            Not negative, of sum one.
        V : BinaryMatrix, array (F, N) or DataFrame
            What they were fitted to: its names of rows and columns are kept.

        Raises
        ------
        ConfigError
            If the weights are not so many, or one is negative, or they have another sum.
        NotFittedError, DataError
            If a member with weight is not fitted, is no method for binary matrices, or was fitted to a matrix of
            another shape or with other names than V.
        """
        made, shares = cls(), np.asarray(weights, float)
        if shares.shape != (len(members),) or not ((shares >= 0).all() and abs(shares.sum() - 1) < ROUNDING):
            raise not_allowed("weights", weights, f"{len(members)} numbers of at least 0 with the sum 1")
        used, weights_used = _with_weight(members, shares)
        _refuse_other_members(used, np.shape(V))
        for member, axis in itertools.product(used.values(), (0, 1)):
            member.refuse_other_names(V, axis)
        made._take(used, weights_used)
        mixed = made._mixed([member.expectation_ for member in made.members_.values()])
        codes = BERNOULLI.values_of(V)
        made._expectation = without_directions(mixed) if is_symmetric(codes, codes != MISSING) else mixed
        made.n_iter_, made.converged_, made.objective_, made.objective_of_one_ = 1, None, None, None
        made.row_names_, made.column_names_ = names_of(V)
        return made

    @property
    def memory_budget_gb(self):
        """The largest of the members': only as many are fitted at a time as it allows."""
        members = make_members(self.members or MEMBERS, self.n_components, self.max_iter)
        return max(member.memory_budget_gb for member in members.values())

    @property
    def n_iterations(self) -> int:
        """One: `max_iter` is that of the members."""
        return 1

    @property
    def visits_per_entry(self):
        """The visits of the fits of all members to all folds and to the whole matrix."""
        return len(self.members or MEMBERS) * (1 + round(1 / HELD_OUT)) * self.max_iter

    def _start(self, codes, seed):
        return StackingState(self, codes, seed)

    def _learn(self, state):
        self._take(*_with_weight(state.members, state.weights))
        self._keep_expectation(state)

    def _take(self, members: dict[str, Factorization], weights: np.ndarray) -> None:
        """Take over members, all of which have weight, and what their factors are together."""
        self._members, self.weights_ = members, weights
        self.W_, self.H_, _ = self.factors_
        self.active_components_ = self.count_active(self.factors_)

    def count_active(self, factors):
        """Return how many components are active in the members together."""
        return sum(member.active_components_ for member in self._members.values())

    @property
    def members_(self) -> dict[str, Factorization]:
        """The fitted methods that have weight, by name."""
        self._require_fit()
        return self._members

    @property
    def findings(self):
        """The weight of each member."""
        self._require_fit()
        return {f"weight of {name}": float(w) for name, w in zip(self._members, self.weights_, strict=True)}

    # --- Predictions -----------------------------------------------------------------------------

    def transform(self, V):
        """Return W of new rows, those of the members after each other; members with groups of rows take those of V."""
        W = self._fold_in(
            lambda values: np.hstack([m.transform(rows) for m, rows in self._rows_for(values, V)]), V, axis=1
        )
        return self._as_output(W, V)

    def factors_of_rows(self, V):
        """Return the factors with new rows, those of the members joined; see `transform`."""
        return self._fold_in(
            lambda values: join_factors([m.factors_of_rows(rows) for m, rows in self._rows_for(values, V)]), V, axis=1
        )

    def _rows_for(self, values, V):
        """Yield each member and new rows: their values, or V for a member that asks it for the groups of rows."""
        for member in self._members.values():
            yield member, values if member.row_groups_ is None else V

    @property
    def factors_(self):
        """The factors of the members after each other; names of `others` begin with the number of a member."""
        return join_factors([member.factors_ for member in self._members.values()])

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return Σ_m w_m E[V | factors of m] of some rows and columns."""
        pairs = zip(self._members.values(), self._split(factors), strict=True)
        return self._mixed([member.mean(own, rows, columns) for member, own in pairs])

    def _mixed(self, expectations: Sequence[np.ndarray]) -> np.ndarray:
        return sum(w * each for w, each in zip(self.weights_, expectations, strict=True))

    def _split(self, factors: Factors) -> list[Factors]:
        """Return the factors of each member, which `join_factors` has put together."""
        ends = np.cumsum([member.n_components_ for member in self._members.values()])
        parts = zip(np.split(factors.W, ends[:-1], axis=1), np.split(factors.H, ends[:-1], axis=0), strict=True)
        return [Factors(W, H, member_factors(m, factors.others)) for m, (W, H) in enumerate(parts)]

    def _fold_in_columns(self, values):
        return np.vstack([member._factors_of_columns(values).H for member in self._members.values()])

    def _factors_of_rows(self, values):
        return join_factors([member._factors_of_rows(values) for member in self._members.values()])

    def _means_of_rows(self, V, groups=None):
        """Return the mixture of what the members expect, of which some may have groups of rows."""
        pairs = [(member, groups if member.row_groups_ is not None else None) for member in self._members.values()]
        if groups is not None and all(own is None for _, own in pairs):
            return super()._means_of_rows(V, groups)
        means = [member._means_of_rows(V, own) for member, own in pairs]
        return lambda values, places: self._mixed([each(values, places) for each in means])

    def _means_of_columns(self, values):
        return self._mixed([member._means_of_columns(values) for member in self._members.values()])

    def _factors_of_columns(self, values):
        return join_factors([member._factors_of_columns(values) for member in self._members.values()])

    def _refuse_impossible_rows(self, W):
        for member, own in zip(self._members.values(), self._split(self.factors_._replace(W=W)), strict=True):
            member._refuse_impossible_rows(own.W)

    def _factors_with(self, W):
        pairs = zip(self._members.values(), self._split(self.factors_._replace(W=W)), strict=True)
        return join_factors([member._factors_with(own.W) for member, own in pairs])

    # --- Files -----------------------------------------------------------------------------------

    def _parts(self):
        return self._members

    def restore_parts(self, parts):
        """Take over the members of a file.

        Raises
        ------
        DataError
            If they are no methods for matrices of this shape, or the weights are not theirs.
        """
        weights = self.weights_
        if len(weights) != len(parts):
            raise DataError(f"weights_ has to be {len(parts)} numbers, of as many members")
        if not ((weights > 0).all() and abs(weights.sum() - 1) < ROUNDING):
            raise DataError("weights_ has to be numbers above 0 with the sum 1")
        shape = self.W_.shape[0], self.H_.shape[1]
        _refuse_other_members(parts, shape)
        self._members = dict(parts)
        if self.factors_.W.shape != self.W_.shape:
            raise DataError("W_ has to be that of the members after each other")
