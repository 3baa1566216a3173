"""Words that the reports of several commands share, and until readers say Setting their messages."""

import re


def _each(option: str, texts: str) -> str:
    """Return the option before each of some texts: 'a', 'b' to --ignore 'a' --ignore 'b'."""
    return " ".join(f"{option} {text}" for text in texts.split(", "))


# How counts are scored, by the likelihood.
WORDS_OF_LAWS = {
    "poisson": "scored by the Poisson law of the mean predicted",
    "negative-binomial": "scored by the negative binomial law predicted",
}
# From a form of Python to the option. What is not listed is said as it is.
FORMS = (
    (r"\b(ones|zeros)=\[\.\.\.\]", r"--\1 TEXT"),
    (r"\bignore=\[('[^']*'(?:, '[^']*')+)\]", lambda found: _each("--ignore", found[1])),
    (r"\bkinds=\{'([^']*)': '(\w+)'\}", r"--kind '\1=\2'"),
    (r"\bmissing=\[\.\.\.\]", "--missing TEXT"),
    (r"\blong ?= ?(True\b|\[[^]]*\])", "--layout long"),
    (r"\b(labels|text|words) ?= ?('[^']*')", r"--\1 \2"),
    (r"\bcounts=True\b", "--counts"),
    (r"\babove=(\d+)\b", r"--above \1"),
    (r"\babsent='zeros'", "--absent zeros"),
    (r"\bcounts = True\b", "--counts"),
    (r"\bcounts = False\b", "--no-counts"),
    (r"\babove = ", "--above "),
    (r"\b(missing|groups|ignore)=\[?('[^']*'|\"[^\"]*\")\]?", r"--\1 \2"),
    (r"\b(header|index)=False\b", r"--no-\1"),
    (r"\b(header|index) = False\b", r"--no-\1"),
    (r"\b(header|index) = True\b", r"--\1"),
    (r"\btranspose = True\b", "--transpose"),
    (r"\blayout = None\b", "a matrix"),
    (r"\b(layout|groups|row|column|value|absent|name) = ('[^']*')", r"--\1 \2"),
    (r"\b(ones|zeros|ignore) = \['([^']*)'\]", r"--\1 \2"),
)


def in_options(message: str) -> str:
    """Return a message with options in the place of Python's arguments."""
    for form, option in FORMS:
        message = re.sub(form, option, message)
    return message
