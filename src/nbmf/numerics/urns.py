"""Drawing from an urn of assigned components and a prior, at a cost that does not depend on K."""

import numpy as np

from nbmf.numerics.compilation import inner_kernel
from nbmf.numerics.random import uniform


@inner_kernel
def search(cumulative, u):
    """Return the first k with u < cumulative[k], at most K - 1.

    It starts where u would fall if all steps were equal, as they are for a symmetric prior.
    """
    last = np.uint64(cumulative.size - 1)
    k = min(np.uint64(u * (cumulative.size / cumulative[last])), last)
    while k < last and u >= cumulative[k]:
        k += np.uint64(1)
    while k > 0 and u < cumulative[k - np.uint64(1)]:
        k -= np.uint64(1)
    return k


@inner_kernel
def draw_from_urn(assigned, first, end, own, prior_sums, generator):
    """Draw a component in proportion to prior + counts of assigned[first:end] without `own`.

    It copies the component of a random other cell or, in proportion, takes one from the prior,
    whose cumulative sums are `prior_sums` (K,).
    """
    others = end - first - np.uint64(1)
    u = uniform(generator) * (others + prior_sums[prior_sums.size - 1])
    if u >= others:
        return search(prior_sums, u - others)
    place = first + np.uint64(u)
    if place >= own:  # skip the cell itself
        place += np.uint64(1)
    return np.uint64(assigned[place])
