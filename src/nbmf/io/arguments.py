"""What may be asked of a reader, checked before any file is opened."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from nbmf.data.category_coding import CategoryCoding
from nbmf.data.category_matrix import LARGEST
from nbmf.data.number_sizes import LARGEST_COUNT
from nbmf.data.value_codes import Coding
from nbmf.errors import ConfigError, Message, Setting, choices, not_allowed
from nbmf.inference.parameters import Rule, is_integer
from nbmf.io.layouts import ABSENT, BASKET, LAYOUTS, ROLES
from nbmf.io.text_lines import is_encoding

MOST = LARGEST + 1  # categories


class FormatOptions(TypedDict, total=False):
    """The options that only some formats have."""

    name: str | None
    encoding: str | None


class TableOptions(FormatOptions, total=False):
    """The options of `nbmf.read_table` that say how a file is to be read."""

    header: bool | None


class DocumentOptions(FormatOptions, total=False):
    """The options of `nbmf.read_documents` that say how a file is to be read."""

    words: str | os.PathLike | None


class Options(FormatOptions, total=False):
    """The keyword arguments of `nbmf.read` that say how a file is to be understood; None: the reader decides."""

    layout: str | None
    header: bool | None
    index: bool | None
    ones: Sequence[str] | None
    zeros: Sequence[str] | None
    missing: Sequence[str] | None
    counts: bool | None
    above: int | None
    categories: Sequence[str] | None
    groups: str | None
    ignore: Sequence[str] | None
    row: str | None
    column: str | None
    value: str | None
    absent: str | None
    diagonal: bool | None
    undirected: bool | None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_code(value: Any) -> bool:
    return value is None or isinstance(value, str | bool | int | float)


def _are_codes(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_code(item) for item in value)
    return isinstance(value, str)


def _are_categories(value: Any) -> bool:
    return isinstance(value, list | tuple) and 2 <= len(value) <= MOST and all(_is_code(item) for item in value)


def _is_threshold(value: Any) -> bool:
    return (is_integer(value) or isinstance(value, float)) and 0 <= value < LARGEST_COUNT


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


_SWITCH = Rule(lambda value: isinstance(value, bool), "True, False or None (it is detected)")
_COLUMN = Rule(_is_text, "the name of a column")
_CODES = Rule(_are_codes, "a list of texts, as they are in the file")

RULES = {
    "layout": Rule(lambda value: _is_text(value) and value in LAYOUTS, "long, presence, basket or None (a matrix)"),
    "header": _SWITCH,
    "index": _SWITCH,
    "ones": _CODES,
    "zeros": _CODES,
    "missing": _CODES,
    "counts": _SWITCH,
    "above": Rule(_is_threshold, "a number of at least 0: a value above it is a one"),
    "categories": Rule(_are_categories, f"a list of 2 to {MOST} texts, as they are in the file, from the lowest on"),
    "groups": _COLUMN,
    "ignore": Rule(_are_names, "a list of names of columns"),
    "row": _COLUMN,
    "column": _COLUMN,
    "value": _COLUMN,
    "absent": Rule(lambda value: _is_text(value) and value in ABSENT, "zeros, missing or None (by the values)"),
    "name": Rule(_is_text, "the name of an object or a sheet in the file"),
    "diagonal": Rule(lambda value: isinstance(value, bool), "True or False (that of a network is missing)"),
    "undirected": Rule(lambda value: isinstance(value, bool), "True or False (each tie is of both directions)"),
    "encoding": Rule(is_encoding, "an encoding that Python knows, such as utf-8, cp1252, latin-1 or utf-16"),
}


# In which layouts an argument has a meaning, None for a matrix; those that are not here have one in all.
LAYOUTS_BY_ARGUMENT = {
    **dict.fromkeys(("row", "column"), (*ROLES, BASKET)),
    "groups": (None, *ROLES),
    **dict.fromkeys(("value", "absent"), ("long",)),
    "index": (None, BASKET),
    "ignore": (None,),
    **dict.fromkeys(("ones", "zeros", "missing", "counts", "above", "categories"), (None, "long")),
}


class Conflict(NamedTuple):
    """Arguments that may not be given together.

    keys : tuple of str, the arguments that are refused
    is_met : function of all that is given, a dict: whether they are
    words : what is said after the argument and its value; of a Setting with the value Ellipsis the given one
    """

    keys: tuple[str, ...]
    is_met: Callable[[Mapping[str, Any]], Any]
    words: tuple[str | Setting, ...]


INDEX = Message(Setting("index", True), " reads names of rows in the first field")
# In the order in which they are told.
CONFLICTS = (
    Conflict(
        ("groups", "ignore", "row", "column", "value"),
        lambda given: given.get("header") is False,
        (": ", Setting("header", ...), " leaves no column a name"),
    ),
    Conflict(("ones",), lambda given: given.get("counts") or "above" in given, (": has no meaning for counts",)),
    Conflict(
        ("ones", "zeros", "counts", "above"),
        lambda given: "categories" in given,
        (": has no meaning with ", Setting("categories")),
    ),
    Conflict(
        ("absent",),
        lambda given: given["absent"] == "zeros" and "categories" in given,
        (": has no meaning with ", Setting("categories")),
    ),
    Conflict(
        ("row",),
        lambda given: given.get("layout") == BASKET and "column" not in given,
        (": has no meaning with ", Setting("layout", BASKET), " without ", Setting("column"), " of lists; ", INDEX),
    ),
    Conflict(
        ("index",),
        lambda given: given.get("layout") == BASKET and "column" in given,
        (
            ": has no meaning with ",
            Setting("column", ...),
            "; ",
            Setting("row"),
            " names the column with names of rows",
        ),
    ),
    Conflict(("counts",), lambda given: "above" in given, (": ", Setting("above", ...), " makes counts binary")),
    Conflict(
        ("groups",),
        lambda given: given["transpose"],
        (": ", Setting("transpose", ...), " would make them groups of columns; a matrix has groups of rows"),
    ),
)


def check(arguments: dict[str, Any], transpose: Any = False) -> None:
    """Raise ConfigError if `nbmf.read` does not take these keyword arguments, or not together.

    Parameters
    ----------
    arguments : dict
        Keyword arguments of `nbmf.read`, without `transpose` and `log`; None is as good as none.
    transpose : bool
        That argument.
    """
    if not isinstance(transpose, bool):
        raise not_allowed("transpose", transpose, "True or False")
    _check_each(arguments)
    given = {key: value for key, value in arguments.items() if value is not None}
    _check_layout(given)
    _check_conflicts(given | {"transpose": transpose})
    if "categories" in given:
        CategoryCoding(given["categories"], given.get("missing"))
    Coding(*(given.get(kind) for kind in ("ones", "zeros", "missing")))


def _check_each(arguments: Mapping[str, Any]) -> None:
    for key, value in arguments.items():
        if key not in RULES:
            raise ConfigError(f"unknown key {key!r}; {choices(key, RULES)}")
        if value is not None and not RULES[key].holds(value):
            raise not_allowed(key, value, RULES[key].allowed)


def _check_layout(given: Mapping[str, Any]) -> None:
    layout = given.get("layout")
    for key, layouts in LAYOUTS_BY_ARGUMENT.items():
        if key in given and layout not in layouts:
            raise ConfigError(Setting(key, given[key]), ": has no meaning with ", Setting("layout", layout))


def _check_conflicts(given: Mapping[str, Any]) -> None:
    for keys, is_met, words in CONFLICTS:
        for key in keys:
            if key in given and is_met(given):
                raise ConfigError(Setting(key, given[key]), *(_fill_in_value(part, given) for part in words))


def _fill_in_value(part: str | Setting, given: Mapping[str, Any]) -> str | Setting:
    """Return a part of a message, an argument with the value that was given if its value is to be shown."""
    is_open = isinstance(part, Setting) and part.value is ...
    return Setting(part.name, given[part.name]) if is_open else part
