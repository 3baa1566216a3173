"""Answers from 0 to 3, or whether they are above 0: do the former predict the latter better than their cut version?"""

import pandas as pd

from nbmf_studies.votes_as_cast.third_category import COLUMNS, TWO, summary

FOUR = "four"  # categories
EVENT = "felt at all"
LABELS = {FOUR: "answers from 0 to 3", TWO: "felt at all or not", COLUMNS: "proportion in the adjective"}


def summarise(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per prediction of whether a mood was felt at all; see `third_category.summary`."""
    return summary(answers, LABELS, EVENT)
