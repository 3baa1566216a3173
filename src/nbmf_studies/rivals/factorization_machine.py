"""myFM: a Bayesian factorization machine with a probit link (https://github.com/tohtsky/myFM)."""

import numpy as np
import scipy.sparse

from nbmf.data.matrix import MISSING
from nbmf.inference.declarations import Alignment
from nbmf.inference.state import Factors
from nbmf_studies.trials.competitors import Predictor, integer_seed

BURN_IN = 0.2  # of the sweeps


class FactorizationMachine(Predictor):
    """The Gibbs sampler of the package myFM, with an entry's row and its column as the two variables.

    P(v_fn = 1) = Φ(w_0 + a_f + b_n + Σ_k u_fk v_nk), the mean over sweeps. Rows and columns are two groups, whose means
    and precisions are learned, as myFM's documentation does for users and films.

    Parameters
    ----------
    n_components : int
        K, myFM's rank.
    max_iter : int
        Sweeps, of which a fifth are burn-in.
    random_state : int, SeedSequence or None
        The same value gives the same bits.
    """

    alignment = Alignment.ROTATION

    def _solve(self, codes, seed):
        from myfm import MyFMGibbsClassifier

        (F, N), observed = codes.shape, np.nonzero(codes != MISSING)
        model = MyFMGibbsClassifier(rank=self.n_components, random_seed=integer_seed(seed) % 2**31)
        model.fit(
            _indicators(*observed, F, N),
            codes[observed] == 1,
            n_iter=self.max_iter,
            n_kept_samples=self.max_iter - int(BURN_IN * self.max_iter),
            group_shapes=[F, N],
        )
        every = np.indices((F, N)).reshape(2, -1)
        last = model.predictor_.samples[-1].V  # rows and then columns, on axes that turn from sweep to sweep
        expectation = model.predict_proba(_indicators(*every, F, N)).reshape(F, N)
        return Factors(last[:F], np.ascontiguousarray(last[F:].T), {"expectation": expectation})


def _indicators(rows: np.ndarray, columns: np.ndarray, F: int, N: int) -> scipy.sparse.csr_matrix:
    """Return a line per entry with a one for its row and one for its column, (n, F + N)."""
    places = np.column_stack([rows, F + columns]).ravel()
    starts = 2 * np.arange(len(rows) + 1)
    return scipy.sparse.csr_matrix((np.ones(places.size), places, starts), shape=(len(rows), F + N))
