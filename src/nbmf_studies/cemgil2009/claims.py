"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words beside the verdicts, and their thresholds are the constants of `criteria`.
"""

from nbmf_studies.cemgil2009 import criteria
from nbmf_studies.framework.verdicts import Claim, judging

OFTEN = f"at least {criteria.MOST:.0%} of the matrices"
LATER = "None as first published: the fits that it takes belong to the second reading."
CLAIMS = [
    Claim(
        "Figure 3a: the bound finds the true number of sources, the priors being known.",
        f"The bound is largest at the true order on {OFTEN}.",
        criteria.bound_finds_order,
    ),
    Claim(
        "Figure 3c: so it does when the priors are learned.",
        f"The bound with all four numbers learned is largest at the true order on {OFTEN}.",
        criteria.adapted_bound_finds_order,
    ),
    Claim(
        "Figure 3a, b: Chib's method gives results consistent with the bound.",
        f"At every order an effective size above {criteria.ENOUGH:g}, and runs that spread less (one "
        "standard deviation) than the bound's step from the order before; the same best order.",
        criteria.chib_agrees,
    ),
    Claim(
        "Section 4: the variational approximation to the marginal likelihood is close.",
        f"Median over matrices of annealed estimate minus bound: at most {criteria.CLOSE:g} nats at every order.",
        criteria.bound_is_close,
    ),
    Claim(
        "Not the paper's: the evidence itself, by annealing, finds the order.",
        f"The annealed estimate is largest at the true order or one above on {OFTEN}; there its "
        f"effective size is above {criteria.ENOUGH:g} on as many.",
        criteria.evidence_finds_order,
    ),
    Claim(
        "Figure 4: 27 templates at 16 x 16 pixels, 42 at 32 x 32.",
        f"The order with the largest bound is within {criteria.NEAR:.0%} of that, from every start.",
        criteria.printed_orders,
    ),
    Claim(
        "Figure 4: higher resolution implies more templates.",
        "Every start at 32 x 32 has a larger best order than every start at 16 x 16.",
        criteria.finer_needs_more,
    ),
    Claim(
        "Figure 4: the bound reflects the trade-off between too many and too few templates.",
        "From every start the bound is lower at the first and at the last order than at its best.",
        criteria.too_many_cost,
    ),
    Claim(
        "Figure 5: sparse templates with excitations that are not have the largest bound.",
        "Shapes (0.5, 10) of templates and excitations, which the text describes, have the largest bound of all pairs.",
        criteria.sparse_templates_are_best,
    ),
    Claim(
        "Figure 5, as its shapes are printed: the last pair has the largest bound.",
        "(10, 0.5) has the largest bound of the four printed pairs.",
        criteria.printed_pair_is_best,
    ),
    Claim(
        "Figure 6: with 100 templates variational Bayes fills patches better than ML-NMF.",
        f"Median over runs of the difference at least {criteria.BETTER:g} dB.",
        criteria.bayes_fills_better,
    ),
    Claim(
        "Figure 7: variational Bayes is immune to too many templates, ML-NMF with a random start is not.",
        f"Median over runs of SNR at 100 less SNR at 25 templates: above -{criteria.FLAT:g} dB for VB "
        f"and VB + ICM, at most -{criteria.FLAT:g} dB for ML-NMF 1.",
        criteria.bayes_is_immune,
    ),
    Claim(
        "Figure 7: ML-NMF improves where templates start at the images.",
        f"100 templates: median difference to the random start at least {criteria.BETTER:g} dB.",
        criteria.images_help,
    ),
    Claim(
        "With fewer than ten templates VB and ML-NMF do not differ.",
        f"{criteria.FEW} templates: median difference within {criteria.BETTER:g} dB.",
        criteria.few_are_alike,
    ),
    Claim(
        "Figure 6b: highly sparse solutions do not fill best; one that balances both does.",
        "100 templates: what fills best on average has neither the sparsest templates nor the sparsest excitations.",
        criteria.balance_is_best,
    ),
    Claim("Section 4: learning the priors is crucial for filling.", LATER, criteria.not_run),
    Claim("Section 4: VB fills best from an asymmetric start, a_v < 1 and a_t >= 10.", LATER, criteria.not_run),
    Claim("Section 4: ties matter little; untied scales fill best.", LATER, criteria.not_run),
    Claim("Section 4: with fewer than ten templates the bound favours VB.", LATER, criteria.not_run),
]

claims, claims_parts = judging(CLAIMS, criteria.Run)
