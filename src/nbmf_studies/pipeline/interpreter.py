"""Python as Snakemake calls it for a script: it puts the path of its own into a shell command, without quotes."""

import os
import shlex

from nbmf.errors import ConfigError


def as_shell_word(executable: str) -> str:
    """Return the path of Python as a shell reads it without quotes: from the working directory, if that helps.

    In a checkout such as "~/My Drive/nbmf" that is .venv/bin/python3; every job starts in the working directory.

    Raises
    ------
    ConfigError
        If that path needs quotes too.
    """
    for path in (executable, os.path.relpath(executable)):
        if shlex.quote(path) == path:
            return path
    raise ConfigError(
        f"Python is at {executable!r}, a path that Snakemake cannot run scripts with; "
        "allowed: letters, digits and /._-+=@%:, outside the checkout"
    )
