"""By which number a cell of a table is sorted in a page."""

import re

NUMBER = re.compile(r"^(<|>|under |over )?\s*([-−+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?)(?:\s*%)?(?![\w.])")
BEYOND = 1e-9  # of a number, by which "<1%" is below 1%


def sort_key(text: str) -> float | None:
    """Return the number that a text begins with, None if it begins with none: of "58% [40%, 70%]" it is 58."""
    if not (match := NUMBER.match(text.strip())):
        return None
    sign, digits = match.groups()
    number = float(digits.replace("−", "-").replace(",", ""))
    shift = BEYOND * max(abs(number), 1.0)
    return number + {"<": -shift, "under ": -shift, ">": shift, "over ": shift}.get(sign, 0.0)
