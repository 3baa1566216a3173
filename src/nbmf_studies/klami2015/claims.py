"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words beside the verdicts, and their thresholds are the constants of `parts`.
"""

import pandas as pd

from nbmf_studies.framework.verdicts import Claim, judge
from nbmf_studies.klami2015 import parts

CLAIMS = [
    Claim(
        "Set-up 1 (probabilities near 1/2): all methods are roughly as accurate.",
        f"Error of the normal model, Böhning and the direct methods within {parts.ALIKE:.0%} of the best of them.",
        parts.alike_when_easy,
    ),
    Claim(
        "Set-ups 2 and 3: the direct methods outperform the rest.",
        "The largest error of the direct methods is below the smallest of the others.",
        parts.direct_is_best,
    ),
    Claim(
        "Set-up 2: extreme probabilities make the difference (error .034 against .044 where they "
        "are below .05 or above .95; log-likelihood -.155 against -.168).",
        f"Extreme error of PG-F at most {parts.EXTREME_ERROR}, Böhning's at least "
        f"{parts.EXTREME_GAIN} above; log-likelihood at least {parts.BALANCED_GAIN} above "
        "Böhning's.",
        parts.extremes_of_balanced,
    ),
    Claim(
        "Set-up 3: so do probabilities above .95 (error .32 against .49; log-likelihood -.129 against -.185).",
        f"In either reading: ratio of the errors above .95 at most {parts.HIGH_RATIO}; "
        f"log-likelihood at least {parts.IMBALANCED_GAIN} above Böhning's; both errors within "
        f"{parts.NEAR:.0%} of those printed.",
        parts.high_of_imbalanced,
    ),
    Claim(
        "The Gibbs sampler is superior on the hardest data.",
        f"Set-ups 2 and 3: its error at least {parts.SAMPLER_GAIN} below PG-F's.",
        parts.sampler_is_best,
    ),
    Claim(
        "The explicit-noise variant is inaccurate.",
        f"Error at least {parts.NOISY:g} times PG-F's.",
        parts.noise_is_inaccurate,
    ),
    Claim(
        "The naive approximation and the Gibbs sampler are dramatically slower: minutes against seconds.",
        f"To {parts.EQUAL:g} times the error that PG-F ends with, at least {parts.SLOWER:g} times "
        "PG-F's CPU time (median over seeds).",
        parts.others_are_slower,
    ),
    Claim(
        "PG-F is not notably slower than the normal model.",
        f"CPU time per iteration at most {parts.AS_FAST:g} times.",
        parts.as_fast_as_normal,
    ),
    Claim(
        "ARD prunes unnecessary factors with sufficient accuracy, in all methods.",
        "Factors with a mean v² above 0.01 (of the last sweep of a chain): the true number, or "
        f"{parts.FACTORS} away, for every seed. Models of log-odds only, as v has their unit.",
        parts.factors_are_found,
    ),
    Claim(
        "Repeated binary patterns corrupted by flips: all variants find the structure in a few iterations.",
        f"Within {parts.FEW} iterations at most {parts.WRONG:.0%} of the entries on the other "
        "side of 1/2 than the clean pattern (10 % are flipped), for every seed.",
        parts.patterns_are_found,
    ),
    Claim(
        "Negative binomial counts: the direct methods are the most accurate.",
        f"Error of each at most {parts.BETTER} times that of the better comparison method.",
        parts.counts_direct_is_best,
    ),
    Claim(
        "Negative binomial counts: PG-F is an order of magnitude faster than the naive variant and the Gibbs sampler.",
        f"As of binary data: at least {parts.SLOWER:g} times PG-F's CPU time to the same error.",
        parts.counts_others_are_slower,
    ),
    Claim(
        "Large Poisson counts: the direct methods are the most accurate.",
        f"Error of each at most {parts.BETTER} times that of the better comparison method.",
        parts.large_poisson,
    ),
    Claim(
        "Small Poisson counts: the direct methods lose at most a little.",
        f"Error of each at most {parts.BEHIND} times softplus's.",
        parts.small_poisson,
    ),
    Claim(
        "Large Poisson counts: the Gibbs sampler is ultimately the most accurate.",
        "The smallest error of all.",
        parts.sampler_on_large_poisson,
    ),
    Claim(
        "Poisson counts: PG-F converges faster than the comparison method.",
        f"Less CPU time to {parts.EQUAL:g} times the error that softplus ends with.",
        parts.faster_than_softplus,
    ),
    Claim(
        "Counts: the explicit-noise variant has poor accuracy.",
        f"PG-F's error at most {parts.BETTER} times its, but for small Poisson counts, of which "
        "the caption can be read either way.",
        parts.counts_noise_is_inaccurate,
    ),
    Claim(
        "The explicit-noise sampler converges slowly.",
        f"After as many sweeps its error is at least {parts.BEHIND} times the direct sampler's.",
        parts.noise_gibbs_is_slow,
    ),
]


def claims(traces: pd.DataFrame, patterns: pd.DataFrame, K: dict[str, int]) -> pd.DataFrame:
    """Return the verdicts; see `verdicts.tabulate`, and Run for the arguments."""
    return judge(CLAIMS, parts.Run(traces, patterns, K))[0]


def claims_parts(traces: pd.DataFrame, patterns: pd.DataFrame, K: dict[str, int]) -> pd.DataFrame:
    """Return their parts."""
    return judge(CLAIMS, parts.Run(traces, patterns, K))[1]
