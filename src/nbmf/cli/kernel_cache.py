"""A folder for compiled kernels, where the usual one cannot be written.

Kernels are compiled at their first use, in seconds, and kept in NUMBA_CACHE_DIR or else in
~/.cache/nbmf (nbmf.numerics.compilation). Without a writable home numba would fall back on the
package's own folder and, where that cannot be written either, refuse to compile.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"


def prepare() -> None:
    """Let numba keep kernels in a private folder for this run if there is no better place.

    Not in a folder of fixed name below /tmp: what is kept is loaded as code, and another user could
    have put something there.
    """
    if VARIABLE in os.environ or _home_is_writable():
        return
    folder = tempfile.mkdtemp(prefix="nbmf-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ[VARIABLE] = folder
    print(
        "nbmf: ~/.cache/nbmf cannot be written, so kernels are compiled anew in each run; set "
        f"{VARIABLE} to a folder of yours to keep them",
        file=sys.stderr,
    )


def _home_is_writable() -> bool:
    try:
        folder = Path.home() / ".cache" / "nbmf"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # read-only, or no home at all
        return False
    return os.access(folder, os.W_OK)
