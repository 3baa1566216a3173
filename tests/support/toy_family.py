"""Two families, to prove that nothing outside a family knows a link, K or binary data.

ToyLogistic samples K as well: v_fn ~ Bernoulli(σ(Σ_k w_fk h_kn)) with K ~ Poisson(RATE), all w
and h ~ N(0, 1). A sweep proposes one birth or death (a new component comes from the prior, at a
random place) and moves each factor by random-walk Metropolis. K may be 0.

ToyGaussian has real data: v_fn ~ N(m_f, 1), m_f ~ N(0, 1), so W = m (F, 1) and H is a row of ones.
Its sweeps are independent draws from the exact posterior, which is normal.
"""

import json

import numpy as np
from scipy.special import expit

from nbmf.data.real_matrix import RealMatrix
from nbmf.errors import DataError
from nbmf.inference.declarations import Alignment, Inference
from nbmf.inference.estimator import Factorization
from nbmf.inference.state import Factors, State
from nbmf.likelihoods.bernoulli import BERNOULLI, Bernoulli
from nbmf.likelihoods.likelihood import Likelihood, Loss, LossAt, places

RATE = 1.0
STEP = 0.5


class ToyLogistic(Factorization):
    """The sampler of K, W and H; `n_components` is the K that a chain starts from."""

    inference = Inference.SAMPLER
    likelihoods = (BERNOULLI,)
    meanings = ("coordinates in log-odds", "coordinates in log-odds")
    alignment = Alignment.ROTATION
    finds_components = True
    allows_no_components = True

    def __init__(self, n_components=2, *, burn_in=20, n_samples=100, random_state=None):
        self.n_components = n_components
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.random_state = random_state

    def _start(self, codes, seed):
        return LogisticState(codes, self.n_components, self.burn_in, np.random.default_rng(seed))

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        return expit(factors.W[rows] @ factors.H[:, columns])

    def mean_at(self, factors, rows, columns):
        return expit(np.einsum("ek,ke->e", factors.W[rows], factors.H[:, columns]))


class OtherLaw(Bernoulli):
    """A likelihood of binary entries beside Bernoulli's own."""

    name = "other law"


class ToyOtherLaw(ToyLogistic):
    """The same sampler, which says that its likelihood is another one of binary entries."""

    likelihoods = (OtherLaw(),)


class LogisticState(State):
    resumable = True

    def __init__(self, codes, K, burn_in, rng):
        self._codes, self._burn_in, self._rng = codes, burn_in, rng
        self._W = rng.standard_normal((codes.shape[0], K))
        self._H = rng.standard_normal((K, codes.shape[1]))
        self._sweeps = self._kept = 0
        self._sum = np.zeros(codes.shape)

    def log_likelihood(self, W, H):
        log_odds = W @ H
        t = np.where(self._codes == 1, log_odds, -log_odds)
        return float(-np.logaddexp(0.0, -t)[self._codes >= 0].sum())

    def advance(self, steps):
        for _ in range(steps):
            self._birth_or_death()
            self._move()
            self._sweeps += 1
            if self._sweeps > self._burn_in:
                self._sum += expit(self._W @ self._H)
                self._kept += 1

    def _accepts(self, W, H, log_prior_ratio):
        gain = self.log_likelihood(W, H) - self.log_likelihood(self._W, self._H)
        return np.log(self._rng.random()) < gain + log_prior_ratio

    def _birth_or_death(self):
        rng, K = self._rng, self._W.shape[1]
        if rng.random() < 0.5:
            place = rng.integers(K + 1)
            W = np.insert(self._W, place, rng.standard_normal(self._W.shape[0]), axis=1)
            H = np.insert(self._H, place, rng.standard_normal(self._H.shape[1]), axis=0)
            ratio = np.log(RATE / (K + 1))
        elif K > 0:
            place = rng.integers(K)
            W, H = np.delete(self._W, place, axis=1), np.delete(self._H, place, axis=0)
            ratio = np.log(K / RATE)
        else:
            return
        if self._accepts(W, H, ratio):
            self._W, self._H = W, H

    def _move(self):
        for name in ("_W", "_H"):
            now = getattr(self, name)
            new = now + STEP * self._rng.standard_normal(now.shape)
            W, H = (new, self._H) if name == "_W" else (self._W, new)
            if self._accepts(W, H, 0.5 * float((now**2).sum() - (new**2).sum())):
                setattr(self, name, new)

    def objective(self):
        return self.log_likelihood(self._W, self._H)

    def active_components(self):
        return self._W.shape[1]

    def factors(self):
        return Factors(self._W, self._H)

    def expectation(self):
        return self._sum / self._kept if self._kept else expit(self._W @ self._H)

    def current_predictive(self, rows, columns):
        return expit(self._W @ self._H)[rows, columns]

    def draw(self, rng):
        return Factors(self._W, self._H)

    def snapshot(self):
        return {
            "W": self._W,
            "H": self._H,
            "sum": self._sum,
            "counts": np.array([self._sweeps, self._kept]),
            "random": np.array(json.dumps(self._rng.bit_generator.state)),
        }

    def restore(self, snapshot):
        self._W, self._H, self._sum = (snapshot[name].copy() for name in ("W", "H", "sum"))
        self._sweeps, self._kept = map(int, snapshot["counts"])
        self._rng.bit_generator.state = json.loads(str(snapshot["random"]))


class Gaussian(Likelihood):
    """Real values; a prediction is (mean, standard deviation) of each entry."""

    name = "gaussian"
    matrix = RealMatrix

    def values_of(self, V):
        return RealMatrix.values_of(V)

    def is_observed(self, values):
        return ~np.isnan(values)

    def hide(self, values, entries):
        return np.where(entries, np.nan, values)

    def loss_at(self, values, entries):
        return GaussianLoss(values, entries)


class GaussianLoss(LossAt):
    unit = "entry"

    def __init__(self, values, entries):
        self.rows, self.columns = places(values, entries)
        self._values = values[self.rows, self.columns]
        if np.isnan(self._values).any():
            raise DataError("entries: some of those to score are missing")

    def __call__(self, prediction):
        mean, sd = prediction
        z = (self._values - mean) / sd
        loss = 0.5 * z**2 + np.log(sd) + 0.5 * np.log(2 * np.pi)
        return Loss(float(loss.sum()), loss.size, 0)


GAUSSIAN = Gaussian()


class ToyGaussian(Factorization):
    """The sampler of row means."""

    inference = Inference.SAMPLER
    likelihoods = (GAUSSIAN,)
    meanings = ("mean of the row", "one")
    alignment = Alignment.NONE

    def __init__(self, n_components=1, *, burn_in=0, n_samples=200, random_state=None):
        self.n_components = n_components
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.random_state = random_state

    def _start(self, values, seed):
        return GaussianState(values, np.random.default_rng(seed))

    def _learn(self, state):
        super()._learn(state)
        self.sd_ = state.predictive_sd()

    def _keep_expectation(self, state):
        self._expectation = None  # computed on demand

    def _predict(self, rows, columns):
        return self.W_[rows, 0]

    def predictive(self, rows, columns):
        return self.predict(rows, columns), self.sd_[rows]

    def predictive_of(self, factors, rows, columns):
        return factors.W[rows, 0], factors.others["sd"][rows]

    def _factors_of_rows(self, values):
        state = GaussianState(values, None)
        return state.estimate()._replace(others={"sd": state.predictive_sd()})

    def mean(self, factors, rows=slice(None), columns=slice(None)):
        return factors.W[rows] @ factors.H[:, columns]

    def mean_at(self, factors, rows, columns):
        return factors.W[rows, 0]


class GaussianState(State):
    def __init__(self, values, rng):
        observed = ~np.isnan(values)
        self._precision = 1.0 + observed.sum(axis=1)
        self._mean = np.where(observed, values, 0.0).sum(axis=1) / self._precision
        self._rng, self._N, self._values = rng, values.shape[1], values
        self._m = self._mean.copy()

    def advance(self, steps):
        for _ in range(steps):
            self._m = self._rng.normal(self._mean, self._precision**-0.5)

    def predictive_sd(self):
        return np.sqrt(1.0 + 1.0 / self._precision)

    def objective(self):
        z = (self._values - self._m[:, None])[~np.isnan(self._values)]
        return float(-0.5 * (z**2 + np.log(2 * np.pi)).sum())

    def active_components(self):
        return 1

    def factors(self):
        return Factors(self._m[:, None], np.ones((1, self._N)))

    def estimate(self):
        return Factors(self._mean[:, None], np.ones((1, self._N)))

    def expectation(self):
        return np.repeat(self._mean[:, None], self._N, axis=1)

    def predictive(self, rows, columns):
        return self._mean[rows], self.predictive_sd()[rows]

    def current_predictive(self, rows, columns):
        return self._m[rows], np.ones(len(rows))

    def draw(self, rng):
        return self.factors()
