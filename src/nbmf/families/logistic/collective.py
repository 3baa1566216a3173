"""Collective matrix factorization: matrices that share sets of rows or columns (section 4.4)."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from nbmf.errors import ConfigError, NotFittedError, Setting, choices
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.logistic_estimator import PRIOR
from nbmf.families.logistic.logistic_variational import POSTERIORS, START_H, START_W, VariationalFactors
from nbmf.families.logistic.matrices import Ascent, Matrix
from nbmf.families.logistic.relations import KINDS, Layout, Relation, checked_values, sizes_of
from nbmf.inference import loop
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.parameters import Parametrized
from nbmf.inference.stopping import BoundGainBelow, warn_of_no_convergence
from nbmf.numerics.blas import one_blas_thread


@with_parameters
class CollectiveFactorVB(Parametrized):
    """Factors of several matrices that share sets of rows or columns, by variational Bayes.

    Every set of things s has one matrix of factors U_s, whatever matrices it is in: a matrix
    between s and t has ψ = U_s U_t' and its effects. The updates are those of one matrix; what
    matrices say about a thing adds up. What is known about a roll call's subject so informs about votes in it
    that nobody has recorded yet (docs/logistic.md).

    Parameters
    ----------
    n_components : int
        K, of all sets.
    ard : bool
        Whether precisions are learned, one for each set and component, Gamma(a0, b0), as the paper
        has it: a component that only some matrices need is then pruned from sets of the others.
        Else they are 1; why that is the default, LogisticFactorVB says.
    a0, b0, covariance, max_iter, bound_gain_tol, step, random_state
        As of LogisticFactorVB.

    Attributes
    ----------
    factors_ : dict
        From each set to the means of its factors, float array (things, K).
    precisions_ : dict
        From each set to float array (K,).
    effects_ : dict
        From each matrix to its row and column effects, float arrays; zeros where it has none.
    expectations_ : dict
        From each matrix to E[V], float array (F, N), missing entries too.
    bound_ : float
        The evidence lower bound in nats.
    n_iter_, converged_
        As of any estimator.
    """

    rules = VariationalFactors.rules
    old_names: ClassVar = VariationalFactors.old_names

    n_components: int = 8
    ard: bool = False
    a0: float = PRIOR
    b0: float = PRIOR
    covariance: str = "factorized"
    max_iter: int = 1000
    bound_gain_tol: float = 1e-5
    step: float | None = None
    random_state: RandomState = None

    def fit(self, relations: Mapping[str, Relation]) -> "CollectiveFactorVB":
        """Factorize all matrices at once.

        Parameters
        ----------
        relations : mapping
            From a name of each matrix to its Relation.

        Raises
        ------
        ConfigError
            If a parameter, a kind or an effect is none that is allowed, there is no dict of relations, or a matrix
            is between a set and itself, whose likelihood would be no quadratic form.
        DataError
            If a value is not allowed, or a set differs in size or names between matrices.

        Warns
        -----
        NotConvergedWarning
            If `max_iter` was reached before the bound stood still, with a tolerance above zero.
        """
        self.check_parameters()
        if not isinstance(relations, Mapping) or not all(isinstance(one, list | tuple) for one in relations.values()):
            raise ConfigError(Setting("relations"), ": must be a dict from a name of each matrix to its Relation")
        if not relations:
            raise ConfigError(Setting("relations"), ": must be one matrix or more")
        relations = {name: Relation(*one) for name, one in relations.items()}
        values = {name: checked_values(name, one) for name, one in relations.items()}
        sizes = sizes_of(relations, values)
        with one_blas_thread():
            ascent = self._start(relations, values, sizes)
            n_observed = sum(np.count_nonzero(one.quadratic.seen) for one in ascent.matrices)
            rule = BoundGainBelow(ascent.bound, self.bound_gain_tol, n_observed)
            outcome = loop.run(_Running(ascent), self.max_iter, rule=rule)
            self._learn(relations, ascent)
        self.n_iter_, self.converged_ = outcome
        if self.converged_ is False:
            warn_of_no_convergence(type(self).__name__, rule, self.max_iter)
        return self

    def _start(self, relations, values, sizes) -> Ascent:
        """Return q to begin with: of the sets that are rows first, and of the others."""
        rng, K = np.random.default_rng(self.random_state), self.n_components
        layout = Layout(relations, K)
        first_as_rows = {one.rows for one in relations.values()}
        sides = {}
        for name, n in sizes.items():
            size, scale = START_W if name in first_as_rows else START_H
            mean = np.zeros((n, layout.width(name)))
            mean[:, :K] = size * rng.standard_normal((n, K))
            coordinates = layout.coordinates(name, self.ard, Gamma(self.a0, self.b0))
            mean[:, ~coordinates.free] = 1.0
            sides[name] = POSTERIORS[self.covariance](mean, coordinates, scale)
        prior = Gamma(self.a0, self.b0)
        matrices = [
            Matrix(
                KINDS[one.kind].quadratic(values[name], prior), sides[one.rows], sides[one.columns], *layout.pairs(name)
            )
            for name, one in relations.items()
        ]
        self._layout, self._sides = layout, sides
        return Ascent(matrices, self.step or 0.0)

    def _learn(self, relations, ascent):
        K, sides = self.n_components, self._sides
        self.bound_ = ascent.bound()
        self.factors_ = {name: side.mean[:, :K].copy() for name, side in sides.items()}
        self.precisions_ = {name: side.precision[:K].copy() for name, side in sides.items()}
        self.effects_, self.expectations_ = {}, {}
        for matrix, (name, one) in zip(ascent.matrices, relations.items(), strict=True):
            self.effects_[name] = tuple(
                side.mean[:, coordinate].copy() if coordinate is not None else np.zeros(len(side.mean))
                for side, coordinate in zip((matrix.rows, matrix.columns), self._layout.effects(name), strict=True)
            )
            psi, square = matrix.moments()
            self.expectations_[name] = KINDS[one.kind].mean(matrix.quadratic, psi, square - psi**2)
        del self._layout, self._sides

    def expectation_of(self, name: str) -> np.ndarray:
        """Return E[V] of a matrix by its name.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ConfigError
            If there is no such matrix.
        """
        if "expectations_" not in vars(self):
            raise NotFittedError("this CollectiveFactorVB is not fitted yet: call fit first")
        if name not in self.expectations_:
            raise ConfigError(f"no matrix {name!r}; {choices(name, list(self.expectations_))}")
        return self.expectations_[name]


class _Running:
    """What the loop advances."""

    resumable = False

    def __init__(self, ascent: Ascent):
        self.advance = ascent.update
