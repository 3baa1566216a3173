"""What every script of the workflow does: its log, and errors a person can read."""

import re
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

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
            print(f"job: {seconds:.2f} s, {peak_megabytes():.0f} MB at most", file=log)
        except NbmfError as error:
            print(f"error: {error}", file=log)
            sys.exit(1)
        except Exception:
            traceback.print_exc(file=log)
            sys.exit(1)


def peak_megabytes() -> float:
    """Return the most memory this process has held, in MB; NaN where Linux's /proc is missing.

    Not getrusage's maximum: a process inherits that of its parent.
    """
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 / 1e6 if found else float("nan")
