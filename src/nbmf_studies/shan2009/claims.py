"""The paper's claims, each decided by a rule that was fixed before the run at full size.

The rules are in words beside the verdicts, and their thresholds are the constants of `parts`.
"""

import pandas as pd

from nbmf_studies.framework.verdicts import Claim, judge
from nbmf_studies.shan2009 import parts

CLAIMS = [
    Claim(
        "UCI: MMNB has a lower perplexity than NB on most sets.",
        f"Median test perplexity lower on at least {parts.MOST} of 9: with either floor, by the bound and sampled.",
        parts.lower_on_uci,
    ),
    Claim(
        "UCI: MMNB has a higher micro-precision and mutual information on most test sets.",
        f"Median over folds at least NB's on at least {parts.MOST} of 9, of either.",
        parts.clusters_on_uci,
    ),
    Claim(
        "UCI: memberships of NB are all but hard, those of MMNB are mixed.",
        f"Mean test entropy at least {parts.ENTROPY:g} times NB's on at least {parts.MOST} of 9.",
        parts.soft_on_uci,
    ),
    Claim(
        "UCI: perplexity increases with the entropy of memberships, but on Ionosphere.",
        f"MMNB's rises over all five parts of test rows on at least {parts.RISING} of 9, and not on Ionosphere.",
        parts.rising_on_uci,
    ),
    Claim(
        "Jester: MMNB outperforms MNB. Foodmart: MNB is lower in training and fits too closely, "
        "the more components the more.",
        "Jester: MMNB's test perplexity is lower at every K. Foodmart: MNB's is lower in training "
        f"at every K, and higher on test rows from K = {parts.TOO_MANY} on.",
        parts.jester_and_foodmart,
    ),
    Claim(
        "MovieLens: MMNB's test perplexity is stable over numbers of components and smoothing.",
        "Its range over all K and ε is smaller than MNB's.",
        parts.stable_on_movielens,
    ),
    Claim(
        "MMNB's perplexity goes up steadily with entries flipped in steps of 1 %.",
        "It rises at every step, mean over folds.",
        parts.flips_rise,
    ),
    Claim(
        "Fast inference is quite close to full inference, and 5 to 10 times faster.",
        f"Median test perplexity within {parts.WITHIN:.0%} and at least {parts.FASTER:g} times "
        "faster, whether an E-step runs to its end or for five rounds.",
        parts.fast_is_as_good,
    ),
    Claim(
        "Not the paper's: converged fast inference is hard assignment, all but MNB.",
        f"UCI: its training bound within {parts.NEAR_MNB:.0%} of MNB's on at least {parts.NEAR_SETS} of 9.",
        parts.fast_is_mnb,
    ),
]


def claims(uci: pd.DataFrame, ratings: pd.DataFrame, text: pd.DataFrame, flips: pd.DataFrame) -> pd.DataFrame:
    """Return the verdicts; see `verdicts.tabulate`, and Run for the arguments."""
    return judge(CLAIMS, parts.Run(uci, ratings, text, flips))[0]


def claims_parts(uci: pd.DataFrame, ratings: pd.DataFrame, text: pd.DataFrame, flips: pd.DataFrame) -> pd.DataFrame:
    """Return their parts."""
    return judge(CLAIMS, parts.Run(uci, ratings, text, flips))[1]
