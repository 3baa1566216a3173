"""What is analyzed as a matrix: arrays, DataFrames, sparse matrices, and those of another kind than a method takes."""

from collections.abc import Callable
from typing import Any

from nbmf.catalogue import matrix_kind, methods_for
from nbmf.data.category_matrix import CategoryMatrix, has_ordered_categories
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.given import is_sparse
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import MISSING, NamedMatrix
from nbmf.data.other_kinds import naming_other_kinds
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import ConfigError, Setting
from nbmf.io.coded_matrix import is_huge
from nbmf.likelihoods.likelihood import refuse_other_forms


def as_matrix(V: Any, method: str | None) -> NamedMatrix:
    """Return V as a matrix that a method takes; rows and columns without an observed entry are left out with a message.

    Raises
    ------
    DataError
        If V is a path, or has a value that is not allowed.
    ConfigError
        If the method does not take such a matrix.
    """
    refuse_other_forms(V, "zeros, ones and missing, counts, or ordered categories")
    if isinstance(V, NamedMatrix):
        matrix = V
    elif is_sparse(V):
        are_counts = method is not None and matrix_kind(method) is CountMatrix
        matrix = _counts_of_sparse(V, method) if are_counts else _binary(SparseBinaryMatrix.of, V)
    else:
        kind = _kind_of(V) if method is None else matrix_kind(method)
        matrix = _binary(kind.observed_part, V) if kind is BinaryMatrix else kind.observed_part(V)
    return convert_for_method(matrix, method)


def _kind_of(V: Any) -> type[NamedMatrix]:
    return CategoryMatrix if has_ordered_categories(V) else BinaryMatrix


def _binary(make: Callable[[Any], NamedMatrix], V: Any) -> NamedMatrix:
    with naming_other_kinds(V):
        return make(V)


def _counts_of_sparse(V: Any, method: str) -> CountMatrix:
    """Return a matrix of scipy.sparse with all of its zeros, which the methods for counts keep here."""
    if is_huge(*V.shape):
        raise _size_error(f"{V.shape[0]} x {V.shape[1]} entries", method)
    from nbmf.data.sparse_counts import SparseCounts  # scipy.sparse takes a moment

    counts = SparseCounts.of(V)
    tallies = counts.above_zero.toarray()
    tallies[counts.missing.nonzero()] = MISSING
    return CountMatrix.observed_part(tallies)


def _size_error(words: str, method: str) -> ConfigError:
    return ConfigError(
        f"{words} are too many for {method}, which keeps all of them; methods that take "
        f"a matrix without its zeros are {', '.join(methods_for(SparseBinaryMatrix))}"
    )


def convert_for_method(matrix: NamedMatrix, method: str | None) -> NamedMatrix:
    """Return a matrix as a method takes it; zeros and ones are counts and categories, but not the reverse."""
    if method is None:
        return matrix
    kind = matrix_kind(method)
    if matrix.dense is not None and method not in methods_for(type(matrix)):
        if is_huge(*matrix.shape):
            raise _size_error(matrix.words, method)
        matrix = matrix.dense(matrix.toarray(), matrix.row_names, matrix.column_names, matrix.row_groups)
    if kind is CountMatrix and isinstance(matrix, BinaryMatrix):
        return CountMatrix(matrix.codes, matrix.row_names, matrix.column_names, matrix.row_groups)
    if kind is CategoryMatrix and isinstance(matrix, BinaryMatrix):
        return CategoryMatrix(matrix.codes, matrix.row_names, matrix.column_names, matrix.row_groups)
    if isinstance(matrix, CategoryMatrix) and kind is not CategoryMatrix:
        raise ConfigError(
            f"these are ordered categories, which {method} does not take; methods that do are "
            f"{', '.join(methods_for(CategoryMatrix))}"
        )
    if kind is CategoryMatrix and not isinstance(matrix, CategoryMatrix):
        raise ConfigError(f"{method} takes ordered categories; ", Setting("categories", [...]), " names them")
    if kind is BinaryMatrix and isinstance(matrix, CountMatrix):
        raise ConfigError(
            f"these are counts, and {method} takes zeros and ones: ",
            Setting("above", 0),
            " makes them so, by whether a count is above 0; methods that take counts are "
            f"{', '.join(methods_for(CountMatrix))}",
        )
    return matrix
