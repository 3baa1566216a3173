"""nbmf info: what is in a file, and what to type next."""

import itertools
from collections.abc import Iterator

import numpy as np

from nbmf.cli import (
    info_baskets,
    info_categories,
    info_choices,
    info_counts,
    info_headers,
    info_known,
    info_misfits,
    info_sparse,
    info_tables,
)
from nbmf.cli.arguments import render_message
from nbmf.cli.info_axes import AXES, describe_extremes, describe_fit_time, describe_unusual, next_lines
from nbmf.cli.options import Options
from nbmf.cli.reading import command_for, file_with_options, read_matrix, reading_commands
from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.count_matrix import CountMatrix
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.named import NamedMatrix
from nbmf.data.sparse_matrix import SparseBinaryMatrix
from nbmf.errors import DataError
from nbmf.evaluation.held_out import why_constant
from nbmf.io.cells import count_phrase
from nbmf.io.coded_cells import WrongCount
from nbmf.io.signed_values import SignsError
from nbmf.io.totals import TotalsError
from nbmf.reporting.repeat_sentences import repeat_sentences
from nbmf.reporting.text import wrap


def run(options: Options) -> None:
    """Print the report."""
    try:
        matrix = read_matrix(options)
    except DataError as refused:
        lines = _describe_refused(options, refused)
        if lines is None:
            raise
        print("\n".join(lines))
        return
    for line in _describe(matrix, options):
        print(line)


def _describe(matrix: NamedMatrix, options: Options) -> Iterator[str]:
    """Yield the lines about a matrix of any kind."""
    again = file_with_options(options)
    if isinstance(matrix, CountMatrix):
        yield from info_counts.report(matrix, options, info_tables.uses_of_counts(matrix, options))
    elif isinstance(matrix, CategoryMatrix):
        yield from info_categories.report(matrix, again)
    elif isinstance(matrix, SparseBinaryMatrix):
        yield from info_sparse.report(matrix, again)
    else:
        yield from _describe_binary(matrix, again)


def _describe_refused(options: Options, refused: DataError) -> list[str] | None:
    """Return the lines about a file that is no matrix as it stands; None if a cell of it is wrong."""
    if isinstance(refused, SignsError):
        commands = [("", f"next, {words}:", f"  {command}") for command, words in reading_commands(options, refused)]
        return [wrap(refused.opening), *itertools.chain(*commands)]
    if isinstance(refused, TotalsError):
        return _describe_totals(options, refused)
    if isinstance(refused, WrongCount):
        return _describe_wrong_count(options, refused)
    if not info_tables.may_be_table(options):
        return None
    if lines := info_headers.report(options) or info_known.report(options) or info_baskets.report(options):
        return lines
    of_columns, of_cells = info_misfits.report(options, refused), info_baskets.report_cells(options)
    if of_columns and of_cells:  # a question of which all that apply are chosen, next to other questions
        return [*of_columns, "", *of_cells]
    return of_columns or of_cells or info_choices.report(options) or info_tables.report(options, refused)


def _describe_totals(options: Options, refused: TotalsError) -> list[str]:
    """Return the lines about sums, and a command that leaves out those in a column."""
    lines = [wrap(refused.opening), wrap(render_message(refused.remedy, "info"))]
    chosen = options if refused.ignore is None else options.but(ignore=refused.ignore)
    if refused.has_row:
        return [*lines, "", "next, without that row:", f"  nbmf info {file_with_options(chosen)}"]
    return [*lines, *next_lines(command_for(chosen))]


def _describe_wrong_count(options: Options, refused: WrongCount) -> list[str]:
    """Return the lines about the only number that is no count, and a command for each thing that may be done."""
    opening = render_message(refused.message, "info").partition(";")[0]
    chosen = options.but(counts=True, missing=refused.missing)
    corrected, missing = (f"  {command_for(each)}" for each in (options, chosen))
    return [wrap(opening), "", "next, once it is corrected:", corrected, "next, if it means missing:", missing]


def _describe_binary(matrix: BinaryMatrix, again: str) -> Iterator[str]:
    """Yield which rows and columns have the fewest and the most ones, what is worth a second look, and what is next."""
    ones = {axis: (matrix.codes == 1).sum(axis=axis) for axis, _ in AXES}
    for axis, kind in AXES:
        if len(ones[axis]) > 1 and np.ptp(ones[axis]) == 0:
            yield f"all {kind} have {count_phrase(ones[axis][0], 'one')}"
            continue
        few, many = describe_extremes(matrix, ones[axis], axis)
        yield f"{kind} with the fewest ones: {few}; with the most: {many}"
    for axis, _ in AXES:
        observed = matrix.observed.sum(axis=axis)
        unusual = {"without a one": ones[axis] == 0, "without a zero": ones[axis] == observed}
        yield from describe_unusual(matrix, unusual, axis)
    yield from map(wrap, repeat_sentences(matrix, with_twins=True))
    if (constant := why_constant(matrix.codes, is_binary=True)) is not None:
        yield from ("", wrap(render_message(constant, "info")))
        return
    yield from describe_fit_time(matrix, f"{matrix.n_observed} observed entries")
    yield from next_lines(f"nbmf fit {again}", f"nbmf compare {again}")
