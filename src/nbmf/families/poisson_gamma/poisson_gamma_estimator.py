"""What the estimators of this family have in common: links, priors, predictions, new rows and columns."""

from typing import ClassVar

import numpy as np

from nbmf.data.sparse_counts import SparseCounts
from nbmf.errors import DataError, warn
from nbmf.families.poisson_gamma import poisson_gamma_fold_in as fold_in
from nbmf.families.poisson_gamma.gamma_priors import ALL, FIXED, LARGEST, RULES, SOURCE, GammaPrior, Ties, check_ties
from nbmf.families.poisson_gamma.kernels.sources import FLOOR
from nbmf.families.poisson_gamma.lookup_tables import chance, identity, rates_at, shares_of
from nbmf.families.poisson_gamma.observations import Observations
from nbmf.families.poisson_gamma.scales import BOTH, NEITHER, SIDES, Scales, check_scales
from nbmf.families.poisson_gamma.scales import RULES as OF_SCALES
from nbmf.inference.constructors import with_parameters
from nbmf.inference.declarations import Alignment
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import one_of

START_SHAPE = 1.0  # of the gamma distributions that starts are drawn from, around the priors' means


@with_parameters
class Rates(Factorization):
    """Base class: V has independent entries whose Poisson rates are W H.

    Attributes
    ----------
    geometric_W_, geometric_H_ : float arrays (F, K), (K, N)
        exp E[log w] and exp E[log h]: what the fold-in of new rows and columns needs besides W_ and H_. Those
        of a point estimate are the same as W_ and H_.
    """

    alignment = Alignment.PERMUTATION
    are_rates = True
    meanings = ("rate", "rate")
    rules = RULES | OF_SCALES | {"precision": one_of("double", "single"), "mode": one_of("logarithms", "factors")}
    shapes: ClassVar = Factorization.shapes | {"geometric_W_": "FK", "geometric_H_": "KN"}
    takes_sparse = True

    is_binary: ClassVar[bool] = False  # whether only v = 1[count > 0] is observed

    n_components: int = 8

    @property
    def _link(self):
        return chance if self.is_binary else identity

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        """Return E[V | factors] of some rows and columns: W H, of binary data 1 - exp(-W H)."""
        return self._link(factors.W[rows] @ factors.H[:, columns])

    def mean_at(self, factors, rows, columns):
        """Return E[v] of single entries, float array (n,)."""
        return self._link(rates_at(factors.W, factors.H, rows, columns))

    def predictive_of(self, factors, rows, columns):
        """Return what the likelihood scores at some entries, given factors."""
        return self.mean_at(factors, rows, columns)

    def shares_of(self, factors):
        """Return the share of Σ W H that each component has, float array (K,)."""
        return shares_of(factors.W, factors.H)

    def _starting_tables(self, data: Observations, means, seed) -> tuple[np.ndarray, np.ndarray]:
        """Draw W (F, K) and H (N, K) around the two means."""
        rng = np.random.default_rng(seed)
        return tuple(
            np.maximum(rng.gamma(START_SHAPE, mean / START_SHAPE, (size, self.n_components)), FLOOR)
            for size, mean in zip(data.shape, means, strict=True)
        )

    def _keep_expectation(self, state):
        """Keep E[V] of a matrix that was given as dense."""
        self._expectation = state.expectation() if state.is_dense else None

    # --- New rows and columns --------------------------------------------------------------------

    def _fold_in_prior(self, factor: str) -> fold_in.FoldInPrior:
        """Return the prior of a new row or column of "W" or "H"."""
        raise NotImplementedError

    def _fold_in_rows(self, values):
        others = self.H_.T, self.geometric_H_.T
        return fold_in.fold_in(values, *others, self._fold_in_prior("W"), self.is_binary)

    def _fold_in_columns(self, values):
        others = self.W_, self.geometric_W_
        return fold_in.fold_in(values.T, *others, self._fold_in_prior("H"), self.is_binary).T


@with_parameters
class WithPriors(Rates):
    """Base class of those with gamma priors of W and H.

    Attributes
    ----------
    shape_W_, mean_W_, shape_H_, mean_H_ : float arrays (K,)
        The priors of a row or column that is not in the matrix: those numbers that are fixed as they were
        given, learned ones as they ended (of a sampler exp of the mean of their logarithms over
        the kept sweeps); averages where each row or column has numbers of its own.
    """

    shapes: ClassVar = Rates.shapes | {f"{part}_{factor}_": "K" for part in ("shape", "mean") for factor in "WH"}

    shape_W: float = 1.0
    mean_W: float = 1.0
    shape_H: float = 1.0
    mean_H: float | None = None

    @property
    def _scaled(self) -> str:
        """The factors whose rows, or columns, have scales: "", "W", "H" or "WH"."""
        return ""

    def _ties(self, factor: str) -> Ties:
        return Ties(getattr(self, f"tie_shape_{factor}"), getattr(self, f"tie_mean_{factor}"))

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        for factor in "WH":
            check_ties(factor, *self._ties(factor))

    def _means(self, data: Observations) -> tuple[float, float]:
        """Return the means of the priors of W and H; where that of H is None, as V has it."""
        fitting = data.mean_rate / (self.n_components * self.mean_W)
        return self.mean_W, fitting if self.mean_H is None else self.mean_H

    def _priors(self, data: Observations) -> tuple[GammaPrior, GammaPrior]:
        K = self.n_components
        return tuple(
            GammaPrior(
                getattr(self, f"shape_{factor}"),
                mean,
                self._ties(factor),
                (size, K),
                Scales(size, self.shape_scales) if factor in self._scaled else None,
            )
            for factor, mean, size in zip("WH", self._means(data), data.shape, strict=True)
        )

    def _take_priors(self, priors: dict[str, np.ndarray]) -> None:
        """Take over shapes and means by names such as "shape W"."""
        for name, numbers in priors.items():
            setattr(self, f"{name.replace(' ', '_')}_", numbers)
        if any(getattr(self, f"shape_{factor}_").max() >= LARGEST for factor in "WH"):
            warn(
                f"{type(self).__name__}: a learned shape has reached {LARGEST:g}, so that its "
                "prior is a point; fix it, or its mean",
                UserWarning,
            )

    def _fold_in_prior(self, factor):
        shape = getattr(self, f"shape_{factor}_")
        return fold_in.FoldInPrior(shape, shape / getattr(self, f"mean_{factor}_"), True)

    @property
    def findings(self):
        """The learned numbers of the priors: of several their mean."""
        return self.findings_of(slice(None))

    def findings_of(self, components):
        """Return the learned numbers of the priors, of several their mean, of those of components that of some."""
        learned = {}
        for factor in "WH":
            for part, tie in zip(("shape", "mean"), self._ties(factor), strict=True):
                if tie != FIXED:
                    name = f"{part}_{factor}"
                    numbers = getattr(self, f"{name}_")
                    learned[name] = float((numbers[components] if tie == SOURCE else numbers).mean())
        return learned


@with_parameters
class LearnedPriors(WithPriors):
    """Base class of those that may learn numbers of the priors, and scales of rows and columns.

    Attributes
    ----------
    scales_W_, scales_H_ : float arrays (F,), (N,)
        Of those that have scales: how large a row's or column's numbers are, in means of their priors; exp of the
        mean of its logarithm under the posterior.
    shape_of_scales_W_, shape_of_scales_H_ : float arrays (1,)
        c, as it was given or learned.
    """

    tie_shape_W: str = ALL
    tie_mean_W: str = FIXED
    tie_shape_H: str = ALL
    tie_mean_H: str = SOURCE
    scales: str = NEITHER
    shape_scales: float | None = None

    @property
    def variant(self):
        """Whether there are scales, and of what if not of both rows and columns."""
        return {NEITHER: "", BOTH: "scales"}.get(self.scales, f"scales of {self.scales}")

    @property
    def _scaled(self):
        return SIDES[self.scales]

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        check_scales(self.scales, {factor: self._ties(factor).mean for factor in "WH"})

    def _starting_tables(self, data, means, seed):
        """Draw W and H as without scales; those that have them times the popularity of the row or column."""
        tables = super()._starting_tables(data, means, seed)
        if not self._scaled:
            return tables
        sides = zip("WH", tables, data.popularities(), strict=True)
        return tuple(
            np.maximum(table * popularity, FLOOR) if factor in self._scaled else table
            for factor, table, popularity in sides
        )

    def _take_scales(self, scales: dict[str, np.ndarray]) -> None:
        """Take over scales by the names of factors; those of an earlier fit are forgotten."""
        for factor in set("WH") - set(scales):
            for name in _names_of_scales(factor):
                vars(self).pop(name, None)
        for factor, numbers in scales.items():
            setattr(self, f"scales_{factor}_", numbers)

    def restore(self, learned):
        """Take over what a file says was learned; see Factorization.restore."""
        super().restore(learned)
        for factor, length in (("W", self.W_.shape[0]), ("H", self.H_.shape[1])):
            for name, size in zip(_names_of_scales(factor), (length, 1), strict=True):
                numbers, is_needed = vars(self).get(name), factor in self._scaled
                is_right = isinstance(numbers, np.ndarray) and numbers.dtype == float and numbers.shape == (size,)
                if is_needed and not (is_right and np.isfinite(numbers).all() and (numbers > 0).all()):
                    raise DataError(f"{name} has to be finite, above 0 and of shape ({size},)")

    def _fold_in_prior(self, factor):
        prior = super()._fold_in_prior(factor)
        if factor not in self._scaled:
            return prior
        return prior._replace(shape_of_scale=float(getattr(self, f"shape_of_scales_{factor}_")[0]))

    def findings_of(self, components):
        """Return the learned numbers of the priors, as without scales; those of scales too."""
        learned = super().findings_of(components)
        if not self._scaled or self.shape_scales is not None:
            return learned
        names = [f"shape_of_scales_{factor}" for factor in self._scaled]
        return learned | {name: float(getattr(self, f"{name}_")[0]) for name in names}


def _names_of_scales(factor: str) -> tuple[str, str]:
    return f"scales_{factor}_", f"shape_of_scales_{factor}_"


def is_dense(values) -> bool:
    """Whether a matrix was given with all its entries."""
    return not isinstance(values, SparseCounts)
