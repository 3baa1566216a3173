"""Errors a user can cause: each names the thing, what was given and what is allowed.

A message mentions an argument as a `Setting`, not as text, so that Python shows `missing = '?'` and
the command line shows `--missing '?'`: whoever shows a message decides how arguments are written.
"""

import contextlib
import difflib
import inspect
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, Self

NO_VALUE = inspect.Parameter.empty
MANY, LISTED = 70, 30  # names: with more than so many choices, so many of them are listed


class Setting(NamedTuple):
    """An argument that a message mentions.

    name : str, Python's name of the argument
    value : its value; Ellipsis, alone or in a list, for some value; NO_VALUE if only the name is meant
    """

    name: str
    value: Any = NO_VALUE

    def __str__(self) -> str:
        if self.value is NO_VALUE:
            return self.name
        return f"{self.name} = {self.value!r}".replace("Ellipsis", "...")


class Message(str):
    """A text in Python's words, which knows the arguments that it mentions.

    Parameters
    ----------
    *parts : str, Setting or NbmfError
        A Message or an error among them keeps its own parts.
    """

    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: Any) -> Self:
        """Make a message of its parts."""
        flat = tuple(_flat(parts))
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = flat
        return message

    def rendered(self, render: Callable[[Setting], str]) -> str:
        """Return the text with each argument as `render` writes it."""
        return "".join(render(part) if isinstance(part, Setting) else part for part in self.parts)


def _flat(parts: Collection[Any]) -> Iterator[str | Setting]:
    for part in parts:
        text = part.message if isinstance(part, NbmfError) else part
        if isinstance(text, Message):
            yield from text.parts
        else:
            yield text if isinstance(text, Setting) else str(text)


class NbmfError(Exception):
    """Base class of every error raised on purpose by this package.

    Parameters
    ----------
    *parts : str, Setting or NbmfError
        What is said, as in a Message.
    """

    def __init__(self, *parts: Any):
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """The message."""
        return self.args[0]

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        # Not by way of __init__, of which subclasses have their own: errors come back from other processes.
        return _restored, (type(self), self.args, vars(self))


def _restored(error: type[NbmfError], args: tuple[Any, ...], attributes: dict[str, Any]) -> NbmfError:
    made = error.__new__(error, *args)
    made.args = args
    vars(made).update(attributes)
    return made


class DataError(NbmfError, ValueError):
    """A data file, matrix or mask is not what it has to be."""


class NothingObservedError(DataError):
    """All values of a matrix are missing: nothing can be fitted to it, though its rows can be predicted.

    Attributes
    ----------
    values : the values, all missing, in the coding of the likelihood
    """

    def __init__(self, values: Any):
        rows, columns = values.shape
        super().__init__(f"none of the {rows * columns} entries of the matrix is observed")
        self.values = values


class ConfigError(NbmfError, ValueError):
    """A configuration entry or a parameter of a method has a value that is not allowed.

    Attributes
    ----------
    parameter, value, allowed
        Of an error of `not_allowed`: the argument's name, what was given, and what is allowed.
    """

    parameter: str | None = None
    value: Any = None
    allowed: str | Collection[str] | None = None


class DownloadError(NbmfError, OSError):
    """A raw file could not be obtained from any of its places."""


class NotFittedError(NbmfError, ValueError, AttributeError):
    """A method was asked for what only a fit learns."""


class UndeclaredError(NbmfError, AttributeError):
    """The class of a method lacks a declaration that every method has to make; the class has to be mended."""


class NotSupportedError(NbmfError, AttributeError):
    """A method was asked for what its model does not have; `hasattr` says no."""


class PoorFitWarning(UserWarning):
    """A fit has ended, but not well; where many are made to be scored, the scores say it."""


class NotConvergedWarning(PoorFitWarning):
    """A fit ran out of iterations before its stopping rule was met."""


class LeftOutWarning(UserWarning):
    """Rows or columns of a DataFrame or an array have no observed entry, and are not in the matrix made of it."""


class TooManyComponentsWarning(UserWarning):
    """More components are asked for than rows or columns can differ in."""


class CollapsedWarning(PoorFitWarning):
    """Components of a fit are the same, so that they describe nothing."""


class WorseThanOneComponentWarning(PoorFitWarning):
    """The objective of a fit is below that of a single component on the same data."""


class UnsuitableScaleWarning(PoorFitWarning):
    """Real values are so large or so small that a fit may take all of them for noise."""


class ConstantFeatureWarning(UserWarning):
    """A real feature does not vary, so that only a floor keeps its density finite."""


class UnknownGroupsWarning(UserWarning):
    """None of the groups that are named for new rows is one of the fit, so that all are taken for new groups."""


class ChainsNotConvergedWarning(UserWarning):
    """Chains do not agree well enough to be trusted; the message says what to do."""


@contextlib.contextmanager
def naming_file(path: Any, *others: type[Exception]) -> Iterator[None]:
    """Put a path in front of the message of a DataError, or of an error of other kinds, raised in the block."""
    try:
        yield
    except (DataError, *others) as error:
        raise DataError(f"{path}: ", error) from error


def not_allowed(name: str, value: Any, allowed: str | Collection[str]) -> ConfigError:
    """Return the error for a value of an argument; `allowed` are words for what is, or all of it."""
    words = ("must be ", allowed) if isinstance(allowed, str) else (must_be_one_of(value, allowed),)
    error = ConfigError(Setting(name, value), ": ", *words)
    error.parameter, error.value, error.allowed = name, value, allowed
    return error


def first_of(texts: Sequence[str], most: int) -> str:
    """Return the first of many texts, and how many others there are: "a, b and 3 more"."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def choices(given: str, allowed: Collection[str]) -> str:
    """Return a list of what is allowed instead of `given`, with the nearest; of very many, the nearest alone."""
    return f"allowed: {_list_choices(given, allowed)}"


def must_be_one_of(given: str, allowed: Collection[str]) -> str:
    """Return the list of `choices` as a rule for the value that is named before it."""
    return f"must be one of {_list_choices(given, allowed)}"


def did_you_mean(given: str, known: Collection[str]) -> str:
    """Return " (did you mean ...?)" with the nearest of the known names, "" if none is near."""
    near = difflib.get_close_matches(str(given), list(known), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _list_choices(given: str, allowed: Collection[str]) -> str:
    names = list(allowed)
    listed = names if len(names) <= MANY else difflib.get_close_matches(str(given), names, n=LISTED, cutoff=0.0)
    others = f" and {len(names) - len(listed)} others" if len(listed) < len(names) else ""
    return f"{', '.join(listed)}{others}{did_you_mean(given, names)}"


HeldBack = list[tuple[str, type[Warning]]]
_held_back: ContextVar[HeldBack | None] = ContextVar("held_back", default=None)  # each thread has its own


@contextlib.contextmanager
def hold_back_warnings() -> Iterator[HeldBack]:
    """Collect what `warn` is told in this thread, for the caller to say or to drop."""
    collected: HeldBack = []
    token = _held_back.set(collected)
    try:
        yield collected
    finally:
        _held_back.reset(token)


def warn(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line that called this package, however deep inside it the reason is found."""
    if (collected := _held_back.get()) is not None:
        collected.append((message, category))
        return
    frame, level, shown = sys._getframe(1), 2, 2
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
            shown = level + 1
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=shown)
