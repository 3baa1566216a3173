"""The lock of a folder: its file is removed, and a removed file locks nothing."""

import os
import subprocess
import sys

import pytest

from nbmf.errors import DataError
from nbmf.output import folder_lock
from nbmf.output.folder import OutputFolder
from nbmf.output.folder_lock import hold, release

HOLD = "import pathlib, sys; from nbmf.output.folder_lock import hold; hold(pathlib.Path(sys.argv[1]))"

pytestmark = pytest.mark.skipif(folder_lock.fcntl is None, reason="there is no lock on Windows")


@pytest.fixture(autouse=True)
def locks(tmp_path, monkeypatch):
    """Return where the files are, of this process and of those that it starts."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def other_process(folder, then="pass"):
    command = [sys.executable, "-c", f"{HOLD}\n{then}", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_released_folder_leaves_no_file(tmp_path, locks):
    hold(tmp_path / "out")
    assert len(list(locks.iterdir())) == 1
    assert "another run of nbmf, process" in other_process(tmp_path / "out").stderr
    release(tmp_path / "out")
    assert not list(locks.iterdir())
    assert other_process(tmp_path / "out").returncode == 0


@pytest.mark.parametrize("file", ["nbmf.json", "model.npz"])
def test_a_folder_that_is_refused_is_not_held(tmp_path, locks, file):
    """Its record is damaged, or it holds a file that is not ours."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).write_text("{damaged")
    with pytest.raises(DataError):
        OutputFolder(tmp_path / "out", ["model.npz"])
    assert not list(locks.iterdir())


@pytest.mark.parametrize(("then", "status"), [("pass", 0), ("raise ValueError", 1), ("sys.exit(3)", 3)])
def test_a_process_that_ends_leaves_no_file(tmp_path, locks, then, status):
    assert other_process(tmp_path / "out", then).returncode == status
    assert not list(locks.iterdir())


def test_the_file_of_a_killed_process_locks_nothing(tmp_path, locks):
    other_process(tmp_path / "out", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert len(list(locks.iterdir())) == 1
    hold(tmp_path / "out")
    release(tmp_path / "out")
    assert not list(locks.iterdir())


def test_a_file_that_was_removed_before_it_was_locked_is_opened_anew(tmp_path, monkeypatch):
    opened, paths = folder_lock._opened, []

    def removed_once(path):
        file = opened(path)
        if not paths:
            os.unlink(path)
        paths.append(path)
        return file

    monkeypatch.setattr(folder_lock, "_opened", removed_once)
    hold(tmp_path / "out")
    assert len(paths) == 2
    assert "another run of nbmf" in other_process(tmp_path / "out").stderr
    release(tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_removes_nothing_of_its_parent(tmp_path):
    fork = """
import os
from nbmf.output import folder_lock
child = os.fork()
if child:
    os.waitpid(child, 0)
    print(len(os.listdir(os.environ["TMPDIR"])))
else:
    print(len(folder_lock._held), end=" ")
"""
    assert other_process(tmp_path / "out", fork).stdout == "0 1\n"
