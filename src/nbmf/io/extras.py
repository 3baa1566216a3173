"""Packages that some formats need, and pip installs with nbmf if it is asked to; what they raise of damaged files."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from nbmf.errors import DataError


def import_extra(package: str, extra: str, path: Path, what: str) -> ModuleType:
    """Return a package; DataError says how it is installed if it is not there.

    Parameters
    ----------
    package : str
        Its name for import, and for pip.
    extra : str
        That of nbmf which brings it.
    path : path
        The file that needs it.
    what : str
        Words for such files.
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        package = package.partition(".")[0]
        raise DataError(
            f"{path}: {what} need {package}, which is not installed; pip install 'nbmf[{extra}]' "
            f"(or pip install {package}), or use CSV"
        ) from None


@contextmanager
def refusing_damaged(path: Path, what: str) -> Iterator[None]:
    """Turn what a package raises of damaged bytes, which may be nearly anything, into a DataError; ours stay."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())
        raise DataError(f"{path}: not a complete {what} ({reason})") from error
