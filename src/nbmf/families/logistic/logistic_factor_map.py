"""The logistic factor model at its posterior mode, with the strength of the prior chosen by held-out entries."""

from typing import ClassVar

import numpy as np
from scipy.special import expit

from nbmf.families.logistic.line_means import LineMeans
from nbmf.families.logistic.logistic_estimator import FactorModel, settled_weights
from nbmf.families.logistic.penalized_likelihood import ModeState, signs_of
from nbmf.families.logistic.quadratic import PolyaGamma
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.folds import eligible_of
from nbmf.inference.loop import run
from nbmf.inference.parameters import AUTO, Rule, is_number
from nbmf.inference.stopping import RelativeGainBelow
from nbmf.likelihoods.bernoulli import BERNOULLI
from nbmf.numerics import sigmoid
from nbmf.seeds import child

PENALTIES = 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0  # that are tried
FIRST = 4.0  # with which the search begins, and what is taken where nothing can be held out


@with_parameters
class LogisticFactorMAP(LineMeans):
    """Logistic factor model at the posterior mode: V ~ Bernoulli(σ(r + c + WH)), w and h ~ N(0, 1/λ).

    W and H that maximise log p(V | W, H) - λ (‖W‖² + ‖H‖²) / 2 are those for which λ times the sum of the singular
    values of WH is the penalty (Srebro, Rennie and Jaakkola 2005): components that the data do not need fade and are
    dropped, and with enough of them every start ends at one place. The prior's strength λ decides how well it predicts,
    so that it is chosen by cross-validation. Where entries are easily told from each other, as in fingerprints or
    sparse matrices of clusters, a mode predicts better than an average over a wide posterior.

    Parameters
    ----------
    n_components : int
        The largest K: components that are not needed are dropped. 0 with effects.
    effects : {"none", "rows", "columns", "both"}
        Rows or columns that have a log-odds of their own, N(0, 100).
    penalty : float or "auto"
        λ, the precision of W and H a priori; "auto" goes from 4 to larger ones of 1/16, 1/8, ... 64, or else to smaller
        ones, as long as the loss of entries held out falls; 4 where fewer than 20 entries (or pairs) are observed.
    max_iter : int
        Updates of all rows and all columns, at most.
    relative_gain_tol : float
        Stop when 10 updates raise the objective by less than this part of it.
    random_state : int, SeedSequence or None
        The same value gives the same bits.

    Attributes
    ----------
    penalty_ : float array ()
        λ.

    See Factorization and FactorModel for the other learned attributes, where K is the number of components that are
    left; expectation_ is σ(ψ) at the mode, the objective the log-likelihood minus the penalties, in nats. New rows and
    columns are predicted by the mean over what is not known of them, given the other factor.
    """

    method_name = "logistic MAP"
    inference = Inference.POINT
    finds_components = True
    takes_starts = False  # with other seeds other penalties may be chosen, whose objectives cannot be compared
    likelihoods = (BERNOULLI,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    shapes: ClassVar = FactorModel.shapes | {"penalty_": ""}
    rules = FactorModel.rules | {
        "penalty": Rule(
            lambda value: (isinstance(value, str) and value == AUTO) or (is_number(value) and 1e-6 <= value <= 1e6),
            "a number from 1e-6 to 1e6, or 'auto'",
        )
    }

    n_components: int = 64
    effects: str = "columns"
    penalty: float | str = AUTO
    max_iter: int = 500
    relative_gain_tol: float = 1e-4
    random_state: RandomState = None

    def _start(self, codes, seed):
        penalty = self._search_penalty(codes, seed) if self.penalty == AUTO else float(self.penalty)
        return self._state(codes, penalty, seed)

    def for_several_starts(self, values):
        """Return the estimator with the penalty that its first start would take: each penalty has its own objective."""
        if self.penalty != AUTO:
            return self
        seed = self._seed()
        return type(self)(**self.get_params() | {"penalty": self._search_penalty(values, seed), "random_state": seed})

    def _state(self, codes, penalty, seed) -> ModeState:
        rng = np.random.default_rng(child(seed, "start"))
        return ModeState(signs_of(codes), self.n_components, self.effects_in_use, penalty, rng)

    def _stopping_rule(self, state):
        return RelativeGainBelow(state.objective, self.relative_gain_tol)

    def _search_penalty(self, codes, seed) -> float:
        """Return the penalty whose fits predict held-out entries best, going from FIRST as long as that pays."""
        eligible = eligible_of(codes, BERNOULLI)
        if not eligible.suffice() or self.n_components == 0:
            return FIRST
        held_out, losses = eligible.folds(np.random.default_rng(child(seed, "penalty"))), {}

        def loss(place):
            if place not in losses:
                losses[place] = sum(self._loss_of_fold(codes, fold, PENALTIES[place], seed) for fold in held_out)
            return losses[place]

        at = PENALTIES.index(FIRST)
        for direction in (1, -1):
            while 0 <= at + direction < len(PENALTIES) and loss(at + direction) < loss(at):
                at += direction
        return PENALTIES[at]

    def _loss_of_fold(self, codes, fold, penalty, seed) -> float:
        state = self._state(BERNOULLI.hide(codes, fold), penalty, seed)
        run(state, self.max_iter, None, self._stopping_rule(state))
        return float(BERNOULLI.losses(codes[fold], state.expectation()[fold]).sum())

    def _learn(self, state):
        self.penalty_ = np.array(state.penalty)
        super()._learn(state)

    @property
    def findings(self):
        """λ, and how it was found."""
        return {"penalty": float(self.penalty_)}

    # --- Means, new rows and columns ---------------------------------------------------------------

    def _mean_of(self, psi, factors, columns):
        return expit(psi)

    def _mean_under(self, psi, variance):
        return sigmoid.probability(psi, variance)

    def _weights(self, values, psi, square):
        return settled_weights(PolyaGamma(values), psi, square)

    def _precisions_given(self, H):
        """Return the precisions that columns of H_ have, (K,), as rows of W_ have 1: new ones are like them.

        With those of the mode's prior a new row would be shrunk towards 0 as all rows of the fit together are.
        """
        return H.shape[1] / (H**2).sum(axis=1)
