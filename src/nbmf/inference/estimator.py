"""What every estimator has in common: declarations, the fit, what is learned, predictions."""

from typing import Any, Self

import numpy as np

from nbmf.data.given import is_sparse
from nbmf.data.named import names_of
from nbmf.errors import DataError, Setting
from nbmf.inference import loop
from nbmf.inference.blocks import in_blocks
from nbmf.inference.component_search import searched_components
from nbmf.inference.declarations import Declarations, Inference
from nbmf.inference.fitted import Fitted
from nbmf.inference.fold_in import FoldIn
from nbmf.inference.model_file import Saved
from nbmf.inference.one_component import warn_if_worse
from nbmf.inference.parameters import Parametrized, as_fitted, check, components
from nbmf.inference.recommending import Recommending
from nbmf.inference.state import Factors, Monitor, State
from nbmf.inference.stopping import warn_of_no_convergence
from nbmf.likelihoods.likelihood import Likelihood
from nbmf.numerics.blas import one_blas_thread

ACTIVE_SHARE = 0.01  # of all weight, for a component to count as active
EXPECTATION_GB = 1.0  # that a dense E[V] may take where a fit has not kept it
ENTRIES_AT_ONCE = 2**20  # of such an E[V] that are computed at a time


class Factorization(Declarations, Parametrized, Fitted, FoldIn, Recommending, Saved):
    """Base class: what a class declares, and what a family's state is made into.

    The conventions are scikit-learn's, with rows of V as samples and columns as features, W as
    what `transform` returns and H as `components_`: those of its NMF. Names of rows and columns
    are kept where V has them, and checked against those of other matrices later.

    A class declares

    - inference : Inference, how it learns
    - likelihoods : Likelihood instances that it takes, the first by default
    - distributions : which of "W" (its rows) and "H" (its columns) are distributions over
      components; of both, W gives the weight of a component
    - probabilities : which of "W" and "H" are the probabilities of a one given the component
    - are_rates : whether W and H are rates, which are not below 0
    - meanings : what an entry of W and one of H is, for a person
    - alignment : Alignment, what has to be undone to compare components of two draws
    - turning_others : names of arrays (..., K) among the other factors, whose last axis is components, as that of W
    - unturned_others : names of those that are in the coordinates of a draw in another way, such as covariances
    - has_classes, has_posterior : whether each row, or column, is in one class; whether factors can be drawn
    - finds_components : whether the data, and no person, choose how many components are used
    - allows_no_components : whether n_components = 0 makes sense
    - takes_sparse : whether matrices of scipy.sparse are fitted as they are: what is not stored is 0, NaN is missing
    - takes_threads : whether a fit can use more than one thread, by a parameter `threads`
    - takes_starts : whether a fit climbs an objective and ends where its seed leads, so that of several starts the
      best can be kept (nbmf.inference.starts)
    - shapes : the axes of each learned array, such as Factorization.shapes | {"weights_": "K"}: a file without one of
      them is refused (nbmf.inference.model_file.Saved)
    - prior_name : the learned array (K,) whose shares a row of which nothing is known has in `transform`, "" if none is
      learned
    - method_name : what figures and titles call it, the name of the class if ""
    - sampler : the class, as methods.yaml names it, that samples what an ascent approximates, if there is one

    and defines `_start`, `mean`, and what of the other underscored methods its model has.

    Attributes
    ----------
    W_ : float array (F, K)
        The dictionary.
    H_, components_ : float array (K, N)
        The activations.
    n_iter_ : int
        Iterations or sweeps that were run.
    converged_ : bool or None
        Whether the stopping rule was met; None for methods that have none, or where it is off.
    objective_ : float or None
        What the fit has climbed, where it ended, in nats: a bound, log-likelihood or log density. None of samplers,
        and of methods that compute none.
    objective_of_one_ : float or None
        The same where one component has everything and the others are idle, or somewhat less: a fit that is below it
        had a bad start, or there is nothing to find. None with K = 1, and of methods that do not know it.
    active_components_ : int
        Components with a share of at least 1 % of all weight (see `shares_of`); all K where
        there is no such thing as a share.
    component_search_ : list
        What `n_components="auto"` has found: the fields of nbmf.inference.component_search.ComponentSearch.
    row_names_, column_names_ : str arrays (F,), (N,), or None
        Those of V, if it was a BinaryMatrix, or a DataFrame that does not just number them.
    n_features_in_, feature_names_in_ : int, object array (N,)
        N and the names of columns under scikit-learn's names; the latter is there with names only.
    """

    # --- What a family defines -----------------------------------------------------------------

    def _start(self, values: np.ndarray, seed: np.random.SeedSequence) -> State:
        """Return the state before the first iteration, for values in the likelihood's coding."""
        raise NotImplementedError(f"{type(self).__name__} does not define _start(values, seed), the state of a fit")

    def _stopping_rule(self, state: State) -> loop.StoppingRule | None:
        """Return the rule of nbmf.inference.stopping that may end the fit early, None for none.

        A class that has one has the parameter `max_iter`. With a tolerance of 0 the loop takes the rule for none.
        """
        return None

    def _objective_of_one(self, state: State, values: Any) -> float | None:
        """Return the objective where one component has everything, in nats, or less; None where it is not known.

        It is asked for once, at the end of a fit whose state has an objective, and may take 5 % of its time. Data,
        priors and constants are the same, and idle components cost what they cost: another start could reach it.
        """
        return None

    def mean(self, factors: Factors, rows: Any = slice(None), columns: Any = slice(None)) -> np.ndarray:
        """Return E[V | factors] of some rows and columns, float array (rows, columns).

        `rows` and `columns` are slices or index arrays; the factors are those of all rows and columns.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define mean(factors, rows, columns), E[V | factors]")

    def mean_at(self, factors: Factors, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return E[v | factors] of single entries, float array (n,), for index arrays (n,).

        Classes whose matrices may be too large for `mean` define their own.
        """
        return self.mean(factors)[rows, columns]

    def shares_of(self, factors: Factors) -> np.ndarray | None:
        """Return the share of all weight that each component holds, float array (K,).

        It follows from the factor that is a distribution over components; None without such a factor.
        """
        memberships = self.memberships(factors)
        return None if memberships is None else memberships.mean(axis=0)

    def idle_shares(self, observed: np.ndarray) -> np.ndarray:
        """Return the share of all weight that each component has by its prior alone, (K,).

        That is its share if no entry of `observed`, bool array (F, N), were due to it.
        """
        return np.zeros(self.n_components_)

    def memberships(self, factors: Factors) -> np.ndarray | None:
        """Return the factor that is a distribution over components, (rows, K); None without."""
        if "W" in self.distributions:
            return factors.W
        return factors.H.T if "H" in self.distributions else None

    # --- Fitting ---------------------------------------------------------------------------------

    def fit(self, V: Any, y: Any = None, *, monitor: Monitor | None = None) -> Self:
        """Factorize V.

        Parameters
        ----------
        V : BinaryMatrix, array (F, N) or DataFrame
            Values that the likelihood allows, for a binary one 1 and 0, and missing (NaN or -1).
            Classes with `takes_sparse` take a matrix or array of scipy.sparse as well.
        y : None
            Not used; it is there for scikit-learn's pipelines.
        monitor : Monitor, optional
            For progress and traces; nbmf.inference.state.Monitor has its methods, and when they are called.

        Raises
        ------
        UndeclaredError
            If the class lacks a declaration, or the fit what it declares by `shapes`.
        ConfigError
            If a parameter has a value that is not allowed.
        DataError
            If V has a value that is not allowed or no observed entry.

        Warns
        -----
        NotConvergedWarning
            If `max_iter` was reached before the stopping rule with a tolerance above zero was met.
        PoorFitWarning
            If `objective_` is not a number, or (WorseThanOneComponentWarning) below `objective_of_one_`.
        """
        self._require_declarations()
        self.check_parameters()
        before = dict(vars(self))
        try:
            rule = self._run(V, monitor)
        except BaseException:  # Ctrl-C too: of an earlier fit nothing or all is replaced
            vars(self).clear()
            vars(self).update(before)
            raise
        if self.converged_ is False:
            warn_of_no_convergence(type(self).__name__, rule, self.max_iter)
        warn_if_worse(type(self).__name__, self.n_components_, self.objective_, self.objective_of_one_)
        return self

    def _run(self, V: Any, monitor: Monitor | None) -> loop.StoppingRule | None:
        """Run a fit and take over all that it learns; return its stopping rule."""
        self.keep_parameters()
        values = self.values_of(V)
        # Matrix products on one thread: their rounding must not depend on the machine's load.
        with one_blas_thread(), searched_components(self, V):
            state = self._start(values, self._seed())
            rule = self._stopping_rule(state)
            self.n_iter_, self.converged_ = loop.run(state, self.n_iterations, monitor, rule)
            self._learn(state)
            self._require_shapes(values.shape)
            self.active_components_ = self.count_active(self.factors_)
            self._take_objectives(state, values)
        self.row_names_, self.column_names_ = names_of(V)
        return rule

    def values_of(self, V: Any) -> Any:
        """Return the values of a matrix in the coding that `_start` and fold-in take.

        This is the coding of the likelihood, an array (F, N), or a SparseCounts for a sparse matrix if the class
        takes them.
        """
        if self.takes_sparse and is_sparse(V):
            return self.likelihood.sparse_values_of(V)
        return self.likelihood.values_of(V)

    def _learn(self, state: State) -> None:
        """Take over what the state ends with."""
        estimate = state.estimate()
        self.W_, self.H_ = estimate.W, estimate.H
        self._keep_expectation(state)

    def _take_objectives(self, state: State, values: Any) -> None:
        """Take over the objective at the end, and what it would be with one component."""
        self.objective_ = None if self.inference is Inference.SAMPLER else state.objective()
        is_comparable = self.objective_ is not None and self.n_components_ > 1
        self.objective_of_one_ = self._objective_of_one(state, values) if is_comparable else None

    def _keep_expectation(self, state: State) -> None:
        """Keep E[V]; classes for matrices whose dense E[V] may not fit keep less."""
        self._expectation = state.expectation()

    def count_active(self, factors: Factors) -> int:
        """Return how many components hold at least ACTIVE_SHARE of all weight."""
        shares = self.shares_of(factors)
        return factors.W.shape[1] if shares is None else int(np.count_nonzero(shares >= ACTIVE_SHARE))

    @property
    def factors_(self) -> Factors:
        """W_, H_ and whatever else E[V] depends on; a class that has more of these adds it."""
        self._require_fit()
        return Factors(self.W_, self.H_)

    @property
    def findings(self) -> dict[str, Any]:
        """What a fit has found besides its factors, for its report: values that JSON can hold."""
        return {}

    def findings_of(self, components) -> dict[str, Any]:
        """Return the findings: of numbers that each component has, those of some (an int array or a slice)."""
        return self.findings

    @property
    def n_iterations(self) -> int:
        """The largest number of iterations or sweeps of a fit."""
        if self.inference is Inference.SAMPLER:
            return self.burn_in + self.n_samples
        return self.max_iter

    @property
    def visits_per_entry(self) -> int:
        """How often a fit visits an observed entry at most."""
        return self.n_iterations

    @property
    def likelihood(self) -> Likelihood:
        """The likelihood of the values that `fit` takes."""
        return self.likelihoods[0]

    @property
    def advice_if_stuck(self) -> Setting | None:
        """What else can be tried if each chain stays in a region of its own; None if nothing."""
        return None

    def check_parameters(self) -> None:
        """Raise ConfigError if a parameter has a value that is not allowed."""
        least, of_next_fit = 0 if self.allows_no_components else 1, type(self)(**self.get_params())
        of_components = components(least, not of_next_fit.finds_components, self.n_components)
        for name, value in self.get_params().items():
            check(name, value, self.rules | {"n_components": of_components})

    # --- Predictions -----------------------------------------------------------------------------

    @property
    def expectation_(self) -> np.ndarray:
        """E[V], float array (F, N), also of missing entries: P(v = 1) for binary data.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If the fit has not kept it and it would need more than EXPECTATION_GB; `predict` gives single entries.
        """
        self._require_fit()
        if self._expectation is not None:
            return self._expectation
        F, N = self.W_.shape[0], self.H_.shape[1]
        if 8e-9 * F * N > EXPECTATION_GB:
            raise DataError(
                f"E[V] of {F} x {N} entries takes {8e-9 * F * N:.2g} GB, more than "
                f"{EXPECTATION_GB:g}: predict(rows, columns) gives those you name"
            )
        blocks = in_blocks(F, N, ENTRIES_AT_ONCE)
        return np.vstack([self.predict(np.arange(F)[block, None], np.arange(N)) for block in blocks])

    @property
    def has_expectation(self) -> bool:
        """Whether the fit has kept a dense E[V]."""
        self._require_fit()
        return self._expectation is not None

    @as_fitted
    def predict(self, rows: Any, columns: Any) -> np.ndarray:
        """Return E[v] of single entries; memory does not depend on the size of V.

        Parameters
        ----------
        rows, columns : int arrays
            Indices that are broadcast against each other, as in V[rows, columns].

        Returns
        -------
        float array
            Of their broadcast shape.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If an index is outside the fitted matrix.
        """
        return self._predict(*self.checked_places(rows, columns))

    def _predict(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Return E[v] of entries of one shape.

        Classes that keep no E[V], and whose E[v] is not that of `factors_`, define their own.
        """
        if self._expectation is not None:
            return self._expectation[rows, columns]
        return self.mean_at(self.factors_, rows.ravel(), columns.ravel()).reshape(rows.shape)

    def predictive(self, rows: np.ndarray, columns: np.ndarray) -> Any:
        """Return what the likelihood needs to score some entries: E[v], and more if it needs more."""
        return self.predict(rows, columns)

    def predictive_of(self, factors: Factors, rows: np.ndarray, columns: np.ndarray) -> Any:
        """Return what `predictive` does given factors, such as those of new rows.

        For many entries it computes all of them, which takes less memory than W and H of each. Classes whose
        matrices may be too large for `mean` override it.
        """
        return self.mean(factors)[rows, columns]

    # --- scikit-learn's names --------------------------------------------------------------------

    @property
    def components_(self) -> np.ndarray:
        """H_, under scikit-learn's name."""
        self._require_fit()
        return self.H_

    @property
    def n_components_(self) -> int:
        """K of W_ and H_: `n_components` unless the method finds it."""
        self._require_fit()
        return self.H_.shape[0]

    @property
    def n_features_in_(self) -> int:
        """N, under scikit-learn's name."""
        self._require_fit()
        return self.H_.shape[1]

    @property
    def feature_names_in_(self) -> np.ndarray:
        """The names of columns under scikit-learn's name, object array (N,)."""
        self._require_fit()
        if self.column_names_ is None:
            raise AttributeError("the matrix that was fitted had no names of columns")
        return self.column_names_.astype(object)

    def __sklearn_tags__(self):
        # Only scikit-learn asks, so it is loaded: no fit pays for it.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(allow_nan=True, sparse=self.takes_sparse),
        )

    def _seed(self) -> np.random.SeedSequence:
        given = self.random_state
        return given if isinstance(given, np.random.SeedSequence) else np.random.SeedSequence(given)
