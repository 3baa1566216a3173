"""nbmf info: what is in a file, and what to type next."""

from nbmf.cli.info.counts import describe_counts
from nbmf.cli.info.detectors import detect
from nbmf.cli.info.glance import Glance
from nbmf.cli.info.matrices import describe_binary, describe_categories, describe_sparse
from nbmf.cli.options import Options
from nbmf.cli.reading import read_matrix
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.io.reading_once import reading_once

DESCRIBE = {
    BinaryMatrix: describe_binary,
    SparseBinaryMatrix: describe_sparse,
    CategoryMatrix: describe_categories,
    CountMatrix: describe_counts,
}


def run(options: Options) -> None:
    """Print the report."""
    with reading_once():  # a file of R with 700,000 votes takes half a minute each time
        _run(options)


def _run(options: Options) -> None:
    try:
        matrix = read_matrix(options)
    except DataError as refused:
        findings = detect(Glance(options, refused))
        if not findings:
            raise
    else:
        findings = [DESCRIBE[type(matrix)](matrix, options)]
    print("\n\n".join(finding.render() for finding in findings))
