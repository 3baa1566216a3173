"""What MNB, MMNB and Fast MMNB have in common on binary matrices: E[V] = WH, orientation."""

from typing import ClassVar

import numpy as np

from nbmf.errors import CollapsedWarning, Message, Setting, warn
from nbmf.families.mixed_membership.densities import Categories, Density, Smoothing
from nbmf.families.mixed_membership.e_steps import DirichletStep, EStep, FullStep
from nbmf.families.mixed_membership.em import MembershipState
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.membership_evaluation import Evaluation, entropies, sampled_log_likelihood
from nbmf.families.mixed_membership.membership_parameters import OLD_NAMES, RULES
from nbmf.inference.blocks import refine
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.parameters import check, check_count
from nbmf.inference.products import COLUMNS, ROWS, Oriented
from nbmf.inference.stopping import RelativeChangeBelow
from nbmf.likelihoods.bernoulli import BERNOULLI

TOLERANCE, MAX_STEPS = 1e-6, 1000  # of probabilities of new rows and columns


def evaluate(e_step: EStep, prior: np.ndarray, cells: Cells, densities: Density, sample: tuple) -> Evaluation:
    """Return what a model says about rows; `sample` is n_draws and the seed of the sampling.

    Raises
    ------
    ConfigError
        If n_draws is no integer of at least 0, or the seed is none.
    """
    sampled, (n_draws, seed) = None, sample
    check_count("n_draws", n_draws, 0)
    check("random_state", seed)
    log_density = densities.log_density(cells.columns, cells.values)
    memberships = e_step.find(cells, log_density, prior)
    if n_draws > 0 and e_step.is_dirichlet:
        rng = np.random.default_rng(seed)
        sampled = sampled_log_likelihood(cells, log_density, prior, memberships.gamma, n_draws, rng)
    elif n_draws > 0:
        sampled = memberships.bounds
    return Evaluation(cells.sizes, memberships.bounds, memberships.shares, sampled)


def warn_if_collapsed(name: str, state: MembershipState) -> int:
    """Return how many components differ; say so in a warning if that is not all of them."""
    K, distinct = state.prior.size, state.distinct_components()
    reasons = []
    if distinct < K:
        reasons.append(f"of {K} components only {distinct} differ")
    if state.shares_are_one:
        reasons.append(f"the sum of alpha is {state.prior.sum():.3g}: all rows share one mixture")
    if reasons:
        collapsed = f"{name} collapsed: {' and '.join(reasons)}. Memberships then mean little: "
        more = [" or fewer components"]
        if state.memberships.alpha is not None:  # E-steps of a mixture have no rounds
            more = [", fewer components or another ", Setting("inner_max")]
        warn(Message(collapsed, "take another ", Setting("random_state"), *more), CollapsedWarning)
    return distinct


class Membership(Oriented, Factorization):
    """Base class: rows or columns of V with memberships in components, by EM.

    With orientation "rows" a row of V is a data point with memberships (a row of W), and H has the
    probabilities of a one; with "columns" it is the other way round. Missing entries take no part.

    Attributes
    ----------
    bound_ : float
        L of all rows and columns in nats: a lower bound of ln p(V | θ), exact of MNB.
    distinct_components_ : int
        Components that differ in what they say about V; fewer than all have collapsed.
    orientation_ : {"rows", "columns"}
        The one that was fitted.
    """

    inference = Inference.POINT
    takes_starts = True
    alignment = Alignment.PERMUTATION
    rules = RULES
    old_names: ClassVar = OLD_NAMES
    orientation = ROWS

    prior_name = "alpha_"
    renews_memberships: ClassVar[bool] = False  # those of a row or column, in the fold-in of the other side
    step: ClassVar[type[DirichletStep]] = FullStep
    state_class: ClassVar[type[MembershipState]] = MembershipState

    def _e_step(self) -> EStep:
        """Return the E-step, whose settings are parameters of the class."""
        return self.step(self.inner_max, self.inner_tol)

    def _cells(self, values: np.ndarray) -> Cells:
        """Return the cells of data points, values (points, features)."""
        raise NotImplementedError

    def _first_densities(self, cells: Cells, features: int) -> Density:
        """Return the distributions of the features before the fit."""
        raise NotImplementedError

    def _fitted_densities(self) -> Density:
        """Return those that were learned."""
        raise NotImplementedError

    def _points(self, values: np.ndarray) -> np.ndarray:
        """Return V or its transpose, with data points as rows."""
        return values if self.weights_are_rows else np.ascontiguousarray(values.T)

    def _start(self, values, seed):
        self.orientation_ = self.orientation
        points = self._points(values)
        cells = self._cells(points)
        densities = self._first_densities(cells, points.shape[1])
        rng, of_columns = np.random.default_rng(seed), not self.weights_are_rows
        e_step, K = self._e_step(), self.n_components
        return self.state_class(cells, densities, e_step, K, rng, of_columns=of_columns)

    def _stopping_rule(self, state):
        return RelativeChangeBelow(state, self.relative_change_tol)

    def _learn(self, state):
        super()._learn(state)
        setattr(self, self.prior_name, state.prior.copy())
        self.bound_ = state.bound
        self.distinct_components_ = warn_if_collapsed(type(self).__name__, state)

    def _objective_of_one(self, state, values):
        return state.objective_of_one()

    @property
    def findings(self):
        """The entropy of memberships, whether components collapsed, and Σα."""
        facts = {
            "mean_entropy": float(entropies(self.memberships(self.factors_)).mean()),
            "distinct_components": self.distinct_components_,
            "bound": self.bound_,
        }
        if self.prior_name == "alpha_":
            facts["alpha"] = float(self.alpha_.sum())
        return facts

    def evaluate(self, V, n_draws: int = 0, random_state: RandomState = 0) -> Evaluation:
        """Return the bound, memberships and, if asked, the sampled likelihood of data points.

        Parameters
        ----------
        V : BinaryMatrix, array or DataFrame
            Rows, or columns, like those of the fit: rows with all its columns, or columns with all its rows.
        n_draws : int
            The number of importance samples for each row or column; 0 for none. The likelihood of MNB is exact.
        random_state : int, SeedSequence or None
            The seed of these draws.

        Raises
        ------
        NotFittedError, DataError
            As for `transform`.
        ConfigError
            If n_draws is no integer of at least 0, or random_state no seed.
        """
        axis = 1 if self.weights_are_rows else 0
        return self._fold_in(
            lambda values: evaluate(
                self._e_step(),
                getattr(self, self.prior_name),
                self._cells(self._points(values)),
                self._fitted_densities(),
                (n_draws, random_state),
            ),
            V,
            axis,
        )

    def _shares_of_points(self, points: np.ndarray) -> np.ndarray:
        """Return the memberships of new data points, (points, K): those of a last E-step."""
        prior, cells = getattr(self, self.prior_name), self._cells(points)
        return evaluate(self._e_step(), prior, cells, self._fitted_densities(), (0, 0)).memberships


@with_parameters
class BinaryMembership(Membership):
    """Base class of memberships of binary entries: each component has a probability of a one."""

    likelihoods = (BERNOULLI,)

    n_components: int = 5
    orientation: str = ROWS
    smoothing: float = 1.0
    max_iter: int = 500
    relative_change_tol: float = 1e-6
    random_state: RandomState = None

    @property
    def variant(self):
        """The rows or columns of V that have the memberships."""
        return ROWS if self.weights_are_rows else COLUMNS

    def _cells(self, values):
        return Cells.of_codes(values)

    def _first_densities(self, cells, features):
        return Categories(np.full(features, 2), self.n_components, Smoothing(self.smoothing))

    def _fitted_densities(self):
        return Categories.of_ones(self.H_ if self.weights_are_rows else self.W_.T)

    def _fold_in_rows(self, codes):
        if self.weights_are_rows:
            return self._shares_of_points(codes)
        return self._fold_in_features(codes, self.H_.T)

    def _fold_in_columns(self, codes):
        columns = np.ascontiguousarray(codes.T)
        if self.weights_are_rows:
            return self._fold_in_features(columns, self.W_).T
        return self._shares_of_points(columns).T

    def _fold_in_features(self, codes, shares):
        """Return the probabilities of new features (rows, K), given the shares of points.

        They maximise Σ ln Σ_c w_c p_c(v) + ε Σ ln p_c (1 - p_c) of each row or column. Where all cells of a
        point share one membership it is Σ_c w_c ln p_c(v) instead, which is solved at once.
        """
        ones, zeros = (codes == 1).astype(float), (codes == 0).astype(float)
        A, B = ones @ shares, zeros @ shares
        if not self.renews_memberships:
            return _smoothed(A, B, self.smoothing)
        totals = ones.sum(axis=1, keepdims=True), zeros.sum(axis=1, keepdims=True)
        p = np.repeat(_smoothed(*totals, self.smoothing), shares.shape[1], axis=1)

        def renew(rows):
            mixture = np.clip(p[rows] @ shares.T, 1e-300, 1.0)
            A = p[rows] * ((ones[rows] / mixture) @ shares)
            B = (1 - p[rows]) * ((zeros[rows] / np.maximum(1 - mixture, 1e-300)) @ shares)
            renewed = _smoothed(A, B, self.smoothing)
            moved = np.abs(renewed - p[rows]).max(axis=1) > TOLERANCE
            p[rows] = renewed
            return moved

        refine(len(p), renew, MAX_STEPS)
        return p


def _smoothed(A, B, epsilon):
    """Return (A + ε) / (A + B + 2 ε); a half where nothing is known."""
    total = A + B + 2 * epsilon
    return np.divide(A + epsilon, total, out=np.full(A.shape, 0.5), where=total > 0)
