"""What is found in a file: sentences about it and the commands to type next, and how both are shown."""

import shlex
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from nbmf.cli.arguments import COMMANDS
from nbmf.cli.options import Options, file_word, option_words
from nbmf.cli.reading import file_with_options
from nbmf.reporting.text import INDENT, wrap


class Finding(NamedTuple):
    """What was found in a file.

    sentences : list of str, each of which begins on its own line; "" is an empty one
    commands : list of str, what to type next: the best guess first
    when : list of str, words for when each command is the right one; () if they need none
    """

    sentences: Sequence[str]
    commands: Sequence[str] = ()
    when: Sequence[str] = ()

    def render(self) -> str:
        """Return the lines that are shown."""
        lines = [wrap(sentence, INDENT * (1 + sentence.startswith(INDENT))) for sentence in self.sentences]
        headings = [f"next, {words}:" for words in self.when] or ["next:"] * bool(self.commands)
        for place, heading in enumerate(headings):
            commands = [self.commands[place]] if self.when else self.commands
            lines += ["", heading, *(INDENT + command for command in commands)]
        return "\n".join(lines)


def command_with(command: str, options: Options) -> str:
    """Return a command for FILE, read with all of the options."""
    return f"nbmf {command} {file_with_options(options)}"


def command_line(command: str, options: Options, **given: Any) -> str:
    """Return a command for FILE, read with what is given alone, and the same part of it in the same characters."""
    declared = COMMANDS[command].reading
    read = {option.attribute: option.default for option in declared}
    chosen = Options(**read | options.taken("name", "encoding") | given)
    return shlex.join(["nbmf", command, file_word(options.file), *option_words(chosen, declared)])


def cluster_command(options: Options, ignore: Collection[str] = ()) -> str:
    """Return the nbmf cluster of FILE with its options; more columns to ignore may be given."""
    kept = options.taken("missing", "header", "index")
    return command_line("cluster", options, labels=options.groups, ignore=[*(options.ignore or ()), *ignore], **kept)
