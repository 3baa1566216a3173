"""The last attempt at a fit that has no result yet: it has begun, or it has failed and why.

A fit keeps this as a small file next to where its report will be, from its start until its report is there. So a fit
that failed is a row with its reason, and one that was killed without a word is one that has begun and runs no more.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from nbmf.errors import NbmfError
from nbmf.files import write_json

BEGUN, FAILED = "begun", "failed"
INTERRUPTED = "interrupted"  # why one that has begun runs no more


class Attempt(NamedTuple):
    """One attempt at a fit.

    key : dict, of the fit: dataset, method, K ...
    time : str, when this was written, in ISO 8601 with its time zone
    state : BEGUN or FAILED
    reason : str, in a line, why it failed, or INTERRUPTED
    kind : str, the class of the error
    traceback : bool, whether the log has one: nobody has thought of this error
    """

    key: dict[str, Any]
    time: str
    state: str = BEGUN
    reason: str = ""
    kind: str = ""
    traceback: bool = False

    @property
    def seconds(self) -> float:
        """When it was written, in seconds since 1970."""
        return datetime.fromisoformat(self.time).timestamp()


@contextmanager
def attempt(path: str | os.PathLike, key: Mapping[str, Any]) -> Iterator[None]:
    """Keep an Attempt in the file `path` while the block runs, and if it ends early; remove it when it succeeds."""
    _write(path, key)
    try:
        yield
    except Exception as error:
        expected = isinstance(error, NbmfError)
        kind = type(error).__name__
        reason = f"{'error' if expected else kind}: {error}".splitlines()[0]
        with suppress(OSError):  # a full disk: the error itself reports it
            _write(path, key, state=FAILED, reason=reason, kind=kind, traceback=not expected)
        raise
    except KeyboardInterrupt:
        _write(path, key, reason=INTERRUPTED)
        raise
    Path(path).unlink(missing_ok=True)


def read_attempt(path: str | os.PathLike) -> Attempt | None:
    """Return the attempt that a file records, None if there is no such file or it is incomplete."""
    try:
        return Attempt(**json.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write(path: str | os.PathLike, key: Mapping[str, Any], **outcome: Any) -> None:
    write_json(path, Attempt(dict(key), datetime.now(UTC).isoformat(), **outcome)._asdict())
