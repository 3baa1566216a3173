"""The rule `download` in Snakemake: what travels along, what is removed, damaged or not reached."""

import http.server
import re
import shutil
import ssl
import subprocess
import sys
import threading
import venv

import pytest
import yaml
from checkout import HANGING, ROOT, Checkout

from nbmf_studies.pipeline.raw_files import source_location

pytestmark = pytest.mark.workflow

SOURCES = yaml.safe_load((ROOT / "config/sources.yaml").read_text(encoding="utf-8"))["sources"]
UNREACHABLE = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}
ALONE = {"mirrors": ["data/mirror"]}  # no folder beside the checkout
ANIMALS = "data/matrices/animals.npz"


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path / "checkout")


def path_of(source):
    return source_location(SOURCES[source])["path"]


def test_a_checkout_with_a_space_in_its_path_runs_scripts_with_its_own_python(tmp_path):
    checkout, place = Checkout(tmp_path / "my checkout"), path_of("animals_classes")
    environment = checkout.folder / ".venv"
    venv.create(environment, symlinks=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "those_of_the_tests.pth").write_text("\n".join(path for path in sys.path if path))
    command = [str(environment / "bin/python"), "-m", "snakemake", "--cores", "1", f"data/raw/{place}"]
    done = subprocess.run(command, cwd=checkout.folder, capture_output=True, text=True, timeout=HANGING)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout.folder / "data/raw" / place).exists()


def test_a_removed_file_fails_without_a_network_and_says_what_helps(checkout):
    (checkout.folder / "data/mirror" / path_of("animals_classes")).unlink()
    done = checkout.snakemake(ANIMALS, config=ALONE, **UNREACHABLE)
    assert done.returncode != 0
    message = done.stdout[done.stdout.rindex("error: classes.txt could not be obtained") :]
    assert f"data/mirror/{path_of('animals_classes')}: no such file" in message
    assert f"{SOURCES['animals_classes']['address']}: cannot be reached" in message
    assert f"(754 bytes, SHA-256 {SOURCES['animals_classes']['sha256']}) at data/mirror" in message
    assert done.stdout.count("Trying to restart job") == 2
    assert not (checkout.folder / "data/raw" / path_of("animals_classes")).exists()
    assert not (checkout.folder / ANIMALS).exists()


def test_a_copy_with_a_wrong_checksum_is_refused(checkout):
    place = path_of("animals_matrix")
    (checkout.folder / "data/mirror" / place).write_bytes(b"0" * 8499)
    done = checkout.snakemake(f"data/raw/{place}", config=ALONE, **UNREACHABLE)
    assert done.returncode != 0
    assert "damaged: SHA-256" in done.stdout
    assert not (checkout.folder / "data/raw" / place).exists()


def test_a_damaged_raw_file_leaves_no_matrix(checkout):
    for name in ("parliament_follows", "parliament_parties"):
        raw = checkout.folder / "data/raw" / path_of(name)
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_bytes(b"not what it should be")
    done = checkout.snakemake("data/matrices/parliament.npz", config={})
    assert done.returncode != 0
    assert re.search(r"error: data/raw/alumbreras\S+", done.stdout), done.stdout
    assert not (checkout.folder / "data/matrices/parliament.npz").exists()


@pytest.fixture
def server(tmp_path):
    """Serve a file by https on this machine; its first answer is that it is overloaded."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the program openssl, for a certificate")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            key,
            "-out",
            certificate,
        ],
        check=True,
        capture_output=True,
    )
    content = (ROOT / "data/mirror" / path_of("animals_classes")).read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        asked = 0

        def do_GET(self):
            Handler.asked += 1
            self.send_response(503 if Handler.asked == 1 else 200)
            self.end_headers()
            if Handler.asked > 1:
                self.wfile.write(content)

        def log_message(self, *arguments):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.socket = context.wrap_socket(running.socket, server_side=True)
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield Handler, f"https://localhost:{running.server_port}", str(certificate)
        running.shutdown()


def test_a_removed_file_is_downloaded_and_what_fails_for_a_moment_is_tried_again(checkout, server):
    handler, address, certificate = server
    source = {"address": f"{address}/classes.txt", "path": "here/classes.txt"}
    config = {**ALONE, "sources": {"animals_classes": source}}
    done = checkout.snakemake(ANIMALS, config=config, SSL_CERT_FILE=certificate, no_proxy="localhost")
    assert done.returncode == 0, done.stdout
    assert handler.asked == 2
    assert "the server answers 503" in done.stdout
    assert (checkout.folder / ANIMALS).exists()
    log = (checkout.folder / "data/logs/download/here/classes.txt.log").read_text()
    assert f"data/raw/here/classes.txt: taken from {address}/classes.txt" in log
