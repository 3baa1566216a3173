"""The raw files of the datasets: what config/sources.yaml says about them, and where they lie."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from nbmf.errors import ConfigError, must_be_one_of

RAW = "data/raw"
GITHUB = "raw.githubusercontent.com"  # <owner>/<repo>/<commit>/<path>: needs no host to be known by
ADDRESS = re.compile(
    r"https://(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?)/(?P<path>[A-Za-z0-9._~%+,=@/-]+)"
    r"(?P<query>\?[A-Za-z0-9._~%+,=@/:&;-]*)?"
)
# What decides which bytes a raw file has and where they come from.
NEEDED = ("address", "path", "sha256", "bytes", "member", "folder")


def source_location(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what is needed to get a raw file, from its entry in config/sources.yaml.

    Returns
    -------
    dict
        The keys of NEEDED that the entry has, and in any case `path`: where the file, or the
        archive it is in, lies below a mirror. Without `address` the mirrors alone can have it.

    Raises
    ------
    ConfigError
        If the address is not an https address of a file, or there is neither address nor path.
    """
    if "address" not in entry and "path" not in entry:
        raise ConfigError("None: must be an https address, or 'path' of a file in a mirror")
    entry = {"path": entry.get("path") or _path_of(entry["address"]), **entry}
    return {key: entry[key] for key in NEEDED if key in entry}


def raw_path(source: dict[str, Any]) -> str:
    """Return where a raw file lies below data/raw; those of an archive are in a folder next to it."""
    if "member" in source:
        return f"{source['path']}.members/{source['member']['name']}"
    return source["path"]


def problems(sources: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the section `sources` of the configuration, beyond its schema."""
    first: dict[str, str] = {}
    for name, source in sources.items():
        where = f"sources.{name}"
        try:
            path = raw_path(source_location(source))
        except ConfigError as error:
            yield f"{where}.address = {error}"
            continue
        parts = [source.get(key, {}) for key in ("member", "folder")]
        if all(parts):
            yield f"{where}: must be one of 'member' and 'folder'"
        if "folder" in source and "sha256" not in source["folder"]:
            yield f"{where}.folder: the key 'sha256' is missing"
        elif not any("sha256" in part for part in (source, *parts)):
            yield f"{where}: the key 'sha256' is missing, of the file or of what is in the archive"
        if "sha256" in source and "bytes" not in source:
            yield f"{where}: the key 'bytes' is missing, which belongs to 'sha256'"
        other = first.setdefault(path, name)
        if other != name:
            yield f"{where}: {other!r} is the same file, {path}"


def source_names(dataset: dict[str, Any]) -> list[str]:
    """Return the names of the sources that a dataset of the configuration is built from."""
    published = [dataset["published"]] if "published" in dataset else []
    return [*dataset.get("files", {}).values(), *published]


def find_raw_file(source: dict[str, Any], mirrors: Iterable[str], raw: str = RAW) -> Path | None:
    """Return where a raw file, or the archive with it, already is; None if it is to be downloaded.

    Nothing is read: whether it is intact shows when it is used.
    """
    source = source_location(source)
    places = [Path(raw, raw_path(source)), *(Path(m, source["path"]).expanduser() for m in mirrors)]
    return next((place for place in places if place.is_file()), None)


def missing_sources(
    names: Iterable[str], sources: dict[str, dict], mirrors: list[str], raw: str = RAW, asked_for: Collection[str] = ()
) -> list[str]:
    """Return what to do for each source that no run fetches unasked and that is not at hand.

    What needs one of them is left out of a run, with this said in its place: a large file, or one whose licence is to
    be read first, is not downloaded unasked, and one without an address cannot be. Other sources are left to the rule
    `download`. No network is used.

    Parameters
    ----------
    names : iterable of str
        Names of sources, such as `source_names` gives.
    sources : dict
        The section `sources` of the configuration.
    mirrors : list of str
        Its section `mirrors`.
    raw : str
        The folder of raw files.
    asked_for : collection of str
        Its section `downloads`: sources that a run fetches all the same.

    Returns
    -------
    list of str
        One line per source, none if nothing is missing.
    """
    return [
        _advice(name, sources[name], mirrors, raw)
        for name in sorted(set(names))
        if name not in asked_for
        and _is_left_to_people(sources[name])
        and find_raw_file(sources[name], mirrors, raw) is None
    ]


def problems_of_downloads(asked_for: list[str], sources: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield what is wrong with the section `downloads` of the configuration."""
    for i, name in enumerate(asked_for):
        if name not in sources:
            yield f"downloads[{i}] = {name!r}: {must_be_one_of(name, sources)}"
        elif "address" not in sources[name]:
            yield f"downloads[{i}] = {name!r}: has no address; allowed: sources that have one"


def _is_left_to_people(source: dict[str, Any]) -> bool:
    return bool(source.get("on_demand")) or "address" not in source


def _advice(name: str, entry: dict[str, Any], mirrors: list[str], raw: str) -> str:
    source = source_location(entry)
    size = f" ({entry['bytes'] / 1e6:.1f} MB)" if "bytes" in entry else ""
    if "address" not in source:
        where = " or ".join(mirrors) or "a folder listed in `mirrors`"
        return (
            f"{name} is not here and has no address: {source['path']} has to lie in {where}; "
            f"licence: {entry['licence']}"
        )
    by_hand = f", or put {source['address']} at {mirrors[0]}/{source['path']}" if mirrors else ""
    return (
        f"{name}{size} is not here: with a network, "
        f"snakemake --cores 1 {_quoted(os.path.join(raw, raw_path(source)))} or downloads: [{name}] in the "
        f"configuration{by_hand}; licence: {entry['licence']}"
    )


def _quoted(path: str) -> str:
    return path if re.fullmatch(r"[\w./@+-]+", path) else f"'{path}'"


def _path_of(address: str) -> str:
    """Return where the file of an address lies below data/raw and below a mirror."""
    match = ADDRESS.fullmatch(address)
    if match and match["host"] == GITHUB and not match["query"]:
        path = unquote(match["path"])
    elif match:
        path = quote(f"{match['host']}/{match['path']}{match['query'] or ''}", safe="/:%")
        path = path.replace(":", "_")
    steps = path.split("/") if match else [""]
    # Which would leave the folder, or be more than a name to Snakemake.
    if not all(steps) or {".", ".."} & set(steps) or re.search(r"[\\{}]|[^ -~]", path):
        raise ConfigError(f"{address!r}: must be https://<host>/<path>, of plain characters and without '..'")
    return path
