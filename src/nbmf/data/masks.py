"""Held-out entries, or rows: what of a matrix a fit may not see."""

import math
import os
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np

from nbmf.data.given import as_pandas, is_frame
from nbmf.data.matrix import MISSING, BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.names import texts_of_index, with_default_names
from nbmf.data.repeats import questions_of
from nbmf.data.symmetry import differences
from nbmf.errors import ConfigError, DataError, not_allowed
from nbmf.files import atomic_path, read_arrays

ENTRIES, PAIRS, QUESTIONS, ROWS = "entries", "pairs", "questions", "rows"  # what is held out at a time


def draw_mask(matrix: Any, probability: float, seed: np.random.SeedSequence, held_out: str = ENTRIES) -> np.ndarray:
    """Draw the test set: each observed entry is held out with `probability` (paper 6.4.1).

    Parameters
    ----------
    matrix : BinaryMatrix or matrix of another kind, array (F, N), lists or DataFrame
        Anything but a matrix of nbmf has to be binary: 1, 0 and missing (NaN or -1).
    probability : float
        Above 0 and below 1.
    seed : SeedSequence, int of at least 0 or Generator
        The same SeedSequence or int gives the same mask; None gives another one each time.
    held_out : {"entries", "pairs", "questions"}
        "pairs" is for symmetric matrices, in which an entry determines its mirror image: both are held
        out together, and the diagonal never is. "questions" is for binary matrices with columns that determine
        each other, as answers to one question do: those of a row are held out together.

    Returns
    -------
    bool array (F, N)
        True where the entry is held out; never where it is missing. Rows and columns may have no observed entry.

    Raises
    ------
    ConfigError
        If `probability`, `seed` or `held_out` is not allowed.
    DataError
        If the draw holds out nothing or everything, which happens on tiny matrices only, pairs are
        asked for and the matrix is not symmetric, or questions and it is not binary, the matrix is kept without its
        zeros, or a value is neither 1 nor 0 nor missing.
    """
    _check_held_out(held_out, (ENTRIES, PAIRS, QUESTIONS))
    if not (isinstance(probability, Real) and 0 < probability < 1):
        raise not_allowed("probability", probability, "a number above 0 and below 1")
    if not isinstance(matrix, NamedMatrix):
        part, kept = _observed_part(matrix)
        mask = np.zeros([axis.size for axis in kept], bool)
        mask[np.ix_(*kept)] = draw_mask(part, probability, seed, held_out)
        return mask
    if matrix.dense is not None:
        raise DataError(f"{matrix.words} are too many for a mask, which has all of them")
    draws = _generator(seed).random(matrix.shape)
    mask = draws < probability
    if held_out == PAIRS:
        _refuse_asymmetric(matrix)
        mask = np.triu(mask, k=1)
        mask |= mask.T
    elif held_out == QUESTIONS:
        for columns in _questions(matrix):
            mask[:, columns] = mask[:, columns[:1]]  # the draw of the first answer decides
    mask &= matrix.observed
    count, observed = np.count_nonzero(mask), np.count_nonzero(matrix.observed)
    if count in (0, observed):
        raise DataError(
            f"a mask with probability {probability} holds out {count} of {observed} observed "
            "entries; the matrix is too small for a held-out test"
        )
    return mask


def _observed_part(V: Any) -> tuple[BinaryMatrix, tuple[np.ndarray, np.ndarray]]:
    """Return an array or a DataFrame without rows and columns that have no observed entry, and which it keeps."""
    codes = BinaryMatrix.values_of(V)
    names = map(texts_of_index, as_pandas(V).axes) if is_frame(V) else with_default_names(codes.shape, None, None)
    kept = tuple((codes != MISSING).any(axis=axis) for axis in (1, 0))
    names_kept = [np.asarray(each, str)[those] for each, those in zip(names, kept, strict=True)]
    return BinaryMatrix(codes[np.ix_(*kept)], *names_kept), kept


def _generator(seed: Any) -> np.random.Generator:
    """Return the generator of random numbers of a seed, which may be anything that NumPy takes for one."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise not_allowed("seed", seed, "an integer of at least 0 or a numpy SeedSequence") from error


def fold_mask(
    matrix: NamedMatrix, number: int, folds: int, seed: np.random.SeedSequence, held_out: str = ENTRIES
) -> np.ndarray:
    """Return the test set that is one of several folds: each row, or each observed entry, is in one of them.

    Parameters
    ----------
    matrix : NamedMatrix
    number, folds : int
        Which of them, from 0 on, and how many there are; their sizes differ by one at most.
    seed : SeedSequence
        Of the one permutation by which all of them are dealt.
    held_out : {"entries", "rows"}

    Returns
    -------
    bool array (F,) or (F, N)
        The rows, or the observed entries, that are held out.

    Raises
    ------
    ConfigError
        If there is no such fold, or `held_out` is not allowed.
    DataError
        If there are fewer rows or entries than folds.
    """
    _check_held_out(held_out, (ENTRIES, ROWS))
    if not 0 <= number < folds:
        raise ConfigError(f"mask {number} of {folds} folds: must be 0 to {folds - 1}")
    dealt = np.ones(matrix.shape[0], bool) if held_out == ROWS else matrix.observed
    places = np.flatnonzero(dealt)
    if places.size < folds:
        raise DataError(f"{places.size} {held_out} of the matrix are dealt into {folds} folds; needed is one in each")
    mask = np.zeros(dealt.shape, bool)
    mask.flat[places[np.random.default_rng(seed).permutation(places.size)[number::folds]]] = True
    return mask


def _check_held_out(held_out: str, allowed: Collection[str]) -> None:
    if held_out not in allowed:
        raise not_allowed("held_out", held_out, allowed)


def held_out_together(matrix: NamedMatrix) -> str:
    """Return the `held_out` of `draw_mask` with which no entry that is held out follows from one that is not."""
    if matrix.is_symmetric():  # an entry determines its mirror image, whatever the names
        return PAIRS
    return QUESTIONS if isinstance(matrix, BinaryMatrix) and questions_of(matrix.codes) else ENTRIES


def _questions(matrix: NamedMatrix) -> list[np.ndarray]:
    """Return the sets of columns of a binary matrix that determine each other; DataError if it is of another kind."""
    if not isinstance(matrix, BinaryMatrix):
        raise DataError(f"held_out = {QUESTIONS!r} is for a BinaryMatrix; given: a {type(matrix).__name__}")
    return questions_of(matrix.codes)


def _refuse_asymmetric(matrix: NamedMatrix) -> None:
    """Raise DataError unless values are symmetric, whatever the names of rows and columns."""
    F, N = matrix.shape
    if F != N:
        raise DataError(f"entries are held out in pairs of a symmetric matrix; this one is {F} x {N}")
    values = getattr(matrix, matrix.field)
    different = np.argwhere(differences(values, matrix.observed))
    if different.size:
        rows, columns = matrix.row_names.tolist(), matrix.column_names.tolist()
        f, n = different[0]
        raise DataError(
            f"entries are held out in pairs of a symmetric matrix; of this one row {rows[f]!r}, column "
            f"{columns[n]!r} differs from row {rows[n]!r}, column {columns[f]!r}"
        )


def save_mask(path: str | os.PathLike, mask: np.ndarray) -> None:
    """Write a mask as packed bits in NPZ form, atomically."""
    with atomic_path(path) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, bits=np.packbits(mask), shape=np.array(mask.shape))


def load_mask(path: str | os.PathLike, matrix: NamedMatrix) -> np.ndarray:
    """Read a mask, of entries (F, N) or of rows (F,), and check that it fits `matrix`.

    Raises
    ------
    DataError
        If the file is no complete mask, its shape differs, or it holds out a missing entry.
    """
    parts = read_arrays(path, "mask")
    if parts.keys() != {"bits", "shape"} or parts["bits"].dtype != np.uint8:
        raise DataError(f"{path}: a mask file holds bits (uint8) and shape, not {', '.join(parts)}")
    bits, shape = parts["bits"], tuple(parts["shape"].ravel().tolist())
    if shape not in (matrix.shape, matrix.shape[:1]) or bits.size != (math.prod(shape) + 7) // 8:
        raise DataError(f"{path}: a mask of shape {shape} for a matrix of shape {matrix.shape}")
    mask = np.unpackbits(bits, count=math.prod(shape)).reshape(shape).astype(bool)
    if mask.ndim > 1 and (mask & ~matrix.observed).any():
        raise DataError(f"{path}: the mask holds out entries that are missing in the data")
    return mask


def training_codes(matrix: BinaryMatrix, mask: np.ndarray) -> np.ndarray:
    """Return the codes (int8, F x N) with held-out entries turned missing."""
    return np.where(mask, np.int8(MISSING), matrix.codes)
