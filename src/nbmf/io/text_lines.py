"""Lines of text files, gzipped or not, with a bound on what they unpack to."""

import functools
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from nbmf.errors import DataError

GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = "\ufeff"
MAX_BYTES = 2**30  # of what a gzipped file unpacks to: a few kilobytes may declare any size
MAX_LINE = 2**26  # bytes


def is_gzipped(path: str | os.PathLike) -> bool:
    """Whether a file begins as gzip does, whatever its name."""
    with open(path, "rb") as file:
        return file.read(len(GZIP)) == GZIP


def beginning(path: str | os.PathLike, size: int = 64) -> bytes:
    """Return the first bytes of what is in a file, unpacked if it is gzipped."""
    with _unpacked(path) as file:
        return file.read(size)


def lines_of(path: str | os.PathLike) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their endings (LF, CRLF or CR), without its mark.

    Raises
    ------
    DataError
        If it is not UTF-8, a line is longer than MAX_LINE, or a gzipped file is damaged or
        unpacks to more than MAX_BYTES.
    """
    if is_gzipped(path):
        state = os.stat(path)
        _refuse_bomb(path, state.st_size, state.st_mtime_ns)
    number = 0
    with _unpacked(path) as file:
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise DataError(f"{path}, line {number}: longer than {MAX_LINE // 2**20} MiB")
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataError(f"{path}, line {number}: not UTF-8 ({error.reason}); save the file as UTF-8") from error
            if number == 1:
                text = text.removeprefix(BYTE_ORDER_MARK)
            if "\r" in text.rstrip("\r\n"):  # old line ends, or those of another system inside
                yield from io.StringIO(text, newline="")
            else:
                yield text


@functools.lru_cache(maxsize=1)
def _refuse_bomb(path: str | os.PathLike, size: int, changed: int) -> None:
    """Raise DataError if a file unpacks to more than MAX_BYTES, within seconds, and once for a file."""
    total = 0
    with _unpacked(path) as file:
        while part := file.read(2**20):
            total += len(part)
            if total > MAX_BYTES:
                raise DataError(f"{path}: unpacks to more than {MAX_BYTES / 2**30:g} GiB")


@contextmanager
def _unpacked(path: str | os.PathLike) -> Iterator[BinaryIO]:
    try:
        with gzip.open(path) if is_gzipped(path) else open(path, "rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: not a complete gzip file ({error})") from error
