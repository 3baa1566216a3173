"""Matrices that share sets of things: what a person says about them, checked and laid out."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.named import names_of
from nbmf.errors import ConfigError, DataError, not_allowed
from nbmf.families.logistic.factors import EFFECT_SCALE, Effects
from nbmf.families.logistic.gamma import Gamma
from nbmf.families.logistic.learned_prior import Coordinates
from nbmf.families.logistic.logistic_variational import VariationalFactors
from nbmf.families.logistic.quadratic import NormalEntries, PolyaGamma
from nbmf.families.logistic.quadratic_counts import NegativeBinomial
from nbmf.families.logistic.value_sizes import warn_of_size
from nbmf.inference.parameters import check
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.likelihoods.gaussian import GAUSSIAN
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.likelihoods.negative_binomial import NEGATIVE_BINOMIAL
from nbmf.numerics import sigmoid

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
    "real": Kind(GAUSSIAN, lambda values, prior: NormalEntries(values, prior), lambda quadratic, psi, variance: psi),
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
        "real" (normal, with a noise precision per matrix; for values around 0 of a size of about 1).
    effects : str
        "none", "rows", "columns" or "both": rows or columns of this matrix that have an effect of their own.
    """

    rows: str
    columns: str
    V: Any
    kind: str = "binary"
    effects: str = "none"


class Layout:
    """Which coordinates of a set are what: K components, 1, and its effects in single matrices.

    The 1 is there if a row or column of another set has an effect in a matrix with this one.
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
        precision = np.r_[np.ones(K), np.full(R - K, 1.0 / EFFECT_SCALE**2)]
        free = np.ones(R, bool)
        free[K : K + (side in self._ones)] = False
        return Coordinates(precision, free, np.arange(K if ard else 0), prior)

    def effects(self, name: str) -> tuple[int | None, int | None]:
        """Return the coordinates of a matrix's row and column effects, None without."""
        one = self._relations[name]
        return tuple(self._place(side, (name, axis)) for axis, side in enumerate((one.rows, one.columns)))

    def _place(self, side, effect):
        effects = self._own[side]
        first = self._K + (side in self._ones)
        return first + effects.index(effect) if effect in effects else None

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


def checked_values(name: str, one: Relation) -> np.ndarray:
    """Return the values of a matrix in its likelihood's coding."""
    if one.kind not in KINDS:
        raise ConfigError(f"matrix {name!r}: ", not_allowed("kind", one.kind, KINDS))
    check("effects", one.effects, VariationalFactors.rules)
    if one.rows == one.columns:
        raise ConfigError(f"matrix {name!r} is between {one.rows!r} and itself; allowed: two different sets")
    values = KINDS[one.kind].likelihood.values_of(one.V)
    if one.kind == "real":
        warn_of_size(f"matrix {name!r}", values, one.effects)
    return values


def sizes_of(relations, values) -> dict[str, int]:
    """Return how many things there are in each set; matrices have to agree."""
    known: dict[str, tuple] = {}  # of each set: size, names, and the matrix that says so
    for name, one in relations.items():
        own_names = names_of(one.V)
        for axis, side in enumerate((one.rows, one.columns)):
            size = values[name].shape[axis]
            n, names, where = known.setdefault(side, (size, own_names[axis], name))
            if n != size:
                raise DataError(f"set {side!r}: {n} things in {where!r}, {size} in {name!r}")
            if names is None:
                known[side] = size, own_names[axis], name
            elif own_names[axis] is not None and (names != own_names[axis]).any():
                i = int(np.flatnonzero(names != own_names[axis])[0])
                raise DataError(
                    f"set {side!r}: number {i} (counted from 0) is {str(names[i])!r} in {where!r} "
                    f"and {str(own_names[axis][i])!r} in {name!r}"
                )
    return {side: n for side, (n, _, _) in known.items()}
