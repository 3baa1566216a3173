"""Passes over blocks of rows whose sums are added are the fit to the whole matrix, up to the rounding of sums."""

import errno

import numpy as np
import pytest
import scipy.sparse

import nbmf
from nbmf.errors import ConfigError, DataError
from nbmf.families.poisson_gamma import row_blocks

ROUNDS = 14  # priors are learned in the second half
RNG = np.random.default_rng(3)
RATES = RNG.gamma(0.4, 1.0, (60, 3)) @ RNG.gamma(0.4, 1.0, (3, 25))
COUNTS = RNG.poisson(RATES)
ENDS = [13, 20, 41]  # blocks of 13, 7, 21 and 19 rows
MISSING = RNG.random(COUNTS.shape) < 0.1
MISSING[:20] = False  # nothing is missing in the first two blocks


def sparse(values, missing):
    values = np.where(missing, np.nan, values.astype(float))
    return scipy.sparse.csr_array(values)


BINARY = sparse(COUNTS > 0, MISSING)
WITHOUT_MISSING = sparse(COUNTS > 0, False & MISSING)
COUNTED = sparse(COUNTS, MISSING)
LEARNING = {"tie_shape_W": "all", "tie_mean_W": "source"}
CASES = {
    "default": (nbmf.BernoulliPoissonVB, WITHOUT_MISSING, {}),
    "missing": (nbmf.BernoulliPoissonVB, BINARY, {}),
    "scales": (nbmf.BernoulliPoissonVB, BINARY, {"scales": "both", "shape_W": 1.0, "shape_H": 2.0}),
    "scales of columns": (nbmf.PoissonGammaVB, COUNTED, {"scales": "columns"}),
    "learned": (nbmf.PoissonGammaVB, COUNTED, LEARNING),
    "learned with scales": (nbmf.PoissonGammaVB, COUNTED, LEARNING | {"scales": "both", "shape_scales": 2.0}),
}


def blocks_of(V):
    return [V[first:end] for first, end in zip([0, *ENDS], [*ENDS, V.shape[0]], strict=True)]


def fit_in_blocks(model, V, rounds, bound_in=()):
    """Return the columns and blocks at the end, by the steps of a workflow."""
    parts = blocks_of(V)
    columns, blocks = row_blocks.begin(model, [row_blocks.count_block(model, part) for part in parts]), [None] * 4
    for round in range(rounds):
        done = [
            row_blocks.pass_block(model, part, columns, number, block, bound=round in bound_in)
            for number, (part, block) in enumerate(zip(parts, blocks, strict=True))
        ]
        blocks, sums = zip(*done, strict=True)
        columns = row_blocks.combine(model, columns, sums)
    return columns, blocks


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_blocks_end_where_one_fit_does(case):
    made, V, settings = CASES[case]
    model = made(3, **settings, max_iter=ROUNDS, relative_gain_tol=0, random_state=5)
    whole = made(**model.get_params()).fit(V)
    columns, blocks = fit_in_blocks(model, V, ROUNDS)
    fitted = [row_blocks.block_model(model, columns, number, block) for number, block in enumerate(blocks)]
    close = {"rtol": 1e-9, "atol": 1e-300}
    np.testing.assert_allclose(np.vstack([each.W_ for each in fitted]), whole.W_, **close)
    np.testing.assert_allclose(fitted[2].H_, whole.H_, **close)
    for name in ("shape_W_", "mean_W_", "shape_H_", "mean_H_", "geometric_H_"):
        np.testing.assert_allclose(getattr(fitted[0], name), getattr(whole, name), **close)
    if "W" in whole._scaled:
        np.testing.assert_allclose(np.concatenate([each.scales_W_ for each in fitted]), whole.scales_W_, **close)
    if whole._scaled:
        np.testing.assert_allclose(fitted[0].scales_H_, whole.scales_H_, **close)
        np.testing.assert_allclose(fitted[0].shape_of_scales_H_, whole.shape_of_scales_H_, **close)


def test_the_cases_learn_something():
    """Where nothing were learned of the rows' prior, a wrong sum over rows would not be seen."""
    for case in ("learned", "scales"):
        made, V, settings = CASES[case]
        model = made(3, **settings, max_iter=ROUNDS, relative_gain_tol=0, random_state=5)
        before, after = (fit_in_blocks(model, V, rounds)[0] for rounds in (ROUNDS // 2, ROUNDS))
        name = "shape of W" if case == "learned" else "shape of scales"
        assert not np.allclose(before[name], after[name], rtol=1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_bound_is_that_of_one_fit():
    made, V, settings = CASES["scales"]
    model = made(3, **settings, max_iter=8, relative_gain_tol=0, random_state=5)
    columns, blocks = fit_in_blocks(model, V, 9, bound_in=[8])  # that of before the ninth update
    whole = made(**model.get_params()).fit(V)
    assert float(columns["bound"]) == pytest.approx(whole.objective_, rel=1e-10)
    assert row_blocks.block_model(model, columns, 0, blocks[0]).objective_ == float(columns["bound"])
    assert "bound" not in fit_in_blocks(model, V, 2, bound_in=[0])[0]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_of_a_block_is_saved_and_predicts_its_rows(tmp_path):
    made, V, settings = CASES["missing"]
    model = made(3, **settings, max_iter=5, relative_gain_tol=0, random_state=5)
    whole = made(**model.get_params()).fit(V)
    columns, blocks = fit_in_blocks(model, V, 5)
    row_blocks.block_model(model, columns, 1, blocks[1]).save(tmp_path / "model.npz")
    loaded = nbmf.load(tmp_path / "model.npz")
    np.testing.assert_allclose(loaded.predict([0, 6], [3, 24]), whole.predict([13, 19], [3, 24]), rtol=1e-9)
    assert loaded.n_iter_ == 5


def test_arrays_are_kept_in_files_and_a_full_disk_loses_none(tmp_path, monkeypatch):
    model = nbmf.BernoulliPoissonVB(3, max_iter=5, random_state=5)
    parts = blocks_of(BINARY)
    columns = row_blocks.begin(model, [row_blocks.count_block(model, part) for part in parts])
    path = tmp_path / "columns.npz"
    row_blocks.write(path, columns)
    before = path.read_bytes()
    read = row_blocks.read(path)
    for kept, given in zip(
        row_blocks.pass_block(model, parts[1], read, 1), row_blocks.pass_block(model, parts[1], columns, 1), strict=True
    ):
        assert kept.keys() == given.keys()
        assert all(np.array_equal(kept[name], given[name]) for name in kept)

    def full(file, **arrays):
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*columns\.npz'"):
        row_blocks.write(path, columns)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"random_state": None}, "random_state = None: blocks draw from one stream"),
        ({"tie_mean_W": "line"}, "tie_mean_W = 'line': rows of other blocks share it"),
        ({"scales": "rows", "tie_shape_W": "all"}, "shape_scales = None with scales of rows"),
        ({"n_components": 0}, "n_components"),
    ],
)
def test_what_blocks_cannot_do(settings, words):
    model = nbmf.BernoulliPoissonVB(**{"n_components": 2, "random_state": 0} | settings)
    with pytest.raises(ConfigError) as caught:
        row_blocks.begin(model, [])
    assert words in str(caught.value)


def test_blocks_that_do_not_fit_each_other_are_refused():
    model = nbmf.BernoulliPoissonVB(2, random_state=0)
    parts = blocks_of(BINARY)
    counts = [row_blocks.count_block(model, part) for part in parts]
    with pytest.raises(DataError, match="have the same columns; these have 24, 25"):
        row_blocks.begin(model, [*counts, row_blocks.count_block(model, parts[0][:, :24])])
    columns = row_blocks.begin(model, counts)
    with pytest.raises(DataError, match=r"block 1 has shape \(13, 25\), which it had not"):
        row_blocks.pass_block(model, parts[0], columns, 1)
    _, sums = row_blocks.pass_block(model, parts[0], columns, 0)
    with pytest.raises(DataError, match="the sums are of 13 rows, and the matrix has 60"):
        row_blocks.combine(model, columns, [sums])


def test_single_precision_is_near():
    made, V, settings = CASES["scales"]
    model = made(3, **settings, max_iter=ROUNDS, random_state=5)
    near = made(**model.get_params() | {"precision": "single"})
    found = [fit_in_blocks(each, V, ROUNDS) for each in (model, near)]
    assert found[1][0]["E of q(H)"].dtype == np.float32
    tables = [
        row_blocks.block_model(each, columns, 0, blocks[0]).H_
        for each, (columns, blocks) in zip((model, near), found, strict=True)
    ]
    np.testing.assert_allclose(tables[1], tables[0], rtol=1e-3)
