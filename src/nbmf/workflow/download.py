"""Raw files from a mirror folder or their public address, used only with the right checksum."""

import errno
import hashlib
import http.client
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote

from nbmf.errors import ConfigError, DownloadError
from nbmf.files import atomic_path

PUBLIC_ADDRESS = "https://raw.githubusercontent.com/"
MAX_BYTES = 2**30  # of a file whose size is not known before
ADDRESS = re.compile(
    r"https://(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?)/(?P<path>[A-Za-z0-9._~%+,=@/-]+)"
    r"(?P<query>\?[A-Za-z0-9._~%+,=@/:&;-]*)?"
)


class _Refused(Exception):
    """One place did not give the file; the message says why."""


class _Damaged(_Refused):
    """The place has a file, but not this one; worth a line even if another place has it."""


def fetch(
    source: dict,
    destination: str | os.PathLike,
    mirrors: Iterable[str | os.PathLike],
    *,
    tries: int = 3,
    timeout: float = 15.0,
    log: Callable[[str], None] = print,
) -> None:
    """Put a raw file at `destination`, from the first place that has it intact.

    Parameters
    ----------
    source : dict
        An entry of config/sources.yaml: path ("<owner>/<repo>/<commit>/<path>"), sha256, bytes.
        Or what `source_of_address` returns.
    destination : path
        Written atomically: it is the complete file or not there.
    mirrors : paths
        Folders that are searched, in order, before the public address.
    tries, timeout : int, float
        Attempts at the public address, and seconds to wait for an answer in each.
    log : callable
        Receives one line for the place used, and one for each retry and each damaged copy.

    Raises
    ------
    DownloadError
        If no place has the file; the message lists each with its reason and says what helps.
    """
    folders = [Path(mirror) / source["path"] for mirror in mirrors]
    address = source.get("address") or PUBLIC_ADDRESS + quote(source["path"])
    places = [(str(folder), lambda file=folder: _read_copy(file, source)) for folder in folders]
    places.append((address, lambda: _download(address, source, tries, timeout, log)))
    failures = []
    for place, read in places:
        try:
            content = read()
            _verify(content, source)
        except _Refused as reason:
            failures.append(f"{place}: {reason}")
            if isinstance(reason, _Damaged):
                log(failures[-1])
            continue
        with atomic_path(destination) as temporary:
            temporary.write_bytes(content)
        log(f"{destination}: taken from {place}")
        if "sha256" not in source:
            log(
                "unchecked: the configuration has no sha256 for it. "
                f"To notice another file, set sha256: {hashlib.sha256(content).hexdigest()}"
            )
        return
    raise DownloadError(_advice(source, failures, folders))


def source_of_address(address: str, sha256: str | None = None) -> dict:
    """Return a source for `fetch` from an https address.

    Returns
    -------
    dict
        address, path (where it is below data/raw and below a mirror) and, if known, sha256.

    Raises
    ------
    ConfigError
        If it is not an https address of a file.
    """
    found = ADDRESS.fullmatch(address)
    steps = (found["path"] + (found["query"] or "")).split("/") if found else [""]
    if not all(steps) or {".", ".."} & set(steps):  # which would leave the folder of raw files
        raise ConfigError(
            f"{address!r}: allowed is https://<host>/<path>, of plain characters and without '..'"
        )
    path = quote(f"{found['host']}/{found['path']}{found['query'] or ''}", safe="/:%")
    source = {"address": address, "path": path.replace(":", "_")}
    return source | ({"sha256": sha256} if sha256 else {})


def _read_copy(file: Path, source: dict) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read(_most(source) + 1)  # one more shows that a file is too long
    except FileNotFoundError:
        raise _Refused("no such file") from None
    except OSError as error:
        raise _Refused(f"cannot be read ({error.strerror})") from error


def _most(source: dict) -> int:
    """Return how many bytes a file has at most."""
    return source.get("bytes", MAX_BYTES)


def _verify(content: bytes, source: dict) -> None:
    expected = source.get("bytes")
    if expected is None and len(content) > MAX_BYTES:
        raise _Refused(f"more than {MAX_BYTES / 2**30:g} GiB")
    if expected is not None and len(content) != expected:
        found = f"more than {expected}" if len(content) > expected else len(content)
        raise _Damaged(f"damaged: {found} bytes instead of {expected}")
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != source.get("sha256", checksum):
        raise _Damaged(f"damaged: SHA-256 {checksum} instead of {source['sha256']}")


def _download(
    address: str, source: dict, tries: int, timeout: float, log: Callable[[str], None]
) -> bytes:
    attempt = 1
    while True:
        try:
            return _read_address(address, source, timeout)
        except (OSError, http.client.HTTPException) as error:
            if attempt >= _useful_tries(error, tries):
                raise _Refused(_reason(error)) from error
            log(f"{address}: {_reason(error)}; trying again in {attempt} s")
        time.sleep(attempt)
        attempt += 1


def _read_address(address: str, source: dict, timeout: float) -> bytes:
    with _open(address, timeout) as response:
        expected = source.get("bytes", getattr(response, "length", None) or 0)
        content = response.read(_most(source) + 1)  # a longer answer is wrong, however long it is
    if len(content) < min(expected, _most(source) + 1):
        raise http.client.IncompleteRead(content, expected - len(content))
    return content


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    """Follow a redirect to https only."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if not newurl.startswith("https://"):
            raise urllib.error.HTTPError(newurl, 403, "redirect away from https", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(address: str, timeout: float):
    """Open an https address; proxies are taken from the environment."""
    return urllib.request.build_opener(_HttpsRedirects).open(address, timeout=timeout)


def _useful_tries(error: Exception, tries: int) -> int:
    """Return how many attempts make sense after `error`."""
    if isinstance(error, urllib.error.HTTPError):
        return tries if error.code >= 500 else 1
    cause = getattr(error, "reason", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return 1
    # A machine without a network gives these at once: say so within seconds.
    unreachable = getattr(cause, "errno", None) in (errno.ENETUNREACH, errno.EHOSTUNREACH)
    if unreachable or isinstance(cause, socket.gaierror | ConnectionRefusedError):
        return min(tries, 2)
    return tries


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    if isinstance(error, http.client.IncompleteRead):
        return f"the connection ended after {len(error.partial)} bytes"
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return f"cannot be reached ({cause or type(error).__name__})"


def _advice(source: dict, failures: list[str], folders: list[Path]) -> str:
    place = folders[0] if folders else f"<folder>/{source['path']}, <folder> listed in `mirrors`"
    facts = {"bytes": "{} bytes", "sha256": "SHA-256 {}"}
    known = ", ".join(words.format(source[key]) for key, words in facts.items() if key in source)
    return "\n".join(
        [
            f"{Path(source['path']).name} could not be obtained. Places tried:",
            *(f"  {failure}" for failure in failures),
            "What helps, any one of:",
            f"  put the file{f' ({known})' if known else ''} at {place}",
            "  connect this machine to the network and run again",
            "  run `make demo`, which needs no download",
        ]
    )
