"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The first four rules are those of the note from which the sampler was checked. They compare 95 %
t-intervals over replications, each of which is one data set with its posterior mean of K+.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from nbmf.evaluation.replications import interval, interval_of_difference
from nbmf.families.buffet.buffet_priors import IBP as IBP_DRAWS
from nbmf_studies.framework.verdicts import Claim, Part, verdict_functions
from nbmf_studies.ohn2022.estimates import doubtful_chains, posterior_means
from nbmf_studies.ohn2022.methods import CIBP, IBP

NEAR, ABOVE = 0.2, 0.5  # of the true number: accurate within, over-estimated above
MIDDLE, LAST = 150, 300  # p between which it shall still grow


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from.

    chains : DataFrame, as `chains.tabulate` makes it
    draws : DataFrame, as `draws.tabulate` makes it
    factors : int, the true number of factors
    """

    chains: pd.DataFrame
    draws: pd.DataFrame
    factors: int

    @cached_property
    def _means(self) -> pd.DataFrame:
        return posterior_means(self.chains)

    @cached_property
    def _doubtful(self) -> pd.DataFrame:
        return doubtful_chains(self.chains)

    def means(self, method: str) -> pd.DataFrame:
        """Return posterior means of K+, a row per replication and a column per p, increasing."""
        of_method = self._means[self._means["method"] == method]
        return of_method.pivot(index="replication", columns="p", values="mean")

    def doubts(self, method: str, p: int) -> str:
        """Return how many chains of a cell are in doubt, in words."""
        of = (self.chains["method"] == method) & (self.chains["p"] == p)
        is_doubtful = (self._doubtful["method"] == method) & (self._doubtful["p"] == p)
        return f"{int(is_doubtful.sum())} of {int(of.sum())} chains in doubt"


def is_accurate(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 1, one for each p."""
    for p, means in run.means(CIBP).items():
        estimate = interval(means)
        if np.isfinite(estimate.error):
            within = run.factors - NEAR <= estimate.low and estimate.high <= run.factors + NEAR
            yield Part(f"p = {p}", within, f"{estimate}; {run.doubts(CIBP, p)}")


def is_above(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 2, one for each p."""
    for p, means in run.means(IBP).items():
        estimate = interval(means)
        if np.isfinite(estimate.error):
            text = f"{estimate}; {run.doubts(IBP, p)}"
            yield Part(f"p = {p}", estimate.low > run.factors + ABOVE, text)


def slopes(means: pd.DataFrame) -> np.ndarray:
    """Return the least-squares slope of each row on log p, array (replications,)."""
    x = np.log(means.columns.to_numpy(float))
    x -= x.mean()
    return means.to_numpy() @ x / (x @ x)


def grows(run: Results) -> Iterator[Part]:
    """Yield the part of claim 3, by a slope for each replication."""
    means = run.means(IBP)
    if len(means) > 1 and means.shape[1] > 1:
        estimate = interval(slopes(means))
        where = f"slope of K+ on log p, p = {means.columns[0]} to {means.columns[-1]}"
        yield Part(where, estimate.low > 0, str(estimate))


def still_grows(run: Results) -> Iterator[Part]:
    """Yield the part of claim 4, by a difference for each replication."""
    means = run.means(IBP)
    if len(means) > 1 and {MIDDLE, LAST} <= set(means.columns):
        estimate = interval(means[LAST] - means[MIDDLE])
        yield Part(f"p = {LAST} minus p = {MIDDLE}", estimate.low > 0, str(estimate))


def draws_more(run: Results) -> Iterator[Part]:
    """Yield the parts of claim 5, one against each convergent prior."""
    is_ibp = run.draws["kind"] == IBP_DRAWS
    of_ibp = run.draws.loc[is_ibp, "features"]
    for name, own in run.draws[~is_ibp].groupby("prior", sort=False):
        estimate = interval_of_difference(of_ibp, own["features"])
        if np.isfinite(estimate.error):
            yield Part(f"against {name}", estimate.low > 0, f"more features: {estimate}")


CLAIMS = [
    Claim(
        "Figure 2: the CIBP prior provides accurate estimates of the number of factors for all values of p.",
        "At each p the 95 % interval of the mean over data sets of the posterior mean of K+ lies "
        f"within {NEAR:g} of the true number.",
        is_accurate,
    ),
    Claim(
        "Figure 2: the IBP prior overestimates the number of factors.",
        f"At each p the lower end of the same interval is more than {ABOVE:g} above the true number.",
        is_above,
    ),
    Claim(
        "Figure 2: the IBP tends to overestimate it more as p increases.",
        "The interval of the slope of K+ on log p, with one slope for each replication, is above 0.",
        grows,
    ),
    Claim(
        "Not the paper's: this growth continues at the right end of Figure 2.",
        f"The interval of K+ at p = {LAST} minus K+ at p = {MIDDLE} is above 0.",
        still_grows,
    ),
    Claim(
        "Figure 1: the IBP tends to generate more features than the CIBP.",
        "Welch's interval of the difference of mean K+ over independent draws is above 0.",
        draws_more,
    ),
]

claims, claims_parts = verdict_functions(CLAIMS, Results)
