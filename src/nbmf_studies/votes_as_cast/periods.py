"""When roll calls were held: the periods that dynamic models are given."""

from typing import Any

from nbmf.data.category_matrix import CategoryMatrix
from nbmf_studies.votes_as_cast.sessions import years_of


def of_columns(matrix: CategoryMatrix) -> dict[str, Any]:
    """Return the periods of the columns: the year in which the session opened."""
    return {"periods": years_of(matrix).tolist()}
