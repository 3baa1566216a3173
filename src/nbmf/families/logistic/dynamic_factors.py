"""What the models share whose rows move from period to period: parameters, what is learned, new rows and columns."""

from typing import Any, ClassVar

import numpy as np

from nbmf.data.named import names_of
from nbmf.data.names import has_index
from nbmf.errors import DataError, not_allowed
from nbmf.families.logistic import factors as form
from nbmf.families.logistic import moving_rows as moving
from nbmf.families.logistic.factors import PATHS, PERIODS
from nbmf.families.logistic.gibbs_state import Sampled
from nbmf.families.logistic.logistic_estimator import EFFECT_SCALE, POSITIVE, FactorModel
from nbmf.families.logistic.logistic_gibbs import Prior
from nbmf.families.logistic.moving_rows import ITEM_MEAN, ITEMS, SPANS, START, START_MEAN, WALK
from nbmf.families.logistic.path_chain import MovingCells, PathChain, WalkPrior
from nbmf.families.logistic.path_fold_in import Walk, regress_paths
from nbmf.families.logistic.path_start import leading_positions, refuse_two_scales
from nbmf.families.logistic.periods import PERIODS as GIVEN_PERIODS
from nbmf.families.logistic.periods import Periods, periods_of
from nbmf.inference.constructors import with_parameters
from nbmf.inference.model_file import check_texts
from nbmf.inference.parameters import Rule, is_number, one_of
from nbmf.inference.state import Factors

WALK_SHAPE, WALK_RATE = 2.0, 0.05  # of s: 90 % between 0.011 and 0.14, a finite variance of where a row goes next
VARIANCE = Rule(
    lambda value: (
        (isinstance(value, str) and value in ("shared", "rows")) or (is_number(value) and 1e-12 <= value <= 1e12)
    ),
    "'shared', 'rows' or a number from 1e-12 to 1e12",
)
KEPT = {
    "walk_covariance_": WALK,
    "start_mean_": START_MEAN,
    "start_covariance_": START,
    "item_mean_": ITEM_MEAN,
    "item_covariance_": ITEMS,
}


@with_parameters
class MovingRows(Sampled):
    """Base class of models whose rows move from period to period, ψ_fn = c_n + Σ_k w_f,t(n),k h_kn.

    Attributes
    ----------
    paths_ : float array (F, P, K)
        Where every row is in every one of P periods: means over the kept sweeps. `W_` has the mean of each path over
        the row's span, from the first to the last period in which it has entries; before and after it rows go on
        walking.
    period_names_, period_times_ : str and float arrays (P,)
        In their order.
    column_periods_ : float array (N,)
        The period of each column, from 0.
    entries_ : float array (F, P)
        How many entries a row has in a period.
    walk_covariance_ : float array (S, K, K)
        Of a step over one unit of time, in the units of `paths_`; of each row, or of all (S = 1).
    start_mean_, start_covariance_ : float arrays (K,), (K, K)
        The prior of a row's first position, N(0, I), in the units of `paths_`.
    item_mean_, item_covariance_ : float arrays (K + 1,), (K + 1, K + 1)
        The prior of a new column's h and effect. In files of older versions the mean of h is 0.
    """

    rules = FactorModel.rules | {
        "effects": one_of("none", "columns"),
        "effect_scale": EFFECT_SCALE,
        "periods": GIVEN_PERIODS,
        "walk_variance": VARIANCE,
        "walk_shape": POSITIVE,
        "walk_rate": POSITIVE,
    }
    turning_others = frozenset({PATHS, START_MEAN})
    unturned_others = frozenset({WALK, START, ITEM_MEAN, ITEMS})
    allows_no_components = False
    shapes: ClassVar = FactorModel.shapes | {
        "paths_": "FTK",
        "period_times_": "T",
        "column_periods_": "N",
        "entries_": "FT",
        "walk_covariance_": "SKK",
        "start_mean_": "K",
        "start_covariance_": "KK",
        "item_mean_": "I",
        "item_covariance_": "II",
    }

    n_components: int = 1
    periods: Any = None
    walk_variance: float | str = "shared"
    walk_shape: float = WALK_SHAPE
    walk_rate: float = WALK_RATE
    effects: str = "columns"
    effect_scale: float | str = form.LEARNED

    def _run(self, V, monitor):
        self._names_of_columns = names_of(V)[1]  # what is fitted has none: a regular expression looks at them
        try:
            return super()._run(V, monitor)
        finally:
            del self._names_of_columns

    def for_matrix(self, V):
        """Return the estimator with a period for each column of V, where it finds them in or by their names."""
        settled = super().for_matrix(V)
        if not (isinstance(self.periods, str) or has_index(self.periods)):
            return settled
        found = periods_of(self.periods, np.shape(V)[1], names_of(V)[1])
        return type(self)(**settled.get_params() | {"periods": found.names[found.of_columns].tolist()})

    def for_part(self, rows, columns):
        """Return the estimator with the periods of these columns."""
        if self.periods is None or isinstance(self.periods, str):  # a str finds them in the names of columns
            return super().for_part(rows, columns)
        return type(self)(**self.get_params() | {"periods": np.asarray(self.periods)[columns].tolist()})

    def _periods(self, n_columns: int) -> Periods:
        return periods_of(self.periods, n_columns, getattr(self, "_names_of_columns", None))

    def _path_chain(self, cells: MovingCells, values: np.ndarray, seed) -> PathChain:
        refuse_two_scales(cells)
        prior = Prior(self.ard, self.a0, self.b0, self.effect_scale)
        walk = WalkPrior(self.walk_variance, self.walk_shape, self.walk_rate)
        first = leading_positions(values, self.n_components)
        return PathChain(cells, first, self.effects_in_use, prior, walk, seed, self.threads)

    def _learn(self, state):
        estimate = state.estimate()
        self.paths_ = estimate.others[PATHS]
        for attribute, name in KEPT.items():
            setattr(self, attribute, estimate.others[name])
        cells = state.cells
        self.period_names_, self.period_times_ = cells.periods.names, cells.periods.times
        self.column_periods_, self.entries_ = cells.periods.of_columns.astype(float), cells.entries.astype(float)
        super()._learn(state)

    def _as_model(self):
        model = super()._as_model()
        if not has_index(model.parameters["periods"]):
            return model
        # A file has no index that says whose they are.
        of_columns = self.period_names_[self.column_periods_.astype(int)]
        return model._replace(parameters=model.parameters | {"periods": of_columns.tolist()})

    def restore(self, learned):
        """Take over what a file says was learned; older files have no mean of new columns."""
        of_columns = np.append(np.zeros_like(learned.get("start_mean_", ())), learned.get("intercept_", 0.0))
        super().restore({"item_mean_": of_columns} | learned)
        T = self.period_times_.size
        places, times = self.column_periods_, self.period_times_
        check_texts("period_names_", learned.get("period_names_"), T)
        if not np.isin(places, np.arange(T)).all() or (np.diff(times) <= 0).any() or (self.entries_ < 0).any():
            raise DataError("column_periods_, period_times_ and entries_ are none of periods in their order")
        if self.item_covariance_.shape != (self.n_components_ + 1,) * 2:
            raise DataError(f"item_covariance_ has to be of shape {(self.n_components_ + 1,) * 2}")

    @property
    def spans_(self) -> np.ndarray:
        """The first and the last period of each row, int array (F, 2), from 0."""
        return moving.spans_of(self.entries_)

    @property
    def variant(self):
        """Which effects there are, and whether each row has a variance of its own."""
        return ", ".join(filter(None, (super().variant, "a variance per row" * (self.walk_variance == "rows"))))

    def shares_of(self, factors):
        """Return the squared singular values of W H in the spans of rows over their sum, which no rotation changes."""
        # W_ and H_ alone do not say where rows are in each period: the fit does.
        return form.shares(moving.node_factors(factors if factors.others else self.factors_))

    def _others(self, row_effects, column_effects):
        kept = {name: getattr(self, attribute) for attribute, name in KEPT.items()}
        places = {PATHS: self.paths_, PERIODS: self.column_periods_.astype(int), SPANS: self.spans_}
        return super()._others(row_effects, column_effects) | kept | places

    # --- What comes next --------------------------------------------------------------------------

    def chances_of_new_column(self, factors: Factors, W: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return what the likelihood scores of a column that nobody has seen, its h, effect and cuts integrated out.

        Parameters
        ----------
        factors : Factors
            Of a draw, with its prior of new columns.
        W : float array (F, K)
            Where rows are, in the axes of that draw.
        rng : Generator
            Of what is not integrated out exactly.

        Returns
        -------
        float array (F,) or (F, C)
        """
        raise NotImplementedError

    def _log_odds_of_new_column(self, factors: Factors, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean and the variance of ψ of a new column, float arrays (F,)."""
        others = factors.others
        x = np.column_stack([W, np.ones(len(W))])
        mean, covariance = (np.asarray(others[name], float) for name in (ITEM_MEAN, ITEMS))
        return x @ mean, np.einsum("fk,kc,fc->f", x, covariance, x)

    # --- New rows and columns --------------------------------------------------------------------

    def _factors_of_rows(self, values):
        """Return the factors of new rows with their paths, by the filter of the fit."""
        walk = Walk(
            self.start_mean_, self.start_covariance_, self.walk_covariance_.mean(axis=0), np.diff(self.period_times_)
        )
        places, values = self.column_periods_.astype(int), np.ascontiguousarray(values)
        paths = regress_paths(values, self.H_.T, places, self.column_effects_, walk, self._weights)
        of_periods = np.arange(self.period_times_.size) == places[:, None]
        return self._moved(paths, moving.spans_of((values >= 0).astype(int) @ of_periods))

    def _moved(self, paths: np.ndarray, spans: np.ndarray) -> Factors:
        others = self._others(self.row_effects_, self.column_effects_) | {PATHS: paths, SPANS: spans}
        return Factors(moving.mean_positions(paths, spans), self.H_, others)

    def _factors_with(self, W):
        T = self.period_times_.size
        return self._moved(np.repeat(W[:, None], T, axis=1), np.tile([0, T - 1], (len(W), 1)))

    def _factors_of_columns(self, values):
        return self._columns_in(values, self.period_times_.size - 1)

    def _columns_in(self, values: np.ndarray, t: int) -> Factors:
        """Return the factors of new columns of period t, given where rows are in it."""
        # In the units of their prior, h and the effect are independent: mean + root z, z ~ N(0, I).
        root, x = moving.matrix_root(self.item_covariance_), np.column_stack([self.paths_[:, t], np.ones(len(self.W_))])
        z, _ = self._regress(values.T, x @ root, np.ones(len(root)), x @ self.item_mean_, None)
        items = self.item_mean_ + z @ root.T
        return self._factors_of_period(items[:, :-1], items[:, -1], t)

    def _precisions_given(self, H):
        """Return E[α | H] around their mean, (K,), in the units of W_."""
        mean = self.item_mean_[:-1, None]
        return super()._precisions_given(np.hstack([H - mean, mean]))

    def _factors_of_period(self, H: np.ndarray, effects: np.ndarray, t: int) -> Factors:
        others = self._others(self.row_effects_, effects) | {PERIODS: np.full(len(H), t)}
        return Factors(self.W_, np.ascontiguousarray(H.T), others)

    def transform_columns(self, V: Any, period: Any = None) -> np.ndarray:
        """Return H of new columns by fold-in, float array (K, N'), given where rows are in their period.

        V and `period` as for `predict_columns`.
        """
        t = self.place_of(period)
        return self._fold_in(lambda values: self._columns_in(values, t).H, V, axis=0)

    def predict_columns(self, V: Any, period: Any = None) -> np.ndarray:
        """Return E[V] of new columns of a period, float array (F, N'), missing entries too.

        Parameters
        ----------
        V : matrix, array or DataFrame (F, N')
            With the rows of the fitted matrix.
        period : number or text, optional
            One of `period_names_`, or of `period_times_`; by default the last.

        Raises
        ------
        ConfigError
            If there is no such period.
        """
        t = self.place_of(period)
        return self._fold_in(lambda values: self.mean(self._columns_in(values, t)), V, axis=0)

    def place_of(self, period: Any = None) -> int:
        """Return the place of a period, by its name or, where no name is that number, its time; None means the last.

        Raises
        ------
        ConfigError
            If there is no such period.
        """
        self._require_fit()
        if period is None:
            return self.period_times_.size - 1
        name = period if isinstance(period, str) else f"{period:.15g}" if is_number(period) else None
        matches = np.flatnonzero(self.period_names_ == name) if name is not None else []
        if len(matches) == 0 and is_number(period):
            matches = np.flatnonzero(self.period_times_ == period)
        if len(matches) == 0:
            raise not_allowed("period", period, [str(each) for each in self.period_names_])
        return int(matches[0])
