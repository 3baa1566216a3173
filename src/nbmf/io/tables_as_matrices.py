"""A table read as a matrix: a row a line, or in the layouts "long" and "presence" an entry a line."""

import itertools
from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from nbmf.data.shared_names import shared_names
from nbmf.data.value_codes import ValueCoding, number_of, texts_of
from nbmf.errors import DataError, Message, Setting
from nbmf.io.answers import detect_answers
from nbmf.io.arguments import Options
from nbmf.io.cells import Block, Table, UnknownCell, quoted_names, refuse_repeated
from nbmf.io.coded_matrix import CodedMatrix, Contradiction, StoredCodes, refuse_huge, refuse_too_many_rows, scatter
from nbmf.io.layouts import ABSENT, ROLES
from nbmf.io.numbered_nodes import count_numbered_nodes
from nbmf.io.records import Records

NO_INDEX = Message(" (the first column is read as names of rows; ", Setting("index", False), " reads it as values)")

ARE_MISSING = Message(
    "pairs without a record are missing, and kept as such; if they are zeros, which need not be kept, ",
    Setting("absent", "zeros"),
    " says so",
)


def code_table(cells: Table | Records, options: Options, coding: ValueCoding) -> CodedMatrix:
    """Return a table in any layout as codes; see `nbmf.read`."""
    read, has_header = (_code_wide, _wide_has_header) if options["layout"] is None else (_code_list, _list_has_header)
    table = cells
    if isinstance(cells, Records):
        cells.keep({options["groups"], *(options["ignore"] or ())})
        is_header = has_header(cells, options, coding) if options["header"] is None else options["header"]
        hint = _header_hint(cells) if options["header"] is None else ""
        table = cells.table(is_header, hint, may_lack_a_name=options["layout"] is None)
    coded = read(table, options, coding)
    return coded._replace(left_out=coded.left_out + table.left_out(), notes=(*coded.notes, *table.notes))


def _header_hint(records: Records) -> Message:
    where = f" ({records.unit} {records.first.line} is read as names of columns; "
    return Message(where, Setting("header", False), " reads it as values)")


# --- A row a line -------------------------------------------------------------------------------


def _wide_has_header(records: Records, options: Options, coding: ValueCoding) -> bool:
    """Whether the first line names the columns: a name is no value; names of rows are none either."""
    fields = records.first.fields
    if records.export or options["groups"] or options["ignore"] or coding.are_names(fields[1:] or fields):
        return True
    return _is_pandas_header(records, coding)


def _is_pandas_header(records: Records, coding: ValueCoding) -> bool:
    """Whether the first line has what pandas writes above columns that nobody named: nothing, 0, 1, ...

    Below nothing there are names of rows then, or numbers that count on from 0 as well.
    """
    corner, *numbers = (field.strip() for field in records.first.fields)
    if corner or len(numbers) < 2 or numbers != list(map(str, range(len(numbers)))):
        return False
    rows = [record.fields[0].strip() for record in itertools.islice(records, 1, None) if record.fields]
    are_numbered = len(rows) > 1 and rows == list(map(str, range(len(rows))))
    return are_numbered or ("" not in rows and coding.are_names(rows))


def _code_wide(table: Table, options: Options, coding: ValueCoding) -> CodedMatrix:
    table.check_names()
    ignored = options["ignore"] or ()
    groups_at = None if options["groups"] is None else table.find_column(options["groups"])
    aside = {groups_at, *map(table.find_column, ignored)}
    columns = [place for place in range(len(table.names)) if place not in aside]
    row_names, said, hint, first = None, "no names of rows", "", None
    if options["index"] is not False and table.row_names is not None:
        row_names, said = table.row_names, "names of rows in the file's index"
    elif columns and (options["index"] or (options["index"] is None and table.may_name_rows(columns[0]))):
        first = columns.pop(0)  # it may have names of rows: that is seen when all of it is there
    codes, lines, cells, groups = _read_rows(table, columns, first, groups_at, coding)
    if first is not None and _are_row_names(table, first, cells, options, coding):
        row_names, said = texts_of(cells), "names of rows in the first column"
        hint = "" if options["index"] else NO_INDEX
    elif first is not None:
        columns.insert(0, first)
        codes = np.column_stack([coding.look_up_values(cells), codes])
    if row_names is None and options["index"] is not False and table.row_numbers is not None:
        row_names, said = table.row_numbers, "numbers of rows in the file's index"
    if row_names is not None:
        refuse_repeated(table.path, row_names, "row", lambda f: table.where(lines[f]), hint)
    if not columns:
        raise DataError(f"{table.path}: no columns besides the names of rows, the groups and those to ignore")
    words = [table.format, said, *([] if groups_at is None else [f"groups in {options['groups']!r}"])]
    words += [f"ignored: {', '.join(map(repr, ignored))}"] if ignored else []
    column_names = [table.names[column] for column in columns] if table.has_header else None
    return CodedMatrix(codes, "; ".join(words), row_names, column_names, groups)


def _read_rows(
    table: Table, columns: Sequence[int], first: int | None, groups_at: int | None, coding: ValueCoding
) -> tuple[np.ndarray, list[int], list, list[str] | None]:
    """Return the codes of columns, the line of each row, the cells of the first column, and the groups."""
    parts, lines, cells, groups = [], [], [], []
    for block in table.blocks():
        parts.append(_codes(table, block, columns, coding, are_values=False))
        lines += block.lines
        cells += [] if first is None else block.cells(first)
        groups += [] if groups_at is None else block.texts(groups_at)
    return np.concatenate(parts), lines, cells, None if groups_at is None else groups


def _are_row_names(table: Table, first: int, cells: list, options: Options, coding: ValueCoding) -> bool:
    if options["index"] is not None:
        return options["index"]
    return (first == 0 and table.names_rows_first) or coding.are_names(cells)


def _codes(table: Table, block: Block, columns: Sequence[int], coding: ValueCoding, are_values: bool) -> np.ndarray:
    """Return codes of columns, of which it is known that they have values, or which may have names all the same."""
    try:
        return block.codes(columns, coding)
    except UnknownCell as cell:
        name = table.variables[cell.column]
        meaning = table.meaning_of(cell.column, cell.value)
        where = f"{table.path}, {table.where(cell.line)}, column {name!r}{meaning}"
        raise coding.refusal(where, cell.value, None if are_values else name) from None


# --- An entry a line ----------------------------------------------------------------------------


def _list_has_header(records: Records, options: Options, coding: ValueCoding) -> bool:
    """Whether the first line names the columns.

    Where a value must be, a name is none. A list of presences has names only: that of a column is no number, and
    does not come again below it, whereas a row or a column mostly does.
    """
    if any(name is not None for name in (options["row"], options["column"], options["value"], options["groups"])):
        return True
    fields = records.first.fields
    if options["layout"] == "long":
        return coding.are_names(fields[2:3])
    names = [field.strip() for field in fields[:2]]
    if all(number_of(name) is not None for name in names):
        return False
    below = itertools.islice(records, 1, None)
    return not any(name == field.strip() for _, others in below for name, field in zip(names, others, strict=False))


class _Names(dict):
    """Names of rows or columns, numbered 0, 1, ... as they appear; `numbers` has that of each record."""

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        super().__init__(names or {})
        self.numbers = array("q")

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


def _notes_of_network(rows: _Names, columns: _Names) -> tuple[str, ...]:
    """Return what is said if many names are both rows and columns, and others one of the two alone."""
    both = len(shared_names(rows, columns))
    pairs = np.asarray(rows.numbers, int), np.asarray(columns.numbers, int)
    kind, both = ("names", both) if both else ("numbers", count_numbered_nodes([*rows], [*columns], pairs))
    if not both or len(rows) == len(columns) == both:
        return ()
    return (
        Message(
            f"{both} {kind} are both rows and columns, as in a network: each line is one direction, and a {kind[:-1]} "
            "on one side alone is missing on the other; ",
            Setting("undirected", True),
            " makes each line a tie in both directions",
        ),
    )


def _add_reversed(
    rows: _Names, columns: _Names, codes: np.ndarray, lines: Sequence[int]
) -> tuple[_Names, _Names, np.ndarray, Sequence[int]]:
    """Return names that rows and columns have in common, and each record a second time, the other way round.

    Not if that is the same, or another record says it already, so that a repeated record is counted as one.
    """
    names = _Names()
    for name in itertools.chain(rows, columns):
        _ = names[name]
    a, b = (np.array([names[name] for name in side], int)[np.asarray(side.numbers, int)] for side in (rows, columns))
    here, there = a * len(names) + b, b * len(names) + a
    order = np.argsort(here, kind="stable")
    nearest = order[np.minimum(np.searchsorted(here[order], there), len(order) - 1)]
    new = (here[nearest] != there) | (codes[nearest] != codes)
    new[order[1:][np.diff(here[order]) == 0]] = False
    both = _Names(names), _Names(names)
    both[0].numbers, both[1].numbers = np.concatenate([a, b[new]]), np.concatenate([b, a[new]])
    return *both, np.concatenate([codes, codes[new]]), np.concatenate([lines, np.asarray(lines)[new]])


def _code_list(table: Table, options: Options, coding: ValueCoding) -> CodedMatrix:
    places = _role_columns(table, options)
    rows, columns, lines, parts, group_of = _Names(), _Names(), array("q"), [], {}
    for block in table.blocks():
        lines.extend(block.lines)
        if "value" in places:
            parts.append(_codes(table, block, [places["value"]], coding, are_values=True)[:, 0])
        for role, known in (("row", rows), ("column", columns)):
            names = block.texts(places[role])
            if "" in names:
                line = block.lines[names.index("")]
                raise DataError(f"{table.path}, {table.where(line)}: the name of the {role} is empty")
            known.numbers.extend(map(known.__getitem__, names))
        if "groups" in places:
            _add_groups(table, block, places, group_of)
    codes = np.concatenate(parts) if parts else np.ones(len(lines), coding.dtype)
    notes = _notes_of_network(rows, columns)
    if options["undirected"]:
        rows, columns, codes, lines, notes = *_add_reversed(rows, columns, codes, lines), ()
    code, why = _absent_code(options, codes, len(rows) * len(columns) - len(codes))
    matrix, left_out = _scatter_records(table, code, codes, rows, columns, lines)
    absent = f"pairs without a record are {'zeros' if code == 0 else 'missing'}{why}"
    groups = [group_of.get(name, ("", 0))[0] for name in rows] if "groups" in places else None
    said = ", ".join(f"{role} {table.names[place]!r}" for role, place in places.items())
    unused = [name for place, name in enumerate(table.names) if place not in places.values()]
    said += f"; not used: {quoted_names(unused)}" if unused else ""
    format = f"{table.format}; layout {options['layout']}: {said}"
    return CodedMatrix(matrix, format, list(rows), list(columns), groups, absent, code == 0, left_out, notes)


def _role_columns(table: Table, options: Options) -> dict[str, int]:
    """Return the place of the column of each role, and of "groups" if there are some."""
    roles = ROLES[options["layout"]]
    names = {role: options[role] for role in (*roles, "groups")}
    named = {role: table.find_column(name) for role, name in names.items() if name is not None}
    free = [place for place in range(len(table.names)) if place not in named.values()]
    if len(free) < sum(role not in named for role in roles):
        raise DataError(
            f"{table.header_location}: layout {options['layout']!r} needs columns of {', '.join(roles)}; "
            f"there are {len(table.names)}"
        )
    rest = iter(free)
    return {role: named[role] if role in named else next(rest) for role in names if role in named or role in roles}


def _add_groups(table: Table, block: Block, places: dict[str, int], group_of: dict[str, tuple[str, int]]) -> None:
    """Take the groups of some rows, with their lines; a row may not have another one."""
    columns = (block.texts(places["row"]), block.texts(places["groups"]))
    for line, row, group in zip(block.lines, *columns, strict=True):
        first, first_line = group_of.setdefault(row, (group, line))
        if group != first:
            raise DataError(
                f"{table.path}, {table.where(line)}: {row!r} has the group {group!r}, "
                f"but {first!r} in {table.where(first_line)}; a row has one group: leave out ",
                Setting("groups"),
                ", or name rows so that those of two groups are two rows: ",
                Setting("row", ...),
            )


def _scatter_records(
    table: Table, absent: int, codes: np.ndarray, rows: _Names, columns: _Names, lines: Sequence[int]
) -> tuple[np.ndarray | StoredCodes, tuple[str, ...]]:
    """Return the matrix, in which pairs without a record have the code `absent`, and what was left out."""
    shape = len(rows), len(columns)
    if absent == 0:
        refuse_too_many_rows(table.path, *shape)
    else:
        refuse_huge(table.path, *shape, ARE_MISSING)
    try:
        matrix, left_out = scatter(np.asarray(rows.numbers), np.asarray(columns.numbers), codes, shape, absent)
    except Contradiction as contradiction:
        first, second = contradiction.records
        earlier, later = ("missing" if code == -1 else code for code in contradiction.codes)
        row, column = (list(names)[names.numbers[first]] for names in (rows, columns))
        raise DataError(
            f"{table.path}, {table.where(lines[second])}: row {row!r}, column {column!r} is {later}, "
            f"but {earlier} in {table.where(lines[first])}; if these are two entries, of two years or places, name "
            "rows or columns so that they differ"
        ) from None
    return matrix, left_out


def _absent_code(options: Options, codes: np.ndarray, absent: int) -> tuple[int, str]:
    """Return the code of so many pairs without a record, and why it is that where nobody has said it.

    A list of counts without a zero has those above zero alone; one with zeros has what was counted. Of ratings that
    are cut at a threshold there are those that were given.
    """
    if options["layout"] == "presence":
        return 0, ""
    if options["absent"] is not None:
        return ABSENT[options["absent"]], ""
    if codes.dtype == np.int32 and not (codes == 0).any():
        is_cut, values = options["above"] is not None, codes[codes > 0]
        if is_cut and (answers := detect_answers(values, is_list=True, absent=absent)) is not None:
            return -1, f", since values are answers, {answers.words}"
        return 0, ", since no record is a zero"
    return -1, ""
