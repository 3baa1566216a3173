"""Surveys as Qualtrics exports them: below the names a row of questions, and one of JSON with their origins."""

import json
from collections.abc import Sequence
from typing import NamedTuple

ORIGIN = "ImportId"
RESPONDENT = "_recordId"  # the origin of the column that tells respondents apart
# Origins of what the program records of each respondent; those of answers begin with QID, others have names that the
# survey's author has given.
RECORDED = frozenset(
    [
        RESPONDENT,
        *("startDate", "endDate", "recordedDate", "duration", "progress", "finished", "status", "ipAddress"),
        *("recipientLastName", "recipientFirstName", "recipientEmail", "externalDataReference"),
        *("locationLatitude", "locationLongitude", "distributionChannel", "userLanguage"),
    ]
)


class Survey(NamedTuple):
    """Which fields of a survey are read.

    - n_fields : int, of a record
    - places : list of int, of the fields that are read, first that of respondents
    """

    n_fields: int
    places: list[int]

    @property
    def n_left_out(self) -> int:
        """How many fields are not read."""
        return self.n_fields - len(self.places)


def find_survey(names: Sequence[str], below: Sequence[Sequence[str]]) -> Survey | None:
    """Return which fields are read of a survey; None if a table is none.

    Parameters
    ----------
    names : sequence of str
        The fields of the first record of a table.
    below : sequence of such
        Those of the two next: questions, which are not looked at, and origins.
    """
    origins = [_origin(field) for field in below[1]] if len(below) == 2 else []
    if len(origins) != len(names) or RESPONDENT not in origins:
        return None
    first = origins.index(RESPONDENT)
    answers = [place for place, origin in enumerate(origins) if origin not in RECORDED]
    return Survey(len(names), [first, *answers])


def _origin(field: str) -> str | None:
    """Return the origin of a column, None if a field does not tell it."""
    try:
        told = json.loads(field)
    except (ValueError, RecursionError):
        return None
    return str(told[ORIGIN]) if isinstance(told, dict) and ORIGIN in told else None
