"""Files that are either complete or absent, and their checksums."""

import json
import os
import platform
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from nbmf.errors import DataError

# Of the arrays of a file; more only if the file is large itself: a bomb of a few kilobytes may declare any size.
MAX_BYTES, MAX_RATIO = 2**32, 200


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path next to `path` that takes its name when the block succeeds.

    The temporary name keeps the suffix, since writers such as matplotlib choose a format by it.
    A block that raises leaves neither the temporary file nor a changed `path`; what a process
    that was killed on this machine has left is removed by the next that writes the same path.

    Raises
    ------
    OSError
        That of the block: where it names no file, as on a disk that is full, it names `path`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path)
    prefix = f".{path.stem}-{_host()}-{os.getpid()}-"
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp makes private files
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _host() -> str:
    return re.sub(r"\W", "_", platform.node())


def _remove_leftovers(path: Path) -> None:
    """Remove temporary files for `path` whose process, on this machine, is no more."""
    mine = re.compile(rf"\.{re.escape(path.stem)}-{_host()}-(\d+)-\w{{8}}{re.escape(path.suffix)}")
    for other in path.parent.iterdir():
        match = mine.fullmatch(other.name)
        if match and not _is_alive(int(match[1])):
            other.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    """Return whether a process of this machine exists; on Windows, where asking may interrupt it, always."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def read_arrays(path: str | os.PathLike, kind: str) -> dict[str, np.ndarray]:
    """Read all arrays of an NPZ file; nothing but plain arrays is ever read.

    Raises
    ------
    DataError
        If the file is damaged, no NPZ file or too large: of more than MAX_BYTES, and of more than MAX_RATIO times
        what it takes on disk, or of more than the memory has. The message names it and its `kind`.
    """
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise ValueError("a device or a pipe, which may have no end")
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > (allowed := max(MAX_BYTES, MAX_RATIO * os.path.getsize(path))):
            words = f"{unpacked / 2**30:.3g} GiB unpacked; allowed: at most {allowed / 2**30:.3g}"
            raise DataError(f"{path}: the {kind} file is too large: {words}")
        with np.load(path, allow_pickle=False) as arrays:
            contents = {name: arrays[name] for name in arrays.files}
        for name, array in contents.items():
            if not isinstance(array, np.ndarray):  # numpy gives the bytes of what is no array
                raise ValueError(f"{name} is no array")
        return contents
    except (FileNotFoundError, DataError):
        raise
    except MemoryError as error:
        raise DataError(f"{path}: the {kind} file does not fit into the memory ({error})") from error
    except Exception as error:  # damaged bytes make zipfile, zlib and numpy raise nearly anything
        raise DataError(f"{path}: not a complete {kind} file ({error})") from error


def write_json(path: str | os.PathLike, content: dict) -> None:
    """Write `content` as JSON, atomically; NaN and infinities are refused."""
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")
