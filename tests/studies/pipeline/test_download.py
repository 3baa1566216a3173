"""fetch: mirrors first, then the public address; never a damaged file, never a half-written one."""

import hashlib
import http.client
import io
import socket
import ssl
import urllib.error

import pytest
from archive_files import tarred, zipped

from nbmf.errors import DownloadError
from nbmf_studies.archives import folder_checksum
from nbmf_studies.pipeline import download
from nbmf_studies.pipeline.raw_files import source_location

CONTENT = b"twelve bytes"
PATH = "owner/repo/commit/data/raw file.csv"
ADDRESS = "https://raw.githubusercontent.com/owner/repo/commit/data/raw%20file.csv"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
SOURCE = source_location({"address": ADDRESS, "sha256": SHA256, "bytes": len(CONTENT)})


class Network:
    """Stands in for the network: gives its answers in turn and remembers what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def open(self, address, timeout):
        self.asked.append(address)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return io.BytesIO(answer)


@pytest.fixture
def network(monkeypatch):
    def replace(*answers):
        network = Network(*answers)
        monkeypatch.setattr(download, "_open", network.open)
        return network

    return replace


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "raw" / "file.csv"


def mirror(folder, content):
    (folder / PATH).parent.mkdir(parents=True)
    (folder / PATH).write_bytes(content)
    return folder


def http_error(code):
    return urllib.error.HTTPError(ADDRESS, code, "words of the server", None, None)


NO_NETWORK = urllib.error.URLError(socket.gaierror(-2, "Name or service not known"))


def test_a_mirror_spares_the_network(tmp_path, destination, network):
    net = network(NO_NETWORK)
    lines = []
    download.fetch(SOURCE, destination, [mirror(tmp_path / "m", CONTENT)], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == []
    assert lines == [f"{destination}: taken from {tmp_path / 'm' / PATH}"]


def test_mirrors_are_searched_in_order(tmp_path, destination, network):
    network(NO_NETWORK)
    mirrors = [tmp_path / "absent", mirror(tmp_path / "a", CONTENT), mirror(tmp_path / "b", b"x")]
    lines = []
    download.fetch(SOURCE, destination, mirrors, log=lines.append)
    assert str(tmp_path / "a") in lines[-1]


def test_without_an_address_mirrors_alone_are_asked(tmp_path, destination, network):
    net = network(NO_NETWORK)
    own = {key: value for key, value in SOURCE.items() if key != "address"}
    with pytest.raises(DownloadError) as refused:
        download.fetch(own, destination, [tmp_path / "m"])
    assert str(tmp_path / "m" / PATH) in str(refused.value)
    assert "connect this machine" not in str(refused.value)
    download.fetch(own, destination, [mirror(tmp_path / "m", CONTENT)])
    assert destination.read_bytes() == CONTENT
    assert net.asked == []


@pytest.mark.parametrize(
    "content",
    [b"twelve bytez", CONTENT[:-1], b"", CONTENT + b"and more"],
    ids=["wrong checksum", "truncated", "empty", "too long"],
)
def test_a_damaged_mirror_copy_is_skipped(content, tmp_path, destination, network):
    net = network(CONTENT)
    lines = []
    download.fetch(SOURCE, destination, [mirror(tmp_path / "m", content)], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == [ADDRESS]
    assert len(lines) == 2
    assert "damaged" in lines[0]
    assert str(tmp_path / "m" / PATH) in lines[0]


def test_a_folder_in_place_of_the_file_is_skipped(tmp_path, destination, network):
    network(CONTENT)
    (tmp_path / "m" / PATH).mkdir(parents=True)
    download.fetch(SOURCE, destination, [tmp_path / "m"])
    assert destination.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (NO_NETWORK, "cannot be reached ([Errno -2] Name or service not known)"),
        (urllib.error.URLError(ConnectionRefusedError(111, "refused")), "cannot be reached ("),
        (urllib.error.URLError(ssl.SSLCertVerificationError(1, "expired")), "cannot be reached ("),
        (urllib.error.URLError(TimeoutError("timed out")), "no answer in time"),
        (TimeoutError("timed out"), "no answer in time"),
        (ConnectionResetError(104, "Connection reset by peer"), "cannot be reached ([Errno 104]"),
        (http.client.IncompleteRead(b"tw", 10), "the connection ended after 2 bytes"),
        (http_error(404), "the server answers 404 words of the server"),
        (http_error(503), "the server answers 503 words of the server"),
        (CONTENT[:5], "the connection ended after 5 bytes"),
        (CONTENT + b"!", "damaged: more than 12 bytes instead of 12"),
        (b"twelve bytez", "damaged: SHA-256 "),
    ],
    ids=str,
)
def test_each_failure_has_its_words_and_the_address_is_asked_once(failure, words, destination, network):
    net = network(failure)
    with pytest.raises(DownloadError) as caught:
        download.fetch(SOURCE, destination, [], log=[].append)
    assert f"  {ADDRESS}: {words}" in str(caught.value)
    assert net.asked == [ADDRESS]
    assert not destination.parent.exists()


def test_an_endless_answer_is_cut_off(destination, monkeypatch):
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            assert 0 <= size <= SOURCE["bytes"] + 1
            return b"x" * size

    monkeypatch.setattr(download, "_open", lambda address, timeout: Endless())
    with pytest.raises(DownloadError, match="more than 12 bytes instead of 12"):
        download.fetch(SOURCE, destination, [])


def test_when_all_fails_each_place_has_its_line_and_help_is_named(tmp_path, destination, network):
    network(NO_NETWORK)
    mirrors = [tmp_path / "absent", mirror(tmp_path / "short", CONTENT[:4])]
    with pytest.raises(DownloadError) as caught:
        download.fetch(SOURCE, destination, mirrors)
    assert str(caught.value).splitlines() == [
        "raw file.csv could not be obtained. Places tried:",
        f"  {tmp_path / 'absent' / PATH}: no such file",
        f"  {tmp_path / 'short' / PATH}: damaged: 4 bytes instead of 12",
        f"  {ADDRESS}: cannot be reached ([Errno -2] Name or service not known)",
        "What helps, any one of:",
        f"  put the file (12 bytes, SHA-256 {SHA256}) at {tmp_path / 'absent' / PATH}",
        "  connect this machine to the network and run again",
    ]


def test_a_failure_leaves_an_older_file_and_nothing_else(destination, network):
    network(b"twelve bytez")
    destination.parent.mkdir()
    destination.write_bytes(b"older")
    with pytest.raises(DownloadError):
        download.fetch(SOURCE, destination, [])
    assert destination.read_bytes() == b"older"
    assert list(destination.parent.iterdir()) == [destination]


def test_a_redirect_away_from_https_is_refused():
    redirects = download._HttpsRedirects()
    request = urllib.request.Request(ADDRESS)
    with pytest.raises(urllib.error.HTTPError, match="redirect away from https"):
        redirects.redirect_request(request, None, 302, "Found", {}, "http://elsewhere.example/x")
    followed = redirects.redirect_request(request, None, 302, "Found", {}, "https://b.example/x")
    assert followed.full_url == "https://b.example/x"


# --- Any https address -----------------------------------------------------------------------


OPEN_SOURCE = source_location({"address": "https://example.org/votes.csv"})


def test_a_file_without_a_checksum_is_taken_and_its_checksum_recorded(destination, network):
    net = network(CONTENT)
    lines = []
    download.fetch(OPEN_SOURCE, destination, [], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == ["https://example.org/votes.csv"]
    assert lines[1].startswith("unchecked: the configuration has no sha256 for it.")
    assert lines[1].endswith(f"set sha256: {SHA256}")


def test_a_file_with_another_checksum_is_refused(tmp_path, destination, network):
    network(CONTENT)
    source = {**OPEN_SOURCE, "sha256": "0" * 64}
    with pytest.raises(DownloadError) as caught:
        download.fetch(source, destination, [tmp_path], log=[].append)
    assert f"damaged: SHA-256 {SHA256} instead of {'0' * 64}" in str(caught.value)
    assert f"put the file (SHA-256 {'0' * 64}) at {tmp_path}/example.org/votes" in str(caught.value)
    assert not destination.exists()


def test_an_address_has_its_copy_in_a_mirror(tmp_path, destination, network):
    net = network(NO_NETWORK)
    (tmp_path / "example.org").mkdir()
    (tmp_path / "example.org/votes.csv").write_bytes(CONTENT)
    download.fetch(OPEN_SOURCE, destination, [tmp_path], log=[].append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == []


class Declared(io.BytesIO):
    """An answer that declares a length, as http.client knows it."""

    length = len(CONTENT)


def test_a_cut_answer_is_noticed_by_the_length_it_declared(destination, monkeypatch):
    monkeypatch.setattr(download, "_open", lambda address, timeout: Declared(CONTENT[:5]))
    with pytest.raises(DownloadError, match="the connection ended after 5 bytes"):
        download.fetch(OPEN_SOURCE, destination, [], log=[].append)
    assert not destination.exists()


def test_a_file_of_any_size_has_a_limit(destination, network, monkeypatch):
    network(CONTENT)
    monkeypatch.setattr(download, "MAX_BYTES", 10)
    with pytest.raises(DownloadError, match=r"votes\.csv: more than 9\.\S+ GiB"):
        download.fetch(OPEN_SOURCE, destination, [], log=[].append)
    monkeypatch.setattr(download, "_open", lambda address, timeout: Declared(CONTENT))
    with pytest.raises(DownloadError, match=r"votes\.csv: more than 9\.\S+ GiB"):
        download.fetch(OPEN_SOURCE, destination, [], log=[].append)


# --- Files in archives -----------------------------------------------------------------------


def of_archive(archive, **part):
    entry = {"address": "https://example.org/a.zip", **part}
    if archive is not None:
        entry |= {"sha256": hashlib.sha256(archive).hexdigest(), "bytes": len(archive)}
    return source_location(entry)


FILES = {"notes.txt": b"not this", "deep/data.csv": CONTENT}
MEMBER = {"name": "deep/data.csv", "bytes": len(CONTENT)}


@pytest.mark.parametrize("pack", [zipped, tarred])
@pytest.mark.parametrize("known", ["archive", "member", "both"])
def test_one_file_of_an_archive_is_taken(pack, known, tmp_path, destination, network):
    archive = pack(FILES)
    member = MEMBER if known == "archive" else {**MEMBER, "sha256": SHA256}
    source = of_archive(None if known == "member" else archive, member=member)
    net = network(archive)
    lines = []
    download.fetch(source, destination, [tmp_path / "m"], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == ["https://example.org/a.zip"]
    assert len(lines) == 1  # nothing is unchecked


def test_an_archive_in_a_mirror_spares_the_network(tmp_path, destination, network):
    net = network(NO_NETWORK)
    (tmp_path / "example.org").mkdir()
    (tmp_path / "example.org/a.zip").write_bytes(zipped(FILES))
    download.fetch(of_archive(zipped(FILES), member=MEMBER), destination, [tmp_path])
    assert destination.read_bytes() == CONTENT
    assert net.asked == []


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ({"name": "data.csv"}, "damaged: the archive has no file 'data.csv'"),
        ({"bytes": 11}, "damaged: 'deep/data.csv' in the archive has more than 11 bytes"),
        ({"bytes": 13}, "damaged: deep/data.csv in it has 12 bytes instead of 13"),
        ({"sha256": "0" * 64}, f"damaged: deep/data.csv in it has SHA-256 {SHA256} instead of 00"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_another_file_in_the_archive_is_refused(pack, member, words, destination, network):
    archive = pack(FILES)
    network(archive)
    with pytest.raises(DownloadError) as caught:
        download.fetch(of_archive(archive, member={**MEMBER, **member}), destination, [], log=[].append)
    assert words in str(caught.value)
    assert not destination.exists()


def test_no_archive_in_the_place_of_one_is_refused(destination, network):
    network(b"<html>moved</html>")
    source = of_archive(None, member={**MEMBER, "sha256": SHA256})
    with pytest.raises(DownloadError, match=r"damaged: neither a \.zip nor a \.tar\.gz archive"):
        download.fetch(source, destination, [], log=[].append)


def test_an_archive_made_anew_counts_if_its_folder_holds_the_same(tmp_path, destination, network):
    files = {"news/a/2": b"two", "news/a/1": b"one"}
    public = {f"repo-0123/{name}": content for name, content in {**files, "x": b""}.items()}
    folder = {"name": "news", "bytes": 6, "sha256": folder_checksum([("a/1", b"one"), ("a/2", b"two")])}
    source = of_archive(None, folder=folder)
    for archive in (tarred(files), tarred(public), zipped(dict(sorted(public.items())))):
        network(archive)
        download.fetch(source, destination, [], log=[].append)
        assert destination.read_bytes() == archive
    for other in ({**public, "repo-0123/news/a/1": b"six"}, {**public, "repo-0123/news/b": b""}):
        network(tarred(other))
        with pytest.raises(DownloadError, match="damaged: folder news in it has SHA-256"):
            download.fetch(source, tmp_path / "other", [], log=[].append)
