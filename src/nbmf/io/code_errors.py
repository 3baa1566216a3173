"""Errors about numbers that are codes: each knows the arguments that read them."""

from typing import Any

from nbmf.errors import DataError, Setting


class CodesError(DataError):
    """Says that numbers are codes, and which arguments read them.

    `readings` are all such arguments if there is a choice, each with words for what they do.

    Parameters
    ----------
    options : dict
        These arguments of `nbmf.read`.
    *parts : str or Setting
        What is said, as in a Message.
    """

    def __init__(self, options: dict[str, Any], *parts: Any):
        self.options, self.readings = options, [(options, "")]
        super().__init__(*parts)


def as_settings(arguments: dict[str, Any]) -> list[Any]:
    """Return arguments as parts of a message."""
    return [part for name, value in arguments.items() for part in (", ", Setting(name, value))][1:]
