"""Where the files of the workflow lie."""

import os
from dataclasses import dataclass
from typing import Any

from nbmf.errors import ConfigError
from nbmf.fit_key import WHOLE, FitKey

FIT = "{dataset}/{method}/K{K}-mask{mask}-seed{seed}"
NO_MASK = "none"  # in the names of unmasked fits
SCORE_TABLES = ("scores", "unmasked_scores")  # those that `verification` compares; to import that loads pandas
# What a job leaves next to its output, by suffix: its log, and the time and memory it took.
RECORDS = {"log": "logs", "tsv": "benchmarks"}


@dataclass(frozen=True)
class Paths:
    """The files below a folder of results, of one study where it says so, and the matrices.

    Fits and masks are shared by all studies, so they lie in no study's folder; matrices are shared
    by all configurations that build them alike, so they lie in no folder of results.
    """

    results: str
    matrices: str
    study: str = ""

    def matrix(self, dataset: str) -> str:
        """Return the path of a matrix."""
        return f"{self.matrices}/{dataset}.npz"

    def matrix_record(self, suffix: str, dataset: str) -> str:
        """Return the path of a record (see RECORDS) of a matrix: next to the folder of matrices."""
        folder = os.path.join(os.path.dirname(self.matrices), RECORDS[suffix])
        return os.path.join(folder, "datasets", f"{dataset}.{suffix}")

    def mask(self, dataset: str, mask: int | str) -> str:
        """Return the path of a held-out mask."""
        return f"{self.results}/masks/{dataset}/mask{mask}.npz"

    def mask_record(self, suffix: str, dataset: str, mask: int | str) -> str:
        """Return the path of a record (see RECORDS) of a held-out mask."""
        return f"{self.results}/{RECORDS[suffix]}/masks/{dataset}/mask{mask}.{suffix}"

    def fit(self, suffix: str, **key) -> str:
        """Return the path of a file of a fit, from the parts of its key or their wildcards."""
        folder = f"{RECORDS[suffix]}/fits" if suffix in RECORDS else "fits"
        return f"{self.results}/{folder}/{FIT.format(**key)}.{suffix}"

    def report(self, key: FitKey) -> str:
        """Return the path of a fit's report."""
        return self.fit("json", **_parts(key))

    def attempt(self, key: FitKey) -> str:
        """Return the path of the last attempt at a fit that has no report, see `attempts`."""
        return self.fit("attempt", **_parts(key))

    def factors(self, key: FitKey) -> str:
        """Return the path of the factors of an unmasked fit."""
        return self.fit("npz", **_parts(key))

    def log(self, key: FitKey) -> str:
        """Return the path of a fit's log."""
        return self.fit("log", **_parts(key))

    def table(self, name: str) -> str:
        """Return the path of a table of the study."""
        return f"{self.results}/{self.study}/tables/{name}.csv"

    def figure(self, name: str, suffix: str) -> str:
        """Return the path of a figure of the study; suffix is pdf or png."""
        return f"{self.results}/{self.study}/figures/{name}.{suffix}"

    def product_record(self, suffix: str, kind: str, name: str) -> str:
        """Return the path of a record (see RECORDS) of a figure or table, which `kind` says."""
        return f"{self.results}/{self.study}/{RECORDS[suffix]}/{kind}/{name}.{suffix}"

    @property
    def partial(self) -> str:
        """The folder of what a run with failures of the study still shows."""
        return f"{self.results}/{self.study}/partial"


def reference_folder(folder: str, study: str) -> str:
    """Return the folder of scores that a study is compared with: its own in the one given, or that one."""
    study_folder = os.path.join(folder, study)
    return study_folder if os.path.isdir(study_folder) else folder


def reference_tables(folder: str, study: str) -> list[str]:
    """Return the tables of scores in the `reference_folder` of a study.

    Raises
    ------
    ConfigError
        If there are none: said before the fits are run that would be compared with them.
    """
    chosen = reference_folder(folder, study)
    files = [f"{table}.csv" for table in SCORE_TABLES]
    tables = [path for path in (os.path.join(chosen, file) for file in files) if os.path.isfile(path)]
    if not tables:
        without = f"has no table of scores ({', '.join(files)})"
        what = without if os.path.isdir(chosen) else "there is no such folder"
        raise ConfigError(f"configuration: verify.reference = {folder!r}: {what}; {study} is compared with one")
    return tables


def key_of(wildcards: Any) -> FitKey:
    """Return the fit that the wildcards of its rule name."""
    masks = {NO_MASK: None, WHOLE: WHOLE}
    mask = masks[wildcards.mask] if wildcards.mask in masks else int(wildcards.mask)
    return FitKey(wildcards.dataset, wildcards.method, int(wildcards.K), mask, int(wildcards.seed))


def _parts(key: FitKey) -> dict[str, str | int]:
    return {**key._asdict(), "mask": NO_MASK if key.mask is None else key.mask}
