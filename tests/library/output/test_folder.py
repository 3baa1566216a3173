"""The folder of results: what a later command removes of an earlier one, and what it leaves."""

import json

from nbmf.output.folder import RECORD, OutputFolder


def test_only_files_that_this_command_may_write_are_removed(tmp_path):
    """Of two commands with one folder, the second writes neither "a.txt" nor, this time, "b.txt"."""
    first = OutputFolder(tmp_path, ["a.txt", "b.txt"])
    for name in ("a.txt", "b.txt"):
        first.write_text(name, "of the first")
    first.finish({"command": "first"})
    second = OutputFolder(tmp_path, ["b.txt", "c.txt"])
    second.write_text("c.txt", "of the second")
    second.finish({"command": "second"})
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "c.txt", RECORD}
    assert (tmp_path / "a.txt").read_text() == "of the first\n"
    record = json.loads((tmp_path / RECORD).read_text())
    assert (record["command"], record["files"]) == ("second", ["a.txt", "c.txt"])
