"""Datasets as jobs: from which files and by which code each is built, and what can be downloaded.

`entry` is that of a dataset in the checked configuration, `sources` the section of that name.
"""

import os
from collections.abc import Mapping
from typing import Any

from nbmf_studies import recipes
from nbmf_studies.pipeline import raw_files
from nbmf_studies.pipeline.configuration import is_address, local_path
from nbmf_studies.pipeline.parameters import as_text

# Of an entry: in figures, when masks are drawn, when the file is downloaded, and in fits.
USED_ELSEWHERE = ("axes", "held_out", "folds", "sha256", "observe", "measure", "arguments")


def files(entry: Mapping[str, Any], sources: Mapping[str, dict]) -> list[str]:
    """Return the files a dataset is built from: those of its recipe by their names, or the one it is."""
    if "file" not in entry:
        return [_raw_file(sources[source]) for _, source in sorted(entry["files"].items())]
    return [_raw_file(_source_of(entry)) if is_address(entry["file"]) else local_path(entry["file"])]


def published(entry: Mapping[str, Any], sources: Mapping[str, dict]) -> str | list[str]:
    """Return the file of the matrix that the authors have published, no file where there is none to compare with."""
    return _raw_file(sources[entry["published"]]) if "published" in entry else []


def modules(entry: Mapping[str, Any]) -> list[str]:
    """Return the modules that build a dataset."""
    builder = "nbmf.io.reading" if "file" in entry else recipes.module_of(entry["recipe"])
    return ["nbmf_studies.recipes.building", "nbmf_studies.recipes.check", builder]


def request(entry: Mapping[str, Any]) -> str:
    """Return what decides how a matrix is built, as text; sorted keys are the order of `files`."""
    return as_text({key: value for key, value in entry.items() if key not in USED_ELSEWHERE})


def downloads(datasets: Mapping[str, dict], sources: Mapping[str, dict]) -> dict[str, dict[str, Any]]:
    """Return what the rule `download` can get, by its place below data/raw.

    Of datasets with the same address, one that states the checksum speaks for all, and a source for any dataset.
    """
    addresses = [_source_of(entry) for entry in datasets.values() if is_address(entry.get("file", ""))]
    addresses.sort(key=lambda source: "sha256" in source)
    every = [*addresses, *map(raw_files.source_location, sources.values())]
    return {raw_files.raw_path(source): source for source in every}


def entry_counts(datasets: Mapping[str, dict]) -> dict[str, int]:
    """Return the number of entries of each dataset whose size the configuration knows."""
    counts = {name: entry["counts"] for name, entry in datasets.items() if "counts" in entry}
    return {name: count["rows"] * count["columns"] for name, count in counts.items()}


def _source_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the source of a dataset whose file is at an address."""
    checksum = {"sha256": entry["sha256"]} if "sha256" in entry else {}
    return raw_files.source_location({"address": entry["file"], **checksum})


def _raw_file(source: dict[str, Any]) -> str:
    return os.path.join(raw_files.RAW, raw_files.raw_path(raw_files.source_location(source)))
