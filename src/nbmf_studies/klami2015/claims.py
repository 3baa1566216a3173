"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words beside the verdicts, and their thresholds are the constants of `criteria`.
"""

from collections.abc import Iterator

from nbmf_studies.framework.verdicts import Claim, Part, judging
from nbmf_studies.klami2015 import criteria


def nothing_yet(run: criteria.Run) -> Iterator[Part]:
    """Of claims whose fits are made on request alone: no part."""
    return iter(())


CLAIMS = [
    Claim(
        "Set-up 1 (probabilities near 1/2): all methods are roughly as accurate.",
        f"Error of the normal model, Böhning and the direct methods within {criteria.ALIKE:.0%} of the best of them.",
        criteria.alike_when_easy,
    ),
    Claim(
        "Set-ups 2 and 3: the direct methods outperform the rest.",
        "The largest error of the direct methods is below the smallest of the others.",
        criteria.direct_is_best,
    ),
    Claim(
        "Set-up 2: extreme probabilities make the difference (error .034 against .044 where they "
        "are below .05 or above .95; log-likelihood -.155 against -.168).",
        f"Extreme error of PG-F at most {criteria.EXTREME_ERROR}, Böhning's at least "
        f"{criteria.EXTREME_GAIN} above; log-likelihood at least {criteria.BALANCED_GAIN} above "
        "Böhning's.",
        criteria.extremes_of_balanced,
    ),
    Claim(
        "Set-up 3: so do probabilities above .95 (error .32 against .49; log-likelihood -.129 against -.185).",
        f"In either reading: ratio of the errors above .95 at most {criteria.HIGH_RATIO}; "
        f"log-likelihood at least {criteria.IMBALANCED_GAIN} above Böhning's; both errors within "
        f"{criteria.NEAR:.0%} of those printed.",
        criteria.high_of_imbalanced,
    ),
    Claim(
        "The Gibbs sampler is superior on the hardest data.",
        f"Set-ups 2 and 3: its error at least {criteria.SAMPLER_GAIN} below PG-F's.",
        criteria.sampler_is_best,
    ),
    Claim(
        "The explicit-noise variant is inaccurate.",
        f"Error at least {criteria.NOISY:g} times PG-F's.",
        criteria.noise_is_inaccurate,
    ),
    Claim(
        "The naive approximation and the Gibbs sampler are dramatically slower: minutes against seconds.",
        f"To {criteria.EQUAL:g} times the error that PG-F ends with, at least {criteria.SLOWER:g} times "
        "PG-F's CPU time (median over seeds).",
        criteria.others_are_slower,
    ),
    Claim(
        "PG-F is not notably slower than the normal model.",
        f"CPU time per iteration at most {criteria.AS_FAST:g} times.",
        criteria.as_fast_as_normal,
    ),
    Claim(
        "ARD prunes unnecessary factors with sufficient accuracy, in all methods.",
        "Factors with a mean v² above 0.01 (of the last sweep of a chain): the true number, or "
        f"{criteria.FACTORS} away, for every seed. Models of log-odds only, as v has their unit.",
        criteria.factors_are_found,
    ),
    Claim(
        "Repeated binary patterns corrupted by flips: all variants find the structure in a few iterations.",
        f"Within {criteria.FEW} iterations at most {criteria.WRONG:.0%} of the entries on the other "
        "side of 1/2 than the clean pattern (10 % are flipped), for every seed.",
        criteria.patterns_are_found,
    ),
    Claim(
        "Negative binomial counts: the direct methods are the most accurate.",
        f"Error of each at most {criteria.BETTER} times that of the better comparison method.",
        criteria.counts_direct_is_best,
    ),
    Claim(
        "Negative binomial counts: PG-F is an order of magnitude faster than the naive variant and the Gibbs sampler.",
        f"As of binary data: at least {criteria.SLOWER:g} times PG-F's CPU time to the same error.",
        criteria.counts_others_are_slower,
    ),
    Claim(
        "Large Poisson counts: the direct methods are the most accurate.",
        f"Error of each at most {criteria.BETTER} times that of the better comparison method.",
        criteria.large_poisson,
    ),
    Claim(
        "Small Poisson counts: the direct methods lose at most a little.",
        f"Error of each at most {criteria.BEHIND} times softplus's.",
        criteria.small_poisson,
    ),
    Claim(
        "Large Poisson counts: the Gibbs sampler is ultimately the most accurate.",
        "The smallest error of all.",
        criteria.sampler_on_large_poisson,
    ),
    Claim(
        "Poisson counts: PG-F converges faster than the comparison method.",
        f"Less CPU time to {criteria.EQUAL:g} times the error that softplus ends with.",
        criteria.faster_than_softplus,
    ),
    Claim(
        "Counts: the explicit-noise variant has poor accuracy.",
        f"PG-F's error at most {criteria.BETTER} times its, but for small Poisson counts, of which "
        "the caption can be read either way.",
        criteria.counts_noise_is_inaccurate,
    ),
    Claim(
        "The explicit-noise sampler converges slowly.",
        f"After as many sweeps its error is at least {criteria.BEHIND} times the direct sampler's.",
        criteria.noise_gibbs_is_slow,
    ),
    Claim(
        "Similar results would be obtained for a wide range of matrix sizes.",
        "Judged on request alone, under its reading.",
        nothing_yet,
    ),
    Claim(
        "Computational times would be roughly the same for much larger set-ups with comparably many observed entries.",
        "Judged on request alone, under its reading.",
        nothing_yet,
    ),
]

claims, claims_parts = judging(CLAIMS, criteria.Run)
