"""Two ways to fill patches that are no methods of the library."""

from typing import Any

import numpy as np

from nbmf.data.count_matrix import CountMatrix
from nbmf.errors import not_allowed
from nbmf.families.poisson_gamma.gamma_priors import ALL, GammaPrior
from nbmf.families.poisson_gamma.poisson_gamma import PoissonGammaEM, PoissonGammaICM, PoissonGammaVB
from nbmf.inference.constructors import with_parameters
from nbmf.seeds import child

PERTURBATION = 0.1  # of templates that are images: each pixel times 1 ± so much
LEAST = 1.0  # of such a pixel: a template that is 0 stays 0
LEARNED = ("shape_W", "mean_W", "shape_H", "mean_H")


class ICMAfterVB(PoissonGammaICM):
    """ICM with the priors that variational Bayes has learned, and a new start: VB + ICM.

    Parameters
    ----------
    n_components, random_state, max_iter, relative_gain_tol, precision
        Of both fits. That of variational Bayes is PoissonGammaVB's with this random_state.
    shape_W, mean_W, shape_H, mean_H : float
        Where learning begins; each of the numbers is shared by a factor.
    mode
        As for PoissonGammaICM.

    Attributes
    ----------
    learned_ : dict
        The four numbers.
    """

    method_name = "Poisson-gamma VB + ICM"

    def _start(self, values, seed):
        ties = dict.fromkeys((f"tie_{name}" for name in LEARNED), ALL)
        own = {name: getattr(self, name) for name in (*LEARNED, "max_iter", "relative_gain_tol", "precision")}
        first = PoissonGammaVB(self.n_components, **own, **ties, random_state=seed).fit(values)
        self.learned_ = {name: float(getattr(first, f"{name}_")[0]) for name in LEARNED}
        return super()._start(values, child(seed, "icm"))

    def _means(self, data):
        return self.learned_["mean_W"], self.learned_["mean_H"]

    def _priors(self, data):
        return tuple(
            GammaPrior(self.learned_[f"shape_{factor}"], mean, self._ties(factor), (lines, self.n_components))
            for factor, mean, lines in zip("WH", self._means(data), data.shape, strict=True)
        )

    @property
    def findings(self):
        """The numbers of the priors that were learned."""
        return dict(self.learned_)


@with_parameters
class EMFromImages(PoissonGammaEM):
    """Maximum likelihood whose templates begin as images, with what is missing there: ML-NMF 2.

    Parameters
    ----------
    n_components, max_iter, relative_gain_tol, precision, random_state
        As for PoissonGammaEM. Where there are more templates than images these are drawn again.
    images : int array (F, images)
        All of them, without gaps: `whole_images` tells them (nbmf.fits.FitRequest.told_by).
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
    """Return what EMFromImages has to be told."""
    return {"images": matrix.tallies}
