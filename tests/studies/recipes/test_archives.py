"""Files in archives: the one that is asked for, never more than was declared, nothing on a disk."""

import gzip
import hashlib
import io
import tarfile
import tracemalloc
import zipfile

import pytest
from archive_files import tarred, zipped

from nbmf.errors import DataError
from nbmf_studies import archives
from nbmf_studies.archives import folder_checksum, read_folder, read_member

FILES = {"set/a/2.txt": b"two", "set/a/10.txt": b"ten", "set/b.txt": b"b", "other/a": b"other"}
packed = pytest.mark.parametrize("pack", [zipped, tarred])


@packed
def test_a_file_is_read_from_a_path_or_from_bytes(pack, tmp_path):
    archive = pack(FILES)
    (tmp_path / "x").write_bytes(archive)
    assert read_member(archive, "set/a/10.txt", 3) == b"ten"
    assert read_member(tmp_path / "x", "set/a/10.txt", 3) == b"ten"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@packed
@pytest.mark.parametrize("name", ["2.txt", "set/a", "set/a/", "/set/a/2.txt", "../set/a/2.txt"])
def test_names_are_those_of_the_archive(pack, name):
    with pytest.raises(DataError, match="the archive has no file"):
        read_member(pack(FILES), name, 10)


@packed
def test_a_path_that_leads_out_is_a_name_like_another(pack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = pack({"../out": b"out", "/tmp/nbmf-out": b"out", "in": b"in"})
    assert read_member(archive, "in", 2) == b"in"
    assert dict(read_folder(archive, "..", 9)) == {"out": b"out"}
    assert list(tmp_path.parent.glob("out")) == []


@packed
def test_a_folder_is_at_the_top_or_one_below(pack):
    expected = {"a/2.txt": b"two", "a/10.txt": b"ten", "b.txt": b"b"}
    assert dict(read_folder(pack(FILES), "set", 7)) == expected
    below = {f"repo-0123/{name}": content for name, content in FILES.items()}
    assert dict(read_folder(pack(below), "set", 7)) == expected
    assert dict(read_folder(pack({f"x/{name}": b"" for name in below}), "set", 7)) == {}


@packed
def test_a_folder_larger_than_declared_is_refused(pack):
    with pytest.raises(DataError, match=r"'set/b\.txt' in the archive has more than 0 bytes"):
        list(read_folder(pack(FILES), "set", 6))


def test_the_checksum_of_a_folder_is_that_of_sorted_lines():
    files = [("b.txt", b"b"), ("a.x/1", b"1"), ("a/2", b"2"), ("a/10", b"3")]
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files}
    lines = "".join(f"{name} {sums[name]}\n" for name in ("a/10", "a/2", "a.x/1", "b.txt"))
    assert folder_checksum(files) == hashlib.sha256(lines.encode()).hexdigest()
    assert folder_checksum(files[::-1]) == folder_checksum(files)


def test_links_are_not_followed():
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for name, kind in (("soft", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    for name in ("soft", "hard"):
        with pytest.raises(DataError, match="the archive has no file"):
            read_member(stream.getvalue(), name, 10**6)


# Bombs and damage.


@packed
def test_a_bomb_is_refused_before_it_is_unpacked(pack):
    archive = pack({"bomb": bytes(10**7)})
    assert len(archive) < 20_000
    tracemalloc.start()
    with pytest.raises(DataError, match="'bomb' in the archive has more than 1000 bytes"):
        read_member(archive, "bomb", 1000)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_a_file_that_hides_its_size_is_refused():
    archive = zipped({"bomb": bytes(10**6)})
    lying = archive.replace((10**6).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != archive
    with pytest.raises(DataError):
        read_member(lying, "bomb", 1000)


def test_what_stands_before_a_file_in_a_tar_is_unpacked_to_a_limit(monkeypatch):
    archive = tarred({"bomb": bytes(10**6), "small": b"x"})
    assert read_member(archive, "small", 1) == b"x"
    monkeypatch.setattr(archives, "MAX_UNPACKED", 10**5)
    with pytest.raises(DataError, match="the archive unpacks to more than"):
        read_member(archive, "small", 1)


@packed
def test_damage_is_named(pack):
    archive = bytearray(pack(FILES))
    for wrong in (archive[: len(archive) // 2], archive[:30] + b"\xff" * 20 + archive[50:]):
        with pytest.raises(DataError, match="not a readable archive"):
            list(read_folder(bytes(wrong), "set", 100))


@pytest.mark.parametrize("content", [b"", b"P", b"a,b\n1,0\n", gzip.compress(b"a,b\n", mtime=0)])
def test_what_is_no_archive_is_said(content):
    with pytest.raises(DataError, match="archive"):
        read_member(content, "a", 10)


def test_a_file_with_a_password_is_refused():
    stream = io.BytesIO(zipped({"a": b"x"}))
    with zipfile.ZipFile(stream) as archive:
        start = archive.start_dir
    content = bytearray(stream.getvalue())
    content[6] |= 1  # the flag of encryption, in the local header and in the directory
    content[start + 8] |= 1
    with pytest.raises(DataError, match="not a readable archive"):
        read_member(bytes(content), "a", 10)


def test_a_file_that_is_not_there_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_member(tmp_path / "absent.zip", "a", 10)
