"""Rows in groups, as the estimators have them: whose the groups are, what is learned of them, and new rows."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbmf.data.named import align_with
from nbmf.data.names import has_index
from nbmf.errors import DataError, Setting
from nbmf.families.logistic import factors as form
from nbmf.families.logistic.group_distribution import (
    GroupDistribution,
    RowPrior,
    distribution_of_positions,
    distribution_of_row_effects,
    joined,
)
from nbmf.families.logistic.line_means import LineMeans
from nbmf.families.logistic.logistic_estimator import NoisyFactors
from nbmf.families.logistic.logistic_fold_in import regress_rows_with_variance
from nbmf.families.logistic.row_groups import (
    ROW_GROUPS,
    RowGroups,
    group_indices,
    groups_of_matrix,
    known_labels_of,
    labels_of_fitted,
)
from nbmf.inference.blocks import means_in_blocks
from nbmf.inference.model_file import check_texts
from nbmf.inference.parameters import Parametrized, as_fitted
from nbmf.inference.state import Factors

# What is learned of groups: from the attribute to its name among the factors.
OF_GROUPS = {"group_effect_variance_": form.GROUP_VARIANCE, "share_between_groups_": form.BETWEEN_GROUPS}


class GroupedRows(LineMeans, NoisyFactors):
    """Base class of models whose rows may have groups, to whose means their positions and effects shrink.

    A class has the parameter row_groups.

    Attributes
    ----------
    row_groups_ : str array (F,) or None
        The group of each row, "" of a row without one; None where the model has no groups.
    group_names_ : str array (G,)
        Sorted. As all below it is there with groups only.
    group_means_ : float array (G, K)
        The mean position in each group, in the coordinates of W_, given W_.
    group_effects_ : float array (G,)
        The mean effect of the rows in each group, given row_effects_; with no column effects the intercept is in it.
        Zeros without row effects.
    group_effect_variance_ : float array ()
        Of the mean effects of groups; 0 without row effects.
    share_between_groups_ : float array ()
        The share of the variance of rows' log-odds by their positions that is between groups; 0 if K is 0.
    """

    rules = NoisyFactors.rules | {"row_groups": ROW_GROUPS}
    turning_others = frozenset({form.GROUP_MEANS})
    row_groups: str | Sequence[Any] | None = None
    _group_distribution: GroupDistribution | None = None

    # --- Whose the groups are --------------------------------------------------------------------

    def for_matrix(self, V: Any) -> Parametrized:
        """Return the estimator with the groups of a matrix, or of a Series, as labels: fits to its values know them."""
        settled = super().for_matrix(V)
        if not (self._asks_matrix or has_index(self.row_groups)):
            return settled
        return type(self)(**settled.get_params() | {"row_groups": labels_of_fitted(self.row_groups, V).tolist()})

    def for_part(self, rows, columns):
        """Return the estimator with the groups of these rows."""
        if self.row_groups_ is None:
            return super().for_part(rows, columns)
        return type(self)(**self.get_params() | {"row_groups": self.row_groups_[rows].tolist()})

    @property
    def _asks_matrix(self) -> bool:
        return isinstance(self.row_groups, str)

    def _run(self, V, monitor):
        self.row_groups_ = labels_of_fitted(self.row_groups, V)
        return super()._run(V, monitor)

    @property
    def groups_in_use(self) -> RowGroups | None:
        """The groups of the rows of the fit."""
        return None if self.row_groups_ is None else RowGroups.of(self.row_groups_)

    # --- What is learned -------------------------------------------------------------------------

    def _learn(self, state):
        super()._learn(state)
        learned = state.estimate().others
        for name, among in OF_GROUPS.items():
            vars(self).pop(name, None)
            if self.row_groups_ is not None:
                setattr(self, name, np.asarray(learned.get(among, 0.0), float))
        self._derive_group_distribution()

    def _derive_group_distribution(self) -> None:
        """Derive what new rows are like from the rows of the fit."""
        groups, self._group_distribution = self.groups_in_use, None
        if groups is None:
            return
        self._group_distribution = distribution_of_positions(self.W_, groups)
        if (prior := self._effect_prior(rows=True)) is not None:
            precision, center = prior
            variances = 1.0 / precision, float(self.group_effect_variance_)
            rest = self.row_effects_ - self.W_ @ self._row_effect_slopes
            of_effects = distribution_of_row_effects(rest, groups, center, *variances)
            self._group_distribution = joined(self._group_distribution, of_effects)

    def restore(self, learned):
        """Take over what a file says was learned; older files have no groups.

        Raises
        ------
        DataError
            As all models do, or if there is no group for each row.
        """
        labels = learned.setdefault("row_groups_", None)
        numbers = [learned.get(name) for name in OF_GROUPS]
        super().restore(learned)
        if labels is not None:
            check_texts("row_groups_", labels, len(self.W_))
            for name, number in zip(OF_GROUPS, numbers, strict=True):
                if not (isinstance(number, np.ndarray) and number.shape == () and 0 <= number < np.inf):
                    raise DataError(f"{name} has to be a number of at least 0")
        self._derive_group_distribution()

    def _as_model(self):
        model = super()._as_model()
        if not has_index(model.parameters["row_groups"]):
            return model
        labels = self.row_groups_.tolist()  # a file has no index that says whose they are
        return model._replace(parameters=model.parameters | {"row_groups": labels})

    def _require_groups(self) -> GroupDistribution:
        self._require_fit()
        if self._group_distribution is None:
            raise AttributeError("the model was fitted without groups of rows")
        return self._group_distribution

    @property
    def group_names_(self) -> np.ndarray:
        """The names of the groups, str array (G,)."""
        self._require_groups()
        return self.groups_in_use.names

    @property
    def group_means_(self) -> np.ndarray:
        """The mean position in each group, float array (G, K)."""
        return self._require_groups().means[:, : self.n_components_]

    @property
    def group_effects_(self) -> np.ndarray:
        """The mean effect of the rows in each group, float array (G,)."""
        rest = self._require_groups().means[:, self.n_components_ :]
        return rest[:, 0] + self.group_means_ @ self._row_effect_slopes if rest.shape[1] else np.zeros(len(rest))

    # --- New rows ----------------------------------------------------------------------------------

    def fit_transform(self, V, y=None):
        """Return fit(V).transform(V), float array (F, K): training rows, with their groups, treated as new ones."""
        return self.fit(V, y).transform(V, self.row_groups_)

    def transform(self, V: Any, groups: Sequence[Any] | None = None) -> np.ndarray:
        """Return W of new rows by fold-in, given H_; see `factors_of_rows` for their groups."""
        factors = self.factors_of_rows(V, groups)
        return self._as_output(factors.W, V)

    def factors_of_rows(self, V: Any, groups: Sequence[Any] | None = None) -> Factors:
        """Return the factors of new rows by fold-in: W (F', K) and their effects; the others as fitted.

        Parameters
        ----------
        V : BinaryMatrix, array (F', N) or DataFrame
        groups : sequence of F' labels, optional
            None or "" for a row without a group; default: those of V, if it is a matrix that has groups. A row without
            a group, or of one that no row of the fit was in, has the prior of a row of a new group.

        Raises
        ------
        DataError
            As of `transform`, or if there is not a label for each row, or the model has no groups.

        Warns
        -----
        UnknownGroupsWarning
            If no row is of a group of the fit.
        """
        return self._fold_in(self._fold_in_with_groups(self._factors_of_rows, V, groups), V, axis=1)

    def predict_rows(self, V: Any, groups: Sequence[Any] | None = None) -> np.ndarray:
        """Return E[V] of new rows, float array (F', N), including missing entries.

        It is the mean over what is not known of the rows: one of which little is observed is hardly more certain than
        its group, or than the mean of all. See `factors_of_rows` for the arguments.
        """
        return self._predict_rows(V, groups)

    def _means_of_rows(self, V, groups=None):
        """Return a function to E[V] of new rows with the labels that are given, or those of V."""
        if self.row_groups_ is None:
            return super()._means_of_rows(V, groups)
        labels = self._labels_of_new(V, groups)
        return lambda values, places: self._expectation_of_rows(values, None if labels is None else labels[places])

    @as_fitted
    def predict_groups(self, groups: Sequence[Any] | None = None) -> np.ndarray:
        """Return E[V] of new rows whose group alone is known, float array (n, N).

        Parameters
        ----------
        groups : sequence of n labels, optional
            None or "" for a row without a group; default: all in the order of group_names_.

        Raises
        ------
        DataError
            If the groups are one text: a list has it as its only label.
        NotFittedError
            Before `fit`.
        AttributeError
            If the model has no groups.
        """
        names = self.group_names_
        labels = names if groups is None else known_labels_of(groups, len(groups), names)
        return self._expectation_of_rows(np.full((len(labels), self.n_features_in_), -1, np.int8), labels)

    def score(self, V: Any, y: Any = None, groups: Sequence[Any] | None = None) -> float:
        """Return how well entries of new rows are predicted from their group and the other entries of their rows.

        As of models without groups, no entry is scored by itself: 5-fold cross-validation over the entries, with the
        predictions of `predict_rows`. See `factors_of_rows` for `groups`; y is not used.
        """
        return self._score(V, groups)

    def _fold_in_with_groups(self, fold_in: Callable, V: Any, groups: Sequence[Any] | None) -> Callable:
        """Return the fold-in of values with the labels of their rows."""
        self._require_fit()
        if self.row_groups_ is None:
            if groups is not None:
                raise DataError(Setting("groups"), ": the model was fitted without groups of rows; allowed: None")
            return fold_in
        return lambda values: fold_in(values, self._labels_of_new(V, groups))

    def _labels_of_new(self, V: Any, groups: Sequence[Any] | None) -> np.ndarray | None:
        """Return the labels of new rows, str array (F',), None without."""
        given = groups_of_matrix(V) if groups is None else align_with(groups, V, 0)
        return None if given is None else known_labels_of(given, np.shape(V)[0], self.groups_in_use.names)

    def _factors_of_rows(self, values, labels=None):
        """Return the factors of new rows, each with an effect of its own if the model has those."""
        if self._group_distribution is None:
            return super()._factors_of_rows(values)
        K, coefficients = self.n_components_, self._regress_in_groups(values, labels)[0]
        W, rest = coefficients[:, :K], coefficients[:, K:]
        effects = rest[:, 0] + W @ self._row_effect_slopes if self.effects_in_use.rows else np.zeros(len(values))
        return Factors(W, self.H_, self._others(effects, self.column_effects_))

    def _expectation_of_rows(self, values, labels=None):
        """Return E[V] of new rows, the mean over q of their coefficients."""

        def means_of(part, places):
            return self._mean_given(*self._regress_in_groups(part, None if labels is None else labels[places]))

        return means_in_blocks(values, means_of)

    def _regress_in_groups(self, values, labels) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients of new rows, (F', D), and the variances of their ψ, (F', N), group by group."""
        values, design = np.ascontiguousarray(values), self._design_of_rows()
        places = np.full(len(values), -1) if labels is None else group_indices(labels, self.groups_in_use.names)
        coefficients, variance = np.empty((len(values), design.shape[1])), np.empty(values.shape)
        for place in np.unique(places):
            rows = np.flatnonzero(places == place)
            of_group = self._regress_given(values[rows], design, self._group_distribution.prior_of(place))
            coefficients[rows], variance[rows] = of_group
        return coefficients, variance

    def _regress_given(self, values, design, prior: RowPrior) -> tuple[np.ndarray, np.ndarray]:
        """Return coefficients and variances of ψ of rows with one prior: x = mean + L z with z ~ N(0, I)."""
        L, D = np.linalg.cholesky(prior.covariance), design.shape[1]
        offset = self.column_effects_ + design @ prior.mean
        standard = np.ones(D), np.zeros(D)
        unit = np.maximum(np.abs(L).max(axis=0), 1.0)  # of ψ, by which z is as exact as x would be
        z, variance = regress_rows_with_variance(values, design @ L, *standard, offset, self._weights, unit)
        return prior.mean + z @ L.T, variance
