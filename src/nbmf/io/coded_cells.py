"""Cells as codes: of zeros and ones, of categories, or of counts if they are asked for or look like such."""

from pathlib import Path
from typing import Any

from nbmf.data.category_coding import CategoryCoding
from nbmf.data.count_coding import AmountCoding, CountCoding
from nbmf.data.named import NamedMatrix
from nbmf.data.shared_names import shared_names
from nbmf.data.value_codes import (
    Coding,
    RefusedValue,
    ValueCoding,
    amount_of,
    is_count_above_one,
    number_of,
    short_repr,
    text_of,
)
from nbmf.errors import ConfigError, DataError, Message, Setting
from nbmf.io import arguments
from nbmf.io.answers import AnswersError, TiesError, find_layout, look_like_counts, matrix_answers
from nbmf.io.arguments import Options
from nbmf.io.baskets import code_baskets
from nbmf.io.cells import Entries, Grid, RepeatedName, Table
from nbmf.io.coded_matrix import CodedMatrix, StoredCodes, code_entries, code_grid
from nbmf.io.formats import Cells
from nbmf.io.layouts import BASKET
from nbmf.io.matrix_files import KINDS, code_matrix_file
from nbmf.io.records import Records
from nbmf.io.signed_values import refuse_signs
from nbmf.io.tables_as_matrices import code_table
from nbmf.io.totals import TotalsError, notes_of_totals, totals_of
from nbmf.io.vote_codes import VotesError, votes_of


class WrongCount(RefusedValue):
    """Says which number is no count where all others are; `missing` are the texts that mean missing if it does."""

    def __init__(self, error: RefusedValue, missing: list[str]):
        super().__init__(Message(f"all values but {short_repr(error.value)} are counts: ", error), error.value)
        self.missing = missing


class _CountsButOne(CountCoding):
    """The coding of counts in which one number, which is none, means missing."""

    def __init__(self, missing: list[str] | None, wrong: str):
        super().__init__(missing)
        self._wrong = wrong

    def encode_text(self, text: str) -> int:
        """Return the code of a text, without keeping it."""
        return -1 if text.strip() == self._wrong else super().encode_text(text)


def code_cells(path: Path, cells: Cells, given: dict[str, Any]) -> CodedMatrix:
    """Return cells as codes of zeros and ones, or as counts if they are asked for or seen; see `read`."""
    if isinstance(cells, NamedMatrix):
        return code_matrix_file(path, cells, given)
    options = dict.fromkeys(arguments.RULES) | given
    if options["layout"] == BASKET:
        if not isinstance(cells, Records):
            raise ConfigError(
                f"{path}: ", Setting("layout", BASKET), f" is for texts and sheets; this is {cells.format}"
            )
        return code_baskets(cells, options)
    if "categories" in given:
        return _apply_coding(CategoryCoding(given["categories"], given.get("missing")), cells, options)
    if given.get("counts") or "above" in given:
        texts = given.get("missing"), given.get("zeros")
        asked = AmountCoding(*texts, given["above"]) if "above" in given else CountCoding(*texts)
        coded = _apply_coding(asked, cells, options)
        return coded._replace(notes=(*coded.notes, *notes_of_totals(coded), *_notes_of_decimals(asked)))
    counting = CountCoding(given.get("missing"))
    coding = Coding(*map(given.get, KINDS))
    try:
        coded = _apply_coding(coding, cells, options)
        refuse_signs(path, cells, coding, coded, lambda others: _apply_coding(others, cells, options))
        return coded
    except (RefusedValue, RepeatedName) as refused:
        if given.keys() & {"counts", "ones", "zeros"}:
            raise
        return _retry_as_counts(path, refused, counting, cells, options)


def _notes_of_decimals(coding: CountCoding) -> tuple[str, ...]:
    """Return what is said of values that are compared with a threshold, if they are no counts, nor missing."""
    amounts = (amount_of(text_of(value).strip()) for value, code in coding.items() if code >= 0)
    decimal = next((amount for amount in amounts if amount is not None and amount % 1), None)
    return () if decimal is None else (f"some values are no whole numbers, such as {decimal:g}",)


def _retry_as_counts(
    path: Path, refused: RefusedValue | RepeatedName, counting: CountCoding, cells: Cells, options: Options
) -> CodedMatrix:
    """Return cells that were refused as zeros and ones as counts, if they look like such; else raise.

    Raises
    ------
    VotesError
        If they are votes in a code, of which ratings have some of the numbers.
    TiesError
        If they belong to the ties of a network.
    AnswersError
        If they are ratings, or 1 and 2 for a yes and a no.
    WrongCount
        If they are counts but for one number.
    RefusedValue or RepeatedName
        What was refused, if they are no counts either; first that a name of rows is repeated, if that is all.
    """
    is_name = isinstance(refused, RepeatedName)  # if it is one: it may be a count
    if not (is_name or is_count_above_one(refused.value)):
        raise refused
    try:
        coded = _apply_coding(counting, cells, options)
    except DataError as error:
        is_text = isinstance(error, RefusedValue) and number_of(error.value) is None
        if is_name or is_text:  # which nobody takes for a count
            raise refused from None
        if isinstance(error, RepeatedName):  # of rows, which are compared when all values have been read as counts
            raise RepeatedName(error, "; as zeros and ones: ", refused) from None
        if isinstance(error, RefusedValue) and (wrong := _wrong_count(error, cells, options)) is not None:
            raise wrong from None
        raise RefusedValue(Message(refused, "; as a matrix of counts: ", error), refused.value) from None
    if isinstance(cells, Table | Records) and options["layout"] is None and totals_of(coded) != (None, None):
        raise TotalsError(path, *totals_of(coded), options["ignore"] or ())
    is_list = options["layout"] == "long"
    called = dict(zip(cells.names, cells.variables, strict=True)) if isinstance(cells, Table) else {}
    others, votes = votes_of(coded, is_list)
    if votes is not None:
        raise VotesError(path, votes, counting.missing_texts_seen(), [called.get(name, name) for name in others])
    others, answers = matrix_answers(coded, is_list)
    is_huge = isinstance(coded.codes, StoredCodes)
    if answers is not None:
        if is_list and answers.highest > 2 and _is_network(coded, options):
            raise TiesError(path, answers, is_huge)
        if answers.highest == 2 and isinstance(cells, Table) and any(map(cells.labels_of, range(len(cells.names)))):
            raise refused  # labels would show which is a one
        others = [called.get(name, name) for name in others]
        lacks_zeros = is_huge or isinstance(cells, Entries)
        raise AnswersError(path, answers, counting.missing_texts_seen(), others, lacks_zeros, is_huge)
    if not look_like_counts(coded.codes):
        raise refused
    if options["layout"] is None and coded.row_names is None and (layout := find_layout(coded.codes)) is not None:
        note = Message("if each line is an entry, and not a row: ", Setting("layout", layout))
        coded = coded._replace(notes=(*coded.notes, note))
    return coded


def _is_network(coded: CodedMatrix, options: Options) -> bool:
    """Whether the rows and the columns of a list are the same things."""
    return bool(options["undirected"] or shared_names(coded.row_names or (), coded.column_names or ()))


def _wrong_count(error: RefusedValue, cells: Cells, options: Options) -> WrongCount | None:
    """Return the error for the only number of cells that is no count; None if others are none either."""
    wrong = text_of(error.value).strip()
    coding = _CountsButOne(options["missing"], wrong)
    try:
        coded = _apply_coding(coding, cells, options)
    except DataError:
        return None
    is_list = options["layout"] == "long"
    _, answers = matrix_answers(coded, is_list)
    if answers is not None or not look_like_counts(coded.codes) or votes_of(coded, is_list)[1] is not None:
        return None
    return WrongCount(error, sorted({wrong, *coding.missing_texts_seen()}))


def _apply_coding(coding: ValueCoding, cells: Cells, options: Options) -> CodedMatrix:
    if isinstance(cells, Entries) and isinstance(coding, CategoryCoding):
        lacks = "the file lacks entries that are zero, and zero is no category"
        raise ConfigError(f"{cells.path}: ", Setting("categories"), f": has no meaning for this format: {lacks}")
    if isinstance(cells, Entries):
        return code_entries(cells, coding)
    if isinstance(cells, Grid):
        for key in ("layout", "index", "groups"):
            if options[key] is not None:
                raise ConfigError(f"{cells.path}: ", Setting(key), f" is for data frames; the file has {cells.format}")
        return code_grid(cells, coding)
    return code_table(cells, options, coding)
