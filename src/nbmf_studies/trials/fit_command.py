"""The default of `nbmf fit`, as one method among the others."""

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.data.symmetry import is_symmetric, without_directions
from nbmf.evaluation.verdict import candidates, choose
from nbmf.inference.state import Factors
from nbmf_studies.trials.competitors import Predictor


class FitCommand(Predictor):
    """The method that predicts best what it hides from itself, fitted to the whole training matrix.

    A single start is made of it, where the command makes several of small matrices.

    Parameters
    ----------
    n_components : int
        Not used: the methods between which it chooses have their own K.
    random_state : int, SeedSequence or None
        Of the methods; the same value gives the same bits.
    """

    def __init__(self, n_components=1, *, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    @property
    def memory_budget_gb(self):
        """That of the candidate with the largest, Beta-Dir VB."""
        from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB

        return BetaDirVB().memory_budget_gb

    def _solve(self, codes, seed):
        # Named here, so that a fit of the workflow knows which files it depends on.
        from nbmf.families.beta_dirichlet.beta_dir_gibbs import BetaDirGibbs
        from nbmf.families.beta_dirichlet.beta_dir_vb import BetaDirVB
        from nbmf.families.logistic.logistic_factor_gibbs import LogisticFactorGibbs
        from nbmf.families.logistic.logistic_factor_map import LogisticFactorMAP
        from nbmf.families.logistic.logistic_factor_vb import LogisticFactorVB
        from nbmf.families.mixed_membership.naive_bayes import MNB
        from nbmf.families.poisson_gamma.bernoulli_poisson import BernoulliPoissonVB

        methods = candidates(codes, seed)
        known = (
            BetaDirVB,
            LogisticFactorVB,
            MNB,
            LogisticFactorGibbs,
            BetaDirGibbs,
            LogisticFactorMAP,
            BernoulliPoissonVB,
        )
        for method in methods:
            if not isinstance(method, known):
                raise TypeError(f"{type(method).__name__} is a candidate: import it here")
        choice = choose(codes, methods, n_jobs=1)
        chosen = methods[choice.index].fit(codes)
        expectation = chosen.expectation_
        if is_symmetric(codes, codes != MISSING):  # as the command does: of an undirected tie
            expectation = without_directions(expectation)
        others = {"expectation": expectation, "place": np.array(choice.index)}
        return Factors(chosen.W_, chosen.H_, others)

    @property
    def findings(self):
        """The place of the chosen method among the candidates."""
        return {"place": int(self.others_["place"])}
