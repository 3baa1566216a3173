"""Dir-Beta: the Beta-Dir model of the transposed matrix (paper, section 3.1)."""

from typing import ClassVar

from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirGibbs
from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
from nbmf.families.beta_dirichlet.estimator import PROBABILITIES, WEIGHTS, MeanParameterized
from nbmf.families.beta_dirichlet.fold_in import DirBetaFoldIn
from nbmf.families.beta_dirichlet.gibbs import CollapsedGibbs
from nbmf.inference.declarations import Inference
from nbmf.inference.state import Factors, State


class _Transposed(DirBetaFoldIn, MeanParameterized):
    """Fits `_beta_dir` to V transposed; its eta is the gamma of that model."""

    model = "dir-beta"
    distributions = frozenset({"H"})
    probabilities = frozenset({"W"})
    meanings = (PROBABILITIES, WEIGHTS)
    weights_prior = "eta"

    _beta_dir: ClassVar[type[MeanParameterized]]

    def _start(self, codes, seed):
        return TransposedState(self._inner(random_state=seed)._start(codes.T, seed))

    def _stopping_rule(self, state):
        return self._inner()._stopping_rule(state.inner)

    def _inner(self, **changes):
        settings = self.get_params() | changes
        settings["gamma"] = settings.pop("eta")
        return self._beta_dir(**settings)


class DirBetaGibbs(_Transposed, CollapsedGibbs):
    """Dir-Beta GS: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), collapsed Gibbs sampling.

    Parameters are those of BetaDirGibbs, with eta, the Dirichlet hyperparameters of the columns
    of H, in place of gamma.
    """

    _beta_dir = BetaDirGibbs

    def __init__(
        self,
        n_components=100,
        *,
        alpha=1.0,
        beta=1.0,
        eta="1/K",
        burn_in=4000,
        n_samples=1000,
        start="random",
        threads=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.eta = eta
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.start = start
        self.threads = threads
        self.random_state = random_state


class DirBetaVB(_Transposed):
    """Dir-Beta VB: w_fk ~ Beta(α, β), h_n ~ Dirichlet(η), CVB0.

    Parameters are those of BetaDirVB, with eta, the Dirichlet hyperparameters of the columns of
    H, in place of gamma.
    """

    inference = Inference.ASCENT
    _beta_dir = BetaDirVB

    def __init__(
        self,
        n_components=100,
        *,
        alpha=1.0,
        beta=1.0,
        eta="1/K",
        max_iter=500,
        tol=0.0,
        threads=1,
        max_memory_gb=4.0,
        random_state=None,
    ):
        self.n_components = n_components
        self.alpha = alpha
        self.beta = beta
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.threads = threads
        self.max_memory_gb = max_memory_gb
        self.random_state = random_state


class TransposedState(State):
    """The state of a transposed fit in the original orientation."""

    def __init__(self, inner: State):
        self.inner, self.resumable = inner, inner.resumable

    def advance(self, steps):
        """Advance the transposed fit."""
        self.inner.advance(steps)

    def objective(self):
        """Return the objective, which has no orientation."""
        return self.inner.objective()

    def active_components(self):
        """Return how many components are active."""
        return self.inner.active_components()

    def factors(self):
        """Return the factors, transposed."""
        return _transposed(self.inner.factors())

    def estimate(self):
        """Return the factors that the fit ends with, transposed."""
        return _transposed(self.inner.estimate())

    def expectation(self):
        """Return E[V], transposed."""
        return self.inner.expectation().T

    def current_predictive(self, rows, columns):
        """Return the mean given the current factors."""
        return self.inner.current_predictive(columns, rows)

    def draw(self, rng):
        """Draw the factors, transposed."""
        return _transposed(self.inner.draw(rng))

    def snapshot(self):
        """Return what the transposed fit needs."""
        return self.inner.snapshot()

    def restore(self, snapshot):
        """Hand it back."""
        self.inner.restore(snapshot)


def _transposed(factors: Factors) -> Factors:
    return Factors(factors.H.T, factors.W.T)
