"""When roll calls were held: the periods that dynamic models are given."""

from typing import Any

from nbmf.data.category_matrix import CategoryMatrix
from nbmf_studies.votes_as_cast.sessions import column_years


def column_periods(matrix: CategoryMatrix) -> dict[str, Any]:
    """Return the periods of the columns: the year in which the session opened."""
    return {"periods": column_years(matrix).tolist()}
