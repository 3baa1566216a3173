"""Whether whole numbers are counts, or answers: ratings, 1 and 2 for yes and no, or 0 and 1 with codes of gaps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbmf.data.matrix import MISSING
from nbmf.errors import Message, Setting
from nbmf.io.cells import quoted_names
from nbmf.io.code_errors import CodesError, as_settings
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes

LONGEST = 10  # a scale
ANSWERED = 0.5  # of all columns, that have answers: there may be an age, too
GAPS = (7, 8, 9, 77, 88, 97, 98, 99, 999)  # numbers beyond a scale, which mean "don't know" and the like


# A file is taken for one of counts if it has so many different values above one, in such a part of
# its columns: 2 and 9 next to 0 and 1 are codes more often, and a column of ages does not belong.
DIFFERENT, COUNTED = 3, 0.25
LISTS = {2: "presence", 3: "long", 4: "long"}  # the layout of a list, by how many columns it has: a fourth has times
LATE = 1e6  # seconds, of which half are later in a column of times
MISSING_IN_A_LIST = Message("in a list of row, column and value, ", Setting("layout", "long"), ", that is missing")
SEVERAL = 20  # lines, from which on a table may be a list
FEWEST_ZEROS = 0.25  # for each one: half of what counts have at least, see `_are_counted`


class Answers(NamedTuple):
    """Whole numbers that are answers.

    highest : int
        They are those from 1 to this one; 2 is a yes and a no, 1 a one, next to zeros.
    gaps : tuple of int
        Numbers beyond, which may mean missing.
    """

    highest: int
    gaps: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """What they are, for a person."""
        scale = {1: "0 and 1", 2: "1 and 2"}.get(self.highest, f"from 1 to {self.highest}")
        return scale + (f", and {', '.join(map(str, self.gaps))}" if self.gaps else "")

    @property
    def above(self) -> int:
        """The middle of the scale: answers above it are ones."""
        return (self.highest + 1) // 2

    def options(self, missing: Collection[str] = ()) -> dict[str, Any]:
        """Return the arguments of `nbmf.read` that make them ones and zeros; texts in `missing` mean missing too."""
        gaps = self._gaps(missing)
        if self.highest == 1:
            return gaps
        return {"ones": ["1"], "zeros": ["2"], **gaps} if self.highest == 2 else {"above": self.above, **gaps}

    def in_order(self, missing: Collection[str] = ()) -> dict[str, Any]:
        """Return the arguments of `nbmf.read` that keep their order; texts in `missing` mean missing too."""
        return {"categories": self.categories, **self._gaps(missing)}

    @property
    def categories(self) -> list[str]:
        """The texts of the scale, from the lowest on."""
        return [str(number) for number in range(1, self.highest + 1)]

    def _gaps(self, missing: Collection[str]) -> dict[str, Any]:
        return {"missing": [*map(str, self.gaps), *missing]} if self.gaps else {}


class AnswersError(CodesError):
    """Says that values are answers and no counts, and which arguments read them.

    `readings` are these arguments, each with words for what they do; those of `options` are the last.

    Parameters
    ----------
    path : path
    answers : Answers
    missing : collection of str
        Texts that are there and mean missing by default.
    others : sequence of str
        Columns that have no answers.
    lacks_zeros : bool
        Whether what is not in the file is zero, so that there is no category for it.
    is_huge : bool
        Whether only values that are not zero are kept, since there are too many: then they cannot be read as counts.
    """

    def __init__(
        self,
        path: Path,
        answers: Answers,
        missing: Collection[str],
        others: Sequence[str] = (),
        lacks_zeros: bool = False,
        is_huge: bool = False,
    ):
        left_out = {"ignore": [*others]} if others else {}
        options = answers.options(missing) | left_out
        named = as_settings(options)
        readings = [(options, "")]
        which = f" but those of {quoted_names(others)}" if others else " that are stored" if lacks_zeros else ""
        parts = [f"{path}: all values{which} are whole numbers, {answers.words}: "]
        if answers.highest == 1:
            parts += ["the latter mostly mean missing. ", *named, " reads them so"]
        elif answers.highest == 2:
            parts += ["two answers. ", *named, " takes 1 for a one and 2 for a zero, as in yes and no"]
        else:
            parts += ["ratings, and no counts. "]
            if not lacks_zeros:
                ordered = answers.in_order(missing) | left_out
                readings = [(ordered, "keeps their order"), (options, "makes ones and zeros")]
                parts += [*as_settings(ordered), " keeps them as ordered categories; "]
            parts += [*named, f" makes those above {answers.above} ones and others zeros"]
            parts += [", also what is not in the file"] if lacks_zeros else ()
            parts += ["; ", MISSING_IN_A_LIST] if lacks_zeros and not is_huge else ()
        counts = Setting("counts", True), " reads all values as counts"
        super().__init__(options, *parts, *(("; ", *counts) if answers.highest != 2 and not is_huge else ()))
        self.readings = readings


class TiesError(CodesError):
    """Says that the ties of a list have whole numbers that may be weights or ratings, and which arguments read them.

    Parameters
    ----------
    path : path
    answers : Answers
        What they are as ratings.
    is_huge : bool
        Whether only values that are not zero are kept, since there are too many: then these become ones.
    """

    def __init__(self, path: Path, answers: Answers, is_huge: bool):
        options = {"above": 0, "absent": "zeros"}
        parts = [f"{path}: ties with whole numbers, {answers.words}. If they are weights: ", *as_settings(options)]
        parts += [" makes all recorded ties ones and other pairs zeros"]
        parts += [] if is_huge else ["; ", Setting("counts", True), " keeps the weights"]
        parts += [
            ". If they are ratings: ",
            *as_settings(answers.options()),
            f" makes those above {answers.above} ones",
        ]
        if not is_huge:
            parts += [", ", Setting("categories", answers.categories), " keeps them in order"]
            parts += [", and pairs without a record are missing"]
        super().__init__(options, *parts)


def column_answers(codes: np.ndarray, names: Sequence[str]) -> tuple[list[str], Answers | None]:
    """Return the columns that have no answers, and which answers the others have; these are ANSWERED of all at least.

    Parameters
    ----------
    codes : int array (F, N)
        Whole numbers; -1 is missing.
    names : sequence of str
        Of the N columns.
    """
    for lowest, highest in ((1, LONGEST), (0, 1)):
        may_be = (codes == MISSING) | ((codes >= lowest) & (codes <= highest)) | np.isin(codes, GAPS)
        fit = may_be.all(axis=0)
        values = codes[:, fit]
        if fit.mean() >= ANSWERED and (answers := detect_answers(values[values >= 0])) is not None:
            return [str(name) for name, fits in zip(names, fit, strict=True) if not fits], answers
    return [], None


def detect_answers(values: np.ndarray, is_list: bool = False, absent: float = np.inf) -> Answers | None:
    """Return which answers whole numbers are, None if they may be counts.

    Those from 1 to at most LONGEST with no zero among them, and beyond these GAPS alone; or 0 and 1, most of all, and
    some of GAPS. In a list, which has counts above zero alone, 1 is the most frequent one of counts, unless too few
    pairs are absent.

    Parameters
    ----------
    values : int array
        Observed ones.
    is_list : bool
        Whether there was a line for each.
    absent : float
        How many pairs of a row and a column have no line, in a list of which that is known.
    """
    if not values.size or values.max() > GAPS[-1]:
        return None
    counts = np.bincount(values)
    distinct = np.flatnonzero(counts)
    scale, gaps = split_gaps(distinct.tolist())
    if scale[0] == 0:
        are_gaps = scale == [0, 1] and 1 < counts[gaps].sum() < counts[:2].sum()  # a single one may be a slip
        return Answers(1, tuple(gaps)) if are_gaps else None
    if scale[-1] > LONGEST or len(scale) < 2 or (len(scale) == 2 and scale != [1, 2]):
        return None
    if is_list and (len(scale) == 2 or _are_counted(counts, scale, gaps, absent)):
        return None
    return Answers(scale[-1], tuple(gaps))


def _are_counted(counts: np.ndarray, scale: list[int], gaps: list[int], absent: float) -> bool:
    """Whether the numbers of a list may be counts above zero, of which these are so frequent.

    The lowest is the most frequent one, hardly any lies beyond a jump, and there are zeros. Of Poisson counts with any
    mixture of rates that have no more twos than ones, zeros are at least half as many as ones (Cauchy-Schwarz).
    """
    if counts[scale[0]] < counts.max():
        return False
    beyond = counts[gaps].sum()
    are_answered = absent < FEWEST_ZEROS * counts[1] or beyond > max(SEVERAL, counts[scale[-1]])
    return counts.sum() < SEVERAL or not are_answered


def split_gaps(numbers: list[int]) -> tuple[list[int], list[int]]:
    """Return the numbers of a scale, and those beyond it after a jump, which are GAPS."""
    for place in range(1, len(numbers)):
        jump, first = numbers[place] - numbers[place - 1], numbers[place]
        if jump >= (3 if first == GAPS[0] else 2) and set(numbers[place:]) <= set(GAPS):
            return numbers[:place], numbers[place:]
    return numbers, []


def matrix_answers(coded: CodedMatrix, is_list: bool) -> tuple[list[str], Answers | None]:
    """Return the columns that have no answers, and which answers the others have, if they are such and no counts."""
    codes = coded.codes.codes if isinstance(coded.codes, StoredCodes) else coded.codes
    if coded.are_filled or codes is not coded.codes:  # as in a list there are those above zero alone
        absent = np.count_nonzero(codes == 0) if codes is coded.codes else np.inf
        return [], detect_answers(codes[codes > 0], is_list=True, absent=absent)
    if is_list or coded.column_names is None:
        return [], detect_answers(codes[codes >= 0], is_list)
    return column_answers(coded.codes, coded.column_names)


def find_layout(codes: np.ndarray | StoredCodes) -> str | None:
    """Return the layout of a list that counts (F, N) without names of rows may be, None if they are no such list.

    Its first two columns have numbers that come again, as those of rows and columns do, and no pair of them does; a
    fourth column has times.
    """
    if isinstance(codes, StoredCodes) or codes.shape[1] not in LISTS or len(codes) < SEVERAL:
        return None
    if codes.shape[1] > 3 and not (2 * len(np.unique(codes[:, 3])) >= len(codes) and np.median(codes[:, 3]) >= LATE):
        return None
    pairs = codes[:, :2]
    come_again = all(2 * len(np.unique(numbers)) <= len(codes) for numbers in pairs.T)
    differ = len(np.unique(pairs, axis=0)) == len(codes)
    return LISTS[codes.shape[1]] if come_again and differ and (pairs != MISSING).all() else None


def look_like_counts(codes: np.ndarray | StoredCodes) -> bool:
    """Whether whole numbers (F, N) are counts rather than codes, or columns of other things."""
    if isinstance(codes, StoredCodes):
        above = codes.codes > 1
        values, columns = codes.codes[above], len(np.unique(codes.columns[above]))
    else:
        above = codes > 1
        values, columns = codes[above], np.count_nonzero(above.any(axis=0))
    return len(np.unique(values)) >= DIFFERENT and columns >= COUNTED * codes.shape[1]
