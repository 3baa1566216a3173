"""An option of the command line: one declaration for argparse, messages and printed commands."""

import argparse
import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

from nbmf.errors import NO_VALUE, Setting, not_allowed


class Extend(argparse.Action):
    """Takes the values from every place where an option is typed, in place of its default."""

    def __call__(self, parser, namespace, values, option_string=None):
        """Add them to those that were typed before."""
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*(() if before is self.default else before), *values])


SEVERAL = {"nargs": "+", "action": Extend}


class Option:
    """An option, or the file of a command.

    Parameters
    ----------
    name : str
        "--components", or "file".
    help : str
    python : str
        What functions of Python call it, names after each other, where it is not what it is called
        here: messages about these arguments name the option.
    least : int or float, optional
        The smallest number that is allowed.
    repeat : bool, optional
        Whether a printed command has it; if not given where it is not at its default.
    **keywords
        Of argparse's `add_argument`.
    """

    def __init__(
        self,
        name: str,
        help: str,
        *,
        python: str = "",
        least: float | None = None,
        repeat: bool | None = None,
        **keywords,
    ):
        self.name, self.least, self.repeat = name, least, repeat
        self.keywords = {"help": help, **keywords}
        self.attribute = keywords.get("dest", name.removeprefix("--").replace("-", "_"))
        self.python = python.split() or [self.attribute]

    @property
    def is_file(self) -> bool:
        """Whether it is typed by its place, and not after a name."""
        return not self.name.startswith("--")

    @property
    def default(self) -> Any:
        """The value of an option that is not typed."""
        return self.keywords.get("default", False if self.keywords.get("action") == "store_true" else None)

    def words(self, value: Any = NO_VALUE) -> list[str]:
        """Return what is typed for a value; for Ellipsis, alone or in a list, as the help has it."""
        choices, action = self.keywords.get("choices", ()), self.keywords.get("action")
        if value is NO_VALUE:
            return [self.name]
        if action is argparse.BooleanOptionalAction or action == "store_true":
            return [self.name if value else f"--no-{self.attribute}"]
        if len(choices) == 1:
            return [self.name, *choices]
        values = list(value.items()) if isinstance(value, dict) else value
        texts = [self._text(each) for each in (values if isinstance(values, list) else [values])]
        parts = _runs(texts) if "nargs" in self.keywords else ([each] for each in texts)
        return [word for part in parts for word in self._name_and_texts(part)]

    def _name_and_texts(self, texts: list[str]) -> list[str]:
        """Return texts after the name, a single one that looks like an option joined to it."""
        return [f"{self.name}={texts[0]}"] if _is_like_option(texts[0]) else [self.name, *texts]

    def _text(self, value: Any) -> str:
        if value is Ellipsis:
            return self.keywords["metavar"]
        if isinstance(value, tuple):
            return "=".join(map(self._text, value))
        return str(value).lower() if isinstance(value, bool) else str(value)


def _runs(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts that are typed after an option together; those that look like options are alone."""
    for is_like_option, run in itertools.groupby(texts, _is_like_option):
        if is_like_option:
            yield from ([each] for each in run)
        else:
            yield [*run]


def _is_like_option(text: str) -> bool:
    """Whether argparse takes a word for an option, unless it is joined to its own: numbers below 0 are none."""
    return text.startswith("-") and text != "-" and not re.fullmatch(r"-\d+|-\d*\.\d+", text)


def file_word(path: str) -> str:
    """Return a path as a word of a command that is printed: one that begins with - is no option."""
    return f"./{path}" if path.startswith("-") else path


class Command(NamedTuple):
    """What the help of a command says, and its options, some of which say how its file is read."""

    words: str
    examples: str
    file: Option
    options: tuple[Option, ...]
    reading: tuple[Option, ...] = ()
    reading_help: str = "The reader detects what is not given, and reports it."

    @property
    def declared(self) -> tuple[Option, ...]:
        """The file and all options of the command."""
        return self.file, *self.reading, *self.options

    def format_setting(self, setting: Setting) -> str:
        """Return an argument that a message mentions as it is typed for this command."""
        option_of = {name: option for option in self.declared for name in option.python}
        value = setting.value
        if setting.name in option_of:
            option = option_of[setting.name]
        elif "settings" in option_of:  # --set, for what a method has
            option = option_of["settings"]
            value = [(setting.name, "..." if value is NO_VALUE else value)]
        else:
            return str(setting)
        return f"no {option.name}" if value is None else shlex.join(option.words(value))


class Options(argparse.Namespace):
    """The options that were typed; they cannot be changed."""

    def __init__(self, **given: Any):
        vars(self).update(given)

    def taken(self, *names: str) -> dict[str, Any]:
        """Return some of the options by name, as arguments of a function that calls them so."""
        return {name: getattr(self, name) for name in names}

    def but(self, **changed: Any) -> Self:
        """Return the same options with other values of some."""
        return type(self)(**vars(self) | changed)

    def __setattr__(self, name: str, value: Any):
        raise AttributeError(f"{name}: what was typed does not change")


def refuse_too_small(options: Options, declared: Sequence[Option]) -> None:
    """Raise ConfigError if a number is smaller than its option allows."""
    for option in declared:
        given = getattr(options, option.attribute)
        for value in given if isinstance(given, list) else [given]:
            if None not in (option.least, value) and not isinstance(value, str) and not value >= option.least:
                kind = "a number" if isinstance(value, float) else "an integer"
                raise not_allowed(option.python[0], value, f"{kind} of at least {option.least}")


def option_words(options: Options, declared: Sequence[Option]) -> Iterator[str]:
    """Yield what was typed, of some options, for a command that is printed."""
    for option in declared:
        value = getattr(options, option.attribute)
        if option.repeat or (option.repeat is None and value != option.default):
            yield from option.words(value)


def number(name: str, help: str, least: float = 1, **more: Any) -> Option:
    """Return an option for a number of at least `least`."""
    return Option(name, help, least=least, **{"type": int, "metavar": "N"} | more)


def text(name: str, help: str, metavar: str = "NAME", **more: Any) -> Option:
    """Return an option for a text."""
    return Option(name, help, metavar=metavar, **more)


def texts(name: str, help: str, metavar: str = "NAME", **more: Any) -> Option:
    """Return an option that may be given several times."""
    return Option(name, f"{help}; may be given several times", action="append", metavar=metavar, **more)


def switch(name: str, help: str, default: bool | None = None) -> Option:
    """Return an option that has an opposite: --name and --no-name."""
    return Option(name, help, action=argparse.BooleanOptionalAction, default=default)


def parse_threshold(given: str) -> int | float:
    """Return a number, as an integer if it is written like one."""
    try:
        return int(given) if given.lstrip("+-").isdigit() else float(given)
    except ValueError:
        hint = ": a decimal comma is written as a point" if "," in given else ""
        raise argparse.ArgumentTypeError(f"{given!r} is no number{hint}") from None


def parse_setting(given: str) -> tuple[str, bool | int | float | str]:
    """Return name and value of NAME=VALUE; a value is true, false or a number if it is read so."""
    name, equals, value = given.partition("=")
    if not (equals and name and value):
        raise argparse.ArgumentTypeError(f"{given!r} is not of the form NAME=VALUE")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


def parse_number_or_auto(given: str) -> int | str:
    """Return a number of components, or "auto"."""
    try:
        return given if given == "auto" else int(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is neither an integer nor auto") from None


def results(suffix: str, source: str = "FILE") -> tuple[Option, Option]:
    """Return the options about the folder of the results, next to a source."""
    default = f"{source}'s name with {suffix}, next to {source}"
    words = f"the folder for the results (default: {default}); with NAME.xlsx all tables become one"
    return text("--out", f"{words} workbook and the rest is in NAME{suffix}", "DIR", repeat=False), FORCE


# Several commands have these.
HEADER = switch("--header", "whether the first line holds names")
INDEX = switch("--index", "whether the first column holds names")
OBJECT = text("--name", "the sheet of a workbook, or the object in an R or NPZ file")
ENCODING = text("--encoding", "the encoding of a text file: utf-8, latin-1, utf-16, ...", "CODE")
SEED = number(
    "--seed",
    "the random seed: the same seed gives the same result (default: 0)",
    0,
    python="seed random_state",
    repeat=True,
    default=0,
    metavar="S",
)
FORCE = Option("--force", "overwrite files that nbmf did not write", repeat=False, action="store_true")
NAMES = text(
    "--names",
    "names for the components, or axes, in the order of the report; tables and nbmf predict use them",
    **SEVERAL,
)
HIGH = text(
    "--high",
    "a row at the high end of axis 1, another of axis 2, ...: a member whose side is known (default: ones are more "
    "probable there in the sum over the columns)",
    "ROW",
    **SEVERAL,
)
