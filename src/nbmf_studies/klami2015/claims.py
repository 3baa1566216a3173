"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words next to the verdicts, and their thresholds are the constants of `criteria`.
"""

from collections.abc import Iterator

from nbmf_studies.framework.verdicts import Claim, Part, verdict_functions
from nbmf_studies.klami2015 import criteria
from nbmf_studies.klami2015.engines import GIBBS, NAIVE, NB_F, NB_GIBBS, NB_NAIVE, PG_F


def no_parts(run: criteria.Results) -> Iterator[Part]:
    """Return no part, for claims whose fits are made on request alone."""
    return iter(())


CLAIMS = [
    Claim(
        "Set-up 1 (probabilities near 1/2): all methods are about equally accurate.",
        f"The errors of the normal model, Böhning, the direct methods and the one with explicit noise are within "
        f"{criteria.ALIKE:.0%} of the best of them. (The last was added when results were known: it is one of the "
        "paper's variants.)",
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
        f"The extreme error of PG-F is at most {criteria.EXTREME_ERROR}, and Böhning's at least "
        f"{criteria.EXTREME_GAIN} above it. The log-likelihood is at least {criteria.BALANCED_GAIN} above "
        "Böhning's.",
        criteria.extremes_of_balanced,
    ),
    Claim(
        "Set-up 3: probabilities above .95 make the difference (error .32 against .49; log-likelihood -.129 against "
        "-.185).",
        f"As printed the ratio of the errors above .95 is at most {criteria.HIGH_RATIO}, the log-likelihood is at "
        f"least {criteria.IMBALANCED_GAIN} above Böhning's, and both errors are within {criteria.NEAR:.0%} of those "
        "printed. (With b inside they are reported. They counted at first; but both errors cannot hold.)",
        criteria.high_of_imbalanced,
    ),
    Claim(
        "The Gibbs sampler is superior on the hardest data.",
        f"On set-ups 2 and 3 its error is at least {criteria.SAMPLER_GAIN} below PG-F's.",
        criteria.sampler_is_best,
    ),
    Claim(
        "The explicit-noise variant is inaccurate.",
        f"On set-ups 2 and 3 its error is at least {criteria.NOISY:g} times PG-F's. (On set-up 1 it is reported, since "
        "the paper has all methods alike there: it counted at first.)",
        criteria.noise_is_inaccurate,
    ),
    Claim(
        "The naive approximation and the Gibbs sampler are dramatically slower: minutes against seconds.",
        f"They reach {criteria.EQUAL:g} times the error that PG-F ends with after at least {criteria.SLOWER:g} times "
        "PG-F's CPU time (median over seeds).",
        lambda run: criteria.others_are_slower(run, criteria.BINARY, PG_F, (NAIVE, GIBBS)),
    ),
    Claim(
        "PG-F is not notably slower than the normal model.",
        f"Its CPU time per iteration is at most {criteria.AS_FAST:g} times that of the normal model.",
        criteria.as_fast_as_normal,
    ),
    Claim(
        "ARD prunes unnecessary factors with sufficient accuracy, in all methods.",
        "The number of factors with a mean v² above 0.01 (in the last sweep of a chain) is the true number, or "
        f"{criteria.FACTORS} away, for every seed. Only models of log-odds are judged, because v has their unit.",
        criteria.factors_are_found,
    ),
    Claim(
        "Repeated binary patterns corrupted by flips: all variants find the structure in a few iterations.",
        f"Within {criteria.FEW} iterations at most {criteria.WRONG:.0%} of the entries are on the wrong "
        "side of 1/2, compared with the clean pattern (10 % are flipped), for every seed. "
        "Böhning and line search, which are none of the paper's variants, are reported.",
        criteria.patterns_are_found,
    ),
    Claim(
        "Negative binomial counts: the direct methods are the most accurate.",
        f"The error of each is at most {criteria.BETTER} times that of the better comparison method.",
        criteria.counts_direct_is_best,
    ),
    Claim(
        "Negative binomial counts: PG-F is an order of magnitude faster than the naive variant and the Gibbs sampler.",
        f"As for binary data: at least {criteria.SLOWER:g} times PG-F's CPU time to the same error.",
        lambda run: criteria.others_are_slower(run, criteria.OVERDISPERSED, NB_F, (NB_NAIVE, NB_GIBBS)),
    ),
    Claim(
        "Large Poisson counts: the direct methods are the most accurate.",
        f"The error of each is at most {criteria.BETTER} times that of the better comparison method.",
        criteria.large_poisson,
    ),
    Claim(
        "Small Poisson counts: there alone the direct methods are not clearly the best.",
        f"The error of each is more than {criteria.BETTER} and at most {criteria.BEHIND} times softplus's, the better "
        "comparison method. (At first one below that was no failure.)",
        criteria.small_poisson,
    ),
    Claim(
        "Large Poisson counts: the Gibbs sampler is ultimately the most accurate.",
        "It has the smallest error of all.",
        criteria.sampler_on_large_poisson,
    ),
    Claim(
        "Poisson counts: PG-F converges faster than the comparison method.",
        f"It needs less CPU time to reach {criteria.EQUAL:g} times the error that softplus ends with.",
        criteria.faster_than_softplus,
    ),
    Claim(
        "Counts: the explicit-noise variant has poor accuracy.",
        f"PG-F's error is at most {criteria.BETTER} times that of the variant. Small Poisson counts are not judged, "
        "because the caption can be read either way.",
        criteria.counts_noise_is_inaccurate,
    ),
    Claim(
        "The explicit-noise sampler converges slowly.",
        f"After the same number of sweeps its error is at least {criteria.BEHIND} times the direct sampler's.",
        criteria.noise_gibbs_is_slow,
    ),
    Claim(
        "Similar results would be obtained for a wide range of matrix sizes.",
        "Judged on request only, under its reading.",
        no_parts,
    ),
    Claim(
        "Computational times would be roughly the same for much larger set-ups with comparably many observed entries.",
        "Judged on request only, under its reading.",
        no_parts,
    ),
]

claims, claims_parts = verdict_functions(CLAIMS, criteria.Results)
