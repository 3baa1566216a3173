"""A plugin of pytest that writes which lines of src each file of tests runs, and for how many seconds.

    PYTHONPATH=tests/programs pytest -p lines_run --lines-run=FOLDER

For `mutation_everywhere.py`. FOLDER gets one JSON file per file of tests, and one of what imports run. Functions are
followed for their first calls alone, so that this takes twice as long as the tests themselves; compiled code leaves no
trace.
"""

import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

SOURCES = f"{Path(__file__).resolve().parents[2] / 'src'}/"
CALLS = 50  # of a function by a file of tests that are followed: later ones hardly run other lines
IMPORTS = "imports"


class Follower:
    """What the file of tests that is run has run so far; `sys.settrace` calls `enter` for each call of a function.

    Before the first test it is what imports run.
    """

    folder: Path

    def __init__(self):
        self._begin(IMPORTS)

    def _begin(self, name):
        self._name, self._seconds = name, 0.0
        self._lines, self._calls = defaultdict(set), Counter()

    def enter(self, frame, event, argument):
        """Follow the lines of a function of src."""
        file = frame.f_code.co_filename
        if not (file.startswith(SOURCES) and file.endswith(".py")):  # templates are no Python
            return None
        function = file, frame.f_code.co_firstlineno
        self._calls[function] += 1
        if self._calls[function] > CALLS:
            return None
        add = self._lines[file.removeprefix(SOURCES)].add

        def follow(inner, event, argument):
            add(inner.f_lineno)
            return follow

        return follow

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Follow a test with its fixtures."""
        if item.path.stem != self._name:
            self._write()
            self._begin(item.path.stem)
        started = time.monotonic()
        sys.settrace(self.enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self._seconds += time.monotonic() - started

    def pytest_sessionfinish(self):
        """Write what the last file of tests has run; a process that gives tests to others has none."""
        sys.settrace(None)
        if self._name != IMPORTS:
            self._write()

    def _write(self):
        held = {"seconds": self._seconds, "lines": {file: sorted(lines) for file, lines in self._lines.items()}}
        (self.folder / f"{self._name}.json").write_text(json.dumps(held), encoding="utf-8")


FOLLOWER = Follower()


def pytest_addoption(parser):
    """Take the folder, and follow what is imported from now on."""
    parser.addoption("--lines-run", type=Path, help="folder for which lines each file of tests runs")
    sys.settrace(FOLLOWER.enter)


def pytest_configure(config):
    """Follow the tests of this process."""
    FOLLOWER.folder = config.getoption("--lines-run").resolve()
    FOLLOWER.folder.mkdir(parents=True, exist_ok=True)
    config.pluginmanager.register(FOLLOWER)
