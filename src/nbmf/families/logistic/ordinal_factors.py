"""What the factor models of ordered categories share: cut points, the probability of every category, new rows."""

from typing import ClassVar

import numpy as np

from nbmf.data.category_matrix import category_names_of, count_categories
from nbmf.errors import DataError, Message, Setting, not_allowed
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.logistic_estimator import EFFECT_SCALE, FactorModel, settled_weights
from nbmf.families.logistic.new_columns import regress_columns
from nbmf.families.logistic.ordered_bound import CategoriesGivenCuts, CategoriesWithLearnedCuts
from nbmf.families.logistic.ordered_cells import exceedances, probabilities
from nbmf.inference.parameters import Rule, is_integer, one_of
from nbmf.inference.state import Factors
from nbmf.likelihoods.ordered import ORDERED

MOST = ORDERED.most_categories
N_CATEGORIES = Rule(
    lambda value: value is None or (is_integer(value) and 2 <= value <= MOST),
    f"None (those that the matrix names, or up to the largest that occurs) or an integer from 2 to {MOST}",
)


class OrdinalFactors(FactorModel):
    """Base class: P(v > c) = σ(ψ - θ_c), with cut points θ of each column or of all.

    A class has the parameters cut_points, n_categories and effect_scale, and what it fits ends in a state with
    `probabilities`.

    Attributes
    ----------
    cut_points_ : float array (N, C - 1), or (1, C - 1) if they are shared
        Posterior means; those of columns are cut points of an average row: columns of W_ have mean 0. With effects the
        mean of all is 0, and effects say where a row or column is.
    probabilities_ : float array (F, N, C)
        The probability of every category, for missing entries too.
    categories_ : str array (C,) or None
        What the matrix called the categories, if it had names for them: new rows and columns must call them the same.
    """

    likelihoods = (ORDERED,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    rules = FactorModel.rules | {
        "effect_scale": EFFECT_SCALE,
        "cut_points": one_of("columns", "shared"),
        "n_categories": N_CATEGORIES,
    }
    shapes: ClassVar = FactorModel.shapes | {"cut_points_": "SJ", "probabilities_": "FNC"}
    cut_points: str = "columns"
    n_categories: int | None = None

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        super().check_parameters()
        if self.cut_points == "columns" and self.effects_in_use.columns:
            others = "'none' or 'rows' with ", Setting("cut_points", "columns"), ", which say where each column is, or "
            raise not_allowed("effects", self.effects, Message(*others, Setting("cut_points", "shared")))

    @property
    def _effects_of_course(self):
        return "columns" if self.cut_points == "shared" else "none"  # which say where a column is

    @property
    def variant(self):
        """Whose cut points there are, if all have the same ones, and which effects."""
        return ", ".join(filter(None, ("shared cut points" * (self.cut_points == "shared"), super().variant)))

    def for_matrix(self, V):
        """Return the estimator with the number of categories of V: the highest one may be held out in a part of it."""
        settled = super().for_matrix(V)
        if settled.n_categories is not None:
            return settled
        n_categories = count_categories(V)
        return type(settled)(**settled.get_params() | {"n_categories": n_categories})

    def _run(self, V, monitor):
        self._categories_of_matrix = count_categories(V)  # the values that are fitted may lack the highest ones
        try:
            rule = super()._run(V, monitor)
        finally:
            del self._categories_of_matrix
        self.categories_ = category_names_of(V)
        return rule

    def _n_categories_of(self, ranks: np.ndarray) -> int:
        """Return C; DataError if there is a category beyond it."""
        named = getattr(self, "_categories_of_matrix", None)
        C = self.n_categories or named or max(int(ranks.max()) + 1, 2)
        _refuse_beyond(ranks, C, Setting("n_categories", self.n_categories))
        return C

    def _learn(self, state):
        self.cut_points_ = state.estimate().others[form.CUTS]
        self.probabilities_ = state.probabilities()
        super()._learn(state)

    def _others(self, row_effects, column_effects):
        return super()._others(row_effects, column_effects) | {form.CUTS: self.cut_points_}

    # --- What is predicted -----------------------------------------------------------------------

    def _mean_of(self, psi, factors, columns):
        return exceedances(psi, factors.others[form.CUTS], columns).sum(axis=-1)

    def predictive(self, rows, columns):
        """Return the probability of every category at some entries, float array (..., C)."""
        return self.probabilities_[tuple(self.checked_places(rows, columns))]

    def predictive_of(self, factors, rows, columns):
        """Return the probability of every category given factors, such as those of new rows."""
        psi = form.psi_of(factors)[rows, columns]
        return probabilities(exceedances(psi, factors.others[form.CUTS], columns))

    # --- New rows and columns --------------------------------------------------------------------

    def _weights(self, values, psi, square):
        """Return h and w of the cells of new rows, or of new columns where all have the same cut points."""
        return settled_weights(CategoriesGivenCuts(values, self.cut_points_), psi, square)

    def _factors_of_rows(self, values):
        self._refuse_unknown(values)
        return super()._factors_of_rows(values)

    def _factors_of_columns(self, values):
        """Return the factors of new columns, each with cut points of its own if columns have them."""
        self._refuse_unknown(values)
        if self.cut_points == "shared":
            return super()._factors_of_columns(values)
        likelihood = CategoriesWithLearnedCuts(values, self.cut_points_.shape[1] + 1)
        means, effects = regress_columns(self, likelihood)
        others = self._others(self.row_effects_, effects) | {form.CUTS: likelihood.cuts}
        return Factors(self.W_, np.ascontiguousarray(means.T), others)

    def refuse_other_names(self, V, axis, what="V"):
        """Raise DataError if rows, columns or categories have other names than in the fit."""
        super().refuse_other_names(V, axis, what)
        self.refuse_other_categories(V, what)

    def refuse_other_categories(self, V, what="V"):
        """Raise DataError if categories have other names than in the fit.

        Higher categories that do not occur may be left out: the others have the same places.
        """
        given, known = category_names_of(V), self.categories_
        if given is None or known is None:
            return
        if len(given) > len(known) or (given != known[: len(given)]).any():
            raise DataError(
                f"the categories of {what} are {', '.join(map(repr, given.tolist()))}, in this order; those of the fit "
                f"are {', '.join(map(repr, known.tolist()))}"
            )

    def restore(self, learned):
        """Take over what a file says was learned; older files have no names of categories.

        Raises
        ------
        DataError
            As all models do, or if these are no names of categories.
        """
        names = learned.setdefault("categories_", None)
        super().restore(learned)
        C = self.probabilities_.shape[-1]
        is_text = isinstance(names, np.ndarray) and names.dtype.kind == "U" and names.ndim == 1
        if names is not None and not (is_text and len(names) <= C):
            raise DataError(f"categories_ has to be at most {C} texts")

    def _refuse_unknown(self, values):
        hint = "; with a larger ", Setting("n_categories"), " it knows higher ones"
        _refuse_beyond(values, self.cut_points_.shape[1] + 1, "the fit", *hint)


def _refuse_beyond(ranks, n_categories, where, *hint):
    """Raise DataError if there are more categories than `where` says."""
    if ranks.max() >= n_categories:
        f, n = np.argwhere(ranks >= n_categories)[0]
        value = f"row {f}, column {n} (counted from 0): the category is {ranks[f, n]}; allowed with "
        raise DataError(value, where, f": 0 to {n_categories - 1} and missing", *hint)
