"""Text for a person: as wide as a page."""

import textwrap

WIDTH = 100

# How counts are scored, by the likelihood.
WORDS_OF_LAWS = {
    "poisson": "scored by the Poisson law of the mean predicted",
    "negative-binomial": "scored by the negative binomial law predicted",
}


def wrapped(text: str, indent: str = "  ") -> str:
    """Return the text broken at blanks, with `indent` before every line but the first."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
