"""A disk that fills while a result is written: the older file stays, nothing else is left, and the message names it."""

import errno
import io
import os

import numpy as np
import pytest
import scipy.sparse

import nbmf
from nbmf.families.poisson_gamma import row_blocks
from nbmf.files import atomic_path
from nbmf.inference.checkpoint import Checkpoint
from nbmf.inference.progress import FitRecorder

V = scipy.sparse.csr_array(np.eye(6, dtype=np.int8) + np.eye(6, k=1, dtype=np.int8))


class SmallDisk(io.FileIO):
    """A file on a disk with room for so many bytes."""

    room = 0

    def write(self, content):
        if self.tell() + len(content) > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(content)


def save_model(path, seed):
    made = nbmf.BernoulliPoissonVB(2, max_iter=3, random_state=seed)
    made.fit(V).save(path)


def save_matrix(path, seed):
    nbmf.SparseBinaryMatrix.from_sparse(V, column_names=[f"{seed} {n}" for n in range(6)]).save(path)


def save_block(path, seed):
    made = nbmf.BernoulliPoissonVB(2, max_iter=3, random_state=seed)
    row_blocks.write(path, row_blocks.begin(made, [row_blocks.count_block(made, V)]))


WRITERS = {
    "nbmf.inference.model_file": save_model,
    "nbmf.data.named": save_matrix,
    "nbmf.families.poisson_gamma.row_blocks": save_block,
}


@pytest.mark.parametrize("room", [0, 500, -30])
@pytest.mark.parametrize("module", WRITERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_older_result_stays_and_the_message_names_the_file(module, room, tmp_path, monkeypatch):
    path, save = tmp_path / "result.npz", WRITERS[module]
    save(path, 0)
    before = path.read_bytes()
    monkeypatch.setattr(SmallDisk, "room", room if room >= 0 else len(before) + room)
    monkeypatch.setattr(f"{module}.open", SmallDisk, raising=False)
    with pytest.raises(OSError, match=r"\[Errno 28\] No space left on device: '.*result\.npz'"):
        save(path, 1)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.setattr(SmallDisk, "room", 10**9)
    save(path, 1)
    assert path.read_bytes() != before


@pytest.mark.parametrize("room", [0, 500])
def test_an_older_checkpoint_stays_and_the_fit_goes_on(room, tmp_path, monkeypatch):
    path, lines = tmp_path / "chain.npz", []

    def fit(fingerprint):
        model = nbmf.BernoulliPoissonGibbs(2, burn_in=5, n_samples=100, random_state=0)
        recorder = FitRecorder(105, 2, lambda state: 0.0, lines.append)
        return model.fit(V, monitor=Checkpoint(path, lambda: fingerprint, recorder, 0, lines.append))

    expected = fit("an older fit")
    before = path.read_bytes()
    monkeypatch.setattr(SmallDisk, "room", room)
    monkeypatch.setattr("nbmf.inference.checkpoint.open", SmallDisk, raising=False)
    np.testing.assert_array_equal(fit("this fit").W_, expected.W_)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    failed = [line for line in lines if line.startswith("no checkpoint after iteration")]
    assert failed
    assert f"[Errno 28] No space left on device: '{path}'" in failed[0]


def test_an_error_that_names_a_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError, match="other"), atomic_path(tmp_path / "result.npz"):
        os.stat(tmp_path / "other")
