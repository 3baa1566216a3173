"""Masks that a study draws itself."""

import numpy as np

from nbmf.data.matrix import BinaryMatrix
from nbmf_studies.pipeline import mask_jobs

MATRIX = BinaryMatrix.from_array(np.eye(3, 4, dtype=np.int8))
ENTRY = {"held_out": f"{__name__}:column", "options": {"least": 1}}


def column(matrix, number, least):
    mask = np.zeros(matrix.shape, bool)
    mask[:, least + number] = True
    return mask


def test_a_function_draws_a_mask_of_matrix_number_and_options():
    mask = mask_jobs.draw(MATRIX, 2, ENTRY["held_out"], mask_jobs.options(ENTRY))
    assert mask.any(axis=0).tolist() == [False, False, False, True]
    assert mask_jobs.modules(ENTRY) == [__name__]


def test_masks_of_the_library_depend_on_no_option_of_the_dataset():
    for entry in ({"options": {"least": 1}}, {"held_out": "pairs", "options": {"least": 1}}):
        assert mask_jobs.modules(entry) == []
        assert mask_jobs.options(entry) == {}


def test_folds_share_a_random_stream_and_other_masks_have_their_own():
    assert mask_jobs.stream("votes", 7, {}) == ["mask", "votes", 7]
    assert mask_jobs.stream("votes", 7, {"folds": 10}) == ["folds", "votes"]
