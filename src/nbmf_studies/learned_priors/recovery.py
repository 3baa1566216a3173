"""Priors that data were drawn from, and what is learned of them."""

import pandas as pd

from nbmf_studies.framework.gathering import Fits, reports
from nbmf_studies.learned_priors.recovery_data import LEARNED

COLUMNS = ("hyperparameter", "truth", "repetition", "method", "learned")


def tabulate(fits: Fits) -> pd.DataFrame:
    """Return a row per fit and hyperparameter that it learned: COLUMNS."""
    rows = []
    for columns, report in reports(fits):
        findings = report["findings"]
        rest = [columns[name] for name in ("truth", "repetition", "method")]
        rows += [[name, *rest, findings[name]] for name in LEARNED[columns["kind"]]]
    return pd.DataFrame(rows, columns=list(COLUMNS))
