"""Files that are either complete or absent, and their checksums."""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from nbmf.errors import DataError


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path beside `path` that takes its name when the block succeeds.

    The temporary name keeps the suffix, since writers such as matplotlib choose a format by it.
    A block that raises leaves neither the temporary file nor a changed `path`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)  # mkstemp makes private files
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_arrays(path: str | os.PathLike, kind: str) -> dict[str, np.ndarray]:
    """Read all arrays of an NPZ file; nothing but plain arrays is ever read.

    Raises
    ------
    DataError
        If the file is damaged or no NPZ file; the message names it and its `kind`.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged bytes make zipfile, zlib and numpy raise nearly anything
        raise DataError(f"{path}: not a complete {kind} file ({error})") from error


def write_json(path: str | os.PathLike, content: dict) -> None:
    """Write `content` as JSON, atomically; NaN and infinities are refused."""
    text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def sha256_of(path: str | os.PathLike) -> str:
    """Return the SHA-256 checksum of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
