"""What every script of the workflow does: its log, and errors a person can read."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from nbmf.errors import NbmfError

INTERRUPTED = 130  # the code that shells have for it


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Send all output to the log file `path`; end the script with code 1 if it fails.

    An error raised on purpose is logged as its message, any other with its traceback. Of Ctrl-C, which ends all jobs
    that run, the log has a word and the terminal nothing; the code is then 130.
    """
    with open(path, "w", encoding="utf-8", buffering=1) as log:
        try:
            with redirect_stdout(log), redirect_stderr(log):
                yield
            print("finished", file=log)
        except NbmfError as error:
            print(f"error: {error}", file=log)
            sys.exit(1)
        except KeyboardInterrupt:
            print("interrupted", file=log)
            sys.exit(INTERRUPTED)
        except Exception:
            traceback.print_exc(file=log)
            sys.exit(1)
