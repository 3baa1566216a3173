"""What learning is measured against: a grid of priors, chosen by inner held-out entries."""

from itertools import product

import numpy as np

from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
from nbmf.families.beta_dirichlet.beta_dirichlet_parameters import PER_K
from nbmf.families.beta_dirichlet.start_choice import Candidate, entry_losses, fitted_mean, folds
from nbmf.inference.parameters import AUTO
from nbmf.inference.products import COLUMNS, ROWS
from nbmf.seeds import child

UPDATES = 100  # of each inner fit


class BetaDirVBOnGrid(BetaDirVB):
    """Beta-Dir VB with the α, β and orientation that predict inner held-out entries best.

    Parameters
    ----------
    values : sequence of float
        Every pair of these is tried as (α, β), on both sides with orientation="auto".
    n_components, gamma, max_iter, threads, max_memory_gb, orientation, random_state
        As for BetaDirVB.
    """

    def __init__(
        self,
        n_components=50,
        *,
        values=(0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
        gamma=PER_K,
        max_iter=500,
        threads=1,
        max_memory_gb=4.0,
        orientation=AUTO,
        random_state=None,
    ):
        given = {"gamma": gamma, "max_iter": max_iter, "threads": threads, "max_memory_gb": max_memory_gb}
        super().__init__(n_components, **given, orientation=orientation, random_state=random_state)
        self.values = values

    @classmethod
    def concentrations(cls):
        """Return its hyperparameters, of which two are no parameters here but found."""
        return ["alpha", "beta", "gamma"]

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        self.alpha = self.beta = 1.0  # until they are found
        super().check_parameters()

    def _start(self, codes, seed):
        side, self.alpha, self.beta = self._best_of_grid(codes, seed)
        return self._start_at(Candidate(side), codes, seed)

    def _best_of_grid(self, codes, seed) -> tuple[str, float, float]:
        sides = (ROWS, COLUMNS) if self.orientation == AUTO else (self.orientation,)
        totals = dict.fromkeys(product(sides, self.values, self.values), 0.0)
        for fold, held_out in enumerate(folds(codes, np.random.default_rng(child(seed, "folds")))):
            training = np.where(held_out, -1, codes).astype(np.int8)
            fold_seed = child(seed, "fold", fold)
            for side, alpha, beta in totals:
                priors = {"alpha": alpha, "beta": beta, "gamma": self.gamma}
                candidate = Candidate(side)
                mean = fitted_mean(training, candidate, priors, self.n_components, fold_seed, UPDATES)
                totals[side, alpha, beta] += entry_losses(codes, mean, held_out).sum()
        return min(totals, key=totals.get)

    @property
    def findings(self):
        """The α, β and orientation that were chosen."""
        return {"alpha": self.alpha, "beta": self.beta, "orientation": self.orientation_}
