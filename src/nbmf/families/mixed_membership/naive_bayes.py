"""MNB, MMNB and Fast MMNB of binary matrices (Shan and Banerjee 2009)."""

from typing import ClassVar

import numpy as np

from nbmf.families.mixed_membership.e_steps import FastStep, MixtureStep
from nbmf.families.mixed_membership.em import LOOK_EVERY, MembershipState
from nbmf.families.mixed_membership.membership_estimator import BinaryMembership
from nbmf.families.mixed_membership.mixture_draws import LatentClassState
from nbmf.inference.constructors import with_parameters
from nbmf.inference.declarations import CLASS_SIZES, MaximumLikelihood
from nbmf.inference.products import PROBABILITIES

CHANCE = "probability of the latent class"
AT_MAXIMUM = 1e-5  # nats that some EM steps raise the log likelihood by: a tenth is shown
MOST_CLIMBED, VISITS = 5000, 4_000_000_000  # steps, and visits of an entry for each class: some ten seconds


@with_parameters
class MNB(BinaryMembership):
    """Mixture of naive Bayes, or latent class analysis: each row or column is in one component, learned by EM.

    Parameters
    ----------
    n_components : int
        K.
    orientation : {"rows", "columns"}
        The rows or columns of V that are data points.
    smoothing : float
        ε, added to the counts of ones and of zeros in each component: the mode under Beta(1 + ε).
    max_iter : int
        The largest number of EM steps.
    relative_change_tol : float
        Stop when the objective (log-likelihood and smoothing) rises by less, as a share of itself;
        0 never does.
    random_state : int, SeedSequence or None
        The same value gives the same bits. Components start from random rows or columns.

    W_ and H_ have the probabilities r of components of each data point and the probabilities of a
    one; see Factorization and Membership for the other attributes. Draws (`nbmf.posterior_draws`) are
    those of a Gibbs sampler that starts where EM ends, with π ~ Dirichlet(1) and h ~ Beta(1 + ε, 1 + ε). W of a draw
    has the probabilities r given π and h, not one class, and so E[V] is Σ_k r_fk h_kn, the probability of a one for who
    does not know the class: intervals are of that, and narrower than of the h of the true class.

    Attributes
    ----------
    weights_ : float array (K,)
        π, the shares of the components among data points.
    """

    method_name = "MNB"
    has_classes = True
    has_posterior = True
    state_class = LatentClassState
    turning_others = frozenset({CLASS_SIZES})
    shapes: ClassVar = BinaryMembership.shapes | {"weights_": "K"}
    prior_name = "weights_"

    @property
    def meanings(self):
        """What an entry of W and an entry of H mean: a row, or a column, is in one class."""
        return (CHANCE, PROBABILITIES) if self.weights_are_rows else (PROBABILITIES, CHANCE)

    @property
    def distinct_classes(self):
        """How many classes differ in what they say of V."""
        return self.distinct_components_

    def maximum_likelihood(self, V):
        """Return where EM without smoothing ends that starts from the estimates, None if that takes too long.

        These are the mode under their priors, where the likelihood is smaller. It is a local maximum, as the mode is.

        Parameters
        ----------
        V : BinaryMatrix, array or DataFrame
            The one that was fitted.
        """
        return self._fold_in(self._climb_to_maximum, V, 0 if self.weights_are_rows else 1)

    def _climb_to_maximum(self, values):
        K = self.weights_.size
        cells, densities = self._cells(self._points(values)), self._fitted_densities()
        state = MembershipState(cells, densities, self._e_step(), K, np.random.default_rng(0))
        state.start_from_estimates(self._fitted_densities(), self.weights_)
        before = -np.inf
        for _ in range(min(MOST_CLIMBED, VISITS // max(values.size * K, 1)) // LOOK_EVERY):
            state.advance(LOOK_EVERY)
            if state.bound - before < AT_MAXIMUM:
                return MaximumLikelihood(state.bound, state.distinct_components())
            before = state.bound
        return None

    def _e_step(self):
        return MixtureStep()


@with_parameters
class MMNB(BinaryMembership):
    """Mixed-membership naive Bayes: each row, or column, has its own mixture, by variational EM.

    w_f ~ Dirichlet(α), z_fn ~ w_f, v_fn ~ Bernoulli(h_zn): with orientation "rows" the cousin of
    Beta-Dir, with "columns" of Dir-Beta, with α learned and probabilities as point estimates.

    Parameters
    ----------
    n_components, orientation, smoothing, max_iter, random_state
        As for MNB.
    inner_max, inner_tol : int, float
        Rounds of the E-step of a row or column at most, and the mean change of γ below which it ends.
    relative_change_tol : float
        As for MNB; the objective is the bound and the smoothing.

    Each E-step starts from all components alike until the objective stands still, then from the last
    one. W_ and H_ have mean memberships γ / Σγ and the probabilities of a one.

    Attributes
    ----------
    alpha_ : float array (K,)
        α, the Dirichlet prior of the memberships.
    """

    method_name = "MMNB"
    shapes: ClassVar = BinaryMembership.shapes | {"alpha_": "K"}
    renews_memberships = True

    inner_max: int = 100
    inner_tol: float = 1e-3


@with_parameters
class FastMMNB(MMNB):
    """Fast MMNB: MMNB with one variational distribution for all entries of a row or column.

    An E-step costs K numbers a round, whatever the size of a row or column. Converged it is hard assignment,
    as MNB with small weights; how many rounds it is given (`inner_max`) is part of the model. Few
    keep memberships mixed, and may collapse: a warning says so.

    Parameters are those of MMNB; each E-step starts from all components alike. α converges slowly.
    """

    method_name = "Fast MMNB"
    step = FastStep
    renews_memberships = False

    max_iter: int = 1000
