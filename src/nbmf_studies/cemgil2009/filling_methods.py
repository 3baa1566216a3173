"""Ways to fill patches that are no methods of the library."""

from typing import Any

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import not_allowed
from nbmf.families.poisson_gamma.gamma_priors import ALL, NONE
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaEM, PoissonGammaICM, PoissonGammaVB
from nbmf.families.poisson_gamma.poisson_gamma_variational import VariationalState
from nbmf.inference.constructors import with_parameters
from nbmf.seeds import child

PERTURBATION = 0.1  # of templates that are images: each pixel times 1 ± so much
LEAST = 1.0  # of such a pixel: a template that is 0 stays 0
ML_ITERATIONS = 1000
LEARNED = ("shape_W", "mean_W", "shape_H", "mean_H")


class UntyingState(VariationalState):
    """q(W) q(H); after half of the updates each entry has a mean of its own.

    That has no optimum (nbmf.families.poisson_gamma.gamma_priors.check_ties): what is left of the prior decays with
    the updates, whose number therefore matters.
    """

    def __init__(self, *parts, tied: int):
        super().__init__(*parts)
        self._tied = tied

    def advance(self, steps):
        """Update so many times."""
        before = min(steps, max(self._tied - self._done, 0))
        super().advance(before)
        if self._done == self._tied:
            for side in (self.W, self.H):
                side.prior.untie_means()
        super().advance(steps - before)


class FillingVB(PoissonGammaVB):
    """Variational Bayes whose means may be untied (tie_mean_W = tie_mean_H = "none") next to a learned shape.

    They are then shared by a factor for the first half of `max_iter` updates, and the fit never stops early.

    Attributes
    ----------
    priors_ : (GammaPrior, GammaPrior)
        Those of W and H' as they ended, of every row and column.
    """

    def check_parameters(self):
        """Raise ConfigError if a parameter has a value that is not allowed."""
        tied = {name: ALL for name in ("tie_mean_W", "tie_mean_H") if getattr(self, name) == NONE}
        PoissonGammaVB(**{**self.get_params(), **tied}).check_parameters()

    def _ties(self, factor):
        ties = super()._ties(factor)
        return ties._replace(mean=ALL) if ties.mean == NONE else ties

    def _state_of(self, *parts):
        if self.tie_mean_W != NONE:
            return super()._state_of(*parts)
        return UntyingState(*parts, tied=self.max_iter // 2)

    def _learn(self, state):
        super()._learn(state)
        self.priors_ = state.W.prior, state.H.prior


@with_parameters
class ICMAfterVB(PoissonGammaICM):
    """ICM with the priors that variational Bayes has learned, and a new start: VB + ICM.

    Parameters
    ----------
    n_components, random_state, max_iter, relative_gain_tol, precision
        Of both fits. That of variational Bayes is FillingVB's with this random_state.
    shape_W, mean_W, shape_H, mean_H : float
        Where learning begins; shapes are shared by a factor.
    tie_means : {"all", "source", "line", "none"}
        Which entries share a mean.
    mode
        As for PoissonGammaICM.

    Attributes
    ----------
    learned_ : dict
        The four numbers; of several their mean.
    """

    method_name = "Poisson-gamma VB + ICM"

    tie_means: str = ALL

    def _start(self, values, seed):
        ties = {f"tie_{name}": ALL if name.startswith("shape") else self.tie_means for name in LEARNED}
        settings = {name: getattr(self, name) for name in (*LEARNED, "max_iter", "relative_gain_tol", "precision")}
        first = FillingVB(self.n_components, **settings, **ties, random_state=seed).fit(values)
        self._of_first = first.priors_
        self.learned_ = {
            f"{part}_{factor}": float(numbers.mean())
            for factor, prior in zip("WH", first.priors_, strict=True)
            for part, numbers in prior.arrays().items()
        }
        return super()._start(values, child(seed, "icm"))

    def _means(self, data):
        """Return the means, arrays that broadcast against the factors."""
        return tuple(prior.mean for prior in self._of_first)

    def _priors(self, data):
        return self._of_first

    @property
    def findings(self):
        """The numbers of the priors that were learned."""
        return dict(self.learned_)


class FromML(PoissonGammaVB):
    """Variational Bayes that starts at ML-NMF's solution and learns at once: after a few updates its bound.

    Parameters
    ----------
    max_iter : int
        Updates; maximum likelihood has ML_ITERATIONS of its own, from a random start.
    """

    method_name = "Poisson-gamma VB from ML"

    def _starting_tables(self, data, means, seed):
        return self._first.W_, self._first.H_.T

    def _start(self, values, seed):
        of_ml = {"max_iter": ML_ITERATIONS, "relative_gain_tol": 0, "precision": self.precision}
        self._first = PoissonGammaEM(self.n_components, **of_ml, random_state=seed).fit(values)
        return super()._start(values, seed)

    def _state_of(self, *parts):
        return super()._state_of(*parts[:-1], 0)


@with_parameters
class EMFromImages(PoissonGammaEM):
    """Maximum likelihood whose templates begin as images, with what is missing there: ML-NMF 2.

    Parameters
    ----------
    n_components, max_iter, relative_gain_tol, precision, threads, random_state
        As for PoissonGammaEM. Where there are more templates than images these are drawn again.
    images : int array (F, images)
        All of them, without gaps: `whole_images` passes them (nbmf.fits.FitRequest.told_by).
    """

    method_name = "Poisson EM from images"

    images: np.ndarray | None = None

    def _starting_tables(self, data, means, seed):
        if self.images is None:
            raise not_allowed("images", None, "the counts of all images, an array (F, images)")
        rng, K, count = np.random.default_rng(seed), self.n_components, self.images.shape[1]
        rounds = [rng.permutation(count) for _ in range(-(-K // count))]
        templates = np.maximum(self.images[:, np.concatenate(rounds)[:K]], LEAST)
        W = templates * rng.uniform(1 - PERTURBATION, 1 + PERTURBATION, templates.shape)
        return W, rng.gamma(1.0, 1.0 / K, (data.shape[1], K))


def whole_images(matrix: CountMatrix) -> dict[str, Any]:
    """Return what EMFromImages needs to know."""
    return {"images": matrix.tallies}
