"""What the cells of a column of a list are: counts, answers, times or numbers of lines."""

from nbmf.data.value_codes import number_of
from nbmf.io.answers import LATE
from nbmf.io.column_kinds import DATE

MOST_ANSWERS = 10  # different ones in the third column of a list


def are_numbers_of_lines(cells: list) -> bool:
    """Whether cells are whole numbers, each of which is there once."""
    return are_counts(cells) and len({number_of(cell) for cell in cells}) == len(cells)


def are_counts(cells: list) -> bool:
    """Whether cells are whole numbers from 0 on, or missing."""
    numbers = [number_of(cell) for cell in cells if cell is not None]
    return bool(numbers) and all(n is not None and n >= 0 and n.is_integer() for n in numbers)


def are_amounts(cells: list) -> bool:
    """Whether cells are numbers from 0 on, some of them with decimals, or missing."""
    numbers = [number_of(cell) for cell in cells if cell is not None]
    return None not in numbers and any(n % 1 for n in numbers) and min(numbers) >= 0


def are_answers(cells: list) -> bool:
    """Whether cells are few words, or missing."""
    return 1 < len({cell for cell in cells if cell is not None}) <= MOST_ANSWERS


def are_times(cells: list) -> bool:
    """Whether cells are dates, or large numbers of which most differ, as the seconds of a clock do."""
    if None in cells:
        return False
    numbers = [number_of(cell) for cell in cells]
    if None in numbers:
        return all(DATE.fullmatch(str(cell)) for cell in cells)
    return 2 * len(set(numbers)) >= len(numbers) and sorted(numbers)[len(numbers) // 2] >= LATE


def are_different_words(cells: list) -> bool:
    """Whether some cells are empty, and the others words of which none comes again, as genes of one genome have."""
    present = [cell for cell in cells if cell is not None]
    are_some = 1 < len(present) < len(cells)
    differ = are_some and len(set(present)) == len(present)
    return differ and all(number_of(cell) is None and len(str(cell).split()) == 1 for cell in present)
