"""Environments that hold what a file of `envs` names, and what that depends on, and nothing else.

They are made of what is installed here, which has the versions and hashes of requirements.lock: a virtual environment
with links to the files of each distribution. So no network and no conda is needed.
"""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def closure(names):
    """Return the names of distributions and of all that they require, here and without extras."""
    found, waiting = set(), list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        found.add(name)
        requirements = map(Requirement, distribution(name).requires or [])
        waiting += [each.name for each in requirements if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


def make(folder, pins):
    """Make a virtual environment of packages, given from name to version; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(Path(folder, "lib").glob("python*/site-packages"))
    for name, version in pins.items():
        assert distribution(name).version == version, name
    for name in closure(pins):
        files = distribution(name).files
        for first in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (packages / first).symlink_to(distribution(name).locate_file(first))
    return Path(folder, "bin/python")
