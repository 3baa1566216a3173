"""Consecutive rows that are a component of their own: faults of the file are found, orders of the file are none."""

import numpy as np
import pytest
from unwritten import signal_unwritten

import nbmf
from nbmf.posterior import row_blocks as row_blocks_module
from nbmf.posterior.components import components_of
from nbmf.posterior.row_blocks import row_blocks
from nbmf.reporting.fit_report import fit_facts
from nbmf.reporting.fit_result import ReportedFit

ROWS, COLUMNS, FIRST, LAST = 240, 24, 100, 119


def found_in(values, W, matrix=None):
    """Return the blocks of a fit whose components are the means of rows by their weights."""
    matrix = matrix or nbmf.BinaryMatrix.from_array(values)
    model = nbmf.BinaryICA(W.shape[1])
    model.W_, model.H_ = W, (W.T @ values + 1) / (W.sum(axis=0)[:, None] + 2)
    model._expectation, model.gamma_ = W @ model.H_, 1e-9
    model.n_iter_, model.converged_ = 1, None
    components = components_of(model, matrix)
    result = ReportedFit("drawn", matrix, model, components, model.expectation_, 0.0)
    return row_blocks(components, matrix), [line for line in fit_facts(result) if line.startswith("rows ")]


def drawn(seed=0, groups=3, is_ordered=False):
    """Return values of rows of groups in no order, or in that of the groups, and the groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, ROWS)
    group = np.sort(group) if is_ordered else group
    profiles = rng.choice([0.08, 0.92], (groups, COLUMNS))
    return (rng.random((ROWS, COLUMNS)) < profiles[group]).astype(int), group


def weights_of(group):
    return 0.04 / group.max() + np.eye(group.max() + 1)[group] * (0.96 - 0.04 / group.max())


@pytest.mark.parametrize("shift", [1, -1])
def test_rows_whose_columns_are_shifted_are_found_and_named(shift):
    values, group = drawn()
    values[FIRST : LAST + 1] = np.roll(values[FIRST : LAST + 1], shift, axis=1)
    group[FIRST : LAST + 1] = 3
    blocks, (said,) = found_in(values, weights_of(group))
    (block,) = blocks
    assert (block.first, block.last, block.shift) == (FIRST, LAST, shift)
    side = "left" if shift > 0 else "right"
    assert list(block.held) == [3]
    assert said == (
        "rows 101 to 120 of the matrix (row 100 to row 119) look like other rows once they are moved one column to the "
        f"{side}: their columns may be shifted (they make up 87% of component 4)"
    )


def test_rows_that_are_coded_the_other_way_round_are_named_without_a_shift():
    values, group = drawn(seed=1)
    values[FIRST : LAST + 1] = 1 - values[FIRST : LAST + 1]
    group[FIRST : LAST + 1] = 3
    blocks, (said,) = found_in(values, weights_of(group))
    assert [(block.first, block.last, block.shift) for block in blocks] == [(FIRST, LAST, 0)]
    assert said == (
        "rows 101 to 120 of the matrix (row 100 to row 119) make up 87% of component 4: if nothing is known to set "
        "them apart, look there for a fault of the file"
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_file_whose_groups_are_consecutive_has_no_faults(seed):
    assert found_in(*(lambda values, group: (values, weights_of(group)))(*drawn(seed, 6, is_ordered=True))) == ([], [])


@pytest.mark.parametrize("seed", range(5))
def test_groups_in_no_order_have_none_either(seed):
    values, group = drawn(seed)
    assert found_in(values, weights_of(group)) == ([], [])


@pytest.mark.parametrize("seed", [1012, 1056])
def test_rare_ones_of_alike_columns_are_no_shift(seed):
    """In neighbours that are as common as each other a run of rows looks moved by chance, once in 999 orders."""
    rng = np.random.default_rng(seed)
    p = np.full((250, 150), 0.02)
    p[:, :16] = np.where((np.arange(16) < 8) == (rng.integers(0, 2, 250) == 0)[:, None], 0.22, 0.02)
    rng.random(250)
    values = (rng.random(p.shape) < p).astype(int)
    values = values[values.any(axis=1)][:, values.any(axis=0)]
    assert row_blocks_module._shifted_runs(nbmf.BinaryMatrix.from_array(values)) == []


def test_missing_entries_are_no_values():
    values, group = drawn(seed=2)
    values[FIRST : LAST + 1] = np.roll(values[FIRST : LAST + 1], 1, axis=1)
    group[FIRST : LAST + 1] = 3
    holes = np.where(np.random.default_rng(0).random(values.shape) < 0.2, -1, values)
    blocks, _ = found_in(values, weights_of(group), nbmf.BinaryMatrix.from_array(holes))
    assert [(block.first, block.last, block.shift) for block in blocks] == [(FIRST, LAST, 1)]


def test_every_row_of_every_block_is_compared(monkeypatch):
    """The mean of the five largest cosines with rows that are far enough, row by row."""
    monkeypatch.setattr(row_blocks_module, "AT_ONCE", 4)
    signal_unwritten(monkeypatch)
    values = np.random.default_rng(1).integers(0, 2, (13, 6)).astype(float)
    centred = values - values.mean(axis=0)
    likeness, compared = row_blocks_module._Likeness(values, values.mean(axis=0)), np.arange(13)
    for count in (3, 4, 5, 8, 13):
        found = likeness.mean_cosines(np.arange(count), 0, compared, away=2)
        for row in range(count):
            far = [f for f in compared if abs(f - row) > 2]
            cosines = [
                centred[row] @ centred[f] / np.linalg.norm(centred[row]) / np.linalg.norm(centred[f]) for f in far
            ]
            assert found[row] == pytest.approx(np.mean(sorted(cosines)[-5:]))
