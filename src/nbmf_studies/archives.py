"""Files inside .zip and .tar.gz archives, read without unpacking anything to a disk.

Only what is asked for is read, so a path inside an archive can lead nowhere else; and never more
than was declared: an archive of a few kilobytes may unpack to any size.
"""

import gzip
import hashlib
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from nbmf.errors import DataError

MAX_UNPACKED = 2**30  # bytes of a .tar.gz, which is unpacked up to the file that is read

# What damaged bytes make the standard library raise.
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,
    KeyError,
    OverflowError,
)


class _Entry(NamedTuple):
    """A file of an archive: its name, and how to open it."""

    name: str
    open: Callable[[], BinaryIO]


def read_member(archive: bytes | str | os.PathLike, name: str, most: int) -> bytes:
    """Return the content of one file of an archive.

    Parameters
    ----------
    archive : bytes or path
        A .zip or .tar.gz archive: its content, or where it is.
    name : str
        The name of the file in the archive, folders included.
    most : int
        Bytes it has at most.

    Raises
    ------
    DataError
        If the archive is damaged or neither of the two, has no such file, or the file is larger.
    """
    with _entries(archive) as entries:
        for entry in entries:
            if entry.name == name:
                return _content(entry, most)
    raise DataError(f"the archive has no file {name!r}")


def read_folder(archive: bytes | str | os.PathLike, folder: str, most: int) -> Iterator[tuple[str, bytes]]:
    """Yield (name below `folder`, content) of each file in a folder of an archive, in its order.

    The folder is at the top of the archive or in the one folder there, as in the archives that
    GitHub makes of repositories.

    Parameters
    ----------
    archive : bytes or path
        A .zip or .tar.gz archive: its content, or where it is.
    folder : str
        The name of the folder.
    most : int
        Bytes all its files have at most, together.

    Raises
    ------
    DataError
        As `read_member`; an archive without the folder yields nothing.
    """
    left = most
    with _entries(archive) as entries:
        for entry in entries:
            below = _relative_name(entry.name, folder)
            if below:
                content = _content(entry, left)
                left -= len(content)
                yield below, content


def folder_checksum(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the SHA-256 of what a folder holds, whichever archive it is in and in which order.

    It is that of the lines "<name> <SHA-256 of the content>\\n", sorted by the steps of the name.
    """
    lines = sorted((name.split("/"), hashlib.sha256(content)) for name, content in files)
    text = "".join(f"{'/'.join(steps)} {checksum.hexdigest()}\n" for steps, checksum in lines)
    return hashlib.sha256(text.encode()).hexdigest()


def _relative_name(name: str, folder: str) -> str | None:
    """Return the part of `name` below `folder`, None if it is not there."""
    for candidate in (name, name.partition("/")[2]):
        if candidate.startswith(f"{folder}/"):
            return candidate.removeprefix(f"{folder}/")
    return None


@contextmanager
def _entries(archive: bytes | str | os.PathLike) -> Iterator[Iterator[_Entry]]:
    """Open an archive, as what its first bytes say, and turn any damage into a DataError."""
    try:
        with io.BytesIO(archive) if isinstance(archive, bytes) else open(archive, "rb") as stream:
            start = stream.read(4)
            stream.seek(0)
            if start == b"PK\x03\x04":
                yield _zip_entries(stream)
            elif start[:2] == b"\x1f\x8b":
                yield _tar_entries(stream)
            else:
                raise DataError("neither a .zip nor a .tar.gz archive")
    except DataError:
        raise
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the disk
            raise
        raise DataError(f"not a readable archive ({error or type(error).__name__})") from error


def _zip_entries(stream: BinaryIO) -> Iterator[_Entry]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                yield _Entry(info.filename, lambda info=info: archive.open(info))


def _tar_entries(stream: BinaryIO) -> Iterator[_Entry]:
    with tarfile.open(fileobj=_Unpacked(stream), mode="r|") as archive:
        for info in archive:
            if info.isreg():  # no links, which lead elsewhere
                yield _Entry(info.name, lambda info=info: archive.extractfile(info))


class _Unpacked:
    """What gzip has compressed, to be read to MAX_UNPACKED and no further."""

    def __init__(self, stream: BinaryIO):
        self._stream, self._left = gzip.GzipFile(fileobj=stream), MAX_UNPACKED

    def read(self, size: int) -> bytes:
        content = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise DataError(f"the archive unpacks to more than {MAX_UNPACKED / 2**30:g} GiB")
        return content


def _content(entry: _Entry, most: int) -> bytes:
    """Read a file whose size is not to be relied on."""
    with entry.open() as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise DataError(f"{entry.name!r} in the archive has more than {most} bytes")
    return content
