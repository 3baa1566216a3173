"""One run at a time writes to a folder: the results of two would mix in silence."""

import atexit
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

_held: dict[Path, IO[str]] = {}  # an open file has the lock, and a process that is killed closes it


def hold(folder: Path) -> None:
    """Keep other processes on this machine from writing to a folder until it is released, or this one ends.

    The lock is a file among the temporary ones, not in the folder: that need not exist, and keeps nothing of it. It
    is removed when the folder is released or the process ends, unless it is killed.

    Raises
    ------
    DataError
        If another process holds it.
    """
    resolved = folder.resolve()
    if fcntl is None or resolved in _held:
        return
    file = _opened(_lock_file(resolved))
    while not _locked(file, folder):  # another process has removed it between our opening and our locking it
        file.close()
        file = _opened(_lock_file(resolved))
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    _held[resolved] = file


def release(folder: Path) -> None:
    """Let others write to a folder."""
    resolved = folder.resolve()
    if file := _held.pop(resolved, None):
        _lock_file(resolved).unlink(missing_ok=True)  # while it is ours
        file.close()


@atexit.register
def _release_all() -> None:
    for folder in list(_held):
        release(folder)


if hasattr(os, "register_at_fork"):  # a forked process holds none of them, nor may it remove one when it ends
    os.register_at_fork(after_in_child=_held.clear)


def _lock_file(place: Path) -> Path:
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:24]
    return Path(tempfile.gettempdir()) / f"nbmf-{os.getuid()}-{name}.lock"


def _opened(path: Path) -> IO[str]:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+", encoding="utf-8")


def _locked(file: IO[str], folder: Path) -> bool:
    """Lock an open file of `folder`; False where it has been removed, since others would then lock a new one.

    Raises
    ------
    DataError
        If another process has locked it.
    """
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
    return os.fstat(file.fileno()).st_nlink > 0
