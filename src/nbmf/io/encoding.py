"""Columns of values as codes, a block of them at a time."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from nbmf.data.value_codes import ValueCoding

BLOCK = 2**22  # entries coded at a time: factors of them take eight bytes each


class UnknownValue(Exception):
    """Says at which place of a flat array a value is that is not known; readers name it better."""

    def __init__(self, place: int, value: Any):
        super().__init__(place, value)
        self.place, self.value = place, value


def encode(coding: ValueCoding, values: Any) -> np.ndarray:
    """Return the codes of an array or a Series, in its shape; null and NaN are missing.

    Raises
    ------
    UnknownValue
        For the first value that is not known.
    """
    import pandas as pd  # not at the top: files of text do without it

    flat = values
    if isinstance(values, np.ndarray):  # pandas takes the machine's byte order only
        flat = values.reshape(-1).astype(values.dtype.newbyteorder("="), copy=False)
    codes = np.empty(len(flat), dtype=coding.dtype)
    for start in range(0, len(flat), BLOCK):
        block = flat[start : start + BLOCK]
        try:
            numbers, distinct = pd.factorize(block)  # -1 where missing
        except TypeError:  # lists in cells, records
            odd = (i for i, value in enumerate(block) if not isinstance(value, Hashable))
            first_odd = next(odd, 0)
            raise UnknownValue(start + first_odd, list(block)[first_odd]) from None
        table = np.full(len(distinct) + 1, -1, dtype=coding.dtype)  # the last is for -1
        for i, value in enumerate(distinct):
            table[i] = coding.encode_value(value)
            if table[i] == coding.unknown:
                raise UnknownValue(start + int(np.argmax(numbers == i)), value)
            coding.keep(value, int(table[i]))
        codes[start : start + BLOCK] = table[numbers]
    return codes.reshape(np.shape(values))
