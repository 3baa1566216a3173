"""Files that are known by their first records: two lines of names, and what programs and archives write."""

from nbmf.cli.info.finding import Finding, command_line, command_with
from nbmf.cli.info.glance import Glance
from nbmf.cli.options import Options, file_word
from nbmf.data.value_codes import Coding, number_of
from nbmf.io.records import Record

FEWEST = 4  # records below two headers, and columns
MOSTLY = 0.5  # of columns, whose values come again below
LENGTHS = [1, 1, 1, 3]  # numbers in the first lines of a bag of words of the UCI archive
PLACES = ("Chr", "Start", "End", "Strand", "Length")
# Names of columns of kinds of files, what these are, and the options by which nbmf reads them.
KNOWN_COLUMNS = (
    (
        {"Hugo_Symbol", "Tumor_Sample_Barcode"},
        "a list of mutations (MAF), with a line per mutation: a one is a gene that is mutated in a sample",
        {"layout": "presence", "row": "Tumor_Sample_Barcode", "column": "Hugo_Symbol"},
    ),
    (
        {"Geneid", *PLACES},
        "counts of reads by featureCounts, with the places of genes next to them",
        {"counts": True, "ignore": [*PLACES]},
    ),
)


def find_two_headers(glance: Glance) -> Finding | None:
    """Find a second line of names."""
    top, unit = glance.top, glance.records.unit
    if glance.typed.header is not None or len(top) < FEWEST + 2 or not _are_headers(*top[:2], top[2:]):
        return None
    first, second = top[:2]
    kept, other = (first, second) if _has_distinct_names(first) else (second, first)
    names = ", ".join(map(repr, _names(kept)[:3]))
    said = (
        f"{glance.typed.file}: {unit} {second.line} has names, as {unit} {first.line} has: these are two headers. "
        f"Delete {unit} {other.line} from the file, so that columns are called {names}, ... by {unit} {kept.line}"
    )
    return Finding([said], [command_with("info", glance.typed)], [f"without {unit} {other.line}"])


def _are_headers(first: Record, second: Record, below: list[Record]) -> bool:
    """Whether two records have names and those below values, which come again."""
    columns = list(zip(*(record.fields[1:] for record in below), strict=False))
    names = _names(second)
    if len(columns) < FEWEST or len(names) != len(columns) or "" in names or not any(_names(first)):
        return False
    are_texts = all(_is_name(field) for field in (*names, *_names(first)) if field)
    are_new = all(name not in map(str.strip, column) for name, column in zip(names, columns, strict=True))
    again = sum(2 * len({*column}) <= len(column) for column in columns)
    return are_texts and are_new and again >= MOSTLY * len(columns)


def _names(record: Record) -> list[str]:
    return [field.strip() for field in record.fields[1:]]


def _is_name(text: str) -> bool:
    """Whether a text is neither a number nor a value by default."""
    return number_of(text) is None and Coding().encode_text(text) == Coding.unknown


def _has_distinct_names(record: Record) -> bool:
    """Whether there is a name for each column, and none twice."""
    names = _names(record)
    return "" not in names and len(set(names)) == len(names)


def find_bag_of_words(glance: Glance) -> Finding | None:
    """Find three numbers above a list of documents and words."""
    options = glance.typed
    lines = [" ".join(record.fields).split() for record in glance.top[: len(LENGTHS)]]
    numbers = [number_of(field) for fields in lines for field in fields]
    are_whole = all(number is not None and number > 0 and number.is_integer() for number in numbers)
    if _is_declared(options) or glance.records.titles or not are_whole or [*map(len, lines)] != LENGTHS:
        return None
    name = file_word(options.file)
    lines_from_4 = f"gzip -dc {name} | tail -n +4" if options.file.casefold().endswith(".gz") else f"tail -n +4 {name}"
    said = "a bag of words, whose first three lines are the numbers of documents, of words and of entries"
    commands = [f"{lines_from_4} > list.txt", "nbmf topics list.txt --layout long"]
    return Finding([f"{options.file}: {said}: the list is below them"], commands)


def find_known_columns(glance: Glance) -> Finding | None:
    """Find columns of names that a program gives them."""
    names = {field.strip() for field in glance.top[0].fields} if glance.top else set()
    for columns, words, read in KNOWN_COLUMNS:
        if columns <= names and not _is_declared(glance.typed):
            return Finding([f"{glance.typed.file}: {words}"], [command_line("info", glance.typed, **read)])
    return None


def _is_declared(options: Options) -> bool:
    """Whether it was typed how such a file is read."""
    return options.header is False or bool(options.ignore)
