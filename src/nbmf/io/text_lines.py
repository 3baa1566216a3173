"""Lines of text files in any encoding, gzipped or not, with a bound on what they unpack to."""

import codecs
import functools
import gzip
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from nbmf.errors import DataError, Message, Setting

GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = "\ufeff"
MAX_BYTES = 2**30  # of what a gzipped file unpacks to: a few kilobytes may declare any size
MAX_LINE = 2**26  # bytes
UTF_8 = "utf-8"
# What a file begins with, and its encoding then; the mark of UTF-16 is the beginning of one of UTF-32.
MARKS = {
    codecs.BOM_UTF8: UTF_8,
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
WESTERN = "cp1252"  # what Windows calls "ANSI": Latin-1, with quotation marks and the euro
OPENING = 2**12  # bytes, of which UTF-16 without a mark is recognised by its zeros
PART = 2**20  # bytes looked at at a time
NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # no character of WESTERN, or none of a text


class Encoding(NamedTuple):
    """How the characters of a file are encoded: Python's name, and what is said about it, "" if nothing."""

    name: str
    words: str = ""


def is_gzipped(path: str | os.PathLike) -> bool:
    """Whether a file begins as gzip does, whatever its name."""
    with open(path, "rb") as file:
        return file.read(len(GZIP)) == GZIP


def beginning(path: str | os.PathLike, size: int = 64) -> bytes:
    """Return the first bytes of what is in a file, unpacked if it is gzipped."""
    with _open_unpacked(path) as file:
        return file.read(size)


def is_encoding(name: object) -> bool:
    """Whether Python knows a text encoding of this name."""
    try:
        return isinstance(name, str) and isinstance(b"ab".decode(name), str)
    except LookupError:
        return False
    except ValueError:  # no text of that encoding, which there is
        return True


def encoding_of(path: str | os.PathLike, given: str | None = None) -> Encoding:
    """Return the encoding of a text file: the one that is given, or a guess, which is said.

    A mark at the beginning identifies UTF-8, UTF-16 and UTF-32; without one every second byte of UTF-16 is zero. What
    is no UTF-8 then is Windows-1252, of which Latin-1 is a part, unless it has bytes that no text has.
    """
    state = os.stat(path)
    if is_gzipped(path):
        _refuse_bomb(path, state.st_size, state.st_mtime_ns)
    return _guess_encoding(path, state.st_size, state.st_mtime_ns) if given is None else Encoding(given, given)


@functools.lru_cache(maxsize=8)
def _guess_encoding(path: str | os.PathLike, size: int, changed: int) -> Encoding:
    opening = beginning(path, OPENING)
    for mark, name in MARKS.items():
        if opening.startswith(mark):
            return Encoding(name, "" if name == UTF_8 else name[:6].upper())
    ends = [opening[first::2] for first in (0, 1)]
    zeros = [half.count(0) / max(len(half), 1) for half in ends]
    if abs(zeros[0] - zeros[1]) > 0.7:
        return Encoding("utf-16-be" if zeros[0] > zeros[1] else "utf-16-le", "UTF-16 (guessed)")
    if _is_utf8(path) or not _is_western(path):  # lines_of says where it is neither
        return Encoding(UTF_8)
    return Encoding(WESTERN, "Windows-1252 or Latin-1 (guessed, since it is not UTF-8)")


def _is_utf8(path: str | os.PathLike) -> bool:
    decoder = codecs.getincrementaldecoder(UTF_8)()
    with _open_unpacked(path) as file:
        try:
            while part := file.read(PART):
                decoder.decode(part)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def _is_western(path: str | os.PathLike) -> bool:
    with _open_unpacked(path) as file:
        while part := file.read(PART):
            if NO_TEXT.search(part):
                return False
    return True


def lines_of(path: str | os.PathLike, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file with their endings (LF, CRLF or CR), without its mark.

    Parameters
    ----------
    path : path
    encoding : str, optional
        One that Python knows; by default it is guessed, see `encoding_of`.

    Raises
    ------
    DataError
        If it is not in that encoding, a line is longer than MAX_LINE, or a gzipped file is damaged or
        unpacks to more than MAX_BYTES.
    """
    encoding = encoding_of(path, encoding).name
    # Where a line ends in the same byte as in ASCII it is decoded by itself, so that a wrong one is known.
    lines = _lines_of_bytes if "\n".encode(encoding) == b"\n" else _lines_of_characters
    for number, line in enumerate(lines(path, encoding), start=1):
        text = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if "\r" in text.rstrip("\r\n"):  # old line ends, or those of another system inside
            yield from io.StringIO(text, newline="")
        else:
            yield text


def first_undecodable_line(path: str | os.PathLike, encoding: str) -> int | None:
    """Return the number of the first line that is not in an encoding, None if all are."""
    with _open_unpacked(path) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError:
                return number
    return None


def _lines_of_bytes(path: str | os.PathLike, encoding: str) -> Iterator[str]:
    number = 0
    with _open_unpacked(path) as file:
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise _line_length_error(path, number)
            try:
                yield line.decode(encoding)
            except UnicodeDecodeError as error:
                raise _decoding_error(path, number, encoding, error) from error


def _lines_of_characters(path: str | os.PathLike, encoding: str) -> Iterator[str]:
    number = 0
    with _open_unpacked(path) as file, io.TextIOWrapper(file, encoding, newline="") as text:
        try:
            while line := text.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    raise _line_length_error(path, number)
                yield line
        except UnicodeError as error:  # a mark that is not there has no reason of its own
            raise _decoding_error(path, number + 1, encoding, error) from error


def _line_length_error(path: str | os.PathLike, number: int) -> DataError:
    return DataError(f"{path}, line {number}: longer than {MAX_LINE // 2**20} MiB")


def _decoding_error(path: str | os.PathLike, number: int, encoding: str, error: UnicodeError) -> DataError:
    name, reason = encoding.upper() if encoding == UTF_8 else encoding, getattr(error, "reason", error)
    help = Message("; save the file as UTF-8, or name its encoding: ", Setting("encoding", ...))
    return DataError(f"{path}, line {number}: not {name} ({reason})", help)


@functools.lru_cache(maxsize=1)
def _refuse_bomb(path: str | os.PathLike, size: int, changed: int) -> None:
    """Raise DataError if a file unpacks to more than MAX_BYTES, within seconds, and once for a file."""
    total = 0
    with _open_unpacked(path) as file:
        while part := file.read(PART):
            total += len(part)
            if total > MAX_BYTES:
                raise DataError(f"{path}: unpacks to more than {MAX_BYTES / 2**30:g} GiB")


@contextmanager
def _open_unpacked(path: str | os.PathLike) -> Iterator[BinaryIO]:
    try:
        with gzip.open(path) if is_gzipped(path) else open(path, "rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: not a complete gzip file ({error})") from error
