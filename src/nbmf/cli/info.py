"""nbmf info: what is in a file, and what to type next."""

import argparse
from collections.abc import Iterator

import numpy as np

from nbmf.catalogue import DEFAULTS, METHODS
from nbmf.cli import info_counts, info_sparse, info_tables
from nbmf.cli.info_lines import AXES, ends, worth_a_look
from nbmf.cli.reading import read_matrix, repeated
from nbmf.cli.timing import seconds_of_fit, told
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError

VB_GIGABYTES = 4.0  # the default max_memory_gb of BetaDirVB
VB_BYTES = 4 * 104  # per observed entry with K = 100, components in eights
TIMED = (DEFAULTS["BinaryMatrix"], "beta-dir-gs")  # methods


def run(options: argparse.Namespace) -> None:
    """Print the report."""
    again = repeated(options)
    try:
        matrix = read_matrix(options)
    except DataError as refused:
        lines = info_tables.report(options, refused)
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
    is_big = _vb_gigabytes(matrix) > VB_GIGABYTES
    method = " --method beta-dir-gs-learned --chains 1" if is_big else ""
    print("\nnext:")
    print(f"  nbmf fit {again}{method}")
    print(f"  nbmf compare {again}{' --masks 2' if is_big else ''}")


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


def _vb_gigabytes(matrix: BinaryMatrix) -> float:
    return float(np.count_nonzero(matrix.observed) * VB_BYTES / 1e9)


def _size(matrix: BinaryMatrix) -> str:
    observed = int(np.count_nonzero(matrix.observed))
    gigabytes = _vb_gigabytes(matrix)
    is_big = gigabytes > VB_GIGABYTES
    methods = [name for name in TIMED if not (is_big and name == TIMED[0])]
    times = ", ".join(f"{METHODS[name]['label']} {told(seconds_of_fit(name, matrix))}" for name in methods)
    text = f"{observed} observed entries; one fit takes about (measured on a part): {times}"
    if is_big:
        text += (
            f"\nBeta-Dir VB would need {gigabytes:.1f} GB, its limit is {VB_GIGABYTES:g} GB "
            "(--set max_memory_gb=...): take Gibbs sampling"
        )
    return text
