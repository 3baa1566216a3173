"""A command as it was typed, for the report that it made."""

import argparse
import shlex

from nbmf.cli.reading import repeated


def typed(options: argparse.Namespace) -> str:
    """Return the command, its file with the options of reading, and what else differs from the defaults."""
    words: list[str] = []
    for name in ("method", "methods", "components", "chains", "iterations", "draws", "masks"):
        value = getattr(options, name, None)
        if value not in (None, 0):
            words += [f"--{name}", *map(str, value if isinstance(value, list) else [value])]
    words += ["--no-check"] * (not getattr(options, "check", True))
    for key, value in options.settings:
        words += ["--set", f"{key}={value}"]
    return f"nbmf {options.command} {repeated(options)} {shlex.join([*words, '--seed', str(options.seed)])}"
