"""The raw files that are at hand, and small files in R's formats."""

import numpy as np
import pandas as pd
import pytest
import rdata
import yaml
from checkout import ROOT, shipped_configuration

from nbmf_studies.pipeline.raw_files import source_location

MIRRORS = ("data/mirror", "data/trials", "../shared/mirror")
ENTRIES = yaml.safe_load((ROOT / "config/datasets.yaml").read_text(encoding="utf-8"))["datasets"]

EVERY = shipped_configuration()  # and those of the studies, of which an example may be


def raw_file(source):
    for mirror in MIRRORS:
        file = ROOT / mirror / source_location(EVERY["sources"][source])["path"]
        if file.exists():
            return file
    pytest.skip(f"raw file {source} is in none of {', '.join(MIRRORS)}")


def write_r_matrix(path, values, row_names=None, column_names=None):
    """Write `m`, a matrix of doubles, in R's text format (rdata writes no row and column names)."""
    values = np.asarray(values, dtype=float)
    numbers = ["NA" if np.isnan(value) else repr(float(value)) for value in values.T.ravel()]
    attributes = [*_symbol("dim"), 13, 2, *values.shape]
    if row_names is not None:
        attributes += [*_symbol("dimnames"), 19, 2, *_strings(row_names), *_strings(column_names)]
    lines = [*_symbol("m"), 14 | 512, values.size, *numbers, *attributes, 254, 254]
    header = ["RDA2", "A", 2, 262144, 131840]
    path.write_text("\n".join(str(line) for line in header + lines) + "\n", encoding="ascii")
    return path


def _symbol(name):
    return [2 | 1024, 1, *_strings([name])[2:]]


def _strings(names):
    return [16, len(names), *(line for name in names for line in (262153, len(name), name))]


def write_r_table(path, **columns):
    # rdata writes these kinds of columns only
    kinds = {str: pd.StringDtype("python"), int: "Int32", float: "Float64"}
    table = {name: pd.array(v, dtype=kinds[type(v[0])]) for name, v in columns.items()}
    rdata.write_rda(path, {"table": pd.DataFrame(table)})
    return path
