"""Words that several reports share."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

# How counts are scored, by the name of the likelihood.
SCORED_BY = {
    "poisson": "scored by the Poisson distribution with the mean predicted",
    "negative-binomial": "scored by the negative binomial distribution predicted",
}

NUMBER = re.compile(r"[-+\d.,:/ ]*\d[-+\d.,:/ ]*%?")
SEPARATOR = re.compile("[,;]")  # of names in lists
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # Unicode's classes of what turns writing


def format_settings(settings: Mapping[str, Any]) -> str:
    """Return "name = value, ..." of the settings of a method; the seed is in the command."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items() if name != "random_state")


def join_with_and(texts: Iterable[str]) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    *first, last = list(texts) or [""]
    return f"{', '.join(first)} and {last}" if first else last


def quote_if_ambiguous(name: Any) -> str:
    """Return a name as it is written before its value: in quotes where it is a number too, or separates names."""
    text = str(name)
    return f"'{text}'" if NUMBER.fullmatch(text) or SEPARATOR.search(text) else text


def printable(text: str) -> str:
    """Return a text without characters that control a terminal or turn the direction of writing; lines stay.

    In a name such a character (an escape, U+202E) would change how all that comes after it is shown.
    """
    controls = {c for c in set(text) if unicodedata.category(c) == "Cc" or unicodedata.bidirectional(c) in TURNING}
    controls.discard("\n")
    return text.translate(dict.fromkeys(map(ord, controls))) if controls else text
