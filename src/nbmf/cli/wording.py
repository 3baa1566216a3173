"""How a report of the command line names options and what to type next."""

import shlex
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from nbmf.cli.arguments import COMMANDS, printed_command, render_message
from nbmf.cli.options import Option, Options, option_words
from nbmf.cli.reading import data_name, file_with_options
from nbmf.errors import Message, Setting
from nbmf.reporting.wording import OF_METHOD, Wording


class Typed(Wording):
    """The words of a command that was typed."""

    def __init__(self, options: Options):
        super().__init__({})
        self._options = options

    def render(self, message: str) -> str:
        """Return a message with options instead of arguments."""
        return render_message(message, self._options.command)

    @property
    def made_by(self) -> str:
        """The command that was typed."""
        return printed_command(self._options)

    def next_command(self, command: str, *, apart: str = "", another: bool = False, **given: Any) -> str:
        """Return a command for the same file, read in the same way; a fit with what was typed besides, too."""
        if apart:  # the files of the fit that is reported stay
            folder = self._options.out or f"{data_name(self._options)}.nbmf"
            given["out"] = str(Path(folder).with_suffix("")) + f"-{apart}{Path(folder).suffix}"
        words = [render_message(Message(Setting(name, value)), command) for name, value in given.items()]
        if command == "fit":
            words += map(shlex.quote, option_words(self._options, [*self._others(given, another)]))
        return " ".join(["nbmf", command, file_with_options(self._options), *words])

    def _others(self, given: Collection[str], another: bool) -> Iterator[Option]:
        """Yield the options of a fit that were typed, but for those of reading the file, and those that are given."""
        for option in COMMANDS["fit"].options:
            is_typed = getattr(self._options, option.attribute, option.default) != option.default
            is_kept = not (another and OF_METHOD.intersection(option.python))
            if is_typed and is_kept and option.attribute not in given:
                yield option
