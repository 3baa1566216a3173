"""StepMix: latent classes by EM (https://github.com/Labo-Lacourse/stepmix)."""

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf_studies.trials.competitors import LowRank, integer_seed, shrunken_column_means

STARTS = 10  # of EM, of which StepMix keeps the best


class LatentClasses(LowRank):
    """The latent class model of the package StepMix, whose columns are independent given the class of a row.

    P(v_fn = 1) = Σ_k P(row f is of class k, given its training entries) π_kn, within a margin of 0 and 1: some π are
    exactly 0 or 1. StepMix takes no column without training entries; such a one is predicted by the proportion of ones.

    Parameters
    ----------
    n_components : int
        K, classes.
    max_iter : int
        Of EM from each start, at most.
    random_state : int, SeedSequence or None
        The same value gives the same bits.
    """

    meanings = ("probabilities of classes", "probabilities of a one")

    def _approximate(self, codes, seed):
        from stepmix import StepMix

        model = StepMix(
            n_components=self.n_components,
            measurement="binary_nan",
            n_init=STARTS,
            max_iter=self.max_iter,
            random_state=integer_seed(seed) % 2**31,
            progress_bar=0,
        )
        asked = (codes != MISSING).any(axis=0)
        answers = np.where(codes == MISSING, np.nan, codes)[:, asked]
        classes = model.fit(answers).predict_proba(answers)
        profiles = np.tile(shrunken_column_means(codes), (self.n_components, 1))
        profiles[:, asked] = model.get_parameters()["measurement"]["pis"]
        return classes, profiles
