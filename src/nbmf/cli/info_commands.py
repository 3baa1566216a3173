"""Commands that `nbmf info` names, with what says how their file is read."""

import shlex
from collections.abc import Collection
from typing import Any

from nbmf.cli.arguments import COMMANDS
from nbmf.cli.options import Options, file_word, option_words


def cluster_command(options: Options, ignore: Collection[str] = ()) -> str:
    """Return the nbmf cluster of a file with its options; more columns to ignore may be given."""
    return command_line(
        "cluster",
        options.file,
        labels=options.groups,
        ignore=[*(options.ignore or ()), *ignore],
        missing=options.missing,
        header=options.header,
        index=options.index,
        **format_options(options),
    )


def format_options(options: Options) -> dict[str, Any]:
    """Return what says which part of a file is read, and as which characters: without it another one would be."""
    return {"name": options.name, "encoding": options.encoding}


def command_line(command: str, file: str, **given: Any) -> str:
    """Return a command with some options of how it reads its file, as they are typed."""
    declared = COMMANDS[command].reading
    options = Options(**{option.attribute: option.default for option in declared} | given)
    return shlex.join(["nbmf", command, file_word(file), *option_words(options, declared)])
