"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words beside the verdicts, and their thresholds are the constants of `criteria`.
"""

from nbmf_studies.framework.verdicts import Claim, judging
from nbmf_studies.shan2009 import criteria

CLAIMS = [
    Claim(
        "UCI: MMNB has a lower perplexity than NB on most sets.",
        f"Median test perplexity lower on at least {criteria.MOST} of 9, with the paper's floor by the bound. The "
        "other floor, and sampled, are ours, here and below.",
        criteria.lower_on_uci,
    ),
    Claim(
        "UCI: MMNB has a higher micro-precision and mutual information on most test sets.",
        f"Median over folds at least NB's on at least {criteria.MOST} of 9, of either.",
        criteria.clusters_on_uci,
    ),
    Claim(
        "UCI: memberships of NB are all but hard, those of MMNB are mixed.",
        f"Mean test entropy at least {criteria.ENTROPY:g} times NB's on at least {criteria.MOST} of 9.",
        criteria.soft_on_uci,
    ),
    Claim(
        "UCI: perplexity increases with the entropy of memberships, but on Ionosphere.",
        f"MMNB's rises over all five parts of test rows on at least {criteria.RISING} of 9, and not on Ionosphere.",
        criteria.rising_on_uci,
    ),
    Claim(
        "Jester: MMNB outperforms MNB. Foodmart: MNB is lower in training and fits too closely, "
        "the more components the more.",
        "Jester: MMNB's test perplexity is lower at every K. Foodmart: MNB's is lower in training "
        f"at every K, and higher on test rows from K = {criteria.TOO_MANY} on. The smoothing of Poisson rates is ours.",
        criteria.jester_and_foodmart,
    ),
    Claim(
        "MovieLens: MMNB's test perplexity is stable over numbers of components and smoothing.",
        "Its range over all K and ε is smaller than MNB's.",
        criteria.stable_on_movielens,
    ),
    Claim(
        "MMNB's perplexity goes up steadily with entries flipped in steps of 1 %.",
        "It rises at every step, mean over folds.",
        criteria.flips_rise,
    ),
    Claim(
        "Fast inference is quite close to full inference, and 5 to 10 times faster.",
        f"Median test perplexity within {criteria.WITHIN:.0%} and at least {criteria.FASTER:g} times "
        "faster, whether an E-step runs to its end or for five rounds.",
        criteria.fast_is_as_good,
    ),
    Claim(
        "Not the paper's: converged fast inference is hard assignment, all but MNB.",
        f"UCI: its training bound within {criteria.NEAR_MNB:.0%} of MNB's on at least {criteria.NEAR_SETS} of 9.",
        criteria.fast_is_mnb,
    ),
    Claim(
        "Jester, finer flips: MMNB's perplexity almost always goes up, LDA's goes up and down (Figure 12).",
        f"Mean over folds, steps of .1 and .01 %: MMNB's rises at {criteria.STEPS_UP:.0%} of the steps at least, LDA's "
        "not at all of them.",
        criteria.lda_is_not_monotone,
    ),
    Claim(
        "Texts: Fast LDA clusters about as well as LDA (Table 8).",
        f"Micro-precision of the best start at least LDA's less {criteria.CLOSE:g}. Five rounds are ours.",
        criteria.fast_clusters_as_well,
    ),
    Claim(
        "Classic3: topics of LDA and Fast LDA share most of their words (Table 10).",
        f"At least {criteria.SHARED} of the ten commonest words of each topic, with one another and with the paper's, "
        "of the best starts. Five rounds are ours.",
        criteria.topics_share_words,
    ),
]

claims, claims_parts = judging(CLAIMS, criteria.Run)
