"""nbmf info: what is in a file, and what to type next."""

import argparse
from collections.abc import Iterator

import numpy as np

from nbmf.catalogue import DEFAULTS, METHODS
from nbmf.cli import info_counts, info_misfits, info_sparse, info_tables
from nbmf.cli.info_lines import AXES, ends, worth_a_look
from nbmf.cli.reading import read_matrix, repeated
from nbmf.cli.timing import seconds_of_fit, told
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.inference.estimator import Factorization
from nbmf.registry import make_estimator

DEFAULT = DEFAULTS["BinaryMatrix"]
TIMED = (DEFAULT, "beta-dir-gs")  # methods


def run(options: argparse.Namespace) -> None:
    """Print the report."""
    again = repeated(options)
    try:
        matrix = read_matrix(options)
    except DataError as refused:
        lines = _told(options, refused)
        if lines is None:
            raise
        print("\n".join(lines))
        return
    if isinstance(matrix, CountMatrix):
        uses = info_tables.uses_of_counts(matrix, options)
        for line in info_counts.report(matrix, again, uses):
            print(line)
        return
    if isinstance(matrix, SparseBinaryMatrix):
        print("\n".join(info_sparse.report(matrix, again)))
        return
    for line in _lines(matrix):
        print(line)
    print(_size(matrix))
    is_big = _is_big(matrix)
    method = " --method beta-dir-gs-learned --chains 1" if is_big else ""
    print("\nnext:")
    print(f"  nbmf fit {again}{method}")
    print(f"  nbmf compare {again}{' --masks 2' if is_big else ''}")


def _told(options: argparse.Namespace, refused: DataError) -> list[str] | None:
    """Return the lines about a file that is no matrix as it stands; None if a cell of it is wrong."""
    if not info_tables.may_be_table(options):
        return None
    return info_misfits.report(options, refused) or info_tables.report(options, refused)


def _lines(matrix: BinaryMatrix) -> Iterator[str]:
    """Yield which lines have the fewest and the most ones, then what is worth a second look."""
    ones = {axis: (matrix.codes == 1).sum(axis=axis) for axis, _ in AXES}
    for axis, kind in AXES:
        few, many = ends(matrix, ones[axis], axis)
        yield f"{kind} with the fewest ones: {few}; with the most: {many}"
    for axis, _ in AXES:
        observed = matrix.observed.sum(axis=axis)
        unusual = {"without a one": ones[axis] == 0, "without a zero": ones[axis] == observed}
        yield from worth_a_look(matrix, unusual, axis)


def _default() -> Factorization:
    entry = METHODS[DEFAULT]
    return make_estimator(entry["class"], entry["K"][0], entry["settings"])


def _is_big(matrix: BinaryMatrix) -> bool:
    """Whether the default method refuses a matrix for the memory that it would need."""
    return _default().memory_needed_gb(matrix.codes) > _default().memory_budget_gb


def _size(matrix: BinaryMatrix) -> str:
    observed = int(np.count_nonzero(matrix.observed))
    default, is_big = _default(), _is_big(matrix)
    methods = [name for name in TIMED if not (is_big and name == DEFAULT)]
    times = ", ".join(f"{METHODS[name]['label']} {told(seconds_of_fit(name, matrix))}" for name in methods)
    text = f"{observed} observed entries; one fit takes about (measured on a part): {times}"
    if is_big:
        text += (
            f"\n{default.method_name} would need {default.memory_needed_gb(matrix.codes):.1f} GB, its limit is "
            f"{default.memory_budget_gb:g} GB "
            "(--set max_memory_gb=...): take Gibbs sampling"
        )
    return text
