"""Which side of V has the weights: its rows (Beta-Dir) or its columns (Dir-Beta, section 3.1)."""

from typing import ClassVar

import numpy as np

from nbmf.families.beta_dirichlet.beta_dirichlet_estimator import MeanParameterized
from nbmf.families.beta_dirichlet.beta_dirichlet_fold_in import BetaDirFoldIn
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import LEARN, PER_COLUMN, Concentration, is_text
from nbmf.families.beta_dirichlet.beta_dirichlet_priors import Shrinkage
from nbmf.families.beta_dirichlet.start_choice import STARTS, Candidate, choose
from nbmf.inference.constructors import with_parameters
from nbmf.inference.parameters import AUTO
from nbmf.inference.products import COLUMNS, ROWS, Oriented
from nbmf.inference.state import Factors, State


@with_parameters
class BetaDir(BetaDirFoldIn, Oriented, MeanParameterized):
    """Base class of the methods of the Beta-Dir model, of V or of V transposed.

    With orientation "rows" a row is a distribution over components, and a column has a probability
    in each; with "columns" it is the other way round. "auto" lets held-out entries decide.

    Attributes
    ----------
    orientation_ : {"rows", "columns"}
        The one that was fitted.
    shrinkage_ : float array (2,)
        With "learn-columns": the proportion of ones, and how many observations it counts for in
        the prior mean of a row or column.
    """

    model = "beta-dir"
    weights_prior = "gamma"
    orientation = ROWS
    start_matters: ClassVar[bool] = False  # whether learning stays in the mode it starts in

    alpha: Concentration = 1.0
    beta: Concentration = 1.0

    def _start_rows(self, codes, start: Candidate, seed) -> State:
        """Return the state of Beta-Dir with weights of rows."""
        raise NotImplementedError

    def _start(self, codes, seed):
        sides = (ROWS, COLUMNS) if self.orientation == AUTO else (self.orientation,)
        starts = STARTS if self._learns_beta_prior else STARTS[:1]
        candidates = [start._replace(side=side) for start in starts for side in sides]
        chosen = candidates[0]
        if len(sides) > 1 or (self.start_matters and len(starts) > 1):
            chosen = choose(codes, candidates, self._prior_values(), self.n_components)
        if not self.start_matters:  # of the choice only the side is taken
            chosen = STARTS[0]._replace(side=chosen.side)
        return self._start_at(chosen, codes, seed)

    def _start_at(self, chosen: Candidate, codes, seed) -> State:
        """Return the state of a fit with the side and the start that were chosen."""
        self.orientation_ = chosen.side
        oriented = codes if chosen.side == ROWS else codes.T
        vars(self).pop("shrinkage_", None)  # of an earlier fit
        if is_text(self.alpha, PER_COLUMN):
            self.shrinkage_ = np.array(Shrinkage.of(oriented))
        state = self._start_rows(oriented, chosen, seed)
        return state if chosen.side == ROWS else TransposedState(state)

    def _further_learned(self):
        return [*super()._further_learned(), *(["shrinkage_"] if is_text(self.alpha, PER_COLUMN) else [])]

    def _stopping_rule(self, state):
        return super()._stopping_rule(state.inner if isinstance(state, TransposedState) else state)

    def _prior_values(self) -> dict:
        """Return the hyperparameters as given, by the names they have in Beta-Dir."""
        weights = getattr(self, self.weights_prior)
        return {"alpha": self.alpha, "beta": self.beta, "gamma": weights}

    @property
    def findings(self):
        """The learned hyperparameters, and the orientation where it was chosen."""
        chosen = {"orientation": self.orientation_} if self.orientation == AUTO else {}
        return super().findings | chosen

    @property
    def _learns_beta_prior(self) -> bool:
        return any(is_text(value, LEARN, PER_COLUMN) for value in (self.alpha, self.beta))


class TransposedState:
    """The state of a transposed fit in the original orientation; what has none is that of the fit."""

    def __init__(self, inner: State):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def factors(self):
        """Return the factors, transposed."""
        return _transposed(self.inner.factors())

    def estimate(self):
        """Return the factors that the fit ends with, transposed."""
        return _transposed(self.inner.estimate())

    def expectation(self):
        """Return E[V], transposed."""
        return self.inner.expectation().T

    def predictive(self, rows, columns):
        """Return the mean of some entries."""
        return self.inner.predictive(columns, rows)

    def current_predictive(self, rows, columns):
        """Return the mean given the current factors."""
        return self.inner.current_predictive(columns, rows)

    def draw(self, rng):
        """Draw the factors, transposed."""
        return _transposed(self.inner.draw(rng))


def _transposed(factors: Factors) -> Factors:
    return Factors(factors.H.T, factors.W.T)
