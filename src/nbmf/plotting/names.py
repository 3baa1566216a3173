"""Names that are not too long for a picture."""

from collections import Counter
from collections.abc import Iterable

LONGEST = 30  # characters
NO_NAME = "(none)"  # of rows without a group, as in the report
LABEL = ": "  # between the name of a variable and its label, as SPSS and Stata files have them


def shortened(names: Iterable[object], longest: int = LONGEST) -> list[str]:
    """Return names of at most so many characters.

    Of a variable with a long label its name remains, where no other begins alike. Of others both ends remain: what
    distinguishes similar ones is often at the end. Line breaks and tabs are spaces, as they would run into other names.
    """
    texts = [" ".join(str(name).split()) or NO_NAME for name in names]
    variables = Counter(text.partition(LABEL)[0] for text in texts)
    return [_shortened(text, longest, variables) for text in texts]


def _shortened(text: str, longest: int, variables: Counter) -> str:
    if len(text) <= longest:
        return text
    variable, separator, _ = text.partition(LABEL)
    if separator and variables[variable] == 1 and 0 < len(variable) <= longest:
        return variable
    tail = longest // 3
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"
