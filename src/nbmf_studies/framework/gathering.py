"""What the jobs of a study have found, as one table."""

import pandas as pd


def gather(**tables: pd.DataFrame) -> pd.DataFrame:
    """Return the tables of all jobs as one, in the order in which they are given."""
    return pd.concat(tables.values(), ignore_index=True)
