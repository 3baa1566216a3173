"""Dir-Beta: the Beta-Dir model of the transposed matrix (paper, section 3.1)."""

from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirGibbs
from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
from nbmf.families.beta_dirichlet.fold_in import DirBetaFoldIn
from nbmf.inference.estimator import Factorization


class _Transposed(DirBetaFoldIn, Factorization):
    """Fits `_beta_dir` to V transposed; its eta is the gamma of that model."""

    _beta_dir: type[Factorization]

    def _factorize(self, codes, seed, monitor):
        settings = self.get_params() | {"random_state": seed}
        settings["gamma"] = settings.pop("eta")
        fit = self._beta_dir(**settings)._factorize(codes.T, seed, _Transposing.of(monitor))
        return fit._replace(W=fit.H.T, H=fit.W.T, expectation=fit.expectation.T)


class DirBetaGibbs(_Transposed):
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


class _Transposing:
    """A monitor that sees the state of a transposed fit in the original orientation."""

    def __init__(self, monitor):
        self._monitor = monitor
        self.next_after = monitor.next_after
        self.resume = monitor.resume

    @classmethod
    def of(cls, monitor):
        return None if monitor is None else cls(monitor)

    def __call__(self, iteration, total, state):
        self._monitor(iteration, total, _TransposedState(state))


class _TransposedState:
    def __init__(self, state):
        self._state = state
        self.objective = state.objective
        self.active_components = state.active_components
        self.arrays = getattr(state, "arrays", None)  # chains have it

    def expectation(self):
        return self._state.expectation().T

    def factors(self):
        W, H = self._state.factors()
        return H.T, W.T

    def draw_factors(self, rng):
        W, H = self._state.draw_factors(rng)
        return H.T, W.T
