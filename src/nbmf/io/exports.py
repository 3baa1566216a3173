"""Tables as programs export them, and no matrix alone: surveys of Qualtrics and SurveyMonkey, genotypes of PLINK."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from nbmf.io.cells import count_phrase

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
# In lower case and without blanks, the columns of SurveyMonkey that are no questions; that of respondents comes first.
MONKEY_RECORDED = ("respondentid", "collectorid", "startdate", "enddate", "datecreated", "datemodified")
MONKEY_RECORDED += ("ipaddress", "emailaddress", "firstname", "lastname", "customdata")
OPEN = ("response", "open-ended response")  # below questions without choices
# Of PLINK's additive coding (.raw): the columns about a sample, and how those end that repeat which copies are single.
SAMPLE = ("FID", "IID", "PAT", "MAT", "SEX", "PHENOTYPE")
HETEROZYGOUS = "_HET"


class Export(NamedTuple):
    """Which fields of an export are read, and what they are called.

    - header : list of str, the names of all fields
    - row : list of int, the fields that name a row; together they do, where they differ and are not 0
    - places : list of int, the other fields that are read
    - n_below : int, how many records below the names are none of the table
    - words : str, what else is left out; {} is the number of columns
    """

    header: list[str]
    row: list[int]
    places: list[int]
    n_below: int
    words: str

    @property
    def names(self) -> list[str]:
        """The names of what is read, first that of rows."""
        return [self.header[place] for place in (self.row[-1], *self.places)]

    def read(self, fields: Sequence[str]) -> list[str]:
        """Return what is read of a record, first the name of its row."""
        parts = dict.fromkeys(part for place in self.row if (part := fields[place].strip()) != "0")
        return ["_".join(parts), *(fields[place] for place in self.places)]

    def field(self, column: int) -> int:
        """Return the place in the file of a column that is read."""
        return self.places[column - 1] if column else self.row[-1]

    def with_columns(self, names: Collection[str]) -> "Export":
        """Return the export of which further columns are read: groups, such as the sex of a sample."""
        others = [place for place, name in enumerate(self.header) if name in names and place not in self.row]
        return self._replace(places=[*self.places, *(place for place in others if place not in self.places)])

    def left_out(self) -> str:
        """Return the words for what is not read."""
        return self.words.format(count_phrase(len(self.header) - len({*self.row, *self.places}), "column"))


def find_export(names: Sequence[str], below: Sequence[Sequence[str]]) -> Export | None:
    """Return what is read of a table; None if it is no export that is known.

    Parameters
    ----------
    names : sequence of str
        The fields of the first record of a table.
    below : sequence of such
        Those of the two next.
    """
    names = [name.strip() for name in names]
    return _of_qualtrics(names, below) or _of_survey_monkey(names, below) or _of_plink(names)


def _of_qualtrics(names: list[str], below: Sequence[Sequence[str]]) -> Export | None:
    """Return a survey of Qualtrics: below the names a row of questions, and one of JSON with their origins."""
    origins = [_origin(field) for field in below[1]] if len(below) == 2 else []
    if len(origins) != len(names) or RESPONDENT not in origins:
        return None
    answers = [place for place, origin in enumerate(origins) if origin not in RECORDED]
    words = "of a survey of Qualtrics its rows of questions and of origins, and {} that it records itself"
    return Export(names, [origins.index(RESPONDENT)], answers, 2, words)


def _origin(field: str) -> str | None:
    """Return the origin of a column, None if a field does not tell it."""
    try:
        told = json.loads(field)
    except (ValueError, RecursionError):
        return None
    return str(told[ORIGIN]) if isinstance(told, dict) and ORIGIN in told else None


def _of_survey_monkey(names: list[str], below: Sequence[Sequence[str]]) -> Export | None:
    """Return a survey of SurveyMonkey: questions, each above the first of its choices, and below them the choices."""
    first = names[0].replace(" ", "").casefold()
    choices = [field.strip() for field in below[0]] if below else []
    if first != MONKEY_RECORDED[0] or len(choices) != len(names) or choices[0] or not any(choices):
        return None
    recorded = [_is_recorded(name) and not choice for name, choice in zip(names, choices, strict=True)]
    header = _questions_with_choices(names, choices)
    answers = [place for place, is_recorded in enumerate(recorded) if not is_recorded]
    return Export(header, [0], answers, 1, "of a survey of SurveyMonkey {} that it records itself")


def _is_recorded(name: str) -> bool:
    return name.replace(" ", "").casefold().rstrip("0123456789") in MONKEY_RECORDED


def _questions_with_choices(names: list[str], choices: list[str]) -> list[str]:
    """Return a name for each column: its choice, after its question where questions have the same choice."""
    questions, question = [], ""
    for name in names:
        question = name or question
        questions.append(question)
    number = Counter(choices)
    is_alone = [not choice or choice.casefold() in OPEN for choice in choices]
    return [
        question if alone else choice if number[choice] == 1 else f"{question}: {choice}"
        for question, choice, alone in zip(questions, choices, is_alone, strict=True)
    ]


def _of_plink(names: list[str]) -> Export | None:
    """Return genotypes of PLINK: samples by their family and their own name, and the copies of an allele."""
    variants = [place for place, name in enumerate(names) if place >= len(SAMPLE) and not name.endswith(HETEROZYGOUS)]
    if tuple(names[: len(SAMPLE)]) != SAMPLE or not variants:
        return None
    also = "" if len(names) == len(SAMPLE) + len(variants) else " and heterozygosity"
    return Export(names, [0, 1], variants, 0, f"of genotypes of PLINK {{}} about samples{also}")
