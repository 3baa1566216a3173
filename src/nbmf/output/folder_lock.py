"""One run at a time writes to a folder: the results of two would mix in silence."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import IO

from nbmf.errors import DataError, Setting

try:
    import fcntl
except ImportError:  # Windows: there is no lock
    fcntl = None

_held: dict[Path, IO[str]] = {}  # an open file has the lock, and a process that ends closes it


def hold(folder: Path) -> None:
    """Keep other processes on this machine from writing to a folder until it is released, or this one ends.

    The lock is a file among the temporary ones, not in the folder: that need not exist, and keeps nothing of it.

    Raises
    ------
    DataError
        If another process holds it.
    """
    resolved = folder.resolve()
    if fcntl is None or resolved in _held:
        return
    file = _lock_file(resolved)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        process = file.read().strip()
        file.close()
        raise DataError(
            f"{folder}: another run of nbmf, process {process}, writes to this folder; wait until it ends, or choose "
            "another with ",
            Setting("out"),
        ) from error
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    _held[resolved] = file


def release(folder: Path) -> None:
    """Let others write to a folder."""
    if file := _held.pop(folder.resolve(), None):
        file.close()


def _lock_file(place: Path) -> IO[str]:
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:24]
    path = Path(tempfile.gettempdir()) / f"nbmf-{os.getuid()}-{name}.lock"
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+", encoding="utf-8")
