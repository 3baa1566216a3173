"""How the classes of this family learn: points, q by ascent, and chains."""

import math
from typing import ClassVar

import numpy as np

from nbmf.errors import DataError
from nbmf.families.poisson_gamma.averages import Averages, mean_at
from nbmf.families.poisson_gamma.gamma_priors import NONE, SOURCE
from nbmf.families.poisson_gamma.observations import DENSE_SHARE, Observations, observations
from nbmf.families.poisson_gamma.parts import MANY, MANY_DRAWN, number_of_parts
from nbmf.families.poisson_gamma.point import PointState
from nbmf.families.poisson_gamma.poisson_gamma_estimator import LearnedPriors, Rates, is_dense
from nbmf.families.poisson_gamma.poisson_gamma_fold_in import FoldInPrior
from nbmf.families.poisson_gamma.poisson_gamma_gibbs import Chain, ChainState
from nbmf.families.poisson_gamma.poisson_gamma_variational import FactorPosterior, VariationalState
from nbmf.families.poisson_gamma.scales import SIDES
from nbmf.inference.constructors import RandomState, with_parameters
from nbmf.inference.declarations import Inference
from nbmf.inference.state import Factors
from nbmf.inference.stopping import RelativeGainBelow
from nbmf.seeds import children

# Updates before priors are learned: near a random start all components are alike, and shapes that
# follow at once end where one component is left (docs/poisson.md).
LEARN_AFTER = 100
OF_ONE = 0.03  # of the iterations of a fit, that one component may take: with its start, some 5 % of the time


@with_parameters
class Climbing(Rates):
    """Base class of those that improve an objective: they stop when it gains little."""

    takes_starts = True
    takes_threads = True
    old_names: ClassVar = {"tol": "relative_gain_tol"}

    max_iter: int = 1000
    relative_gain_tol: float = 1e-6
    precision: str = "double"
    threads: int = 1
    random_state: RandomState = None

    def _stopping_rule(self, state):
        return RelativeGainBelow(state.objective, self.relative_gain_tol, after=state.waits)

    def threads_pay(self, above_zero, shape):
        """Return whether passes visit only the entries above zero, and these are many."""
        return MANY <= above_zero < DENSE_SHARE * math.prod(shape)

    def _observations(self, values) -> Observations:
        return observations(values, self.is_binary, self.precision == "single", self.threads)

    def _climbed_by_one(self, values) -> float:
        """Return what one component reaches in OF_ONE of the iterations of this fit: its objective, or less."""
        iterations = max(1, round(OF_ONE * self.n_iter_))
        one = type(self)(**self.get_params() | {"n_components": 1, "max_iter": iterations})
        state = one._start(values, self._seed())
        state.advance(iterations)
        return state.objective()


class Point(Climbing):
    """Base class of point estimates."""

    inference = Inference.POINT

    def _state(self, values, data, means, priors, of_logarithms, seed) -> PointState:
        start = self._starting_tables(data, means, seed)
        return PointState(data, start, priors, of_logarithms, is_dense(values))

    def _learn(self, state):
        super()._learn(state)
        self.geometric_W_, self.geometric_H_ = self.W_.copy(), self.H_.copy()


@with_parameters
class Variational(Climbing, LearnedPriors):
    """Base class of variational Bayes."""

    inference = Inference.ASCENT

    def _start(self, values, seed):
        data = self._observations(values)
        start = self._starting_tables(data, self._means(data), seed)
        is_single = self.precision == "single" and not is_dense(values)
        dtype = np.float32 if is_single else np.float64
        W, H = (
            FactorPosterior(prior, table, dtype, self.threads)
            for prior, table in zip(self._priors(data), start, strict=True)
        )
        learn_after = min(LEARN_AFTER, self.max_iter // 2)
        return self._state_of(data, W, H, self._link, is_dense(values), learn_after)

    def _state_of(self, *parts) -> VariationalState:
        """Return the state of what VariationalState takes; classes that update otherwise define their own."""
        return VariationalState(*parts)

    def _objective_of_one(self, state, values):
        """Return that of a fit with one component; not where means are fixed, or shared, and idle components cost."""
        is_free = {self.tie_mean_W, self.tie_mean_H} & {SOURCE, NONE}
        return self._climbed_by_one(values) if is_free else None

    def _learn(self, state):
        super()._learn(state)
        self.geometric_W_, self.geometric_H_ = state.geometric_means()
        self._take_priors(state.priors())
        self._take_scales(state.scales())


@with_parameters
class Sampled(LearnedPriors):
    """Base class of Gibbs samplers.

    Attributes
    ----------
    draws_W_, draws_H_ : float32 arrays (draws, F, K), (draws, K, N)
        Of a matrix that was given as sparse: W and H after some of the kept sweeps, over which
        predictions are averaged. Of others the mean of E[V] is kept instead.
    """

    inference = Inference.SAMPLER
    takes_threads = True

    burn_in: int = 500
    n_samples: int = 500
    threads: int = 1
    random_state: RandomState = None

    def threads_pay(self, above_zero, shape):
        """Return whether the entries above zero are so many that they are divided."""
        return number_of_parts(above_zero, shape[1], MANY_DRAWN) > 1

    def _start(self, values, seed):
        data = Observations(values, self.is_binary, self.threads)
        start_seed, chain_seed = children(seed, 2)
        start = self._starting_tables(data, self._means(data), start_seed)
        chain = Chain(data, start, self._priors(data), chain_seed)
        numbers = data.shape, self.n_components, self.n_samples
        averages = Averages(*numbers, self._link, is_dense(values), SIDES[self.scales])
        return ChainState(chain, averages, self.burn_in, self._link)

    def _learn(self, state):
        super()._learn(state)
        averages = state.averages
        self.geometric_W_, self.geometric_H_ = averages.geometric_means()
        self._take_priors(averages.priors())
        self._take_scales(averages.scales())
        for name in ("draws_W_", "draws_H_"):
            vars(self).pop(name, None)  # of an earlier fit
        if not state.is_dense:
            self.draws_W_, self.draws_H_ = averages.kept_factors()

    def restore(self, learned):
        """Take over what a file says was learned; see Factorization.restore."""
        super().restore(learned)
        if self._expectation is None:
            F, K = self.W_.shape
            self._require_draws("draws_W_", (F, K))
            self._require_draws("draws_H_", (K, self.H_.shape[1]))

    def _require_draws(self, name: str, shape: tuple[int, int]) -> None:
        draws = vars(self).get(name)
        is_right = isinstance(draws, np.ndarray) and draws.dtype == np.float32
        if not (is_right and draws.shape[1:] == shape and len(draws) and np.isfinite(draws).all()):
            raise DataError(f"{name} has to be finite, float32 and of shape (draws, {shape})")

    def _predict(self, rows, columns):
        if self._expectation is None:
            return mean_at(self.draws_W_, self.draws_H_, rows, columns, self._link)
        return super()._predict(rows, columns)

    def _mean_of_rows(self, rows):
        draws = (Factors(w[rows], h) for w, h in zip(self.draws_W_, self.draws_H_, strict=True))
        return sum(self.mean(factors) for factors in draws) / len(self.draws_W_)


def flat_prior(K: int) -> FoldInPrior:
    """Return the prior of a row or column under maximum likelihood."""
    return FoldInPrior(np.zeros(K), np.zeros(K), False)
