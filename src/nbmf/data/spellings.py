"""The texts that stand for a value in a list of codes: 1 and 1.0 for the number, True and TRUE for the truth value."""

import enum
from collections.abc import Iterable
from typing import Any

import numpy as np

# YAML reads these texts as other things, so that a configuration's [yes] arrives as [True].
YAML_WORDS = {
    True: ("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"),
    False: ("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"),
    None: ("", "null", "Null", "NULL", "~"),
}


class Truth(enum.Enum):
    """A truth value as the key of a dictionary, in which True and 1 are the same."""

    TRUE = True
    FALSE = False

    @classmethod
    def key_of(cls, value: Any) -> Any:
        """Return the key for a value of any type."""
        return cls(value) if isinstance(value, bool | np.bool_) else value


def spellings(value: Any) -> tuple[str, ...]:
    """Return the texts that stand for a value in a list of codes."""
    if isinstance(value, bytes):
        return (value.decode("utf-8", errors="replace"),)
    if isinstance(value, bool | np.bool_ | Truth):
        value = value.value if isinstance(value, Truth) else value
        return ("True", "TRUE", "true") if value else ("False", "FALSE", "false")
    if isinstance(value, int | np.integer):
        return (str(int(value)), f"{int(value)}.0")
    if isinstance(value, float | np.floating):
        value = float(value)
        return (str(int(value)), repr(value)) if value.is_integer() else (repr(value),)
    return (str(value),)


def spellings_of_given(item: Any) -> Iterable[str]:
    """Return the texts that a value in a list of codes stands for."""
    if item is None or isinstance(item, bool):
        return YAML_WORDS[item]
    return map(str.strip, spellings(item))
