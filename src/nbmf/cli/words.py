"""Messages of the package in the words of the command line.

Errors name Python's arguments, since most callers write Python; a person who typed a command is
told its options.
"""

import re


def _each(option: str, texts: str) -> str:
    """Return the option before each of some texts: 'a', 'b' to --ignore 'a' --ignore 'b'."""
    return " ".join(f"{option} {text}" for text in texts.split(", "))


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
    (r"\bignore = \['([^']*)'\]", r"--ignore \1"),
    (r"\bstart = '([\w-]+)'", r"--set start=\1"),
    (r"\b(block|column)_moves = True\b", r"--set \1_moves=true"),
    (r"\bn_components = ", "--components "),
    (r"\bn_components\b", "--components"),
    (r"\bn_draws = ", "--draws "),
    (r"\bmasks = ", "--masks "),
    (r"\bn_jobs = ", "--jobs "),
    (r"\b(max_iter|burn_in|n_samples|\w+_tol|alpha|beta|gamma|eta|max_memory_gb) = ", r"--set \1="),
    (r"\ba larger max_memory_gb\b", "a larger --set max_memory_gb="),
    (r"(--set \w+=\w+), (?=--set)", r"\1 "),  # as it is typed
)


def in_options(message: str) -> str:
    """Return a message with options in the place of Python's arguments."""
    for form, option in FORMS:
        message = re.sub(form, option, message)
    return message
