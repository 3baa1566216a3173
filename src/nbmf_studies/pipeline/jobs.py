"""What every script of the workflow does: its log, and errors a person can read."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from nbmf.errors import NbmfError


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Send all output to the log file `path`; end the script with code 1 if it fails.

    An error raised on purpose is logged as its message, any other with its traceback.
    """
    with open(path, "w", encoding="utf-8", buffering=1) as log:
        try:
            with redirect_stdout(log), redirect_stderr(log):
                yield
            print("finished", file=log)
        except NbmfError as error:
            print(f"error: {error}", file=log)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=log)
            sys.exit(1)
