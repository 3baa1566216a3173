"""Raw files from a mirror folder or their public address, used only with the right checksum."""

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nbmf.errors import DataError, DownloadError
from nbmf.files import atomic_path
from nbmf_studies import archives

MAX_BYTES = 2**30  # of a file whose size is not known before


class _Refused(Exception):
    """One place did not give the file; the message says why."""


class _Damaged(_Refused):
    """The place has a file, but not this one; worth a line even if another place has it."""


def fetch(
    source: dict[str, Any],
    destination: str | os.PathLike,
    mirrors: Iterable[str | os.PathLike],
    *,
    timeout: float = 15.0,
    log: Callable[[str], None] = print,
) -> None:
    """Put a raw file at `destination`, from the first place that has it intact.

    The public address is asked once: what is worth another attempt, Snakemake tries again.

    Parameters
    ----------
    source : dict
        As `raw_files.source_location` returns it: path and, unless mirrors alone can have it, address,
        and where they are known sha256 and bytes. With `member` (name, bytes, perhaps
        sha256) it is an archive of which that one file is wanted; with `folder` (name, bytes,
        sha256) the archive itself is, if that folder in it holds what it should.
    destination : path
        Written atomically: it is the complete file or not there.
    mirrors : paths
        Folders that are searched, in order, before the public address.
    timeout : float
        Seconds to wait for an answer.
    log : callable
        Receives one line for the place used, and one for each damaged copy.

    Raises
    ------
    DownloadError
        If no place has the file; the message lists each with its reason and says what helps.
    """
    files = [Path(mirror).expanduser() / source["path"] for mirror in mirrors]
    places = [(str(file), lambda file=file: _read_copy(file, source)) for file in files]
    if "address" in source:
        places.append((source["address"], lambda: _download(source, timeout)))
    failures = []
    for place, read in places:
        try:
            content = _wanted(read(), source)
        except _Refused as reason:
            failures.append(f"{place}: {reason}")
            if isinstance(reason, _Damaged):
                log(failures[-1])
            continue
        with atomic_path(destination) as temporary:
            temporary.write_bytes(content)
        log(f"{destination}: taken from {place}")
        if not any("sha256" in part for part in (source, *_parts(source))):
            log(
                "unchecked: the configuration has no sha256 for it. "
                f"To notice another file, set sha256: {hashlib.sha256(content).hexdigest()}"
            )
        return
    raise DownloadError(_advice(source, failures, files))


def _parts(source: dict) -> list[dict]:
    return [source[key] for key in ("member", "folder") if key in source]


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


def _wanted(content: bytes, source: dict) -> bytes:
    """Return what is wanted of the file at a place, the file itself or one in it, once verified."""
    _verify(content, source)
    try:
        if "member" in source:
            member = source["member"]
            content = archives.read_member(content, member["name"], member["bytes"])
            _verify(content, member, f"{member['name']} in it has ")
        if "folder" in source:
            folder = source["folder"]
            members = archives.read_folder(content, folder["name"], folder["bytes"])
            checksum = archives.folder_checksum(members)
            if checksum != folder["sha256"]:
                raise _Damaged(
                    f"damaged: folder {folder['name']} in it has SHA-256 {checksum} instead of {folder['sha256']}"
                )
    except DataError as error:
        raise _Damaged(f"damaged: {error}") from error
    return content


def _verify(content: bytes, source: dict, what: str = "") -> None:
    expected = source.get("bytes")
    if expected is None and len(content) > MAX_BYTES:
        raise _Refused(f"more than {MAX_BYTES / 2**30:g} GiB")
    if expected is not None and len(content) != expected:
        n_bytes = f"more than {expected}" if len(content) > expected else len(content)
        raise _Damaged(f"damaged: {what}{n_bytes} bytes instead of {expected}")
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != source.get("sha256", checksum):
        raise _Damaged(f"damaged: {what}SHA-256 {checksum} instead of {source['sha256']}")


def _download(source: dict, timeout: float) -> bytes:
    try:
        with _open(source["address"], timeout) as response:
            expected = source.get("bytes", getattr(response, "length", None) or 0)
            content = response.read(_most(source) + 1)  # a longer one is wrong, however long it is
    except (OSError, http.client.HTTPException) as error:
        raise _Refused(_reason(error)) from error
    if len(content) < min(expected, _most(source) + 1):
        raise _Refused(f"the connection ended after {len(content)} bytes")
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


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    if isinstance(error, http.client.IncompleteRead):
        return f"the connection ended after {len(error.partial)} bytes"
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return f"cannot be reached ({cause or type(error).__name__})"


def _advice(source: dict, failures: list[str], files: list[Path]) -> str:
    file_place = files[0] if files else f"<folder>/{source['path']}, <folder> listed in `mirrors`"
    facts = {"bytes": "{} bytes", "sha256": "SHA-256 {}"}
    known = ", ".join(words.format(source[key]) for key, words in facts.items() if key in source)
    return "\n".join(
        [
            f"{Path(source['path']).name} could not be obtained. Places tried:",
            *(f"  {failure}" for failure in failures),
            "What helps, any one of:",
            f"  put the file{f' ({known})' if known else ''} at {file_place}",
            *(["  connect this machine to the network and run again"] * ("address" in source)),
        ]
    )
