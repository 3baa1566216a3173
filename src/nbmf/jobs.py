"""What every script of the workflow does: its log, and errors a person can read."""

import resource
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from nbmf.errors import NbmfError


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Send all output to the log file `path`; end the script with code 1 if it fails.

    The last line of a log says how long the job took and how much memory it held at most.
    An error raised on purpose is logged as its message, any other with its traceback.
    """
    with open(path, "w", encoding="utf-8", buffering=1) as log:
        try:
            started = time.perf_counter()
            with redirect_stdout(log), redirect_stderr(log):
                yield
            seconds = time.perf_counter() - started
            megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # Linux: in kB
            print(f"job: {seconds:.2f} s, {megabytes:.0f} MB at most", file=log)
        except NbmfError as error:
            print(f"error: {error}", file=log)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=log)
            sys.exit(1)
