"""Claims on Figure 2 judged again, for several variances τ of loadings, which the paper does not print.

The rules are those of `claims`, on data that none of its chains has seen; they were fixed before the run at full size.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from nbmf_studies.framework.verdicts import Part, Reading, reading_functions
from nbmf_studies.ohn2022 import claims
from nbmf_studies.ohn2022.claims import CLAIMS, grows, is_above, is_accurate, still_grows

SLABS = {"slab_1": "τ = 1, new data", "slab_larger": "τ = 6.25", "slab_learned": "τ ~ IG(1, 1)"}
KNOWN = {
    "slab_1": "The verdict on other data of the same distribution, 100 data sets for each p, with the same τ.",
    "slab_larger": "K+ at p = 50 and 300 on ten other data sets each: 4.0 under the CIBP, 6.9 and 7.3 under the IBP.",
    "slab_learned": "K+ at p = 50 and 300 on ten other data sets each: 4.0 under the CIBP, 6.3 and 6.5 under the IBP.",
}


@dataclass(frozen=True, eq=False)
class Results:
    """What claims are decided from.

    chains : DataFrame, as `chains.tabulate` makes it
    factors : int, the true number of factors
    """

    chains: pd.DataFrame
    factors: int

    def claim_results(self, setting: str) -> claims.Results:
        """Return what the claims themselves are decided from, of one setting."""
        return claims.Results(self.chains[self.chains["setting"] == setting], pd.DataFrame(), self.factors)


def _rule_for_setting(setting: str, decide: Callable[[Any], Iterable[Part]]) -> Callable[[Results], Iterator[Part]]:
    return lambda run: iter(decide(run.claim_results(setting)))


READINGS = [
    Reading(number, name, CLAIMS[number - 1].rule, KNOWN[setting], _rule_for_setting(setting, decide))
    for number, decide in enumerate((is_accurate, is_above, grows, still_grows), start=1)
    for setting, name in SLABS.items()
]

readings, readings_parts = reading_functions(READINGS, Results)
