"""Files are complete or absent, and damaged ones are refused by name."""

import json
import math
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from nbmf import files
from nbmf.errors import DataError
from nbmf.files import atomic_path, read_arrays, write_json


@pytest.fixture
def target(tmp_path):
    return tmp_path / "new folder" / "table.csv"


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_finished_block_leaves_the_whole_file_and_nothing_else(target):
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
    assert contents(target.parent) == {"table.csv": "whole"}


def test_the_temporary_file_is_next_to_the_target_and_keeps_its_suffix(target):
    with atomic_path(str(target)) as temporary:
        assert temporary.parent == target.parent
        assert temporary.suffix == ".csv"
        assert temporary != target
        assert not target.exists()


def test_an_older_file_stays_until_the_block_ends_and_is_then_replaced_whole(target):
    target.parent.mkdir()
    target.write_text("a long older content")
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "a long older content"
    assert contents(target.parent) == {"table.csv": "new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_older_file_and_nothing_else(target, error):
    target.parent.mkdir()
    target.write_text("older")

    def interrupted():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert contents(target.parent) == {"table.csv": "older"}


def test_a_failure_without_an_older_file_leaves_an_empty_folder(target):
    with pytest.raises(ValueError, match="stop"), atomic_path(target):
        raise ValueError("stop")
    assert contents(target.parent) == {}


def test_two_writers_do_not_share_a_temporary_file(target):
    with atomic_path(target) as one, atomic_path(target) as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert contents(target.parent) == {"table.csv": "one"}  # the outer block ends last


def test_leftovers_of_killed_processes_are_removed(target):
    child = "\n".join(
        [
            "import os, sys",
            "from nbmf.files import atomic_path",
            "with atomic_path(sys.argv[1]) as temporary:",
            "    temporary.write_text('half')",
            "    os.kill(os.getpid(), 9)",
        ]
    )
    other = target.with_name("other.csv")
    for path in target, other:
        subprocess.run([sys.executable, "-c", child, str(path)], check=False)
    assert len(contents(target.parent)) == 2
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
    assert contents(target.parent)["table.csv"] == "whole"
    (left,) = contents(target.parent).keys() - {"table.csv"}
    assert left.startswith(".other-")  # another file's: the one who writes that removes it


def test_temporary_files_of_other_machines_are_left_alone(target):
    target.parent.mkdir()
    elsewhere = target.with_name(".table-elsewhere-999999-abcdefgh.csv")
    elsewhere.write_text("half")
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
    assert elsewhere.exists()


def test_others_may_read_the_file(target):
    with atomic_path(target) as temporary:
        temporary.write_text("whole")
    assert target.stat().st_mode & 0o777 == 0o644


def test_json_comes_back(target):
    content = {"name": "Dorn-Dürkheim", "values": [1, 2.5, None, True]}
    write_json(target, content)
    text = target.read_text(encoding="utf-8")
    assert json.loads(text) == content
    assert "Dürkheim" in text
    assert text.endswith("}\n")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, {1, 2}, np.float32(1)])
def test_what_is_no_json_is_refused_and_changes_nothing(target, wrong):
    write_json(target, {"older": 1})
    before = contents(target.parent)
    with pytest.raises((ValueError, TypeError)):
        write_json(target, {"value": wrong})
    assert contents(target.parent) == before


def test_arrays_come_back(tmp_path):
    path = tmp_path / "parts.npz"
    np.savez(path, a=np.arange(3), b=np.array(["x"]))
    parts = read_arrays(path, "parts")
    assert parts.keys() == {"a", "b"}
    np.testing.assert_array_equal(parts["a"], [0, 1, 2])


@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: b"text", lambda content: content[:-30]],
    ids=["empty", "text", "truncated"],
)
def test_damaged_arrays_are_refused_with_name_and_kind(tmp_path, damage):
    path = tmp_path / "parts.npz"
    np.savez(path, a=np.arange(30))
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"parts\.npz: not a complete spare parts file"):
        read_arrays(path, "spare parts")


def test_absent_arrays_stay_absent(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_arrays(tmp_path / "absent.npz", "parts")


def test_what_is_large_itself_may_unpack_to_much_and_a_bomb_may_not(tmp_path, monkeypatch):
    """A model of a large matrix is read again; a few kilobytes may declare any size."""
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    numbers = np.random.default_rng(0).random(5000)
    np.savez_compressed(tmp_path / "model.npz", numbers)
    np.testing.assert_array_equal(read_arrays(tmp_path / "model.npz", "model")["arr_0"], numbers)
    np.savez_compressed(tmp_path / "bomb.npz", np.zeros(10**6))
    words = r"bomb\.npz: the model file is too large: 0\.00745 GiB unpacked; allowed: at most 0\.00\d+$"
    with pytest.raises(DataError, match=words):
        read_arrays(tmp_path / "bomb.npz", "model")


def test_arrays_for_which_there_is_no_memory_are_called_so(tmp_path, monkeypatch):
    np.savez(tmp_path / "arrays.npz", np.zeros(3))

    def load(path, **options):
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(np, "load", load)
    with pytest.raises(DataError, match=r"the model file does not fit into the memory \(Unable to allocate 7 TiB\)$"):
        read_arrays(tmp_path / "arrays.npz", "model")


def test_members_that_are_no_arrays_are_refused(tmp_path):
    # Found by fuzzing: numpy returns their bytes.
    with zipfile.ZipFile(tmp_path / "arrays.npz", "w") as archive:
        archive.writestr("bits", b"no array")
    with pytest.raises(DataError, match=r"not a complete mask file .bits is no array"):
        read_arrays(tmp_path / "arrays.npz", "mask")
