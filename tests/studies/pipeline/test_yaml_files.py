"""Configuration files that are not YAML are refused by file and line, and keys that stand twice in one."""

import subprocess
import sys

import pytest
from checkout import CONFIG_FILES, ROOT

from nbmf.errors import ConfigError
from nbmf_studies.pipeline import yaml_files

SECTIONS = "studies:\n  all_methods: {masks: 3}\nrun: {threads: 1}\nstudies:\n  lumbreras2020: {masks: 1}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SECTIONS, "line 4: the key 'studies' is in line 1 already"),
        ("methods:\n  bica: {K: [2], label: a, K: [3]}\n", "line 2: the key 'methods.bica.K' is in line 2 already"),
        ("studies:\n  x:\n  - {a: 1}\n  - a: 1\n    a: 2\n", "line 5: the key 'studies.x[1].a' is in line 4 already"),
        ('{"run": {}, "run": {}}', "line 1: the key 'run' is in line 1 already"),
    ],
)
def test_the_file_the_line_and_the_key_are_named(text, said, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        yaml_files.check([file])
    assert str(caught.value).startswith(f"configuration: {file}, {said}")


@pytest.mark.parametrize(
    "text", ["", "- a\n- a\n", "a: {K: 1}\nb: {K: 1}\n", "x: &x {a: &y [1]}\ny: {<<: *x, b: *y}\nz: *x\n"]
)
def test_what_has_no_key_twice_passes(text, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text(text, encoding="utf-8")
    yaml_files.check([file, tmp_path / "missing.yaml"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"run:\n  threads: 1\n ends: [a\n", "line 3, column 2: is not YAML: while parsing"),
        (b"run:\n  studies: [a\nresults: x\n", "line 3, column 8: is not YAML"),
        (b"run:\n\tthreads: 1\n", "line 2, column 1: is not YAML"),
        (b"results: x\nlabel: Beta\xe9\n", "line 2: is not in UTF-8"),
        (b"\x00", "is not YAML"),
    ],
)
def test_a_file_that_is_not_yaml_is_named_with_the_line(text, said, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_bytes(text)
    with pytest.raises(ConfigError) as caught:
        yaml_files.check([file])
    message = str(caught.value)
    assert message.startswith(f"configuration: {file}")
    assert said in message
    assert "\n" not in message
    done = subprocess.run(
        [sys.executable, "-m", yaml_files.__name__, file], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.strip()) == (1, message)


def test_a_byte_order_mark_is_no_error(tmp_path):
    file = tmp_path / "my.yaml"
    file.write_bytes(b"\xef\xbb\xbfrun: {threads: 1}\n")
    yaml_files.check([file])


def test_no_configuration_of_the_repository_has_a_key_twice():
    overlays = sorted((ROOT / "config").glob("*.yaml"))
    assert overlays
    yaml_files.check([*(ROOT / file for file in CONFIG_FILES), *overlays])
