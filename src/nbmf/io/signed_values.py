"""Files with 1, 0 and -1, of which -1 may be a no: which arguments read them."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nbmf.data.signs import MINUS_ONE, MinusOnes, are_signs, may_have_signs, off_diagonal
from nbmf.data.value_codes import Coding
from nbmf.errors import DataError
from nbmf.io.cells import Entries, Grid
from nbmf.io.code_errors import as_settings
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes
from nbmf.io.formats import Cells
from nbmf.numerics.percent import percent


class Words(NamedTuple):
    """What -1 may be, and when each reading is the right one."""

    what: str
    minus: str
    signs: str
    in_order: str


OF_ANSWERS = Words(
    "a no", "-1 is a no", "a no is -1, and 0 means absent", "0 is between no and yes, such as an abstention"
)
OF_TIES = Words(
    "a negative tie",
    "-1 is a negative tie",
    "-1 is a negative tie, and pairs without a tie, 0, tell nothing of its sign",
    "ties are to be told from pairs without one, which are between negative and positive ones",
)


class SignsError(DataError):
    """Says that values are 1 and -1, mostly next to 0, and with which arguments they are read.

    Parameters
    ----------
    path : path
    shares : (float, float), of -1 and of 0 among these values
    texts : ([str], [str]), how -1 and 0 are written
    missing : collection of str
        Other texts that are there and mean missing by default.
    are_ties : bool
        Whether they belong to the ties of a network.
    """

    def __init__(
        self,
        path: Path,
        shares: tuple[float, float],
        texts: tuple[list[str], list[str]],
        missing: Collection[str],
        are_ties: bool = False,
    ):
        (minus, zero), has_zeros, words = texts, shares[1] > 0, OF_TIES if are_ties else OF_ANSWERS
        gaps = [*zero, *missing]
        signs = {"zeros": minus, **({"missing": gaps} if gaps else {})}
        in_order = {"categories": ["-1", "0", "1"], **({"missing": [*missing]} if missing else {})}
        self.readings = [
            (signs, f"if {words.signs if has_zeros else words.minus}"),
            *([(in_order, f"if {words.in_order}")] if has_zeros else []),
            ({"missing": [*minus, *missing]}, "if -1 means missing"),
        ]
        parts = [part for arguments, words in self.readings for part in ("; ", *as_settings(arguments), f" {words}")]
        of_zeros = f", and {percent(shares[1], 1)} are 0" if has_zeros else ""
        self.opening = (
            f"{path}: {percent(shares[0], 1)} of the values are -1{of_zeros}: -1 may be {words.what} or mean missing"
        )
        super().__init__(self.opening, *parts)


def refuse_signs(
    path: Path, cells: Cells, coding: Coding, coded: CodedMatrix, read: Callable[[Coding], CodedMatrix]
) -> None:
    """Raise SignsError if -1 was read as missing and may be a no; `read` reads the cells once more.

    An int8 array has codes, of which -1 is missing; so is what a list of entries that are not zero has.
    """
    are_codes = isinstance(cells, Grid) and cells.values.dtype == np.int8
    if isinstance(cells, Entries) or are_codes or isinstance(coded.codes, StoredCodes) or not may_have_signs(coding):
        return
    ties = off_diagonal(coded.row_names, coded.column_names)
    are_ties = ties is not None
    minus_ones = int(np.count_nonzero((read(MinusOnes()).codes == 1) & (ties if are_ties else True)))
    if not are_signs(minus_ones, coded.codes, are_ties):
        return
    ones, zeros = (int(np.count_nonzero(coded.codes == code)) for code in (1, 0))
    shares = tuple(number / (minus_ones + zeros + ones) for number in (minus_ones, zeros))
    gaps = coding.missing_texts_seen()
    minus, others = ([text for text in gaps if (text in MINUS_ONE) == wanted] for wanted in (True, False))
    zero = sorted(text for text, code in coding.items() if code == 0 and isinstance(text, str))
    raise SignsError(path, shares, (minus or ["-1"], zero or (["0"] if zeros else [])), others, are_ties)
