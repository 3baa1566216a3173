"""Python's path as a word of a shell command, also in a checkout whose own path is none."""

import sys

import pytest

from nbmf.errors import ConfigError
from nbmf_studies.pipeline.interpreter import as_shell_word


def test_a_path_that_a_shell_reads_as_it_is_stays():
    assert as_shell_word("/opt/python-3.12/bin/python3") == "/opt/python-3.12/bin/python3"


@pytest.mark.parametrize("name", ["my checkout", "nbmf (1)", "Anna's", "a&b"])
def test_in_a_checkout_whose_path_needs_quotes_it_begins_there(name, tmp_path, monkeypatch):
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert as_shell_word(str(folder / ".venv/bin/python3")) == ".venv/bin/python3"


def test_a_path_that_needs_quotes_from_there_too_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    python = str(tmp_path / "my environments/bin/python3")
    with pytest.raises(ConfigError, match=r"Python is at '.*my environments/bin/python3', a path that Snakemake"):
        as_shell_word(python)
    assert as_shell_word(sys.executable)
