"""What the log losses of a table of scores are per, and which of them can be compared."""

import pandas as pd

COMPARED = ("entry", "one")  # held-out entries, and ones of a sparse matrix; a token is another thing


def comparable_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores per entry or per one; without a column `unit` all."""
    return scores[scores["unit"].astype(str).str.endswith(COMPARED)] if "unit" in scores else scores


def unit_of(scores: pd.DataFrame) -> str:
    """Return "entry", or "one" where scores are of a sparse matrix."""
    of_ones = "unit" in scores and scores["unit"].astype(str).str.endswith(" one").any()
    return COMPARED[bool(of_ones)]
