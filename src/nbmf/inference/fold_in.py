"""New rows and columns of a fitted matrix: the fit with one factor kept, and what it predicts."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import names_of
from nbmf.data.repeats import questions_of
from nbmf.errors import DataError, NothingObservedError, NotSupportedError, Setting
from nbmf.inference.parameters import as_fitted
from nbmf.inference.state import Factors
from nbmf.inference.transform_output import TransformOutput
from nbmf.numerics.blas import one_blas_thread
from nbmf.seeds import seed_sequence

PARTS = 5  # of the entries of new rows that are scored
# From values of some of the new rows, (m, N), and their places among all, to E[V] of them, (m, N).
MeansOfRows = Callable[[Any, Any], np.ndarray]
# From values of new rows to what is predicted of single entries, given places of rows and columns.
PredictiveOfRows = Callable[[Any], Callable[[np.ndarray, np.ndarray], Any]]
OF_SHARES = 1e-3  # how far the sum of shares that were rounded may be from 1


class FoldIn(TransformOutput):
    """The part of an estimator that treats new rows and columns.

    A family defines `_fold_in_rows` and `_fold_in_columns`; a class outside nbmf may do without. Where a new row or
    column has more of its own than one of W or H, such as an effect, it defines `_factors_of_rows`,
    `_factors_of_columns` and `_factors_with` instead. Where it has no more, predict_rows(V) has to be
    inverse_transform(transform(V)), unless it defines `_means_of_rows` and `_means_of_columns`: of zeros and ones, the
    means over what is not known of a row or column. They ask for `n_components_`, or the shape of H_:
    `n_components` may be "auto".

    Attributes
    ----------
    row_groups_ : str array (F,) or None
        The group of each row of the fit, where a model has groups of rows: methods for new rows then take `groups`.
    """

    row_groups_: np.ndarray | None = None

    def _fold_in_rows(self, values: np.ndarray) -> np.ndarray:
        """Return W (F', K) of new rows, values (F', N), given H_."""
        raise NotSupportedError(f"{type(self).__name__} has no fold-in of new rows")

    def _fold_in_columns(self, values: np.ndarray) -> np.ndarray:
        """Return H (K, N') of new columns, values (F, N'), given W_."""
        raise NotSupportedError(f"{type(self).__name__} has no fold-in of new columns")

    def _factors_of_rows(self, values: np.ndarray) -> Factors:
        """Return the factors of new rows, values (F', N): W and what else is theirs are new."""
        return self.factors_._replace(W=self._fold_in_rows(values))

    def _factors_of_columns(self, values: np.ndarray) -> Factors:
        """Return the factors of new columns, values (F, N'): H and what else is theirs are new."""
        return self.factors_._replace(H=self._fold_in_columns(values))

    def _factors_with(self, W: np.ndarray) -> Factors:
        """Return the factors of rows of which W (F', K) alone is known."""
        return self.factors_._replace(W=W)

    def fit_transform(self, V: Any, y: Any = None) -> np.ndarray:
        """Return fit(V).transform(V), float array (F, K): training rows treated as new ones.

        The estimate that `fit` itself makes of W, jointly with H, is `W_`.
        """
        return self.fit(V, y).transform(V)

    def transform(self, V: Any) -> np.ndarray:
        """Return W of new rows by fold-in, given H_.

        Parameters
        ----------
        V : BinaryMatrix, array (F', N) or DataFrame
            Values the likelihood allows and missing, with the columns of the fitted matrix.

        Returns
        -------
        float array (F', K), or a DataFrame where `set_output` says so
            Each row depends on no other row of V and on no random number. One without an observed entry is at the
            prior.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If V has other columns, or a value that is not allowed.
        """
        return self._as_output(self._fold_in(self._factors_of_rows, V, axis=1).W, V)

    def transform_columns(self, V: Any) -> np.ndarray:
        """Return H of new columns by fold-in, given W_, float array (K, N').

        V (F, N') has the rows of the fitted matrix; all else is as for `transform`.
        """
        return self._fold_in(self._factors_of_columns, V, axis=0).H

    @property
    def averages_new_rows(self) -> bool:
        """Whether E[V] of a new row of zeros and ones is the mean over its factors, and not E[V] at their means."""
        return type(self)._means_of_rows is not FoldIn._means_of_rows

    def predict_rows(self, V: Any) -> np.ndarray:
        """Return E[V] of new rows, float array (F', N), including missing entries."""
        return self._predict_rows(V)

    def _predict_rows(self, V: Any, groups: Sequence[Any] | None = None) -> np.ndarray:
        return self._fold_in(lambda values: self._means_of_rows(V, groups)(values, slice(None)), V, axis=1)

    def _means_of_rows(self, V: Any, groups: Sequence[Any] | None = None) -> MeansOfRows:
        """Return how E[V] of some rows of V follows from their values; `groups` are of rows, in models that have them.

        Raises
        ------
        DataError
            If the model has no groups and some are given.
        """
        if groups is not None:
            raise DataError(Setting("groups"), ": the model was fitted without groups of rows; allowed: None")
        return lambda values, _: self.mean(self._factors_of_rows(values))

    def predict_columns(self, V: Any) -> np.ndarray:
        """Return E[V] of new columns, float array (F, N'), including missing entries."""
        return self._fold_in(self._means_of_columns, V, axis=0)

    def _means_of_columns(self, values: np.ndarray) -> np.ndarray:
        """Return E[V] of new columns, given their values."""
        return self.mean(self._factors_of_columns(values))

    def factors_of_rows(self, V: Any) -> Factors:
        """Return factors with new rows by fold-in: W (F', K) and all else of a row; the others are those of the fit.

        V and the exceptions are those of `transform`.
        """
        return self._fold_in(self._factors_of_rows, V, axis=1)

    @property
    def rows_prior_(self) -> np.ndarray | None:
        """The Dirichlet prior of a new row of W, float array (K,), where H_ has the probabilities of a one; else None.

        Then each entry of the row is a one with probability W H_, and its W has no other prior.
        """
        return None

    @as_fitted
    def inverse_transform(self, W: Any) -> np.ndarray:
        """Return E[V] given rows W (F', K) and H_, float array (F', N).

        W is all that is known of these rows. Where a row has more of its own, an effect, a path or a centre, that is
        as expected a priori, and `predict_rows(V)` is what takes it from V. Of `W_` this differs from `expectation_`
        for that reason, and where the latter is a mean over sweeps, or over q, and not E[V] at `W_` and `H_`.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If W has another shape, or values that no row of the model can have: not finite or, of shares,
            probabilities and rates, below 0; probabilities above 1, or shares that do not sum to 1.
        """
        self._require_fit()
        W, K = np.asarray(W, dtype=float), self.H_.shape[0]
        if W.ndim != 2 or W.shape[1] != K:
            raise DataError(Setting("W"), f" has shape {W.shape}: must be (rows, {K})")
        self._refuse_impossible_rows(W)
        return self.mean(self._factors_with(W))

    def _refuse_impossible_rows(self, W: np.ndarray) -> None:
        """Raise DataError unless W (F', K) has values that rows of the model can have."""
        for wrong, allowed in (
            (~np.isfinite(W), "finite numbers"),
            ((W < 0) & self.is_nonnegative, f"{self.meanings[0]}, at least 0"),
            ((W > 1) & ("W" in self.probabilities), f"{self.meanings[0]}, at most 1"),
        ):
            for f, k in np.argwhere(wrong)[:1]:
                raise DataError(Setting("W"), f": row {f}, component {k} is {W[f, k]:.6g}; allowed: {allowed}")
        sums = W.sum(axis=1)
        if "W" in self.distributions:
            for f in np.flatnonzero(abs(sums - 1) > OF_SHARES)[:1]:
                raise DataError(Setting("W"), f": row {f} has the sum {sums[f]:.6g}; allowed: shares, whose sum is 1")

    def score(self, V: Any, y: Any = None) -> float:
        """Return how well entries of new rows are predicted from the other entries of their rows.

        The score is the mean log probability in nats per observed entry, higher is better, by 5-fold
        cross-validation over the entries: rows are folded in by the entries of four folds, and those of the fifth
        are predicted. Entries are never scored by themselves, so that grid searches can choose the number of
        components; nor, if V is binary and has at least 20 rows, by other answers to the same question, which are
        columns of which each row has a one in exactly one.

        Parameters
        ----------
        V : BinaryMatrix, array (F', N) or DataFrame
            As for `transform`. The folds depend on its shape, and on which columns are answers to one question.
        y : None
            Not used; it is there for scikit-learn.

        Raises
        ------
        NotFittedError, DataError
            As for `transform`.
        DataError
            If V is sparse: zeros are held out, too, and so all entries are needed.
        """
        return self._score(V)

    def _score(self, V: Any, groups: Sequence[Any] | None = None) -> float:
        """Return the score of new rows; `groups` are of rows, in models that have them."""
        if is_sparse(V):
            self._require_fit()
            raise DataError(
                "V is sparse; score holds out zeros too, and needs an array of all entries; nbmf.compare takes sparse "
                "matrices of zeros and ones"
            )
        return self._fold_in(lambda _: self._held_out_score(V, self._predictive_of_rows(V, groups)), V, axis=1)

    def _predictive_of_rows(self, V: Any, groups: Sequence[Any] | None = None) -> PredictiveOfRows:
        """Return how rows of V are predicted from their values, as the likelihood needs it to score entries."""
        if not self.averages_new_rows:
            return lambda values: functools.partial(self.predictive_of, self._factors_of_rows(values))
        means_of = self._means_of_rows(V, groups)

        def predictive_of(values):
            means = means_of(values, slice(None))
            return lambda rows, columns: means[rows, columns]

        return predictive_of

    def _held_out_score(self, V: Any, predictive_of_rows: PredictiveOfRows) -> float:
        likelihood = self.likelihood
        values = likelihood.values_of(V)
        rng = np.random.default_rng(seed_sequence("score", *values.shape))
        part_of = rng.permutation(np.arange(values.size) % PARTS).reshape(values.shape)
        for columns in questions_of(values) if likelihood.matrix is BinaryMatrix else ():
            part_of[:, columns] = part_of[:, columns[:1]]
        observed, total = likelihood.is_observed(values), 0.0
        for part in range(PARTS):
            held_out = observed & (part_of == part)
            if held_out.any():
                predictive = predictive_of_rows(likelihood.hide(values, held_out))
                total += likelihood.loss_at(values, held_out).of(predictive).total
        return -total / np.count_nonzero(observed)

    @as_fitted
    def _fold_in(self, fold_in: Callable, V: Any, axis: int) -> np.ndarray:
        """Return what `fold_in` makes of V, which has as many rows (axis 0) or columns (axis 1) as the fit."""
        self._require_fit()
        try:
            values = self.values_of(V)
        except NothingObservedError as error:  # a row without an entry is at the prior, next to others or alone
            values = error.values
        name, fitted = type(self).__name__, (self.W_.shape[0], self.H_.shape[1])[axis]
        if values.shape[axis] != fitted:
            things = ("samples", "features")[axis]  # in scikit-learn's words
            raise DataError(
                f"V is of another shape: X has {values.shape[axis]} {things}, but {name} is "
                f"expecting {fitted} {things} as input"
            )
        self.refuse_other_names(V, axis)
        with one_blas_thread():
            return fold_in(values)

    def refuse_other_names(self, V: Any, axis: int, what: str = "V") -> None:
        """Raise DataError if the rows (axis 0) or columns (axis 1) of a matrix have other names than those of the fit.

        `what` names the matrix. Names in another order are others: values would be taken for those of other rows or
        columns.
        """
        given = names_of(V)[axis]
        if given is None:
            return
        known = (self.row_names_, self.column_names_)[axis]
        if known is not None and (given != known).any():
            n = int(np.flatnonzero(given != known)[0])
            raise DataError(
                f"{('row', 'column')[axis]} {n} (counted from 0) of {what} is {str(given[n])!r}; "
                f"in the matrix that was fitted it is {str(known[n])!r}"
            )

    def refuse_other_categories(self, V: Any, what: str = "V") -> None:
        """Raise DataError if ordered categories have other names than in the fit; other values have none."""
