"""Collective matrix factorization: matrices that share sets of rows or columns (section 4.4)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from nbmf.data.named import NamedMatrix, names_of
from nbmf.errors import ConfigError, DataError, NotFittedError, choices
from nbmf.families.logistic import sigmoid
from nbmf.families.logistic.estimator import PRIOR
from nbmf.families.logistic.factors import EFFECT_PRECISION, Effects
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.matrices import Ascent, Matrix
from nbmf.families.logistic.quadratic import NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial
from nbmf.families.logistic.sides import Coordinates
from nbmf.families.logistic.variational import (
    SIDES,
    START_H,
    START_W,
    GainsLittle,
    VariationalFactors,
)
from nbmf.inference import loop
from nbmf.inference.parameters import Parametrized, check
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.gaussian import GAUSSIAN
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL

SIZE_PRIOR = Gamma(1.0, 1.0)


class Kind(NamedTuple):
    """What entries may be.

    likelihood : Likelihood, which checks values
    quadratic : function of values and the prior of the noise, returns a Quadratic
    mean : function of a Quadratic and of mean and variance of ψ, returns E[V]
    """

    likelihood: Likelihood
    quadratic: Any
    mean: Any


KINDS = {
    "binary": Kind(
        BERNOULLI,
        lambda values, prior: PolyaGamma(values),
        lambda quadratic, psi, variance: sigmoid.probability(psi, variance),
    ),
    "counts": Kind(
        NEGATIVE_BINOMIAL,
        lambda values, prior: NegativeBinomial(values, SIZE_PRIOR),
        lambda quadratic, psi, variance: quadratic.size * np.exp(psi + 0.5 * variance),
    ),
    "real": Kind(
        GAUSSIAN,
        lambda values, prior: NormalEntries(values, prior),
        lambda quadratic, psi, variance: psi,
    ),
}


class Relation(NamedTuple):
    """A matrix between two sets of things.

    rows, columns : str
        The sets that its rows and its columns are, by names that matrices share.
    V : NamedMatrix, array or DataFrame
        Its values, with missing ones. Things of a set come in the same order in all matrices; where
        two of these name them, the names have to be the same.
    kind : str
        "binary" (Bernoulli, Pólya-Gamma), "counts" (negative binomial with a size per column) or
        "real" (normal, with a noise precision per matrix).
    effects : str
        "none", "rows", "columns" or "both": lines of this matrix that have an effect of their own.
    """

    rows: str
    columns: str
    V: Any
    kind: str = "binary"
    effects: str = "none"


class CollectiveFactorVB(Parametrized):
    """Factors of several matrices that share sets of rows or columns, by variational Bayes.

    Every set of things s has one matrix of factors U_s, whatever matrices it is in: a matrix
    between s and t has ψ = U_s U_t' and its effects. The updates are those of one matrix; what
    matrices say of a thing adds up. What is known of a roll call's subject so tells of votes in it
    that nobody has recorded yet (docs/collective.md).

    Parameters
    ----------
    n_components : int
        K, of all sets.
    ard : bool
        Whether precisions are learned, one for each set and component, Gamma(a0, b0), as the paper
        has it: a component that only some matrices need is then pruned from sets of the others.
        Else they are 1; why that is the default, LogisticFactorVB says.
    a0, b0, covariance, max_iter, tol, step, random_state
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

    def __init__(
        self,
        n_components=8,
        *,
        ard=False,
        a0=PRIOR,
        b0=PRIOR,
        covariance="factorized",
        max_iter=1000,
        tol=1e-5,
        step=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.ard = ard
        self.a0 = a0
        self.b0 = b0
        self.covariance = covariance
        self.max_iter = max_iter
        self.tol = tol
        self.step = step
        self.random_state = random_state

    def fit(self, relations: Mapping[str, Relation]) -> "CollectiveFactorVB":
        """Factorize all matrices at once.

        Parameters
        ----------
        relations : mapping
            From a name of each matrix to its Relation.

        Raises
        ------
        ConfigError
            If a parameter, a kind or an effect is none that is allowed, or a matrix is between a
            set and itself, whose likelihood would be no quadratic form.
        DataError
            If a value is not allowed, or a set differs in size or names between matrices.
        """
        self.check_parameters()
        if not relations:
            raise ConfigError("relations: allowed is one matrix or more")
        relations = {name: Relation(*one) for name, one in relations.items()}
        values = {name: _checked(name, one) for name, one in relations.items()}
        sizes = _sizes_of(relations, values)
        with threadpool_limits(limits=1, user_api="blas"):
            ascent = self._start(relations, values, sizes)
            n_seen = sum(np.count_nonzero(one.quadratic.seen) for one in ascent.matrices)
            rule = GainsLittle(ascent.bound, self.tol, n_seen) if self.tol > 0 else None
            outcome = loop.run(_Running(ascent), self.max_iter, rule=rule)
            self._learn(relations, ascent)
        self.n_iter_, self.converged_ = outcome
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
            sides[name] = SIDES[self.covariance](mean, coordinates, scale)
        prior = Gamma(self.a0, self.b0)
        matrices = [
            Matrix(
                KINDS[one.kind].quadratic(values[name], prior),
                sides[one.rows], sides[one.columns], *layout.pairs(name),
            )
            for name, one in relations.items()
        ]  # fmt: skip
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
                side.mean[:, place].copy() if place is not None else np.zeros(len(side.mean))
                for side, place in zip(
                    (matrix.rows, matrix.columns), self._layout.effects(name), strict=True
                )
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


class Layout:
    """Which coordinates of a set are what: K components, 1, and its effects in single matrices.

    The 1 is there if a line of another set has an effect in a matrix with this one.
    """

    def __init__(self, relations: Mapping[str, Relation], K: int):
        self._relations, self._K = relations, K
        self._ones = set()
        self._own: dict[str, list] = {}  # of each set: the matrices and axes with an effect of it
        for name, one in relations.items():
            used = Effects.named(one.effects)
            for axis, own, other in ((0, one.rows, one.columns), (1, one.columns, one.rows)):
                self._own.setdefault(own, [])
                if used[axis]:
                    self._own[own].append((name, axis))
                    self._ones.add(other)

    def width(self, side: str) -> int:
        """Return the number of coordinates of a set."""
        return self._K + (side in self._ones) + len(self._own[side])

    def coordinates(self, side: str, ard: bool, prior: Gamma) -> Coordinates:
        """Return the prior of the coordinates of a set."""
        K, R = self._K, self.width(side)
        precision = np.r_[np.ones(K), np.full(R - K, EFFECT_PRECISION)]
        free = np.ones(R, bool)
        free[K : K + (side in self._ones)] = False
        return Coordinates(precision, free, np.arange(K if ard else 0), prior)

    def effects(self, name: str) -> tuple[int | None, int | None]:
        """Return the coordinates of a matrix's row and column effects, None without."""
        one = self._relations[name]
        return tuple(
            self._place(side, (name, axis)) for axis, side in enumerate((one.rows, one.columns))
        )

    def _place(self, side, effect):
        own = self._own[side]
        first = self._K + (side in self._ones)
        return first + own.index(effect) if effect in own else None

    def pairs(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return which coordinates of rows and of columns are multiplied in a matrix."""
        pairs = [(k, k) for k in range(self._K)]
        of_rows, of_columns = self.effects(name)
        if of_rows is not None:
            pairs.append((of_rows, self._K))
        if of_columns is not None:
            pairs.append((self._K, of_columns))
        rows, columns = np.array(pairs, int).reshape(-1, 2).T
        return rows, columns


class _Running:
    """What the loop advances."""

    resumable = False

    def __init__(self, ascent: Ascent):
        self.advance = ascent.update


def _checked(name: str, one: Relation) -> np.ndarray:
    """Return the values of a matrix in its likelihood's coding."""
    if one.kind not in KINDS:
        raise ConfigError(f"matrix {name!r}: kind = {one.kind!r}; {choices(one.kind, list(KINDS))}")
    check("effects", one.effects, VariationalFactors.rules)
    if one.rows == one.columns:
        raise ConfigError(
            f"matrix {name!r} is between {one.rows!r} and itself: allowed are two sets"
        )
    return KINDS[one.kind].likelihood.values_of(one.V)


def _sizes_of(relations, values) -> dict[str, int]:
    """Return how many things there are in each set; matrices have to agree."""
    found: dict[str, tuple] = {}  # of each set: size, names, and the matrix that has told
    for name, one in relations.items():
        own_names = names_of(one.V) if isinstance(one.V, NamedMatrix) else (None, None)
        for axis, side in enumerate((one.rows, one.columns)):
            size = values[name].shape[axis]
            n, names, where = found.setdefault(side, (size, own_names[axis], name))
            if n != size:
                raise DataError(f"set {side!r}: {n} things in {where!r}, {size} in {name!r}")
            if names is None:
                found[side] = size, own_names[axis], name
            elif own_names[axis] is not None and (names != own_names[axis]).any():
                i = int(np.flatnonzero(names != own_names[axis])[0])
                raise DataError(
                    f"set {side!r}: number {i} (counted from 0) is {str(names[i])!r} in {where!r} "
                    f"and {str(own_names[axis][i])!r} in {name!r}"
                )
    return {side: n for side, (n, _, _) in found.items()}
