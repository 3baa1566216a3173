"""What every estimator has in common."""

import inspect
import os
import warnings
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from threadpoolctl import threadpool_limits

import nbmf
from nbmf.data.matrix import BinaryMatrix, as_codes
from nbmf.errors import (
    ConfigError,
    DataError,
    NotConvergedWarning,
    NotFittedError,
    NotSupportedError,
    choices,
)
from nbmf.inference import parameters, saving
from nbmf.likelihoods import metrics

ACTIVE_SHARE = 0.01  # of all weight, for a component to count as active


class State(Protocol):
    """What a monitor may ask of a running fit."""

    def expectation(self) -> np.ndarray:
        """Return the current estimate of E[V], float array (F, N)."""

    def objective(self) -> float | None:
        """Return the log joint, bound or log-likelihood in nats; None if there is none."""

    def active_components(self) -> int:
        """Return how many components are active now; see Factorization.active_components_."""


class BayesianState(State, Protocol):
    """What a monitor may ask as well, of methods that have a posterior distribution."""

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of W (F, K) and H (K, N) given the current assignments or counts."""

    def draw_factors(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw W (F, K) and H (K, N) from the same distribution; the fit is not changed."""


class Monitor(Protocol):
    """An observer of a fit, called at the iterations it asks for and after the last one."""

    def resume(self, state: State) -> int:
        """Put back the state of an interrupted chain; return its iteration, 0 if there is none.

        Only chains ask: other fits are short.
        """

    def next_after(self, iteration: int) -> float:
        """Return the first iteration after `iteration` to be called at, math.inf if none."""

    def __call__(self, iteration: int, total: int, state: State) -> None:
        """Look at the state after `iteration` of at most `total` iterations."""


class Fit(NamedTuple):
    """What an inference returns.

    W : float array (F, K)
    H : float array (K, N)
    expectation : float array (F, N), E[V]
    shares : float array (K,), the mean of the factor that is a distribution over components
    n_iter : int
    converged : bool, None where the algorithm has no stopping rule
    """

    W: np.ndarray
    H: np.ndarray
    expectation: np.ndarray
    shares: np.ndarray
    n_iter: int
    converged: bool | None = None


class Factorization:
    """Base class: parameters, their checks, and what `_factorize` and two fold-ins are made into.

    The conventions are scikit-learn's, with rows of V as samples and columns as features, W as
    what `transform` returns and H as `components_`: those of its NMF. Names of rows and columns
    are kept where V has them, and checked against those of other matrices later.

    Attributes
    ----------
    W_ : float array (F, K)
        The dictionary.
    H_, components_ : float array (K, N)
        The activations.
    expectation_ : float array (F, N)
        E[V], the predicted probability of a one, for missing entries too.
    n_iter_ : int
        Iterations or sweeps that were run.
    converged_ : bool or None
        Whether the stopping rule was met; None for methods that have none, or where it is off.
    active_components_ : int
        Components with a share of at least 1 % of the factor that is a distribution over
        components (the rows of W_; for Dir-Beta and LDA the columns of H_). All K for logPCA,
        which has no such factor.
    row_names_, column_names_ : str arrays (F,), (N,), or None
        Those of V, if it was a BinaryMatrix, or a DataFrame that does not just number them.
    n_features_in_, feature_names_in_ : int, object array (N,)
        N and the names of columns under scikit-learn's names; the latter is there with names only.
    """

    scored_per_token = False  # a method models entries; LDA alone which tokens occur

    # The axes of what is learned, for the check of a loaded file.
    _shapes: ClassVar = {"W_": "FK", "H_": "KN", "expectation_": "FN"}

    # --- What a method defines ---------------------------------------------------------------

    def _factorize(
        self, codes: np.ndarray, seed: np.random.SeedSequence, monitor: Monitor | None
    ) -> Fit:
        raise NotImplementedError

    def _fold_in_rows(self, codes: np.ndarray) -> np.ndarray:
        """Return W (F', K) of new rows, int8 codes (F', N), given H_."""
        raise NotSupportedError(f"{type(self).__name__} has no fold-in of new rows")

    def _fold_in_columns(self, codes: np.ndarray) -> np.ndarray:
        """Return H (K, N') of new columns, int8 codes (F, N'), given W_."""
        raise NotSupportedError(f"{type(self).__name__} has no fold-in of new columns")

    # --- Fitting -----------------------------------------------------------------------------

    def fit(self, V: Any, y: Any = None, *, monitor: Monitor | None = None) -> Self:
        """Factorize V.

        Parameters
        ----------
        V : BinaryMatrix, array (F, N) or DataFrame
            1, 0 and missing (NaN or -1).
        y : None
            Not used; there for scikit-learn's pipelines.
        monitor : Monitor, optional
            Called as the fit goes on, for progress and traces.

        Raises
        ------
        ConfigError
            If a parameter has a value that is not allowed.
        DataError
            If V has a value that is not allowed or no observed entry.

        Warns
        -----
        NotConvergedWarning
            If `max_iter` was reached before the change fell below a `tol` above zero.
        """
        self.check_parameters()
        codes = self._codes_of(V)
        # Matrix products on one thread: their rounding must not depend on the machine's load.
        with threadpool_limits(limits=1, user_api="blas"):
            fit = self._factorize(codes, self._seed(), monitor)
        self.W_, self.H_, self.expectation_ = fit.W, fit.H, fit.expectation
        self.n_iter_, self.converged_ = fit.n_iter, fit.converged
        self.active_components_ = count_active(fit.shares)
        self.row_names_, self.column_names_ = _names_of(V)
        if self.converged_ is False and getattr(self, "tol", 0) > 0:
            warnings.warn(
                f"{type(self).__name__} had not converged after max_iter = {self.max_iter} "
                f"iterations, by tol = {self.tol}: raise max_iter, or tol if that is near enough",
                NotConvergedWarning,
                stacklevel=2,
            )
        return self

    def fit_transform(self, V: Any, y: Any = None) -> np.ndarray:
        """Return fit(V).transform(V), float array (F, K): training rows treated as new ones.

        The estimate that `fit` itself makes of W, jointly with H, is `W_`.
        """
        return self.fit(V, y).transform(V)

    # --- New rows and columns ----------------------------------------------------------------

    def transform(self, V: Any) -> np.ndarray:
        """Return W of new rows by fold-in, given H_ (see nbmf.families.beta_dirichlet.fold_in).

        Parameters
        ----------
        V : BinaryMatrix, array (F', N) or DataFrame
            1, 0 and missing, with the columns of the fitted matrix.

        Returns
        -------
        float array (F', K)
            A row depends on no other row of V, and on no random number.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            If V has other columns, a value that is not allowed or no observed entry.
        """
        return self._fold_in(self._fold_in_rows, V, axis=1)

    def transform_columns(self, V: Any) -> np.ndarray:
        """Return H of new columns by fold-in, given W_, float array (K, N').

        V, (F, N'), has the rows of the fitted matrix; the rest is as for `transform`.
        """
        return self._fold_in(self._fold_in_columns, V, axis=0)

    def predict_rows(self, V: Any) -> np.ndarray:
        """Return E[V] of new rows, float array (F', N), missing entries too."""
        return self.inverse_transform(self.transform(V))

    def predict_columns(self, V: Any) -> np.ndarray:
        """Return E[V] of new columns, float array (F, N'), missing entries too."""
        H = self.transform_columns(V)
        return self.W_ @ H

    def inverse_transform(self, W: Any) -> np.ndarray:
        """Return E[V] = W H_ for rows W (F', K), float array (F', N).

        Of a Gibbs sampler's `W_` that is not `expectation_`, which averages products.
        """
        return self._as_W(W) @ self.H_

    def score(self, V: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of rows folded in, in nats per observed entry.

        Higher is better. The entries that are scored are those that were folded in; how well
        unseen ones are predicted is told by entries held out, see `nbmf.compare`.
        """
        expectation = self.predict_rows(V)
        codes = self._codes_of(V)
        return -metrics.score(codes, expectation, codes >= 0).perplexity

    def _fold_in(self, fold_in: Callable, V: Any, axis: int) -> np.ndarray:
        """Return what `fold_in` makes of V, whose lines along `axis` are those of the fit."""
        self._require_fit()
        codes = self._codes_of(V)
        name, fitted = type(self).__name__, self.expectation_.shape[axis]
        if codes.shape[axis] != fitted:
            things = ("samples", "features")[axis]
            raise DataError(
                f"V is of another shape: X has {codes.shape[axis]} {things}, but {name} is "
                f"expecting {fitted} {things} as input"
            )
        given, known = _names_of(V)[axis], (self.row_names_, self.column_names_)[axis]
        if given is not None and known is not None and (given != known).any():
            n = int(np.flatnonzero(given != known)[0])
            raise DataError(
                f"{('row', 'column')[axis]} {n} (counted from 0) of V is {str(given[n])!r}; "
                f"in the matrix that was fitted it is {str(known[n])!r}"
            )
        with threadpool_limits(limits=1, user_api="blas"):
            return fold_in(codes)

    @staticmethod
    def _codes_of(V: Any) -> np.ndarray:
        """Return the codes (int8, F x N) of V; some errors are in scikit-learn's words."""
        shape, kind = getattr(V, "shape", ()), getattr(getattr(V, "dtype", None), "kind", None)
        if kind == "c":
            raise DataError("Complex data not supported: allowed are 0, 1 and missing (NaN or -1)")
        if len(shape) == 1:
            raise DataError(
                "V has one dimension and a matrix has two. Reshape your data: "
                "V.reshape(1, -1) is a matrix of one row"
            )
        if len(shape) == 2 and shape[1] == 0:
            raise DataError(f"V has 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
        return as_codes(V)

    def _as_W(self, W: Any) -> np.ndarray:
        self._require_fit()
        W, K = np.asarray(W, dtype=float), self.H_.shape[0]
        if W.ndim != 2 or W.shape[1] != K:
            raise DataError(f"W has shape {W.shape}: allowed is (rows, {K})")
        return W

    def _require_fit(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(V) first")

    @property
    def components_(self) -> np.ndarray:
        """H_, under scikit-learn's name."""
        self._require_fit()
        return self.H_

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

    # --- Files -------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted estimator to an NPZ file without pickles; `nbmf.load` reads it.

        Parameters, all learned attributes (E[V] too: a Gibbs sampler's cannot be recomputed) and
        the versions of what made them. Written atomically.

        Raises
        ------
        NotFittedError
            Before `fit`.
        ConfigError
            If a parameter is nothing that JSON can hold.
        """
        self._require_fit()
        own = type(self)
        is_exported = nbmf.EXPORTS.get(own.__name__) == own.__module__
        name = own.__name__ if is_exported else f"{own.__module__}:{own.__qualname__}"
        learned = {key: value for key, value in vars(self).items() if _is_learned(key)}
        saving.write(path, saving.Model(name, self.get_params(), learned))

    def _restore(self, learned: dict[str, Any]) -> None:
        """Take over what a file says was learned.

        Raises
        ------
        DataError
            If something is missing, or is not of the type and shape it has to be.
        """
        sizes = {}
        for name, axes in self._shapes.items():
            array = learned.get(name)
            if not isinstance(array, np.ndarray) or array.dtype != float or array.ndim != len(axes):
                raise DataError(f"{name} has to be an array of floats with {len(axes)} axes")
            expected = tuple(
                sizes.setdefault(axis, size) for axis, size in zip(axes, array.shape, strict=True)
            )
            if array.shape != expected or not np.isfinite(array).all():
                raise DataError(f"{name} has to be finite and of shape {expected}")
        for name, axis in (("row_names_", "F"), ("column_names_", "N")):
            if name not in learned:
                raise DataError(f"{name} is missing")
            names = learned[name]  # None if there are none
            is_text = isinstance(names, np.ndarray) and names.dtype.kind == "U"
            if names is not None and not (is_text and names.shape == (sizes[axis],)):
                raise DataError(f"{name} has to be {sizes[axis]} texts")
        for name, types in _SCALARS.items():
            if name not in learned or type(learned[name]) not in types:
                raise DataError(f"{name} is missing or of another type")
        if unknown := [name for name in learned if not _is_learned(name)]:
            raise DataError(f"{unknown[0]!r} is nothing that is learned")
        vars(self).update(learned)

    # --- Parameters --------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's parameters and their values."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; their values are checked by `fit`.

        Raises
        ------
        ConfigError
            If there is no such parameter; none is set then.
        """
        allowed = inspect.signature(type(self)).parameters
        for name in params:
            if name not in allowed:
                own = type(self).__name__
                raise ConfigError(f"{own} has no parameter {name!r}; {choices(name, allowed)}")
        vars(self).update(params)
        return self

    def check_parameters(self) -> None:
        """Raise ConfigError if a parameter has a value that is not allowed."""
        given = self.get_params()
        for name, value in given.items():
            parameters.check(name, value)
        for name in parameters.CONCENTRATIONS:
            if name in given:
                self._concentration(name)  # has the right length

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def __sklearn_is_fitted__(self) -> bool:
        return "H_" in vars(self)

    def __sklearn_tags__(self):
        # Only scikit-learn asks, so it is loaded: no fit pays for it.
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(allow_nan=True),
        )

    def _concentration(self, name: str) -> np.ndarray:
        return parameters.per_component(name, getattr(self, name), self.n_components)

    def _seed(self) -> np.random.SeedSequence:
        if isinstance(self.random_state, np.random.SeedSequence):
            return self.random_state
        return np.random.SeedSequence(self.random_state)


# Learned numbers, and the types JSON gives them.
_SCALARS = {"n_iter_": (int,), "converged_": (bool, type(None)), "active_components_": (int,)}


def _is_learned(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _names_of(V: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the names of rows and columns, str arrays, None where V has none."""
    if isinstance(V, BinaryMatrix):
        return V.row_names, V.column_names
    if hasattr(V, "columns") and hasattr(V, "index"):
        return _names_along(V.index), _names_along(V.columns)
    return None, None


def _names_along(index: Any) -> np.ndarray | None:
    """Return the names of an index of pandas, None if they only number its places."""
    names = list(index)
    if names == list(range(len(names))):
        return None
    return np.array([str(name) for name in names])


def most_iterations(estimator: Factorization) -> int:
    """Return how many iterations or sweeps a fit takes at most."""
    given = estimator.get_params()
    return given.get("max_iter") or given["burn_in"] + given["n_samples"]


def count_active(shares: np.ndarray) -> int:
    """Return how many components hold at least ACTIVE_SHARE of all weight."""
    return int(np.count_nonzero(shares >= ACTIVE_SHARE))


class StoppingRule(Protocol):
    """Says when a fit is done."""

    def next_after(self, iteration: int) -> int:
        """Return the first iteration after `iteration` to be asked at."""

    def is_met(self, iteration: int) -> bool:
        """Whether to stop after `iteration`; False at those it did not ask for."""


def iterate(
    advance: Callable[[int], None],
    first: int,
    last: int,
    state: State,
    monitor: Monitor | None,
    total: int,
    rule: StoppingRule | None = None,
) -> int:
    """Do iterations `first` + 1 to `last` of `total` by `advance(steps)`, the monitor in between.

    The monitor is called when it asks to be, and after the last of all iterations, which is the
    one at which the rule is met. Returns how many have been done.
    """
    done = first
    while done < last:
        called_at = last if monitor is None else monitor.next_after(done)
        asked_at = last if rule is None else rule.next_after(done)
        stop = int(min(called_at, asked_at, last))
        advance(stop - done)
        done = stop
        if rule is not None and rule.is_met(done):
            last = total = done
        if monitor is not None and done in (called_at, total):
            monitor(done, total, state)
    return done
