"""Whether the first column of a table of documents by words has names of documents, and what may be wrong with that."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbmf.data.count_coding import CountCoding
from nbmf.data.value_codes import RISING, number_of
from nbmf.errors import Message, Setting
from nbmf.io.columns import Columns

SURELY_IDS = 6  # numbers in a row that rise by whatever steps
CALLED_IDS = {"id", "doc", "doc_id", "docid", "document", "document_id"}  # in whatever case, the numbers in any order


def are_names(columns: Columns, name: str, values: Sequence[Any]) -> bool:
    """Whether a first column names the documents.

    It does if it is an index or has no name, has not only numbers, has different ones and a name of CALLED_IDS, or
    whole ones that rise from each to the next: by the same step, or in so many documents that counts hardly do, or
    beyond all counts of the next column.
    """
    table = columns.table
    if columns.is_index(name) or (table.names_rows_first and name == table.names[0]):
        return True
    numbers = [None if value is None else number_of(value) for value in values]
    if None in numbers:
        return True
    are_whole = all(number.is_integer() for number in numbers)
    if len(columns.values) < 2:
        return False
    if are_whole and len(set(numbers)) == len(numbers) and name.strip().casefold() in CALLED_IDS:
        return True
    if not (are_whole and CountCoding().are_labels(np.array(numbers))):
        return False
    names = list(columns.values)
    later = names[names.index(name) + 1 :][:1]
    following = [number_of(value) for each in later for value in columns.values[each] if value is not None]
    are_beyond = None not in following and min(numbers) > max(following, default=0.0)
    return len(numbers) >= SURELY_IDS or are_beyond or len(set(np.diff(numbers))) == 1


def id_column_notes(first: str, counts: np.ndarray) -> tuple[Message, ...]:
    """Return what is said about a first column that was read as a word and may be one of ids, which do not rise."""
    sizes, total = counts[:, 0], counts.sum()
    if counts.shape[1] < 2 or len(sizes) < RISING or len(np.unique(sizes)) < len(sizes) or 2 * sizes.sum() <= total:
        return ()
    said = f"{first!r} is read as a word, with {sizes.sum():.0f} of {total:.0f} tokens"
    advice = Setting("ignore", [first]), " leaves it out"
    return (Message(f"{said}; its counts all differ, as ids do: ", *advice),)
