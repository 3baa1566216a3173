"""MNB, MMNB, Fast MMNB of tables of features; of documents a unigram mixture, LDA, Fast LDA."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp

from nbmf.data.feature_categories import table_like, with_categories
from nbmf.data.feature_columns import GAUSSIAN, WORD
from nbmf.data.feature_table import FeatureTable
from nbmf.data.given import as_pandas, is_frame
from nbmf.errors import ConfigError, ConstantFeatureWarning, DataError, Message, NotFittedError, Setting, warn
from nbmf.families.mixed_membership.densities import Smoothing
from nbmf.families.mixed_membership.e_steps import EStep, FastStep, FullStep, MixtureStep
from nbmf.families.mixed_membership.em import HELD, MembershipState
from nbmf.families.mixed_membership.features import Densities, cells_of
from nbmf.families.mixed_membership.membership_estimator import evaluate, warn_if_collapsed
from nbmf.families.mixed_membership.membership_evaluation import Evaluation, entropies
from nbmf.families.mixed_membership.membership_parameters import FAST, FULL, MIXTURE, OF_MIXTURE, OLD_NAMES, RANDOM_ROWS
from nbmf.families.mixed_membership.membership_parameters import RULES as OF_FAMILY
from nbmf.families.mixed_membership.saved_table_model import SavedTableModel
from nbmf.inference import loop
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.one_component import warn_if_worse
from nbmf.inference.parameters import AT_LEAST_ZERO, as_fitted, one_of
from nbmf.inference.state import Monitor
from nbmf.inference.stopping import RelativeChangeBelow, warn_of_no_convergence
from nbmf.inference.table_model import TableModel
from nbmf.numerics.blas import one_blas_thread


@with_parameters
class FeatureModel(SavedTableModel, TableModel):
    """Mixed-membership naive Bayes of a FeatureTable (Shan and Banerjee 2009).

    Rows are data points. With model "mnb" each is in one component; with "mmnb" it has a mixture of
    its own, π ~ Dirichlet(α), and each of its features is in one component; "fast-mmnb" learns the
    same model with one variational distribution for all features of a row. Of a table of documents
    they are a mixture of unigrams, LDA and Fast LDA.

    Parameters
    ----------
    n_components : int
        K; at most as many rows as differ.
    model : {"mnb", "mmnb", "fast-mmnb"}
        Which of the three.
    smoothing : float
        ε of discrete features, words and rates.
    variance_floor, relative_floor : float
        The least variance of a Gaussian feature in a component, and the same as a share of its
        variance in all rows. Either may be 0, the former only where no feature is constant.
    inner_max, inner_tol : int, float
        Rounds of the E-step of a row at most, and the mean change of γ below which it ends.
    first_alpha : float or None
        Each α_c that the fit starts with; None: 1/K.
    alpha_held : int
        M-steps that leave α as it starts.
    start_from : {"rows", "mixture"}
        What components start from: random rows, or where "mnb" ends from these.
    warm : {"always", "late", "never"} or None
        From when on E-steps start where the last one ended, by which the objective rises for certain; "late" is once it
        moves by less than 1e-4 of itself. None: "late" with "mmnb", "never" with "fast-mmnb". With "mnb" it means
        nothing, as the three before it.
    max_iter : int
        The largest number of EM steps.
    relative_change_tol : float
        Stop when the objective (bound and smoothing) moves by less, as a share of itself; 0 never.
    random_state : int, SeedSequence or None
        The same value gives the same bits. Components start from random rows.

    Attributes
    ----------
    memberships_ : float array (F, K)
        Mean shares γ / Σγ of the components in each row; of "mnb" their probabilities r.
    means_ : float array (K, N)
        Mean of each feature in each component; of words their probabilities.
    prior_ : float array (K,)
        α; of "mnb" π.
    densities_ : Densities
        The distributions of the features, which give `log_density`.
    bound_, objective_ : float
        L of all rows in nats, and with the penalty of smoothing.
    objective_of_one_ : float or None
        The objective where one component has all cells; None of a fit with one.
    distinct_components_ : int
        Components that differ; fewer than all have collapsed, and a warning has said so.
    n_iter_, converged_ : int, bool or None
        As of every estimator.
    """

    inference = Inference.POINT
    takes_starts = True
    table = FeatureTable
    rules = OF_FAMILY | {
        "model": one_of(MIXTURE, FULL, FAST),
        "variance_floor": AT_LEAST_ZERO,
        "relative_floor": AT_LEAST_ZERO,
    }
    old_names: ClassVar = OLD_NAMES

    n_components: int = 2
    model: str = "mmnb"
    smoothing: float = 1.0
    variance_floor: float = 1e-13
    relative_floor: float = 1e-3
    inner_max: int = 100
    inner_tol: float = 1e-3
    first_alpha: float | None = None
    alpha_held: int = HELD
    start_from: str = RANDOM_ROWS
    warm: str | None = None
    max_iter: int = 500
    relative_change_tol: float = 1e-6
    random_state: RandomState = None

    def fit(self, V: Any, y: Any = None, *, monitor: Monitor | None = None) -> Self:
        """Learn components and memberships of a FeatureTable, or of what one is made of.

        Raises
        ------
        ConfigError
            If a parameter has a value that is not allowed, or fewer than K rows differ.
        DataError
            If a feature has no observed cell; the message names it.

        Warns
        -----
        ConstantFeatureWarning, CollapsedWarning, NotConvergedWarning, WorseThanOneComponentWarning
        """
        self.check_parameters()
        table = FeatureTable.of(V)
        with one_blas_thread():
            state = self.start(table)
            rule = self._stopping_rule(state)
            self.n_iter_, self.converged_ = loop.run(state, self.max_iter, monitor, rule)
        self.keep_parameters()
        self.memberships_, self.means_, _ = state.factors()
        self.prior_, self.densities_ = state.prior, state.densities
        self.bound_, self.objective_ = state.bound, state.objective()
        self.objective_of_one_ = state.objective_of_one() if self.n_components > 1 else None
        self.kinds_, self.column_names_ = table.kinds, table.column_names
        self.sizes_, self.categories_ = table.sizes, table.categories
        self.distinct_components_ = warn_if_collapsed(f"{self.model} of a table", state)
        if self.converged_ is False:
            warn_of_no_convergence(self.model, rule, self.max_iter)
        warn_if_worse(f"{self.model} of a table", self.n_components, self.objective_, self.objective_of_one_)
        return self

    def start(self, table: FeatureTable) -> MembershipState:
        """Return the state before the first EM step, for whoever advances it himself."""
        cells = cells_of(table)
        self._refuse_what_cannot_be(table, cells)
        self._warn_of_constant_features(table, cells)
        given, e_step = self.random_state, self._e_step()
        seed = given if isinstance(given, np.random.SeedSequence) else np.random.SeedSequence(given)
        state = self._state(table, cells, e_step, seed)
        if self.start_from == OF_MIXTURE and e_step.is_dirichlet:
            mixture = self._state(table, cells, MixtureStep(), seed)
            loop.run(mixture, self.max_iter, None, self._stopping_rule(mixture))
            state.start_from(mixture)
        return state

    def _state(self, table, cells, e_step, seed) -> MembershipState:
        """Return a state whose components start from the rows that the seed draws."""
        K, rng = self.n_components, np.random.default_rng(seed)
        densities = Densities(table, cells, K, Smoothing(self.smoothing, self.variance_floor, self.relative_floor))
        return MembershipState(cells, densities, e_step, K, rng, alpha_held=self.alpha_held)

    def _stopping_rule(self, state) -> RelativeChangeBelow:
        return RelativeChangeBelow(state, self.relative_change_tol)

    def _e_step(self) -> EStep:
        if self.model == MIXTURE:
            return MixtureStep()
        step = {FULL: FullStep, FAST: FastStep}[self.model]
        return step(self.inner_max, self.inner_tol, self.first_alpha, self.warm)

    def _refuse_what_cannot_be(self, table, cells):
        seen = np.bincount(table.columns, minlength=table.shape[1])
        if WORD not in table.kinds and (seen == 0).any():
            name = str(table.column_names[seen == 0][0])
            raise DataError(f"column {name!r} has no observed cell; leave it out")
        most = cells.count_distinct_rows(self.n_components)
        if most < self.n_components:
            raise ConfigError(
                Setting("n_components", self.n_components),
                f": {most} rows of the table differ and have cells; allowed: at most as many components",
            )

    def _warn_of_constant_features(self, table, cells):
        is_real = table.kinds == GAUSSIAN
        values_of = np.bincount(cells.columns, minlength=table.shape[1])  # distinct ones
        constant = table.column_names[is_real & (values_of == 1)].tolist()
        if constant and self.variance_floor == 0:
            raise ConfigError(
                Setting("variance_floor", 0),
                f": column {constant[0]!r} is constant; allowed: a positive number, or to leave the column out",
            )
        if constant:
            message = Message(
                f"constant in all rows: {', '.join(map(repr, constant))}. Their variance is ",
                Setting("variance_floor", self.variance_floor),
                ": it adds a constant to the likelihood, and another value in a new row is all but impossible",
            )
            warn(message, ConstantFeatureWarning)

    @as_fitted
    def evaluate(self, V: Any, n_draws: int = 0, random_state: RandomState = 0) -> Evaluation:
        """Return bounds, memberships and, if asked, sampled likelihoods of rows, new or not.

        Parameters
        ----------
        V : FeatureTable
            With the columns of the fit.
        n_draws : int
            Draws of each row in importance sampling, 0 for none; of "mnb" the bound is exact.
        random_state : int, SeedSequence or None
            The seed of these draws.

        Raises
        ------
        NotFittedError, DataError
            Before `fit`; if columns are others.
        ConfigError
            If n_draws is no integer of at least 0, or random_state no seed.
        """
        cells = cells_of(self.table_of(V))
        with one_blas_thread():
            sample = n_draws, random_state
            return evaluate(self._e_step(), self.prior_, cells, self.densities_, sample)

    def cell_log_likelihood(self, V: Any, held_out: Any) -> np.ndarray:
        """Return the log density of held-out cells given the other cells of their rows.

        ln Σ_c s_c p_jc(v), with s the shares that an E-step on V gives the row.

        Parameters
        ----------
        V, held_out : FeatureTable
            The same rows: the cells that are known, and those that are scored. Without V nothing is
            known of a row, and s are the mean shares of the rows of the fit.

        Returns
        -------
        float array (cells,)
            In the order of `held_out.cells`, in nats.
        """
        scored = self.table_of(held_out)
        if V is None:
            shares = np.tile(self.memberships_.mean(axis=0), (scored.shape[0], 1))
        else:
            shares = self.evaluate(V).memberships
        if scored.shape[0] != len(shares):
            raise DataError(f"held_out has {scored.shape[0]} rows; allowed: the number of V, {len(shares)}")
        log = self.densities_.log_density(scored.columns.astype(np.int64), scored.cells)
        with np.errstate(divide="ignore"):
            return logsumexp(log + np.log(shares[scored.row_of_cell()]), axis=1)

    @property
    def clusters_(self) -> np.ndarray:
        """The component with the largest share of each row, int array (F,)."""
        self._require_fit()
        return self.memberships_.argmax(axis=1)

    @property
    def entropies_(self) -> np.ndarray:
        """The entropy of each row's memberships in nats, float array (F,)."""
        self._require_fit()
        return entropies(self.memberships_)

    @property
    def findings(self) -> dict[str, Any]:
        """How mixed memberships are, whether components collapsed, the bound, and Σα (of "mnb" 1)."""
        return {
            "mean_entropy": float(self.entropies_.mean()),
            "distinct_components": self.distinct_components_,
            "bound": self.bound_,
            "alpha": float(self.prior_.sum()),
        }

    def _require_fit(self):
        if "memberships_" not in vars(self):
            raise NotFittedError("this FeatureModel is not fitted yet: call fit(V) first")

    def table_of(self, V: Any) -> FeatureTable:
        """Return V as a table with the columns and categories of the fit; those of a DataFrame are of its kinds.

        Raises
        ------
        NotFittedError, DataError
            Before `fit`; if columns are others, or a category is none of those of the fit.
        """
        self._require_fit()
        table = table_like(as_pandas(V), self.column_names_, self.kinds_) if is_frame(V) else FeatureTable.of(V)
        same = np.array_equal(table.column_names, self.column_names_)
        if not same or not np.array_equal(table.kinds, self.kinds_):
            raise DataError("columns are not those of the fit, by their names and kinds")
        return with_categories(table, self.sizes_, self.categories_)
