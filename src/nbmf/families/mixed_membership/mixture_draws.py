"""Draws from the posterior distribution of a mixture of binary features: a Gibbs sampler that starts where EM ended."""

import numpy as np

from nbmf.families.mixed_membership.densities import Categories
from nbmf.families.mixed_membership.e_steps import EStep
from nbmf.families.mixed_membership.em import MembershipState
from nbmf.families.mixed_membership.feature_cells import Cells
from nbmf.families.mixed_membership.kernels.membership import spread
from nbmf.inference.declarations import CLASS_SIZES

BURN_IN, THINNING = 50, 5  # sweeps before the first draw, and up to each other one


class MixtureChain:
    """Data augmentation of a mixture (Diebolt and Robert 1994, doi:10.1111/j.2517-6161.1994.tb01985.x).

    z_f ~ r_f given π and H; π ~ Dirichlet(1 + n) and h_kn ~ Beta(1 + ε + ones, 1 + ε + zeros) given z, where n counts
    rows with cells. EM climbs to a mode of the same distribution of π and H.

    Parameters
    ----------
    cells : Cells
        Of binary rows.
    e_step : EStep
        That of a mixture.
    epsilon : float
        ε.
    sizes : float array (K,)
        π, where the chain starts.
    H : float array (K, N)
        Probabilities of a one, likewise.
    """

    def __init__(self, cells: Cells, e_step: EStep, epsilon: float, sizes: np.ndarray, H: np.ndarray):
        self._cells, self._e_step, self._epsilon = cells, e_step, epsilon
        self.sizes, self.H = sizes, H

    def shares(self) -> np.ndarray:
        """Return r, the probabilities of the classes of each row given π and H, float array (n, K)."""
        cells = self._cells
        log_density = Categories.of_ones(self.H).log_density(cells.columns, cells.values)
        return self._e_step.find(cells, log_density, self.sizes).gamma

    def sweep(self, rng: np.random.Generator) -> None:
        """Draw the class of each row, then π and H."""
        cells, K = self._cells, len(self.sizes)
        edges = self.shares().cumsum(axis=1)
        z = (rng.random(len(edges))[:, None] * edges[:, -1:] >= edges[:, :-1]).sum(axis=1)
        members = np.eye(K)[z]
        counts = spread(cells.starts, cells.atoms, cells.weights, members, cells.columns.size)
        self.sizes = rng.dirichlet(1 + members[cells.sizes > 0].sum(axis=0))
        zeros, ones = counts[::2], counts[1::2]  # atoms are the zero and the one of each column
        self.H = rng.beta(1 + self._epsilon + ones, 1 + self._epsilon + zeros).T


class LatentClassState(MembershipState):
    """EM of a mixture of binary features. Draws are those of one chain, in the order in which they are asked for."""

    _chain: MixtureChain | None = None

    def draw(self, rng):
        """Go on with the chain; W has the probabilities of classes given the π and H that are drawn."""
        sweeps = THINNING
        if self._chain is None:
            epsilon = self.densities.epsilon
            self._chain = MixtureChain(self._cells, self._e_step, epsilon, self.prior, self.densities.mean())
            sweeps = BURN_IN
        for _ in range(sweeps):
            self._chain.sweep(rng)
        return self.oriented(self._chain.shares(), self._chain.H)._replace(others={CLASS_SIZES: self._chain.sizes})
