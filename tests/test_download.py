"""fetch: mirrors first, then the public address; never a damaged file, never a half-written one."""

import hashlib
import http.client
import io
import socket
import ssl
import urllib.error

import pytest

from nbmf.errors import ConfigError, DownloadError
from nbmf.workflow import download

CONTENT = b"twelve bytes"
PATH = "owner/repo/commit/data/raw file.csv"
SOURCE = {
    "path": PATH,
    "sha256": hashlib.sha256(CONTENT).hexdigest(),
    "bytes": len(CONTENT),
    "licence": "none stated",
}
ADDRESS = "https://raw.githubusercontent.com/owner/repo/commit/data/raw%20file.csv"


class Network:
    """Stands in for the network: gives its answers in turn and remembers what was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []
        self.waits = []

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
        monkeypatch.setattr(download.time, "sleep", network.waits.append)
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
    ("failure", "attempts"),
    [
        (NO_NETWORK, 2),
        (urllib.error.URLError(ConnectionRefusedError(111, "Connection refused")), 2),
        (urllib.error.URLError(OSError(101, "Network is unreachable")), 2),
        (urllib.error.URLError(ssl.SSLCertVerificationError(1, "expired")), 1),
        (urllib.error.URLError(TimeoutError("timed out")), 3),
        (TimeoutError("timed out"), 3),
        (ConnectionResetError(104, "Connection reset by peer"), 3),
        (http.client.IncompleteRead(b"tw", 10), 3),
        (http_error(404), 1),
        (http_error(403), 1),
        (http_error(503), 3),
        (CONTENT[:5], 3),
        (CONTENT + b"!", 1),
        (b"twelve bytez", 1),
    ],
    ids=str,
)
def test_the_network_is_retried_where_that_helps(failure, attempts, destination, network):
    net = network(failure)
    with pytest.raises(DownloadError):
        download.fetch(SOURCE, destination, [])
    assert len(net.asked) == attempts
    assert net.waits == [1, 2][: attempts - 1]
    assert not destination.parent.exists()


def test_a_retry_can_succeed(destination, network):
    net = network(http_error(500), CONTENT[:3], CONTENT)
    lines = []
    download.fetch(SOURCE, destination, [], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert len(net.asked) == 3
    assert "the server answers 500 words of the server; trying again in 1 s" in lines[0]
    assert "the connection ended after 3 bytes; trying again in 2 s" in lines[1]


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
        f"  put the file (12 bytes, SHA-256 {SOURCE['sha256']}) at {tmp_path / 'absent' / PATH}",
        "  connect this machine to the network and run again",
        "  run `make demo`, which needs no download",
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


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("https://example.org/votes.csv", "example.org/votes.csv"),
        ("https://example.org:8443/a/b%20c.csv", "example.org_8443/a/b%20c.csv"),
        (
            "https://example.org/get?file=a/b.csv&raw=1",
            "example.org/get%3Ffile%3Da/b.csv%26raw%3D1",
        ),
    ],
)
def test_an_address_has_a_place_below_the_raw_files(address, path):
    assert download.source_of_address(address) == {"address": address, "path": path}
    assert download.source_of_address(address, "0" * 64)["sha256"] == "0" * 64


@pytest.mark.parametrize(
    "address",
    [
        *("http://example.org/votes.csv", "ftp://example.org/votes.csv", "example.org/votes.csv"),
        *("https://example.org", "https://example.org/", "https://example.org/folder/"),
        *("https://../votes.csv", "https://a.org/../votes.csv", "https://a.org//votes.csv"),
        *(
            "https://user:word@a.org/x",
            "https://a.org/{x}",
            "https://a.org/a b",
            "https://a.org/x\n",
        ),
        "https://a.org/x?y=../../z",
    ],
)
def test_other_addresses_are_refused(address):
    with pytest.raises(ConfigError, match="allowed is https://<host>/<path>"):
        download.source_of_address(address)


OPEN_SOURCE = download.source_of_address("https://example.org/votes.csv")


def test_a_file_without_a_checksum_is_taken_and_its_checksum_recorded(destination, network):
    net = network(CONTENT)
    lines = []
    download.fetch(OPEN_SOURCE, destination, [], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert net.asked == ["https://example.org/votes.csv"]
    assert lines[1].startswith("unchecked: the configuration has no sha256 for it.")
    assert lines[1].endswith(f"set sha256: {SOURCE['sha256']}")


def test_a_file_with_another_checksum_is_refused(tmp_path, destination, network):
    network(CONTENT)
    source = download.source_of_address("https://example.org/votes.csv", "0" * 64)
    with pytest.raises(DownloadError) as caught:
        download.fetch(source, destination, [tmp_path], log=[].append)
    assert f"damaged: SHA-256 {SOURCE['sha256']} instead of {'0' * 64}" in str(caught.value)
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


def test_a_cut_answer_is_noticed_by_the_length_it_declared(destination, network, monkeypatch):
    network(CONTENT)
    answers = [Declared(CONTENT[:5]), Declared(CONTENT)]
    monkeypatch.setattr(download, "_open", lambda address, timeout: answers.pop(0))
    lines = []
    download.fetch(OPEN_SOURCE, destination, [], log=lines.append)
    assert destination.read_bytes() == CONTENT
    assert "the connection ended after 5 bytes; trying again in 1 s" in lines[0]


def test_a_file_of_any_size_has_a_limit(destination, network, monkeypatch):
    network(CONTENT)
    monkeypatch.setattr(download, "MAX_BYTES", 10)
    with pytest.raises(DownloadError, match=r"votes\.csv: more than 9\.\S+ GiB"):
        download.fetch(OPEN_SOURCE, destination, [], log=[].append)
    monkeypatch.setattr(download, "_open", lambda address, timeout: Declared(CONTENT))
    with pytest.raises(DownloadError, match=r"votes\.csv: more than 9\.\S+ GiB"):
        download.fetch(OPEN_SOURCE, destination, [], log=[].append)
