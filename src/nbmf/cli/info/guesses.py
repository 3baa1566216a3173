"""The table of guesses of what the values of columns mean that are no zeros and ones as they stand."""

from collections.abc import Callable, Iterator
from itertools import chain

from nbmf.cli.info import number_guesses, word_guesses
from nbmf.cli.info.column import PART, Column, Guess

# Functions from columns to guesses; of two guesses that equally many columns fit the first is the better one.
GUESSES: tuple[Callable[[list[Column]], Iterator[Guess]], ...] = (
    number_guesses.guess_vote_codes,
    number_guesses.guess_marks,
    word_guesses.guess_zeros_and_ones,
    word_guesses.guess_scales,
    word_guesses.guess_pairs,
    word_guesses.guess_crosses,
    word_guesses.guess_known_words,
    word_guesses.guess_classes,
    number_guesses.guess_ratings,
)
# After those, if too few columns fit them.
ROUNDS = (GUESSES, (number_guesses.guess_counts,), (number_guesses.guess_amounts,))


def best_guess(columns: list[Column]) -> tuple[Guess, list[Column]] | None:
    """Return the guess that most columns fit, and these; None if too few fit any."""
    for functions in ROUNDS:
        guesses = chain.from_iterable(function(columns) for function in functions)
        candidates = [(guess, list(filter(guess.fits, columns))) for guess in guesses]
        guess, fitting = max(candidates, key=lambda candidate: len(candidate[1]), default=(None, []))
        if len(fitting) >= max(2, PART * len(columns)):
            return guess, fitting
    return None


def first_guess(column: Column) -> Guess | None:
    """Return the first guess that a column alone fits."""
    guesses = chain.from_iterable(function([column]) for function in GUESSES)
    return next((guess for guess in guesses if guess.fits(column)), None)
