"""Held-out masks: seeded by what they are for, never over missing entries, intact on disk."""

import numpy as np
import pandas as pd
import pytest

from nbmf.data.count_matrix import CountMatrix
from nbmf.data.feature_table import FeatureTable
from nbmf.data.masks import draw_mask, fold_mask, held_out_together, load_mask, save_mask, training_codes
from nbmf.data.matrix import BinaryMatrix
from nbmf.data.table_parts import without_held_out
from nbmf.errors import ConfigError, DataError
from nbmf.seeds import seed_sequence


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(1)
    codes = (rng.random((150, 120)) < 0.3).astype(np.int8)
    codes[rng.random(codes.shape) < 0.4] = -1
    return BinaryMatrix.from_array(codes)


def seed(dataset="animals", mask=0):
    return seed_sequence("mask", dataset, mask)


def test_the_same_key_gives_the_same_mask(matrix):
    np.testing.assert_array_equal(draw_mask(matrix, 0.25, seed()), draw_mask(matrix, 0.25, seed()))


@pytest.mark.parametrize("other", [seed(mask=1), seed(dataset="lastfm")], ids=["mask", "dataset"])
def test_another_key_gives_an_independent_mask(matrix, other):
    one, two = draw_mask(matrix, 0.25, seed()), draw_mask(matrix, 0.25, other)
    both = (one & two)[matrix.observed].mean()
    assert both == pytest.approx(0.25**2, abs=0.02)


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5])
def test_the_fraction_is_near_the_probability(matrix, probability):
    mask = draw_mask(matrix, probability, seed())
    T = np.count_nonzero(matrix.observed)
    deviation = (mask.sum() - T * probability) / np.sqrt(T * probability * (1 - probability))
    assert abs(deviation) < 4


def test_missing_entries_are_never_held_out(matrix):
    mask = draw_mask(matrix, 0.99, seed())
    assert mask.dtype == bool
    assert not (mask & ~matrix.observed).any()


@pytest.mark.parametrize("given", [np.asarray, pd.DataFrame], ids=["array", "frame"])
def test_a_mask_has_the_shape_of_data_with_empty_rows_and_columns(matrix, given, recwarn):
    values = np.insert(np.insert(matrix.codes[:60, :40].astype(float), 7, np.nan, axis=0), 3, np.nan, axis=1)
    values[values == -1] = np.nan
    mask = draw_mask(given(values), 0.25, seed())
    assert mask.shape == (61, 41)
    assert not mask[7].any()
    assert not mask[:, 3].any()
    assert not recwarn.list
    without = draw_mask(BinaryMatrix.from_array(matrix.codes[:60, :40]), 0.25, seed())
    np.testing.assert_array_equal(np.delete(np.delete(mask, 7, axis=0), 3, axis=1), without)


def test_training_codes_hide_what_is_held_out_and_nothing_else(matrix):
    mask = draw_mask(matrix, 0.25, seed())
    codes = training_codes(matrix, mask)
    assert codes.dtype == np.int8
    assert (codes[mask] == -1).all()
    np.testing.assert_array_equal(codes[~mask], matrix.codes[~mask])


def network():
    """Return a symmetric matrix with missing entries, of which one has an observed mirror image."""
    rng = np.random.default_rng(2)
    codes = np.triu((rng.random((60, 60)) < 0.3).astype(np.int8))
    codes[rng.random(codes.shape) < 0.1] = -1
    codes = np.triu(codes) + np.triu(codes, k=1).T
    codes[3, 5], codes[5, 3] = -1, 1
    names = [f"dolphin {f}" for f in range(60)]
    return BinaryMatrix.from_array(codes, names, names)


def test_pairs_are_held_out_together_and_the_diagonal_never():
    matrix = network()
    by_entry, mask = (draw_mask(matrix, 0.25, seed(), held_out) for held_out in ("entries", "pairs"))
    both = matrix.observed & matrix.observed.T
    np.testing.assert_array_equal((mask & both), (mask & both).T)
    assert not mask.diagonal().any()
    assert not (mask & ~matrix.observed).any()
    above = np.triu(np.ones(mask.shape, bool), k=1)
    np.testing.assert_array_equal(mask[above], by_entry[above])  # half of the draws decide
    pairs = np.count_nonzero(np.triu(matrix.observed, k=1))
    deviation = np.count_nonzero(mask & above) - 0.25 * pairs
    assert abs(deviation) < 4 * np.sqrt(pairs * 0.25 * 0.75)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda codes, names: (codes[:, :-1], names, names[:-1]), "this one is 60 x 59"),
        (
            lambda codes, names: (np.where(np.tri(60, k=-1) > 0, 1 - codes**2, codes), names, names),
            "row 'dolphin 0', column 'dolphin 1' differs from row 'dolphin 1', column 'dolphin 0'",
        ),
    ],
)
def test_pairs_of_another_matrix_are_refused(change, words):
    matrix = network()
    changed = BinaryMatrix.from_array(*change(matrix.codes, matrix.row_names))
    with pytest.raises(DataError, match=words):
        draw_mask(changed, 0.25, seed(), "pairs")


def answers():
    """Return six items, of which the first three are answers to one question, and some values are missing."""
    rng = np.random.default_rng(4)
    codes = (rng.random((80, 6)) < 0.4).astype(np.int8)
    codes[:, :3] = np.eye(3, dtype=np.int8)[rng.integers(3, size=80)]
    codes[:9, :3], codes[9, 0], codes[20:25, 5] = -1, -1, -1
    return BinaryMatrix.from_array(codes)


def test_answers_to_one_question_are_held_out_together_and_others_as_entries():
    matrix = answers()
    by_entry, mask = (draw_mask(matrix, 0.25, seed(), held_out) for held_out in ("entries", "questions"))
    asked, known = mask[:, :3], matrix.observed[:, :3]
    assert 0 < asked.sum() < known.sum()
    np.testing.assert_array_equal(asked, asked.any(axis=1, keepdims=True) & known)
    np.testing.assert_array_equal(mask[:, 3:], by_entry[:, 3:])
    np.testing.assert_array_equal(mask[10:, 0], by_entry[10:, 0])  # the draw of the first answer decides


def test_questions_are_of_binary_matrices():
    with pytest.raises(DataError, match="held_out = 'questions' is for a BinaryMatrix; given: a CountMatrix"):
        draw_mask(CountMatrix.from_array(np.ones((9, 9))), 0.25, seed(), "questions")


def test_what_gives_an_entry_away_is_held_out_with_it(matrix):
    assert held_out_together(network()) == "pairs"  # of which one entry is missing whose mirror image is known
    assert held_out_together(BinaryMatrix.from_array(network().codes)) == "pairs"  # whose names are of rows and columns
    assert held_out_together(BinaryMatrix.from_array(np.triu(network().codes))) == "entries"
    assert held_out_together(answers()) == "questions"
    assert held_out_together(matrix) == "entries"
    assert held_out_together(CountMatrix.from_array(answers().codes)) == "entries"


def test_draws_of_entries_are_those_of_every_run_so_far():
    matrix = BinaryMatrix.from_array(np.ones((4, 5), np.int8))
    draws = np.random.default_rng(seed_sequence("mask", "animals", 0)).random((4, 5))
    np.testing.assert_array_equal(draw_mask(matrix, 0.25, seed()), draws < 0.25)


@pytest.mark.parametrize(("probability", "count"), [(1e-9, 0), (1 - 1e-9, 20)])
def test_a_mask_of_nothing_or_everything_is_refused(probability, count):
    with pytest.raises(DataError, match=f"holds out {count} of 20 observed entries; the matrix is too small"):
        draw_mask(np.ones((4, 5)), probability, seed())


@pytest.mark.parametrize("probability", [0, 1.0, 2, -0.1, np.nan, "0.5", None])
def test_a_probability_is_above_0_and_below_1(matrix, probability):
    with pytest.raises(ConfigError, match=f"probability = {probability!r}: must be a number above 0 and below 1"):
        draw_mask(matrix, probability, seed())


@pytest.mark.parametrize("wrong", [-1, 2.5, "3"])
def test_a_seed_is_an_integer_of_at_least_0_or_a_seed_sequence(matrix, wrong):
    with pytest.raises(ConfigError, match=f"seed = {wrong!r}: must be an integer of at least 0 or a numpy SeedSeq"):
        draw_mask(matrix, 0.25, wrong)


def test_what_can_be_held_out_is_said(matrix):
    with pytest.raises(ConfigError, match="held_out = 'rows': must be one of entries, pairs, questions"):
        draw_mask(matrix, 0.25, seed(), "rows")
    with pytest.raises(ConfigError, match="held_out = 'pairs': must be one of entries, rows"):
        fold_mask(matrix, 0, 4, seed(), "pairs")


def test_what_is_given_as_an_array_is_binary(matrix):
    expected = draw_mask(matrix, 0.25, seed())
    for given in (matrix.codes, matrix.codes.tolist(), pd.DataFrame(np.where(matrix.observed, matrix.codes, np.nan))):
        np.testing.assert_array_equal(draw_mask(given, 0.25, seed()), expected)
    with pytest.raises(DataError, match="the value is 2"):
        draw_mask([[2, 1], [0, 1]], 0.25, seed())


@pytest.fixture
def saved(matrix, tmp_path):
    save_mask(tmp_path / "mask.npz", draw_mask(matrix, 0.25, seed()))
    return tmp_path / "mask.npz"


def test_a_saved_mask_comes_back_with_the_same_bytes(matrix, saved, tmp_path):
    loaded = load_mask(saved, matrix)
    np.testing.assert_array_equal(loaded, draw_mask(matrix, 0.25, seed()))
    save_mask(tmp_path / "again.npz", loaded)
    assert saved.read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_the_mask_of_another_matrix_is_refused(matrix, saved):
    with pytest.raises(DataError, match=r"mask\.npz: a mask of shape \(150, 120\) .*\(120, 150\)"):
        load_mask(saved, matrix.T)


def test_a_mask_over_missing_entries_is_refused(matrix, saved):
    save_mask(saved, ~matrix.observed)
    with pytest.raises(DataError, match=r"mask\.npz: .*missing in the data"):
        load_mask(saved, matrix)


def test_every_truncation_is_noticed(matrix, saved):
    content = saved.read_bytes()
    for length in range(0, len(content), 97):
        saved.write_bytes(content[:length])
        with pytest.raises(DataError, match=r"mask\.npz: not a complete mask file"):
            load_mask(saved, matrix)


def test_changed_bytes_are_noticed_or_harmless(matrix, saved):
    content, mask = saved.read_bytes(), load_mask(saved, matrix)
    for place in range(0, len(content), 13):
        saved.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        found = mask_or_complaint(saved, matrix)
        assert str(saved) in found if isinstance(found, str) else (found == mask).all()


def mask_or_complaint(path, matrix):
    try:
        return load_mask(path, matrix)
    except DataError as error:
        return str(error)


@pytest.mark.parametrize(
    "write",
    [
        lambda file: np.save(file, np.ones(3)),
        lambda file: np.savez(file, bits=np.ones(3)),
        lambda file: np.savez(file, bits=np.ones(2250), shape=[150, 120]),
        lambda file: np.savez(file, bits=np.ones(2250, dtype=np.uint8), shape=18000),
    ],
    ids=["one array", "no shape", "bits are not bytes", "shape is one number"],
)
def test_other_files_are_refused_by_name(write, matrix, saved):
    with open(saved, "wb") as file:
        write(file)
    with pytest.raises(DataError, match=r"mask\.npz"):
        load_mask(saved, matrix)


# --- Folds -----------------------------------------------------------------------------------


def table_of(rows=23):
    """Return a table with missing cells, of which the first row has none."""
    values = np.random.default_rng(3).normal(size=(rows, 4))
    values[np.random.default_rng(4).random(values.shape) < 0.3] = np.nan
    values[0] = np.nan
    return FeatureTable.from_array(values)


@pytest.mark.parametrize("held_out", ["rows", "entries"])
def test_folds_are_a_partition_of_what_is_dealt(held_out):
    table = table_of()
    masks = [fold_mask(table, number, 10, seed(), held_out) for number in range(10)]
    whole = np.ones(23) if held_out == "rows" else table.observed
    np.testing.assert_array_equal(np.sum(masks, axis=0), whole)  # each once, and nothing that is missing
    assert np.ptp([mask.sum() for mask in masks]) <= 1
    again = fold_mask(table, 3, 10, seed(), held_out)
    np.testing.assert_array_equal(again, masks[3])
    assert not np.array_equal(fold_mask(table, 3, 10, seed(mask=1), held_out), masks[3])


def test_entries_are_dealt_in_the_order_of_cells():
    """So a table of features is dealt as its cells are."""
    table = table_of()
    order = np.random.default_rng(seed()).permutation(table.cells.size)
    mask = fold_mask(table, 1, 4, seed())
    held_out = np.flatnonzero(mask[table.row_of_cell(), table.columns])
    np.testing.assert_array_equal(held_out, np.sort(order[1::4]))


def test_folds_that_cannot_be_are_named():
    with pytest.raises(ConfigError, match="mask 4 of 4 folds: must be 0 to 3"):
        fold_mask(table_of(), 4, 4, seed())
    with pytest.raises(DataError, match="3 rows of the matrix are dealt into 4 folds"):
        fold_mask(table_of(3), 0, 4, seed(), "rows")


def test_a_mask_of_rows_is_kept_on_disk(tmp_path, matrix):
    mask = fold_mask(matrix, 2, 7, seed(), "rows")
    save_mask(tmp_path / "mask.npz", mask)
    loaded = load_mask(tmp_path / "mask.npz", matrix)
    assert loaded.dtype == bool
    np.testing.assert_array_equal(loaded, mask)
    with pytest.raises(DataError, match=r"a mask of shape \(150,\) for a matrix of shape \(120, 150\)"):
        load_mask(tmp_path / "mask.npz", matrix.T)


def test_a_table_is_left_without_its_held_out_rows_or_entries():
    table = table_of()
    rows, entries = (fold_mask(table, 0, 3, seed(), held_out) for held_out in ("rows", "entries"))
    np.testing.assert_array_equal(without_held_out(table, rows).values(), table.values()[~rows])
    left = np.where(entries, np.nan, table.values())
    np.testing.assert_array_equal(without_held_out(table, entries).values(), left)
    documents = FeatureTable.from_documents([[2, 0], [0, 1]])
    with pytest.raises(DataError, match="entries of documents are held out"):
        without_held_out(documents, np.eye(2, dtype=bool))
