"""What is held out of votes and answers: entries at random, or the last session."""

from typing import Any

import numpy as np

from nbmf.data.category_matrix import CategoryMatrix
from nbmf.data.masks import draw_mask
from nbmf.fit_key import mask_stream
from nbmf.seeds import seed_sequence
from nbmf_studies.votes_as_cast.sessions import column_years

PROBABILITY = 0.25  # of an entry to be held out, as in the main paper
SEEN = 0.0, 0.2  # of the votes of the last session, by the number of the mask


def hold_out_entries(matrix: CategoryMatrix, number: int, **options: Any) -> np.ndarray:
    """Draw held-out entries: of all sessions those of mask `number` of the main paper's data set unvotes.

    They do not depend on the categories, so that models of two and of three are scored on the same entries.
    """
    return draw_mask(matrix, PROBABILITY, seed_sequence(*mask_stream("unvotes", number)))


def hold_out_answers(matrix: CategoryMatrix, number: int, **options: Any) -> np.ndarray:
    """Draw held-out answers: of mask `number` of msq_moods in the trials, whatever the categories."""
    return draw_mask(matrix, PROBABILITY, seed_sequence(*mask_stream("msq_moods", number)))


def hold_out_session(matrix: CategoryMatrix, number: int, *, last: int, **options: Any) -> np.ndarray:
    """Hold out each vote of the session that opened in `last`, unless a draw with probability SEEN[number] shows it."""
    rng = np.random.default_rng(seed_sequence("votes_as_cast", "seen", last, number))
    is_hidden = rng.random(matrix.shape) >= SEEN[number]
    return matrix.observed & (column_years(matrix) == last) & is_hidden
