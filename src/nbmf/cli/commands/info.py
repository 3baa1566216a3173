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

DESCRIBE = {
    BinaryMatrix: describe_binary,
    SparseBinaryMatrix: describe_sparse,
    CategoryMatrix: describe_categories,
    CountMatrix: describe_counts,
}


def run(options: Options) -> None:
    """Print the report."""
    try:
        matrix = read_matrix(options)
    except DataError as refused:
        findings = detect(Glance(options, refused))
        if not findings:
            raise
    else:
        findings = [DESCRIBE[type(matrix)](matrix, options)]
    print("\n\n".join(finding.render() for finding in findings))
