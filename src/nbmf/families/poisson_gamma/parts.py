"""How rows with many entries above zero are divided: each part has sums of its own over the columns."""

MANY = 2**18  # entries above zero from which on rows are divided into parts, one for a thread
MANY_DRAWN = 2**20  # the same of a chain, which has a random stream in each part
PER_COLUMN = 16  # entries of a part per column at least: it has sums of its own for each column
PARTS = 8  # at most


def number_of_parts(entries: int, columns: int, many: int) -> int:
    """Return into how many parts so many entries above zero are divided: below `many` into one."""
    return min(max(entries // (PER_COLUMN * columns), 1), PARTS) if entries >= many else 1
