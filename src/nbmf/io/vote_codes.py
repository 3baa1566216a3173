"""Votes in the code of VoteView: 1 to 3 yea, 4 to 6 nay, others neither."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nbmf.data.value_codes import number_of
from nbmf.io.cells import quoted_names
from nbmf.io.code_errors import CodesError, as_settings
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes

VOTE_CODES = {"ones": {1, 2, 3}, "zeros": {4, 5, 6}, "missing": {0, 7, 8, 9}}
LIST_OF_VOTES = {"row": "icpsr", "column": "rollnumber", "value": "cast_code"}  # its columns
WORDS = "votes in the code of VoteView: 1 to 3 yea, 4 to 6 nay, others none"
WITH_NAYS = 0.5  # of the columns at least: one alone may have sums
LARGEST = 9  # code; other columns have the congress, the state, the party
OF_VOTES = 0.5  # of all columns at least, that have votes


class VotesError(CodesError):
    """Says that values are votes in a code and no counts, and which arguments read them.

    Parameters
    ----------
    path : path
    votes : collection of int
        Those that there are.
    missing : collection of str
        Texts that are there and mean missing by default.
    others : sequence of str
        Columns that have no votes.
    """

    def __init__(self, path: Path, votes: Collection[int], missing: Collection[str], others: Sequence[str] = ()):
        options = vote_options(map(str, votes), missing) | ({"ignore": [*others]} if others else {})
        words = f"{WORDS}, but in {quoted_names(others)}" if others else WORDS
        super().__init__(options, f"{path}: {words}: ", *as_settings(options), " reads them so")


def vote_options(texts: Iterable[str], missing: Iterable[str]) -> dict[str, list[str]]:
    """Return the arguments that read votes, of which there are these texts; others mean missing by default."""
    known = sorted(texts)
    options = {role: [text for text in known if number_of(text) in numbers] for role, numbers in VOTE_CODES.items()}
    options["missing"] += missing
    return {role: each for role, each in options.items() if each}


def are_votes(counts: Mapping[Any, int], with_nays: float) -> bool:
    """Whether values are votes in the code of VoteView: from 0 to 9, most of them 1, a yea, and 6, a nay.

    `with_nays` is the part of the columns that have a 6.
    """
    if not 6 <= max(counts, default=0) <= 9 or not (counts.get(1) and counts.get(6)) or with_nays < WITH_NAYS:
        return False
    others = [number for value, number in counts.items() if value in (2, 3, 4, 5)]
    return 2 * (counts[1] + counts[6]) > sum(counts.values()) and max(others, default=0) < min(counts[1], counts[6])


def votes_of(coded: CodedMatrix, is_list: bool) -> tuple[list[str], list[int] | None]:
    """Return the columns that have no votes, and the numbers in the others, if they are votes in a code; else None.

    They look like counts, and 6 is a nay. Of a list in which no record is a zero they are those above zero: the others
    have no record. Of other files that lack zeros nobody knows whether these are votes.
    """
    if isinstance(coded.codes, StoredCodes) or (coded.are_filled and not is_list):
        return [], None
    fit = np.ones(coded.codes.shape[1], bool)
    if coded.column_names is not None and not is_list:
        fit = coded.codes.max(axis=0, initial=0) <= LARGEST
    codes = coded.codes[:, fit]
    values, numbers = np.unique(codes[codes >= int(coded.are_filled)], return_counts=True)
    counts = dict(zip(values.tolist(), numbers.tolist(), strict=True))
    if fit.mean() < OF_VOTES or not are_votes(counts, (codes == 6).any(axis=0).mean()):
        return [], None
    return [str(coded.column_names[n]) for n in np.flatnonzero(~fit)], [*counts]
