"""How a report of the command line names options and what to type next."""

import argparse
from typing import Any

from nbmf.cli.arguments import as_typed, printed_command
from nbmf.cli.reading import repeated
from nbmf.errors import Message, Setting
from nbmf.reporting.wording import Wording


class Typed(Wording):
    """The words of a command that was typed."""

    def __init__(self, options: argparse.Namespace):
        super().__init__({})
        self._options = options

    def of(self, message: str) -> str:
        """Return a message with options instead of arguments."""
        return as_typed(message, self._options.command)

    @property
    def made_by(self) -> str:
        """The command that was typed."""
        return printed_command(self._options)

    def next(self, command: str, **given: Any) -> str:
        """Return a command for the same file, read in the same way, with options."""
        words = [as_typed(Message(Setting(name, value)), command) for name, value in given.items()]
        return " ".join(["nbmf", command, repeated(self._options), *words])
