"""The paper's claims, each decided by a rule that was fixed before the run at full size, or says what was not.

The rules are in words next to the verdicts, and their thresholds are the constants of `criteria`.
"""

from nbmf_studies.cemgil2009 import criteria
from nbmf_studies.framework.verdicts import Claim, verdict_functions

OFTEN = f"at least {criteria.MOST:.0%} of the matrices"
LATER = "Not judged as first published: the fits that it needs belong to the second reading."
CLAIMS = [
    Claim(
        "Figure 3a: with known priors the bound finds the true number of sources.",
        f"The bound is largest at the true order on {OFTEN}.",
        criteria.bound_finds_order,
    ),
    Claim(
        "Figure 3c: with learned priors the bound finds it too.",
        f"The bound with all four numbers learned is largest at the true order on {OFTEN}.",
        criteria.adapted_bound_finds_order,
    ),
    Claim(
        "Figure 3a, b: Chib's method gives results consistent with the bound.",
        "Both have the same best order on each matrix. Whether Chib's estimate may be believed is ours: at every order "
        f"its effective size is above {criteria.ENOUGH:g}, and its runs spread less (one standard deviation) than the "
        "bound's step from the previous order. (That counted at first.)",
        criteria.chib_agrees,
    ),
    Claim(
        "Section 4: the variational approximation to the marginal likelihood is close to Chib's estimate.",
        f"The median over matrices of Chib's estimate minus the bound is within {criteria.CLOSE:g} nats of 0 at every "
        "order. The annealed estimate is ours. (It decided at first.)",
        criteria.bound_is_close,
    ),
    Claim(
        "Not the paper's: the evidence itself, estimated by annealing, finds the order.",
        f"The annealed estimate is largest at the true order or one above on {OFTEN}, and its "
        f"effective size there is above {criteria.ENOUGH:g} on as many.",
        criteria.evidence_finds_order,
    ),
    Claim(
        "Figure 4: the best number of templates is 27 at 16 x 16 pixels and 42 at 32 x 32.",
        f"From every start the order with the largest bound is within {criteria.NEAR:.0%} of that.",
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
        "Figure 5: of four pairs of shapes, sparse templates with excitations that are not sparse have the largest "
        "bound.",
        "Shapes (0.5, 10) of templates and excitations, which the text describes, have a larger bound than (10, 10), "
        "(0.1, 0.1) and (10, 0.2). (At first than (10, 0.5) too.)",
        lambda run: criteria.best_shapes(run, criteria.SPARSE_TEMPLATES),
    ),
    Claim(
        "Claim 9 if the fourth pair is (10, 0.5), as printed and against the text: it has the largest bound.",
        "(10, 0.5) has the largest bound of the four printed pairs.",
        lambda run: criteria.best_shapes(run, criteria.AS_PRINTED),
    ),
    Claim(
        "Figure 6: with 100 templates variational Bayes fills patches better than ML-NMF.",
        f"The median over runs of the difference is at least {criteria.BETTER:g} dB.",
        criteria.bayes_fills_better,
    ),
    Claim(
        "Figure 7: variational Bayes is immune to too many templates, ML-NMF with a random start is not.",
        f"The median over runs of the SNR at 100 templates minus that at 25 is above -{criteria.FLAT:g} dB for VB "
        f"and VB + ICM, and at most -{criteria.FLAT:g} dB for ML-NMF 1.",
        criteria.bayes_is_immune,
    ),
    Claim(
        "Figure 7: ML-NMF improves where templates start at the images.",
        f"With 100 templates the median difference from the random start is at least {criteria.BETTER:g} dB.",
        criteria.images_help,
    ),
    Claim(
        "With fewer than ten templates VB and ML-NMF do not differ.",
        f"With {criteria.FEW} templates the median difference is within {criteria.BETTER:g} dB.",
        criteria.few_are_alike,
    ),
    Claim(
        "Figure 6b: highly sparse solutions do not fill patches best; one that balances both does.",
        "With 100 templates the method that fills best on average has neither the sparsest templates nor the sparsest "
        "excitations.",
        criteria.balance_is_best,
    ),
    Claim(
        "Section 4: learning the priors is crucial for filling patches; fixed ones are sometimes worse than ML-NMF.",
        LATER,
        criteria.not_run,
    ),
    Claim(
        "Section 4: VB fills patches best from an asymmetric start of the shapes, for example a_v < 1 and a_t > 10.",
        LATER,
        criteria.not_run,
    ),
    Claim("Section 4: ties matter little; untied scales fill patches best.", LATER, criteria.not_run),
    Claim("Section 4: with fewer than ten templates the bound favours VB.", LATER, criteria.not_run),
]

claims, claims_parts = verdict_functions(CLAIMS, criteria.Results)
