"""A key that stands twice in a configuration file is refused, as YAML forgets what the first one says."""

import pytest
from checkout import CONFIG_FILES, ROOT

from nbmf.errors import ConfigError
from nbmf_studies.pipeline import repeated_keys

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
        repeated_keys.check([file])
    assert str(caught.value).startswith(f"configuration: {file}, {said}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n- a\n",
        "a: {K: 1}\nb: {K: 1}\n",
        "x: &x {a: &y [1]}\ny: {<<: *x, b: *y}\nz: *x\n",
        "run:\n\tstudies: [",
        "\x00",
    ],
)
def test_what_has_no_key_twice_or_is_no_yaml_passes(text, tmp_path):
    file = tmp_path / "my.yaml"
    file.write_text(text, encoding="utf-8")
    repeated_keys.check([file, tmp_path / "missing.yaml"])


def test_no_configuration_of_the_repository_has_a_key_twice():
    overlays = sorted((ROOT / "config").glob("*.yaml"))
    assert overlays
    repeated_keys.check([*(ROOT / file for file in CONFIG_FILES), *overlays])
